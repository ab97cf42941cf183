"""Where every value of a file stands in its text, numbers in lists and aliases included: what an edit needs to know.

The tree that is read for its meaning has neither: rows of numbers are one node, and an alias is what it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from gradcli.document.json_reader import read_json
from gradcli.document.tree import File, Mapping, Node, Scalar, Sequence
from gradcli.document.yaml_marks import Event
from gradcli.language.names import fold

__all__ = [
    "COLON",
    "Alias",
    "Entries",
    "Entry",
    "Items",
    "Leaf",
    "Spot",
    "Spots",
    "comments",
    "is_json",
    "read_spots",
    "walk",
]

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ANCHOR = re.compile(r"&[^\s,\[\]{}]+")
COLON = re.compile(r"\s*:")
"""What stands between a key and its value."""

_SPACE = re.compile(r"(?:\s+|#[^\n]*)*")
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*")
_ITEM = re.compile(r"[^\s,\[\]]+")


@dataclass(slots=True, eq=False)
class Spot:
    """A value from `start` to `end`, without blanks and comments around it; `begin` is where its anchor begins."""

    start: int
    end: int
    begin: int
    anchor: str | None = None
    flow: bool = True


@dataclass(slots=True, eq=False)
class Leaf(Spot):
    """One scalar: `text` is what it says, without quotes."""

    text: str = ""


@dataclass(slots=True, eq=False)
class Alias(Spot):
    """`*name`, and what it stands for."""

    target: Spot = field(default_factory=lambda: Leaf(0, 0, 0))


@dataclass(slots=True, eq=False)
class Items(Spot):
    """A list."""

    items: list[Spot] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Entry:
    """A key with its value."""

    key: Leaf
    value: Spot


@dataclass(slots=True, eq=False)
class Entries(Spot):
    """A mapping."""

    entries: list[Entry] = field(default_factory=list)

    def get(self, key: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.key.text == key), None)

    def named(self, name: str) -> tuple[Entries, Entry] | None:
        """The entry of a dotted name, however it is nested, and the mapping that it is in."""
        for entry in self.entries:
            given = fold(entry.key.text)
            if given == fold(name):
                return self, entry
            inner = entry.value if fold(name).startswith(f"{given}.") else None
            if isinstance(inner, Entries) and (found := inner.named(fold(name)[len(given) + 1 :])):
                return found
        return None


@dataclass(frozen=True, slots=True)
class Spots:
    """A file: its outermost mapping, and where its last line ends, before any `...`."""

    root: Entries
    end: int


def is_json(text: str) -> bool:
    """Whether a text is read as JSON, as in `load.parse`."""
    return text.lstrip(" \t\n").startswith("{")


def read_spots(text: str) -> Spots:
    """The spots of a text that has been read without a fault, and holds a mapping."""
    if is_json(text):
        root, end = _of_node(read_json(File(None, text))[0]), len(text)
    else:
        root, end = _Composer(text).run()
    if not isinstance(root, Entries):
        raise TypeError("the text holds no mapping")
    return Spots(root, end)


def walk(spot: Spot) -> Iterator[Spot]:
    """A spot and all in it, keys too, in their order; what an alias stands for is not in it."""
    yield spot
    if isinstance(spot, Items):
        for item in spot.items:
            yield from walk(item)
    elif isinstance(spot, Entries):
        for entry in spot.entries:
            yield entry.key
            yield from walk(entry.value)


def comments(text: str, spot: Spot, start: int, end: int) -> list[tuple[int, str]]:
    """The comments from `start` to `end`, each with its offset; `spot` holds all values in there."""
    leaves = [leaf for leaf in walk(spot) if isinstance(leaf, Leaf | Alias) and start <= leaf.start < end]
    found = []
    for leaf in [*leaves, None]:
        stop = leaf.start if leaf else end
        gap = text[start:stop]
        found += [(start + m.start(), m[0].rstrip()) for m in _COMMENT.finditer(gap)]
        start = leaf.end if leaf else end
    return found


# -- JSON ------------------------------------------------------------------------------------------------------------


def _of_node(node: Node) -> Spot:
    start, end = node.start, node.end
    if isinstance(node, Mapping):
        entries = [Entry(Leaf(k.start, k.end, k.start, text=k.text), _of_node(v)) for k, v in node.entries]
        return Entries(start, end, start, entries=entries)
    if isinstance(node, Sequence):
        items = [_of_node(item) for item in node.items] if node.numbers is None else _row(node)
        return Items(start, end, start, items=items)
    return Leaf(start, end, start, text=node.text if isinstance(node, Scalar) else "")


def _row(node: Node) -> list[Spot]:
    found = _ITEM.finditer(node.file.text, node.start, node.end)
    return [Leaf(m.start(), m.end(), m.start(), text=m[0]) for m in found]


# -- YAML ------------------------------------------------------------------------------------------------------------


class _Composer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.anchors: dict[str, Spot] = {}

    def run(self) -> tuple[Spot, int]:
        """The outermost value, from the parser's events, and the end of the document."""
        stack: list[tuple[Event, list[Spot]]] = [(None, [])]
        end = len(self.text)
        for event in self.events():
            if isinstance(event, SequenceStartEvent | MappingStartEvent):
                stack.append((event, []))
            elif isinstance(event, SequenceEndEvent | MappingEndEvent):
                begun, inside = stack.pop()
                stack[-1][1].append(self.collection(begun, inside, event))
            elif isinstance(event, ScalarEvent):
                stack[-1][1].append(self.scalar(event))
            elif isinstance(event, AliasEvent):
                stack[-1][1].append(self.alias(event))
            elif isinstance(event, DocumentEndEvent) and event.explicit:
                end = self.begin(event)
        return stack[0][1][0], end

    def events(self) -> Iterator[Event]:
        return yaml.parse(self.text, Loader=_Loader)

    def collection(self, begun: Event, inside: list[Spot], ended: Event) -> Spot:
        begin = self.begin(begun)
        start = self.after_anchor(begin, begun.anchor)
        flow = bool(begun.flow_style)
        end = ended.end_mark.index if flow else inside[-1].end  # that of a block is where the next token begins
        spot: Spot
        if isinstance(begun, SequenceStartEvent):
            spot = Items(start, end, begin, begun.anchor, flow, items=inside)
        else:
            pairs = [self.entry(_key(key), value) for key, value in zip(inside[::2], inside[1::2], strict=True)]
            spot = Entries(start, end, begin, begun.anchor, flow, entries=pairs)
        return self.known(spot)

    def entry(self, key: Leaf, value: Spot) -> Entry:
        """An entry; a value that is not written is right after its colon, or its key."""
        if value.start == value.end:
            colon = COLON.match(self.text, key.end, value.start + 1)
            value.begin = value.start = value.end = colon.end() if colon else key.end
        return Entry(key, value)

    def scalar(self, event: Event) -> Spot:
        begin, end = self.begin(event), event.end_mark.index
        start = self.after_anchor(begin, event.anchor)
        if event.style in ("|", ">"):  # ends where the next token begins
            end = start + len(self.text[start:end].rstrip())
        return self.known(Leaf(start, end, begin, event.anchor, text=event.value))

    def alias(self, event: Event) -> Spot:
        begin = self.begin(event)
        return Alias(begin, event.end_mark.index, begin, target=self.anchors[event.anchor])

    @staticmethod
    def begin(event: Event) -> int:
        return int(event.start_mark.index)

    def after_anchor(self, begin: int, anchor: str | None) -> int:
        found = _ANCHOR.match(self.text, begin) if anchor else None
        space = _SPACE.match(self.text, found.end()) if found else None
        return space.end() if space else begin

    def known(self, spot: Spot) -> Spot:
        if spot.anchor:
            self.anchors[spot.anchor] = spot
        return spot


def _key(spot: Spot) -> Leaf:
    if isinstance(spot, Leaf):
        return spot
    target = spot.target if isinstance(spot, Alias) else None
    return Leaf(spot.start, spot.end, spot.begin, text=target.text if isinstance(target, Leaf) else "")
