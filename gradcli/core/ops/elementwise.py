"""Elementwise ops: one row each. Value and partials are sympy expressions in x, y, z (operands) and f (the value).

A partial is 0, 1, -1 or an expression; `Piecewise((d, condition), (0, True))` is a gate: where the condition does not
hold the derivative is a structural zero, which also an infinite factor upstream does not change. Partials that are not
given are sympy's own derivative of the value. Conventions at kinks are TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from gradcli.core.families import ONE, ZERO_PARTIAL, Op, Partial, literal_numbers, names
from gradcli.core.graph import Graph
from gradcli.core.lower import Program, compile_expression, register_head
from gradcli.core.nodes import Apply, Literal, Value
from gradcli.core.printing import function, print_expression
from gradcli.core.shapes import Shape, broadcast

__all__ = ["ELEMENTWISE", "Elementwise", "call", "f", "power_of", "row", "x", "y"]

x, y, z, f = sp.symbols("x y z f", real=True)
c = sp.Symbol("c")
_OPERANDS = {"x": x, "y": y, "z": z, "c": c}

Code = str | Callable[[Apply], str]
ELEMENTWISE: dict[str, Elementwise] = {}


class Elementwise(Op):
    """value[i] = expression(operands[i]), with NumPy's broadcasting.

    Attributes:
        operands: the names of the operands, in order.
        expression: the value as a sympy expression in x, y, z; also what a formula shows.
        doc: one line for the catalogue; None for ops that only derivatives use.
    """

    def __init__(
        self,
        name: str,
        expression: Any,
        *partials: Any,
        args: str = "x",
        code: Code | None = None,
        tame: bool = False,
        kind: str = "float",
        doc: str | None = None,
    ) -> None:
        self.name, self.expression, self.doc = name, expression, doc
        self.operands = tuple(args.split())
        self.tame, self.kind = tame, kind
        self._partials, self._code = partials, code

    @property
    def symbols(self) -> list[Any]:
        return [_OPERANDS[a] for a in self.operands]

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return broadcast(*[a.shape for a in args]) if len(args) > 1 else args[0].shape

    @cached_property
    def _template(self) -> str:
        if isinstance(self._code, str):
            return self._code
        text = print_expression(self.expression.subs({s: sp.Symbol(f"{{{k}}}") for k, s in enumerate(self.symbols)}))
        return f"({text})"

    def code(self, node: Apply) -> str:
        return self._code(node) if callable(self._code) else self._template.format(*names(node))

    def fold(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> float | None:
        numbers = literal_numbers(args) if self.kind == "float" else None
        if numbers is None:
            return None
        with np.errstate(all="ignore"):
            return float(self._function(*[np.float64(n) for n in numbers]))

    @cached_property
    def _function(self) -> Any:
        inputs = tuple(Value(k, ()) for k in range(len(self.operands)))
        return function(list(inputs), Apply(self, inputs))

    @cached_property
    def derivatives(self) -> list[Any]:
        """The partials as sympy expressions (or 0, 1, -1), one per operand."""
        return list(self._partials) or [sp.diff(self.expression, s) for s in self.symbols]

    @cached_property
    def _programs(self) -> list[Partial | _Rule]:
        return [_Rule.of(p, [*self.symbols, f]) for p in self.derivatives]

    def partial(self, g: Graph, node: Apply, out: Value, i: int) -> Partial:
        """d value / d operand i as nodes."""
        rule = self._programs[i]
        return rule if isinstance(rule, Partial) else rule.build(g, [*node.args, out])


class _Rule:
    """A partial, compiled: programs for factor, divisor and gate."""

    def __init__(self, factor: Program | None, divisor: Program | None, gate: Program | None) -> None:
        self.parts = (factor, divisor, gate)

    @classmethod
    def of(cls, partial: Any, symbols: list[Any]) -> Partial | _Rule:
        if partial == 0:
            return ZERO_PARTIAL
        if partial == 1:
            return ONE
        gate = None
        if isinstance(partial, sp.Piecewise) and len(partial.args) == 2:
            (first, condition), (second, _) = partial.args
            if 0 in (first, second):
                gate = compile_expression(condition if second == 0 else sp.Not(condition), symbols)
                partial = first if second == 0 else second
        over = [t for t in sp.Mul.make_args(partial) if t.is_Pow and t.exp.is_number and t.exp.is_negative]
        divisor = sp.Mul(*[sp.Pow(t.base, -t.exp) for t in over])
        factor = sp.Mul(*[t for t in sp.Mul.make_args(partial) if t not in over])
        return cls(
            None if factor == 1 else compile_expression(factor, symbols),
            None if divisor == 1 else compile_expression(divisor, symbols),
            gate,
        )

    def build(self, g: Graph, operands: list[Value]) -> Partial:
        factor, divisor, gate = (None if p is None else p.build(g, operands) for p in self.parts)
        return Partial(factor, divisor, gate)


def row(name: str, expression: Any, *partials: Any, head: Any = None, **options: Any) -> Elementwise:
    """Declares an elementwise op; `head` is the sympy function that stands for it in partials."""
    op = ELEMENTWISE[name] = Elementwise(name, expression, *partials, **options)
    register_head(name, op)
    if head is not None:
        register_head(head, op)
    return op


def call(name: str) -> Callable[..., Any]:
    """A function of the language inside a partial."""
    return sp.Function(name)  # type: ignore[no-any-return]


def _gate(value: Any, condition: Any) -> Any:
    return sp.Piecewise((value, condition), (0, True))


# -- arithmetic ------------------------------------------------------------------------------------------------

add = row("add", x + y, 1, 1, args="x y", code="({0} + {1})", tame=True)
sub = row("sub", x - y, 1, -1, args="x y", code="({0} - {1})", tame=True)
neg = row("neg", -x, -1, code="(-{0})", tame=True)
mul = row("mul", x * y, y, x, args="x y", code="({0} * {1})", tame=True)
div = row("div", x / y, 1 / y, -f / y, args="x y", code="({0} / {1})")
masked_mul = row(
    "masked_mul",
    _gate(x * y, c),
    0,
    _gate(y, c),
    _gate(x, c),
    args="c x y",
    code="where({0}, {1} * {2}, 0.0)",
    tame=True,
)


class _Named(Elementwise):
    """The operand under a name of its own (params), so that it can be differentiated by apart from its equals."""

    def fold(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> float | None:
        return None


named = ELEMENTWISE["named"] = _Named("named", x, 1, code="{0}", tame=True)


def _where_code(node: Apply) -> str:
    condition, a, b = node.args
    if isinstance(a, Literal) and isinstance(b, Literal):  # two Python floats alone would make a float64
        return f"where({condition.name}, F({a.name}), F({b.name}))"
    return f"where({condition.name}, {a.name}, {b.name})"


where = row(
    "where",
    sp.Piecewise((x, c), (y, True)),
    0,
    _gate(1, c),
    _gate(1, sp.Not(c)),
    args="c x y",
    code=_where_code,
    tame=True,
)

# -- conditions: no derivative passes -------------------------------------------------------------------------------


def _condition(name: str, expression: Any, code: str, head: Any = None, args: str = "x y") -> Elementwise:
    return row(name, expression, *[0] * len(args.split()), args=args, code=code, kind="bool", head=head, tame=True)


_condition("greater", x > y, "({0} > {1})", sp.Gt)
_condition("less", x < y, "({0} < {1})", sp.Lt)
_condition("greater_equal", x >= y, "({0} >= {1})", sp.Ge)
_condition("less_equal", x <= y, "({0} <= {1})", sp.Le)
_condition("equal", sp.Eq(x, y), "({0} == {1})", sp.Eq)
_condition("not_equal", sp.Ne(x, y), "({0} != {1})", sp.Ne)
_condition("logical_and", sp.And(sp.Symbol("a"), sp.Symbol("b")), "logical_and({0}, {1})", sp.And)
_condition("logical_or", sp.Or(sp.Symbol("a"), sp.Symbol("b")), "logical_or({0}, {1})", sp.Or)
_condition("logical_not", sp.Not(sp.Symbol("a")), "logical_not({0})", sp.Not, args="x")
isfinite = _condition("isfinite", call("isfinite")(x), "isfinite({0})", args="x")
isnan = _condition("isnan", call("isnan")(x), "isnan({0})", args="x")
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
    x**y,
    sp.Piecewise((0, sp.Eq(y, 0)), (y * sp.Pow(x, y - 1, evaluate=False), True)),
    sp.Piecewise((0, sp.Eq(x, 0)), (f * sp.log(x), True)),
    args="x y",
    doc="x to the power y",
)
register_head("power", power)
square = row("square", x**2, 2 * x, code="square({0})", tame=True, doc="x * x")
reciprocal = row("reciprocal", 1 / x, -(f**2), code="(1.0 / {0})", doc="1 / x")
sqrt = row("sqrt", sp.sqrt(x), 1 / (2 * f), code="sqrt({0})", doc="square root")
rsqrt = row("rsqrt", 1 / sp.sqrt(x), -f / (2 * x), code="(1.0 / sqrt({0}))", doc="1 / sqrt(x)")
cbrt = row("cbrt", sp.cbrt(x), 1 / (3 * f**2), code="cbrt({0})", doc="real cube root")


def power_of(g: Graph, base: Value, exponent: float) -> Value:
    """base**exponent by the cheapest op that computes the same."""
    if exponent == 0:
        return g.literal(1.0)
    if exponent == 1:
        return base
    return square(g, base) if exponent == 2 else power(g, base, g.literal(exponent))


exp = row("exp", sp.exp(x), f, code="exp({0})", head=sp.exp, doc="e to the power x")
expm1 = row("expm1", sp.exp(x) - 1, sp.exp(x), code="expm1({0})", doc="exp(x) - 1, accurate near 0")
exp2 = row("exp2", 2**x, f * sp.log(2), code="exp2({0})", doc="2 to the power x")
log = row("log", sp.log(x), 1 / x, code="log({0})", head=sp.log, doc="natural logarithm")
log1p = row("log1p", sp.log(1 + x), 1 / (1 + x), code="log1p({0})", doc="log(1 + x), accurate near 0")
log2 = row("log2", sp.log(x, 2), 1 / (sp.log(2) * x), code="log2({0})", doc="logarithm to base 2")
log10 = row("log10", sp.log(x, 10), 1 / (sp.log(10) * x), code="log10({0})", doc="logarithm to base 10")
xlogy = row(
    "xlogy",
    x * sp.log(y),
    sp.Piecewise((0, sp.Eq(x, 0) & sp.Eq(y, 0)), (sp.log(y), True)),
    sp.Piecewise((0, sp.Eq(x, 0)), (x / y, True)),
    args="x y",
    code="where({0} == 0, 0.0, {0} * log({1}))",
    doc="x * log(y), 0 where x is 0",
)
xlog1py = row(
    "xlog1py",
    x * sp.log(1 + y),
    sp.Piecewise((0, sp.Eq(x, 0) & sp.Eq(y, -1)), (call("log1p")(y), True)),
    sp.Piecewise((0, sp.Eq(x, 0)), (x / (1 + y), True)),
    args="x y",
    code="where({0} == 0, 0.0, {0} * log1p({1}))",
    doc="x * log(1 + y), 0 where x is 0",
)

# -- trigonometric and hyperbolic -------------------------------------------------------------------------------

_one_minus_square = (1 - x) * (1 + x)  # exact near 1, where 1 - x**2 has lost its digits
sin = row("sin", sp.sin(x), sp.cos(x), code="sin({0})", head=sp.sin, tame=True, doc="sine")
cos = row("cos", sp.cos(x), -sp.sin(x), code="cos({0})", head=sp.cos, tame=True, doc="cosine")
tan = row("tan", sp.tan(x), 1 + f**2, code="tan({0})", doc="tangent")
arcsin = row("arcsin", sp.asin(x), 1 / sp.sqrt(_one_minus_square), code="arcsin({0})", doc="inverse sine")
arccos = row("arccos", sp.acos(x), -1 / sp.sqrt(_one_minus_square), code="arccos({0})", doc="inverse cosine")
arctan = row("arctan", sp.atan(x), 1 / (1 + x**2), code="arctan({0})", tame=True, doc="inverse tangent")
sinh = row("sinh", sp.sinh(x), sp.cosh(x), code="sinh({0})", head=sp.sinh, doc="hyperbolic sine")
cosh = row("cosh", sp.cosh(x), sp.sinh(x), code="cosh({0})", head=sp.cosh, doc="hyperbolic cosine")
tanh = row("tanh", sp.tanh(x), 1 - f**2, code="tanh({0})", tame=True, doc="hyperbolic tangent")
_hypot1 = call("hypot")(1, x)
arcsinh = row("arcsinh", sp.asinh(x), 1 / _hypot1, code="arcsinh({0})", tame=True, doc="inverse hyperbolic sine")
arccosh = row(
    "arccosh", sp.acosh(x), 1 / (sp.sqrt(x - 1) * sp.sqrt(x + 1)), code="arccosh({0})", doc="inverse hyperbolic cosine"
)
arctanh = row("arctanh", sp.atanh(x), 1 / _one_minus_square, code="arctanh({0})", doc="inverse hyperbolic tangent")
_hypot = call("hypot")(x, y)
arctan2 = row(
    "arctan2",
    sp.atan2(x, y),
    y / _hypot / _hypot,
    -x / _hypot / _hypot,
    args="x y",
    code="arctan2({0}, {1})",
    doc="angle of the point (x, y), as arctan2(y, x)",
)
hypot = row(
    "hypot",
    sp.sqrt(x**2 + y**2),
    call("tip_ratio")(x, f),
    call("tip_ratio")(y, f),
    args="x y",
    code="hypot({0}, {1})",
    doc="sqrt(x*x + y*y); derivative 0 at the tip (0, 0)",
)
# A subgradient at a tip: 0/0 is 0. Its own partials are the plain ones, so the second derivative at the tip is NaN.
tip_ratio = row("tip_ratio", x / y, 1 / y, -f / y, args="x y", code="tip_ratio({0}, {1})")
# The n-th derivatives of sin(pi x) / (pi x) are one family, exact at 0.
_sincn = call("sinc_derivative")
sinc_derivative = row(
    "sinc_derivative", _sincn(x, y), _sincn(x, y + 1), 0, args="x y", code="sinc_derivative({0}, {1})", tame=True
)
sinc = row("sinc", sp.sinc(sp.pi * x), _sincn(x, 1), code="sinc({0})", tame=True, doc="sin(pi x) / (pi x), 1 at 0")

# -- pieces -----------------------------------------------------------------------------------------------------

abs_ = row("abs", sp.Abs(x), sp.sign(x), code="abs({0})", head=sp.Abs, tame=True, doc="absolute value; slope 0 at 0")
sign = row("sign", sp.sign(x), 0, code="sign({0})", head=sp.sign, tame=True, doc="-1, 0 or 1")
maximum = row(
    "maximum",
    sp.Max(x, y),
    _gate(1, x >= y),
    _gate(1, x < y),
    args="x y",
    code="maximum({0}, {1})",
    tame=True,
    doc="the larger; at a tie the first takes the derivative",
)
minimum = row(
    "minimum",
    sp.Min(x, y),
    _gate(1, x <= y),
    _gate(1, x > y),
    args="x y",
    code="minimum({0}, {1})",
    tame=True,
    doc="the smaller; at a tie the first takes the derivative",
)
floor = row("floor", sp.floor(x), 0, code="floor({0})", tame=True, doc="largest integer not above x")
ceil = row("ceil", sp.ceiling(x), 0, code="ceil({0})", tame=True, doc="smallest integer not below x")
round_ = row("round", call("round")(x), 0, code="rint({0})", tame=True, doc="nearest integer, half to even")
floor_divide = row("floor_divide", sp.floor(x / y), 0, 0, args="x y", code="floor_divide({0}, {1})", doc="floor(x / y)")
mod = row(
    "mod",
    x - y * sp.floor(x / y),
    1,
    -call("floor_divide")(x, y),
    args="x y",
    code="mod({0}, {1})",
    doc="remainder with the sign of y",
)
heaviside = row(
    "heaviside",
    sp.Heaviside(x, y),
    0,
    0,
    args="x y",
    code="heaviside({0}, {1})",
    tame=True,
    doc="0 below 0, 1 above, y at 0",
)

# -- activations ------------------------------------------------------------------------------------------------

_sigmoid = call("sigmoid")
sigmoid = row(
    "sigmoid",
    1 / (1 + sp.exp(-x)),
    f * _sigmoid(-x),  # f * (1 - f) has no digits left for large x
    code="(1.0 / (1.0 + exp(-{0})))",
    tame=True,
    doc="1 / (1 + exp(-x))",
)
log_sigmoid = row(
    "log_sigmoid", -sp.log(1 + sp.exp(-x)), _sigmoid(-x), code="(-softplus(-{0}))", tame=True, doc="log(sigmoid(x))"
)
logit = row("logit", sp.log(x / (1 - x)), 1 / (x * (1 - x)), code="(log({0}) - log1p(-{0}))", doc="log(x / (1 - x))")
softplus = row("softplus", sp.log(1 + sp.exp(x)), _sigmoid(x), code="softplus({0})", tame=True, doc="log(1 + exp(x))")
relu = row("relu", sp.Max(x, 0), _gate(1, x > 0), code="maximum({0}, 0.0)", tame=True, doc="maximum(x, 0)")
relu6 = row(
    "relu6",
    sp.Min(sp.Max(x, 0), 6),
    _gate(1, (x > 0) & (x < 6)),
    code="minimum(maximum({0}, 0.0), 6.0)",
    tame=True,
    doc="minimum(relu(x), 6)",
)
sigmoid_cross_entropy = row(
    "sigmoid_cross_entropy",
    sp.log(1 + sp.exp(y)) - x * y,
    -y,
    _sigmoid(y) - x,
    args="x y",
    code="(maximum({1}, 0.0) - {0} * {1} + log1p(exp(-abs({1}))))",
    tame=True,
    doc="-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits)), per entry",
)
