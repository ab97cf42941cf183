"""Directions in the space of all sources: each coordinate while there are few, else seeded ones; and what forward mode
says along them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradcli.checks.numbers import scales_of
from gradcli.checks.rounding import rounding
from gradcli.checks.subject import Numbers, Point, Subject
from gradcli.core.differentiate import jvp
from gradcli.core.nodes import Value
from gradcli.core.shapes import size
from gradcli.core.tangents import Tangent, as_mask, dense, plain
from gradcli.results.labels import entry_text

__all__ = ["Direction", "Directions"]

_MOST_COORDINATES = 64
_SAMPLED = 16
_MIXED = 4
_ASTRONOMIC = 1e12


@dataclass(frozen=True)
class Direction:
    """`by_source` has an array for each connected source; `scales` are the lengths of large steps along it."""

    label: str
    by_source: Mapping[str, Numbers]
    scales: list[float]

    def moved(self, names: Sequence[str], point: Point, t: float) -> list[Numbers]:
        """The point moved by t along the direction."""
        moves = self.by_source
        return [x + t * moves[name] if name in moves else x for name, x in zip(names, point, strict=True)]


class Directions:
    """The directions along which a subject is checked."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        p = subject.program
        self.point = dict(zip(p.inputs, subject.point, strict=True))
        self._chosen = list(self._choose())

    def __iter__(self) -> Iterator[Direction]:
        return iter(self._chosen)

    def _choose(self) -> Iterator[Direction]:
        entries = [(name, k) for name, v in self.subject.sources.items() for k in range(size(v.shape))]
        if len(entries) <= _MOST_COORDINATES:
            yield from (self._coordinate(name, k) for name, k in entries)
            return
        chosen = self.subject.random().choice(len(entries), _SAMPLED, replace=False)
        yield from (self._coordinate(*entries[k]) for k in sorted(chosen))
        yield from (self.dense(k) for k in range(_MIXED))

    def _coordinate(self, name: str, k: int) -> Direction:
        x = self.point[name]
        v = {s: np.zeros(node.shape) for s, node in self.subject.sources.items()}
        v[name].flat[k] = 1.0
        index = tuple(int(i) for i in np.unravel_index(k, x.shape)) if x.shape else ()
        return Direction(name + entry_text(index), v, scales_of(float(x.flat[k])))

    def dense(self, number: int = 0) -> Direction:
        """All entries at once, each by about its own size, with random signs.

        Entries of astronomic size stay where they are beside others: a function may turn over many times on the way.
        """
        random = np.random.default_rng([self.subject.seed, number])
        v, near = {}, {}
        for name, node in self.subject.sources.items():
            size = np.abs(self.point[name])
            own = np.where(np.isfinite(size) & (size > 0), size, 1.0)
            v[name] = own * random.choice([-1.0, 1.0], node.shape) * random.uniform(0.5, 1.0, node.shape)
            near[name] = np.where(own < _ASTRONOMIC, v[name], 0.0)
        if any(moves.any() for moves in near.values()):
            v = near
        return Direction(f"direction {number + 1}", v, [1.0])

    # -- forward mode along a direction ----------------------------------------------------------------------------

    @cached_property
    def _extra(self) -> dict[str, Value]:
        """Inputs of the graph that stand for a direction."""
        return {name: self.subject.program.graph.input(v.shape) for name, v in self.subject.sources.items()}

    @cached_property
    def _nodes(self) -> list[Value]:
        return self._pushed(self.subject.targets)

    def _pushed(self, values: Sequence[Value]) -> list[Value]:
        """The tangents of values along the direction of `_extra`. Where it does not move, it is a structural zero."""
        g = self.subject.program.graph
        seeds = {self.subject.sources[n]: plain(t, t.shape, as_mask(g, t)) for n, t in self._extra.items()}
        found = jvp(g, seeds, values)
        zero = g.literal(0.0)
        return [dense(g, t) if isinstance(t := found[v], Tangent) else zero for v in values]

    def _along(self, nodes: Sequence[Value], d: Direction) -> list[Numbers]:
        run = self.subject.function(nodes, list(self._extra.values()))
        return run(*self.subject.point, *[d.by_source[name] for name in self._extra])

    def tangents(self, d: Direction) -> list[Numbers]:
        """The tangent of each target along d."""
        made = self._along(self._nodes, d)
        return [np.broadcast_to(a, t.shape) for a, t in zip(made, self.subject.targets, strict=True)]

    def rounding(self, d: Direction) -> list[Numbers]:
        """The rounding errors in the tangents."""
        p = self.subject.program
        given = [*self.subject.point, *[d.by_source[name] for name in self._extra]]
        found = rounding(
            p.graph, [*p.inputs.values(), *self._extra.values()], self._nodes, given, seed=self.subject.seed
        )
        return [np.broadcast_to(a, t.shape) for a, t in zip(found, self.subject.targets, strict=True)]

    def gradient_tangents(self, d: Direction) -> dict[str, Numbers]:
        """How the gradient by each source changes along d: the Hessian times d."""
        sources = list(self.subject.sources)
        nodes = [v for name in sources if (v := self.subject.gradient[name]) is not None]
        made = self._along(self._pushed(nodes), d)
        return {n: np.broadcast_to(a, v.shape) for n, a, v in zip(sources, made, nodes, strict=True)}
