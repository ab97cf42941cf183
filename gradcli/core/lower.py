"""A sympy expression over an op's operands -> nodes of the graph.

An expression is walked once per op and kept as a short program; instantiating it costs one graph node per step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from gradcli.core.families import Op
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value

__all__ = ["Program", "compile_expression", "register_head"]

# sympy function class or name -> op; filled by the rows of `ops.elementwise`.
_HEADS: dict[Any, Op] = {}


def register_head(head: Any, op: Op) -> None:
    """Lets partials use `head(...)`: a sympy function class, or the name of an undefined function."""
    _HEADS[head] = op


@dataclass(frozen=True, slots=True)
class Program:
    """Steps that build an expression: ("arg", k), ("number", x) or (op, positions of earlier steps)."""

    steps: tuple[tuple[Any, Any], ...]

    def build(self, g: Graph, operands: Sequence[Value]) -> Value:
        made: list[Value] = []
        for what, rest in self.steps:
            if what == "arg":
                made.append(operands[rest])
            elif what == "number":
                made.append(g.literal(rest))
            else:
                made.append(g.apply(what, tuple([made[k] for k in rest])))
        return made[-1]


def compile_expression(expression: Any, symbols: Sequence[sp.Symbol]) -> Program:
    """The program that builds `expression`, whose free symbols are `symbols` in order."""
    steps: list[tuple[Any, Any]] = []
    memo: dict[Any, int] = {}

    def step(what: Any, rest: Any) -> int:
        key = (what, rest)
        if key not in memo:
            memo[key] = len(steps)
            steps.append(key)
        return memo[key]

    def op(name: Any, *args: int) -> int:
        return step(_HEADS[name], args)

    def product(factors: list[Any]) -> int:
        at = lower(factors[0])
        for factor in factors[1:]:
            at = op("mul", at, lower(factor))
        return at

    def lower_product(e: Any) -> int:
        coefficient, rest = e.as_coeff_Mul()
        over = [f for f in sp.Mul.make_args(rest) if f.is_Pow and f.exp.is_number and f.exp.is_negative]
        top = [f for f in sp.Mul.make_args(rest) if f not in over]
        if abs(coefficient) != 1:
            top.insert(0, abs(coefficient))
        at = product(top) if top else step("number", 1.0)
        if over:
            at = op("div", at, product([sp.Pow(f.base, -f.exp) for f in over]))
        return op("neg", at) if coefficient < 0 else at

    def lower_sum(e: Any) -> int:
        terms = sorted(e.args, key=lambda t: t.could_extract_minus_sign())  # 1 - y**2, not -y**2 + 1
        at = lower(terms[0])
        for term in terms[1:]:
            minus = term.could_extract_minus_sign()
            at = op("sub" if minus else "add", at, lower(-term if minus else term))
        return at

    def lower_power(e: Any) -> int:
        base, exponent = e.args
        simple = {2: "square", sp.Rational(1, 2): "sqrt", -1: "reciprocal"}.get(exponent)
        if simple:
            return op(simple, lower(base))
        if exponent.is_number and exponent.is_negative:
            return op("div", step("number", 1.0), lower(sp.Pow(base, -exponent)))
        return op("power", lower(base), lower(exponent))

    def lower_piecewise(e: Any) -> int:
        *branches, (otherwise, _) = e.args
        at = lower(otherwise)
        for value, condition in reversed(branches):
            at = op("where", lower(condition), lower(value), at)
        return at

    def lower(e: Any) -> int:
        if e in symbols:
            return step("arg", symbols.index(e))
        if e.is_number:
            return step("number", float(e))
        if e.is_Add:
            return lower_sum(e)
        if e.is_Mul:
            return lower_product(e)
        if e.is_Pow:
            return lower_power(e)
        if e.is_Piecewise:
            return lower_piecewise(e)
        head = e.func if e.func in _HEADS else e.func.__name__
        return op(head, *[lower(a) for a in e.args])

    lower(expression)
    return Program(tuple(steps))
