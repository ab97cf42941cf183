"""What the author gives: a derivative by each argument, as arrays or as a function of the point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.checks.numbers import Numbers
from gradcli.testing.arguments import Arguments
from gradcli.testing.function import Function
from gradcli.testing.hold import Given

__all__ = ["Author"]

__tracebackhide__ = True

_RUNS = 4
_SAFETY = 4.0


class Author:
    """A gradient or Jacobian, with the function that it is of.

    Attributes:
        kind: gradient or jacobian.
        is_function: whether the derivative is known at other points.
        arrays: the derivative at the point by each argument that is differentiated by, in any shape.
        rtol, atol: what the author allows.
    """

    def __init__(
        self, kind: str, fun: Callable[..., Any], derivative: Any, x: Any, rtol: float | None, atol: float | None
    ) -> None:
        """Raises what `fun` and `derivative` raise at the point.

        Raises:
            Refusal: one of them is not made of real numbers, or has not the form of the point.
        """
        self.kind = kind
        self.rtol, self.atol = rtol, atol
        self._what = "grad" if kind == "gradient" else "jacobian"
        self.is_function = callable(derivative)
        self._derivative = derivative
        arguments = Arguments.of(fun, x)
        if not self.is_function:
            found = arguments.split(derivative, self._what)
        else:
            arguments = arguments.only(self._varied(arguments))
            found = self._called(arguments, arguments.arrays)
        self.arrays = {name: a for name, a in found.items() if a is not None}
        self._arguments = arguments.only(set(self.arrays))
        self.function = Function(fun, self._arguments)

    def _varied(self, arguments: Arguments) -> set[str]:
        """The arguments by which a function may differentiate. Integers may be labels, by which it does not."""
        if not arguments.has_integers:
            return arguments.real
        try:
            found = self._called(arguments.only(set()), {})
        except Exception:  # integers are too narrow for what it computes
            return arguments.real
        return {name for name in arguments.real if found[name] is not None}

    def _called(self, arguments: Arguments, arrays: dict[str, Numbers]) -> dict[str, Numbers | None]:
        return arguments.split(arguments.call(self._derivative, arrays), f"what {self._what} returns")

    def arrays_at(self, row: Numbers) -> dict[str, Numbers] | None:
        """The derivative at another point; None where it is not known there."""
        try:
            found = self._called(self._arguments, self.function.arrays(row.copy()))
        except Exception:
            return None
        arrays = {name: a for name, a in found.items() if a is not None}
        same = arrays.keys() == self.arrays.keys() and all(a.shape == self.shape(name) for name, a in arrays.items())
        return arrays if same else None

    def shape(self, name: str) -> tuple[int, ...]:
        """What the shape of the derivative by an argument must be."""
        own = self.function.shapes[name]
        return own if self.kind == "gradient" else self.function.shape + own

    def noun(self, name: str) -> str:
        """`gradient of w`, `Jacobian of f by w`."""
        return f"gradient of {name}" if self.kind == "gradient" else f"Jacobian of {self.function.name} by {name}"

    @property
    def title(self) -> str:
        """`the gradient of loss`."""
        return f"the {'gradient' if self.kind == 'gradient' else 'Jacobian'} of {self.function.name}"

    def given(self, arrays: dict[str, Numbers], row: Numbers) -> Given:
        """The derivative at a point, to be held against differences."""
        matrix = self.matrix(arrays)
        known: list[Numbers] = []

        def rounding() -> Numbers:
            if not known:
                known.append(self._rounding(matrix, row))
            return known[0]

        return Given(
            matrix,
            self.kind == "gradient",
            self.rtol,
            self.atol,
            self.single(arrays),
            rounding if self.is_function else None,
        )

    def single(self, arrays: dict[str, Numbers]) -> bool:
        """Whether the derivative was computed in single precision, or the function was."""
        narrow = any(a.dtype.kind == "f" and a.dtype.itemsize < np.dtype(np.float64).itemsize for a in arrays.values())
        return narrow or self.function.is_single

    def matrix(self, arrays: dict[str, Numbers]) -> Numbers:
        """A row for each output, or one for their sum; a column for each number that is moved."""
        rows = 1 if self.kind == "gradient" else self.function.value.size
        parts = [arrays[name].astype(float).reshape(rows, -1) for name in self.function.shapes if arrays[name].size]
        return np.concatenate(parts, axis=1) if parts else np.zeros((rows, 0))

    def _rounding(self, matrix: Numbers, row: Numbers) -> Numbers:
        """How much rounding there is in the numbers of a function: as for its value, they are computed at points that
        differ in the last digits, and with more digits where that goes."""
        random = np.random.default_rng(0)
        rows: list[Numbers] = [row * (1 + self.function.eps * random.uniform(-1, 1, row.shape)) for _ in range(_RUNS)]
        spread = np.zeros(matrix.shape)
        rows.append(row.astype(np.longdouble))
        for moved in rows:
            arrays = self.arrays_at(moved)
            if arrays is not None:
                off = np.abs(self.matrix(arrays) - matrix)
                spread = np.fmax(spread, np.where(np.isnan(off), 0.0, off))
        return _SAFETY * spread
