"""What a file holds before anyone asks what it means: a tree of nodes that know where they stand.

The YAML, the JSON and the Python reader all make this tree, so that everything after them is written once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from gradcli.errors import Fault, Place

__all__ = ["MAX_DEPTH", "Array", "Broken", "File", "Mapping", "Node", "Scalar", "Sequence", "duplicate", "show"]

MAX_DEPTH = 100
"""How deep lists and mappings may nest, in a file or a Python value."""

_SHOWN = 40


def show(text: str, limit: int = _SHOWN) -> str:
    """The user's text in quotes for a message, cut where it is long."""
    return repr(text if len(text) <= limit else f"{text[: limit - 3]}...")


class File:
    """The text of one file (lines end with `\\n`), and where its lines start. `name` is None where there is no file."""

    def __init__(self, name: str | None, text: str = "") -> None:
        self.name = name
        self.text = text
        self.line = lru_cache(maxsize=8)(self._line)

    @cached_property
    def starts(self) -> list[int]:
        """The offset of the first character of each line."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def _line(self, number: int) -> str:
        """The text of the line of this number (from 0), without its end."""
        begin = self.starts[number]
        end = self.text.find("\n", begin)
        return self.text[begin:] if end < 0 else self.text[begin:end]

    def place(self, start: int, end: int) -> Place:
        """The place of the characters from `start` to `end`; of those on the first line where there are several."""
        number = bisect_right(self.starts, start) - 1
        line = self.line(number)
        column = start - self.starts[number]
        length = max(1, min(end - start, len(line) - column))
        return Place(self.name, number + 1, column + 1, length, line)

    def fault(self, kind: str, message: str, hint: str | None, start: int, end: int) -> Fault:
        """A fault at the characters from `start` to `end`."""
        return Fault(kind, message, hint, self.place(start, end))


@dataclass(slots=True, eq=False)
class Node:
    """A piece of the file from `start` to `end`; `path` (`targets.loss`) stands in where there is no text."""

    file: File
    start: int = -1
    end: int = -1
    path: str = ""

    @property
    def place(self) -> Place:
        """Where the node stands; only its path where it does not come from a text."""
        if self.start < 0:
            return Place(self.file.name, path=self.path or None)
        return self.file.place(self.start, self.end)

    @property
    def line(self) -> int | None:
        """The number of the node's first line."""
        return self.place.line

    def fault(self, kind: str, message: str, hint: str | None = None) -> Fault:
        """A fault at this node."""
        return Fault(kind, message, hint, self.place)

    def describe(self) -> str:
        """What the node is, for a message."""
        return "nothing"


@dataclass(slots=True, eq=False)
class Scalar(Node):
    """One value: `text` as it is written (without quotes), `value` as it is read, `style` plain, quoted or block."""

    text: str = ""
    value: float | bool | str | None = None
    style: str = "plain"

    def describe(self) -> str:
        if self.value is None:
            return "nothing"
        if isinstance(self.value, str):
            return f"the text {show(self.value)}"
        return f"{'' if isinstance(self.value, bool) else 'the number '}{self.text}"


@dataclass(slots=True, eq=False)
class Sequence(Node):
    """A list. Where all its entries are plain numbers they are in `numbers`, and `items` is empty."""

    items: list[Node] = field(default_factory=list)
    numbers: list[float] | None = None

    def describe(self) -> str:
        return "a list"

    def __len__(self) -> int:
        return len(self.items if self.numbers is None else self.numbers)


@dataclass(slots=True, eq=False)
class Mapping(Node):
    """A mapping in the order of the file; the readers have refused duplicate keys."""

    entries: list[tuple[Scalar, Node]] = field(default_factory=list)

    def describe(self) -> str:
        return "a mapping"

    def get(self, key: str) -> Node | None:
        """The value of a key."""
        return next((value for name, value in self.entries if name.text == key), None)


@dataclass(slots=True, eq=False)
class Array(Node):
    """A NumPy array, from the Python API."""

    value: np.ndarray[tuple[int, ...], np.dtype[np.generic]] = field(default_factory=lambda: np.zeros(()))

    def describe(self) -> str:
        return "an array"


@dataclass(slots=True, eq=False)
class Broken(Node):
    """A node that a reader has reported as wrong; nobody reports it again."""


def duplicate(key: Scalar, first: int | None) -> Fault:
    """The fault of a key that its mapping has already, at the line `first`."""
    lines = f"twice at line {first}" if first == key.line else f"at line {first} and at line {key.line}"
    return key.fault("duplicate-key", f"duplicate key {show(key.text)}, given {lines}", "keep one of them")
