"""What a question is answered with: frozen dataclasses that hold NumPy arrays. Imports NumPy and `errors` only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gradcli.errors import Fault

__all__ = [
    "Array",
    "Change",
    "ChangeKind",
    "Changes",
    "Check",
    "Checked",
    "CheckedFile",
    "Comparison",
    "Difference",
    "Gradient",
    "Hessian",
    "Jacobian",
    "Note",
    "PerExample",
    "Result",
    "Tally",
    "Verdict",
]

Array = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader should know: `kind` is one of unconnected, kink, domain, nonfinite, cancel, diagonal,
    undefined-sum, formula; `line` is the line of the file that it is about."""

    kind: str
    message: str
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Result:
    """What every answer has.

    Attributes:
        targets: the value of each target, in its own shape.
        sources: the point: the value of each source that was asked for, by dotted name (`layer1.w`).
        weights: the output gradient of each target that has one, in the target's shape.
        dtype: "float64" or "float32".
        notes: what the reader should know, in the order of the file.
        title: the file's title; `file`: its name as it was given.
        formulas: where they were asked for, the formula of each derivative by the keys of the answer (for compare those
            of the rows): nested lists of text in the shape of the numbers, None where there is no formula.
    """

    targets: Mapping[str, Array]
    sources: Mapping[str, Array]
    weights: Mapping[str, Array] = field(default_factory=dict)
    dtype: str = "float64"
    notes: tuple[Note, ...] = ()
    title: str | None = None
    file: str | None = None
    formulas: Mapping[str, Any] | None = None

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each source and target; where a target is named like a source, the source's."""
        shapes = {name: value.shape for name, value in self.targets.items()}
        return shapes | {name: value.shape for name, value in self.sources.items()}


@dataclass(frozen=True, kw_only=True)
class Gradient(Result):
    """`gradient[source]` has the source's shape; None where the source is unconnected."""

    gradient: Mapping[str, Array | None]


@dataclass(frozen=True, kw_only=True)
class Jacobian(Result):
    """`jacobian[target][source]` has the shape target.shape + source.shape, unweighted; None where unconnected."""

    jacobian: Mapping[str, Mapping[str, Array | None]]


@dataclass(frozen=True, kw_only=True)
class PerExample(Jacobian):
    """The Jacobian of independent rows: `jacobian[target][source]` has the shape target.shape + source.shape[1:]."""


@dataclass(frozen=True, kw_only=True)
class Comparison(Result):
    """The rows, their weighted sum and the gradient, which was computed apart from them.

    Attributes:
        gradient, jacobian: as in `Gradient` and `Jacobian`.
        row_sum: per source the sum over all targets and outputs of weight * row, in the source's shape.
        max_abs_difference: the largest |row_sum - gradient|; 0.0 where there is nothing to compare.
        match: |row_sum - gradient| <= 64 eps * sum |weight * row| in every entry.
        exact: row_sum and gradient are equal to the last digit.
    """

    gradient: Mapping[str, Array | None]
    jacobian: Mapping[str, Mapping[str, Array | None]]
    row_sum: Mapping[str, Array | None]
    max_abs_difference: float
    match: bool
    exact: bool


@dataclass(frozen=True, kw_only=True)
class Hessian(Result):
    """`hessian[a][b]` has the shape a.shape + b.shape; None where one of the two is unconnected."""

    hessian: Mapping[str, Mapping[str, Array | None]]


Verdict = Literal["equal", "wrong", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The entry in which two values differ most: its label (`w[0,1]`), what was expected, and what there is; None where
    there is no path."""

    entry: str
    expected: float | None
    got: float | None


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check and its verdict.

    Attributes:
        name: what was checked: `gradient w`, `jacobian y/w`, `differences`.
        verdict: wrong only where it is certain; inconclusive where rounding or a kink leaves it open.
        digits: to how many significant digits both agree in the worst entry, at most 16; None where nothing was
            compared.
        max_abs_difference, max_rel_difference: over all entries; None where nothing was compared.
        detail: what the verdict rests on (`proved`, `12 points`, `order 2.00`), or why it is inconclusive.
        worst: where the two differ most, if the check is wrong.
        counterexample: a simple point where a formula is wrong: `x1 = 1, x2 = 0`.
        diagnosis: the usual mistake that explains the difference, as a sentence.
        line: the line of the file that it is about.
    """

    name: str
    verdict: Verdict
    digits: float | None = None
    max_abs_difference: float | None = None
    max_rel_difference: float | None = None
    detail: str | None = None
    worst: Difference | None = None
    counterexample: str | None = None
    diagnosis: str | None = None
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class CheckedFile:
    """The checks of one file, in order: its expectations, then the independent methods.

    `faults` is what made the file unreadable; then there are no checks, and it has not passed.
    """

    file: str | None
    title: str | None = None
    checks: tuple[Check, ...] = ()
    faults: tuple[Fault, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the file could be read and nothing in it is wrong; what is inconclusive passes."""
        return not self.faults and all(check.verdict != "wrong" for check in self.checks)


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a check found, by file.

    `not_checked` is how many files are left out because one before them has not passed (`fail_fast`).
    """

    files: tuple[CheckedFile, ...]
    not_checked: int = 0

    @property
    def passed(self) -> bool:
        """Whether every file that was checked has passed."""
        return all(file.passed for file in self.files)


ChangeKind = Literal["added", "removed", "shape", "unconnected", "value", "gradient", "jacobian", "hessian"]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that two results do not have in common.

    Attributes:
        kind: what changed: an entry of an array; whether an array is unconnected, for which its largest entry stands;
            the shape of a target or source; or that there is one at all.
        name: of the target or source, or of two (`y/w`).
        label: what a person calls it: `jacobian y[0] by w[1]`, `source w`.
        index: of the entry, in the array of this name; None for what is no entry.
        old, new: the numbers, None where there is no path; or shapes, None where there is no such name.
        difference: new - old; None where it is not finite.
        relative: |new - old| / max(|old|, |new|).
    """

    kind: ChangeKind
    name: str
    label: str
    index: tuple[int, ...] | None
    old: float | tuple[int, ...] | None
    new: float | tuple[int, ...] | None
    difference: float | None = None
    relative: float | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of an array's entries changed; all of them where it is unconnected on one side."""

    label: str
    changed: int
    entries: int


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What changed between two sides.

    Attributes:
        old, new: the names of their files.
        dtype: the precision in which they were compared.
        changes: the worst first: names and shapes, then what is or was unconnected, then entries, by their difference
            beside the largest entry of their array.
        arrays: a tally for each array that both sides have.
        notes: what was not compared, and why.
    """

    old: str | None
    new: str | None
    dtype: str = "float64"
    changes: Sequence[Change] = ()
    arrays: tuple[Tally, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether there is any change."""
        return len(self.changes) > 0
