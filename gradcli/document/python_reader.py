"""A Python mapping -> tree: the same nodes as from a file, with paths (`targets.loss`) for places."""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Mapping as AnyMapping
from numbers import Complex, Real
from typing import Any

import numpy as np

from gradcli.document.tree import MAX_DEPTH, Array, File, Mapping, Node, Scalar, Sequence, show
from gradcli.errors import Fault, InputError, Place

__all__ = ["read_python"]

_NOWHERE = File(None)


def read_python(value: object, path: str = "") -> Node:
    """The tree of a mapping, list, number, text, NumPy array or anything else that NumPy makes an array of.

    Raises:
        InputError: a value of another type, or nested too deeply (as one that contains itself is).
    """
    return _node(value, path, 0)


def _node(value: object, path: str, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise _error("limit", f"the value nests deeper than {MAX_DEPTH} levels", path)
    if value is None or isinstance(value, (bool, str)):
        return _scalar(value, path)
    if isinstance(value, AnyMapping):
        return _mapping(value, path, depth)
    if isinstance(value, (list, tuple)):
        return _sequence(value, path, depth)
    if isinstance(value, os.PathLike):
        return _scalar(os.fsdecode(value), path)
    if hasattr(value, "__array__"):
        return Array(_NOWHERE, path=path, value=np.asarray(value))
    if isinstance(value, Real):
        return _number(value, path)
    if isinstance(value, Complex):
        return Array(_NOWHERE, path=path, value=np.asarray(complex(value)))
    raise _error("value", f"a value of type {type(value).__name__} is not a number, text, list, mapping or array", path)


def _scalar(value: float | bool | str | None, path: str) -> Scalar:
    style = "python" if isinstance(value, str) else "plain"
    text = "" if value is None else str(value)
    return Scalar(_NOWHERE, path=path, text=text, value=value, style=style)


def _number(value: Real, path: str) -> Scalar:
    number = _float(value, path)
    return Scalar(_NOWHERE, path=path, text=repr(number), value=number)


def _float(value: Any, path: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _error("value", "the number is too large for a double", path) from None


def _sequence(value: Iterable[object], path: str, depth: int) -> Sequence:
    entries = list(value)
    if entries and set(map(type, entries)) <= {int, float}:
        return Sequence(_NOWHERE, path=path, numbers=[_float(entry, path) for entry in entries])
    items = [_node(entry, f"{path}[{index}]", depth + 1) for index, entry in enumerate(entries)]
    return Sequence(_NOWHERE, path=path, items=items)


def _mapping(value: AnyMapping[object, object], path: str, depth: int) -> Mapping:
    entries = []
    for key, item in value.items():
        below = f"{path}.{key}" if path else str(key)
        name = key if isinstance(key, (str, bool)) or key is None else 0.0
        entries.append((Scalar(_NOWHERE, path=below, text=str(key), value=name), _node(item, below, depth + 1)))
    return Mapping(_NOWHERE, path=path, entries=entries)


def _error(kind: str, message: str, path: str) -> InputError:
    return InputError(Fault(kind, message, None, Place(path=show(path, 200)[1:-1] or None)))
