"""The order of what a Taylor polynomial leaves, along a seeded direction.

|F(x + hv) - F(x) - h g'v| shrinks with h**2 where g is the gradient, and less h**2/2 v'Hv with h**3 where H is the
Hessian.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gradcli.checks.directions import Direction, Directions
from gradcli.checks.judge import UNDERFLOWS
from gradcli.checks.subject import Numbers, Subject
from gradcli.results import Check, Difference

__all__ = ["run"]

_NAME = "Taylor remainder"
_STEPS = 2.0 ** -np.arange(3.0, 40.0)
_ABOVE = 30.0  # times the rounding: what a remainder must be to count
_FEW = 4
_FITTED = 6
_SLACK = 0.3


def run(subject: Subject, directions: Directions) -> Check:
    """First with the gradient, then with the Hessian, too. Every entry moves by about its own size."""
    d = directions.dense()
    with np.errstate(all="ignore"):
        slope = float(subject.along(d.by_source).sum())
        if not np.isfinite(slope):
            return _open("the gradient is not finite")
        curve = _curve(subject, d, slope)
        if curve is None:
            return _open("the function is not finite around the point")
        first = _judged(curve.less(slope, 1), 1, subject.kinks)
        if first.verdict != "equal":
            return first
        moved = directions.gradient_tangents(d)
        curvature = float(sum(np.where(v == 0, 0.0, v * moved[name]).sum() for name, v in d.by_source.items()))
        if not np.isfinite(curvature):
            return first
        second = _judged(curve.less(slope, 1).less(curvature, 2), 2, subject.kinks)
    if second.verdict == "wrong":
        return second
    known = second.verdict == "equal" and second.detail is not None
    return replace(first, detail=f"{first.detail}; with the Hessian {second.detail}" if known else first.detail)


@dataclass(frozen=True)
class _Curve:
    """What is left of the function at steps to both sides; `noise` is its rounding, `reach` the slope times the first
    step, `length` the largest entry of the direction."""

    up: Numbers
    down: Numbers
    noise: float
    reach: float
    length: float

    def less(self, derivative: float, power: int) -> _Curve:
        """Less a term of the Taylor polynomial."""
        terms = derivative * _STEPS**power / power
        return replace(self, up=self.up - terms, down=self.down - (-1.0) ** power * terms)

    @property
    def sides(self) -> list[Numbers]:
        return [side for side in (self.up, self.down) if np.isfinite(side[-_FEW:]).all()]

    def above(self, side: Numbers) -> Numbers:
        """The steps whose remainders stand above the rounding."""
        return np.flatnonzero(np.isfinite(side) & (np.abs(side) > _ABOVE * self.noise))


def _curve(subject: Subject, d: Direction, slope: float) -> _Curve | None:
    names = list(subject.program.inputs)

    def f(t: float) -> float:
        values = subject.run(subject.targets, d.moved(names, subject.point, t))
        return float(subject.weighted(values).sum())

    here = f(0.0)
    noise = float(np.abs(subject.weighted(subject.rounding(subject.targets))).sum())
    length = max(float(np.abs(v).max(initial=0.0)) for v in d.by_source.values())
    noise = max(noise, 4 * float(np.finfo(float).eps) * abs(here))
    curve = _Curve(_each(f, 1.0) - here, _each(f, -1.0) - here, noise, abs(slope) * float(_STEPS[0]), length)
    return curve if curve.sides and np.isfinite(noise) else None


def _each(f: Callable[[float], float], sign: float) -> Numbers:
    return np.array([f(sign * h) for h in _STEPS])


def _open(why: str) -> Check:
    return Check(name=_NAME, verdict="inconclusive", detail=why)


def _judged(curve: _Curve, power: int, kinks: list[str]) -> Check:
    """Whether the remainder of a polynomial of this degree has a higher order."""
    orders = [order for side in curve.sides if (order := _order(curve, side)) is not None]
    if not orders:
        return _rounding_only(curve, power)
    order = min(orders)
    if order >= power + 1 - _SLACK:
        return Check(name=_NAME, verdict="equal", detail=f"order {order:.2f}")
    if abs(order - power) < 0.2 and not kinks and (missing := _missing(curve, power)) is not None:
        what = "the slope" if power == 1 else "half the second derivative"
        return Check(
            name=_NAME,
            verdict="wrong",
            detail=f"order {order:.2f}",
            worst=Difference(f"what {what} along a seeded direction leaves", 0.0, missing),
        )
    return _open(kinks[0] if kinks else f"the remainder has order {order:.2f}: a kink or rounding is near")


def _order(curve: _Curve, side: Numbers) -> float | None:
    """The exponent of the finest remainders that stand above the rounding; None where too few do."""
    found = curve.above(side)[-_FITTED:]
    if len(found) < _FEW:
        return None
    return float(np.polyfit(np.log(_STEPS[found]), np.log(np.abs(side[found])), 1)[0])


def _rounding_only(curve: _Curve, power: int) -> Check:
    """No remainder stands above the rounding: there is none, or the function is too noisy to tell."""
    if power == 1 and curve.noise * _ABOVE > 1e-3 * curve.reach > 0:
        return _open("rounding hides the remainder")
    return Check(name=_NAME, verdict="equal", detail="nothing left but rounding")


def _missing(curve: _Curve, power: int) -> float | None:
    """The coefficient that both sides ask for, which they do not at a kink."""
    up, down = curve.above(curve.up), curve.above(curve.down)
    if len(curve.sides) < 2 or not len(up) or not len(down):
        return None
    k = min(up[-1], down[-1])
    right, left = curve.up[k] / _STEPS[k] ** power, curve.down[k] / (-_STEPS[k]) ** power
    if abs(right) <= UNDERFLOWS * curve.length**power:
        return None
    finer = np.abs(right) * _STEPS[k + 1 :] ** power
    if (finer > 4 * _ABOVE * curve.noise).any():  # it should show in finer steps, too
        return None
    return float(right) if abs(right - left) <= 1e-2 * max(abs(right), abs(left)) else None
