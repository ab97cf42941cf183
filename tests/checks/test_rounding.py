"""How much rounding there is: known errors are covered, and what is exact stays small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.checks.subject import Subject
from gradcli.document.problem import load

EPS = 2.0**-52


def spread(text: str, x: Any) -> tuple[float, float]:
    """The value of an expression at x, and the rounding found in it."""
    subject = Subject.of(load({"sources": {"x": x}, "targets": text}))
    return float(subject.run(subject.targets)[0]), float(subject.rounding(subject.targets)[0])


@pytest.mark.parametrize(
    ("text", "x", "exact"),
    [
        ("(1e16 + x) - 1e16", 0.5, 0.5),
        ("(1e8 + x) - 1e8", 0.3, 0.3),
        ("(1 - cos(x)) / x**2", 1e-8, 0.5),
        ("exp(x) - 1 - x", 1e-7, 5.00000016667e-15),
        ("sqrt(x**2 + 1) - x", 1e7, 5e-8),
        ("sin(x)", 1e12, -0.6112387023768895),
        ("x - 0.3", 0.1 + 0.2, 0.0),
        ("sum(x) - 3e15", [1e15, 1e15, 1e15], 0.0),
    ],
)
def test_the_error_is_covered(text: str, x: Any, exact: float) -> None:
    """The difference to the exact value is no larger than what is found."""
    value, found = spread(text, x)

    assert abs(value - exact) <= found


@pytest.mark.parametrize(
    ("text", "x"), [("x**2", 3.0), ("exp(x)", 1.0), ("sin(x) * cos(x)", 0.4), ("sum(x)", [1.0, 2.0])]
)
def test_what_is_well_conditioned_has_little(text: str, x: Any) -> None:
    """Some units in the last place, and not none."""
    value, found = spread(text, x)

    assert 0 < found <= 64 * EPS * abs(value)


def test_zeros_stay_zero() -> None:
    """A zero that the structure guarantees has no rounding."""
    assert spread("relu(x) * 3", -1.0) == (0.0, 0.0)


def test_a_kink_within_rounding_shows() -> None:
    """The derivative of abs(x - 0.3) at a point that is 0.3 up to rounding may be 1 or -1."""
    subject = Subject.of(load({"sources": {"x": 0.1 + 0.2}, "targets": "abs(x - 0.3)"}))

    assert subject.rounding_of_gradient["x"] >= 1.0


def test_the_same_in_every_run() -> None:
    assert spread("sin(exp(x))", 1.3) == spread("sin(exp(x))", 1.3)


def test_overflow_within_rounding_is_infinite() -> None:
    """At the edge of the doubles the next number is inf."""
    assert np.isinf(spread("exp(x)", 709.782712893384)[1])
