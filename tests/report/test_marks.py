"""What tables say beyond numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gradcli.report.marks import cancelling, none_text, worst
from gradcli.results import Comparison, Note

Compared = Callable[..., Comparison]


@pytest.mark.parametrize(
    ("rows", "weights", "expected"),
    [
        ([[1, 2], [-1, 3]], None, [True, False]),
        ([[1, 1], [-1 + 1e-12, -1 + 1e-6]], None, [True, False]),
        ([[0, 0], [0, 1]], None, [False, False]),
        ([[1, np.inf], [-1, 5]], [1, 0], [False, False]),
        ([[2, np.inf], [-1, -np.inf]], [0.5, 1], [True, False]),
        ([[np.inf, np.nan], [1, 1]], [0, 1], [False, False]),
    ],
)
def test_cancelling(compared: Compared, rows: object, weights: object, expected: list[bool]) -> None:
    """The sum is tiny against the rows, which are not all 0; infinities and NaN do not cancel."""
    with np.errstate(invalid="ignore"):
        result = compared({"y": [0, 0]}, {"x": [0, 0]}, {"y": {"x": rows}}, weights=weights and {"y": weights})

    assert cancelling(result)["x"].tolist() == expected


def test_worst(compared: Compared) -> None:
    """The largest difference; NaN only where the result says that a NaN is what differs."""
    gradient = {"x": np.array([1.0, 2.5, np.nan]), "u": None}
    result = compared(
        {"y": 0},
        {"x": [0, 0, 0], "u": 0},
        {"y": {"x": [1.0, 2.0, 3.0], "u": None}},
        gradient=gradient,
        max_abs_difference=0.5,
    )

    assert worst(result) == ("x[1]", 2.0, 2.5)


def test_none_has_its_reason(compared: Compared) -> None:
    """The reason comes from the note about that very source."""
    notes = (
        Note("unconnected", "xs is unconnected: not used"),
        Note("unconnected", "x is unconnected: an index, line 2", 2),
    )
    result = compared({"y": 0}, {"x": 0, "xs": 0, "z": 0}, {"y": {"x": None, "xs": None, "z": None}}, notes=notes)

    assert none_text(result, "x") == "none (unconnected: an index, line 2)"
    assert none_text(result, "xs") == "none (unconnected: not used)"
    assert none_text(result, "z") == "none (unconnected)"
