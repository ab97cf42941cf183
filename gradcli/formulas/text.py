# ruff: noqa: N802, N815  (the names of a printer's methods are sympy's)
"""A sympy expression as text of gradcli's language, which can be pasted back into an expression file."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE, precedence
from sympy.printing.str import StrPrinter

from gradcli.formulas.numerals import GiveUp, is_decimal, number_text
from gradcli.language.table import lookup

__all__ = ["TextPrinter", "plain_name", "positive_first", "with_decimal"]

# What the language calls a function of sympy's where the names differ.
_NAMES = {
    "Abs": "abs",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "ceiling": "ceil",
    "Heaviside": "heaviside",
    "loggamma": "lgamma",
}


class TextPrinter(StrPrinter):  # type: ignore[misc]
    """Prints in the language: `2*x1*x2`, `1 if x > 0 else 0`, `arcsin(x)`, `w[0,1]`.

    `taken` are the names of the file: one that is called `pi` hides the number.

    Raises:
        GiveUp: from `doprint`, where the language has no word for a part of the expression.
    """

    def __init__(self, taken: Collection[str] = ()) -> None:
        super().__init__()
        self._taken = frozenset(taken)

    def doprint(self, expr: Any) -> str:
        return self._free(expr)

    def _free(self, e: Any) -> str:
        """The text where nothing stands beside it: a choice needs no brackets there."""
        return self._choice(e) if isinstance(e, sp.Piecewise) else str(self._print(e))

    def parenthesize(self, item: Any, level: int, strict: bool = False) -> str:
        if item.is_Rational and item > 0 and "/" not in (text := str(self._print(item))):
            return text
        return super().parenthesize(item, level, strict)  # type: ignore[no-any-return]

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        return positive_first(super()._as_ordered_terms(expr, order))

    def _print_Symbol(self, e: Any) -> str:
        return plain_name(e.name)

    # -- numbers ---------------------------------------------------------------------------------------------------

    def _print_Rational(self, e: Any) -> str:
        return number_text(e)

    _print_Integer = _print_Zero = _print_One = _print_NegativeOne = _print_Half = _print_Rational

    def _print_Mul(self, e: Any) -> str:
        return super()._print_Mul(with_decimal(e))  # type: ignore[no-any-return]

    def _print_Infinity(self, e: Any) -> str:
        return "inf"

    def _print_NegativeInfinity(self, e: Any) -> str:
        return "-inf"

    def _print_NaN(self, e: Any) -> str:
        return "nan"

    def _print_Pi(self, e: Any) -> str:
        return repr(math.pi) if "pi" in self._taken else "pi"

    def _print_Exp1(self, e: Any) -> str:
        return "exp(1)"

    # -- functions -------------------------------------------------------------------------------------------------

    def _print_Function(self, e: Any) -> str:
        name = e.func.__name__
        name = _NAMES.get(name, name)
        if lookup(name) is None:
            raise GiveUp(f"gradcli has no function {name}")
        return f"{name}({', '.join(map(self._free, e.args))})"

    _print_Heaviside = _print_Function

    def _print_polygamma(self, e: Any) -> str:
        order, x = e.args
        return f"digamma({self._free(x)})" if order == 0 else self._print_Function(e)

    def _print_sinc(self, e: Any) -> str:
        return f"sinc({self._print(e.args[0] / sp.pi)})"

    def _print_exp(self, e: Any) -> str:
        return f"exp({self._free(e.exp)})"

    def _extreme(self, e: Any, pair: str, many: str) -> str:
        args = [self._free(a) for a in sorted(e.args, key=sp.default_sort_key)]
        if len(args) == 2:
            first, second = reversed(args) if e.args and _is_number_first(e) else args
            return f"{pair}({first}, {second})"
        return f"{many}([{', '.join(args)}])"

    def _print_Max(self, e: Any) -> str:
        return self._extreme(e, "maximum", "max")

    def _print_Min(self, e: Any) -> str:
        return self._extreme(e, "minimum", "min")

    # -- choices ---------------------------------------------------------------------------------------------------

    def _print_Piecewise(self, e: Any) -> str:
        return f"({self._choice(e)})"

    def _choice(self, e: Any) -> str:
        parts: list[str] = []
        for value, condition in e.args:
            if condition == sp.true:
                return "".join([*parts, self._free(value)])
            parts.append(f"{self._print(value)} if {self._print(condition)} else ")
        return "".join([*parts, "nan"])

    def _print_Relational(self, e: Any) -> str:
        e = e.reversed if e.lhs.is_Number and not e.rhs.is_Number else e
        sign = {"Equality": "==", "Unequality": "!="}.get(type(e).__name__, e.rel_op)
        left, right = (self.parenthesize(side, precedence(e)) for side in (e.lhs, e.rhs))
        return f"{left} {sign} {right}"

    def _joined(self, e: Any, word: str, level: str) -> str:
        parts = sorted(e.args, key=sp.default_sort_key)
        return word.join(self.parenthesize(p, PRECEDENCE[level]) for p in parts)

    def _print_And(self, e: Any) -> str:
        return self._joined(e, " and ", "And")

    def _print_Or(self, e: Any) -> str:
        return self._joined(e, " or ", "Or")

    def _print_Not(self, e: Any) -> str:
        return f"not ({self._print(e.args[0])})"

    def _print_BooleanTrue(self, e: Any) -> str:
        return "1 == 1"

    def _print_BooleanFalse(self, e: Any) -> str:
        return "1 == 0"

    def emptyPrinter(self, e: Any) -> str:
        raise GiveUp(f"gradcli has no word for {type(e).__name__}")

    _print_Basic = emptyPrinter


def _is_number_first(e: Any) -> bool:
    return bool(min(e.args, key=sp.default_sort_key).is_number)


def with_decimal(e: Any) -> Any:
    """A product whose coefficient is to be printed as a decimal: the coefficient as a symbol of that name."""
    coefficient, rest = e.as_coeff_Mul()
    if not coefficient.is_Rational or not is_decimal(coefficient):
        return e
    sign = -1 if coefficient < 0 else 1
    return sp.Mul(sign, _Decimal(number_text(abs(coefficient))), *sp.Mul.make_args(rest))


class _Decimal(sp.Symbol):  # type: ignore[misc]
    """A number that stands first in a product."""

    def sort_key(self, order: Any = None) -> Any:
        return (0, 0, self.name), (0, ()), sp.S.One.sort_key(), sp.S.One


def plain_name(name: str) -> str:
    """The name of an entry without the zeros that bring w[2] before w[10]."""
    return re.sub(r"(?<=[\[,])0+(?=\d)", "", name)


def positive_first(terms: list[Any]) -> list[Any]:
    """The terms of a sum with the first one that has no minus sign in front: y - x, not -x + y."""
    first = next((k for k, t in enumerate(terms) if not t.could_extract_minus_sign()), 0)
    return [terms[first], *terms[:first], *terms[first + 1 :]]
