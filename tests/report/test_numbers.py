"""Numbers and names as text."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.report.numbers import align, clean, digits, entry_labels, exact, shape_text


@pytest.mark.parametrize(
    ("number", "precision", "text"),
    [
        (12.0, None, "12"),
        (-0.0, None, "0"),
        (0.1, None, "0.1"),
        (1 / 3, None, "0.333333"),
        (1 / 3, 17, "0.3333333333333333"),
        (0.1, 17, "0.1"),
        (2 / 3, 2, "0.67"),
        (99.9999999, None, "100"),
        (0.00012345678, None, "0.000123457"),
        (0.000012345678, None, "1.23457e-05"),
        (1.5e-17, None, "1.5e-17"),
        (-1e-300, None, "-1e-300"),
        (1234567.891, None, "1234568"),
        (1234567.891, 9, "1234567.89"),
        (123456789.0, None, "123456789"),
        (1234567891.0, None, "1.23457e+09"),
        (1e22, None, "1e+22"),
        (math.nan, None, "NaN"),
        (-math.inf, 3, "-inf"),
        (np.float32(0.1), 17, "0.1"),
        (np.float32(1) / 3, None, "0.333333"),
    ],
)
def test_digits(number: Any, precision: int | None, text: str) -> None:
    """Six significant digits or those asked for, no more than the number has, whole integer parts."""
    assert digits(number, precision) == text


@given(st.floats())
def test_seventeen_digits_read_back(number: float) -> None:
    """With all digits the text is the number."""
    read = float(digits(number, 17))

    assert read == number or math.isnan(number)


@given(st.floats(-1e300, 1e300), st.integers(1, 17))
def test_fewer_digits_are_near(number: float, precision: int) -> None:
    """Rounding to N digits is off by at most half a unit of the Nth."""
    assert float(digits(number, precision)) == pytest.approx(number, rel=0.51 * 10.0 ** (1 - precision), abs=5e-324)


def test_align() -> None:
    """Points stand under each other; what has none stands left of them."""
    assert align(["12", "-0.416147", "1e-17", "NaN", ""]) == [
        " 12       ",
        " -0.416147",
        "  1e-17   ",
        "NaN       ",
        "          ",
    ]


@given(st.floats(width=32))
def test_float32_is_exact(number: float) -> None:
    """A float32 array becomes floats with the shortest text that reads back to the same float32."""
    value = exact(np.float32(number))

    again = np.float32(value if isinstance(value, float) else value.replace("Infinity", "inf"))
    assert again == np.float32(number) or math.isnan(number)
    assert isinstance(value, str) or repr(value) == repr(float(str(np.float32(number))))


def test_exact() -> None:
    """Nested lists with names for what JSON has no number for; scalars are bare."""
    array = np.array([[0.1, np.nan], [np.inf, -np.inf]])

    assert exact(array) == [[0.1, "NaN"], ["Infinity", "-Infinity"]]
    assert exact(np.float64("nan")) == "NaN"
    assert exact(np.array(2.0)) == 2.0
    assert exact(np.zeros((0, 2))) == []
    assert json.dumps(exact(np.float32([0.1, 1e-10, 16777216]))) == "[0.1, 1e-10, 16777216.0]"


def test_labels_and_shapes() -> None:
    """Entries in C order, a scalar by its bare name."""
    assert entry_labels("w", (2, 2)) == ["w[0,0]", "w[0,1]", "w[1,0]", "w[1,1]"]
    assert entry_labels("loss", ()) == ["loss"]
    assert entry_labels("w", (100, 50), 2) == ["w[0,0]", "w[0,1]"]
    assert entry_labels("w", (0,)) == []
    assert [shape_text(shape) for shape in [(), (2,), (2, 3)]] == ["scalar", "(2,)", "(2, 3)"]


def test_clean() -> None:
    """A file cannot move the terminal's cursor or colour its text."""
    assert clean("a\nb\x1b[31mλ \u202e x[red]") == "a b\\x1b[31mλ \\u202e x[red]"
