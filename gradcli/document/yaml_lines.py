"""What stands on a line of a YAML file, read with the author's eyes: `key: text`, whatever YAML makes of the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from gradcli.document.tree import File
from gradcli.errors import Fault

__all__ = ["LineValue", "cut", "line_end", "line_start", "quoted", "trap", "value_at", "value_from"]

_KEY = r"(?P<key>[^\s{},:'\"#\[\]&*!|>%@`-][^:{},#]*?|'[^']*'|\"[^\"]*\")\s*:"
_WHOLE_LINE = re.compile(rf"\s*(?:-\s+)*(?:{_KEY}|(?<=-\s))\s*(?P<value>(?<=\s)\S.*)")
_INSIDE_FLOW = re.compile(r"(?:(?<=[{,\s])|^)(?P<key>[^\s{},:'\"#]+)\s*:\s+(?=(?P<value>[^,}\]\s#][^,}\]#]*|\S))")
_COMMENT = re.compile(r"\s+#.*$|\s+$")
_SHOWN = 60

_MEANS = {
    "*": "an alias",
    "&": "an anchor",
    "!": "a tag",
    "%": "a directive",
    "@": "a reserved character",
    "`": "a reserved character",
    ">": "a folded block",
    "|": "a literal block",
    "-": "an entry of a list",
    "?": "a key",
    "[": "a list",
    "{": "a mapping",
    "'": "a quoted text",
    '"': "a quoted text",
    ",": "the next entry of a list",
    "]": "the end of a list",
    "}": "the end of a mapping",
}


class LineValue(NamedTuple):
    """A value on one line: `key` (empty for an entry of a list), `text` to the end of the line, its offset `start`."""

    key: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after the text."""
        return self.start + len(self.text)

    @property
    def quoting(self) -> str:
        """How to write the value as a text."""
        return f"write the text in quotes: {f'{self.key}:' if self.key else '-'} {quoted(self.text)}"


def cut(text: str) -> str:
    """Text for a message, cut where it is long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def quoted(text: str) -> str:
    """`text` as YAML text in quotes, cut where it is long."""
    text = cut(text)
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def line_start(file: File, offset: int) -> int:
    """The offset of the first character of the line."""
    return file.text.rfind("\n", 0, offset) + 1


def line_end(file: File, offset: int) -> int:
    """The offset of the end of the line."""
    end = file.text.find("\n", offset)
    return len(file.text) if end < 0 else end


def value_at(file: File, offset: int) -> LineValue | None:
    """The value on the line of `offset`; inside a flow mapping the one that begins there."""
    begin = line_start(file, offset)
    line = file.text[begin : line_end(file, offset)]
    for inner in _INSIDE_FLOW.finditer(line, 0, offset - begin + 200):
        if begin + inner.start("value") == offset and line[: inner.start("key")].strip(" -"):
            return LineValue(inner["key"], inner["value"].strip(), offset)
    found = _WHOLE_LINE.match(line)
    return (
        LineValue(found["key"] or "", _COMMENT.sub("", found["value"]), begin + found.start("value")) if found else None
    )


def value_from(file: File, start: int) -> LineValue | None:
    """The value that begins at `start`."""
    value = value_at(file, start)
    return value if value and value.start == start else None


def trap(file: File, offset: int) -> Fault | None:
    """The fault of the value on the line of `offset`, where it begins with a character that YAML takes for itself."""
    value = value_at(file, offset)
    if value is None or value.text[:1] not in _MEANS:
        return None
    first = value.text[0]
    what = f"the value of {value.key!r}" if value.key else "the entry"
    message = f"{what} begins with {first}, which YAML reads as {_MEANS[first]}"
    return file.fault("yaml", message, value.quoting, value.start, value.end)
