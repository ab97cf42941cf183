"""What a diagnosis works with: what was expected at one point, and all the numbers that it might be instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from gradcli.checks.claims import Claim
from gradcli.checks.subject import Numbers, Point
from gradcli.core.nodes import Value
from gradcli.core.shapes import Shape, size
from gradcli.derive import jacobian_nodes

__all__ = ["Evidence", "Guess", "Mistake"]

Guess = tuple[str, Numbers]
"""What the author may have done (`has the wrong sign`), and the numbers that this gives."""

_RTOL = 1e-5
_ATOL = 1e-9
_CLOSER = 0.02
_FEW_DIGITS = 2e-3  # numbers with less than three digits fit too much
_MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Evidence:
    """A claim at a point; `expected` is what the author gave, `node` what is right, and `many` says whether there are
    other points."""

    claim: Claim
    node: Value
    point: Point
    expected: Numbers
    many: bool = False

    def fits(self, made: Numbers) -> bool:
        """Whether a mistake gives what was expected, to the digits that were written, and not what is right."""
        if made.shape != self.expected.shape or not (np.isfinite(made).all() and np.isfinite(self.expected).all()):
            return False
        off = np.abs(made - self.expected)
        if not (off <= self._tolerance).all():
            return False
        if made.shape != self.got.shape:
            return True
        # what is right fits nearly as well where the author was off by little
        return bool(off.max(initial=0.0) <= _CLOSER * np.abs(self.got - self.expected).max(initial=0.0))

    @cached_property
    def _tolerance(self) -> Numbers:
        size = np.abs(self.expected)
        rtol, atol = self.claim.expected.rtol or 0.0, self.claim.expected.atol or 0.0
        written = np.minimum(_half_digit(self.expected), _FEW_DIGITS * size)
        return np.maximum(np.maximum(max(_RTOL, rtol) * size, written), max(_ATOL * size.max(initial=0.0), atol))

    def run(self, nodes: Sequence[Value], point: Point | None = None) -> list[Numbers]:
        """The numbers of nodes at this point, or at another."""
        return self.claim.subject.run(nodes, self.point if point is None else point)

    @cached_property
    def got(self) -> Numbers:
        """What is right."""
        return self.run([self.node])[0]

    def got_at(self, point: Point) -> Numbers:
        """What is right at another point."""
        return self.run([self.node], point)[0]

    @cached_property
    def targets(self) -> dict[str, Numbers]:
        """The values of the targets."""
        p = self.claim.subject.program
        return dict(zip(p.targets, self.run(list(p.targets.values())), strict=True))

    @cached_property
    def rows(self) -> dict[str, Numbers]:
        """Of a gradient: the rows of each target by the source, as (outputs, *source shape). Empty where too many."""
        p, source = self.claim.subject.program, self.claim.key[-1]
        if sum(size(t.shape) for t in p.targets.values()) * size(self.claim.source.shape) > _MOST_ROWS:
            return {}
        found = {}
        for name, target in p.targets.items():
            node = jacobian_nodes(p.graph, target, {source: p.sources[source]}, forward=False)[source]
            if node is not None:
                found[name] = self.run([node])[0].reshape(-1, *self.claim.source.shape)
        return found

    def weight(self, target: str) -> Numbers:
        """The output gradient of a target, one for each of its rows."""
        shape = self.claim.subject.program.targets[target].shape
        given = self.claim.subject.weights.get(target, np.ones(()))
        return np.broadcast_to(given, shape).reshape(-1, *[1] * self.claim.source.rank)

    @property
    def target_shape(self) -> Shape:
        """Of a Jacobian block: the target's part of its shape."""
        return self.claim.subject.program.targets[self.claim.key[0]].shape


def _half_digit(array: Numbers) -> Numbers:
    """Half a unit of the last digit that it takes to write each number."""
    exponents = [Decimal(repr(x)).normalize().as_tuple().exponent for x in array.ravel().tolist()]
    return np.array([0.5 * 10.0**k if isinstance(k, int) and k > -300 else 0.0 for k in exponents]).reshape(array.shape)


Mistake = Callable[[Evidence], Iterator[Guess]]
