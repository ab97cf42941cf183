"""The parts of YAML that an expression file does without: tags, keys that are no names, aliases that go nowhere.

Where they stand, an expression was most often meant.
"""

from __future__ import annotations

import re
from typing import Any

from gradcli.document.tree import File, Node, show
from gradcli.document.yaml_lines import value_from
from gradcli.errors import Fault

__all__ = ["Event", "anchor_length", "bad_alias", "complex_key", "tag", "unused_anchor"]

Event = Any
"""PyYAML's stubs know neither that marks are never None here nor which events have anchors."""

_TAG = re.compile(r"(?:&\S+\s+)?(!\S*)")
_ANCHOR = re.compile(r"&\S+\s+")
_PLACEHOLDER = re.compile(r"\{\{.*\}\}")


def tag(file: File, event: Event) -> Fault:
    """`!x`: nothing is ever constructed from a tag."""
    start = event.start_mark.index
    found = _TAG.match(file.text, start)
    shown = found[1] if found else str(event.tag)
    value = value_from(file, start)
    hint = value.quoting if value and not shown.startswith("!!") else "leave the tag out"
    return file.fault(
        "yaml", f"{show(shown)} is a YAML tag, and tags are not supported", hint, start, start + len(shown)
    )


def bad_alias(file: File, event: Event, *, known: bool) -> Fault:
    """`*x` where there is no `&x`, or inside of it."""
    name, start, end = event.anchor, event.start_mark.index, event.end_mark.index
    if known:
        message = f"*{name} stands inside of &{name}: the value would contain itself"
        return file.fault("value", message, "write the value out", start, end)
    value = value_from(file, start)
    hint = value.quoting if value else f"define &{name} above, or write the text in quotes"
    return file.fault("yaml", f"*{name} is a YAML alias, and there is no &{name} above it", hint, start, end)


def anchor_length(file: File, event: Event) -> int:
    """How many characters `&name ` takes before the scalar."""
    found = _ANCHOR.match(file.text, event.start_mark.index)
    return len(found[0]) if found else 0


def unused_anchor(file: File, event: Event) -> Fault:
    """`&x` before a text, where nobody says `*x`: an expression that begins with &."""
    start = event.start_mark.index
    value = value_from(file, start)
    message = f"&{event.anchor} is a YAML anchor that nothing refers to"
    return file.fault(
        "yaml", message, value.quoting if value else "write the text in quotes", start, start + 1 + len(event.anchor)
    )


def complex_key(file: File, key: Node, span: tuple[int, int]) -> Fault:
    """A list or mapping as a key; most often `{{placeholder}}`."""
    text = file.text[slice(*span)]
    value = value_from(file, span[0])
    where = f" in the value of {value.key!r}" if value and value.key else ""
    if _PLACEHOLDER.fullmatch(text):
        message = f"{show(text)}{where} is a placeholder that was not filled in"
        return file.fault("yaml", message, "fill in the template first, or write a value", *span)
    hint = value.quoting if value and "\n" not in text else "a key is a name"
    return file.fault("yaml", f"{key.describe()} cannot be a key{where}", hint, key.start, key.end)
