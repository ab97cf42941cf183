"""What a question was answered with: the outputs of a plan at the point, and the parts of every result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.shapes import Shape
from gradcli.document.problem import Problem
from gradcli.plan import Key, Plan
from gradcli.results import Note

__all__ = ["Answer"]

Numbers = NDArray[Any]
Named = Mapping[str, Numbers]


@dataclass(frozen=True)
class Answer:
    """The outputs by what they are: `answer[key]` for a source, a (target, source) or a pair of sources; None where
    there is no path.

    Attributes:
        problem: with the point and the output gradients that were asked for.
        zeros: whether an unconnected source gets zeros and not None.
        notes, formulas: as in a result, but that notes on unconnected sources come from the plan.
    """

    problem: Problem
    plan: Plan
    made: Sequence[Numbers]
    dtype: str
    zeros: bool
    notes: Sequence[Note]
    formulas: Mapping[str, Any] | None = None

    def __getitem__(self, key: Key) -> Numbers | None:
        k = self.plan.answer[key]
        return None if k is None else self.made[k]

    @cached_property
    def targets(self) -> dict[str, Numbers]:
        """The values of the targets."""
        return {name: self.made[k] for name, k in self.plan.targets.items()}

    @cached_property
    def sources(self) -> dict[str, Numbers]:
        """The values of the sources."""
        return {name: self.made[k] for name, k in self.plan.sources.items()}

    @property
    def is_finite(self) -> bool:
        """Whether targets and derivatives are."""
        asked = {*self.plan.targets.values(), *[k for k in self.plan.answer.values() if k is not None]}
        return all(np.isfinite(self.made[k]).all() for k in asked)

    def filled(self, array: Numbers | None, shape: Shape) -> Numbers | None:
        """Zeros for None where that was asked for."""
        return np.zeros(shape, dtype=self.dtype) if array is None and self.zeros else array

    def summed(self) -> dict[str, Numbers | None]:
        """The gradient by source."""
        return {name: self.filled(self[name,], x.shape) for name, x in self.sources.items()}

    def blocks(self, of: Named, by: Named) -> dict[str, dict[str, Numbers | None]]:
        """What is keyed by two names, one of `of` and one of `by`, in the shape of both."""
        return {a: {b: self.filled(self[a, b], x.shape + y.shape) for b, y in by.items()} for a, x in of.items()}

    def common(self) -> dict[str, Any]:
        """The fields that every result has."""
        given, texts = self.problem.output_gradients, self.problem.texts
        weights = {name: np.broadcast_to(given[name], y.shape) for name, y in self.targets.items() if name in given}
        return {
            "targets": self.targets,
            "sources": self.sources,
            "weights": {name: weight.astype(self.dtype) for name, weight in weights.items()},
            "dtype": self.dtype,
            "notes": (*[cut.note(texts) for cut in self.plan.cuts], *self.notes),
            "title": self.problem.title,
            "file": self.problem.file,
            "formulas": self.formulas,
        }
