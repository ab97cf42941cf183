"""What all checks know about floating-point numbers; needs NumPy and nothing else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNDERFLOWS", "Numbers", "apart", "digits_of", "scales_of"]

Numbers = NDArray[Any]

UNDERFLOWS = 1e-140
"""About the square root of the smallest double: products on the way to what is smaller may be 0."""

_MOST_DIGITS = 16.0


def apart(a: Numbers, b: Numbers) -> Numbers:
    """|a - b| entry by entry: 0 for equal infinities and for NaN with NaN, infinite for NaN with a number."""
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    off = np.where(same, 0.0, np.abs(a - b))
    return np.where(np.isnan(off), np.inf, off)


def digits_of(relative: float) -> float:
    """To how many significant digits numbers agree that differ by this part of themselves."""
    if relative <= 0:
        return _MOST_DIGITS
    return min(_MOST_DIGITS, max(0.0, round(-math.log10(relative), 1))) if math.isfinite(relative) else 0.0


def scales_of(x: float) -> list[float]:
    """The lengths of large steps at x: its own size, and 1 where that is another; powers of two, to be exact."""
    own = 2.0 ** math.floor(math.log2(abs(x))) if x != 0 and math.isfinite(x) else 1.0
    return [own] if 0.25 < own < 4 else [own, 1.0]
