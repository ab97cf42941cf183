"""Which usual mistake explains a wrong derivative: each is made on purpose from what the differences say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gradcli.checks.judge import named
from gradcli.checks.mistakes import arrays, functions, sums
from gradcli.checks.mistakes.answer import explained, resembles, tolerance
from gradcli.checks.numbers import Numbers
from gradcli.testing.function import Function
from gradcli.testing.local import Local

__all__ = ["MOST_COLUMNS", "Measured", "Sampled", "explanation"]

__tracebackhide__ = True

MOST_COLUMNS = 100
"""Entries of an argument by which all rows are measured, with 20 calls each."""

_FEW_COLUMNS = 40  # where the same is done again for other arguments and points
_MOST_NUMBERS = 1_000_000
_ERRORS = 8.0
_SINGLE = 1e-4
_COMPUTED = 1e-7

# From the plainest to the most far-fetched: of several that fit the first is named.
MISTAKES = (
    arrays.rounded,
    arrays.sign,
    arrays.transpose,
    sums.rows_and_sums,
    sums.other_rows,
    sums.means,
    arrays.plain_factors,
    sums.other_means,
    functions.degrees,
    functions.logarithms,
    arrays.exchanged,
    arrays.some_signs,
    arrays.values,
    arrays.order,
    arrays.any_factor,
)


def explanation(first: Measured | Sampled, *others: Measured | Sampled) -> str | None:
    """What the author may have done, by the same mistake at all points; None where nothing explains it."""
    mistakes = [m for m in MISTAKES if m is not arrays.rounded] if first.computed else MISTAKES
    return explained(mistakes, first, *others)


def _allowed(expected: Numbers, single: bool, computed: bool) -> Numbers:
    """How far what was given may be from what was meant."""
    if single or not computed:
        return tolerance(expected, rtol=_SINGLE if single else 0.0)
    return np.asarray(_COMPUTED * np.abs(expected) + _COMPUTED**2 * np.abs(expected).max(initial=0.0))


@dataclass(frozen=True)
class Measured:
    """What the author gave by one argument, as an `Answer` whose numbers come from differences.

    Attributes:
        kind: gradient or jacobian.
        name: of the argument.
        expected: what the author gave, in any shape.
        many: whether there are other points.
        single: whether it was computed in single precision.
        computed: whether a function gave it, with all its digits; a person may write fewer.
    """

    kind: str
    name: str
    local: Local
    expected: Numbers
    many: bool = False
    single: bool = False
    computed: bool = False

    @property
    def is_affordable(self) -> bool:
        """Whether the argument is small enough to be measured."""
        count = math.prod(self._shape)
        return 0 < count <= MOST_COLUMNS and count * self.local.here.size <= _MOST_NUMBERS

    @property
    def _function(self) -> Function:
        return self.local.function

    @property
    def _shape(self) -> tuple[int, ...]:
        return self._function.shapes[self.name]

    @property
    def key(self) -> tuple[str, ...]:
        return (self.name,) if self.kind == "gradient" else (self._function.name, self.name)

    @cached_property
    def _block(self) -> tuple[Numbers, Numbers]:
        return self.local.rows(self._function.columns(self.name))

    @cached_property
    def got(self) -> Numbers:
        return self._shaped(self._block[0])

    def _shaped(self, block: Numbers) -> Numbers:
        if self.kind == "gradient":
            return np.asarray(block.sum(axis=0)).reshape(self._shape)
        return block.reshape(self._function.shape + self._shape)

    def fits(self, made: Numbers) -> bool:
        """As far as the differences can tell."""
        allowed = _allowed(self.expected, self.single, self.computed)
        error = _ERRORS * self._shaped(self._block[1])
        allowed = np.maximum(allowed, error if error.shape == allowed.shape else error.max(initial=0.0))
        return resembles(made, self.expected, self.got, allowed)

    @property
    def inputs(self) -> dict[str, Numbers]:
        return self._function.arrays(self.local.row)

    @property
    def targets(self) -> dict[str, Numbers]:
        return {self._function.name: self.local.here.reshape(self._function.shape)}

    @property
    def weights(self) -> dict[str, Numbers]:
        return {}

    @property
    def rows(self) -> dict[str, Numbers]:
        return {self._function.name: self._block[0].reshape(-1, *self._shape)}

    @property
    def others(self) -> dict[str, Numbers]:
        same = [n for n, shape in self._function.shapes.items() if n != self.name and shape == self._shape]
        return {n: Measured(self.kind, n, self.local, self.expected).got for n in same if self._is_small}

    @property
    def _is_small(self) -> bool:
        return self.local.row.size <= _FEW_COLUMNS

    @property
    def summed(self) -> list[int]:
        return [n for n in [self.local.here.size] if n > 1]

    @property
    def lengths(self) -> list[int]:
        return self._function.lengths

    def got_at(self, point: Sequence[Numbers]) -> Numbers | None:
        """None where the function is not finite there, or it would take too many calls."""
        if not self._is_small:
            return None
        local = Local(self._function, np.concatenate([np.ravel(x) for x in point]))
        return Measured(self.kind, self.name, local, self.expected).got if np.isfinite(local.here).all() else None

    def label(self, index: tuple[int, ...]) -> str:
        rank = 0 if self.kind == "gradient" else len(self._function.shape)
        source = named(self.name)(index[rank:])
        return source if self.kind == "gradient" else f"{named(self._function.name)(index[:rank])} by {source}"

    def output(self, target: str, k: int) -> str:
        return self._function.output(k)

    def rtol(self, digits: int) -> str:
        return f"rtol=1e-{digits}"


@dataclass(frozen=True)
class Sampled:
    """Some entries of a derivative in one row, as an `Answer` to the mistakes that show in single numbers."""

    expected: Numbers
    got: Numbers
    labels: Sequence[str]
    summed: Sequence[int]
    lengths: Sequence[int]
    inputs: dict[str, Numbers] = field(default_factory=dict)
    single: bool = False
    computed: bool = False
    kind: str = "gradient"
    key: tuple[str, ...] = ()
    many: bool = False
    targets: dict[str, Numbers] = field(default_factory=dict)
    weights: dict[str, Numbers] = field(default_factory=dict)
    rows: dict[str, Numbers] = field(default_factory=dict)
    others: dict[str, Numbers] = field(default_factory=dict)

    @property
    def is_wrong(self) -> bool:
        """Whether there is something to explain."""
        return not np.array_equal(self.expected, self.got)

    def fits(self, made: Numbers) -> bool:
        """As far as the differences can tell."""
        return resembles(made, self.expected, self.got, _allowed(self.expected, self.single, self.computed))

    def got_at(self, point: Sequence[Numbers]) -> None:
        """Not known."""

    def label(self, index: tuple[int, ...]) -> str:
        return self.labels[index[0]]

    def output(self, target: str, k: int) -> str:
        raise LookupError(target)  # there are no targets

    def rtol(self, digits: int) -> str:
        return f"rtol=1e-{digits}"
