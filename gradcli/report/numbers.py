"""Numbers and names as text: digits, alignment on the point, shortest round trip, labels of entries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["PRECISION", "align", "clean", "digits", "entry_labels", "exact", "shape_text", "split_at_point"]

PRECISION = 6
_POSITIONAL = range(-4, 9)  # decimal exponents that are written without an `e`


def exact(array: ArrayLike) -> Any:
    """`array` as nested lists (a scalar as a bare float) whose numbers print as the shortest text that reads back.

    NaN and infinities become "NaN", "Infinity" and "-Infinity". The floats of a float32 array are the doubles with
    the same shortest text (0.1, not 0.10000000149011612).
    """
    wide = np.asarray(array)
    if wide.dtype != np.float64:
        wide = wide.astype("U").astype(np.float64)
    if np.isfinite(wide).all():
        return wide.tolist()
    named = wide.astype(object)
    named[np.isnan(wide)] = "NaN"
    named[wide == np.inf] = "Infinity"
    named[wide == -np.inf] = "-Infinity"
    return named.tolist()


def digits(number: Any, precision: int | None = None) -> str:
    """`number` for a reader: `precision` significant digits, no zeros at the end, all digits of the integer part.

    >>> digits(0.1), digits(12.0), digits(1234567.89), digits(1.5e-17)
    ('0.1', '12', '1234568', '1.5e-17')
    """
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    if number == 0:
        return "0"
    rounded = _rounded(number, precision or PRECISION)
    return format(rounded, "f") if rounded.adjusted() in _POSITIONAL else _scientific(rounded)


def _rounded(number: Any, precision: int) -> Decimal:
    from decimal import Decimal

    shortest = Decimal(str(number)).normalize()
    exponent = shortest.adjusted()
    keep = max(precision, exponent + 1) if exponent in _POSITIONAL else precision
    if len(shortest.as_tuple().digits) <= keep:
        return shortest
    return Decimal(f"{float(number):.{keep - 1}e}").normalize()


def _scientific(number: Decimal) -> str:
    mantissa = number.scaleb(-number.adjusted())
    return f"{mantissa:f}e{number.adjusted():+03d}"


def split_at_point(text: str) -> tuple[str, str]:
    """The part of a number before its decimal point, and the rest (which starts with `.`, `e` or is empty).

    >>> split_at_point("-0.25"), split_at_point("1e-17"), split_at_point("none")
    (('-0', '.25'), ('1', 'e-17'), ('none', ''))
    """
    if not text[-1:].isdigit():
        return text, ""
    stop = next((i for i, c in enumerate(text) if c in ".e"), len(text))
    return text[:stop], text[stop:]


def align(texts: Sequence[str]) -> list[str]:
    """The texts with their decimal points under each other, all equally long; empty ones become blank."""
    parts = [split_at_point(text) for text in texts]
    before = max((len(head) for head, _ in parts), default=0)
    after = max((len(tail) for _, tail in parts), default=0)
    return [head.rjust(before) + tail.ljust(after) for head, tail in parts]


def entry_labels(name: str, shape: tuple[int, ...], limit: int | None = None) -> list[str]:
    """The names of the first `limit` entries in C order: `w[0,1]`; the bare name for a scalar."""
    if not shape:
        return [name]
    return [f"{name}[{_joined(index)}]" for index in islice(product(*map(range, shape)), limit)]


def _joined(index: Iterable[int]) -> str:
    return ",".join(map(str, index))


def shape_text(shape: tuple[int, ...]) -> str:
    """`(2, 3)`, or `scalar`."""
    return str(tuple(int(n) for n in shape)) if shape else "scalar"


def clean(text: str) -> str:
    """`text` on one line, with control characters (which could move a terminal's cursor) made visible."""
    return "".join(c if c.isprintable() else " " if c.isspace() else ascii(c)[1:-1] for c in text)
