"""CSV: one header line, then one line per entry (grad) or per output (jacobian, compare, hessian).

Numbers are the shortest text that reads back; an unconnected entry is an empty field. A file is written line by line:
rows that are computed while they are read are never held together.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, BinaryIO

import numpy as np

from gradcli.report import ReportOptions
from gradcli.report.entries import example_view
from gradcli.report.numbers import entry_labels, exact
from gradcli.results import Array, Comparison, Gradient, Hessian, Jacobian, Part, PerExample, Result, Rows
from gradcli.results.labels import entry_text

__all__ = ["dump", "render"]

Line = Sequence[Any]
Parts = Callable[[str], Iterator[Part]]

_ENTRIES = 1 << 13


def render(result: Result, options: ReportOptions | None = None) -> str:
    """`result` as CSV with `\\n` line ends."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_lines(result))
    return text.getvalue()


def dump(result: Result, stream: BinaryIO) -> None:
    """Writes the CSV to `stream`, in UTF-8."""
    text = io.TextIOWrapper(stream, "utf-8", newline="")
    csv.writer(text, lineterminator="\n").writerows(_lines(result))
    text.detach()  # which writes the rest, and leaves the stream open


def _lines(result: Result) -> Iterator[Line]:
    if isinstance(result, Gradient):
        return _gradient(result)
    if isinstance(result, Rows):
        return _rows("output", result.targets, result.sources, result.parts)
    if isinstance(result, PerExample):
        sources, blocks = example_view(result)
        return _rows("output", result.targets, sources, _whole(result.targets, sources, blocks))
    if isinstance(result, Jacobian | Comparison):
        parts = _whole(result.targets, result.sources, result.jacobian)
        return _rows("output", result.targets, result.sources, parts)
    if isinstance(result, Hessian):
        parts = _whole(result.sources, result.sources, result.hessian)
        return _rows("source", result.sources, result.sources, parts)
    raise TypeError(f"no CSV form for {type(result).__name__}")


def _gradient(result: Gradient) -> Iterator[Line]:
    yield "source", "index", "gradient"
    for name, array in result.gradient.items():
        shape = np.shape(result.sources[name])
        values = _table(array, 1, result.sources[name].size)[0]
        for index, value in zip(product(*map(range, shape)), values, strict=True):
            yield name, ",".join(map(str, index)), value


def _whole(
    outputs: Mapping[str, Array], sources: Mapping[str, Array], blocks: Mapping[str, Mapping[str, Array | None]]
) -> Parts:
    """Blocks of the shape of output and source, all of whose rows are there, as one part for each output."""

    def parts(name: str) -> Iterator[Part]:
        n, row = outputs[name].size, blocks[name]
        made = {s: None if (a := row[s]) is None else np.reshape(a, (n, *v.shape)) for s, v in sources.items()}
        yield Part(n, made)

    return parts


def _rows(corner: str, outputs: Mapping[str, Array], sources: Mapping[str, Array], parts: Parts) -> Iterator[Line]:
    yield [corner, *(label for name, value in sources.items() for label in entry_labels(name, np.shape(value)))]
    sizes = {name: value.size for name, value in sources.items()}
    for name, value in outputs.items():
        labels = (name + entry_text(index) for index in np.ndindex(np.shape(value)))
        for part in parts(name):
            for fields in _lines_of(part, sizes):
                yield [next(labels), *fields]
            del part  # before the next is computed


def _lines_of(part: Part, sizes: Mapping[str, int]) -> Iterator[list[Any]]:
    """The fields of each row, made for some rows at a time: as Python's numbers they take four times the memory."""
    step = max(1, _ENTRIES // max(1, sum(sizes.values())))
    for at in range(0, part.count, step):
        count = min(step, part.count - at)
        blocks = {s: None if a is None else a[at : at + count] for s, a in part.blocks.items()}
        columns = [_table(a, count, sizes[s]) for s, a in blocks.items()]
        for i in range(count):
            yield [field for column in columns for field in column[i]]


def _table(array: Array | None, rows: int, columns: int) -> list[list[Any]]:
    if array is None:
        return [[None] * columns] * rows
    fields: list[list[Any]] = exact(np.reshape(array, (rows, columns)))
    return fields
