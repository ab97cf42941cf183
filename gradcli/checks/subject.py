"""The file under check: its graph, and its numbers at the file's point and at others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gradcli.checks.numbers import UNDERFLOWS, Numbers
from gradcli.checks.rounding import rounding
from gradcli.core.compile import compile_graph
from gradcli.core.elementwise import Elementwise
from gradcli.core.memory import peak_bytes
from gradcli.core.nodes import Apply, Value
from gradcli.core.shapes import size
from gradcli.derive import gradient_nodes, jacobian_nodes
from gradcli.document.problem import Problem
from gradcli.plan import notes_of
from gradcli.program import Program
from gradcli.question import Options, Question
from gradcli.results.labels import entry_text
from gradcli.watch import watched

__all__ = ["Numbers", "Point", "Subject"]

Point = Sequence[Numbers]
_EPS = float(np.finfo(np.float64).eps)
_NEAR = 4
_MOST_NUMBERS = 1_000_000


@dataclass
class Subject:
    """A problem at its point. `seed` makes all random directions and points the same in every run.

    Attributes:
        program: the graph; its sources are those of the file, and the let names that are asked for.
        weights: the output gradient of each target that has one.
        gradient: the nodes of the gradient, by reverse mode; None where unconnected.
        sources: the sources of the file that are connected.
    """

    question: Question
    seed: int = 0
    max_memory: int | None = None
    _compiled: dict[tuple[Value, ...], Callable[..., list[Numbers]]] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem, *, lets: Iterable[str] = (), seed: int = 0, max_memory: int | None = None) -> Subject:
        """InputError where the file is wrong."""
        options: Options = {"max_memory": max_memory, "sources": [*problem.sources, *lets]}
        return cls(Question.of(problem, options), seed, max_memory)

    @property
    def problem(self) -> Problem:
        return self.question.problem

    @property
    def program(self) -> Program:
        return self.question.program

    @property
    def weights(self) -> dict[str, Numbers]:
        return self.question.weights

    @cached_property
    def gradient(self) -> dict[str, Value | None]:
        p = self.program
        return gradient_nodes(p.graph, p.targets, p.sources, self.weights)

    @property
    def sources(self) -> dict[str, Value]:
        return {name: v for name, v in self.program.inputs.items() if self.gradient[name] is not None}

    @property
    def targets(self) -> list[Value]:
        return list(self.program.targets.values())

    @property
    def point(self) -> Point:
        return self.program.point

    def run(self, nodes: Sequence[Value], point: Point | None = None) -> list[Numbers]:
        """The numbers of the nodes; compiled once."""
        return self.function(nodes)(*(self.point if point is None else point))

    def run_frozen(self, nodes: Sequence[Value], point: Point) -> list[Numbers]:
        """The numbers at another point, with what stop_gradient holds as it is at the file's point."""
        if not self._stops:
            return self.run(nodes, point)
        return self.function(nodes, self._stops)(*point, *self.run(self._stops))

    @cached_property
    def _stops(self) -> list[Value]:
        g = self.program.graph
        needed = g.ancestors([*self.targets, *self._gradient_nodes])
        definitions = [(g.values[i], g.definitions[i]) for i in needed if g.varying[i]]
        return [v for v, node in definitions if node is not None and node.op.name == "stop_gradient"]

    def function(self, nodes: Sequence[Value], extra: Sequence[Value] = ()) -> Callable[..., list[Numbers]]:
        """A function of a point, and of values for the inputs `extra`."""
        key = (*nodes, *extra)
        if key not in self._compiled:
            self.question.refuse_memory(peak_bytes(self.program.graph, nodes, 8))
            inputs = [*self.program.inputs.values(), *extra]
            self._compiled[key] = compile_graph(self.program.graph, inputs, list(nodes))
        return self._compiled[key]

    def rounding(self, nodes: Sequence[Value], point: Point | None = None) -> list[Numbers]:
        """How much rounding there is in the nodes."""
        p = self.program
        given = self.point if point is None else point
        return rounding(p.graph, list(p.inputs.values()), nodes, given, seed=self.seed)

    @cached_property
    def gradient_numbers(self) -> dict[str, Numbers]:
        """The gradient by each connected source, at the file's point."""
        return self.gradient_at(self.point)

    def gradient_at(self, point: Point) -> dict[str, Numbers]:
        """The gradient by each connected source at another point."""
        return dict(zip(self.sources, self.run_frozen(self._gradient_nodes, point), strict=True))

    @cached_property
    def rounding_of_gradient(self) -> dict[str, Numbers]:
        """How much rounding there is in it."""
        return dict(zip(self.sources, self.rounding(self._gradient_nodes), strict=True))

    @property
    def _gradient_nodes(self) -> list[Value]:
        return [v for name in self.sources if (v := self.gradient[name]) is not None]

    @cached_property
    def _row_nodes(self) -> dict[tuple[str, str], Value]:
        p = self.program
        found = {}
        for name, target in p.targets.items():
            blocks = jacobian_nodes(p.graph, target, self.sources, forward=False)
            found.update({(name, source): v for source, v in blocks.items() if v is not None})
        return found

    @cached_property
    def rows(self) -> dict[str, Numbers] | None:
        """By source the rows of all targets, by reverse mode, as (outputs, *source shape); None where they are too
        many to be formed for a check."""
        if self.outputs * self.inputs > _MOST_NUMBERS:
            return None
        return self._joined_rows(self.run(list(self._row_nodes.values())))

    @cached_property
    def rounding_of_rows(self) -> dict[str, Numbers]:
        """How much rounding there is in them."""
        return self._joined_rows(self.rounding(list(self._row_nodes.values())))

    def _joined_rows(self, made: Sequence[Numbers]) -> dict[str, Numbers]:
        blocks = dict(zip(self._row_nodes, made, strict=True))
        rows = {}
        for source, v in self.sources.items():
            each = [blocks.get((name, source), np.zeros(t.shape + v.shape)) for name, t in self.program.targets.items()]
            rows[source] = np.concatenate(
                [b.reshape(size(t.shape), *v.shape) for b, t in zip(each, self.targets, strict=True)]
            )
        return rows

    @cached_property
    def _piece_nodes(self) -> list[Value]:
        """What chooses between the smooth pieces of the function and its gradient: conditions, indices, steps."""
        g = self.program.graph
        needed = g.ancestors([*self.targets, *self._gradient_nodes])
        return [v for v in (g.values[i] for i in needed if g.varying[i]) if _chooses(v.kind, g.definition(v))]

    def on_one_piece(self, points: Iterable[Point]) -> bool:
        """Whether all points are on the same smooth piece as the file's point."""
        if not self._piece_nodes:
            return True
        here = self.run(self._piece_nodes)
        return all(
            np.array_equal(a, b) for x in points for a, b in zip(here, self.run(self._piece_nodes, x), strict=True)
        )

    def lost(self, node: Value, point: Point) -> str:
        """Why the numbers of a node cannot be trusted: NaN, or an overflow on the way to them; else empty."""
        g = self.program.graph
        result = self.run([node], point)[0]
        if np.isnan(result).any():
            return "gradcli's own number is NaN here"
        if not np.isfinite(result).all():
            return ""
        steps = [g.values[i] for i in g.ancestors([node]) if g.varying[i] and g.values[i].kind == "float"]
        if any(np.isinf(a).any() for a in self.run(steps, point)):
            return "steps on the way overflow here"
        return ""

    @cached_property
    def outside(self) -> list[Value]:
        """The conditions under which a function is outside its domain."""
        return [w.condition for w in watched(self.program) if w.watch.kind == "domain"]

    @cached_property
    def kinks(self) -> list[str]:
        """What the reader should know of the point: kinks, and functions outside their domain, at the point or within
        rounding of it."""
        found = watched(self.program)
        conditions = [w.condition for w in found]
        if not conditions:
            return []
        random = self.random()
        near = [[x * (1 + _EPS * random.uniform(-1, 1, x.shape)) for x in self.point] for _ in range(_NEAR)]
        for point in (self.point, *near):
            notes = notes_of([w.sight(k) for k, w in enumerate(found)], self.run(conditions, point), self.problem.texts)
            if notes:
                return [note.message for note in notes]
        return []

    def along(self, direction: Mapping[str, Numbers]) -> Numbers:
        """The terms of the gradient times a direction; what does not move counts nothing, even where it is infinite."""
        g = self.gradient_numbers
        return np.concatenate([np.ravel(np.where(v == 0, 0.0, v * g[name])) for name, v in direction.items()])

    def weighted(self, values: Sequence[Numbers]) -> Numbers:
        """The values of all targets, times their weights, in one row."""
        parts = []
        for (name, target), value in zip(self.program.targets.items(), values, strict=True):
            weight = self.weights.get(name)
            w = 1.0 if weight is None else np.broadcast_to(weight, target.shape)
            with np.errstate(all="ignore"):
                parts.append(np.ravel(np.where(np.asarray(w) == 0, 0.0, w * value)))
        return np.concatenate(parts) if parts else np.zeros(0)

    def flat(self, arrays: Sequence[Numbers]) -> Numbers:
        """An array for each target in one row."""
        return np.concatenate([np.ravel(a) for a in arrays]).astype(float)

    def output_label(self, k: int) -> str:
        """The name of the k-th of all outputs."""
        for name, target in self.program.targets.items():
            if k < size(target.shape):
                return name + entry_text(tuple(np.unravel_index(k, target.shape)) if target.shape else ())
            k -= size(target.shape)
        raise IndexError(k)

    @cached_property
    def is_extreme(self) -> bool:
        """Whether the point has entries so large or small that steps on the way may overflow or underflow."""
        sizes = np.abs(np.concatenate([np.ravel(x) for x in self.point]))
        return bool(((sizes > 0) & ((sizes < UNDERFLOWS) | (sizes > 1 / UNDERFLOWS))).any())

    @property
    def inputs(self) -> int:
        """How many numbers the connected sources have."""
        return sum(size(v.shape) for v in self.sources.values())

    @property
    def outputs(self) -> int:
        """How many numbers the targets have."""
        return sum(size(v.shape) for v in self.program.targets.values())

    def random(self) -> np.random.Generator:
        """The same generator at every call."""
        return np.random.default_rng(self.seed)


def _chooses(kind: str, node: Apply | None) -> bool:
    return kind != "float" or (node is not None and isinstance(node.op, Elementwise) and node.op.steps)
