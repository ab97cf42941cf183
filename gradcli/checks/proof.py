"""Whether two values are the same formula: their difference, entry by entry, simplified to 0 by sympy.

The work is bounded by the sizes of the expressions, and by time between steps. A proof that is not found says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from gradcli.core.nodes import Value
from gradcli.core.shapes import size
from gradcli.formulas.algebra import Algebra, Missing
from gradcli.formulas.clock import Clock
from gradcli.formulas.evaluate import Evaluator, symbols_of
from gradcli.program import Program

__all__ = ["proved"]

# what stands for functions that sympy does not have
_MEANINGS: dict[str, Callable[..., Any]] = {
    "sigmoid": lambda x: 1 / (1 + sp.exp(-x)),
    "log_sigmoid": lambda x: -sp.log(1 + sp.exp(-x)),
    "softplus": lambda x: sp.log(1 + sp.exp(x)),
    "log1p": lambda x: sp.log(1 + x),
    "expm1": lambda x: sp.exp(x) - 1,
}

_MOST_ENTRIES = 16
_MOST_SOURCES = 64
_MOST_SIZE = 150.0
_SYMPY_GIVES_UP = (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError, RecursionError)


def proved(program: Program, a: Value, b: Value, *, seconds: float = 0.5) -> bool:
    """Whether all entries of a and b are equal whatever the sources are."""
    entries = size(a.shape)
    if entries > _MOST_ENTRIES or sum(size(v.shape) for v in program.inputs.values()) > _MOST_SOURCES:
        return False
    clock = Clock(seconds)
    algebra = Algebra(400, clock)
    symbols = {v: symbols_of(name, v.shape) for name, v in program.inputs.items()}
    evaluator = Evaluator(program.graph, symbols, algebra)
    try:
        first, second = evaluator.entries(a), evaluator.entries(b)
        pairs = list(zip(first.flat, [second.flat[0]] * entries if second.size == 1 else second.flat, strict=True))
        return all(_equal(x, y, algebra, clock) for x, y in pairs)
    except _SYMPY_GIVES_UP:
        return False


def _equal(a: Any, b: Any, algebra: Algebra, clock: Clock) -> bool:
    if isinstance(a, Missing) or isinstance(b, Missing):
        return False
    if a == b:
        return True
    difference = _plain(a) - _plain(b)
    if algebra.size(difference) > _MOST_SIZE:
        return False
    for form in _FORMS:
        if clock.over:
            return False
        if form(difference) == 0:
            return True
    return False


def _plain(e: Any) -> Any:
    """In sympy's own functions."""
    for f in sorted(e.atoms(AppliedUndef), key=sp.count_ops):
        if f.func.__name__ in _MEANINGS:
            e = e.replace(f.func, _MEANINGS[f.func.__name__])
    return e


def _numerator(e: Any) -> Any:
    return sp.expand(sp.fraction(sp.together(e))[0])


def _exponentials(e: Any) -> Any:
    """In exponentials, multiplied out: tanh, sigmoid, sin and their like become polynomials of powers of e."""
    if e.has(sp.Piecewise):
        return e
    return sp.powsimp(_numerator(sp.expand_power_exp(sp.expand(e.rewrite(sp.exp)))))


def _angles(e: Any) -> Any:
    return sp.expand(sp.expand_trig(e)) if e.has(sp.sin, sp.cos, sp.tan) else e


def _squares(e: Any) -> Any:
    """cos(u)**2 as 1 - sin(u)**2."""
    if not e.has(sp.cos):
        return e
    return _numerator(
        e.replace(
            lambda p: p.is_Pow and isinstance(p.base, sp.cos) and p.exp.is_Integer and p.exp >= 2,
            lambda p: (1 - sp.sin(p.base.args[0]) ** 2) ** (p.exp // 2) * p.base ** (p.exp % 2),
        )
    )


def _choices(e: Any) -> Any:
    if not e.has(sp.Piecewise):
        return e
    folded = sp.piecewise_fold(e)
    if not isinstance(folded, sp.Piecewise):
        return sp.expand(folded)
    return sp.S.Zero if all(_numerator(value) == 0 for value, _ in folded.args) else e


_FORMS: tuple[Callable[[Any], Any], ...] = (
    sp.expand,
    _numerator,
    _squares,
    _angles,
    _choices,
    lambda e: sp.expand(sp.expand_log(e)),
    _exponentials,
)
