"""Which rule evaluates which op: a registry by the op's name.

An elementwise op needs no rule: its own sympy expression serves. Another op needs one, or its entries have no formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.core.nodes import Apply
from gradcli.formulas.algebra import Algebra, Entries

__all__ = ["RULES", "SCALARS", "Rule", "rule", "scalar"]

# The entries of the value from those of the operands. An operand of kind "index" is an array of integers.
Rule = Callable[[Algebra, Apply, list[Entries]], Entries]
RULES: dict[str, Rule] = {}
# An elementwise op on expressions, where its own expression will not do.
SCALARS: dict[str, Callable[..., Any]] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Declares the decorated function as the rule of the ops of these names."""

    def declare(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return declare


def scalar(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares the decorated function of sympy expressions as the value of an elementwise op."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        SCALARS.update(dict.fromkeys(names, function))
        return function

    return declare
