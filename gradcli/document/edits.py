"""New values in the text of a file, and every other character of it as it was.

A writer of YAML lays out anew what it has read: ruamel.yaml, which comes nearest to keeping a text, loses the comments
inside of lists in brackets and moves others. The places of all values are known, so only the characters of what changes
are replaced; a comment is never deleted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from json import dumps
from typing import TypeAlias, Union

import numpy as np

from gradcli.document.scalars import resolve
from gradcli.document.spots import COLON, Alias, Entries, Entry, Items, Leaf, Spot, Spots, comments
from gradcli.document.values import FloatArray
from gradcli.language.names import fold

__all__ = ["Content", "Edit", "Edits", "applied", "number_text"]

Edit: TypeAlias = tuple[int, int, str]
"""Where the text begins and ends that goes, and what comes in its place."""

Content: TypeAlias = Mapping[str, Union["Content", FloatArray, None]]
"""Keys with values, by kind and by name."""

_WIDTH = 120
_WORDS = ("nan", "inf", "-inf")
_COMMA = re.compile(r"\s*,")
_SPACE = re.compile(r"(?:[ \t]+#[^\n]*)?")


def number_text(value: float, *, json: bool = False) -> str:
    """The shortest text that reads back as the same double, in a form that YAML 1.1 reads as a number, too.

    >>> number_text(6.0), number_text(1e-09), number_text(float("inf")), number_text(float("-inf"), json=True)
    ('6', '1.0e-9', '.inf', '"-inf"')
    """
    if not np.isfinite(value):
        word = repr(float(value))
        return f'"{word}"' if json else f"-.{word[1:]}" if word.startswith("-") else f".{word}"
    if value == 0:  # JSON's -0 is an integer without a sign
        return "-0.0" if np.signbit(value) else "0"
    mantissa, e, exponent = repr(float(value)).partition("e")
    if e:
        return f"{mantissa if '.' in mantissa else f'{mantissa}.0'}e{exponent[0]}{exponent[1:].lstrip('0')}"
    return mantissa.removesuffix(".0")


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits made."""
    parts, at = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


@dataclass
class Edits:
    """The replacements in a text whose spots are known."""

    text: str
    spots: Spots
    json: bool
    made: list[Edit] = field(default_factory=list)

    def touches(self, spot: Spot) -> bool:
        """Whether something in a spot is replaced."""
        return any(start < spot.end and end > spot.start for start, end, _ in self.made)

    # -- numbers ---------------------------------------------------------------------------------------------------

    def number(self, leaf: Leaf, value: float) -> None:
        """Another number in the place of a scalar, in quotes where it has been in quotes."""
        old, new = self.text[leaf.start : leaf.end], number_text(value, json=self.json)
        if old[:1] in ("'", '"') and not (self.json and leaf.text in _WORDS):
            word = repr(float(value)) if not np.isfinite(value) else new
            new = f"{old[0]}{word}{old[0]}"
        self.made.append((leaf.start, leaf.end, new))

    def numbers(self, spot: Items, old: FloatArray, new: FloatArray) -> None:
        """Other numbers for the entries of a list of the same shape; those that are equal stay as they are written."""
        for item, was, part in zip(spot.items, old, new, strict=True):
            if np.array_equal(was, part, equal_nan=True):
                continue
            if isinstance(item, Items):
                self.numbers(item, was, part)
            elif isinstance(item, Leaf):
                self.number(item, float(part))
            else:
                self.made.append((item.start, item.end, self.array_text(part, self.column(item.start))))

    def array_text(self, array: FloatArray, column: int = 0) -> str:
        """An array in brackets, in several lines where it is too long for one; `column` is where it will stand."""
        if not array.ndim:
            return number_text(float(array), json=self.json)
        if not array.size:
            shape = ", ".join(map(str, array.shape))
            return f"{{{self.key('shape')}: [{shape}], {self.key('fill')}: 0}}"
        inner = column + 1
        between = ",\n" + " " * inner
        parts = [self.array_text(part, inner) for part in array]
        if column + sum(map(len, parts)) + 2 * len(parts) <= _WIDTH and not any("\n" in part for part in parts):
            return f"[{', '.join(parts)}]"
        if array.ndim > 1:
            return f"[{between.join(parts)}]"
        lines = [parts[0]]
        for part in parts[1:]:
            if inner + len(lines[-1]) + len(part) + 3 > _WIDTH:
                lines.append(part)
            else:
                lines[-1] += f", {part}"
        return f"[{between.join(lines)}]"

    # -- values of another form ------------------------------------------------------------------------------------

    def replace(self, entry: Entry, new: str) -> None:
        """Another value for a key; the comments inside of the old one stand after it."""
        spot = entry.value
        if isinstance(spot, Items | Entries) and not spot.flow:
            colon = COLON.match(self.text, entry.key.end)
            at = colon.end() if colon else entry.key.end
            if spot.anchor:
                at = spot.begin + len(f"&{spot.anchor}")
            self.made.append((at, at, f" {new}"))
            self.drop_lines(spot, spot.start, spot.end)
        elif spot.start == spot.end:
            glue = " " if self.text[spot.start - 1 : spot.start] == ":" else ": "
            self.made.append((spot.start, spot.end, glue + new))
        else:
            self.made.append((spot.start, spot.end, new + self.kept(spot, spot.start, spot.end)))

    def kept(self, inside: Spot, start: int, end: int) -> str:
        """The comments from `start` to `end`, as text that can stand in a line before what follows there."""
        found = comments(self.text, inside, start, end)
        if not found:
            return ""
        indent = "\n" + " " * (start - self.line(start) or 1)
        rest = self.text[end : self.line_end(end)]
        last = indent if rest.strip() else ""
        return "  " + indent.join(comment for _, comment in found) + last

    def drop_lines(self, inside: Spot, start: int, end: int) -> None:
        """Deletes the lines from `start` to `end`, but for the comments in them."""
        first, last = self.line(start), self.line_end(end)
        found = comments(self.text, inside, start, end)
        found += comments(self.text, Leaf(end, end, end), end, last)
        before = self.text[first:start]
        indent = before[: len(before) - len(before.lstrip())]
        left = [indent + comment for _, comment in found]
        if left:
            self.made.append((first, last, "\n".join(left)))
        elif last < len(self.text):
            self.made.append((first, last + 1, ""))
        else:
            self.made.append((max(first - 1, 0), last, ""))

    def column(self, at: int) -> int:
        """How far a place is from the beginning of its line."""
        return at - self.line(at)

    def line(self, at: int) -> int:
        """Where the line begins that `at` is in."""
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Where it ends."""
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found

    # -- names that go ---------------------------------------------------------------------------------------------

    def remove(self, holder: Entry, gone: Iterable[str]) -> None:
        """Names out of `unconnected`, whichever form it has."""
        spot = holder.value
        gone = set(map(fold, gone))
        if isinstance(spot, Items):
            texts = [item.target if isinstance(item, Alias) else item for item in spot.items]
            self._remove(holder, [isinstance(leaf, Leaf) and fold(leaf.text.strip()) in gone for leaf in texts])
        elif isinstance(spot, Entries):
            self._remove(holder, [self._gone(entry, gone, "") for entry in spot.entries])
        else:
            self.replace(holder, "[]")

    def _gone(self, entry: Entry, gone: set[str], prefix: str) -> bool:
        """Whether all of an entry goes; a structure of which a part stays is taken care of here."""
        name = prefix + fold(entry.key.text)
        if not isinstance(entry.value, Entries):
            return name in gone
        inner = [self._gone(each, gone, f"{name}.") for each in entry.value.entries]
        if inner and not all(inner):
            self._remove(entry, inner)
        return bool(inner) and all(inner)

    def _remove(self, holder: Entry, goes: Sequence[bool]) -> None:
        spot = holder.value
        if not any(goes):
            return
        if all(goes):
            self.replace(holder, "[]" if isinstance(spot, Items) else "{}")
            return
        spans = _spans(spot)
        for run in (list(ks) for yes, ks in groupby(range(len(goes)), goes.__getitem__) if yes):
            if not spot.flow:
                for k in run:
                    self.drop_lines(spot, *spans[k])
                continue
            begin, end = (spans[run[0] - 1][1], spans[run[-1]][1]) if run[0] else (spans[0][0], spans[run[-1] + 1][0])
            self.made.append((begin, end, self.kept(spot, begin, end)))

    # -- entries that come -----------------------------------------------------------------------------------------

    def add(self, content: Content) -> None:
        """Keys of `expect` that have not been there, after those that are; the section is made where there is none."""
        root = self.spots.root
        holder = root.get("expect")
        inside = holder.value if holder else None
        if holder is None and root.flow:
            self._append(root, {"expect": content})
        elif holder is None:
            self._put_lines(self.spots.end, {"expect": content}, self.column(root.start))
        elif isinstance(inside, Entries) and inside.entries:
            if inside.flow:
                self._append(inside, content)
            else:
                end = self.line_end(inside.end)
                self.made.append((end, end, self._lines(content, self.column(inside.start))))
        elif root.flow or "\n" in self.text[holder.key.end : holder.value.end]:
            self.replace(holder, self._flow(content))
        else:
            self._fill_in(holder, content)

    def _fill_in(self, holder: Entry, content: Content) -> None:
        """Lines below a key without a value; a comment beside it stays there."""
        colon, end = COLON.match(self.text, holder.key.end), self.line_end(holder.value.end)
        if colon:
            self.made.append((colon.end(), max(holder.value.end, colon.end()), ""))
        self.made.append((end, end, self._lines(content, self.column(holder.key.start) + 2)))

    def _put_lines(self, at: int, content: Content, column: int) -> None:
        """Lines at the beginning of a line, or after the last one; one without an end has none afterwards either."""
        lines = self._lines(content, column)
        whole = self.text[:at].endswith("\n")
        self.made.append((at, at, f"{lines[1:]}\n" if whole else lines))

    def _append(self, spot: Entries, content: Content) -> None:
        """Entries after the last one of a mapping in braces, on lines of their own where that has one."""
        last = spot.entries[-1]
        before = self.text[self.line(last.key.start) : last.key.start]
        indent = before if before and not before.strip() else None
        end = last.value.end
        comma = _COMMA.match(self.text, end)
        if not comma:
            self.made.append((end, end, ","))
        texts = [f"{self.key(key)}: {self._flow(value, indent)}" for key, value in content.items()]
        at = comma.end() if comma else end
        if indent is None:
            self.made.append((at, at, f" {', '.join(texts)}"))
        else:
            rest = _SPACE.match(self.text, at)  # a comment on the line stays with what it is about
            at = rest.end() if rest else at
            self.made.append((at, at, "".join(f"\n{indent}{text}," for text in texts)[:-1]))

    def _flow(self, value: Content | FloatArray | None, indent: str | None = None) -> str:
        """In braces; with `indent` the outer ones have a line for each entry."""
        if not isinstance(value, Mapping):
            return "null" if value is None else self.array_text(value)
        lines = indent is not None and any(isinstance(each, Mapping) for each in value.values())
        parts = [f"{self.key(key)}: {self._flow(each)}" for key, each in value.items()]
        if lines and indent:
            inner = f"\n{indent * 2}"
            return f"{{{inner}{f',{inner}'.join(parts)}\n{indent}}}"
        return f"{{{', '.join(parts)}}}"

    def _lines(self, value: Content, column: int) -> str:
        """One line for each key; each begins with a line end."""
        parts = []
        for key, each in value.items():
            head = f"\n{' ' * column}{self.key(key)}:"
            if isinstance(each, Mapping):
                parts.append(head + self._lines(each, column + 2))
            else:
                parts.append(f"{head} {'null' if each is None else self.array_text(each, len(head))}")
        return "".join(parts)

    def key(self, name: str) -> str:
        """A name as a key; in quotes where YAML would read something else."""
        return dumps(name, ensure_ascii=False) if self.json or not isinstance(resolve(name), str) else name


def _spans(spot: Spot) -> list[tuple[int, int]]:
    """Where each entry of a list or mapping begins and ends; an entry of a block list with its dash."""
    if isinstance(spot, Entries):
        return [(entry.key.begin, entry.value.end) for entry in spot.entries]
    return [(item.begin, item.end) for item in spot.items] if isinstance(spot, Items) else []
