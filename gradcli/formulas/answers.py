"""Derivatives as formulas: the nodes that answer a question, entry by entry, as text or LaTeX."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.shapes import size
from gradcli.formulas.algebra import NO_TIME, Algebra, Entries, Missing, filled
from gradcli.formulas.clock import Budget, Clock
from gradcli.formulas.evaluate import Evaluator, symbols_of
from gradcli.formulas.latex import latex as latex_text
from gradcli.formulas.numerals import GiveUp
from gradcli.formulas.simplify import shortest
from gradcli.formulas.text import TextPrinter

__all__ = ["Formulas", "Gap", "Nested", "formulas_of"]

Key = TypeVar("Key", bound=Hashable)
Nested = str | None | list["Nested"]

_SIZE_PER_CHARACTER = 2.5  # an expression may shrink on its way to the text
# How much simplification, in sizes of expressions, for all formulas and for one; about 0.3 ms each.
_UNITS = 3000
_MOST_UNITS = 600
_LEAST_UNITS = 60


class Named(Protocol):
    """What is needed of a program: its graph, and the values that have names."""

    @property
    def graph(self) -> Graph: ...
    @property
    def inputs(self) -> Mapping[str, Value]: ...
    @property
    def sources(self) -> Mapping[str, Value]: ...


@dataclass(frozen=True, slots=True)
class Gap:
    """Entries without a formula: which answer, how many of its entries, the first of them, and why."""

    key: Any
    count: int
    first: tuple[int, ...]
    reason: str

    @property
    def text(self) -> str:
        """`no formula for w (1,000 entries): more than 64 entries`."""
        name = self.key if isinstance(self.key, str) else ", ".join(map(str, self.key))
        many = f" ({self.count:,} entries)" if self.count > 1 else ""
        place = f"[{','.join(map(str, self.first))}]" if self.count == 1 and self.first else ""
        return f"no formula for {name}{place}{many}: {self.reason}"


@dataclass(frozen=True)
class Formulas:
    """`formulas` has for each key nested lists of texts, in the shape of the answer: None where there is no formula
    (`gaps` says why) or no derivative."""

    formulas: Mapping[Any, Nested]
    gaps: tuple[Gap, ...]


def formulas_of(
    program: Named,
    answers: Mapping[Key, Value | None],
    lets: Mapping[str, Value],
    *,
    expand: bool = False,
    latex: bool = False,
    max_entries: int = 64,
    max_length: int = 400,
    seconds: float = 2.0,
    taken: Collection[str] = (),
) -> Formulas:
    """The formula of each entry of each answer (a node of the program's graph; None where unconnected).

    Args:
        lets: values whose names are kept as symbols where that makes the formula shorter; with `expand` never.
        latex: LaTeX in place of text in gradcli's language.
        max_entries: larger answers have no formulas. max_length: of the text of one formula.
        seconds: bound on the time for everything.
        taken: names of the file besides those of sources and lets, which hide `pi`.
    """
    clock = Clock(seconds)
    printer = TextPrinter({*program.inputs, *program.sources, *lets, *taken})
    count = sum(size(v.shape) for v in answers.values() if v is not None and size(v.shape) <= max_entries)
    units = min(_MOST_UNITS, max(_LEAST_UNITS, _UNITS // max(count, 1)))
    evaluators = _evaluators(program, lets, expand, max_length, clock)
    writer = _Writer(evaluators, printer, clock, units, max_length, latex)
    formulas: dict[Key, Nested] = {}
    gaps: list[Gap] = []
    for key, value in answers.items():
        formulas[key] = None
        if value is None:
            continue
        if size(value.shape) > max_entries:
            gaps.append(Gap(key, size(value.shape), (0,) * value.rank, f"more than {max_entries} entries"))
            continue
        texts = writer.texts(value)
        gaps += _gaps(key, texts)
        formulas[key] = _nested(texts)
    return Formulas(formulas, tuple(gaps))


def _evaluators(
    program: Named, lets: Mapping[str, Value], expand: bool, max_length: int, clock: Clock
) -> list[Evaluator]:
    """One that looks into lets and, unless `expand`, one that keeps their names."""
    named: dict[Value, str] = {v: name for name, v in reversed(list(program.inputs.items()))}
    kept = {v: name for name, v in reversed(list({**lets, **program.sources}.items())) if v not in named}
    choices = [named] if expand or not kept else [named, {**kept, **named}]
    algebra = Algebra(int(max_length * _SIZE_PER_CHARACTER), clock)
    most = 4096
    return [
        Evaluator(
            program.graph,
            {v: symbols_of(name, v.shape) for v, name in names.items() if size(v.shape) <= most},
            algebra,
        )
        for names in choices
    ]


@dataclass
class _Writer:
    """Evaluates and prints; the same expression is printed once."""

    evaluators: list[Evaluator]
    printer: TextPrinter
    clock: Clock
    units: float
    max_length: int
    latex: bool

    def __post_init__(self) -> None:
        self._written: dict[tuple[Any, ...], str | Missing] = {}

    def texts(self, value: Value) -> Entries:
        """For each entry its formula, or Missing."""
        variants = [e.entries(value) for e in self.evaluators]
        return filled([self._text(entries) for entries in zip(*[v.flat for v in variants], strict=True)], value.shape)

    def _text(self, entries: tuple[Any, ...]) -> str | Missing:
        if entries not in self._written:
            self._written[entries] = self._written_now(entries)
        return self._written[entries]

    def _written_now(self, entries: tuple[Any, ...]) -> str | Missing:
        """The shortest text among those of the variants; the earlier of equals."""
        found: list[tuple[str, Any]] = []
        reasons = []
        for e in entries:
            made = e if isinstance(e, Missing) else self._shortest(e)
            if isinstance(made, Missing):
                reasons.append(made)
            else:
                found.append(made)
        if not found:
            return reasons[-1]
        text, e = min(found, key=lambda f: len(f[0]))
        if len(text) > self.max_length:
            return Missing(f"it is longer than {self.max_length} characters")
        return latex_text(e) if self.latex else text

    def _shortest(self, e: Any) -> tuple[str, Any] | Missing:
        if self.clock.over:
            return NO_TIME
        size = self.evaluators[0].algebra.size(e)
        try:
            return shortest(e, size, self.printer.doprint, Budget(self.units, self.clock))
        except GiveUp as gone:
            return Missing(str(gone))


def _gaps(key: Any, texts: Entries) -> Iterator[Gap]:
    """One gap for each reason."""
    places: dict[str, list[tuple[int, ...]]] = {}
    for place in np.ndindex(texts.shape):
        if isinstance(text := texts[place], Missing):
            places.setdefault(text.reason, []).append(place)
    for reason, found in places.items():
        yield Gap(key, len(found), found[0], reason)


def _nested(texts: Entries) -> Nested:
    flat = [None if isinstance(t, Missing) else t for t in texts.flat]
    return filled(flat, texts.shape).tolist()  # type: ignore[no-any-return]
