"""Reductions along axes, statistics and cumulative functions."""

from __future__ import annotations

from typing import Any

from gradcli.core.families import Cut, Reduction
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Value
from gradcli.core.ops import reduction as ops
from gradcli.core.ops.arrange import cumsum as cumsum_op
from gradcli.core.ops.elementwise import div, square, sub
from gradcli.core.ops.elementwise import mul as multiply
from gradcli.core.ops.pieces import abs_
from gradcli.core.ops.shape import expand_axes, reshape, sum_, transpose
from gradcli.core.shapes import Axis, Shape, normal_axes, size
from gradcli.language.declare import CallError, function

_TIES = "kink where equal entries are the extreme: they share the derivative evenly"


def kept(g: Graph, v: Value, axes: tuple[int, ...], keepdims: bool) -> Value:
    """The reduced value with its axes back as size 1, if asked."""
    return expand_axes(g, v, axes) if keepdims else v


def _reduced(g: Graph, op: Reduction, x: Value, axis: Axis, keepdims: bool) -> Value:
    axes = normal_axes(axis, x.rank)
    if any(x.shape[k] == 0 for k in axes):
        raise CallError(f"{op.name} of no entries (shape {x.shape})", kind="shape")
    return kept(g, op(g, x, params=(axes,)) if axes else x, axes, keepdims)


def count(x: Value, axes: tuple[int, ...]) -> int:
    """How many entries each result along `axes` is made of."""
    return size(x.shape[k] for k in axes)


@function("sum along axis")
def sum(g: Graph, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    axes = normal_axes(axis, x.rank)
    return kept(g, sum_(g, x, axes), axes, keepdims)


@function("mean along axis")
def mean(g: Graph, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    axes = normal_axes(axis, x.rank)
    return kept(g, div(g, sum_(g, x, axes), g.literal(float(count(x, axes)))), axes, keepdims)


@function("product along axis")
def prod(g: Graph, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    return _reduced(g, ops.prod, x, axis, keepdims)


@function("largest entry along axis", special=(_TIES,))
def max(g: Graph, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    return _reduced(g, ops.reduce_max, x, axis, keepdims)


@function("smallest entry along axis", special=(_TIES,))
def min(g: Graph, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    return _reduced(g, ops.reduce_min, x, axis, keepdims)


@function("log(sum(exp(x))) along axis, without overflow")
def logsumexp(g: Graph, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    return _reduced(g, ops.logsumexp, x, axis, keepdims)


def _centred(g: Graph, x: Value, axes: tuple[int, ...]) -> Value:
    return sub(g, x, mean(g, x, axes, True))


@function("variance along axis: the mean of (x - mean)**2, over n - ddof")
def var(g: Graph, x: Value, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Value:
    axes = normal_axes(axis, x.rank)
    total = sum_(g, square(g, _centred(g, x, axes)), axes)
    return kept(g, div(g, total, g.literal(count(x, axes) - ddof)), axes, keepdims)


@function(
    "standard deviation along axis",
    special=("kink where all entries are equal: the derivative is taken as 0 (a subgradient)",),
)
def std(g: Graph, x: Value, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Value:
    axes = normal_axes(axis, x.rank)
    n = count(x, axes)
    if n == 1 and ddof == 0:  # one entry never differs from its mean: zero, whatever it is
        return kept(g, sum_(g, multiply(g, x, g.literal(0.0)), axes), axes, keepdims)
    scale = g.literal(float(n - ddof) ** 0.5 if n > ddof else 0.0)
    return kept(g, div(g, _norm2(g, _centred(g, x, axes), axes), scale), axes, keepdims)


def _norm2(g: Graph, x: Value, axes: tuple[int, ...]) -> Value:
    return ops.norm2(g, x, params=(axes,)) if axes else abs_(g, x)


@function(
    "1-, 2- or inf-norm of all entries along axis",
    special=("kink at the tip of the 2-norm, value = 0: the derivative is taken as 0 (a subgradient)",),
)
def norm(g: Graph, x: Value, ord: float = 2, axis: Axis = None, keepdims: bool = False) -> Value:
    axes = normal_axes(axis, x.rank)
    if ord == 2:
        return kept(g, _norm2(g, x, axes), axes, keepdims)
    if ord == 1:
        return kept(g, sum_(g, abs_(g, x), axes), axes, keepdims)
    if ord == float("inf"):
        return _reduced(g, ops.reduce_max, abs_(g, x), axes, keepdims)
    raise CallError(f"norm has ord 1, 2 or inf, not {ord:g}")


def along(g: Graph, x: Value, axis: Axis) -> tuple[Value, int]:
    """The operand of a cumulative function and its negative axis; axis None flattens."""
    if axis is None:
        return reshape(g, x, (size(x.shape),)), -1
    if not isinstance(axis, int):
        raise CallError("axis must be one integer here")
    return x, normal_axes(axis, x.rank)[0]


@function("cumulative sum along axis (None: of the flattened array)")
def cumsum(g: Graph, x: Value, axis: Axis = None) -> Value:
    x, k = along(g, x, axis)
    return cumsum_op(g, x, params=(k, False))


@function("cumulative product along axis (None: of the flattened array)")
def cumprod(g: Graph, x: Value, axis: Axis = None) -> Value:
    x, k = along(g, x, axis)
    return ops.cumprod(g, x, params=(k, False))


def to_last(x: Value, axis: int) -> tuple[int, ...]:
    """The permutation that swaps `axis` with the last one; it is its own inverse."""
    perm = list(range(x.rank))
    perm[axis], perm[-1] = perm[-1], perm[axis]
    return tuple(perm)


@function("ascending along axis (None: flattened); the derivative goes with the entry, ties in their order")
def sort(g: Graph, x: Value, axis: Axis = -1) -> Value:
    x, k = along(g, x, axis)
    moved = transpose(g, x, to_last(x, k))
    return transpose(g, ops.take_along(g, moved, ops.argsort(g, moved)), to_last(x, k))


def _drop_axis(args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
    (axis,) = params
    return tuple(n for k, n in zip(range(-args[0].rank, 0), args[0].shape, strict=True) if k != axis)


def _arg_code(name: str) -> Any:
    def code(node: Apply) -> str:
        return f"{name}({node.args[0].name}, axis={node.params[0]}).astype(F)"

    return code


_ARG = {name: Cut(name, _arg_code(name), kind="float", shape=_drop_axis) for name in ("argmax", "argmin")}


def _arg(g: Graph, name: str, x: Value, axis: Axis) -> Value:
    x, k = along(g, x, axis)
    return _ARG[name](g, x, params=(k,))


@function("index of the first largest entry along axis (None: of the flattened array)", derivative="cut")
def argmax(g: Graph, x: Value, axis: Axis = None) -> Value:
    return _arg(g, "argmax", x, axis)


@function("index of the first smallest entry along axis (None: of the flattened array)", derivative="cut")
def argmin(g: Graph, x: Value, axis: Axis = None) -> Value:
    return _arg(g, "argmin", x, axis)
