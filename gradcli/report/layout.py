"""The layout of tables as lines of styled spans: columns aligned on the point, in blocks that fit a width.

Nothing here knows about colours or results. A number is never cut: a column wider than the page stays whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from gradcli.report.numbers import align

__all__ = ["Column", "Grid", "Group", "Line", "Row", "Span", "cells", "hang", "pad", "wrap"]

_INDENT = "  "
_GAP = "   "
_ROOM = 24


class Span(NamedTuple):
    """A piece of a line; `style` is a style of rich, or empty."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def cells(text: str) -> int:
    """How many columns of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, width: int) -> str:
    """`text` with blanks up to `width` columns of a terminal."""
    return text + " " * (width - cells(text))


def wrap(text: str, width: int, start: str = "", style: str = "", further: int = 0) -> Iterator[Line]:
    """`text` broken at blanks, but not at no-break ones, which become blanks; `start` precedes the first line, and
    its width indents the others, by `further` columns more.
    """
    indent, line = " " * (cells(start) + further), ""
    for word in text.split(" "):
        if line and cells(f"{start}{line} {word}") > width:
            yield Span(start, style), Span(line.replace("\xa0", " "))
            start, line = indent, word
        else:
            line = f"{line} {word}" if line else word
    yield Span(start, style), Span(line.replace("\xa0", " "))


def hang(lead: Line, texts: Sequence[str], width: int) -> Iterator[Line]:
    """The texts right of `lead`, one below the other and each wrapped; below it if they would get a narrow column.

    Where there are several, what goes on is indented, so that it is seen where the next begins.
    """
    left = sum(cells(span.text) for span in lead)
    if width - left < min(_ROOM, max(map(cells, texts), default=0)):
        yield lead
        lead, left = (Span(_INDENT + _GAP),), len(_INDENT + _GAP)
    further = len(_INDENT) if len(texts) > 1 else 0
    for text in texts:
        for line in wrap(text, width - left, further=further):
            yield *lead, *line
            lead = (Span(" " * left),)


@dataclass(frozen=True, slots=True)
class Row:
    """What stands left of a row.

    `kind` is one of row, point (of the sources), total, more (a count of what is left out), rule (a line under the
    columns) and mark (words under a column, which are no numbers).
    """

    label: str = ""
    value: str = ""
    weight: str = ""
    kind: str = "row"


@dataclass(frozen=True, slots=True)
class Column:
    """A head (`label`, and the point as `value`) and one text per row."""

    label: str
    value: str
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Group:
    """Columns that belong together, such as those of one source; `left_out` counts the ones that are not shown."""

    columns: Sequence[Column]
    left_out: str = ""


class _Drawn(NamedTuple):
    head: Line
    cells: Sequence[Line]
    width: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows by columns."""

    rows: Sequence[Row]
    groups: Sequence[Group]

    def lines(self, width: int) -> Iterator[Line]:
        """One block if all columns fit `width` with the point in their heads (`x = 2`); else the point gets a row
        of its own and the columns are broken into blocks, which repeat the row labels and have a blank line between.
        """
        blocks = self._blocks(width)
        if len(blocks) > 1:
            grid = self._with_point_row()
            blocks = grid._blocks(width)
        else:
            grid = self
        stub = _draw_stub(grid.rows)
        for i, block in enumerate(blocks):
            yield from [()] if i else []
            yield from _block_lines(stub, [column for group in block for column in group[0]])
            yield from ((Span(_INDENT), Span(group[1], "dim")) for group in block if group[1])

    def _blocks(self, width: int) -> list[list[tuple[list[_Drawn], str]]]:
        room = width - len(_INDENT) - _draw_stub(self.rows).width
        blocks: list[list[tuple[list[_Drawn], str]]] = []
        free = -1
        for group in self.groups:
            drawn = [_draw_column(column, self.rows) for column in group.columns]
            if _needs(drawn) <= free:
                blocks[-1].append((drawn, group.left_out))
                free -= _needs(drawn)
                continue
            parts = _split(drawn, room)
            blocks += [[(part, "")] for part in parts[:-1]] + [[(parts[-1], group.left_out)]]
            free = room - _needs(parts[-1])
        return blocks

    def _with_point_row(self) -> Grid:
        if not any(column.value for group in self.groups for column in group.columns):
            return self
        rows = [Row("at", kind="point"), *self.rows]
        return Grid(rows, [replace(group, columns=[*map(_with_point, group.columns)]) for group in self.groups])


def _with_point(column: Column) -> Column:
    return Column(column.label, "", [column.value, *column.texts])


def _needs(columns: Sequence[_Drawn]) -> int:
    return sum(len(_GAP) + column.width for column in columns)


def _split(columns: Sequence[_Drawn], room: int) -> list[list[_Drawn]]:
    parts: list[list[_Drawn]] = [[]]
    for column in columns:
        if parts[-1] and _needs([*parts[-1], column]) > room:
            parts.append([])
        parts[-1].append(column)
    return parts


def _block_lines(stub: _Drawn, columns: Sequence[_Drawn]) -> Iterator[Line]:
    yield _joined([(stub.head, stub.width), *((column.head, column.width) for column in columns)])
    for i, label in enumerate(stub.cells):
        line = _joined([(label, stub.width), *((column.cells[i], column.width) for column in columns)])
        if any(span.text.strip() for span in line):  # the row of marks is empty in most blocks
            yield line


def _joined(parts: Sequence[tuple[Line, int]]) -> Line:
    spans = [Span(_INDENT)]
    for i, (line, width) in enumerate(parts):
        blank = width - sum(cells(span.text) for span in line)
        spans += [Span(_GAP)] * (i > 0) + [*line, Span(" " * blank)]
    return tuple(spans)


_LABEL_STYLE = {"more": "dim", "point": "dim", "total": "bold"}
_CELL_STYLE = {"point": "dim", "rule": "dim", "total": "bold", "mark": "yellow"}


def _draw_column(column: Column, rows: Sequence[Row]) -> _Drawn:
    numeric = [
        row.kind not in ("rule", "mark") and not text.startswith("none")
        for row, text in zip(rows, column.texts, strict=True)
    ]
    texts = _aligned(column.texts, numeric)
    body = max((len(text) for text, number in zip(texts, numeric, strict=True) if number), default=0)
    rule = "─" * body if "none" not in column.texts else ""
    texts = [rule if row.kind == "rule" else text for row, text in zip(rows, texts, strict=True)]
    head = (Span(column.label, "bold"), *([Span(f" = {column.value}", "dim")] if column.value else []))
    width = max(body, sum(cells(span.text) for span in head), *map(cells, texts), 0)
    return _Drawn(head, [(_cell(row, text),) for row, text in zip(rows, texts, strict=True)], width)


def _cell(row: Row, text: str) -> Span:
    return Span(text, "dim" if text.startswith("none") else _CELL_STYLE.get(row.kind, ""))


def _aligned(texts: Sequence[str], chosen: Sequence[bool]) -> list[str]:
    aligned = iter(align([text for text, number in zip(texts, chosen, strict=True) if number]))
    return [next(aligned) if number else text for text, number in zip(texts, chosen, strict=True)]


def _draw_stub(rows: Sequence[Row]) -> _Drawn:
    label = max((cells(row.label) for row in rows if row.value), default=0)
    values = align([row.value for row in rows])
    weights = align([row.weight for row in rows])
    weighted = any(row.weight for row in rows)
    left = [_label(row, label, value) for row, value in zip(rows, values, strict=True)]
    width = max((_width(line) for row, line in zip(rows, left, strict=True) if row.kind != "more"), default=0)
    if not weighted:
        return _Drawn((), left, width)
    head = (Span(" " * width), Span(f"{_GAP}weight", "dim"))
    room = max(len("weight"), *map(len, weights))
    lines = [
        line if row.kind == "more" else (*line, Span(" " * (width - _width(line)) + _GAP + weight, "dim"))
        for row, line, weight in zip(rows, left, weights, strict=True)
    ]
    return _Drawn(head, lines, width + len(_GAP) + room)


def _label(row: Row, width: int, value: str) -> Line:
    style = _LABEL_STYLE.get(row.kind, "")
    if not row.value:
        return (Span(row.label, style),)
    return Span(pad(row.label, width), style), Span(f" = {value.rstrip()}", "dim")


def _width(line: Line) -> int:
    return sum(cells(span.text) for span in line)
