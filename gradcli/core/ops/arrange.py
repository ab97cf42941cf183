"""Linear ops that pick, scatter, join and accumulate along an axis: take <-> scatter, concatenate <-> slice, cumsum <->
itself backwards."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gradcli.core.families import Linear, names
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Value
from gradcli.core.ops.shape import Cuts, Unary, slice_, unslice
from gradcli.core.shapes import Shape, ShapeError, show

__all__ = ["concatenate", "cumsum", "scatter", "take"]


class _Take(Unary):
    """Entries along the last axis, by a constant 1-d index array (the second operand, a cut)."""

    name = "take"
    keeps_kind = True
    drops: ClassVar[bool] = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return (*args[0].shape[:-1], *args[1].shape)

    def code(self, node: Apply) -> str:
        return "{}[..., {}]".format(*names(node))

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        return {k: k for k in range(-node.args[0].rank, -1)}

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return g.apply(self, (v, node.args[1]))

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return g.apply(_SCATTER, (v, node.args[1]), (node.args[0].shape[-1],))


class _Scatter(Unary):
    """Zeros of length n along the last axis, with the entries added at an index array. params: (n,)."""

    name = "scatter"
    keeps_kind = True
    leaves: ClassVar[bool] = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return (*args[0].shape[:-1], params[0])

    def code(self, node: Apply) -> str:
        return "scatter({}, {}, {})".format(*names(node), node.params[0])

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        return {k: k for k in range(-node.args[0].rank, -1)}

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return g.apply(self, (v, node.args[1]), node.params)

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return g.apply(_TAKE, (v, node.args[1]))


_TAKE, _SCATTER = _Take(), _Scatter()


def _index(g: Graph, index: NDArray[np.intp]) -> Value:
    return g.constant(np.ascontiguousarray(index, dtype=np.intp), kind="index")


def take(g: Graph, v: Value, index: NDArray[np.intp]) -> Value:
    """v[..., index] for a 1-d array of indices, none of them negative."""
    return g.apply(_TAKE, (v, _index(g, index)))


def scatter(g: Graph, v: Value, index: NDArray[np.intp], n: int) -> Value:
    """Zeros of length n along the last axis, with v's entries added at `index`."""
    return g.apply(_SCATTER, (v, _index(g, index)), (n,))


class _Cumsum(Unary):
    """Cumulative sum along the negative axis params[0], from the end where params[1]."""

    name = "cumsum"

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return args[0].shape

    def code(self, node: Apply) -> str:
        (name,), (axis, backwards) = names(node), node.params
        if backwards:
            return f"flip(cumsum(flip({name}, {axis}), {axis}), {axis})"
        return f"cumsum({name}, {axis})"

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        return {k: k for k in range(-node.args[0].rank, 0) if k != node.params[0]}

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return g.apply(self, (v,), node.params)

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        axis, backwards = node.params
        return g.apply(self, (v,), (axis, not backwards))


cumsum = _Cumsum()


class _Concatenate(Linear):
    """Joins along the negative axis params[0]. The adjoint by operand i is its slice."""

    name = "concatenate"
    keeps_kind = True
    leaves: ClassVar[bool] = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        (axis,), first = params, args[0].shape
        for a in args[1:]:
            if a.rank != len(first) or any(a.shape[k] != first[k] for k in range(-len(first), 0) if k != axis):
                raise ShapeError(f"cannot join {show(first)} and {show(a.shape)} along axis {axis + len(first)}")
        out = list(first)
        out[axis] = sum(a.shape[axis] for a in args)
        return tuple(out)

    def code(self, node: Apply) -> str:
        return f"concatenate(({', '.join(names(node))}), axis={node.params[0]})"

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        return {k: k for k in range(-node.args[0].rank, 0) if k != node.params[0]}

    def _cuts(self, node: Apply, i: int, shape: Shape) -> Cuts:
        axis = node.params[0]
        start = sum(a.shape[axis] for a in node.args[:i])
        cuts: list[tuple[int, int | None, int]] = [(0, n, 1) for n in shape]
        cuts[axis] = (start, start + node.args[i].shape[axis], 1)
        return tuple(cuts)

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        return slice_(g, ct, self._cuts(node, i, ct.shape))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        shape = (*t.shape[: t.rank - out.rank], *out.shape)
        return unslice(g, t, self._cuts(node, i, shape), shape)


_CONCATENATE = _Concatenate()


def concatenate(g: Graph, values: list[Value], axis: int) -> Value:
    """The values joined along a negative axis."""
    return values[0] if len(values) == 1 else g.apply(_CONCATENATE, tuple(values), (axis,))
