"""CSV: one header line, then one line per entry (grad) or per output (jacobian, compare, hessian).

Numbers are the shortest text that reads back; an unconnected entry is an empty field.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, BinaryIO

import numpy as np

from gradcli.report import ReportOptions
from gradcli.report.entries import example_view
from gradcli.report.numbers import entry_labels, exact
from gradcli.results import Array, Comparison, Gradient, Hessian, Jacobian, PerExample, Result

__all__ = ["dump", "render"]

Line = Sequence[Any]


def render(result: Result, options: ReportOptions | None = None) -> str:
    """`result` as CSV with `\\n` line ends."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_lines(result))
    return text.getvalue()


def dump(result: Result, stream: BinaryIO) -> None:
    """Writes the CSV to `stream`, in UTF-8."""
    stream.write(render(result).encode())


def _lines(result: Result) -> Iterator[Line]:
    if isinstance(result, Gradient):
        return _gradient(result)
    if isinstance(result, PerExample):
        return _rows("output", result.targets, *example_view(result))
    if isinstance(result, Jacobian | Comparison):
        return _rows("output", result.targets, result.sources, result.jacobian)
    if isinstance(result, Hessian):
        return _rows("source", result.sources, result.sources, result.hessian)
    raise TypeError(f"no CSV form for {type(result).__name__}")


def _gradient(result: Gradient) -> Iterator[Line]:
    yield "source", "index", "gradient"
    for name, array in result.gradient.items():
        shape = np.shape(result.sources[name])
        values = _fields(array, 1, result.sources[name].size)[0]
        for index, value in zip(product(*map(range, shape)), values, strict=True):
            yield name, ",".join(map(str, index)), value


def _rows(
    corner: str,
    outputs: Mapping[str, Array],
    sources: Mapping[str, Array],
    blocks: Mapping[str, Mapping[str, Array | None]],
) -> Iterator[Line]:
    yield [corner, *(label for name, value in sources.items() for label in entry_labels(name, np.shape(value)))]
    for name, value in outputs.items():
        parts = [_fields(blocks[name][source], value.size, point.size) for source, point in sources.items()]
        for i, label in enumerate(entry_labels(name, np.shape(value))):
            yield [label, *(field for part in parts for field in part[i])]


def _fields(array: Array | None, rows: int, columns: int) -> list[list[Any]]:
    if array is None:
        return [[None] * columns] * rows
    fields: list[list[Any]] = exact(np.asarray(array).reshape(rows, columns))
    return fields
