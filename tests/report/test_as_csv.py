"""CSV: headers, indices, empty fields."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import numpy as np

from gradcli.report import render
from gradcli.results import Comparison, Gradient, Hessian


def test_grad() -> None:
    """A line per entry; the index of a matrix is quoted, that of a scalar and the value of null are empty."""
    result = Gradient(
        targets={"y": np.array(1.0)},
        sources={"layer1.w": np.ones((2, 2)), "c": np.ones(2), "x": np.array(0.0)},
        gradient={"layer1.w": np.array([[0.1, np.nan], [np.inf, -np.inf]]), "c": None, "x": np.array(2.5)},
    )

    assert render(result, "csv") == (
        "source,index,gradient\n"
        'layer1.w,"0,0",0.1\n'
        'layer1.w,"0,1",NaN\n'
        'layer1.w,"1,0",Infinity\n'
        'layer1.w,"1,1",-Infinity\n'
        "c,0,\n"
        "c,1,\n"
        "x,,2.5\n"
    )


def test_compare_has_a_line_per_output(compared: Callable[..., Comparison]) -> None:
    """`output`, then a column per entry of each source; unweighted."""
    rows = {"y": {"w": [[1.0, 2.0], [3.0, 4.0]], "b": None}, "z": {"w": [5.0, 6.0], "b": 7.0}}
    result = compared({"y": [0, 0], "z": 1}, {"w": [1, 1], "b": 0}, rows, weights={"y": [0.5, 2]})

    assert list(csv.reader(io.StringIO(render(result, "csv")))) == [
        ["output", "w[0]", "w[1]", "b"],
        ["y[0]", "1.0", "2.0", ""],
        ["y[1]", "3.0", "4.0", ""],
        ["z", "5.0", "6.0", "7.0"],
    ]


def test_hessian_has_a_line_per_source_entry() -> None:
    """Rows and columns are the entries of the sources."""
    a, b = np.ones(2), np.array(1.0)
    blocks = {"a": {"a": np.eye(2), "b": np.array([3.0, 4.0])}, "b": {"a": np.array([3.0, 4.0]), "b": np.array(0.1)}}

    assert render(Hessian(targets={"y": b}, sources={"a": a, "b": b}, hessian=blocks), "csv") == (
        "source,a[0],a[1],b\na[0],1.0,0.0,3.0\na[1],0.0,1.0,4.0\nb,3.0,4.0,0.1\n"
    )
