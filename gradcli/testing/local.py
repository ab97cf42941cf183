"""A function around one point: its curve along a direction, how much noise there is in it, and its slopes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradcli.checks.differences import extrapolated
from gradcli.checks.numbers import UNDERFLOWS, Numbers, apart, scales_of
from gradcli.testing.function import Function

__all__ = ["Curve", "Direction", "Estimate", "Local"]

__tracebackhide__ = True

_RUNS = 6
_SAFETY = 4.0
_LAST_DIGITS = 64.0
_WIDE = float(np.finfo(np.longdouble).eps / np.finfo(np.float64).eps)
_STEPS_OF_DOUBLE = (2.0**-44, 2.0**-34, 2.0**-26, 2.0**-22, 2.0**-18)
_STEPS_OF_SINGLE = (2.0**-26, 2.0**-20, 2.0**-14, 2.0**-9)
_UNEVEN = 0.7351  # a step that is a power of two can hide rounding
_POINTS = np.arange(-4.0, 5.0)
_ORDER = 6
_GAMMA = 924.0  # (2 k)! / (k!)**2: the variance of k-th differences of noise of variance 1
_FIRST = 0.10987  # no simple fraction: a period of the function is no multiple of a step
_PROBES = (_FIRST, -_FIRST, 1e-3, -1e-3)
_HALVINGS = np.array([0.0, 1, 2, 3, 4, 5, 9, 10, 11, 12])
_WINDOWS = (slice(0, 4), slice(1, 5), slice(2, 6), slice(6, 10))
_CONSISTENT = 4.0


@dataclass(frozen=True)
class Direction:
    """The places in the row that move, how fast, and the lengths of large steps."""

    places: Numbers
    speeds: Numbers
    scales: list[float]


@dataclass(frozen=True)
class Estimate:
    """Slopes; NaN where there is none, as at a kink. `kink` is how far those to the left and right may be apart."""

    value: Numbers
    error: Numbers
    kink: Numbers


class Local:
    """A function around one point, given as a row."""

    def __init__(self, function: Function, row: Numbers) -> None:
        self.function = function
        self.row = row
        self.here = function.value if row is function.start else function.at(row)

    def coordinate(self, k: int) -> Direction:
        """The k-th number alone."""
        scales = sorted(scales_of(float(self.row[k])), reverse=True)  # what short steps cannot show is looked for last
        return Direction(np.array([k]), np.ones(1), scales)

    def curve(self, direction: Direction, *, total: bool) -> Curve:
        """The outputs along a direction, or their sum."""
        return Curve(self, direction, total)

    @cached_property
    def spread(self) -> Numbers:
        """How much rounding there is in each output: the point is moved in its last digits, and where the function can,
        it is computed with more digits."""
        f, random = self.function, np.random.default_rng(0)
        spread = np.zeros(self.here.shape)
        for _ in range(_RUNS):
            spread = np.maximum(
                spread, apart(f.at(self.row * (1 + f.eps * random.uniform(-1, 1, self.row.shape))), self.here)
            )
        spread = _SAFETY * (spread + np.where(np.isfinite(self.here), f.eps * np.abs(self.here), 0.0)) + f.jitter
        if self.wide is not None:
            lost = np.abs(self.wide - self.here).astype(np.float64)
            spread += np.where(np.isfinite(lost), _SAFETY * lost, 0.0)
        return spread

    @cached_property
    def wide(self) -> Numbers | None:
        """The outputs as computed with more digits; None where that does not go."""
        return self.function.at_wide(self.row)

    def rows(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """The slopes of all outputs by these numbers, and their errors, both as (outputs, numbers); NaN where there
        is none."""
        curves = [self.curve(self.coordinate(int(k)), total=False) for k in places]
        found = [c.estimated if self.function.is_single else c.estimate() for c in curves]
        if not found:
            return np.zeros((self.here.size, 0)), np.zeros((self.here.size, 0))
        return np.stack([e.value for e in found], axis=1), np.stack([e.error for e in found], axis=1)


class Curve:
    """The outputs at the point moved by t along a direction, or the sum of those that change along it."""

    def __init__(self, local: Local, direction: Direction, total: bool) -> None:
        self.local, self.direction, self.total = local, direction, total
        self._known: dict[float, Numbers] = {}

    def outputs(self, t: float) -> Numbers:
        if t == 0:
            return self.local.here
        if t not in self._known:
            self._known[t] = self.local.function.at(self._moved(t))
        return self._known[t]

    def _moved(self, t: float) -> Numbers:
        row = self.local.row.copy()
        row[self.direction.places] += t * self.direction.speeds
        return row

    def __call__(self, t: float) -> Numbers:
        made = self.outputs(t)
        return np.array([made[self._changing].sum()]) if self.total else np.asarray(made)

    @cached_property
    def _changing(self) -> Numbers:
        """Which outputs change: the size of the others would hide them in the sum."""
        if self.local.here.size < 2:
            return np.ones(self.local.here.shape, dtype=bool)
        scales = self.direction.scales
        probes = [
            self.outputs(t * scale) for t, scale in zip(_PROBES, [*scales[:1] * 2, *scales[-1:] * 2], strict=True)
        ]
        return np.asarray(np.any([apart(made, self.local.here) > 0 for made in probes], axis=0))

    def hidden(self) -> float:
        """How far the slope of the sum may be off for all that rounding shows: by what the outputs that seem to stay as
        they are would do, and by the last digits of those that cancel."""
        if not self.total:
            return 0.0
        h, f, changing = _FIRST * max(self.direction.scales), self.local.function, self._changing
        spread = np.where(np.isfinite(self.local.spread), self.local.spread, 0.0)
        if not changing.all() and not f.is_single and self.local.wide is not None:
            moved = f.at_wide(self._moved(h))
            spread = spread if moved is None else np.where(moved == self.local.wide, spread * _WIDE, spread)
        moves = np.abs(self.outputs(h) - self.outputs(-h))[changing]
        cancels = _LAST_DIGITS * f.eps * float(moves[np.isfinite(moves)].sum()) / 2
        return (float(spread[~changing].sum()) + cancels) / h

    @cached_property
    def noise(self) -> Numbers:
        """How much of the values is noise: rounding, and whatever makes them rough at steps where a smooth function is
        as good as straight. From tables of differences (R. W. Hamming, 1962; Moré and Wild, 2011)."""
        spread = self.local.spread
        if self.total:
            spread = np.array([spread[self._changing].sum() if self._changing.any() else spread.sum()])
        rough = np.zeros(spread.shape)
        for h in _STEPS_OF_SINGLE if self.local.function.is_single else _STEPS_OF_DOUBLE:
            table = np.diff([self(t * h * _UNEVEN * max(self.direction.scales)) for t in _POINTS], n=_ORDER, axis=0)
            found = np.sqrt(np.mean(table**2, axis=0) / _GAMMA)
            rough = np.maximum(rough, np.where(np.isfinite(found), found, 0.0))
        return np.asarray(spread + _SAFETY * rough)

    def follows(self, slope: Numbers) -> Numbers:
        """Whether the values follow a slope over long steps, be it that they do so on stairs."""
        h = _FIRST * max(self.direction.scales)
        return np.asarray(np.abs((self(h) - self(-h)) / (2 * h) - slope) <= 0.3 * np.abs(slope))

    @cached_property
    def estimated(self) -> Estimate:
        """The slopes at 0, with all the noise there is in their errors."""
        return self.estimate(self.noise)

    def estimate(self, noise: Numbers | float = 0.0) -> Estimate:
        """The slopes at 0 from the best of a few windows of extrapolated differences. `noise` is that of the values,
        beside rounding in their last digits."""
        shape = self(0.0).shape
        value, error, kink = np.full(shape, np.nan), np.full(shape, np.inf), np.zeros(shape)
        sound, clash = np.ones(shape, dtype=bool), np.zeros(shape, dtype=bool)
        for scale in reversed(self.direction.scales):
            steps = _FIRST * scale * 2.0 ** -_HALVINGS.reshape(-1, 1)
            up, down = (np.array([self(sign * h) for h in steps.ravel().tolist()]) for sign in (1, -1))
            central, gap = (up - down) / (2 * steps), (up + down - 2 * self(0.0)) / steps
            floor = _SAFETY * self.local.function.eps * np.maximum(np.abs(up), np.abs(down)) + noise
            for window in reversed(_WINDOWS):  # a kink that shows from near hides in the curvature from afar
                (found, _), (before, _) = (extrapolated(rows, 4.0) for rows in (central[window], central[window][1:]))
                bend, last = np.abs(extrapolated(gap[window], 2.0)[0]), window.stop - 1
                rounding = floor[last] / steps[last]
                off = np.abs(found - before) + bend + rounding
                sound &= np.abs(gap[last]) <= np.maximum(0.3 * np.abs(gap[window.start]), 8 * rounding)
                clash |= sound & (np.abs(found - value) > _CONSISTENT * (off + error) + UNDERFLOWS)
                better = sound & (off < error)
                value, error, kink = (
                    np.where(better, new, old) for new, old in ((found, value), (off, error), (bend, kink))
                )
        return Estimate(np.where(clash, np.nan, value), error, kink)
