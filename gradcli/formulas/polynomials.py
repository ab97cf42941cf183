"""Polynomial algorithms on expressions, made safe: they see plain symbols, few of them, and small numbers.

sympy's polynomials are dense. On exp(0.123456789*x) they would take exp(x/10**9) for the variable, to a power of a
hundred million. So everything that is no sum, product or small power stands behind a symbol of its own here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import sympy as sp
from sympy.core.mul import _keep_coeff

__all__ = ["few_terms", "on_polynomials"]

_MOST_TERMS = 40  # of an expression multiplied out
_MOST_SYMBOLS = 8
_LARGEST_POWER = 6
_LARGEST_NUMBER = 10**6


def _terms(e: Any) -> float:
    """An upper bound on the number of terms of an expression multiplied out."""
    if e.is_Add:
        return sum(_terms(a) for a in e.args)
    if e.is_Mul:
        return math.prod(_terms(a) for a in e.args)
    if e.is_Pow and e.exp.is_Integer:
        n, power = _terms(e.base), abs(int(e.exp))
        if n == 1:
            return 1
        return math.comb(power + int(n) - 1, power) if power <= 2 * _LARGEST_POWER and n <= _MOST_TERMS else math.inf
    return 1


def few_terms(e: Any) -> bool:
    """Whether the expression and all of its parts stay small when they are multiplied out."""
    return all(_terms(part) <= _MOST_TERMS for part in sp.preorder_traversal(e))


def on_polynomials(form: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The form, applied to an expression whose functions, roots and large numbers stand behind symbols.

    The expression itself comes back where it is too large for that.
    """

    def applied(e: Any) -> Any:
        hidden: dict[Any, Any] = {}
        plain = _hide(e, hidden)
        if len(plain.free_symbols) > _MOST_SYMBOLS or not few_terms(plain):
            return e
        shown = {symbol: part for part, symbol in hidden.items()}
        coefficient, rest = form(plain).as_coeff_Mul()
        return _keep_coeff(coefficient, rest.xreplace(shown))  # sympy would multiply 2*(x + 1) out again

    return applied


def _hide(e: Any, hidden: dict[Any, Any]) -> Any:
    """`e` with each part that is no polynomial replaced by a symbol, which no user can write."""
    if e.is_Symbol or (e.is_Rational and max(abs(e.p), e.q) <= _LARGEST_NUMBER):
        return e
    if e.is_Add or e.is_Mul:
        return e.func(*[_hide(a, hidden) for a in e.args])
    if e.is_Pow and e.exp.is_Integer and abs(e.exp) <= _LARGEST_POWER:
        return sp.Pow(_hide(e.base, hidden), e.exp)
    return hidden.setdefault(e, sp.Symbol(f" {len(hidden)}", real=True))
