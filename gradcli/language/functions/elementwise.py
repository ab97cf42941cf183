"""The elementwise ops under their public names, and the pieces that are written from them."""

from __future__ import annotations

import importlib.util
import inspect
from functools import partial as bind
from typing import Any

import sympy as sp

from gradcli.core.elementwise import ELEMENTWISE, Elementwise, f
from gradcli.core.families import Cut
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.elementwise import where as where_op
from gradcli.core.ops.pieces import maximum, minimum
from gradcli.core.ops.special import SPECIAL
from gradcli.core.shapes import Shape
from gradcli.language.declare import CallError, Function, function, register

_ALIASES = {
    "arcsin": ("asin",),
    "arccos": ("acos",),
    "arctan": ("atan",),
    "arctan2": ("atan2",),
    "arcsinh": ("asinh",),
    "arccosh": ("acosh",),
    "arctanh": ("atanh",),
    "power": ("pow",),
}
# What users call the operands where it is not x, y.
_OPERANDS = {"arctan2": ("y", "x"), "heaviside": ("x", "h0"), "sigmoid_cross_entropy": ("labels", "logits")}


def _derivative(op: Elementwise) -> str:
    if op.kind == "bool":
        return "cut"
    return "d" if any(p != 0 for p in op.derivatives) else "0"


def need_special(name: str) -> None:
    """CallError where the extra with SciPy is not installed."""
    if importlib.util.find_spec("scipy") is None:
        raise CallError(f"{name} needs SciPy", "pip install 'gradcli[special]'", kind="extra")


def _special(op: Elementwise, operands: tuple[str, ...]) -> tuple[str, ...]:
    """What is taken at the op's kinks and outside its domain, with the operands as users call them."""
    called = {symbol: sp.Symbol(name) for symbol, name in zip(op.symbols, operands, strict=True)}
    texts = []
    for word, special in (("kink", op.kink), ("outside", op.outside)):
        if special is not None:
            where = condition_text(special.condition().subs({**called, f: sp.Symbol("value")}))
            sides = f" (from the left {special.sides[0]}, from the right {special.sides[1]})" if special.sides else ""
            texts.append(f"{word} where {where}: {special.text}{sides}")
    return tuple(texts)


_RELATIONS = {sp.Eq: "=", sp.Ne: "is not", sp.Gt: ">", sp.Lt: "<", sp.Ge: ">=", sp.Le: "<="}


def condition_text(condition: Any) -> str:
    """A condition of sympy's in words: `x = 0 or x = 6`."""
    if isinstance(condition, sp.And | sp.Or):
        parts = sorted(map(condition_text, condition.args))
        return (" and " if isinstance(condition, sp.And) else " or ").join(parts)
    return f"{condition.lhs} {_RELATIONS[condition.func]} {condition.rhs}".replace("Abs(", "abs(")


def _register(op: Elementwise) -> None:
    special = op.name in SPECIAL

    def build(g: Graph, *operands: Value) -> Value:
        if special:
            need_special(op.name)
        return op(g, *operands)

    names = _OPERANDS.get(op.name, op.operands)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(n, kind) for n in ("g", *names)]
    build.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    register(
        Function(
            op.name,
            build,
            op.doc or "",
            bind(_derivative, op),
            _ALIASES.get(op.name, ()),
            extra="special" if special else None,
            describe=bind(_special, op, names),
        )
    )


for _op in list(ELEMENTWISE.values()):
    if _op.doc is not None:
        _register(_op)


@function("a where the condition holds, else b; the derivative follows the branch that is taken")
def where(g: Graph, c: Value, a: Value, b: Value) -> Value:
    return where_op(g, c, a, b)


@function(
    "x limited to lo and hi (either may be None)",
    special=("kink where x is at a bound: the derivative is taken as 1",),
)
def clip(g: Graph, x: Value, lo: Value | None, hi: Value | None) -> Value:
    if lo is not None:
        x = maximum(g, x, lo)
    return x if hi is None else minimum(g, x, hi)


def _same_shape(args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
    return args[0].shape


_stop = Cut("stop_gradient", lambda node: node.args[0].name, kind="float", shape=_same_shape)


@function("x itself, through which no derivative passes", derivative="cut")
def stop_gradient(g: Graph, x: Value) -> Value:
    return _stop(g, x)
