"""What a diagnosis works with: what was expected at one point, and all the numbers that it might be instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradcli.checks.claims import Claim
from gradcli.checks.diagnosis import counts
from gradcli.checks.mistakes.answer import Guess, resembles, tolerance
from gradcli.checks.subject import Numbers, Point
from gradcli.core.nodes import Value
from gradcli.core.shapes import size
from gradcli.derive import gradient_nodes, jacobian_nodes
from gradcli.results.labels import entry_text

__all__ = ["Evidence", "Mistake"]

_MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Evidence:
    """A claim at a point, as an `Answer` whose numbers come from the graph.

    `expected` is what the author gave, `node` what is right, and `many` says whether there are other points.
    """

    claim: Claim
    node: Value
    point: Point
    expected: Numbers
    many: bool = False

    @property
    def kind(self) -> str:
        return self.claim.kind

    @property
    def key(self) -> tuple[str, ...]:
        return self.claim.key

    def fits(self, made: Numbers) -> bool:
        """To the digits that were written."""
        return resembles(made, self.expected, self.got, self._allowed)

    @cached_property
    def _allowed(self) -> Numbers:
        given = self.claim.expected
        return tolerance(self.expected, rtol=given.rtol or 0.0, atol=given.atol or 0.0)

    def run(self, nodes: Sequence[Value], point: Point | None = None) -> list[Numbers]:
        """The numbers of nodes at this point, or at another."""
        return self.claim.subject.run(nodes, self.point if point is None else point)

    @cached_property
    def got(self) -> Numbers:
        return self.run([self.node])[0]

    def got_at(self, point: Point) -> Numbers:
        return self.run([self.node], point)[0]

    @property
    def inputs(self) -> dict[str, Numbers]:
        return dict(zip(self.claim.subject.program.inputs, self.point, strict=True))

    @cached_property
    def targets(self) -> dict[str, Numbers]:
        p = self.claim.subject.program
        return dict(zip(p.targets, self.run(list(p.targets.values())), strict=True))

    @property
    def weights(self) -> dict[str, Numbers]:
        return self.claim.subject.weights

    @cached_property
    def rows(self) -> dict[str, Numbers]:
        """Empty where they are too many."""
        p, source = self.claim.subject.program, self.key[-1]
        if sum(size(t.shape) for t in p.targets.values()) * size(self.claim.source.shape) > _MOST_ROWS:
            return {}
        found = {}
        for name, target in p.targets.items():
            node = jacobian_nodes(p.graph, target, {source: p.sources[source]}, forward=False)[source]
            if node is not None:
                found[name] = self.run([node])[0].reshape(-1, *self.claim.source.shape)
        return found

    @cached_property
    def others(self) -> dict[str, Numbers]:
        if self.kind not in ("gradient", "jacobian"):
            return {}
        p = self.claim.subject.program
        same = {n: v for n, v in p.sources.items() if n != self.key[-1] and v.shape == self.claim.source.shape}
        if self.kind == "gradient":
            found = gradient_nodes(p.graph, p.targets, same, self.weights)
        else:
            found = jacobian_nodes(p.graph, p.targets[self.key[0]], same, forward=False)
        return {name: self.run([node])[0] for name, node in found.items() if node is not None}

    @cached_property
    def summed(self) -> list[int]:
        return counts.summed(self.claim)

    @cached_property
    def lengths(self) -> list[int]:
        return counts.lengths(self.claim)

    def label(self, index: tuple[int, ...]) -> str:
        return self.claim.label(index)

    def output(self, target: str, k: int) -> str:
        return target + entry_text(tuple(np.unravel_index(k, self.targets[target].shape)))

    def rtol(self, digits: int) -> str:
        return f"rtol: 1.0e-{digits}"


Mistake = Callable[[Evidence], Iterator[Guess]]
