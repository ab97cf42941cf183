"""Rows of numbers with commas between them -> an array. One column is a vector, several are a matrix."""

from __future__ import annotations

from io import StringIO

import numpy as np

from gradcli.document.tree import File, Node, show
from gradcli.document.values import FloatArray, Values
from gradcli.errors import Fault, InputError

__all__ = ["read_csv"]


def read_csv(values: Values, file: File, owner: str, node: Node) -> FloatArray:
    """The array in the text of a .csv file, without a header line.

    Raises:
        InputError: at the cell that is no number, or the row of another length.
    """
    first = file.text.lstrip("\n").split("\n", 1)[0]
    values.count(node, owner, (file.text.count("\n") + 1) * (first.count(",") + 1))
    try:
        table = np.loadtxt(StringIO(file.text), delimiter=",", comments=None, dtype=np.float64, ndmin=2)
    except ValueError as error:
        raise InputError(_fault(file, owner, first.count(",") + 1, str(error))) from None
    return table[:, 0] if table.shape[1] == 1 else table


def _fault(file: File, owner: str, width: int, reason: str) -> Fault:
    """The first thing that is wrong; NumPy does not say where it is."""
    rows = [(start, line) for start, line in zip(file.starts, file.text.split("\n"), strict=True) if line.strip()]
    for start, line in rows:
        for offset, cell in _cells(start, line):
            if not _is_float(cell):
                hint = "remove the header line" if start == rows[0][0] else None
                message = f"{owner} is not a number here: {show(cell)}"
                return file.fault("value", message, hint, offset, offset + len(cell))
        if line.count(",") + 1 != width:
            message = f"{owner} is ragged: this row has {line.count(',') + 1} columns, and the first has {width}"
            return file.fault("shape", message, None, start, start + len(line))
    return file.fault("file", f"{owner}: {reason}", None, 0, 1)


def _cells(start: int, line: str) -> list[tuple[int, str]]:
    cells = []
    for cell in line.split(","):
        cells.append((start, cell))
        start += len(cell) + 1
    return cells


def _is_float(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell and cell.isascii()
