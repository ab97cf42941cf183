"""The Hessian's blocks, each computed apart, against their mirror images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial as bind

import numpy as np

from gradcli.checks.directions import Directions
from gradcli.checks.judge import ROUNDOFF, Pair, compare
from gradcli.checks.subject import Numbers, Subject
from gradcli.core.differentiate import jvp
from gradcli.core.nodes import Value
from gradcli.core.shapes import Shape
from gradcli.core.tangents import Tangent, dense, identity_seed
from gradcli.results import Check
from gradcli.results.labels import entry_text

__all__ = ["NAME", "run"]

NAME = "Hessian symmetry"
_MOST = 1_000_000  # numbers in a Hessian that is formed for the check


def run(subject: Subject, directions: Directions) -> Check:
    """Every block where there is room for them; else along two seeded directions."""
    if subject.inputs**2 > _MOST:
        return _along(directions)
    blocks = _blocks(subject)
    if not blocks.nodes:
        return Check(name=NAME, verdict="equal", detail="it is 0, whatever the values are")
    nodes = list(dict.fromkeys(blocks.nodes.values()))
    numbers = dict(zip(nodes, subject.run(nodes), strict=True))
    names = list(subject.sources)
    order = [(a, b) for i, a in enumerate(names) for b in names[i:]]
    pairs = [blocks.pair(numbers, a, b) for a, b in order]
    for pair in pairs:
        bad = np.argwhere(~(np.isfinite(pair.expected) & np.isfinite(pair.got)))
        if len(bad):
            where = pair.label(tuple(int(k) for k in bad[0]))
            return Check(name=NAME, verdict="inconclusive", detail=f"the second derivative by {where} is not finite")

    def rounding() -> list[Numbers]:
        spread = dict(zip(nodes, subject.rounding(nodes), strict=True))
        both = [blocks.pair(spread, a, b) for a, b in order]
        return [pair.expected + pair.got for pair in both]

    return compare(NAME, pairs, rounding)


@dataclass(frozen=True)
class _Blocks:
    """d gradient by a / d b, computed for both orders of each pair; the arrays have the shape b + a."""

    nodes: Mapping[tuple[str, str], Value]
    shapes: Mapping[str, Shape]

    def pair(self, numbers: Mapping[Value, Numbers], a: str, b: str) -> Pair:
        """Block (a, b), and block (b, a) turned, in the shape a + b."""
        first = _turned(self._numbers(numbers, a, b), len(self.shapes[b]))
        second = self._numbers(numbers, b, a)
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(first), np.abs(second))
        tolerance = np.where(np.isfinite(size), 1e-12 * size, 0.0)
        return Pair(bind(_label, a, b, len(self.shapes[a])), second, first, tolerance, computed=True)

    def _numbers(self, numbers: Mapping[Value, Numbers], a: str, b: str) -> Numbers:
        node = self.nodes.get((a, b))
        return np.zeros(self.shapes[b] + self.shapes[a]) if node is None else numbers[node]


def _blocks(subject: Subject) -> _Blocks:
    p, sources = subject.program, subject.sources
    gradients = {name: v for name in sources if (v := subject.gradient[name]) is not None}
    nodes: dict[tuple[str, str], Value] = {}
    for b, source in sources.items():
        found = jvp(p.graph, {source: identity_seed(p.graph, source.shape)}, gradients.values())
        for a, v in gradients.items():
            t = found[v]
            if isinstance(t, Tangent):
                nodes[a, b] = dense(p.graph, t)
    return _Blocks(nodes, {name: v.shape for name, v in sources.items()})


def _turned(block: Numbers, n: int) -> Numbers:
    """The first n axes put last."""
    return np.transpose(block, (*range(n, block.ndim), *range(n)))


def _label(a: str, b: str, rank: int, index: tuple[int, ...]) -> str:
    return f"{a}{entry_text(index[:rank])} and {b}{entry_text(index[rank:])}"


def _along(directions: Directions) -> Check:
    """u'Hv against v'Hu."""
    u, v = directions.dense(0), directions.dense(1)
    products = []
    for first, second in ((u, v), (v, u)):
        moved = directions.gradient_tangents(second)
        products.append(np.concatenate([np.ravel(moved[name] * d) for name, d in first.by_source.items()]))
    with np.errstate(all="ignore"):
        size = sum(np.abs(terms).sum() for terms in products)
        a, b = (np.asarray(terms.sum()) for terms in products)
    if not np.isfinite(size):
        return Check(name=NAME, verdict="inconclusive", detail="the second derivative is not finite")
    # No bound on the rounding inside the terms is at hand; what is asked is that the two agree to six digits of them.
    pair = Pair(lambda index: "u'Hv and v'Hu", a, b, np.asarray(ROUNDOFF * size), computed=True)
    return compare(NAME, [pair], lambda: [np.asarray(1e-6 * size)])
