"""Elementwise ops on entries: by their own sympy expression, but for the few that are declared here."""

from __future__ import annotations

from typing import Any

import sympy as sp

from gradcli.core.elementwise import Elementwise
from gradcli.core.nodes import Apply, Literal
from gradcli.formulas.algebra import ONE, ZERO, Algebra, Entries
from gradcli.formulas.choices import condition, is_count, nonzero
from gradcli.formulas.numerals import GiveUp, number
from gradcli.formulas.rules import SCALARS, rule, scalar

__all__ = ["elementwise"]

_EXACT = frozenset({"add", "sub", "mul", "neg", "named"})
_DECIDABLE = 30  # relations between larger expressions are left as they are
_LARGEST_POWER_BITS = 20_000


def elementwise(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    """The rule of every elementwise op that has none of its own."""
    op = node.op
    if not isinstance(op, Elementwise):
        raise GiveUp(f"{op.name} has no formula")
    make = SCALARS.get(op.name) or _by_expression(op)

    def value(*entries: Any) -> Any:
        return _folded(op, node.params, entries) or make(*entries)

    return algebra.map(lambda *entries: algebra.apply(value, *entries), *args)


def _by_expression(op: Elementwise) -> Any:
    symbols = op.symbols
    if not op.expression.free_symbols <= set(symbols):
        raise GiveUp(f"{op.name} has no formula")
    return lambda *entries: op.expression.xreplace(dict(zip(symbols, entries, strict=True)))


def _folded(op: Elementwise, params: tuple[Any, ...], entries: tuple[Any, ...]) -> Any:
    """The value where all operands are numbers, as the kernel computes it: sympy's would be endless digits."""
    if op.kind != "float" or op.name in _EXACT or not all(e.is_Rational for e in entries):
        return None
    made = op.fold(tuple([Literal(0, e.p / e.q) for e in entries]), params)
    return None if made is None else number(made)


# -- products and choices, in which an operand may be missing --------------------------------------------------------


@rule("mul")
def _mul(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return algebra.map(algebra.times, *args)


@rule("where")
def _where(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return algebra.map(algebra.choose, *args)


@rule("masked_mul")
def _masked_mul(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return algebra.map(lambda c, x, y: algebra.choose(c, algebra.times(x, y), ZERO), *args)


# -- conditions ----------------------------------------------------------------------------------------------------


def _relation(name: str, relation: Any) -> None:
    def value(x: Any, y: Any) -> Any:
        if relation in (sp.Eq, sp.Ne) and (x in _INFINITE) != (y in _INFINITE):
            return sp.true if relation is sp.Ne else sp.false  # the point and what is computed from it are finite
        if y == 0 and relation in (sp.Eq, sp.Ne) and is_count(x):
            return nonzero(x) if relation is sp.Ne else sp.Not(nonzero(x))
        return relation(x, y, evaluate=_small(x) and _small(y))

    scalar(name)(value)


def _small(e: Any) -> bool:
    """Whether sympy may think about it. Choices it would turn into logic that no one reads."""
    return sum(1 for _ in sp.preorder_traversal(e)) <= _DECIDABLE and not e.has(sp.Piecewise)


_INFINITE = (sp.oo, -sp.oo)
for _name, _kind in {
    "greater": sp.Gt,
    "less": sp.Lt,
    "greater_equal": sp.Ge,
    "less_equal": sp.Le,
    "equal": sp.Eq,
    "not_equal": sp.Ne,
}.items():
    _relation(_name, _kind)
for _name, _logic in {"logical_and": sp.And, "logical_or": sp.Or, "logical_not": sp.Not}.items():
    scalar(_name)(lambda *parts, logic=_logic: logic(*map(condition, parts)))


@scalar("isfinite", "isnan")
def _no_formula(x: Any) -> Any:
    raise GiveUp("whether a number is finite has no formula")


# -- functions that sympy does not have, or has with another meaning ---------------------------------------------------


for _name in ("sigmoid", "log_sigmoid", "softplus", "log1p", "expm1", "xlogy", "xlog1py", "cbrt", "round"):
    scalar(_name)(sp.Function(_name, real=True))  # the name keeps what is accurate, and a real root of -8 real


@scalar("maximum")
def _maximum(x: Any, y: Any) -> Any:
    return sp.Max(x, y, evaluate=_small(x) and _small(y))


@scalar("minimum")
def _minimum(x: Any, y: Any) -> Any:
    return sp.Min(x, y, evaluate=_small(x) and _small(y))


@scalar("power")
def _power(x: Any, y: Any) -> Any:
    coefficient, _ = x.as_coeff_Mul()
    if y.is_Number and coefficient.is_Rational and coefficient != ONE:
        bits = int(coefficient.p).bit_length() + int(coefficient.q).bit_length()
        if bits * abs(y) > _LARGEST_POWER_BITS:
            raise GiveUp("it holds a power that is too large")
    return sp.Pow(x, y)


@scalar("sinc_derivative")
def _sinc_derivative(x: Any, n: Any) -> Any:
    """(pi**(n - 1) sin(pi x + n pi/2) - n s) / x, where s is the derivative before; its limit at 0."""
    if not n.is_Integer or not 0 <= n <= 4:
        raise GiveUp("a high derivative of sinc has no short formula")
    made = sp.sinc(sp.pi * x)
    for k in range(1, int(n) + 1):
        made = (sp.pi ** (k - 1) * sp.sin(sp.pi * x + k * sp.pi / 2) - k * made) / x
    at_zero = sp.pi**n * sp.cos(n * sp.pi / 2) / (n + 1)
    return sp.Piecewise((made, sp.Ne(x, 0)), (at_zero, True))
