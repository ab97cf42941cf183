"""Some rows of a value: the same expression, computed for those rows alone as far down as its steps allow.

So a Jacobian can be made a few rows at a time at the cost of these rows: rows of tanh(A @ x) are tanh(A[rows] @ x).
"""

from __future__ import annotations

from gradcli.core.elementwise import Elementwise
from gradcli.core.families import Reduction, Structural
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Literal, Value
from gradcli.core.ops.arrange import take_at
from gradcli.core.ops.contraction import Contraction
from gradcli.core.ops.shape import broadcast_to, reshape, transpose
from gradcli.core.shapes import ShapeError

__all__ = ["rows_of"]


def rows_of(g: Graph, value: Value, index: Value) -> Value:
    """value[index] along the first axis, for a 1-d index that may be an input."""
    made: dict[Value, Value] = {}
    work = [value]
    while work:
        v = work[-1]
        needed = [] if v in made else [a for a in _followed(g, v) if a not in made]
        if needed:
            work += needed
            continue
        work.pop()
        if v not in made:
            made[v] = _rows(g, v, index, made)
    return made[value]


def _followed(g: Graph, v: Value) -> list[Value]:
    """The operands of which only these rows are needed; none where the rows must be picked from the whole value."""
    node = g.definition(v)
    if node is None or v.kind == "index":
        return []
    n = v.shape[0]
    if isinstance(node.op, Elementwise):
        return [a for a in node.args if a.rank == v.rank and a.shape[0] == n and n != 1]
    if isinstance(node.op, Contraction):
        return [] if node.op.masked else _factors(node)
    if isinstance(node.op, Reduction):
        (x,) = node.args
        return [x] if -x.rank not in node.params[0] else []
    if isinstance(node.op, Structural):
        x, *others = node.args
        carried = node.op.carried(node, 0) if x.rank else {}
        keeps = carried.get(-x.rank) == -v.rank and x.shape[0] == n and all(a.kind == "index" for a in others)
        return [x] if keeps else []
    return []


def _factors(node: Apply) -> list[Value]:
    """Of a product of matrices: the operands that have the first axis of the value, which must be their first, too."""
    *letters, (lead, *_) = node.params
    holders = [(a, own) for a, own in zip(node.args, letters, strict=True) if lead in own]
    return [a for a, _ in holders] if all(own[0] == lead for _, own in holders) else []


def _rows(g: Graph, v: Value, index: Value, made: dict[Value, Value]) -> Value:
    node, followed = g.definition(v), _followed(g, v)
    if node is not None and followed:
        found = _again(g, node, v, [made[a] if a in followed else a for a in node.args])
        if found is not None and found.shape == (*index.shape, *v.shape[1:]):
            return found
    return _picked(g, v, index)


def _again(g: Graph, node: Apply, v: Value, args: list[Value]) -> Value | None:
    """The same op on the rows of its operands; None where they do not fit."""
    if node.op.name == "reshape":
        return reshape(g, args[0], (*args[0].shape[:1], *v.shape[1:]))
    if node.op.name == "broadcast_to":
        return broadcast_to(g, args[0], (*args[0].shape[:1], *v.shape[1:]))
    try:
        return g.apply(node.op, tuple(args), node.params)
    except ShapeError:
        return None


def _picked(g: Graph, v: Value, index: Value) -> Value:
    """The rows of a value that is computed whole."""
    if isinstance(v, Literal) or not v.rank:
        return v
    last = (*range(1, v.rank), 0)
    first = (v.rank - 1, *range(v.rank - 1))
    return transpose(g, take_at(g, transpose(g, v, last), index), first)
