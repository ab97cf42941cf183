"""The softmax family and the activations that are written from elementwise ops."""

from __future__ import annotations

import math

from gradcli.core.elementwise import ELEMENTWISE
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops import reduction as ops
from gradcli.core.ops.elementwise import add, expm1, mul, tanh
from gradcli.core.ops.elementwise import where as where_op
from gradcli.core.ops.pieces import sigmoid
from gradcli.core.ops.special import erf
from gradcli.core.shapes import normal_axes
from gradcli.language.declare import Number, function
from gradcli.language.functions.elementwise import need_special

_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@function("exp(x) / sum(exp(x)) along axis, without overflow", one_axis="axis")
def softmax(g: Graph, x: Value, one_axis: int = -1) -> Value:
    return ops.softmax(g, x, params=normal_axes(one_axis, x.rank))


@function("log(softmax(x)) along axis, without overflow", one_axis="axis")
def log_softmax(g: Graph, x: Value, one_axis: int = -1) -> Value:
    return ops.log_softmax(g, x, params=normal_axes(one_axis, x.rank))


def _positive(g: Graph, x: Value) -> Value:
    return ELEMENTWISE["greater"](g, x, g.literal(0.0))


def _not_negative(g: Graph, x: Value) -> Value:
    return ELEMENTWISE["greater_equal"](g, x, g.literal(0.0))


@function("x for x > 0, else slope * x")
def leaky_relu(g: Graph, x: Value, slope: Number = 0.2) -> Value:
    return where_op(g, _positive(g, x), x, mul(g, slope, x))


@function("x for x >= 0, else alpha * (exp(x) - 1)")
def elu(g: Graph, x: Value, alpha: Number = 1.0) -> Value:
    return where_op(g, _not_negative(g, x), x, mul(g, alpha, expm1(g, x)))


@function("elu with the self-normalising scale and alpha")
def selu(g: Graph, x: Value) -> Value:
    return mul(g, g.literal(_SELU_SCALE), elu(g, x, g.literal(_SELU_ALPHA)))


@function("x * Phi(x), by erf (extra `special`) or approximately by tanh")
def gelu(g: Graph, x: Value, approximate: bool = False) -> Value:
    half = mul(g, g.literal(0.5), x)
    if not approximate:
        need_special("gelu")
        return mul(g, half, add(g, g.literal(1.0), erf(g, mul(g, x, g.literal(1 / math.sqrt(2))))))
    cubic = mul(g, g.literal(0.044715), mul(g, x, mul(g, x, x)))
    inner = mul(g, g.literal(math.sqrt(2 / math.pi)), add(g, x, cubic))
    return mul(g, half, add(g, g.literal(1.0), tanh(g, inner)))


@function("x * sigmoid(x)")
def silu(g: Graph, x: Value) -> Value:
    return mul(g, x, sigmoid(g, x))
