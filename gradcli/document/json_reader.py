"""JSON -> tree, with the place of every key and value.

Objects and lists of lists are walked here, without recursion; the json module reads strings and the innermost lists.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field

from gradcli.document.tree import MAX_DEPTH, Broken, File, Mapping, Node, Scalar, Sequence, duplicate, show
from gradcli.errors import Fault, InputError

__all__ = ["read_json"]

_SPACE = re.compile(r"[ \t\n\r]*")
_ROW = re.compile(r'\[[^\[\]{}"]*\]')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"[^\s,\[\]{}:\"]+|.", re.DOTALL)
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_NOT_JSON = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf", "+Infinity": "inf"}
_decode = json.JSONDecoder(parse_constant=lambda name: None).raw_decode


def read_json(file: File, start: int = 0) -> tuple[Node, list[Fault]]:
    """The tree of a JSON text from `start` on, and the faults that did not keep it from being read.

    Raises:
        InputError: the text is not JSON, or nests too deeply.
    """
    reader = _Reader(file)
    return reader.run(start), reader.faults


@dataclass(slots=True)
class _Open:
    """An object or list that has begun. `keys` holds the first place of each key."""

    start: int
    closer: str
    items: list[Node] = field(default_factory=list)
    entries: list[tuple[Scalar, Node]] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)
    key: Scalar | None = None


class _Reader:
    def __init__(self, file: File) -> None:
        self.file = file
        self.text = file.text
        self.faults: list[Fault] = []
        self.stack: list[_Open] = []

    def run(self, pos: int) -> Node:
        pos = self.skip(pos)
        while True:
            node, pos = self.value(pos)
            while node is not None and self.stack:
                self.put(node)
                node, pos = self.after(self.skip(pos))
            if node is not None:
                return self.finish(node, pos)

    def finish(self, node: Node, pos: int) -> Node:
        pos = self.skip(pos)
        if pos < len(self.text):
            raise self.error(f"the text goes on after the last closing bracket: {self.word(pos)}", "remove it", pos)
        return node

    def skip(self, pos: int) -> int:
        found = _SPACE.match(self.text, pos)
        return found.end() if found else pos

    def value(self, pos: int) -> tuple[Node | None, int]:
        """The value at `pos`; None where it is an object or list that has only been opened, and the place to go on."""
        first = self.text[pos : pos + 1]
        if first == "{":
            return self.open(pos, "}")
        if first == "[":
            row = self.row(pos)
            return (row, row.end) if row else self.open(pos, "]")
        if first == '"':
            return self.string(pos)
        return self.word_value(pos)

    def row(self, pos: int) -> Sequence | None:
        """A list of finite numbers, fast; None where it is something else."""
        found = _ROW.match(self.text, pos)
        try:
            items = _decode(self.text, pos)[0] if found else None
            if items and set(map(type, items)) <= {int, float}:
                numbers = list(map(float, items))
                if found and math.inf not in numbers and -math.inf not in numbers:
                    return Sequence(self.file, pos, found.end(), numbers=numbers)
        except (ValueError, OverflowError, RecursionError):
            pass  # read again entry by entry, to say where
        return None

    def open(self, pos: int, closer: str) -> tuple[Node | None, int]:
        if len(self.stack) >= MAX_DEPTH:
            raise self.error(
                f"lists and objects nest deeper than {MAX_DEPTH} levels", "flatten the file", pos, kind="limit"
            )
        self.stack.append(_Open(pos, closer))
        after = self.skip(pos + 1)
        if self.text[after : after + 1] == closer:
            return self.close(after + 1), after + 1
        return None, self.begin_entry(after)

    def begin_entry(self, pos: int) -> int:
        """The place of the next value: in an object the one after its key and colon."""
        top = self.stack[-1]
        if self.text[pos : pos + 1] == top.closer:
            raise self.error(
                "a comma stands before the closing bracket", "remove the comma", self.text.rindex(",", 0, pos)
            )
        if top.closer == "]":
            return pos
        if self.text[pos : pos + 1] != '"':
            raise self.error(
                f"a key in double quotes is expected here, not {self.word(pos)}", _hint(self.text, pos, key=True), pos
            )
        top.key, pos = self.string(pos)
        pos = self.skip(pos)
        if self.text[pos : pos + 1] != ":":
            raise self.error(f"a ':' is missing after the key {show(top.key.text)}", None, pos)
        return self.skip(pos + 1)

    def put(self, node: Node) -> None:
        """Add a value to the object or list that is open."""
        top = self.stack[-1]
        if top.key is None:
            top.items.append(node)
        elif top.key.text in top.keys:
            first = self.file.place(top.keys[top.key.text], 0).line
            self.faults.append(duplicate(top.key, first))
        else:
            top.keys[top.key.text] = top.key.start
            top.entries.append((top.key, node))

    def after(self, pos: int) -> tuple[Node | None, int]:
        """After a value: the next one (None), or the object or list that ends here."""
        top = self.stack[-1]
        found = self.text[pos : pos + 1]
        if found == ",":
            return None, self.begin_entry(self.skip(pos + 1))
        if found == top.closer:
            return self.close(pos + 1), pos + 1
        if not found:
            what = "object" if top.closer == "}" else "list"
            raise self.error(
                f"the text ends before the {what} that begins here is closed", f"close it with {top.closer}", top.start
            )
        raise self.error(f"a comma or {top.closer} is expected here, not {self.word(pos)}", _hint(self.text, pos), pos)

    def close(self, end: int) -> Node:
        top = self.stack.pop()
        if top.closer == "}":
            return Mapping(self.file, top.start, end, entries=top.entries)
        return Sequence(self.file, top.start, end, items=top.items)

    def string(self, pos: int) -> tuple[Scalar, int]:
        try:
            value, end = _decode(self.text, pos)
        except json.JSONDecodeError as error:
            raise self.bad_string(pos, error) from None
        return Scalar(self.file, pos, end, "", value, value, "json"), end

    def bad_string(self, pos: int, error: json.JSONDecodeError) -> InputError:
        if error.msg.startswith("Invalid control character"):
            return self.error(
                "a string ends at the end of its line", 'close it with ", or write a line break as \\n', pos
            )
        if error.msg.startswith("Unterminated"):
            return self.error("the quote that opens here is not closed", 'close it with "', pos)
        return self.error(f"{error.msg[0].lower()}{error.msg[1:]}", "write a backslash as \\\\", error.pos)

    def word_value(self, pos: int) -> tuple[Node, int]:
        """A number or literal."""
        if found := _NUMBER.match(self.text, pos):
            return Scalar(self.file, pos, found.end(), "", found[0], float(found[0])), found.end()
        word = found[0] if (found := _WORD.match(self.text, pos)) else ""
        end = pos + len(word)
        if word in _LITERALS:
            return Scalar(self.file, pos, end, "", word, _LITERALS[word]), end
        if word in _NOT_JSON:
            hint = f'write "{_NOT_JSON[word]}"'
            self.faults.append(Fault("value", f"{word} is not a JSON number", hint, self.file.place(pos, end)))
            return Broken(self.file, pos, end), end
        if not word:
            raise self.error(
                "the text ends where a value is expected", "the end of the file is missing", len(self.text.rstrip()) - 1
            )
        raise self.error(f"a value is expected here, not {self.word(pos)}", _hint(self.text, pos), pos)

    def word(self, pos: int) -> str:
        """What stands at `pos`, for a message."""
        found = _WORD.match(self.text, pos)
        return show(found[0], 20) if found else "the end"

    def error(self, message: str, hint: str | None, pos: int, *, kind: str = "json") -> InputError:
        found = _WORD.match(self.text, pos)
        end = found.end() if found and kind == "json" else pos + 1
        return InputError(*self.faults, self.file.fault(kind, message, hint, pos, end))


def _hint(text: str, pos: int, *, key: bool = False) -> str:
    """What to do about the text at `pos` that JSON does not know."""
    if text.startswith(("//", "/*", "#"), pos):
        return "JSON has no comments; a YAML file may have them"
    if text.startswith("'", pos):
        return "JSON has double quotes only"
    if key:
        return "a file that begins with { is read as JSON, where keys are in double quotes"
    return "a value is a number, a string in double quotes, a list or an object"
