"""YAML -> tree, in one pass over the parser's events and without recursion.

PyYAML's C parser finds the structure; what a scalar means, which keys may stand together and how far aliases may
expand is decided here. Nothing is ever constructed from a tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from gradcli.document import yaml_marks
from gradcli.document.scalars import resolve, row_of_numbers
from gradcli.document.tree import MAX_DEPTH, Broken, File, Mapping, Node, Scalar, Sequence, duplicate
from gradcli.document.yaml_marks import Event
from gradcli.errors import Fault, InputError

__all__ = ["MAX_ALIASED", "read_yaml"]

MAX_ALIASED = 1_000_000
"""How many nodes all aliases together may stand for."""

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STRANGE = r"[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
_STRANGE_ASCII = r"[^\t\n\x20-\x7e]"  # the other takes milliseconds to compile
_STYLES = {"'": "single", '"': "double", "|": "block", ">": "block"}


def read_yaml(file: File) -> tuple[Node | None, list[Fault]]:
    """The tree of a YAML text (None where there is no document), and the faults that did not keep it from being read.

    Raises:
        InputError: the text is not YAML, or breaks a bound.
    """
    if fault := _strange_character(file):
        raise InputError(fault)
    composer = _Composer(file)
    try:
        return composer.run(), composer.faults
    except yaml.YAMLError as error:
        from gradcli.document.yaml_problems import explain

        last = explain(file, error)
        said = any(_begin(fault) == _begin(last) for fault in composer.faults)
        raise InputError(*composer.faults, *([] if said else [last])) from None


def _begin(fault: Fault) -> tuple[int | None, int | None]:
    """Where a fault begins: what an alias or tag was refused for, the parser mostly stumbles over, too."""
    return (fault.place.line, fault.place.column) if fault.place else (None, None)


def _strange_character(file: File) -> Fault | None:
    """The first character that no YAML text may hold, or that some programs take for the end of a line."""
    found = re.search(_STRANGE_ASCII if file.text.isascii() else _STRANGE, file.text)
    if not found:
        return None
    message = f"the character U+{ord(found[0]):04X} cannot be used in a file"
    return file.fault("yaml", message, "remove it; text in double quotes may hold it as \\u....", *found.span())


@dataclass(slots=True)
class _Open:
    """A list or mapping that has begun: what stands in it so far. `size` counts nodes, `height` levels below."""

    start: Event = None
    items: list[Node | ScalarEvent] = field(default_factory=list)
    size: int = 0
    height: int = 0


@dataclass(slots=True)
class _Anchor:
    """What an anchor names; `node` is None as long as it is still open."""

    event: Event
    node: Node | None = None
    size: int = 1
    height: int = 0
    used: bool = False


class _Composer:
    def __init__(self, file: File) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.stack = [_Open()]
        self.anchors: dict[str, _Anchor] = {}
        self.aliased = 0
        self.documents = 0

    def run(self) -> Node | None:
        """All events, one after another; plain scalars wait as events until their list or mapping is complete."""
        get_event = _Loader(self.file.text).get_event
        while type(event := get_event()) is not StreamEndEvent:
            if type(event) is ScalarEvent and event.anchor is None and event.tag is None:
                self.stack[-1].items.append(event)
            else:
                self.take(event)
        for anchor in self.anchors.values():
            self.check_use(anchor)
        root = self.stack[0].items
        return self.node(root[0]) if root else None

    def take(self, event: Event) -> None:
        """Any event but the most frequent one."""
        match event:
            case ScalarEvent():
                self.add(self.marked_scalar(event), event)
            case SequenceStartEvent() | MappingStartEvent():
                self.open(event)
            case SequenceEndEvent() | MappingEndEvent():
                self.close(event)
            case AliasEvent():
                self.alias(event)
            case DocumentStartEvent():
                self.document(event)

    def document(self, event: Event) -> None:
        self.documents += 1
        if self.documents > 1:
            message = "a second YAML document begins here, and a file holds one"
            raise self.error("yaml", message, "put each document into a file of its own, or remove the ---", event)

    def open(self, event: Event) -> None:
        if len(self.stack) > MAX_DEPTH:
            raise self.error(
                "limit", f"lists and mappings nest deeper than {MAX_DEPTH} levels", "flatten the file", event
            )
        if event.anchor:
            self.anchors[event.anchor] = _Anchor(event)
        if event.tag:
            self.faults.append(yaml_marks.tag(self.file, event))
        self.stack.append(_Open(event))

    def close(self, event: Event) -> None:
        done = self.stack.pop()
        begun = done.start
        span = (begun.start_mark.index, event.end_mark.index)
        node = self.mapping(done, span) if type(begun) is MappingStartEvent else self.sequence(done, span)
        node = Broken(self.file, *span) if begun.tag else node
        self.add(node, begun, done.size + len(done.items) + 1, done.height + 1)

    def add(self, node: Node, event: Event, size: int = 1, height: int = 0) -> None:
        """Put a node into the list or mapping that is open, and under its anchor."""
        parent = self.stack[-1]
        parent.items.append(node)
        parent.size += size
        parent.height = max(parent.height, height)
        anchor = getattr(event, "anchor", None)
        if anchor and not isinstance(event, AliasEvent):
            self.anchors[anchor] = _Anchor(event, node, size, height)

    def alias(self, event: Event) -> None:
        anchor = self.anchors.get(event.anchor)
        if anchor is None or anchor.node is None:
            self.faults.append(yaml_marks.bad_alias(self.file, event, known=anchor is not None))
            self.add(Broken(self.file, event.start_mark.index, event.end_mark.index), event)
            return
        anchor.used = True
        self.aliased += anchor.size
        if self.aliased > MAX_ALIASED:
            message = f"the aliases of this file stand for more than {MAX_ALIASED:,} values"
            raise self.error("limit", message, "write the values out, or put them into a .npy file", event)
        if len(self.stack) + anchor.height > MAX_DEPTH:
            raise self.error("limit", f"aliases nest deeper than {MAX_DEPTH} levels", "write the values out", event)
        self.add(anchor.node, event, anchor.size, anchor.height)

    def check_use(self, anchor: _Anchor) -> None:
        """An anchor on a text that nothing refers to is an expression that begins with `&`."""
        text = isinstance(anchor.node, Scalar) and anchor.node.style == "plain" and isinstance(anchor.node.value, str)
        if text and not anchor.used:
            self.faults.append(yaml_marks.unused_anchor(self.file, anchor.event))

    def node(self, item: Node | ScalarEvent) -> Node:
        return self.scalar(item) if isinstance(item, ScalarEvent) else item

    def scalar(self, event: Event) -> Scalar:
        style = _STYLES.get(event.style or "", "plain")
        text: str = event.value
        value = resolve(text) if style == "plain" else text
        return Scalar(self.file, event.start_mark.index, event.end_mark.index, "", text, value, style)

    def marked_scalar(self, event: Event) -> Node:
        """A scalar with a tag or an anchor: refused, or without them."""
        node = self.scalar(event)
        if event.tag:
            self.faults.append(yaml_marks.tag(self.file, event))
        elif event.value or event.style:
            node.start += yaml_marks.anchor_length(self.file, event)
            return node
        else:
            self.faults.append(yaml_marks.unused_anchor(self.file, event))
        return Broken(self.file, node.start, node.end)

    def sequence(self, done: _Open, span: tuple[int, int]) -> Sequence:
        items = done.items
        if items and all(type(item) is ScalarEvent and item.implicit[0] for item in items):
            numbers = row_of_numbers([item.value for item in items if type(item) is ScalarEvent])
            if numbers is not None:
                return Sequence(self.file, *span, numbers=numbers)
        return Sequence(self.file, *span, items=[self.node(item) for item in items])

    def mapping(self, done: _Open, span: tuple[int, int]) -> Node:
        """A mapping with its keys checked; a mapping of one bad key is a bad value, like `{{x0}}`."""
        entries: list[tuple[Scalar, Node]] = []
        lines: dict[str, int | None] = {}
        for item, value in zip(done.items[::2], done.items[1::2], strict=True):
            key = self.node(item)
            if fault := self.key_fault(key, lines, span):
                self.faults.append(fault)
            elif isinstance(key, Scalar):
                lines[key.text] = key.line
                entries.append((key, self.node(value)))
        if done.items and not entries:
            return Broken(self.file, *span)
        return Mapping(self.file, *span, entries=entries)

    def key_fault(self, key: Node, lines: dict[str, int | None], span: tuple[int, int]) -> Fault | None:
        if not isinstance(key, Scalar):
            return None if isinstance(key, Broken) else yaml_marks.complex_key(self.file, key, span)
        if key.text == "<<" and key.style == "plain":
            return key.fault("yaml", "the merge key << is not supported", "write the keys out")
        if key.text in lines:
            return duplicate(key, lines[key.text])
        return None

    def error(self, kind: str, message: str, hint: str, event: Event) -> InputError:
        fault = self.file.fault(kind, message, hint, event.start_mark.index, event.end_mark.index)
        return InputError(*self.faults, fault)
