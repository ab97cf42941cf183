"""Differences that know how good they are: right and wrong slopes of curves whose derivative is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gradcli.checks.differences import Judged, judge

EPS = 2.0**-52


def judged(
    f: Callable[[float], float], slope: float, *, scales: tuple[float, ...] = (1.0,), noise: float = 8 * EPS
) -> Judged:
    """What the differences say of one curve, whose rounding is `noise`."""
    return judge(lambda t: np.array([f(t)]), np.array([slope]), list(scales), lambda: np.array([noise]))


SMOOTH: list[tuple[str, Callable[[float], float], float]] = [
    ("exp", lambda t: np.exp(0.7 + t), float(np.exp(0.7))),
    ("line", lambda t: 3.0 * t, 3.0),
    ("square at 0", lambda t: t * t, 0.0),
    ("cube", lambda t: (2 + t) ** 3, 12.0),
    ("steep", lambda t: np.exp(30 * (0.5 + t)), float(30 * np.exp(15))),
    ("fast", lambda t: np.sin(1e4 * (1 + t)), float(1e4 * np.cos(1e4))),
    ("narrow", lambda t: np.exp(-((0.5 + t * 1e5) ** 2)), float(-1e5 * np.exp(-0.25))),
    ("beside a kink", lambda t: abs(1e-6 + t), 1.0),
    ("beside a jump", lambda t: np.floor(0.9999 + t) + t, 1.0),
    ("log beside its edge", lambda t: np.log(1e-5 + t) if t > -1e-5 else np.nan, 1e5),
    ("from the right only", lambda t: (1 + t) ** 2 if t >= 0 else np.nan, 2.0),
    ("from the left only", lambda t: np.inf if t > 0 else (1 + t) ** 2, 2.0),
]


@pytest.mark.parametrize(("name", "f", "slope"), SMOOTH, ids=[row[0] for row in SMOOTH])
def test_right_slopes_agree(name: str, f: Callable[[float], float], slope: float) -> None:
    """To six digits at least, and the estimate is the slope."""
    found = judged(f, slope)

    assert found.agrees.all()
    assert not found.wrong.any()
    assert abs(found.value[0] - slope) <= 1e-6 * abs(slope)
    assert found.one_sided.all() == name.endswith("only")


@pytest.mark.parametrize("factor", [-1.0, 2.0, 0.5, 1.001, 1.0001])
@pytest.mark.parametrize(("name", "f", "slope"), SMOOTH, ids=[row[0] for row in SMOOTH])
def test_wrong_slopes_are_wrong(name: str, f: Callable[[float], float], slope: float, factor: float) -> None:
    """Never agreeing; and called wrong, with the right slope as the estimate, where no edge or kink is in the way."""
    wrong = slope * factor if slope else factor
    found = judged(f, wrong)

    assert not found.agrees.any()
    if "beside" not in name and "only" not in name:
        assert found.wrong.all()
        assert abs(found.value[0] - slope) <= 1e-5 * max(abs(slope), 1e-3)


OPEN: list[tuple[str, Callable[[float], float], float, str]] = [
    ("abs", abs, 0.0, "a kink: the slope is -1 from the left and 1 from the right"),
    ("abs, a side", abs, 1.0, "a kink: the slope is -1 from the left and 1 from the right"),
    ("abs, neither", abs, 17.0, "a kink: the slope is -1 from the left and 1 from the right"),
    ("sqrt", lambda t: np.sqrt(t) if t >= 0 else np.nan, np.inf, "infinite here, and the differences grow"),
    ("NaN", lambda t: t, np.nan, "the derivative is NaN here"),
    ("jump", np.floor, 1.0, "the differences"),
]


@pytest.mark.parametrize(("name", "f", "slope", "reason"), OPEN, ids=[row[0] for row in OPEN])
def test_kinks_and_edges_are_open(name: str, f: Callable[[float], float], slope: float, reason: str) -> None:
    """Neither equal nor wrong, with the reason."""
    found = judged(f, slope)

    assert not found.agrees.any()
    assert not found.wrong.any()
    assert reason in found.reasons[0]


def test_noise_is_open() -> None:
    """A staircase of rounding that no step can see through, when the rounding is known."""
    found = judged(lambda t: (1e16 + (0.5 + t)) - 1e16, 1.0, noise=4.0)

    assert not found.wrong.any()


def test_what_is_below_the_rounding_is_unseen() -> None:
    """A slope of 1e-20 beside a value of 1."""
    found = judged(lambda t: 1.0 + 1e-20 * t, 1e-20)

    assert found.unseen.all()
    assert not found.wrong.any()


def test_outputs_are_judged_apart() -> None:
    """One right, one wrong, one at a kink."""
    found = judge(
        lambda t: np.array([np.sin(1 + t), np.cos(1 + t), abs(t)]),
        np.array([np.cos(1.0), np.sin(1.0), 0.0]),
        [1.0],
        lambda: np.full(3, EPS),
    )

    assert found.agrees.tolist() == [True, False, False]
    assert found.wrong.tolist() == [False, True, False]


def test_rounding_is_asked_only_where_it_is_needed() -> None:
    def never() -> np.ndarray:
        raise AssertionError

    assert judge(lambda t: np.array([np.exp(t)]), np.array([1.0]), [1.0], never).agrees.all()
