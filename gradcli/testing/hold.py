"""A derivative held against differences: entry by entry, in blocks, and along random directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gradcli.checks.differences import judge
from gradcli.checks.numbers import Numbers
from gradcli.testing.local import Curve, Direction, Local

__all__ = ["Given", "Held", "Slope", "Wrong", "agrees", "hold"]

__tracebackhide__ = True

_MOST_ENTRIES = 200
_SAMPLED = 32
_LARGEST = 8
_BLOCKS = 32
_DENSE = 2
_ASTRONOMIC = 1e12
_ROUNDED = 1e-9  # of the sum of sizes: how well a slope along many entries is known
_NOISY = 1e-10
_SURE = 2e-3  # how far off a slope must be where there is noise
_SURE_NOISY = 2e-2
_SURE_ERRORS = 20.0
_FLAT = 1e-2
_HIDDEN = 1e-15  # a change that 1 + x would hide
_SHORT = 2.0**-46  # a number that is made of larger units than this was left over by a subtraction
_SINGLE = (1e-4, 1e-5)  # in single precision: of the entry, and of the largest one


@dataclass(frozen=True)
class Given:
    """What the author gave at a point, as a matrix: a row for each output, or one for their sum; a column for each
    number that is moved.

    Attributes:
        rtol, atol: what the author allows; None where nothing was said.
        single: whether it was computed in single precision.
        rounding: how much rounding there is in the matrix, where that can be found out.
    """

    matrix: Numbers
    total: bool
    rtol: float | None = None
    atol: float | None = None
    single: bool = False
    rounding: Callable[[], Numbers] | None = None

    def allowed(self, columns: Numbers) -> Numbers:
        """How far entries may be off, whatever the differences say: by the tolerances, and by their own rounding."""
        given = np.abs(np.nan_to_num(self.matrix[:, columns], posinf=0.0, neginf=0.0))
        if self.single:
            of_entry, of_largest = _SINGLE
            found = of_entry * given + of_largest * self._largest
        else:
            unit = _unit(given)
            found = np.where(unit <= _SHORT, 4 * unit, 0.0)
        if self.rounding is not None:
            found = np.maximum(found, self.rounding()[:, columns])
        if self.rtol is not None or self.atol is not None:
            found = np.maximum(found, (self.rtol or 0.0) * given + (self.atol or 0.0))
        return np.asarray(found)

    @cached_property
    def _largest(self) -> float:
        return float(np.abs(self.matrix[np.isfinite(self.matrix)]).max(initial=0.0))


def _unit(sizes: Numbers) -> Numbers:
    """The value of the last binary digit that is not 0; 0 for 0."""
    mantissa, exponent = np.frexp(sizes)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    return np.asarray(np.ldexp((whole & -whole).astype(float), exponent - 53))


@dataclass(frozen=True)
class Slope:
    """What the differences say along one direction, for each row of the matrix.

    `value` is their estimate, NaN where there is none; what is neither wrong nor agrees is open.
    """

    direction: Direction
    expected: Numbers
    value: Numbers
    agrees: Numbers
    wrong: Numbers


@dataclass(frozen=True)
class Wrong:
    """A number that is wrong: by its row and column in the matrix; no column where it is a slope along a direction."""

    row: int
    column: int | None
    expected: float
    got: float

    @property
    def relative(self) -> float:
        size = max(abs(self.expected), abs(self.got))
        off = abs(self.expected - self.got) / size if size else 0.0
        return off if np.isfinite(off) else np.inf


@dataclass
class Held:
    """What was found at a point. `single` holds the columns that were checked one by one."""

    wrong: list[Wrong] = field(default_factory=list)
    single: dict[int, Slope] = field(default_factory=dict)

    @property
    def checked(self) -> int:
        """How many entries were checked one by one."""
        return sum(slope.expected.size for slope in self.single.values())


def hold(
    local: Local, given: Given, random: np.random.Generator, *, most: int = _MOST_ENTRIES, blocks: int = _BLOCKS
) -> Held:
    """All entries while they are no more than `most`, else a sample of them and all in blocks; then directions in which
    all move, if nothing is wrong so far."""
    held = Held()
    count = local.row.size
    columns = range(count) if count <= most else _sample(given, random, min(most, _SAMPLED))
    for k in columns:
        held.single[int(k)] = _along(local, given, local.coordinate(int(k)))
    held.wrong = [w for k, slope in held.single.items() for w in _entries(slope, k)]
    if not held.wrong:
        groups = np.array_split(random.permutation(count), blocks) if count > most else []
        groups += [np.arange(count)] * (_DENSE if count > 1 else 0)
        for places in groups:
            held.wrong = _within(local, given, places, random)
            if held.wrong:
                break
    return held


def agrees(local: Local, given: Given, places: Numbers, random: np.random.Generator) -> bool:
    """Whether the slopes along random directions of these entries agree."""
    return all(_along(local, given, _mixed(local, places, random)).agrees.all() for _ in range(_DENSE))


def _sample(given: Given, random: np.random.Generator, most: int) -> list[int]:
    """Seeded columns, and those with the largest entries."""
    count = given.matrix.shape[1]
    largest = np.argsort(-np.abs(np.nan_to_num(given.matrix)).max(axis=0, initial=0.0), kind="stable")[:_LARGEST]
    chosen = random.choice(count, min(count, most), replace=False)
    return sorted({*largest.tolist(), *chosen.tolist()})


def _entries(slope: Slope, column: int) -> Iterator[Wrong]:
    for k in np.flatnonzero(slope.wrong).tolist():
        yield Wrong(k, column, float(slope.expected[k]), float(slope.value[k]))


def _within(local: Local, given: Given, places: Numbers, random: np.random.Generator) -> list[Wrong]:
    """What is wrong along a random direction of these entries: halved until one is left, or no half is wrong alone."""
    places = places[np.isfinite(given.matrix[:, places]).all(axis=0)]
    if not places.size:
        return []
    direction = local.coordinate(int(places[0])) if places.size == 1 else _mixed(local, places, random)
    slope = _along(local, given, direction)
    if not slope.wrong.any():
        return []
    if places.size == 1:
        return list(_entries(slope, int(places[0])))
    for half in np.array_split(places, 2):
        if found := _within(local, given, half, random):
            return found
    k = int(np.flatnonzero(slope.wrong)[0])
    return [Wrong(k, None, float(slope.expected[k]), float(slope.value[k]))]


def _mixed(local: Local, places: Numbers, random: np.random.Generator) -> Direction:
    """Each entry moves by about its own size; those of astronomic size stay where they are beside others."""
    size = np.abs(local.row[places])
    own = np.where(np.isfinite(size) & (size > 0), size, 1.0)
    near = own < _ASTRONOMIC
    if near.any():
        places, own = places[near], own[near]
    speeds = own * random.choice([-1.0, 1.0], own.shape) * random.uniform(0.5, 1.0, own.shape)
    return Direction(places, speeds, [1.0])


def _along(local: Local, given: Given, direction: Direction) -> Slope:
    """Holds the slopes of all rows along one direction. One that is NaN or infinite is wrong where the differences
    settle."""
    terms = given.matrix[:, direction.places] * direction.speeds
    expected = terms.sum(axis=1)
    finite = np.isfinite(expected)
    slope = np.where(finite, expected, 0.0)
    curve = local.curve(direction, total=given.total)
    found = judge(curve, slope, direction.scales, lambda: curve.noise)
    value, wrong = found.value, found.wrong
    open_ = ~(found.agrees | found.unseen | wrong)
    if open_.any():
        other, differs = _other(curve, slope)
        value, wrong = np.where(open_ & differs, other, value), wrong | (open_ & differs)
    if wrong.any():
        allowed = (given.allowed(direction.places) * np.abs(direction.speeds)).sum(axis=1) + curve.hidden()
        if direction.places.size > 1:
            allowed = allowed + _ROUNDED * np.abs(terms).sum(axis=1)
        wrong = wrong & ~_is_excused(curve, slope, value, allowed)
    wrong = wrong | (~finite & found.agrees & ~found.one_sided)
    return Slope(direction, expected, value, found.agrees & finite, wrong)


def _other(curve: Curve, slope: Numbers) -> tuple[Numbers, Numbers]:
    """Estimates without regard to what is expected, and whether they are certain, and others."""
    found = curve.estimated
    known = np.isfinite(found.value)
    value = np.where(known, found.value, 0.0)
    off, size = np.abs(value - slope), np.maximum(np.abs(value), np.abs(slope))
    tilt = np.copysign(size, value)  # a slope of nearly 0 has no digits to agree in

    def tilted(t: float) -> Numbers:
        return np.asarray(curve(t) + t * tilt)

    again = judge(tilted, value + tilt, curve.direction.scales, lambda: curve.noise)
    certain = again.agrees & ~again.one_sided & (off > _SURE * size)
    certain |= _is_noisy(curve, size) & (off > _SURE_NOISY * size)
    return value, known & certain & (off > _SURE_ERRORS * found.error)


def _is_noisy(curve: Curve, size: Numbers) -> Numbers:
    """Whether the noise leaves a slope of this size few digits."""
    return np.asarray(curve.noise > _NOISY * max(curve.direction.scales) * size)


def _is_excused(curve: Curve, slope: Numbers, value: Numbers, allowed: Numbers) -> Numbers:
    """Whether a slope that the differences call wrong is as near as its own rounding and theirs let it be, or a small
    kink; or the function goes on stairs: those of rounding look flat from near."""
    off, size = np.abs(value - slope), np.maximum(np.abs(value), np.abs(slope))
    found = off <= np.maximum(allowed, 2 * curve.estimated.kink)
    found |= _is_noisy(curve, size) & (off <= _SURE * size)
    found |= (np.minimum(np.abs(value), np.abs(slope)) == 0) & (size * max(curve.direction.scales) <= _HIDDEN)
    flat = (np.abs(value) <= _FLAT * np.abs(slope)) & ~found
    return np.asarray(found | (flat & curve.follows(slope)) if flat.any() else found)
