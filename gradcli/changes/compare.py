"""Two sides against each other: names, shapes, and every entry of the arrays that both have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.changes.entries import Entries, WorstFirst, array_label, label
from gradcli.changes.side import DERIVATIVES, Derivative, Key, Kind, Side, largest
from gradcli.errors import Fault, InputError, Place
from gradcli.language.names import fold
from gradcli.results import Array, Change, Changes, Tally

__all__ = ["ATOL_ULPS", "RTOL", "compare"]

RTOL: Mapping[str, float] = {"float64": 1e-9, "float32": 1e-4}
"""Of an entry: what a step on the way that multiplies errors, such as a matrix inverse, may leave."""
ATOL_ULPS = 64
"""Times eps, of the largest entry of an array: what is left where terms cancel."""

_NOISE_ULPS = 4  # times eps, of target / source: what is left where all of a derivative cancels


def compare(old: Side, new: Side, *, rtol: float | None = None, atol: float | None = None) -> Changes:
    """What changed. An entry did where |new - old| > atol + rtol * max(|old|, |new|); NaN equals NaN.

    Raises:
        InputError: the sides hold no derivative in common.
    """
    found = _Comparison(old, new, rtol, atol)
    found.run()
    return Changes(
        old=old.name,
        new=new.name,
        dtype=found.dtype,
        changes=WorstFirst([*found.names, *found.shapes, *found.paths], found.entries),
        arrays=tuple(found.tallies),
        notes=tuple(_notes(old, new, found.dtype)),
    )


class _Comparison:
    def __init__(self, old: Side, new: Side, rtol: float | None, atol: float | None) -> None:
        self.old, self.new = old, new
        self.dtype = "float32" if "float32" in (old.dtype, new.dtype) else "float64"
        self.eps = float(np.finfo(self.dtype).eps)
        self.rtol = RTOL[self.dtype] if rtol is None else rtol
        self.atol = atol
        self.names: list[Change] = []
        self.shapes: list[Change] = []
        self.paths: list[Change] = []
        self.entries: list[Entries] = []
        self.tallies: list[Tally] = []

    def run(self) -> None:
        kinds: list[Kind] = ["value", *_common(self.old, self.new)]
        self.compare_names("target", self.old.values, self.new.values)
        self.compare_names("source", self.old.shapes, self.new.shapes)
        for kind in kinds:
            others = {tuple(map(fold, key)): array for key, array in self.new.arrays[kind].items()}
            for key, array in self.old.arrays[kind].items():
                folded = tuple(map(fold, key))
                if folded in others:
                    self.compare_arrays(kind, key, array, others[folded])

    def compare_names(self, what: str, old: Mapping[str, tuple[int, ...]], new: Mapping[str, tuple[int, ...]]) -> None:
        """Which targets or sources came, went, or have another shape."""
        before, after = ({fold(name): (name, shape) for name, shape in side.items()} for side in (old, new))
        for key, (name, shape) in before.items():
            if key not in after:
                self.names.append(Change("removed", name, f"{what} {name}", None, shape, None))
            elif after[key][1] != shape:
                self.shapes.append(Change("shape", name, f"shape {name}", None, shape, after[key][1]))
        for key, (name, shape) in after.items():
            if key not in before:
                self.names.append(Change("added", name, f"{what} {name}", None, None, shape))

    def compare_arrays(self, kind: Kind, key: Key, old: Array | None, new: Array | None) -> None:
        if old is None or new is None:
            self.compare_paths(kind, key, old, new)
        elif np.shape(old) == np.shape(new):
            found = self.changed(kind, key, old, new)
            if found:
                self.entries.append(found)
            changed = len(found.flat) if found else 0
            self.tallies.append(Tally(array_label(kind, key), changed, np.size(old)))

    def compare_paths(self, kind: Kind, key: Key, old: Array | None, new: Array | None) -> None:
        """Where one side is unconnected: its largest entry stands for the other."""
        there = old if new is None else new
        size = 0 if there is None else np.size(there)
        if there is not None and size:
            at = int(np.argmax(np.where(np.isfinite(there), np.abs(there), np.inf)))
            number = float(_shortest(np.asarray(there).ravel()[at : at + 1])[0])
            index = tuple(map(int, np.unravel_index(at, there.shape)))
            text = label(kind, key, index, *self.layout(kind, key))
            numbers = (None, number) if old is None else (number, None)
            self.paths.append(Change("unconnected", "/".join(key), text, index, *numbers))
        self.tallies.append(Tally(array_label(kind, key), size, size))

    def layout(self, kind: Kind, key: Key) -> tuple[int, bool]:
        """How many axes of an array belong to the first name, and whether its second name lacks its first axis."""
        if kind == "jacobian":
            return len(self.old.values[key[0]]), self.old.per_example
        return (len(self.old.shapes[key[0]]) if kind == "hessian" else 0), False

    def changed(self, kind: Kind, key: Key, old: Array, new: Array) -> Entries | None:
        """The entries that changed, or None."""
        if np.array_equal(old, new, equal_nan=True):
            return None
        a, b = (np.asarray(array, dtype=np.float64).ravel() for array in (old, new))
        size = max(largest(a), largest(b))
        with np.errstate(all="ignore"):
            apart = np.abs(b - a)
            allowed = self.allowed(kind, key, size) + self.rtol * np.maximum(np.abs(a), np.abs(b))
            same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.isfinite(apart) & (apart <= allowed))
            flat = np.flatnonzero(~same)
            severity = apart[flat] / size if size else apart[flat]
        if not flat.size:
            return None
        severity[~np.isfinite(severity)] = np.inf
        before, after = (_shortest(np.asarray(array).ravel()[flat]) for array in (old, new))
        return Entries(kind, key, np.shape(old), flat, before, after, severity, *self.layout(kind, key))

    def allowed(self, kind: Kind, key: Key, size: float) -> float:
        """The absolute tolerance: by default so much that rounding alone is no change."""
        if self.atol is not None:
            return self.atol
        if kind == "gradient":
            size = max(size, _rows(self.old, key[0]), _rows(self.new, key[0]))
        noise = 0.0 if kind == "value" else max(_origin(side, kind, key) for side in (self.old, self.new))
        return self.eps * max(ATOL_ULPS * size, _NOISE_ULPS * noise)


def _common(old: Side, new: Side) -> list[Derivative]:
    """The kinds of derivative that both hold."""
    kinds = [kind for kind in old.derivatives if kind in new.derivatives]
    names = _called(old, new)
    place = Place(new.name) if new.name else None
    if not kinds and old.derivatives and new.derivatives:
        message = f"{names[0]} holds the {_list(old)} and {names[1]} the {_list(new)}: they cannot be compared"
        raise InputError(Fault("usage", message, "ask both the same question", place))
    if "jacobian" in kinds and old.per_example != new.per_example:
        holds = names[0] if old.per_example else names[1]
        message = f"only the Jacobian in {holds} is per example: they cannot be compared"
        raise InputError(Fault("usage", message, "make both with --per-example, or neither", place))
    return kinds


_CALLED: Mapping[Derivative, str] = {"gradient": "gradient", "jacobian": "Jacobian", "hessian": "Hessian"}


def _list(side: Side) -> str:
    return " and the ".join(_CALLED[kind] for kind in side.derivatives)


def _notes(old: Side, new: Side, dtype: str) -> Iterator[str]:
    names = _called(old, new)
    if old.dtype != new.dtype:
        yield f"{names[0]} is {old.dtype}, {names[1]} {new.dtype}: compared as {dtype}"
    for kind in DERIVATIVES if not (old.computed or new.computed) else ():
        if (kind in old.arrays) != (kind in new.arrays):
            yield f"the {_CALLED[kind]} was not compared: only {names[kind in new.arrays]} has it"


def _called(old: Side, new: Side) -> tuple[str, str]:
    return old.name or "the old side", new.name or "the new side"


def _rows(side: Side, source: str) -> float:
    """The largest sum of |weight * row| over all rows by a source; 0 where they are not known."""
    total: Any = 0.0
    for (target, by), block in side.arrays.get("jacobian", {}).items():
        value = side.arrays["value"].get((target,))
        if block is not None and value is not None and fold(by) == fold(source) and not side.per_example:
            weight = np.broadcast_to(np.abs(side.weights.get(target, np.ones(()))), value.shape)
            with np.errstate(all="ignore"):
                total = total + np.tensordot(weight, np.abs(block), value.ndim)
    return largest(np.asarray(total))


def _origin(side: Side, kind: Kind, key: Key) -> float:
    """What a derivative that cancels was made of: |target| / max(1, |source|); 0 where the source is not known."""
    sources = key[1:] if kind == "jacobian" else key
    points = {fold(name): size for name, size in side.points.items()}
    if not all(fold(name) in points for name in sources):
        return 0.0
    values = side.arrays["value"]
    chosen = [a for (name,), a in values.items() if kind != "jacobian" or fold(name) == fold(key[0])]
    size = max((largest(array) for array in chosen if array is not None), default=0.0)
    for name in sources:
        size /= max(1.0, points[fold(name)])
    return size


def _shortest(array: Array) -> NDArray[np.float64]:
    """As doubles; those of a float32 array have the same shortest text (0.1, not 0.10000000149011612)."""
    wide = array if array.dtype == np.float64 else array.astype("U").astype(np.float64)
    return np.asarray(wide, dtype=np.float64)
