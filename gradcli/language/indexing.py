"""x[...]: integers, slices, `...`, None, integer arrays and constant masks, with NumPy's meaning and checked bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.nodes import Value
from gradcli.core.ops.arrange import take
from gradcli.core.ops.shape import reshape, slice_
from gradcli.core.shapes import Shape, show, size
from gradcli.language.convert import Converter
from gradcli.language.declare import CallError
from gradcli.language.functions.arrange import checked_indices, take_axis

__all__ = ["apply_index"]


def apply_index(convert: Converter, x: Value, index: Any, name: str) -> Value:
    """x[index]; `name` is what messages call x."""
    items = list(index) if isinstance(index, tuple) else [index]
    items = _expanded([_item(convert, item) for item in items], x.shape, name)
    _check_bounds(items, x.shape, name)
    g = convert.graph
    arrays = [item for item in items if isinstance(item, np.ndarray)]
    if not arrays:
        return _basic(convert, x, items)
    axis = _only_array(items)
    if axis is not None:  # one array along one axis, the others whole: the other axes stay apart
        picked = take_axis(g, x, np.ravel(items[axis]) % x.shape[axis], axis - x.rank)
        return reshape(g, picked, x.shape[:axis] + arrays[0].shape + x.shape[axis + 1 :])
    try:
        places = np.arange(size(x.shape)).reshape(x.shape)[tuple(items)]
    except IndexError:
        shapes = " and ".join(show(a.shape) for a in arrays)
        raise CallError(f"the index arrays of {name} do not broadcast: shapes {shapes}", kind="index") from None
    flat = take(g, reshape(g, x, (size(x.shape),)), places.ravel())
    return reshape(g, flat, places.shape)


def _item(convert: Converter, item: Any) -> Any:
    """One entry of an index: int, slice, None, Ellipsis or an integer array."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, bool | str | tuple):
        raise CallError("an index is an integer, a slice, a list of integers, None or ...", kind="index")
    if isinstance(item, Value) and item.kind == "bool":
        return _mask(convert, item)
    found = convert.integers(item, "an index", frozen=True)
    return int(found) if not found.ndim else found


def _mask(convert: Converter, item: Value) -> NDArray[Any]:
    """A condition as an index: only a constant one, because the shape must not depend on the point."""
    if convert.graph.varying[item.index]:
        raise CallError(
            "a condition as an index would make the shape depend on the point",
            "write where(condition, x, 0)",
            kind="index",
        )
    return np.asarray(convert.numbers(item, "a mask"), dtype=bool)


def _expanded(items: list[Any], shape: Shape, name: str) -> list[Any]:
    """The index with `...` spelled out and one item per axis (and None for each new one)."""
    spelled: list[Any] = []
    for item in items:
        if isinstance(item, np.ndarray) and item.dtype == bool:
            spelled.extend(np.nonzero(item) if item.ndim else [item])
        else:
            spelled.append(item)
    used = sum(1 for item in spelled if item is not None and item is not Ellipsis)
    if used > len(shape):
        raise CallError(f"{used} indices for {name}, which has shape {show(shape)}", kind="index")
    if sum(1 for item in spelled if item is Ellipsis) > 1:
        raise CallError("'...' stands more than once in an index", kind="index")
    at = next((k for k, item in enumerate(spelled) if item is Ellipsis), len(spelled))
    rest = [slice(None)] * (len(shape) - used)
    return spelled[:at] + rest + spelled[at + 1 :]


def _check_bounds(items: list[Any], shape: Shape, name: str) -> None:
    axes = iter(range(len(shape)))
    for item in items:
        if item is None:
            continue
        axis = next(axes)
        if isinstance(item, slice):
            if item.step == 0:
                raise CallError("the step of a slice cannot be 0", kind="index")
        else:
            what = f"axis {axis} of {name}, which has shape {show(shape)}"
            checked_indices(np.atleast_1d(np.asarray(item)), shape[axis], what)


def _only_array(items: list[Any]) -> int | None:
    """The axis of the only index array where all other axes are whole; else None."""
    arrays = [k for k, item in enumerate(items) if isinstance(item, np.ndarray)]
    others = [item for item in items if not isinstance(item, np.ndarray)]
    return arrays[0] if len(arrays) == 1 and all(item == slice(None) for item in others) else None


def _basic(convert: Converter, x: Value, items: list[Any]) -> Value:
    """Integers, slices and None: a slice per axis, then a reshape."""
    g = convert.graph
    cuts: list[tuple[int, int | None, int]] = []
    shape: list[int] = []
    for item in items:
        if item is None:
            shape.append(1)
            continue
        n = x.shape[len(cuts)]
        if isinstance(item, slice):
            start, stop, step = item.indices(n)
            cuts.append((start, None if stop < 0 else stop, step))
            shape.append(len(range(start, stop, step)))
        else:
            cuts.append((item % n, item % n + 1, 1))
    return reshape(g, slice_(g, x, tuple(cuts)), tuple(shape))
