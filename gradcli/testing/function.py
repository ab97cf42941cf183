"""A function of the user's own, as a function of one row of numbers that answers with one row of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.checks.judge import named
from gradcli.checks.numbers import Numbers, apart
from gradcli.testing.arguments import Arguments, Refusal, name_of, numbers

__all__ = ["Function"]

__tracebackhide__ = True

_SAME = 1e3  # times the precision: what threads may add up in another order at a second call
_SINGLE = float(np.finfo(np.float32).eps)
_DOUBLE = float(np.finfo(np.float64).eps)
_TRIES = 3


class Function:
    """`fun`, with the arguments that are moved in one row, and its outputs in one row.

    Attributes:
        name: what messages call it.
        start: the point.
        shapes: of the arguments that are moved.
        shape: of the output.
        jitter: how far two calls at the same point are apart.
    """

    def __init__(self, fun: Callable[..., Any], arguments: Arguments) -> None:
        """What `fun` raises at the point, it raises.

        Raises:
            Refusal: it returns no numbers, or other numbers at a second call.
        """
        self.name = name_of(fun)
        self.arguments = arguments
        self._fun = fun
        arrays = arguments.arrays
        self.shapes = {name: a.shape for name, a in arrays.items()}
        self.start = np.concatenate([a.ravel() for a in arrays.values()])
        first = self._output(self.start)
        self.shape = first.shape
        self.dtype = first.dtype
        self.value = np.array(first, dtype=np.float64).ravel()
        self.jitter = self._jitter(np.array(self._output(self.start), dtype=np.float64))

    def _output(self, row: Numbers) -> Numbers:
        return numbers(self.arguments.call(self._fun, self.arrays(row.copy())), f"the output of {self.name}")

    def _jitter(self, again: Numbers) -> float:
        if again.shape != self.shape:
            raise Refusal(ValueError(f"{self.name} is not deterministic: two calls at the same point differ in shape"))
        most = float(np.max(apart(again.ravel(), self.value), initial=0.0))
        precision = float(np.finfo(self.dtype).eps) if self.dtype.kind == "f" else _DOUBLE
        size = float(np.abs(self.value[np.isfinite(self.value)]).max(initial=0.0))
        if most > _SAME * precision * size:
            text = f"{self.name} is not deterministic: two calls at the same point differ by {most:.2g}"
            raise Refusal(ValueError(f"{text}; if it draws random numbers, give them a fixed seed"))
        return most

    def arrays(self, row: Numbers) -> dict[str, Numbers]:
        """The row as the arguments that are moved."""
        found, start = {}, 0
        for name, shape in self.shapes.items():
            stop = start + math.prod(shape)
            found[name] = row[start:stop].reshape(shape)
            start = stop
        return found

    def at(self, row: Numbers) -> Numbers:
        """The outputs at another point; NaN where `fun` raises something or returns no real numbers.

        Raises:
            Refusal: their shape is another one.
        """
        try:
            made = self._output(row)
        except Exception:
            return np.full(self.value.shape, np.nan)
        if made.shape != self.shape:
            text = f"{self.name} returns the shape {self.shape} at the point and {made.shape} near it"
            raise Refusal(ValueError(f"{text}: there is no derivative"))
        return np.array(made, dtype=np.float64).ravel()

    def at_wide(self, row: Numbers) -> Numbers | None:
        """The outputs as computed with more digits, where `fun` and the machine can; else None."""
        try:
            made = self._output(row.astype(np.longdouble))
        except Exception:
            return None
        return np.array(made, dtype=np.longdouble).ravel() if made.shape == self.shape else None

    @cached_property
    def eps(self) -> float:
        """The precision in which it computes, as far as its outputs show it."""
        if self.dtype.kind == "f" and self.dtype.itemsize < np.dtype(np.float64).itemsize:
            return float(np.finfo(self.dtype).eps)
        random = np.random.default_rng(0)
        rows = [
            self.start + (1e-3 * self.start + 1e-6) * random.uniform(-1, 1, self.start.shape) for _ in range(_TRIES)
        ]
        found = [self.value, *map(self.at, rows)]
        broken = any((np.isfinite(v) & (v != np.round(v))).any() for v in found)  # all doubles are that are whole
        short = all(((v == v.astype(np.float32)) | ~np.isfinite(v)).all() for v in found)
        varied = any(not np.array_equal(v, self.value, equal_nan=True) for v in found)
        return _SINGLE if short and broken and varied else _DOUBLE

    @property
    def is_single(self) -> bool:
        """Whether it computes in single precision or less."""
        return self.eps >= _SINGLE

    @property
    def lengths(self) -> list[int]:
        """The counts of entries by which a sum may have been divided: those of all arguments, and along their axes."""
        shapes = [np.shape(v) for v in self.arguments.given.values() if isinstance(v, np.ndarray)]
        found = [n for shape in (*self.shapes.values(), *shapes) for n in (math.prod(shape), *shape)]
        return [n for n in dict.fromkeys(found) if n > 1]

    def column(self, k: int) -> str:
        """The name of the k-th number that is moved: `w[0,1]`."""
        for name, shape in self.shapes.items():
            if k < math.prod(shape):
                return named(name)(tuple(map(int, np.unravel_index(k, shape))))
            k -= math.prod(shape)
        raise IndexError(k)

    def output(self, k: int) -> str:
        """The name of the k-th output: `f[0]`."""
        return named(self.name)(tuple(map(int, np.unravel_index(k, self.shape))))

    def columns(self, name: str) -> Numbers:
        """The places of an argument in the row."""
        return self.arrays(np.arange(self.start.size))[name].ravel()

    def described(self, row: Numbers) -> str:
        """A point in words: `w = [1. 2.], b = 0.5`; of large arrays a few entries."""
        arrays: Mapping[str, Numbers] = self.arrays(row)
        shown = {n: np.array2string(a, precision=6, threshold=8, edgeitems=2).split() for n, a in arrays.items()}
        return ", ".join(f"{name} = {' '.join(words)}" for name, words in shown.items())
