"""Functions that move, copy, join and pad entries, under NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.arrange import concatenate as concatenate_op
from gradcli.core.ops.arrange import take as take_op
from gradcli.core.ops.elementwise import where
from gradcli.core.ops.reduction import take_along
from gradcli.core.ops.shape import broadcast_to as broadcast_op
from gradcli.core.ops.shape import expand_axes, slice_, unslice
from gradcli.core.ops.shape import reshape as reshape_op
from gradcli.core.ops.shape import transpose as transpose_op
from gradcli.core.shapes import MAX_CONSTANT_ENTRIES, Axis, Shape, ShapeError, bounded, normal_axes, show, size
from gradcli.language.declare import CallError, function
from gradcli.language.functions.statistics import to_last


@function("the same entries in another shape (one size may be -1)")
def reshape(g: Graph, x: Value, shape: Shape) -> Value:
    if -1 in shape:
        rest = size(n for n in shape if n != -1)
        if shape.count(-1) > 1 or not rest or size(x.shape) % rest:
            raise ShapeError(f"cannot reshape {show(x.shape)} to {show(shape)}")
        shape = tuple(size(x.shape) // rest if n == -1 else n for n in shape)
    return reshape_op(g, x, shape)


@function("the entries as a vector")
def ravel(g: Graph, x: Value) -> Value:
    return reshape_op(g, x, (size(x.shape),))


@function("without the axes of size 1 (axis: only these)")
def squeeze(g: Graph, x: Value, axis: Axis = None) -> Value:
    if axis is None:
        return reshape_op(g, x, tuple(n for n in x.shape if n != 1))
    axes = normal_axes(axis, x.rank)
    if any(x.shape[k] != 1 for k in axes):
        raise ShapeError(f"axis {axis} of shape {show(x.shape)} is not of size 1")
    return reshape_op(g, x, tuple(n for k, n in zip(range(-x.rank, 0), x.shape, strict=True) if k not in axes))


@function("with a new axis of size 1 at axis")
def expand_dims(g: Graph, x: Value, axis: Axis) -> Value:
    count = len(axis) if isinstance(axis, tuple) else 1
    return expand_axes(g, x, normal_axes(axis, x.rank + count))


@function("repeated to a shape by NumPy's broadcasting")
def broadcast_to(g: Graph, x: Value, shape: Shape) -> Value:
    return broadcast_op(g, x, shape)


@function("arrays joined along axis", aliases=("concat",), one_axis="axis")
def concatenate(g: Graph, list: list[Value], one_axis: int = 0) -> Value:
    (axis,) = normal_axes(one_axis, list[0].rank)
    return concatenate_op(g, list, axis)


def stack_values(g: Graph, values: list[Value], axis: int) -> Value:
    """The values along a new axis. Scalars beside arrays are refused: that is a ragged list."""
    first = values[0].shape
    for v in values:
        if v.shape != first:
            raise ShapeError(f"cannot stack shapes {show(first)} and {show(v.shape)}: all entries need the same shape")
    axes = normal_axes(axis, len(first) + 1)
    return concatenate_op(g, [expand_axes(g, v, axes) for v in values], axes[0])


@function("arrays of one shape along a new axis", one_axis="axis")
def stack(g: Graph, list: list[Value], one_axis: int = 0) -> Value:
    return stack_values(g, list, one_axis)


@function("reversed along axis")
def flip(g: Graph, x: Value, axis: Axis = None) -> Value:
    axes = normal_axes(axis, x.rank)
    cuts = [(n - 1, None, -1) if k in axes else (0, n, 1) for k, n in zip(range(-x.rank, 0), x.shape, strict=True)]
    return slice_(g, x, tuple(cuts))


def take_axis(g: Graph, x: Value, index: NDArray[np.intp], axis: int) -> Value:
    """x.take(index, axis) for a 1-d index without negative entries."""
    perm = to_last(x, axis)
    return transpose_op(g, take_op(g, transpose_op(g, x, perm), index), perm)


@function("moved by shift places along axis, around the end (axis None: flattened)")
def roll(g: Graph, x: Value, shift: Any, axis: Axis = None) -> Value:
    if axis is None:
        flat = reshape_op(g, x, (size(x.shape),))
        return reshape_op(g, roll(g, flat, shift, 0), x.shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise CallError(f"roll has {len(shifts)} shifts for {len(axes)} axes")
    for by, one in zip(shifts, axes, strict=True):
        (k,) = normal_axes(one, x.rank)
        x = take_axis(g, x, np.roll(np.arange(x.shape[k]), by), k)
    return x


def _triangle(g: Graph, x: Value, keep: NDArray[np.bool_]) -> Value:
    return where(g, g.constant(keep, kind="bool"), x, g.literal(0.0))


def _matrix_size(x: Value) -> tuple[int, int]:
    if x.rank < 2:
        raise ShapeError(f"a matrix is needed, got shape {show(x.shape)}")
    return x.shape[-2], x.shape[-1]


@function("the lower triangle, up to the k-th diagonal; zeros elsewhere")
def tril(g: Graph, x: Value, k: int = 0) -> Value:
    return _triangle(g, x, np.tri(*_matrix_size(x), k, dtype=bool))


@function("the upper triangle, from the k-th diagonal on; zeros elsewhere")
def triu(g: Graph, x: Value, k: int = 0) -> Value:
    return _triangle(g, x, ~np.tri(*_matrix_size(x), k - 1, dtype=bool))


def _is_pairs(widths: Any) -> bool:
    """Whether widths is a tuple of whole numbers, or of pairs of them."""
    flat = [n for p in widths for n in (p if isinstance(p, tuple) else (p,))] if isinstance(widths, tuple) else [None]
    return bool(flat) and all(isinstance(n, int) for n in flat)


def _pad_widths(widths: Any, rank: int) -> list[tuple[int, int]]:
    """NumPy's forms: n, (before, after), or one pair per axis."""
    help = "write n, (before, after) or ((before, after), ...)"
    if not isinstance(widths, int) and not _is_pairs(widths):
        raise CallError(f"widths must be whole numbers, got {widths}", help)
    if isinstance(widths, int):
        pairs = [(widths, widths)] * rank
    elif len(widths) == 2 and all(isinstance(n, int) for n in widths):
        pairs = [(widths[0], widths[1])] * rank
    else:
        pairs = [(p[0], p[-1]) if isinstance(p, tuple) else (p, p) for p in widths]
        pairs = pairs * rank if len(pairs) == 1 else pairs
    if len(pairs) != rank or any(n < 0 for pair in pairs for n in pair):
        raise CallError(
            f"widths {widths} do not say how far to pad each of {rank} axes", "write ((before, after), ...)"
        )
    return pairs


@function("zeros around: widths is n, (before, after), or a pair per axis")
def pad(g: Graph, x: Value, widths: Any) -> Value:
    pairs = _pad_widths(widths, x.rank)
    cuts = tuple((before, before + n, 1) for n, (before, _) in zip(x.shape, pairs, strict=True))
    return unslice(g, x, cuts, tuple(n + sum(p) for n, p in zip(x.shape, pairs, strict=True)))


def checked_indices(index: NDArray[np.intp], n: int, what: str) -> NDArray[np.intp]:
    """The indices counted from 0; CallError where one is out of range."""
    outside = index[(index < -n) | (index >= n)]
    if outside.size:
        raise CallError(f"index {outside.flat[0]} is out of range for {what}", kind="index")
    return np.where(index < 0, index + n, index)


def _single(axis: Axis, rank: int) -> int:
    """The one axis that is named, negative."""
    if not isinstance(axis, int):
        raise CallError("axis must be one whole number here, or None")
    return normal_axes(axis, rank)[0]


@function("entries by index along axis (None: of the flattened array)")
def take(g: Graph, x: Value, indices: NDArray[np.intp], axis: Axis = None) -> Value:
    if axis is None:
        x, axis = reshape_op(g, x, (size(x.shape),)), 0
    k = _single(axis, x.rank)
    index = checked_indices(indices, x.shape[k], f"axis {axis} of shape {show(x.shape)}")
    picked = take_axis(g, x, index.ravel(), k)
    at = k + x.rank
    return reshape_op(g, picked, x.shape[:at] + index.shape + x.shape[at + 1 :])


@function("entries by an array of indices along axis, one per place", one_axis="axis")
def take_along_axis(g: Graph, x: Value, indices: NDArray[np.intp], one_axis: int) -> Value:
    (k,) = normal_axes(one_axis, x.rank)
    index = checked_indices(indices, x.shape[k], f"axis {one_axis} of shape {show(x.shape)}")
    if index.ndim != x.rank:
        raise ShapeError(f"indices of shape {show(index.shape)} for shape {show(x.shape)}")
    shape = list(x.shape)
    shape[k] = index.shape[k]
    if any(n not in (1, m) for n, m in zip(index.shape, shape, strict=True)):
        raise ShapeError(f"indices of shape {show(index.shape)} for shape {show(x.shape)}")
    whole = np.broadcast_to(index, shape)
    perm = to_last(x, k)
    picked = take_along(g, transpose_op(g, x, perm), g.constant(np.ascontiguousarray(whole.transpose(perm)), "index"))
    return transpose_op(g, picked, perm)


@function("each entry n times along axis (None: of the flattened array)")
def repeat(g: Graph, x: Value, n: int, axis: Axis = None) -> Value:
    if axis is None:
        x, axis = reshape_op(g, x, (size(x.shape),)), 0
    k = _single(axis, x.rank)
    bounded((x.shape[k], n), MAX_CONSTANT_ENTRIES)
    return take_axis(g, x, np.repeat(np.arange(x.shape[k]), n), k)


@function("the whole array repeated reps times along each axis")
def tile(g: Graph, x: Value, reps: Any) -> Value:
    counts = reps if isinstance(reps, tuple) else (reps,)
    rank = max(len(counts), x.rank)
    counts = (1,) * (rank - len(counts)) + counts
    x = reshape_op(g, x, (1,) * (rank - x.rank) + x.shape)
    for k, n in enumerate(counts):
        bounded((x.shape[k], n), MAX_CONSTANT_ENTRIES)
        if n != 1:
            x = take_axis(g, x, np.tile(np.arange(x.shape[k]), n), k - rank)
    return x


@function("two axes swapped", a_axis="a", b_axis="b")
def swapaxes(g: Graph, x: Value, a_axis: int, b_axis: int) -> Value:
    (a,), (b,) = normal_axes(a_axis, x.rank), normal_axes(b_axis, x.rank)
    perm = list(range(x.rank))
    perm[a], perm[b] = perm[b], perm[a]
    return transpose_op(g, x, tuple(perm))


@function("axes moved to other places, the others in their order")
def moveaxis(g: Graph, x: Value, source: Any, destination: Any) -> Value:
    froms, tos = (a if isinstance(a, tuple) else (a,) for a in (source, destination))
    if len(froms) != len(tos):
        raise CallError(f"moveaxis has {len(froms)} sources for {len(tos)} destinations")
    for axis in (*froms, *tos):
        normal_axes(axis, x.rank)
    pairs = sorted((to % x.rank, origin % x.rank) for to, origin in zip(tos, froms, strict=True))
    order = [k for k in range(x.rank) if k not in [origin for _, origin in pairs]]
    for to, origin in pairs:
        order.insert(to, origin)
    return transpose_op(g, x, tuple(order))
