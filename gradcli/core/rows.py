"""Some rows of a value: the same expression, computed for those rows alone as far down as its steps allow.

So a Jacobian can be made a few rows at a time at the cost of these rows: rows of tanh(A @ x) are tanh(A[rows] @ x).
Where a step mixes the rows (softmax), they are picked from its whole value, and differentiating the choice gives the
rows of the identity that the ordinary Jacobian starts from.
"""

from __future__ import annotations

from collections.abc import Collection

from gradcli.core.elementwise import Elementwise
from gradcli.core.families import Reduction, Structural
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Value
from gradcli.core.ops.contraction import Contraction
from gradcli.core.ops.shape import Broadcast
from gradcli.core.ops.window import window
from gradcli.core.shapes import ShapeError

__all__ = ["rows_of"]

Axes = list[int | None]
"""For each operand the axis along which only the rows are needed; None: it is needed whole."""
Made = dict[tuple[int, int], Value]
"""The rows of a value along an axis, by its index and the axis."""


def rows_of(g: Graph, value: Value, axis: int, start: Value, n: int, sources: Collection[Value]) -> Value:
    """value[start : start + n] along a negative axis, for a scalar `start` of kind index.

    What is a source is needed as it is: its rows are picked from it.
    """
    if value.shape[axis] == n:
        return value
    made: Made = {}
    work = [(value, axis)]
    while work:
        v, k = work[-1]
        node = None if v in sources else g.definition(v)
        axes = None if node is None else _followed(node, v, k)
        missing = [] if node is None or axes is None else _missing(node, axes, made)
        if missing:
            work += missing
            continue
        work.pop()
        if (v.index, k) not in made:
            with g.placing():
                g.place = g.places.get(v.index)
                again = None if node is None or axes is None else _again(g, node, v, k, n, axes, made)
                made[v.index, k] = window(g, v, k, start, n) if again is None else again
    return made[value.index, axis]


def _missing(node: Apply, axes: Axes, made: Made) -> list[tuple[Value, int]]:
    return [(a, k) for a, k in zip(node.args, axes, strict=True) if k is not None and (a.index, k) not in made]


def _again(g: Graph, node: Apply, v: Value, axis: int, n: int, axes: Axes, made: Made) -> Value | None:
    """The same op on the rows of its operands; None where they do not fit."""
    args = tuple([a if k is None else made[a.index, k] for a, k in zip(node.args, axes, strict=True)])
    params = node.op.resized(node, axis, n) if isinstance(node.op, Structural) else node.params
    try:
        found = g.apply(node.op, args, params)
    except ShapeError:
        return None
    wanted = list(v.shape)
    wanted[axis] = n
    return found if found.shape == tuple(wanted) else None


def _followed(node: Apply, v: Value, axis: int) -> Axes | None:
    """None where the rows must be picked from the whole value."""
    op, args, n = node.op, node.args, v.shape[axis]
    if isinstance(op, Elementwise | Broadcast):
        return [_if_whole(a, axis, n) for a in args]
    if isinstance(op, Contraction):
        letter = node.params[2][axis]
        places = [own.index(letter) - len(own) if letter in own else None for own in node.params[:2]]
        masks = [k if k is None else _if_whole(m, k, n) for m, k in zip(args[2:], places, strict=False)]
        return [*places, *masks]
    if isinstance(op, Reduction):
        (x,) = args
        return [[k for k in range(-x.rank, 0) if k not in node.params[0]][axis]]
    if isinstance(op, Structural):
        return _of_structural(op, node, axis, n)
    return None


def _if_whole(a: Value, axis: int, n: int) -> int | None:
    """The axis, unless the operand is broadcast along it."""
    return axis if a.rank >= -axis and a.shape[axis] == n else None


def _of_structural(op: Structural, node: Apply, axis: int, n: int) -> Axes | None:
    """Every operand must carry the axis; an array of indices lies in the value's own axes."""
    axes: Axes = []
    for i, a in enumerate(node.args):
        if a.kind == "index":
            axes.append(_if_whole(a, axis, n))
            continue
        back = {new: old for old, new in op.carried(node, i).items()}
        if axis not in back or a.shape[back[axis]] != n:
            return None
        axes.append(back[axis])
    return axes
