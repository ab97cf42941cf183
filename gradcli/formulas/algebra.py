"""Arithmetic on the entries of symbolic arrays: sympy expressions, or `Missing` where there is no formula.

Every result is measured: what grows too large, or is not finite, becomes `Missing`, so the work stays bounded whatever
the graph is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from gradcli.formulas.choices import choice, condition, counted
from gradcli.formulas.clock import Clock
from gradcli.formulas.numerals import GiveUp

__all__ = ["NO_TIME", "ONE", "ZERO", "Algebra", "Entries", "Missing"]

Entries = NDArray[Any]  # of dtype object


@dataclass(frozen=True, slots=True)
class Missing:
    """In the place of an expression that there is none for, with the reason."""

    reason: str


ZERO, ONE = sp.S.Zero, sp.S.One
NO_TIME = Missing("there was no time left for it")
_TOO_LARGE = Missing("it is too large")
_TOO_DEEP = Missing("it is nested too deep")
_NOT_FINITE = Missing("it is not finite, or not real, for any point")
_ODD = frozenset({sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I})
_DEEPEST = 60  # sympy works by recursion
_SYMPY_GIVES_UP = (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError, RecursionError)


class Algebra:
    """Operations on entries, with bounds: `limit` on the size of an expression (as a tree), the clock on the time."""

    def __init__(self, limit: int, clock: Clock) -> None:
        self.limit, self.clock = limit, clock
        self._measures: dict[Any, tuple[float, int]] = {}

    def size(self, e: Any) -> float:
        """How many nodes an expression has, written out; infinite where it holds something that is not finite."""
        return self._measure(e)[0]

    def _measure(self, e: Any) -> tuple[float, int]:
        known = self._measures
        work = [e]
        while work:
            top = work[-1]
            unknown = [] if top in known else [a for a in top.args if a not in known]
            if unknown:
                work.extend(unknown)
                continue
            work.pop()
            parts = [known[a] for a in top.args]
            own = np.inf if top in _ODD else 1 + (_bits(top) // 64 if top.is_Number else 0)
            known[top] = own + sum(s for s, _ in parts), 1 + max((d for _, d in parts), default=0)
        return known[e]

    def checked(self, e: Any) -> Any:
        """The expression, or Missing where it is too large or not finite."""
        size, depth = self._measure(e)
        if size <= self.limit and depth <= _DEEPEST:
            return e
        if size == np.inf:
            return _NOT_FINITE
        return _TOO_DEEP if depth > _DEEPEST else _TOO_LARGE

    def apply(self, make: Callable[..., Any], *entries: Any) -> Any:
        """make(*entries), checked; Missing where an entry is."""
        for e in entries:
            if isinstance(e, Missing):
                return e
        if self.clock.over:
            return NO_TIME
        try:
            return self.checked(make(*entries))
        except GiveUp as e:
            return Missing(str(e))
        except _SYMPY_GIVES_UP:
            return Missing("sympy has no form for it")

    def times(self, a: Any, b: Any) -> Any:
        """a * b; 0 times anything is 0."""
        if ZERO in (a, b) or sp.false in (a, b):
            return ZERO
        return self.apply(lambda x, y: counted(x) * counted(y), a, b)

    def total(self, entries: Iterable[Any]) -> Any:
        """The sum of entries."""
        return self.apply(lambda *e: sp.Add(*map(counted, e)), *[e for e in entries if e != ZERO])

    def choose(self, c: Any, a: Any, b: Any) -> Any:
        """`a` where the condition holds, else `b`. What is not chosen may be missing."""
        c = c if isinstance(c, Missing) else condition(c)
        if a == b or c == sp.true:
            return a
        if c == sp.false:
            return b
        return self.apply(choice, c, a, b)

    def map(self, make: Callable[..., Any], *arrays: Entries) -> Entries:
        """`make` on each entry of the broadcast arrays; it takes care of Missing itself."""
        together = np.broadcast(*arrays) if len(arrays) > 1 else arrays[0].flat
        return filled(
            [make(*entries) for entries in together] if len(arrays) > 1 else [make(e) for e in together],
            np.broadcast_shapes(*[a.shape for a in arrays]),
        )

    def rows(self, make: Callable[[list[Any]], Any], x: Entries, axes: Sequence[int]) -> Entries:
        """`make` on the entries along `axes` (negative), which are dropped."""
        kept = [k for k in range(-x.ndim, 0) if k not in axes]
        moved = x.transpose([k + x.ndim for k in (*kept, *axes)])
        shape = tuple(x.shape[k] for k in kept)
        flat = moved.reshape(int(np.prod(shape)), -1)
        return filled([make(list(row)) for row in flat], shape)

    def along(self, make: Callable[..., list[Any]], axis: int, *arrays: Entries) -> Entries:
        """`make` on the lists of entries along one axis, which gives a list of the same length."""
        moved = [np.moveaxis(x, axis, -1) for x in arrays]
        flat = [x.reshape(-1, x.shape[-1]) for x in moved]
        out = np.empty(flat[0].shape, object)
        for k, lists in enumerate(zip(*flat, strict=True)):
            out[k] = filled(make(*[list(row) for row in lists]), out.shape[1:])
        return np.moveaxis(out.reshape(moved[0].shape), -1, axis)


def filled(entries: list[Any], shape: tuple[int, ...]) -> Entries:
    """The entries as an array of that shape."""
    out = np.empty(len(entries), object)
    for k, e in enumerate(entries):
        out[k] = e
    return out.reshape(shape)


def _bits(n: Any) -> int:
    return int(n.p).bit_length() + int(n.q).bit_length() if n.is_Rational else 64
