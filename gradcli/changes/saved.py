"""A result in JSON, as the commands print it, read back: `gradcli grad loss.yaml --json > old.json`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gradcli.changes.side import DERIVATIVES, Key, Kind, Side, has_zeros
from gradcli.document.tree import MAX_DEPTH, show
from gradcli.document.values import collected
from gradcli.errors import Fault, InputError, Place
from gradcli.results import Array

__all__ = ["is_result", "read_result"]

_VERSION = 1
_HOLDS: Mapping[str, tuple[Kind, ...]] = {
    "grad": ("gradient",),
    "jacobian": ("jacobian",),
    "compare": ("gradient", "jacobian"),
    "hessian": ("hessian",),
}
_WORDS = {"NaN", "Infinity", "-Infinity"}
_ANEW = "make it anew with --json"


def is_result(content: object) -> bool:
    """Whether a JSON text is something that gradcli printed: an expression file can have none of these keys."""
    return isinstance(content, Mapping) and not content.keys().isdisjoint(("schema_version", "command", "error"))


def read_result(content: Mapping[str, Any], name: str | None) -> Side:
    """The side that a result of grad, jacobian, compare or hessian is.

    Raises:
        InputError: it is another result, of another version, or damaged; with all that is wrong, by path.
    """
    if fault := _foreign(content):
        raise InputError(_placed(fault, name))
    reader = _Reader(content)
    side = reader.read(name)
    if reader.faults or side is None:
        raise InputError(*(_placed(fault, name) for fault in reader.faults))
    return side


def _placed(fault: Fault, name: str | None) -> Fault:
    return Fault(fault.kind, fault.message, fault.help, Place(name, path=fault.place.path if fault.place else None))


def _foreign(content: Mapping[str, Any]) -> Fault | None:
    """Why a text of gradcli is none of the results that can be compared."""
    error = content.get("error")
    if "error" in content and "command" not in content:
        said = error.get("message") if isinstance(error, Mapping) else None
        return Fault("result", "it holds an error and no result" + (f": {said}" if said else ""), _ANEW)
    version = content.get("schema_version")
    if version != _VERSION or isinstance(version, bool):
        says = "no schema_version" if version is None else f"schema_version {show(str(version))[1:-1]}"
        return _fault("schema_version", f"the result has {says}, and {_VERSION} is what can be read", _ANEW)
    command = content.get("command")
    if not (isinstance(command, str) and command in _HOLDS):
        of = f"of {show(command)}" if isinstance(command, str) else "of no command"
        return _fault("command", f"this is a result {of}", f"results of {', '.join(_HOLDS)} can be compared")
    return None


def _fault(path: str, message: str, hint: str | None = None) -> Fault:
    return Fault("result", message, hint, Place(path=path))


class _Reader:
    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        self.faults: list[Fault] = []
        self.kinds = _HOLDS[content["command"]]

    def read(self, name: str | None) -> Side | None:
        dtype = self.content.get("dtype")
        if dtype not in ("float64", "float32"):
            self.faults.append(_fault("dtype", f"the dtype is float64 or float32, not {show(str(dtype))}", _ANEW))
            dtype = "float64"
        self.dtype = np.dtype(dtype)
        self.shapes = self.read_shapes()
        found: dict[Kind, dict[Key, Array | None]] = {"value": {}}
        for target, value in self.mapping("targets", self.content.get("targets")).items():
            with collected(self.faults):
                found["value"][target,] = self.value(target, value)
        self.targets = {target: np.shape(array) for (target,), array in found["value"].items() if array is not None}
        if self.faults:  # what does not fit them would be said a second time
            return None
        for kind in DERIVATIVES:
            if kind in self.kinds:
                tree = self.mapping(kind, self.content.get(kind))
                found[kind] = dict(self.blocks(kind, tree))
        sources = list(dict.fromkeys(key[-1] for kind in self.kinds for key in found[kind]))
        notes = self.content.get("notes")
        kinds = [note.get("kind") for note in notes if isinstance(note, Mapping)] if isinstance(notes, list) else []
        return Side(
            name=name,
            dtype=dtype,
            arrays=found,
            shapes={source: self.shapes.get(source, ()) for source in sources},
            per_example=any(
                array is not None and np.shape(array) != self.targets[target] + self.shapes[source]
                for (target, source), array in found.get("jacobian", {}).items()
            ),
            zero=has_zeros(found, kinds),
        )

    def read_shapes(self) -> dict[str, tuple[int, ...]]:
        shapes = {}
        for name, shape in self.mapping("shapes", self.content.get("shapes")).items():
            if isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape):
                shapes[name] = tuple(shape)
            else:
                self.faults.append(_fault(f"shapes.{name}", "a shape is a list of whole numbers", _ANEW))
        return shapes

    def mapping(self, path: str, value: Any) -> Mapping[str, Any]:
        """The object at a path; an empty one, and a fault, where something else is there."""
        if isinstance(value, Mapping):
            return value
        what = "is missing" if value is None else "is no object"
        self.faults.append(_fault(path, f"the part {path!r} {what}", _ANEW))
        return {}

    def value(self, target: str, value: Any) -> Array:
        """The value of a target. `shapes` may have the shape of a source of this name, but tells what `[]` does not."""
        array = self.array(f"targets.{target}", value)
        shape = self.shapes.get(target, array.shape)
        return array.reshape(shape) if array.size == 0 == math.prod(shape) else array

    def blocks(self, kind: Kind, tree: Mapping[str, Any]) -> Iterator[tuple[Key, Array | None]]:
        """The arrays of a kind of derivative, by key."""
        with collected(self.faults):
            if kind == "gradient":
                for name, value in _leaves(tree, kind):
                    with collected(self.faults):
                        yield (name,), self.block(f"{kind}.{name}", value, self.shape(name, kind))
            elif kind == "jacobian":
                yield from self.rows(tree)
            else:
                yield from self.pairs(tree)

    def rows(self, tree: Mapping[str, Any]) -> Iterator[tuple[Key, Array | None]]:
        first: list[str] | None = None
        for target, shape in self.targets.items():
            path = f"jacobian.{target}"
            row = dict(_leaves(self.mapping(path, tree.get(target)), path))
            first = list(row) if first is None else first
            if list(row) != first:
                self.faults.append(_fault(path, "its sources are not those of the other targets", _ANEW))
            for source, value in row.items():
                with collected(self.faults):
                    by = self.shape(source, path)
                    yield (target, source), self.block(f"{path}.{source}", value, shape + by, shape + by[1:])

    def pairs(self, tree: Mapping[str, Any]) -> Iterator[tuple[Key, Array | None]]:
        """A source's name may be nested, so that of a path of keys only the shapes tell where the second begins."""
        sources = [name for name in self.shapes if _find(_find(tree, name), name) is not _NOTHING]
        if len(sources) ** 2 != sum(1 for _ in _leaves(tree, "hessian")):
            raise InputError(_fault("hessian", "it does not hold each pair of sources once", _ANEW))
        for a in sources:
            for b in sources:
                path = f"hessian.{a}.{b}"
                value = _find(_find(tree, a), b)
                with collected(self.faults):
                    yield (a, b), self.block(path, value, self.shapes[a] + self.shapes[b])

    def shape(self, source: str, path: str) -> tuple[int, ...]:
        if source not in self.shapes:
            raise InputError(_fault(f"{path}.{source}", f"'shapes' does not have {source!r}", _ANEW))
        return self.shapes[source]

    def block(self, path: str, value: Any, *shapes: tuple[int, ...]) -> Array | None:
        """The array of a derivative, which has one of these shapes; None for null."""
        if value is None:
            return None
        array = self.array(path, value)
        if array.shape in shapes:
            return array
        if array.size == 0 and math.prod(shapes[0]) == 0:
            return array.reshape(shapes[0])
        raise InputError(
            _fault(path, f"it has the shape {array.shape}, where {shapes[0]} is what 'shapes' says", _ANEW)
        )

    def array(self, path: str, value: Any) -> Array:
        """Nested lists of numbers, and of the words for what JSON has no number for."""
        nested = isinstance(value, list)
        try:
            found = np.array(value if nested else [value], dtype=object)
        except ValueError:  # some ways of not being rectangular
            raise InputError(_fault(path, "its lists are not all equally long", _ANEW)) from None
        kinds = set(map(type, found.flat))
        texts = {x for x in found.flat if type(x) is str} if str in kinds else set()
        if list in kinds:
            raise InputError(_fault(path, "its lists are not all equally long", _ANEW))
        if wrong := sorted(texts - _WORDS):
            raise InputError(_fault(path, f"it holds the text {show(wrong[0])}, which is no number", _ANEW))
        if not kinds <= {float, int, str}:
            raise InputError(_fault(path, "it holds something that is no number", _ANEW))
        try:
            numbers = found.astype(np.float64)
        except OverflowError:
            raise InputError(_fault(path, "it holds a number that is too large", _ANEW)) from None
        with np.errstate(over="ignore"):
            return np.asarray(numbers if nested else numbers[0], dtype=self.dtype)


_NOTHING = object()


def _leaves(tree: Any, path: str, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The values of nested objects by their dotted names."""
    if depth > MAX_DEPTH:
        raise InputError(_fault(path, f"its objects nest deeper than {MAX_DEPTH} levels", _ANEW))
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, path, f"{prefix}{key}.", depth + 1)
        else:
            yield f"{prefix}{key}", value


def _find(tree: Any, name: str) -> Any:
    """What nested objects have under a dotted name."""
    for part in name.split("."):
        if not (isinstance(tree, Mapping) and part in tree):
            return _NOTHING
        tree = tree[part]
    return tree
