# ruff: noqa: N802  (the names of a printer's methods are sympy's)
"""A sympy expression as LaTeX, with the user's names set as LaTeX sets them."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter, greek_letters_set

from gradcli.formulas.numerals import is_decimal, number_text
from gradcli.formulas.text import plain_name, positive_first, with_decimal

__all__ = ["latex"]


class _Printer(LatexPrinter):  # type: ignore[misc]
    def _print_Symbol(self, e: Any, style: str = "plain") -> str:
        if e.name[:1].isdigit():
            return _digits(e.name)
        base, _, index = plain_name(e.name).rstrip("]").partition("[")
        name = _name(base)
        if not index:
            return name
        return f"{{{name}}}_{{{index}}}" if "_" in name else f"{name}_{{{index}}}"

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        return positive_first(super()._as_ordered_terms(expr, order))

    def _print_Rational(self, e: Any) -> str:
        if not is_decimal(e):
            return super()._print_Rational(e)  # type: ignore[no-any-return]
        return _digits(number_text(e))

    def _print_Integer(self, e: Any) -> str:
        return _digits(number_text(e))

    def _print_Mul(self, e: Any) -> str:
        return super()._print_Mul(with_decimal(e))  # type: ignore[no-any-return]


def latex(e: Any) -> str:
    """LaTeX for an expression: `2 x_{1} w_{0,1}`, `\\beta`, `\\mathrm{rate}`."""
    return _Printer({"ln_notation": False}).doprint(e)  # type: ignore[no-any-return]


def _digits(text: str) -> str:
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa} \\cdot 10^{{{int(power)}}}" if exponent else mantissa


def _name(name: str) -> str:
    """A name of the file: a letter, a Greek letter's name, a letter with a number, or a word."""
    plain = name.rstrip("_")
    if plain.lower() in _GREEK:
        return _GREEK[plain.lower()] if plain.islower() else sp.latex(sp.Symbol(plain))
    if match := re.fullmatch(r"([^\W\d_]+)_?(\d+)", plain):
        return f"{_name(match[1])}_{{{match[2]}}}"
    if len(plain) == 1:
        return _greek_letter(plain)
    return "\\mathrm{" + (plain or name).replace("_", "\\_") + "}"


def _greek_letter(letter: str) -> str:
    """\\lambda for λ; other letters stay."""
    script, _, name = unicodedata.name(letter, "").partition(" SMALL LETTER ")
    return _GREEK.get(name.lower().replace("lamda", "lambda"), letter) if script == "GREEK" else letter


_GREEK = {name.lower(): f"\\{name.lower()}" for name in greek_letters_set} | {"omicron": "o"}
