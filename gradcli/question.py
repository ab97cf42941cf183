"""What all questions share: the assembled problem at its point, running nodes, and the parts of every result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial as bind
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradcli.core.compile import compile_graph
from gradcli.core.memory import peak_bytes
from gradcli.core.nodes import Value
from gradcli.core.shapes import ShapeError, bounded, size
from gradcli.derive import jacobian_nodes
from gradcli.document.problem import Problem, load
from gradcli.errors import Fault, InputError
from gradcli.nonfinite import nonfinite_note
from gradcli.program import Program, assemble
from gradcli.reasons import unconnected_reason
from gradcli.results import Note
from gradcli.selection import choose
from gradcli.watch import entry_text, kink_notes, watched

__all__ = ["Options", "Question", "Source"]

Source = str | os.PathLike[str] | Mapping[str, object] | Problem
Numbers = NDArray[Any]
Key = tuple[str, ...]


class Options(TypedDict, total=False):
    """What every question takes besides the problem.

    targets, sources: choose by name (default: all); a source may be a let name, and `layer` stands for all `layer.*`.
    at: other values for sources. output_gradients: weights by target, a number or an array of the target's shape.
    unconnected: "none" (None) or "zero" (zeros) for a source that no target depends on.
    dtype: "float64" or "float32". as_written: do not rewrite what is written unstably.
    max_memory: refuse to use more bytes (default: a quarter of the machine's memory).
    formulas: also the derivatives as formulas, as text of the language or as "latex"; expand: without let names.
    """

    targets: Iterable[str] | None
    sources: Iterable[str] | None
    at: Mapping[str, ArrayLike] | None
    output_gradients: Mapping[str, ArrayLike] | None
    unconnected: Literal["none", "zero"]
    dtype: str
    as_written: bool
    max_memory: int | None
    formulas: Literal["text", "latex"] | None
    expand: bool


@dataclass
class Question:
    """What all questions share: the assembled problem, the weights, running it, and the parts of every result."""

    problem: Problem
    program: Program
    weights: dict[str, Numbers]
    options: Options
    dtype: str
    _numbers: dict[Value, Numbers] = field(default_factory=dict)
    _notes: list[Note] = field(default_factory=list)
    _formulas: dict[str, Any] | None = None

    @classmethod
    def of(cls, problem: Source, options: Options) -> Question:
        """The question about a problem; InputError with everything that is wrong with the problem or the options."""
        dtype = options.get("dtype", "float64")
        if dtype not in ("float64", "float32"):
            raise InputError(Fault("usage", f"dtype is float64 or float32, not {dtype!r}"))
        loaded = problem if isinstance(problem, Problem) else load(problem)
        loaded, targets, sources = choose(
            loaded, options.get("targets"), options.get("sources"), options.get("at"), options.get("output_gradients")
        )
        program = assemble(loaded, targets, sources, as_written=options.get("as_written", False))
        return cls(loaded, program, _weights(loaded, program), options, dtype)

    def rows(self, forward: Callable[[Value], bool]) -> dict[Key, Value | None]:
        """The nodes of all rows, by (target, source); `forward(target)` chooses the mode."""
        p = self.program
        self.refuse_large([t.shape + s.shape for t in p.targets.values() for s in p.sources.values()])
        found: dict[Key, Value | None] = {}
        for name, target in p.targets.items():
            blocks = jacobian_nodes(p.graph, target, p.sources, forward=forward(target))
            found.update({(name, source): v for source, v in blocks.items()})
        return found

    def rows_of(self, answer: Mapping[Key, Numbers | None]) -> dict[str, dict[str, Numbers | None]]:
        p = self.program
        return {
            name: {source: self.filled(answer[name, source], target.shape + s.shape) for source, s in p.sources.items()}
            for name, target in p.targets.items()
        }

    def run(
        self, nodes: Mapping[Any, Value | None], *, of: Mapping[str, Value] | None = None
    ) -> dict[Key, Numbers | None]:
        """The numbers of the nodes; those of the targets and sources, and the notes, are kept for `common`.

        Of a key of two names the first is one of `of` (the targets, if not given) and the second a source.
        """
        p = self.program
        found = watched(p)
        asked = [*p.targets.values(), *p.sources.values(), *nodes.values(), *[w.condition for w in found]]
        outputs = list(dict.fromkeys(v for v in asked if v is not None))
        self.refuse_memory(peak_bytes(p.graph, outputs, np.dtype(self.dtype).itemsize))
        made = compile_graph(p.graph, list(p.inputs.values()), outputs, self.dtype)(*p.point)
        self._numbers = dict(zip(outputs, made, strict=True))
        self._notes = [*self._nonfinite_notes(nodes, of or p.targets), *kink_notes(found, self._numbers)]
        return {key: None if v is None else self._numbers[v] for key, v in nodes.items()}

    def _nonfinite_notes(self, nodes: Mapping[Key, Value | None], of: Mapping[str, Value]) -> list[Note]:
        """One note, for the first result that is not finite: targets before derivatives."""
        named = [(bind(_target_label, name), v) for name, v in self.program.targets.items()]
        for label, v in [*named, *[(bind(_label, key, of), v) for key, v in nodes.items()]]:
            if v is not None and not np.isfinite(self._numbers[v]).all():
                return [nonfinite_note(self.program, label, v, self._numbers[v], self.dtype)]
        return []

    def filled(self, array: Numbers | None, shape: tuple[int, ...]) -> Numbers | None:
        """Zeros for None where that was asked for."""
        return (
            np.zeros(shape, dtype=self.dtype) if array is None and self.options.get("unconnected") == "zero" else array
        )

    def common(self, answer: Mapping[Key, Numbers | None]) -> dict[str, Any]:
        """The fields that every result has."""
        p = self.program
        weights = {
            name: np.broadcast_to(w, p.targets[name].shape).astype(self.dtype) for name, w in self.weights.items()
        }
        return {
            "targets": {name: self._numbers[v] for name, v in p.targets.items()},
            "sources": {name: self._numbers[v] for name, v in p.sources.items()},
            "weights": weights,
            "dtype": self.dtype,
            "notes": (*self._unconnected_notes(answer), *self._notes),
            "title": self.problem.title,
            "file": self.problem.file,
            "formulas": self._formulas,
        }

    def write_formulas(self, nodes: Mapping[Any, Value | None]) -> None:
        """The formulas of the answer, where they were asked for; `nodes` by source, (target, source) or a pair."""
        form = self.options.get("formulas")
        if form is None:
            return
        from gradcli.formulas import formulas_of

        p = self.program
        found = formulas_of(
            p,
            nodes,
            p.lets,
            expand=self.options.get("expand", False),
            latex=form == "latex",
            taken=self.problem.constants,
        )
        self._formulas = {}
        for (first, *rest), text in found.formulas.items():
            if rest:
                self._formulas.setdefault(first, {})[rest[0]] = text
            else:
                self._formulas[first] = text
        self._notes += [Note("formula", gap.text) for gap in found.gaps]

    def _unconnected_notes(self, answer: Mapping[Key, Numbers | None]) -> list[Note]:
        """One note per source that nothing differentiable leads from, with the reason."""
        p = self.program
        notes = []
        for name, source in p.sources.items():
            if all(array is None for key, array in answer.items() if key[-1] == name):
                reason, line = unconnected_reason(p.graph, source, p.targets.values(), p.frozen)
                where = f", line {line}" if line else ""
                notes.append(Note("unconnected", f"{name} is unconnected: {reason}{where}", line))
        return notes

    def refuse_large(self, shapes: list[tuple[int, ...]]) -> None:
        """InputError where results of these shapes take more than is allowed, or one is larger than an array can be."""
        self.refuse_memory(sum(size(shape) for shape in shapes) * np.dtype(self.dtype).itemsize)
        try:
            for shape in shapes:
                bounded(shape)
        except ShapeError as error:
            raise InputError(Fault("limit", str(error), "choose fewer targets (-t) or sources (-s)")) from None

    def refuse_memory(self, needed: int) -> None:
        asked = self.options.get("max_memory")
        limit = asked if asked is not None else _quarter_of_memory()
        if needed > limit:
            raise InputError(
                Fault(
                    "limit",
                    f"this needs about {_bytes_text(needed)} of memory, more than the limit of {_bytes_text(limit)}",
                    "choose fewer targets (-t) or sources (-s), or raise the limit with --max-memory",
                )
            )


def _target_label(name: str, index: tuple[int, ...]) -> str:
    return name + entry_text(index)


def _label(key: Key, of: Mapping[str, Value], index: tuple[int, ...]) -> str:
    """What an entry of an answer is called: `the gradient of x[0]`, `the derivative of y[0] by x[1]`."""
    if len(key) == 1:
        return f"the gradient of {key[0]}{entry_text(index)}"
    rank = of[key[0]].rank
    return f"the derivative of {key[0]}{entry_text(index[:rank])} by {key[1]}{entry_text(index[rank:])}"


def _quarter_of_memory() -> int:
    """A quarter of the machine's memory, the default bound."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, ValueError, OSError):
        return 2 * 1024**3


def _bytes_text(n: int) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1024  # type: ignore[assignment]
    return f"{n:.1f} TiB"


def _weights(problem: Problem, program: Program) -> dict[str, Numbers]:
    """The output gradients of the chosen targets: a scalar, or exactly the target's shape."""
    faults, weights = [], {}
    for name, weight in problem.output_gradients.items():
        target = program.targets.get(name)
        if target is None:
            continue
        if weight.shape not in ((), target.shape):
            faults.append(
                Fault(
                    "shape",
                    f"output_gradients of '{name}' has shape {weight.shape}, the target has {target.shape}",
                    "give a number, or an array of the target's shape",
                    problem.places.get(("output_gradients", name)),
                )
            )
        weights[name] = weight
    if faults:
        raise InputError(*faults)
    return weights
