"""The answers to questions about derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Comparison", "Gradient", "Hessian", "Jacobian", "Note", "Part", "PerExample", "Result", "Rows"]

Array = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader should know: `kind` is one of unconnected, kink, domain, nonfinite, cancel, diagonal,
    undefined-sum, formula; `line` is the line of the file that it is about."""

    kind: str
    message: str
    line: int | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Gradient(Result):
    """`gradient[source]` has the source's shape; None where the source is unconnected."""

    gradient: Mapping[str, Array | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Jacobian(Result):
    """`jacobian[target][source]` has the shape target.shape + source.shape, unweighted; None where unconnected."""

    jacobian: Mapping[str, Mapping[str, Array | None]]


@dataclass(frozen=True, kw_only=True, eq=False)
class PerExample(Jacobian):
    """The Jacobian of independent rows: `jacobian[target][source]` has the shape target.shape + source.shape[1:]."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of a Jacobian, one after the other: `blocks[source]` has the shape (count, *source.shape); None where
    unconnected."""

    count: int
    blocks: Mapping[str, Array | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows(Result):
    """A Jacobian that is computed while it is read, as it is larger than memory.

    Attributes:
        parts: the rows of a target in order. Whoever reads them drops a part before asking for the next.
        late: notes that are only known when all parts have been read.
    """

    parts: Callable[[str], Iterator[Part]]
    late: list[Note] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, eq=False)
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Hessian(Result):
    """`hessian[a][b]` has the shape a.shape + b.shape; None where one of the two is unconnected."""

    hessian: Mapping[str, Mapping[str, Array | None]]
