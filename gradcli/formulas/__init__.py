"""Derivatives as formulas: a graph evaluated entry by entry on sympy symbols, and the shortest text for each entry."""

from __future__ import annotations

from gradcli.formulas.answers import Formulas, Gap, formulas_of
from gradcli.formulas.evaluate import evaluate

__all__ = ["Formulas", "Gap", "evaluate", "formulas_of"]
