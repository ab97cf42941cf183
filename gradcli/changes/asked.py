"""An expression file as a side: it is asked what the other side holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from gradcli.changes.side import DERIVATIVES, Derivative, Side
from gradcli.document.problem import Problem
from gradcli.errors import InputError
from gradcli.language.names import fold

__all__ = ["Asking", "faults_of"]

_FOR_ROUNDING = 2**26  # bytes for rows that only say how much rounding a gradient may have


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What a file is asked.

    Attributes:
        kinds: of derivative; the Jacobian beside the gradient is left out where it is too large.
        options: for the questions of the API.
        targets, sources: the names on the other side, of which the file is asked for those that it has, too; None for
            all of them.
    """

    kinds: Sequence[Derivative] = ("gradient", "jacobian")
    options: dict[str, Any]
    targets: Iterable[str] | None = None
    sources: Iterable[str] | None = None
    per_example: bool = False

    @classmethod
    def like(cls, other: Side, options: dict[str, Any]) -> Asking:
        """The question whose answer `other` is; `options` that are given win over those that are seen in it."""
        seen = {"dtype": other.dtype, "unconnected": "zero" if other.zero else "none"}
        return cls(
            kinds=other.derivatives,
            options=seen | options,
            targets=other.values,
            sources=other.shapes,
            per_example=other.per_example,
        )

    def answer(self, problem: Problem) -> tuple[Side, str | None]:
        """The side, and a note where a part had to be left out.

        Raises:
            InputError: there is no answer.
        """
        options = self.of(problem)
        if "gradient" in self.kinds:
            return self._gradient(problem, options)
        question = "per_example" if self.per_example else next(kind for kind in DERIVATIVES if kind in self.kinds)
        return _ask(question, problem, options), None

    def of(self, problem: Problem) -> dict[str, Any]:
        """The options for this file."""
        targets = _known(self.targets, problem.targets)
        sources = _known(self.sources, (*problem.sources, *problem.lets))
        return {"targets": targets, "sources": sources if problem.sources else sources or []} | self.options

    def _gradient(self, problem: Problem, options: dict[str, Any]) -> tuple[Side, str | None]:
        """With the rows, if only because they say how much of a gradient is rounding."""
        wanted = "jacobian" in self.kinds
        limit = options.get("max_memory")
        bound = limit if wanted else min(_FOR_ROUNDING, _FOR_ROUNDING if limit is None else limit)
        try:
            return _ask("compare", problem, options | {"max_memory": bound}), None
        except InputError as error:
            if any(fault.kind != "limit" for fault in error.faults):
                raise
            why = error.faults[0].message
        return _ask("grad", problem, options), f"the Jacobian was not compared: {why}" if wanted else None


def _ask(question: str, problem: Problem, options: dict[str, Any]) -> Side:
    api = import_module("gradcli.api")  # which loads what two results in JSON can do without
    return replace(Side.of(getattr(api, question)(problem, **options), computed=True), name=problem.file)


def _known(names: Iterable[str] | None, known: Iterable[str]) -> list[str] | None:
    """Those of the names that there are; where there is none of them None, which is all of the file's own."""
    folded = set(map(fold, known))
    return [name for name in names or () if fold(name) in folded] or None


def faults_of(problem: Problem, asking: Asking) -> None:
    """InputError with what only shows when a file's expressions are put together, without computing anything."""
    _ = import_module("gradcli.question").Question.of(problem, asking.of(problem)).program
