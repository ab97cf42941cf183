"""Elementwise ops, one row each: arithmetic, conditions, powers, exponentials, trigonometry. Conventions at kinks are
TensorFlow's. `core.elementwise` says how a row is read."""

from __future__ import annotations

from typing import Any

import sympy as sp

from gradcli.core.elementwise import ELEMENTWISE, Code, Elementwise, Formula, Special, c, call, f, gate, row, x, y
from gradcli.core.families import ONE, ZERO_PARTIAL, Partial
from gradcli.core.graph import Graph
from gradcli.core.lower import register_head
from gradcli.core.nodes import Apply, Literal, Value

__all__ = ["ELEMENTWISE", "Elementwise", "power_of"]

# -- arithmetic ------------------------------------------------------------------------------------------------

add = row("add", lambda: x + y, lambda: (1, 1), args="x y", code="({0} + {1})", tame=True)
sub = row("sub", lambda: x - y, lambda: (1, -1), args="x y", code="({0} - {1})", tame=True)
neg = row("neg", lambda: -x, lambda: -1, code="(-{0})", tame=True)
mul = row("mul", lambda: x * y, lambda: (y, x), args="x y", code="({0} * {1})", tame=True)
div = row("div", lambda: x / y, lambda: (1 / y, -f / y), args="x y", code="({0} / {1})")
masked_mul = row(
    "masked_mul",
    lambda: gate(x * y, c),
    lambda: (0, gate(y, c), gate(x, c)),
    args="c x y",
    code="kept({0}, {1} * {2})",
    tame=True,
)


def _typed(v: Value) -> str:
    """The operand where a Python float would lose the dtype of the run."""
    return f"F({v.name})" if isinstance(v, Literal) else v.name


class _Named(Elementwise):
    """The operand under a name of its own (params), so that it can be differentiated by apart from its equals."""

    def fold(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> float | None:
        return None

    def code(self, node: Apply) -> str:
        return _typed(node.args[0])


named = ELEMENTWISE["named"] = _Named("named", lambda: x, lambda: 1, code="{0}", tame=True)


def _is_zero(v: Value) -> bool:
    return isinstance(v, Literal) and str(v.number) == "0.0"  # not -0.0


def _where_code(node: Apply) -> str:
    condition, a, b = node.args
    if isinstance(a, Literal) and isinstance(b, Literal):  # two Python floats alone would make a float64
        return f"where({condition.name}, {_typed(a)}, {_typed(b)})"
    if _is_zero(b):
        return f"kept({condition.name}, {a.name})"
    if _is_zero(a):
        return f"kept(logical_not({condition.name}), {b.name})"  # `~True` is -2
    return f"where({condition.name}, {a.name}, {b.name})"


where = row(
    "where",
    lambda: sp.Piecewise((x, c), (y, True)),
    lambda: (0, gate(1, c), gate(1, sp.Not(c))),
    args="c x y",
    code=_where_code,
    tame=True,
)
where.fresh = True  # also by `_where_code`

# -- conditions: no derivative passes -------------------------------------------------------------------------------


def _condition(name: str, value: Formula, code: str, head: Any = None, args: str = "x y") -> Elementwise:
    zeros = (0,) * len(args.split())
    return row(name, value, lambda: zeros, args=args, code=code, kind="bool", head=head, tame=True)


_a, _b = sp.symbols("a b")

_condition("greater", lambda: x > y, "({0} > {1})", sp.Gt)
_condition("less", lambda: x < y, "({0} < {1})", sp.Lt)
_condition("greater_equal", lambda: x >= y, "({0} >= {1})", sp.Ge)
_condition("less_equal", lambda: x <= y, "({0} <= {1})", sp.Le)
_condition("equal", lambda: sp.Eq(x, y), "({0} == {1})", sp.Eq)
_condition("not_equal", lambda: sp.Ne(x, y), "({0} != {1})", sp.Ne)
_condition("logical_and", lambda: sp.And(_a, _b), "logical_and({0}, {1})", sp.And)
_condition("logical_or", lambda: sp.Or(_a, _b), "logical_or({0}, {1})", sp.Or)
_condition("logical_not", lambda: sp.Not(_a), "logical_not({0})", sp.Not, args="x")
isfinite = _condition("isfinite", lambda: call("isfinite")(x), "isfinite({0})", args="x")
isnan = _condition("isnan", lambda: call("isnan")(x), "isnan({0})", args="x")
isfinite.doc, isnan.doc = "whether x is neither infinite nor NaN (a condition)", "whether x is NaN (a condition)"

# -- powers, exponentials, logarithms ---------------------------------------------------------------------------

_PRODUCTS = {-2.0: "(1.0 / ({0} * {0}))", -1.0: "(1.0 / {0})", 3.0: "({0} * {0} * {0})", 4.0: "square(square({0}))"}


class _Power(Elementwise):
    """x**y. A literal exponent, the usual case, gets the plain rule n * x**(n - 1) and products instead of powers."""

    def code(self, node: Apply) -> str:
        base, exponent = node.args
        if isinstance(exponent, Literal) and exponent.number in _PRODUCTS:
            return _PRODUCTS[exponent.number].format(base.name)
        return f"power({base.name}, {exponent.name})"

    def partial(self, g: Graph, node: Apply, out: Value, i: int) -> Partial:
        base, exponent = node.args
        if i == 1 or not isinstance(exponent, Literal):
            return super().partial(g, node, out, i)
        n = exponent.number
        if n == 0:
            return ZERO_PARTIAL
        if n == 1:
            return ONE
        return Partial(mul(g, g.literal(n), power_of(g, base, n - 1)))


# By the exponent: x**y log x; 0**y is 0 around every y > 0, and for y = 0 TensorFlow's 0 is kept.
power = ELEMENTWISE["power"] = _Power(
    "power",
    lambda: x**y,
    lambda: (
        sp.Piecewise((0, sp.Eq(x, 0) & sp.Eq(y, 0)), (y * sp.Pow(x, y - 1, evaluate=False), True)),
        sp.Piecewise((0, sp.Eq(x, 0)), (f * sp.log(x), True)),
    ),
    args="x y",
    doc="x to the power y",
    outside=Special(lambda: (x < 0) & sp.Ne(y, sp.floor(y)), "not a real number"),
)
register_head("power", power)
square = row("square", lambda: x**2, lambda: 2 * x, tame=True, doc="x * x")
reciprocal = row("reciprocal", lambda: 1 / x, lambda: -(f**2), code="(1.0 / {0})", doc="1 / x")
sqrt = row(
    "sqrt",
    lambda: sp.sqrt(x),
    lambda: 1 / (2 * f),
    doc="square root",
    outside=Special(lambda: x < 0, "not a real number"),
)
rsqrt = row(
    "rsqrt",
    lambda: 1 / sp.sqrt(x),
    lambda: -f / (2 * x),
    code="(1.0 / sqrt({0}))",
    doc="1 / sqrt(x)",
    outside=Special(lambda: x < 0, "not a real number"),
)
cbrt = row("cbrt", lambda: sp.cbrt(x), lambda: 1 / (3 * f**2), doc="real cube root")


def power_of(g: Graph, base: Value, exponent: float) -> Value:
    """base**exponent by the cheapest op that computes the same."""
    if exponent == 0:
        return g.literal(1.0)
    if exponent == 1:
        return base
    return square(g, base) if exponent == 2 else power(g, base, g.literal(exponent))


exp = row("exp", lambda: sp.exp(x), lambda: f, head=sp.exp, doc="e to the power x")
expm1 = row("expm1", lambda: sp.exp(x) - 1, lambda: sp.exp(x), doc="exp(x) - 1, accurate near 0")
exp2 = row("exp2", lambda: 2**x, lambda: f * sp.log(2), doc="2 to the power x")
log = row(
    "log",
    lambda: sp.log(x),
    lambda: 1 / x,
    head=sp.log,
    doc="natural logarithm",
    outside=Special(lambda: x < 0, "not a real number; the derivative is taken as 1/x"),
)
log1p = row(
    "log1p",
    lambda: sp.log(1 + x),
    lambda: 1 / (1 + x),
    doc="log(1 + x), accurate near 0",
    outside=Special(lambda: x < -1, "not a real number; the derivative is taken as 1/(1 + x)"),
)
log2 = row(
    "log2",
    lambda: sp.log(x, 2),
    lambda: 1 / (sp.log(2) * x),
    doc="logarithm to base 2",
    outside=Special(lambda: x < 0, "not a real number; the derivative is taken as 1/(x log 2)"),
)
log10 = row(
    "log10",
    lambda: sp.log(x, 10),
    lambda: 1 / (sp.log(10) * x),
    doc="logarithm to base 10",
    outside=Special(lambda: x < 0, "not a real number; the derivative is taken as 1/(x log 10)"),
)


def _xlog_code(log: str) -> Code:
    def code(node: Apply) -> str:
        a, b = node.args
        return f"where({a.name} == 0, 0.0, {a.name} * {log}({_typed(b)}))"

    return code


xlogy = row(
    "xlogy",
    lambda: x * sp.log(y),
    lambda: (
        sp.Piecewise((0, sp.Eq(x, 0) & sp.Eq(y, 0)), (sp.log(y), True)),
        sp.Piecewise((0, sp.Eq(x, 0) & sp.Eq(y, 0)), (x / y, True)),
    ),
    args="x y",
    code=_xlog_code("log"),
    doc="x * log(y), 0 where x is 0",
    outside=Special(lambda: (y < 0) & sp.Ne(x, 0), "not a real number"),
)
xlog1py = row(
    "xlog1py",
    lambda: x * sp.log(1 + y),
    lambda: (
        sp.Piecewise((0, sp.Eq(x, 0) & sp.Eq(y, -1)), (call("log1p")(y), True)),
        sp.Piecewise((0, sp.Eq(x, 0) & sp.Eq(y, -1)), (x / (1 + y), True)),
    ),
    args="x y",
    code=_xlog_code("log1p"),
    doc="x * log(1 + y), 0 where x is 0",
    outside=Special(lambda: (y < -1) & sp.Ne(x, 0), "not a real number"),
)

xlogy.fresh = xlog1py.fresh = True  # also by `_xlog_code`

# -- trigonometric and hyperbolic -------------------------------------------------------------------------------


def _one_minus_square() -> Any:
    """Exact near 1, where 1 - x**2 has lost its digits."""
    return (1 - x) * (1 + x)


sin = row("sin", lambda: sp.sin(x), head=sp.sin, tame=True, doc="sine")
cos = row("cos", lambda: sp.cos(x), head=sp.cos, tame=True, doc="cosine")
tan = row("tan", lambda: sp.tan(x), lambda: 1 + f**2, doc="tangent")
arcsin = row(
    "arcsin",
    lambda: sp.asin(x),
    lambda: 1 / sp.sqrt(_one_minus_square()),
    doc="inverse sine",
    outside=Special(lambda: sp.Abs(x) > 1, "not a real number"),
)
arccos = row(
    "arccos",
    lambda: sp.acos(x),
    lambda: -1 / sp.sqrt(_one_minus_square()),
    doc="inverse cosine",
    outside=Special(lambda: sp.Abs(x) > 1, "not a real number"),
)
arctan = row("arctan", lambda: sp.atan(x), lambda: 1 / (1 + x**2), tame=True, doc="inverse tangent")
sinh = row("sinh", lambda: sp.sinh(x), head=sp.sinh, doc="hyperbolic sine")
cosh = row("cosh", lambda: sp.cosh(x), head=sp.cosh, doc="hyperbolic cosine")
tanh = row("tanh", lambda: sp.tanh(x), lambda: 1 - f**2, tame=True, doc="hyperbolic tangent")
arcsinh = row("arcsinh", lambda: sp.asinh(x), lambda: 1 / call("hypot")(1, x), tame=True, doc="inverse hyperbolic sine")
arccosh = row(
    "arccosh",
    lambda: sp.acosh(x),
    lambda: 1 / (sp.sqrt(x - 1) * sp.sqrt(x + 1)),
    doc="inverse hyperbolic cosine",
    outside=Special(lambda: x < 1, "not a real number"),
)
arctanh = row(
    "arctanh",
    lambda: sp.atanh(x),
    lambda: 1 / _one_minus_square(),
    doc="inverse hyperbolic tangent",
    outside=Special(lambda: sp.Abs(x) > 1, "not a real number"),
)


def _over_square(e: Any) -> Any:
    """e / (x*x + y*y) in two steps, neither of which overflows; sympy would join plain divisions to one."""
    length = call("hypot")(x, y)
    return call("div")(call("div")(e, length), length)


arctan2 = row(
    "arctan2",
    lambda: sp.atan2(x, y),
    lambda: (_over_square(y), -_over_square(x)),
    args="x y",
    doc="angle of the point (x, y), as arctan2(y, x)",
    outside=Special(lambda: sp.Eq(x, 0) & sp.Eq(y, 0), "no derivative exists"),
)
hypot = row(
    "hypot",
    lambda: sp.sqrt(x**2 + y**2),
    lambda: (call("tip_ratio")(x, f), call("tip_ratio")(y, f)),
    args="x y",
    doc="sqrt(x*x + y*y); derivative 0 at the tip (0, 0)",
    kink=Special(lambda: sp.Eq(f, 0), "its tip, the derivative is taken as 0 (a subgradient)"),
)
# A subgradient at a tip: 0/0 is 0. Its own partials are the plain ones, so the second derivative at the tip is NaN.
tip_ratio = row("tip_ratio", lambda: x / y, lambda: (1 / y, -f / y), args="x y")


# The n-th derivatives of sin(pi x) / (pi x) are one family, exact at 0.
def _sincn(n: Any) -> Any:
    """The n-th of them."""
    return call("sinc_derivative")(x, n)


sinc_derivative = row("sinc_derivative", lambda: _sincn(y), lambda: (_sincn(y + 1), 0), args="x y", tame=True)
sinc = row("sinc", lambda: sp.sinc(sp.pi * x), lambda: _sincn(1), tame=True, doc="sin(pi x) / (pi x), 1 at 0")
