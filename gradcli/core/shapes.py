"""Pure arithmetic on shapes. Axes are negative wherever a rule must also work with extra leading axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

__all__ = [
    "MAX_CONSTANT_ENTRIES",
    "Axis",
    "Shape",
    "ShapeError",
    "bounded",
    "broadcast",
    "kept_groups",
    "normal_axes",
    "show",
    "size",
    "stretched_axes",
]

Shape = tuple[int, ...]
Axis = int | tuple[int, ...] | None


MAX_ENTRIES = 1_000_000_000
MAX_CONSTANT_ENTRIES = 20_000_000  # of arrays that are made while the graph is built


def bounded(shape: Shape, limit: int = MAX_ENTRIES) -> Shape:
    """The shape itself; ShapeError where an array of it has more entries than is sensible."""
    if any(n < 0 for n in shape):
        raise ShapeError(f"a size cannot be negative: {show(shape)}")
    if size(shape) > limit:
        raise ShapeError(f"an array of shape {show(shape)} has {size(shape):,} entries, more than {limit:,}")
    return shape


class ShapeError(ValueError):
    """Operands do not fit each other; the text says which shapes, the caller knows where."""


def size(shape: Iterable[int]) -> int:
    """The number of entries of an array of that shape."""
    return math.prod(shape)


def show(shape: Sequence[int]) -> str:
    """A shape as Python prints it: `()`, `(3,)`, `(2, 3)`."""
    return str(tuple(shape))


def broadcast(*shapes: Shape) -> Shape:
    """NumPy's broadcasting rule; ShapeError where the shapes do not fit."""
    first = shapes[0]
    if all(s in (first, ()) for s in shapes):
        return first
    rank = max(len(s) for s in shapes)
    out = [1] * rank
    for shape in shapes:
        for k in range(-len(shape), 0):
            if out[k] == 1:
                out[k] = shape[k]
            elif shape[k] not in (1, out[k]):
                raise ShapeError(f"shapes {' and '.join(show(s) for s in shapes)} do not broadcast")
    return tuple(out)


def stretched_axes(shape: Shape, out: Shape) -> list[int]:
    """The negative axes of `out` along which broadcasting repeated (or added) an operand of `shape`."""
    return [k for k in range(-len(out), 0) if out[k] != 1 and (k < -len(shape) or shape[k] == 1)]


def normal_axes(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes that `axis` (None: all) names, as ascending negative numbers; ShapeError where out of range or twice."""
    if axis is None:
        return tuple(range(-rank, 0))
    axes = (axis,) if isinstance(axis, int) else axis
    for k in axes:
        if not -rank <= k < rank:
            raise ShapeError(f"axis {k} is out of range for {rank} {'dimension' if rank == 1 else 'dimensions'}")
    out = sorted(k if k < 0 else k - rank for k in axes)
    if len(set(out)) != len(out):
        raise ShapeError(f"axis {axes} names an axis twice")
    return tuple(out)


def kept_groups(old: Shape, new: Shape) -> dict[int, int]:
    """The axes that a reshape from `old` to `new` leaves alone, as {old axis: new axis}, both negative.

    Walks both shapes in groups of equal size: where a group is one axis on both sides, that axis is only carried.
    """
    kept: dict[int, int] = {}
    i = j = 0
    while i < len(old) and j < len(new):
        start_i, start_j = i, j
        left, right = old[i], new[j]
        i, j = i + 1, j + 1
        while left != right:
            if left < right and i < len(old):
                left *= old[i]
                i += 1
            elif j < len(new):
                right *= new[j]
                j += 1
            else:
                return kept
        if i - start_i == 1 and j - start_j == 1:
            kept[start_i - len(old)] = start_j - len(new)
        elif left == 1:  # ones pair up freely: realign on the next axis that is no one
            while i < len(old) and old[i] == 1:
                i += 1
            while j < len(new) and new[j] == 1:
                j += 1
    return kept
