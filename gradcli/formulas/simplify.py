"""The shortest of a few equivalent forms. Each form is tried only where the expression is small enough for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import sympy as sp

from gradcli.formulas.clock import Budget
from gradcli.formulas.numerals import GiveUp
from gradcli.formulas.polynomials import few_terms, on_polynomials

__all__ = ["shortest"]

Print = Callable[[Any], str]
Form = Callable[[Any], Any]

_PLAIN = 4  # 2*x, x**2, sin(x): there is no shorter form
_MOST_PIECES = 4
_SYMPY_GIVES_UP: tuple[type[Exception], ...] = (
    TypeError,
    ValueError,
    ArithmeticError,
    AttributeError,
    NotImplementedError,
    RecursionError,
    sp.PolynomialError,
)


def shortest(e: Any, size: float, show: Print, budget: Budget) -> tuple[str, Any]:
    """The shortest text among the forms of an expression, and the form; the first of equals.

    Raises:
        GiveUp: the language has no word for it as it stands.
    """
    best, form = show(e), e
    for other in _forms(e, size, budget):
        try:
            text = show(other)
        except GiveUp:
            continue
        if len(text) < len(best):
            best, form = text, other
    return best, form


def _forms(e: Any, size: float, budget: Budget) -> Iterator[Any]:
    """Other forms of an expression, the cheap ones first."""
    if size <= _PLAIN:
        return
    seen = {e}
    for largest, applies, forms in _TABLE:
        if size > largest or not applies(e):
            continue
        for form in forms:
            if not budget.spend(size):
                return
            made = _tried(form, e)
            if made is not None and made not in seen:
                seen.add(made)
                yield made


def _tried(form: Form, e: Any) -> Any:
    try:
        made = form(e)
    except _SYMPY_GIVES_UP:
        return None
    return None if made.has(sp.nan, sp.zoo, sp.oo, sp.I) else made


# -- which forms are worth a try ---------------------------------------------------------------------------------------


def _waves(e: Any) -> bool:
    return bool(e.has(*_IDENTITIES) and few_terms(e))


def _pieces(e: Any) -> bool:
    return not e.is_Piecewise and 0 < len(e.atoms(sp.Piecewise)) <= _MOST_PIECES


def _choice(e: Any) -> bool:
    return isinstance(e, sp.Piecewise) and len(e.args) == 2


# -- forms -------------------------------------------------------------------------------------------------------


def _roots(e: Any) -> Any:
    """Multiplied out under roots: sqrt((1 - x)*(x + 1)) is sqrt(1 - x**2)."""

    def wanted(p: Any) -> bool:
        return bool(p.is_Pow and p.exp.is_Rational and not p.exp.is_Integer and p.base.is_Mul)

    return e.replace(wanted, lambda p: sp.Pow(sp.expand(p.base), p.exp))


def _under(e: Any) -> Any:
    """Multiplied out below the line."""
    above, below = sp.fraction(e)
    return above / sp.expand(below)


def _turned(e: Any) -> Any:
    """The signs above and below the line turned: -1/(x**2 - 1) is 1/(1 - x**2)."""
    above, below = sp.fraction(sp.cancel(e))
    return sp.expand(-above) / sp.expand(-below)


def _both(e: Any) -> Any:
    return sp.factor_terms(sp.expand(e))


def _by_identity(e: Any) -> Any:
    """sin(u)**2 as 1 - cos(u)**2 and cosh(u)**2 as 1 + sinh(u)**2, where that makes terms cancel."""

    def wanted(p: Any) -> bool:
        return bool(p.is_Pow and p.exp == 2 and isinstance(p.base, _IDENTITIES))

    return sp.factor_terms(sp.expand(e.replace(wanted, lambda p: _other_square(p.base))))


def _other_square(f: Any) -> Any:
    (u,) = f.args
    return 1 - sp.cos(u) ** 2 if isinstance(f, sp.sin) else 1 + sp.sinh(u) ** 2


_IDENTITIES = (sp.sin, sp.cosh)


def _inside(e: Any) -> Any:
    """A choice with each of its values simplified."""
    return sp.Piecewise(*[(sp.factor_terms(value), c) for value, c in e.args], evaluate=False)


def _swapped(e: Any) -> Any:
    """The other branch first, unless what is there is `something where x > 0, else 0`."""
    (a, c), (b, _) = e.args
    if b == 0 and not isinstance(c, (sp.Not, sp.Or, sp.Ne)):
        return e
    return sp.Piecewise((b, sp.Not(c)), (a, True), evaluate=False)


def _folded(e: Any) -> Any:
    """Choices in a sum or product made one choice, in the shorter order of the branches."""
    made = sp.piecewise_fold(e)
    return _swapped(made) if isinstance(made, sp.Piecewise) and len(made.args) == 2 else made


# The largest size, what an expression must be, and the forms.
_TABLE: list[tuple[int, Callable[[Any], bool], list[Form]]] = [
    (300, lambda e: True, [sp.factor_terms, _roots]),
    (150, few_terms, [sp.expand, _both, _under, sp.powsimp]),
    (80, lambda e: True, [on_polynomials(form) for form in (sp.together, sp.cancel, _turned, sp.factor)]),
    (80, _waves, [_by_identity]),
    (150, _pieces, [sp.piecewise_fold, _folded]),
    (300, _choice, [_inside, _swapped]),
]
