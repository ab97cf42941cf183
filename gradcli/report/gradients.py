"""The table of grad: scalars and vectors as a list, one entry a line; matrices as matrices; higher ranks as slices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice, product

import numpy as np

from gradcli.report import ReportOptions
from gradcli.report.entries import LIMIT, Entry, left_out, parts, plural
from gradcli.report.layout import Column, Grid, Group, Line, Row, Span
from gradcli.report.marks import none_text
from gradcli.report.numbers import clean, digits, shape_text
from gradcli.results import Array, Gradient

__all__ = ["gradient"]


def gradient(result: Gradient, options: ReportOptions) -> Iterator[Line]:
    """The gradient by each source, in the order of the file."""
    first = True
    for listed, names in groupby(result.gradient, key=lambda name: _is_listed(result.gradient[name])):
        for chosen in [list(names)] if listed else [[name] for name in names]:
            yield from [] if first else [()]
            yield from _list(result, chosen, options) if listed else _block(result, chosen[0], options)
            first = False


def _is_listed(array: Array | None) -> bool:
    return array is None or np.ndim(array) < 2


def _list(result: Gradient, names: list[str], options: ReportOptions) -> Iterator[Line]:
    rows, texts = [], []
    for part in parts({name: result.sources[name] for name in names}, None if options.full else LIMIT):
        if part.name and result.gradient[part.name] is None:
            rows.append(Row(clean(part.name)))
            texts.append(none_text(result, part.name))
            continue
        for entry in part.entries:
            rows.append(Row(entry.label, digits(entry.value, options.precision)))
            texts.append(_text(result, entry, options))
        if part.left_out:
            rows.append(Row(left_out(part, "entry"), kind="more"))
            texts.append("")
    return Grid(rows, [Group([Column("gradient", "", texts)])]).lines(options.width)


def _text(result: Gradient, entry: Entry, options: ReportOptions) -> str:
    array = result.gradient[entry.name]
    return (
        none_text(result, entry.name)
        if array is None
        else digits(np.asarray(array).flat[entry.index], options.precision)
    )


def _block(result: Gradient, name: str, options: ReportOptions) -> Iterator[Line]:
    array = np.asarray(result.gradient[name])
    leading = array.shape[:-2]
    yield Span(f"  {clean(name)}", "bold"), Span(f", shape {shape_text(array.shape)}", "dim")
    limit = None if options.full else LIMIT
    for index in islice(product(*map(range, leading)), limit):
        yield from [()] if any(index) else []
        yield from matrix(array[index], index, options)
    if limit and (more := int(np.prod(leading)) - limit) > 0:
        yield ()
        yield (Span(f"  … {plural(more, 'slice')} of {clean(name)}", "dim"),)


def matrix(values: Array, index: tuple[int, ...], options: ReportOptions) -> Iterator[Line]:
    """One matrix, whose rows and columns are labelled by their place after the leading `index`."""
    limit = None if options.full else LIMIT
    rows = [Row(_slice(index, str(i), ":")) for i in range(len(values[:limit]))]
    shown = [[digits(x, options.precision) for x in line[:limit]] for line in values[:limit]]
    more_rows, more_columns = (max(0, n - (limit or n)) for n in values.shape)
    if more_rows:
        rows.append(Row(f"… {plural(more_rows, 'row')}", kind="more"))
        shown.append([""] * len(shown[0]))
    columns = [Column(_slice(index, ":", str(j)), "", texts) for j, texts in enumerate(zip(*shown, strict=True))]
    count = f"… {plural(more_columns, 'column')}" if more_columns else ""
    return Grid(rows, [Group(columns, count)]).lines(options.width)


def _slice(index: tuple[int, ...], *last: str) -> str:
    return f"[{','.join([*map(str, index), *last])}]"
