"""The Python API: one function per question. The commands are thin on top of it.

    >>> import gradcli
    >>> gradcli.grad({"sources": {"x": 3.0}, "targets": "x * x"}).gradient["x"]
    array(6.)

`problem` is a path, `-` for standard input, a mapping with the sections of a file, or a `document.Problem`. `targets`
and `sources` choose by name (default: all; a source may be a let name, and `layer` stands for all `layer.*`), `at`
replaces values of sources, `output_gradients` gives weights by target. All raise `InputError` with everything that is
wrong with the input.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradcli.agreement import compare_rows
from gradcli.core.compile import compile_graph
from gradcli.core.memory import peak_bytes
from gradcli.core.nodes import Value
from gradcli.core.shapes import size
from gradcli.derive import gradient_nodes, hessian_nodes, jacobian_nodes, rows_forward
from gradcli.document.problem import Problem, load
from gradcli.errors import Fault, InputError
from gradcli.nonfinite import nonfinite_notes
from gradcli.program import Program, assemble
from gradcli.reasons import unconnected_reason
from gradcli.results import Comparison, Gradient, Hessian, Jacobian, Note
from gradcli.selection import choose

__all__ = ["compare", "grad", "hessian", "jacobian"]

Source = str | os.PathLike[str] | Mapping[str, object] | Problem
Mode = Literal["none", "zero"]
Numbers = NDArray[Any]


def grad(
    problem: Source,
    *,
    targets: Iterable[str] | None = None,
    sources: Iterable[str] | None = None,
    at: Mapping[str, ArrayLike] | None = None,
    output_gradients: Mapping[str, ArrayLike] | None = None,
    unconnected: Mode = "none",
    dtype: str = "float64",
    max_memory: int | None = None,
) -> Gradient:
    """The summed gradient: for each source d(sum of output_gradient * target) / d source, in the source's shape."""
    q = _Question.of(problem, targets, sources, at, output_gradients, unconnected, dtype, max_memory)
    p = q.program
    answer = q.run({(name,): v for name, v in gradient_nodes(p.graph, p.targets, p.sources, q.weights).items()})
    gradient = {name: q.filled(answer[name,], p.sources[name].shape) for name in p.sources}
    return Gradient(gradient=gradient, **q.common(answer))


def jacobian(
    problem: Source,
    *,
    targets: Iterable[str] | None = None,
    sources: Iterable[str] | None = None,
    at: Mapping[str, ArrayLike] | None = None,
    output_gradients: Mapping[str, ArrayLike] | None = None,
    unconnected: Mode = "none",
    dtype: str = "float64",
    max_memory: int | None = None,
) -> Jacobian:
    """The rows: for each target and source an array of shape target.shape + source.shape, unweighted."""
    q = _Question.of(problem, targets, sources, at, output_gradients, unconnected, dtype, max_memory)
    answer = q.run(q.rows(lambda t: rows_forward(t, list(q.program.sources.values()))))
    return Jacobian(jacobian=q.rows_of(answer), **q.common(answer))


def compare(
    problem: Source,
    *,
    targets: Iterable[str] | None = None,
    sources: Iterable[str] | None = None,
    at: Mapping[str, ArrayLike] | None = None,
    output_gradients: Mapping[str, ArrayLike] | None = None,
    unconnected: Mode = "none",
    dtype: str = "float64",
    max_memory: int | None = None,
) -> Comparison:
    """Rows and gradient side by side: the gradient by reverse mode, the rows by forward mode where sizes allow."""
    q = _Question.of(problem, targets, sources, at, output_gradients, unconnected, dtype, max_memory)
    p = q.program
    inputs = sum(size(s.shape) for s in p.sources.values())
    rows = q.rows(lambda t: inputs <= max(_FORWARD_ROWS, _FORWARD_FACTOR * size(t.shape)))
    summed = gradient_nodes(p.graph, p.targets, p.sources, q.weights)
    answer = q.run({**rows, **{(name,): v for name, v in summed.items()}})
    gradient = {name: q.filled(answer[name,], s.shape) for name, s in p.sources.items()}
    blocks = q.rows_of(answer)
    common = q.common(answer)
    found = compare_rows(gradient, blocks, common["weights"], np.dtype(dtype))
    common["notes"] = (*common["notes"], *found.notes)
    return Comparison(
        gradient=gradient,
        jacobian=blocks,
        row_sum=found.row_sum,
        max_abs_difference=found.max_abs_difference,
        match=found.match,
        exact=found.exact,
        **common,
    )


# The rows come from the other mode than the gradient unless that needs far more work.
_FORWARD_ROWS = 4096
_FORWARD_FACTOR = 16


def hessian(
    problem: Source,
    *,
    targets: Iterable[str] | None = None,
    sources: Iterable[str] | None = None,
    at: Mapping[str, ArrayLike] | None = None,
    output_gradients: Mapping[str, ArrayLike] | None = None,
    unconnected: Mode = "none",
    dtype: str = "float64",
    max_memory: int | None = None,
) -> Hessian:
    """The second derivatives of the weighted sum: for each pair of sources an array of shape a.shape + b.shape."""
    q = _Question.of(problem, targets, sources, at, output_gradients, unconnected, dtype, max_memory)
    p = q.program
    answer = q.run(hessian_nodes(p.graph, p.targets, p.sources, q.weights))
    shapes = {name: s.shape for name, s in p.sources.items()}
    blocks = {a: {b: q.filled(answer[a, b], shapes[a] + shapes[b]) for b in shapes} for a in shapes}
    return Hessian(hessian=blocks, **q.common(answer))


@dataclass
class _Question:
    """What all questions share: the assembled problem, the weights, running it, and the parts of every result."""

    problem: Problem
    program: Program
    weights: dict[str, Numbers]
    unconnected: Mode
    dtype: str
    max_memory: int | None

    @classmethod
    def of(
        cls,
        problem: Source,
        targets: Iterable[str] | None,
        sources: Iterable[str] | None,
        at: Mapping[str, ArrayLike] | None,
        output_gradients: Mapping[str, ArrayLike] | None,
        unconnected: Mode,
        dtype: str,
        max_memory: int | None,
    ) -> _Question:
        if dtype not in ("float64", "float32"):
            raise InputError(Fault("usage", f"dtype is float64 or float32, not {dtype!r}"))
        loaded = problem if isinstance(problem, Problem) else load(problem)
        loaded, chosen_targets, chosen_sources = choose(loaded, targets, sources, at, output_gradients)
        program = assemble(loaded, chosen_targets, chosen_sources)
        return cls(loaded, program, _weights(loaded, program), unconnected, dtype, max_memory)

    def rows(self, forward: Any) -> dict[tuple[str, ...], Value | None]:
        """The nodes of all rows, by (target, source); `forward(target)` chooses the mode."""
        p = self.program
        self._refuse_large([t.shape + s.shape for t in p.targets.values() for s in p.sources.values()])
        found: dict[tuple[str, ...], Value | None] = {}
        for name, target in p.targets.items():
            blocks = jacobian_nodes(p.graph, target, p.sources, forward=forward(target))
            found.update({(name, source): v for source, v in blocks.items()})
        return found

    def rows_of(self, answer: Mapping[tuple[str, ...], Numbers | None]) -> dict[str, dict[str, Numbers | None]]:
        p = self.program
        return {
            name: {source: self.filled(answer[name, source], target.shape + s.shape) for source, s in p.sources.items()}
            for name, target in p.targets.items()
        }

    def run(self, nodes: Mapping[Any, Value | None]) -> dict[tuple[str, ...], Numbers | None]:
        """The numbers of the nodes, and of the targets and sources under ("target", name) and ("source", name)."""
        p = self.program
        asked: dict[Any, Value | None] = dict(nodes)
        asked |= {("", "target", name): v for name, v in p.targets.items()}
        asked |= {("", "source", name): v for name, v in p.sources.items()}
        outputs = list(dict.fromkeys(v for v in asked.values() if v is not None))
        self._refuse_memory(peak_bytes(p.graph, outputs, np.dtype(self.dtype).itemsize))
        made = compile_graph(p.graph, list(p.inputs.values()), outputs, self.dtype)(*p.point)
        numbers = dict(zip(outputs, made, strict=True))
        return {key: None if v is None else numbers[v] for key, v in asked.items()}

    def filled(self, array: Numbers | None, shape: tuple[int, ...]) -> Numbers | None:
        """Zeros for None where that was asked for."""
        return np.zeros(shape, dtype=self.dtype) if array is None and self.unconnected == "zero" else array

    def common(self, answer: Mapping[tuple[str, ...], Numbers | None]) -> dict[str, Any]:
        """The fields that every result has."""
        p = self.program
        targets = {name: answer["", "target", name] for name in p.targets}
        weights = {
            name: np.broadcast_to(w, p.targets[name].shape).astype(self.dtype) for name, w in self.weights.items()
        }
        return {
            "targets": targets,
            "sources": {name: answer["", "source", name] for name in p.sources},
            "weights": weights,
            "dtype": self.dtype,
            "notes": (*self._unconnected_notes(answer), *nonfinite_notes(p, answer, self.dtype)),
            "title": self.problem.title,
            "file": self.problem.file,
        }

    def _unconnected_notes(self, answer: Mapping[tuple[str, ...], Numbers | None]) -> list[Note]:
        """One note per source that nothing differentiable leads from, with the reason."""
        p = self.program
        notes = []
        for name, source in p.sources.items():
            keys = [k for k in answer if name in k[-1:] and k[0] != ""]
            if keys and all(answer[k] is None for k in keys):
                reason, line = unconnected_reason(p.graph, source, p.targets.values(), p.frozen)
                where = f", line {line}" if line else ""
                notes.append(Note("unconnected", f"{name} is unconnected: {reason}{where}", line))
        return notes

    def _refuse_large(self, shapes: list[tuple[int, ...]]) -> None:
        self._refuse_memory(sum(size(shape) for shape in shapes) * np.dtype(self.dtype).itemsize)

    def _refuse_memory(self, needed: int) -> None:
        limit = self.max_memory if self.max_memory is not None else _quarter_of_memory()
        if needed > limit:
            raise InputError(
                Fault(
                    "limit",
                    f"this needs about {_bytes_text(needed)} of memory, more than the limit of {_bytes_text(limit)}",
                    "choose fewer targets (-t) or sources (-s), or raise the limit with --max-memory",
                )
            )


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
