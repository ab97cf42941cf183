"""The order of what a Taylor polynomial leaves, along a seeded direction.

|F(x + hv) - F(x) - h g'v| shrinks with h**2 where g is the gradient, and less h**2/2 v'Hv with h**3 where H is the
Hessian.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gradcli.checks.differences import judge
from gradcli.checks.directions import Direction, Directions
from gradcli.checks.judge import ROUNDOFF
from gradcli.checks.numbers import UNDERFLOWS, Numbers
from gradcli.checks.subject import Subject
from gradcli.results import Check, Difference

__all__ = ["NAME", "run"]

NAME = "Taylor remainder"
_STEPS = 2.0 ** -np.arange(3.0, 40.0)
_ABOVE = 30.0  # times the rounding: what a remainder must be to count
_FEW = 4
_FITTED = 6
_SLACK = 0.3


def run(subject: Subject, directions: Directions) -> Check:
    """First with the gradient, then with the Hessian, too. Every entry moves by about its own size."""
    line = _Line(subject, directions)
    with np.errstate(all="ignore"):
        if not np.isfinite(line.slope):
            return _open("the gradient is not finite")
        left = line.left()
        if left is None:
            return _open("the function is not finite around the point")
        first = _judged(left.less(line.slope, 1), 1, subject.kinks, line.wrong_slope)
        if first.verdict != "equal" or not np.isfinite(line.curvature):
            return first
        second = _judged(left.less(line.slope, 1).less(line.curvature, 2), 2, subject.kinks, line.wrong_curvature)
    if second.verdict == "wrong":
        return second
    known = second.verdict == "equal" and second.detail is not None
    return replace(first, detail=f"{first.detail}; with the Hessian {second.detail}" if known else first.detail)


@dataclass(frozen=True)
class _Line:
    """The weighted sum of the outputs along the direction, with its derivatives as the graph has them."""

    subject: Subject
    directions: Directions

    @cached_property
    def direction(self) -> Direction:
        return self.directions.dense()

    @cached_property
    def slope(self) -> float:
        terms = self.subject.along(self.direction.by_source)
        total = float(terms.sum())
        return 0.0 if abs(total) <= ROUNDOFF * float(np.abs(terms).sum()) else total

    @cached_property
    def curvature(self) -> float:
        return self._times_direction(self.directions.gradient_tangents(self.direction))

    def _times_direction(self, arrays: Mapping[str, Numbers]) -> float:
        return float(sum(np.where(v == 0, 0.0, v * arrays[n]).sum() for n, v in self.direction.by_source.items()))

    def _moved(self, t: float) -> list[Numbers]:
        return self.direction.moved(list(self.subject.program.inputs), self.subject.point, t)

    def _smooth(self, steps: Sequence[float]) -> bool:
        return self.subject.on_one_piece(map(self._moved, steps))

    def value(self, t: float) -> float:
        return float(self.subject.weighted(self.subject.run_frozen(self.subject.targets, self._moved(t))).sum())

    @cached_property
    def noise(self) -> float:
        """The rounding in the sum."""
        return float(np.abs(self.subject.weighted(self.subject.rounding(self.subject.targets))).sum())

    def left(self) -> _Left | None:
        """The function less its value; None where it is not finite on either side."""
        here = self.value(0.0)
        up, down = (np.array([self.value(sign * h) for h in _STEPS]) - here for sign in (1, -1))
        noise = max(self.noise, 4 * float(np.finfo(float).eps) * abs(here))
        found = _Left(up, down, noise, abs(self.slope) * float(_STEPS[0]))
        return found if found.sides and np.isfinite(noise) else None

    # what the orders suggest is wrong only if differences, which know their error, agree

    def wrong_slope(self) -> Difference | None:
        """The slope, if differences of the value say that it is another."""
        curve, noise = (lambda t: np.array([self.value(t)])), (lambda: np.array([self.noise]))
        found = judge(curve, np.array([self.slope]), [1.0], noise, self._smooth)
        return self._difference("slope", float(found.value[0]), self.slope, 1) if found.wrong[0] else None

    def wrong_curvature(self) -> Difference | None:
        """The second derivative, if differences of the gradient say that it is another."""

        def slope(t: float) -> Numbers:
            return np.array([self._times_direction(self.subject.gradient_at(self._moved(t)))])

        def rounding() -> Numbers:
            spread = self.subject.rounding_of_gradient
            return np.array([sum(float(np.abs(spread[n] * v).sum()) for n, v in self.direction.by_source.items())])

        found = judge(slope, np.array([self.curvature]), [1.0], rounding, self._smooth)
        value = float(found.value[0])
        return self._difference("second derivative", value, self.curvature, 2) if found.wrong[0] else None

    def _difference(self, what: str, expected: float, got: float, power: int) -> Difference | None:
        """Unless what is missing may have underflowed."""
        length = np.max([np.abs(v).max(initial=0.0) for v in self.direction.by_source.values()])
        if abs(expected - got) <= UNDERFLOWS * length**power:  # a NumPy number, whose power may be inf
            return None
        return Difference(f"the {what} along a seeded direction", expected, got)


@dataclass(frozen=True)
class _Left:
    """What is left of the function at steps to both sides; `noise` is its rounding, `reach` how far its slope takes it
    in the first step."""

    up: Numbers
    down: Numbers
    noise: float
    reach: float

    def less(self, derivative: float, power: int) -> _Left:
        """Less a term of the Taylor polynomial."""
        taken = derivative * _STEPS**power / power
        return replace(self, up=self.up - taken, down=self.down - (-1.0) ** power * taken)

    @property
    def sides(self) -> list[Numbers]:
        return [side for side in (self.up, self.down) if np.isfinite(side[-_FEW:]).all()]

    def above(self, side: Numbers) -> Numbers:
        """The steps whose remainders stand above the rounding."""
        return np.flatnonzero(np.isfinite(side) & (np.abs(side) > _ABOVE * self.noise))


def _open(why: str) -> Check:
    return Check(name=NAME, verdict="inconclusive", detail=why)


def _judged(left: _Left, power: int, kinks: list[str], wrong: Callable[[], Difference | None]) -> Check:
    """Whether the remainder of a polynomial of this degree has a higher order."""
    orders = [order for side in left.sides if (order := _order(left, side)) is not None]
    if not orders:
        return _rounding_only(left, power)
    order = min(orders)
    if order >= power + 1 - _SLACK:
        return Check(name=NAME, verdict="equal", detail=f"order {order:.2f}")
    if _is_straight(left, power):
        return Check(name=NAME, verdict="equal", detail="nothing left but rounding")
    if abs(order - power) < 0.2 and not kinks and (found := wrong()) is not None:
        return Check(name=NAME, verdict="wrong", detail=f"order {order:.2f}", worst=found)
    return _open(kinks[0] if kinks else f"the remainder has order {order:.2f}: a kink or rounding is near")


def _is_straight(left: _Left, power: int) -> bool:
    """Whether nothing is left in steps too fine to reach the next jump or kink, and still to be seen."""
    seen = np.flatnonzero(left.reach * _STEPS / _STEPS[0] > 1e3 * left.noise)
    last = max((int(above[-1]) for side in left.sides if len(above := left.above(side))), default=-1)
    return power == 1 and len(seen[seen > last]) >= _FEW


def _order(left: _Left, side: Numbers) -> float | None:
    """The exponent of the finest remainders that stand above the rounding; None where too few do."""
    found = left.above(side)[-_FITTED:]
    if len(found) < _FEW:
        return None
    return float(np.polyfit(np.log(_STEPS[found]), np.log(np.abs(side[found])), 1)[0])


def _rounding_only(left: _Left, power: int) -> Check:
    """No remainder stands above the rounding: there is none, or the function is too noisy to tell."""
    if power == 1 and left.noise * _ABOVE > 1e-3 * left.reach and left.reach > left.noise:
        return _open("rounding hides the remainder")
    return Check(name=NAME, verdict="equal", detail="nothing left but rounding")
