"""Choices (`a` where a condition holds, else `b`), and numbers that stand for conditions: 1 and 0, and counts of them.

sympy turns a relation on a choice into logic that no one reads; here it becomes the condition of the choice.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.relational import _Inequality
from sympy.logic.boolalg import Boolean

__all__ = ["choice", "condition", "counted", "is_count", "nonzero"]


def choice(c: Any, a: Any, b: Any) -> Any:
    """`a` where c holds, else `b`; both in their simplest form under what is known there."""
    a, b = _under(a, c, 0), _under(b, c, 1)
    if a == b:
        return a
    if isinstance(a, sp.Piecewise) and len(a.args) == 2 and a.args[1].expr == b:
        a, c = a.args[0].expr, sp.And(c, a.args[0].cond)
    return sp.Piecewise((a, c), (b, True), evaluate=False)


def _under(e: Any, c: Any, branch: int) -> Any:
    """`e` where it is known whether `c` holds: choices by the same condition are made, larger and smaller are known."""
    known = {p: p.args[branch].expr for p in e.atoms(sp.Piecewise) if len(p.args) == 2 and p.args[0].cond == c}
    if isinstance(c, _Inequality):
        larger, smaller = (c.gts, c.lts)[branch], (c.lts, c.gts)[branch]
        known[sp.Max(larger, smaller, evaluate=False)] = larger
        known[sp.Min(larger, smaller, evaluate=False)] = smaller
    return e.xreplace(known) if known else e


def counted(e: Any) -> Any:
    """A condition as 1 or 0, as NumPy counts it; other expressions as they are."""
    if not isinstance(e, Boolean) or e.is_Symbol:
        return e
    if e in (sp.true, sp.false):
        return sp.Integer(e == sp.true)
    return choice(e, sp.S.One, sp.S.Zero)


def condition(e: Any) -> Any:
    """A number as a condition: whether it is not 0; conditions as they are."""
    if isinstance(e, Boolean) and not e.is_Symbol:
        return e
    return nonzero(e) if is_count(e) else sp.Ne(e, 0, evaluate=False)


def is_count(e: Any) -> bool:
    """Whether it is put together from choices of numbers that are not negative, so that nothing cancels."""
    if e.is_Number:
        return bool(e >= 0)
    if isinstance(e, sp.Piecewise):
        return len(e.args) == 2 and all(is_count(value) for value, _ in e.args)
    return bool(e.is_Add or e.is_Mul) and all(map(is_count, e.args))


def nonzero(e: Any) -> Any:
    """The condition under which a count is not 0."""
    if e.is_Number:
        return sp.true if e != 0 else sp.false
    if e.is_Add or e.is_Mul:
        return (sp.Or if e.is_Add else sp.And)(*map(nonzero, e.args))
    (a, c), (b, _) = e.args
    return sp.Or(sp.And(c, nonzero(a)), sp.And(sp.Not(c), nonzero(b)))
