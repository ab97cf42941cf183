"""Elementwise ops that are pieced together: absolute value, extremes, steps, activations, and a loss per entry."""

from __future__ import annotations

from typing import Any

import sympy as sp

from gradcli.core.elementwise import Special, call, f, gate, row, x, y

# -- pieces -----------------------------------------------------------------------------------------------------

abs_ = row(
    "abs",
    lambda: sp.Abs(x),
    lambda: sp.sign(x),
    head=sp.Abs,
    tame=True,
    doc="absolute value; slope 0 at 0",
    kink=Special(lambda: sp.Eq(x, 0), "the derivative is taken as 0", ("-1", "1")),
)
sign = row(
    "sign",
    lambda: sp.sign(x),
    lambda: 0,
    head=sp.sign,
    tame=True,
    doc="-1, 0 or 1",
    kink=Special(lambda: sp.Eq(x, 0), "a jump, the derivative is taken as 0", ("0", "0")),
)
maximum = row(
    "maximum",
    lambda: sp.Max(x, y),
    lambda: (gate(1, x >= y), gate(1, x < y)),
    args="x y",
    tame=True,
    doc="the larger; at a tie the first takes the derivative",
    kink=Special(lambda: sp.Eq(x, y), "a tie, the first argument takes the derivative, with slope 1"),
)
minimum = row(
    "minimum",
    lambda: sp.Min(x, y),
    lambda: (gate(1, x <= y), gate(1, x > y)),
    args="x y",
    tame=True,
    doc="the smaller; at a tie the first takes the derivative",
    kink=Special(lambda: sp.Eq(x, y), "a tie, the first argument takes the derivative, with slope 1"),
)
floor = row(
    "floor",
    lambda: sp.floor(x),
    lambda: 0,
    tame=True,
    doc="largest integer not above x",
    kink=Special(lambda: sp.Eq(x, sp.floor(x)), "a jump, the derivative is taken as 0", ("0", "0")),
)
ceil = row(
    "ceil",
    lambda: sp.ceiling(x),
    lambda: 0,
    tame=True,
    doc="smallest integer not below x",
    kink=Special(lambda: sp.Eq(x, sp.floor(x)), "a jump, the derivative is taken as 0", ("0", "0")),
)
round_ = row(
    "round",
    lambda: call("round")(x),
    lambda: 0,
    code="rint({0})",
    tame=True,
    doc="nearest integer, half to even",
    kink=Special(lambda: sp.Eq(x - sp.floor(x), 0.5), "a jump, the derivative is taken as 0", ("0", "0")),
)
floor_divide = row(
    "floor_divide",
    lambda: sp.floor(x / y),
    lambda: (0, 0),
    args="x y",
    doc="floor(x / y)",
    kink=Special(lambda: sp.Eq(f, x / y), "a jump, the derivative is taken as 0"),
)
mod = row(
    "mod",
    lambda: x - y * sp.floor(x / y),
    lambda: (1, -call("floor_divide")(x, y)),
    args="x y",
    doc="remainder with the sign of y",
    kink=Special(lambda: sp.Eq(f, 0), "a jump, the derivative is taken as 1", ("1", "1")),
)
heaviside = row(
    "heaviside",
    lambda: sp.Heaviside(x, y),
    lambda: (0, 0),
    args="x y",
    tame=True,
    doc="0 below 0, 1 above, y at 0",
    kink=Special(lambda: sp.Eq(x, 0), "a jump, the derivative is taken as 0", ("0", "0")),
)

# -- activations ------------------------------------------------------------------------------------------------


def _sigmoid(e: Any) -> Any:
    return call("sigmoid")(e)


sigmoid = row(
    "sigmoid",
    lambda: 1 / (1 + sp.exp(-x)),
    lambda: f * _sigmoid(-x),  # f * (1 - f) has no digits left for large x
    code="(1.0 / (1.0 + exp(-{0})))",
    tame=True,
    doc="1 / (1 + exp(-x))",
)
log_sigmoid = row(
    "log_sigmoid",
    lambda: -sp.log(1 + sp.exp(-x)),
    lambda: _sigmoid(-x),
    code="(-softplus(-{0}))",
    tame=True,
    doc="log(sigmoid(x))",
)
logit = row(
    "logit",
    lambda: sp.log(x / (1 - x)),
    lambda: 1 / (x * (1 - x)),
    code="(log({0}) - log1p(-{0}))",
    doc="log(x / (1 - x))",
    outside=Special(lambda: (x < 0) | (x > 1), "not a real number"),
)
softplus = row("softplus", lambda: sp.log(1 + sp.exp(x)), lambda: _sigmoid(x), tame=True, doc="log(1 + exp(x))")
relu = row(
    "relu",
    lambda: sp.Max(x, 0),
    lambda: gate(1, x > 0),
    code="maximum({0}, 0.0)",
    tame=True,
    doc="maximum(x, 0)",
    kink=Special(lambda: sp.Eq(x, 0), "the derivative is taken as 0", ("0", "1")),
)
relu6 = row(
    "relu6",
    lambda: sp.Min(sp.Max(x, 0), 6),
    lambda: gate(1, (x > 0) & (x < 6)),
    code="minimum(maximum({0}, 0.0), 6.0)",
    tame=True,
    doc="minimum(relu(x), 6)",
    kink=Special(lambda: sp.Eq(x, 0) | sp.Eq(x, 6), "the derivative is taken as 0"),
)
sigmoid_cross_entropy = row(
    "sigmoid_cross_entropy",
    lambda: sp.log(1 + sp.exp(y)) - x * y,
    lambda: (-y, _sigmoid(y) - x),
    args="x y",
    code="(maximum({1}, 0.0) - {0} * {1} + log1p(exp(-abs({1}))))",
    tame=True,
    doc="-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits)), per entry",
)
