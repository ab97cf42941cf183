"""The tables of jacobian, compare and hessian: rows of derivatives, one column per entry of a source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from gradcli.report import ReportOptions
from gradcli.report.entries import LIMIT, Entry, Part, example_view, left_out, parts, whole
from gradcli.report.layout import Column, Grid, Group, Line, Row, Span
from gradcli.report.marks import cancelling, none_text
from gradcli.report.numbers import clean, digits, shape_text
from gradcli.results import Array, Comparison, Hessian, Jacobian, PerExample

__all__ = ["comparison", "hessian", "jacobian", "per_example"]

Blocks = Mapping[str, Mapping[str, Array | None]]


def jacobian(result: Jacobian, options: ReportOptions) -> Iterator[Line]:
    """One row per output."""
    table = _Table(result.jacobian, result.sources, parts(result.targets, _limit(options)), options)
    return Grid(table.rows(), table.groups(_columns(result, options))).lines(options.width)


def per_example(result: PerExample, options: ReportOptions) -> Iterator[Line]:
    """One row per output, one column per entry of one example: `x[i]` has the first index of the row."""
    sources, blocks = example_view(result)
    table = _Table(blocks, sources, parts(result.targets, _limit(options)), options)
    columns = [
        Part(part.name, [replace(entry, value=None) for entry in part.entries], part.left_out)
        for part in parts(sources, _limit(options))
    ]
    return Grid(table.rows(), table.groups(columns)).lines(options.width)


def comparison(result: Comparison, options: ReportOptions) -> Iterator[Line]:
    """The rows with their weights, a rule, the sum of the rows, the gradient, and a mark where rows cancel."""
    table = _Table(result.jacobian, result.sources, parts(result.targets, _limit(options)), options, result.weights)
    columns = _columns(result, options)
    masks = cancelling(result)
    marked = any(_marked(masks, entry) for part in columns for entry in part.entries)

    def footer(entry: Entry) -> list[str]:
        sums = [_text(array[entry.name], entry.index, options) for array in (result.row_sum, result.gradient)]
        return ["", *sums, *(["cancels" if _marked(masks, entry) else ""] if marked else [])]

    total = Row("weighted sum" if result.weights else "sum of rows", kind="total")
    foot = [Row(kind="rule"), total, Row("gradient", kind="total"), *([Row(kind="mark")] if marked else [])]
    return Grid([*table.rows(), *foot], table.groups(columns, footer)).lines(options.width)


def hessian(result: Hessian, options: ReportOptions) -> Iterator[Line]:
    """A block per pair of sources, on and above the diagonal; scalars share one block."""
    connected = {name: value for name, value in result.sources.items() if result.hessian[name][name] is not None}
    pairs = list(combinations_with_replacement(parts(connected, _limit(options)), 2))
    for i, (row, column) in enumerate(pairs):
        yield from [()] if i else []
        if len(pairs) > 1:
            yield _pair_head(row, column, connected)
        table = _Table(result.hessian, connected, [row], options)
        yield from Grid(table.rows(with_value=False), table.groups([column])).lines(options.width)
    yield from [(), (Span("  each block with its names exchanged is the transpose", "dim"),)] if len(pairs) > 1 else []
    unconnected = [name for name in result.sources if name not in connected]
    yield from [()] if unconnected and pairs else []
    for name in unconnected:
        yield Span(f"  {clean(name)}"), Span(f"   {none_text(result, name)}", "dim")


def _pair_head(row: Part, column: Part, sources: Mapping[str, Array]) -> Line:
    names = [clean(part.name) if part.name else ", ".join(e.label for e in part.entries) for part in (row, column)]
    shape = sum((np.shape(sources[part.name]) for part in (row, column) if part.name), ())
    return Span(f"  {names[0]} by {names[1]}", "bold"), Span(f", shape {shape_text(shape)}" if shape else "", "dim")


def _no_footer(entry: Entry) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows by columns: `blocks[output][source]`."""

    blocks: Blocks
    sources: Mapping[str, Array]
    outputs: Sequence[Part]
    options: ReportOptions
    weights: Mapping[str, Array] = field(default_factory=dict)

    def rows(self, *, with_value: bool = True) -> list[Row]:
        found = []
        for part in self.outputs:
            found += [Row(e.label, self._number(e.value) if with_value else "", self._weight(e)) for e in part.entries]
            if part.left_out:
                word = "output" if with_value else "row"
                found.append(Row(left_out(part, word, of=len(self.outputs) > 1), kind="more"))
        return found

    def groups(self, columns: Sequence[Part], footer: Callable[[Entry], list[str]] = _no_footer) -> list[Group]:
        filled = (part for part in columns if part.entries)
        return [Group([self._column(e, footer(e)) for e in part.entries], left_out(part, "column")) for part in filled]

    def _column(self, entry: Entry, footer: Sequence[str]) -> Column:
        texts: list[str] = []
        for part in self.outputs:
            texts += (self._cell(output, entry) for output in part.entries)
            texts += [""] if part.left_out else []
        return Column(entry.label, self._number(entry.value), [*texts, *footer])

    def _cell(self, output: Entry, source: Entry) -> str:
        index = output.index * np.size(self.sources[source.name]) + source.index
        return _text(self.blocks[output.name][source.name], index, self.options)

    def _weight(self, entry: Entry) -> str:
        if not self.weights:
            return ""
        weight = np.asarray(self.weights.get(entry.name, 1.0))
        return self._number(weight.flat[entry.index if weight.size > 1 else 0])

    def _number(self, value: float | np.floating | None) -> str:
        return "" if value is None else digits(value, self.options.precision)


def _columns(result: Jacobian | Comparison, options: ReportOptions) -> list[Part]:
    """The sources as parts; one that no target depends on has a single column for all its entries."""
    found = []
    for part in parts(result.sources, _limit(options)):
        unconnected = part.name and all(row[part.name] is None for row in result.jacobian.values())
        found.append(Part(part.name, [whole(part.name)]) if part.name and unconnected else part)
    return found


def _marked(masks: Mapping[str, NDArray[np.bool_]], entry: Entry) -> bool:
    mask = masks[entry.name]
    return bool(mask.size and mask.flat[entry.index])


def _text(array: Array | None, index: int, options: ReportOptions) -> str:
    return "none" if array is None else digits(np.asarray(array).flat[index], options.precision)


def _limit(options: ReportOptions) -> int | None:
    return None if options.full else LIMIT
