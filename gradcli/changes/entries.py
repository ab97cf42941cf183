"""The entries that changed, in columns: a million of them take no longer than NumPy takes to sort them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from gradcli.changes.side import Key, Kind
from gradcli.results import Change

__all__ = ["Entries", "WorstFirst", "array_label", "label"]

Numbers = NDArray[np.float64]
_BLOCK = 10_000


def array_label(kind: Kind, key: Key) -> str:
    """`gradient w`, `jacobian y by w`."""
    return f"{kind} {' by '.join(key)}"


def label(kind: Kind, key: Key, index: tuple[int, ...], axes: int, by_example: bool) -> str:
    """`gradient w[0,1]`, `jacobian y[0] by w[1]`; `axes` of the index are the first name's where there are two."""
    if len(key) == 1:
        return f"{kind} {key[0]}{_entry(index)}"
    second = index[axes:]
    if by_example:
        second = (index[0], *second)
    return f"{kind} {key[0]}{_entry(index[:axes])} by {key[1]}{_entry(second)}"


def _entry(index: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, index))}]" if index else ""


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of one array that changed, each with its place `flat` in C order, and how bad it is.

    `axes` and `by_example` are as in `label`.
    """

    kind: Kind
    key: Key
    shape: tuple[int, ...]
    flat: NDArray[np.intp]
    old: Numbers
    new: Numbers
    severity: Numbers
    axes: int
    by_example: bool

    def changes(self, rows: NDArray[np.intp]) -> Iterator[Change]:
        """The changes in some rows of the columns."""
        name = "/".join(self.key)
        places = np.stack(np.unravel_index(self.flat[rows], self.shape), axis=-1) if self.shape else np.empty((1, 0))
        for place, old, new in zip(places.tolist(), self.old[rows].tolist(), self.new[rows].tolist(), strict=True):
            index = tuple(place)
            text = label(self.kind, self.key, index, self.axes, self.by_example)
            difference = new - old
            if math.isfinite(difference):
                size = max(abs(old), abs(new))
                yield Change(self.kind, name, text, index, old, new, difference, abs(difference) / size)
            else:
                yield Change(self.kind, name, text, index, old, new)


class WorstFirst(Sequence[Change]):
    """Changes of which the first are given, and then all entries, the worst first; made one by one when asked for."""

    def __init__(self, first: Sequence[Change], parts: Sequence[Entries]) -> None:
        self._first = list(first)
        self._parts = list(parts)
        self._starts = np.cumsum([0, *(len(part.flat) for part in parts)])
        severity = np.concatenate([part.severity for part in parts]) if parts else np.empty(0)
        self._order = np.argsort(-severity, kind="stable")

    def __len__(self) -> int:
        return len(self._first) + len(self._order)

    @overload
    def __getitem__(self, at: int) -> Change: ...
    @overload
    def __getitem__(self, at: slice) -> list[Change]: ...
    def __getitem__(self, at: int | slice) -> Change | list[Change]:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step == 1:
                return [*self._first[start:stop], *self._entries(start - len(self._first), stop - len(self._first))]
            return [self[i] for i in range(start, stop, step)]
        place = range(len(self))[at]
        return self[place : place + 1][0]

    def __iter__(self) -> Iterator[Change]:
        for start in range(0, len(self), _BLOCK):
            yield from self[start : start + _BLOCK]

    def _entries(self, start: int, stop: int) -> list[Change]:
        """The entries of some places of the order."""
        chosen = self._order[max(start, 0) : max(stop, 0)]
        part_of = np.searchsorted(self._starts, chosen, side="right") - 1
        made: list[Change | None] = [None] * len(chosen)
        for number in np.unique(part_of).tolist():
            where = np.flatnonzero(part_of == number)
            rows = chosen[where] - self._starts[number]
            for place, change in zip(where.tolist(), self._parts[number].changes(rows), strict=True):
                made[place] = change
        return [change for change in made if change is not None]
