"""A graph, evaluated entry by entry on sympy symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import sympy as sp

from gradcli.core.compile import numbers
from gradcli.core.elementwise import Elementwise
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Value
from gradcli.core.shapes import Shape, size
from gradcli.formulas import arrays as _arrays  # noqa: F401  (importing it declares its rules)
from gradcli.formulas import matrices as _matrices  # noqa: F401
from gradcli.formulas.algebra import NO_TIME, Algebra, Entries, Missing, filled
from gradcli.formulas.clock import Clock
from gradcli.formulas.elementwise import elementwise
from gradcli.formulas.numerals import GiveUp, number
from gradcli.formulas.rules import RULES

__all__ = ["Evaluator", "evaluate", "symbols_of"]

_MOST_STEPS = 2000  # no formula of a readable length has more
_MOST_ENTRIES = 4096  # of one value
_ABOUT_ORDER = frozenset({"argsort", "argmax", "argmin"})


def symbols_of(name: str, shape: Shape) -> Entries:
    """The symbols of an array as its user writes them: `x1`, `w[0,1]`, `layer1.w[0]`.

    Where an axis is longer than 10, indices have leading zeros, so that they sort; printers leave the zeros out.
    """
    digits = [len(str(max(n - 1, 0))) for n in shape]
    names = (name + _index(place, digits) for place in np.ndindex(shape))
    return filled([sp.Symbol(text, real=True) for text in names], shape)


def _index(place: tuple[int, ...], digits: list[int]) -> str:
    return f"[{','.join(f'{k:0{n}}' for k, n in zip(place, digits, strict=True))}]" if place else ""


def evaluate(
    graph: Graph,
    outputs: Iterable[Value],
    symbols: Mapping[Value, Entries],
    *,
    limit: int = 1000,
    seconds: float = 2.0,
) -> list[Entries]:
    """The entries of each output as sympy expressions of the symbols, or as `Missing` with the reason.

    `symbols` may also hold values in the middle of the graph, which then are not looked into. `limit` bounds the size
    of an expression, as a tree.
    """
    evaluator = Evaluator(graph, symbols, Algebra(limit, Clock(seconds)))
    return [evaluator.entries(v) for v in outputs]


class Evaluator:
    """Evaluates values on demand; what is known is kept. Depth costs no recursion."""

    def __init__(self, graph: Graph, symbols: Mapping[Value, Entries], algebra: Algebra) -> None:
        self.graph, self.algebra = graph, algebra
        self._known: dict[int, Entries] = {v.index: entries for v, entries in symbols.items()}

    def entries(self, value: Value) -> Entries:
        """The entries of a value."""
        order = self._unknown(value)
        if len(order) > _MOST_STEPS:
            return _missing(f"it has more than {_MOST_STEPS:,} steps", value.shape)
        for i in order:
            self._known[i] = self._evaluated(self.graph.values[i], self._node(i))
        return self._known[value.index]

    def _node(self, i: int) -> Apply | None:
        """How a value is made; None for inputs, and for what depends on none."""
        return self.graph.definitions[i] if self.graph.varying[i] else None

    def _unknown(self, value: Value) -> list[int]:
        """What has to be evaluated for a value, in order; cut off where it is too much."""
        found, work = set[int](), [value.index]
        while work and len(found) <= _MOST_STEPS:
            i = work.pop()
            if i not in self._known and i not in found:
                found.add(i)
                node = self._node(i)
                work += [] if node is None else [a.index for a in node.args]
        return sorted(found)

    def _evaluated(self, value: Value, node: Apply | None) -> Entries:
        if size(value.shape) > _MOST_ENTRIES:
            return _missing(f"a step has {size(value.shape):,} entries, more than {_MOST_ENTRIES:,}", value.shape)
        if not self.graph.varying[value.index]:
            return _numbers(self.graph, value)
        if node is None:
            return _missing("a value has no symbol", value.shape)
        args = [self._known[a.index] for a in node.args]
        if self.algebra.clock.over:
            return _missing(NO_TIME.reason, value.shape)
        large = next((x for x in args if x.size > _MOST_ENTRIES), None)
        if large is not None:
            return _missing(large.flat[0].reason, value.shape)
        return self._by_rule(value, node, args)

    def _by_rule(self, value: Value, node: Apply, args: list[Entries]) -> Entries:
        op = node.op
        gap = next((x.flat[0] for x, a in zip(args, node.args, strict=True) if a.kind == "index" and _gone(x)), None)
        if gap is not None:
            return _missing(gap.reason, value.shape)
        if op.name in _ABOUT_ORDER:
            return _missing("it depends on the order of the entries", value.shape)
        found = RULES.get(op.name) or (elementwise if isinstance(op, Elementwise) else None)
        if found is None:
            return _missing(f"{op.name} has no formula", value.shape)
        try:
            return found(self.algebra, node, args)
        except GiveUp as e:
            return _missing(str(e), value.shape)


def _missing(reason: str, shape: Shape) -> Entries:
    return np.broadcast_to(filled([Missing(reason)], ()), shape)


def _gone(x: Entries) -> bool:
    return x.size > 0 and isinstance(x.flat[0], Missing)


def _numbers(graph: Graph, value: Value) -> Entries:
    """What depends on no input, as sympy numbers and truth values; indices stay integers."""
    found: Entries = numbers(graph, value)
    if value.kind == "index":
        return found
    make = _truth if value.kind == "bool" else number
    return filled([make(x) for x in np.asarray(found).ravel().tolist()], value.shape)


def _truth(x: bool) -> Any:
    return sp.true if x else sp.false
