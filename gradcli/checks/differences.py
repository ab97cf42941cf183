"""Extrapolated finite differences that know how good they are.

Richardson's extrapolation over windows of four halved steps (C. J. F. Ridders, 1982), on steps from an eighth of the
scale down to where rounding begins. A window counts only where its own error estimate is small and where the
differences to the left and to the right approach each other, as they do not across a kink. A derivative is called wrong
only where the finest windows that can be trusted agree with each other and not with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from gradcli.checks.numbers import UNDERFLOWS, Numbers

__all__ = ["Judged", "extrapolated", "judge"]

Curve = Callable[[float], Numbers]
Smooth = Callable[[Sequence[float]], bool]

_EPS = float(np.finfo(np.float64).eps)
_STEPS = 37
_FIRST = 2.0**-3 * (0x2EC9A15 / 2**26)  # no simple fraction: a period of the function is no multiple of a step
_WINDOW = 4
_STRIDE = 3
_GOOD = 1e-8  # an agreement after which no further window is tried
_FAIR = 1e-6  # an agreement that counts
_ENOUGH = 4  # windows after which a fair agreement is enough
_ENOUGH_TRUSTED = 3
_SHARP = 1e-6  # the rounding, as a part of the slope, in the windows that are preferred
_UNSETTLED = 2  # finer windows that should settle, too; where these do not, a feature is finer than the others
_SEEN = 16.0  # times the rounding of a difference: what is smaller cannot be seen in it


@dataclass(frozen=True, slots=True)
class Judged:
    """What the differences say of each output's slope.

    Attributes:
        value: the best estimate; NaN where there is none.
        agrees, wrong: neither holds where it is inconclusive; `reason` then says why, else it is empty.
        unseen: the slope is too small beside the rounding of the function to be seen; it counts as agreeing.
        one_sided: the function does not exist on one side, and the other side agrees.
    """

    value: Numbers
    agrees: Numbers
    wrong: Numbers
    unseen: Numbers
    one_sided: Numbers
    reasons: list[str]


@dataclass(slots=True)
class _Window:
    """The estimates of one window: central, and from the left and right."""

    step: float
    value: Numbers
    error: Numbers
    left: Numbers
    right: Numbers
    left_error: Numbers
    right_error: Numbers
    smooth: Numbers
    here: Numbers
    size: Numbers
    floor: Numbers  # the rounding of a difference, from the size of the function alone


def judge(
    curve: Curve,
    slope: Numbers,
    scales: list[float],
    rounding: Callable[[], Numbers],
    smooth: Smooth = lambda steps: True,
) -> Judged:
    """Holds `slope`, the derivative of `curve` at 0, against differences; the curve's value and the slope are vectors.

    Args:
        scales: what a large step is, one ladder of steps for each.
        rounding: the rounding errors in the curve at 0; asked only where the differences do not agree.
        smooth: whether no branch changes between 0 and these steps; asked only before something is called wrong.
    """
    with np.errstate(all="ignore"):
        state = _State(slope)
        for scale in scales:
            ladder = _Ladder(curve, scale)
            for count, window in enumerate(ladder.windows(), start=1):
                state.add(window)
                if state.settled(_GOOD if count < _ENOUGH else _FAIR):
                    return state.judged(rounding, smooth)
            state.ladder_ends()
        return state.judged(rounding, smooth)


@dataclass(slots=True)
class _Ladder:
    curve: Curve
    scale: float
    _known: dict[float, Numbers] = field(default_factory=dict)

    def at(self, t: float) -> Numbers:
        if t not in self._known:
            self._known[t] = self.curve(t)
        return self._known[t]

    def windows(self) -> Iterator[_Window]:
        """First an ordinary one, then ever finer ones, at last the coarsest."""
        for k in (*range(_STRIDE, _STEPS - _WINDOW, _STRIDE), 0):
            yield self._window([self.scale * _FIRST * 2.0 ** -(k + i) for i in range(_WINDOW)])

    def _window(self, steps: list[float]) -> _Window:
        here = self.at(0.0)
        up, down = np.array([self.at(h) for h in steps]), np.array([self.at(-h) for h in steps])
        h = np.array(steps).reshape(-1, 1)
        right, left = (up - here) / h, (here - down) / h
        value, error = extrapolated((up - down) / (2 * h), 4.0)
        right_value, right_error = extrapolated(right, 2.0)
        left_value, left_error = extrapolated(left, 2.0)
        size = np.maximum(np.abs(up).max(axis=0), np.abs(down).max(axis=0))
        size = np.where(np.isfinite(size), size, np.abs(here))
        floor = 4 * _EPS * size / steps[-1]
        gap = np.abs(right - left)
        smooth = (gap[-1] <= 0.3 * gap[0]) | (gap[-1] <= 1e-6 * np.abs(value) + 8 * floor)
        return _Window(
            steps[-1],
            value,
            error,
            left_value,
            right_value,
            left_error,
            right_error,
            smooth & np.isfinite(value),
            here,
            size,
            floor,
        )


def extrapolated(rows: Numbers, base: float) -> tuple[Numbers, Numbers]:
    """Richardson's table of differences at halved steps down to its tip, and how far the tip is from what it was made
    of; `base` is 4 for central differences and 2 for others."""
    factor, before = base, rows
    while len(rows) > 1:
        before, rows = rows, rows[1:] + (rows[1:] - rows[:-1]) / (factor - 1)
        factor *= base
    return rows[0], np.abs(rows[0] - before).max(axis=0)


class _State:
    """What is known of each output after some windows."""

    def __init__(self, slope: Numbers) -> None:
        self.slope = slope
        self.best = np.full(slope.shape, np.inf)
        self.value = np.full(slope.shape, np.nan)
        self.agrees, self.unseen, self.one_sided = (np.zeros(slope.shape, dtype=bool) for _ in range(3))
        self.here = np.full(slope.shape, np.nan)
        self.windows: list[_Window] = []
        self.ladders: list[list[_Window]] = []

    def add(self, w: _Window) -> None:
        self.here = w.here
        self.windows.append(w)
        self._take(w, w.value, w.error, w.smooth)
        for value, error, other in ((w.right, w.right_error, w.left), (w.left, w.left_error, w.right)):
            alone = np.isfinite(value) & ~np.isfinite(other)
            self._take(w, value, error, alone, one_sided=True)

    def _take(self, w: _Window, value: Numbers, error: Numbers, counts: Numbers, *, one_sided: bool = False) -> None:
        size = np.maximum(np.abs(value), np.abs(self.slope))
        off = np.abs(value - self.slope)
        unseen = counts & (size <= _SEEN * w.floor) & (self.slope != 0)
        none = counts & (self.slope == 0) & (np.abs(value) <= _SEEN * w.floor + error) & (error <= _SEEN * w.floor)
        relative = np.where(size > 0, off / size, 0.0)
        sure = counts & (error <= 1e-3 * size)
        better = (sure & ~unseen & (relative < self.best)) | (none & (self.best > 0))
        self.best = np.where(better, np.where(none, np.minimum(relative, _EPS), relative), self.best)
        self.value = np.where(better | (np.isnan(self.value) & counts), value, self.value)
        self.one_sided = np.where(better, one_sided, self.one_sided)
        self.agrees |= (sure & ~unseen & (relative <= _FAIR)) | none
        self.unseen |= unseen & (w.step >= 1e-4 * self._largest())

    def _largest(self) -> float:
        return (self.ladders[0] if self.ladders else self.windows)[0].step

    def settled(self, limit: float) -> bool:
        return bool(((self.best <= limit) & self.agrees | self.unseen).all())

    def ladder_ends(self) -> None:
        self.ladders.append(self.windows)
        self.windows = []

    def judged(self, rounding: Callable[[], Numbers], smooth: Smooth) -> Judged:
        agrees = self.agrees
        unseen = self.unseen & ~agrees
        reasons = [""] * self.slope.size
        wrong = np.zeros(self.slope.shape, dtype=bool)
        open_ = np.flatnonzero(~agrees & ~unseen)
        if open_.size:
            noise = rounding()
            seen = _SEEN * noise / self._largest()
            seen = np.maximum(seen, UNDERFLOWS)
            seen = np.where(np.isfinite(noise), seen, 0.0)
            unseen |= ~agrees & (np.abs(self.slope) <= seen) & (np.abs(self.value) <= seen)
            for k in open_[~unseen[open_]]:
                wrong[k], reasons[k], value = self._closer(int(k), float(noise[k]), smooth)
                if not np.isnan(value):
                    self.value[k] = value
        return Judged(self.value, agrees, wrong, unseen, self.one_sided & agrees, reasons)

    def _closer(self, k: int, noise: float, smooth: Smooth) -> tuple[bool, str, float]:
        """Whether output k is wrong, why it is inconclusive, and the best estimate."""
        slope = float(self.slope[k])
        windows = [w for ladder in self.ladders for w in sorted(ladder, key=lambda w: -w.step)]
        if np.isnan(slope):
            return False, "the derivative is NaN here", np.nan
        if not np.isfinite(self.here[k]):
            return False, "the function is not finite here", np.nan
        if np.isinf(slope):
            return False, _about_infinite(windows, k), np.nan
        if not np.isfinite(noise):
            return False, "rounding alone makes the function infinite or NaN here", np.nan
        if not (np.isfinite(windows[-1].left[k]) and np.isfinite(windows[-1].right[k])):
            return False, "the point is at the edge of the domain", np.nan
        kink = _kink(windows, k, noise)
        if kink:
            return False, kink, np.nan
        found = [
            (w.step, v, noise / w.step + w.floor[k]) for w in windows if (v := _trusted(w, k, slope, noise)) is not None
        ]
        sharp = [known for known in found if known[2] <= _SHARP * max(abs(known[1]), abs(slope))]
        known = sorted(sharp if len(sharp) >= _ENOUGH_TRUSTED else found, reverse=True)
        if len(known) < _ENOUGH_TRUSTED:
            least = windows[-1].step
            why = "are too noisy here to tell" if smooth([least, -least]) else "go across a jump or kink here"
            return False, f"the differences {why}", np.nan
        last = [v for _, v, _ in known[-_ENOUGH_TRUSTED:]]
        finest = known[-1][0]
        off = min(abs(v - slope) for v in last)
        size = max(abs(slope), *map(abs, last))
        spread = max(last) - min(last)
        trusted = {step for step, _, _ in found}
        unsettled = [
            w
            for w in windows
            if w.step < finest and w.step not in trusted and 8 * (noise / w.step + w.floor[k]) <= 1e-4 * off
        ]
        finer = [w for w in windows if w.step < finest and noise / w.step + w.floor[k] <= 0.1 * off]
        jagged = any(abs(w.value[k] - last[-1]) > max(10 * (noise / w.step + w.floor[k]), 0.05 * off) for w in finer)
        if jagged or spread > 1e-3 * size or off <= max(20 * spread, 1e-5 * size) or len(unsettled) >= _UNSETTLED:
            return False, "the differences do not settle here", np.nan
        steep = off * finest > 1e3 * max(float(w.size[k]) for w in windows)
        if steep or not smooth(
            [sign * step * 2.0**i for step, _, _ in known[-2:] for i in range(_WINDOW) for sign in (1, -1)]
        ):
            return False, "the function has features here that are finer than the steps", np.nan
        return True, "", last[0]


def _trusted(w: _Window, k: int, slope: float, noise: float) -> float | None:
    """The estimate of a window that can be trusted. At the edge of a domain none is: no power series need be there."""
    value = float(w.value[k])
    if w.smooth[k] and np.isfinite(value) and max(w.error[k] - w.floor[k], noise / w.step) <= 1e-4 * abs(value):
        return value
    both = max(abs(w.value[k]) + w.error[k], abs(w.right[k]), abs(w.left[k])) + noise / w.step
    return 0.0 if w.smooth[k] and both <= 1e-4 * abs(slope) else None  # flat on both sides


def _kink(windows: list[_Window], k: int, noise: float) -> str:
    """Where the finest windows settle on two slopes: which."""
    left = right = 0.0
    for w in windows:
        size = max(abs(w.left[k]), abs(w.right[k]))
        errors = w.left_error[k] + w.right_error[k] + noise / w.step
        if np.isfinite(w.left[k]) and np.isfinite(w.right[k]) and errors <= 1e-3 * size:
            left, right = float(w.left[k]), float(w.right[k])
    if abs(left - right) <= 1e-2 * max(abs(left), abs(right)):
        return ""
    return f"a kink: the slope is {left:.6g} from the left and {right:.6g} from the right"


def _about_infinite(windows: list[_Window], k: int) -> str:
    sizes = [np.nanmax(np.abs([w.left[k], w.right[k]])) for w in windows if np.isfinite([w.left[k], w.right[k]]).any()]
    grows = len(sizes) > 2 and all(b > a for a, b in pairwise(sizes))
    return "the derivative is infinite here" + (", and the differences grow without bound" if grows else "")
