"""Doubles as exact sympy numbers, and these numbers as text.

0.1 is the rational 1/10 and is printed as 0.1: sympy's own floats keep fewer digits than a double has, and do not
cancel exactly. The difference to the double is far below its last digit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import sympy as sp

__all__ = ["GiveUp", "is_decimal", "number", "number_text"]


class GiveUp(Exception):  # noqa: N818  (it is no error: the caller goes on without a formula)
    """There is no formula; the text says why."""


_CONSTANTS = {
    math.pi: sp.pi,
    math.e: sp.E,
    math.sqrt(math.pi): sp.sqrt(sp.pi),
    2 / math.sqrt(math.pi): 2 / sp.sqrt(sp.pi),
    math.sqrt(2 * math.pi): sp.sqrt(2) * sp.sqrt(sp.pi),
    math.sqrt(2 / math.pi): sp.sqrt(2) / sp.sqrt(sp.pi),
}
# Computed in another order, a constant may be one double off.
_KNOWN = {
    double: exact
    for near, exact in _CONSTANTS.items()
    for double in (math.nextafter(near, 0), math.nextafter(near, math.inf), near)
}
_LONG = 14  # digits from which on a double is looked at as 1/3, sqrt(2) or log(2)
_LARGEST_INTEGER = 10**15
_FAIR = 1000  # numerators and denominators up to here are read at a glance
_SHORT = 12
_SMALLEST_ROOT = 1e-3
_HALVES = (2, 4, 8)


def number(x: float) -> Any:
    """The sympy number for a double: exact decimals, 1/3 for 0.3333333333333333, pi for the double of pi."""
    if not math.isfinite(x):
        return sp.nan if math.isnan(x) else sp.oo if x > 0 else -sp.oo
    if abs(x) in _KNOWN:
        return _KNOWN[abs(x)] * (1 if x > 0 else -1)
    exact = Fraction(repr(x))
    if _digits(exact) >= _LONG:
        special = _root(x) or _logarithm(x)
        if special is not None:
            return special
        exact = _short(x) or exact
    return sp.Rational(exact.numerator, exact.denominator)


def _digits(decimal: Fraction) -> int:
    return len(str(decimal.numerator).rstrip("0"))


def _short(x: float) -> Fraction | None:
    """1/3 for 0.3333333333333333, and 0.3 for 0.1 + 0.2, which is one double off; else None."""
    near = Fraction(x).limit_denominator(_FAIR)
    if math.isclose(near.numerator / near.denominator, x, rel_tol=2**-52) and near.denominator != 1:
        return near
    rounded = Fraction(f"{x:.15g}")
    return rounded if len(f"{x:.15g}") <= _SHORT and rounded.denominator != 1 else None


def _root(x: float) -> Any:
    """sqrt(3) for 1.7320508075688772: the root of a small fraction whose double is x; else None."""
    if not _SMALLEST_ROOT < abs(x) < _FAIR:
        return None
    square = Fraction(x * x).limit_denominator(_FAIR // 10)
    p, q = square.numerator, square.denominator
    near = (math.sqrt(p / q), 1 / math.sqrt(q / p), math.sqrt(p) / math.sqrt(q)) if 0 < p <= _FAIR else ()
    if abs(x) not in near:
        return None
    return sp.sqrt(sp.Rational(p, q)) * (1 if x > 0 else -1)


def _logarithm(x: float) -> Any:
    """log(9) for 2.1972245773362196: of a small integer; else None."""
    n = round(math.exp(min(abs(x), math.log(_FAIR))))
    if n < 2 or not math.isclose(math.log(n), abs(x), rel_tol=2**-52):
        return None
    return sp.log(n) * (1 if x > 0 else -1)


def is_decimal(r: Any) -> bool:
    """Whether a rational reads better as 0.1 than as 1/10: all but integers, 1/2, 1/4, 1/8, and fractions like 2/3."""
    if r.q == 1:
        return bool(abs(r.p) >= _LARGEST_INTEGER)
    if abs(r.p) == 1 and r.q in _HALVES:
        return False
    return bool(_terminates(r.q) or max(abs(r.p), r.q) > _FAIR)


def _terminates(q: int) -> bool:
    for prime in (2, 5):
        while q % prime == 0:
            q //= prime
    return q == 1


def number_text(r: Any) -> str:
    """A rational as a number of the language: 2, 0.1, 1e-05, 2/3. A single 1/2 is 0.5.

    Raises:
        GiveUp: it has no place among the doubles.
    """
    if r.q == 1 and abs(r.p) < _LARGEST_INTEGER:
        return str(r.p)
    if r.q != 1 and not is_decimal(r) and r.q not in _HALVES:
        return f"{r.p}/{r.q}"
    try:
        double = r.p / r.q
    except OverflowError:
        raise GiveUp("it holds a number that is larger than every double") from None
    if double == 0:
        raise GiveUp("it holds a number that is smaller than every double")
    return repr(double)
