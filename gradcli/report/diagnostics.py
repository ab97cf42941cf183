"""Faults -> text for a person, with the line of the file and a caret, or one line of JSON for a program."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from gradcli.errors import Fault, Place
from gradcli.report.escape import CONTROL, json_line

__all__ = ["headline", "render_json", "render_text"]

_WINDOW = 100
_BEFORE = 40
_TAB = 4
_RED, _CYAN, _BOLD, _PLAIN = "\x1b[1;31m", "\x1b[36m", "\x1b[1m", "\x1b[0m"


def render_text(faults: Sequence[Fault], color: bool = False) -> str:
    """The faults one after another: where and what, the line with a caret, the help. No line end at the end."""
    return "\n".join(line for fault in faults for line in _lines(fault, color))


def headline(fault: Fault) -> str:
    """`loss.yaml:9:25: unknown name 'wieghts' in target 'loss'`."""
    place = fault.place or Place()
    where = "".join(f"{part}: " for part in (_where(place), None if place.line else place.path) if part)
    return _safe(where) + _safe(fault.message)


def _lines(fault: Fault, color: bool) -> list[str]:
    place = fault.place or Place()
    lines = [f"{_paint('error:', _RED, color)} {_paint(headline(fault), _BOLD, color)}"]
    if place.line and place.column and place.source is not None:
        source, indent, caret = _picture(place)
        lines += [f"  |   {source}".rstrip(), f"  |   {indent}{_paint(caret, _RED, color)}"]
    if fault.help:
        lines.append(f"  {_paint('help:', _CYAN, color)} {_safe(fault.help)}")
    return lines


def _where(place: Place) -> str | None:
    """`loss.yaml:9:25`, as far as it is known."""
    if place.file is None:
        return None
    return ":".join(
        str(part) for part in (place.file, place.line, place.column if place.line else None) if part is not None
    )


def _paint(text: str, code: str, color: bool) -> str:
    return f"{code}{text}{_PLAIN}" if color else text


def _safe(text: str) -> str:
    """Text that cannot move the cursor or break the line."""
    return CONTROL.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    known = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    code = ord(found[0])
    return known.get(found[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def _picture(place: Place) -> tuple[str, str, str]:
    """The line, or the part of it around the place; the blanks and the carets below it."""
    line, start = place.source or "", (place.column or 1) - 1
    shift = len(line) - len(line.lstrip()) if start >= len(line) - len(line.lstrip()) else 0
    end = start + max(place.length, 1)
    first = shift if end - shift <= _WINDOW else max(shift, start - _BEFORE)
    last = len(line) if len(line) - first <= _WINDOW else first + _WINDOW
    end = min(end, max(last, start + 1))
    before, marked = _cells(line[first:start]), _cells(line[start:end])
    left = "..." if first > shift else ""
    right = "..." if last < len(line) else ""
    shown = f"{left}{before}{marked}{_cells(line[end:last])}{right}".rstrip()
    return shown, " " * (len(left) + _width(before)), "^" * max(_width(marked), 1)


def _cells(text: str) -> str:
    """A part of a line as it is shown: tabs as blanks, control characters escaped."""
    return _safe(text.replace("\t", " " * _TAB))


def _width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def render_json(faults: Sequence[Fault]) -> str:
    """One line: the first fault as `error`, all of them as `errors`; null where something is not known."""
    errors = [_object(fault) for fault in faults]
    return json_line({"error": errors[0] if errors else None, "errors": errors})


def _object(fault: Fault) -> dict[str, str | int | None]:
    place = fault.place or Place()
    message = f"{place.path}: {fault.message}" if place.path and not place.line else fault.message
    return {
        "kind": fault.kind,
        "message": message,
        "help": fault.help,
        "file": place.file,
        "line": place.line,
        "column": place.column if place.line else None,
    }
