"""Losses, after TensorFlow's definitions: the cross-entropies give one loss per example, from logits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradcli.core.elementwise import ELEMENTWISE
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops import reduction as ops
from gradcli.core.ops.elementwise import mul, neg, square, sub, where
from gradcli.core.ops.pieces import abs_
from gradcli.core.ops.shape import reshape, sum_
from gradcli.core.shapes import ShapeError, broadcast, normal_axes, show
from gradcli.language.declare import Number, function
from gradcli.language.functions.arrange import checked_indices
from gradcli.language.functions.statistics import mean


@function("-sum(labels * log_softmax(logits)) along axis", one_axis="axis")
def softmax_cross_entropy(g: Graph, labels: Value, logits: Value, one_axis: int = -1) -> Value:
    shape = broadcast(labels.shape, logits.shape)
    if shape != logits.shape:
        raise ShapeError(f"labels {show(labels.shape)} and logits {show(logits.shape)} do not fit")
    axes = normal_axes(one_axis, logits.rank)
    return neg(g, sum_(g, mul(g, labels, ops.log_softmax(g, logits, params=axes)), axes))


@function("-log_softmax(logits)[label]: one class index per row of logits", classes="labels")
def sparse_softmax_cross_entropy(g: Graph, classes: NDArray[np.intp], logits: Value) -> Value:
    if not logits.rank or classes.shape != logits.shape[:-1]:
        raise ShapeError(
            f"labels of shape {show(classes.shape)} for logits of shape {show(logits.shape)}: "
            f"one label per row, shape {show(logits.shape[:-1])}, is needed"
        )
    index = checked_indices(classes, logits.shape[-1], f"the {logits.shape[-1]} classes of logits")
    picked = ops.take_along(g, ops.log_softmax(g, logits, params=(-1,)), g.constant(index[..., None], kind="index"))
    return neg(g, reshape(g, picked, classes.shape))


@function("mean((a - b)**2) over all entries")
def mse(g: Graph, a: Value, b: Value) -> Value:
    return mean(g, square(g, sub(g, a, b)))


@function("mean(abs(a - b)) over all entries")
def mae(g: Graph, a: Value, b: Value) -> Value:
    return mean(g, abs_(g, sub(g, a, b)))


@function("per entry (a - b)**2 / 2 within delta, beyond it delta * (|a - b| - delta / 2)")
def huber(g: Graph, a: Value, b: Value, delta: Number = 1.0) -> Value:
    half = g.literal(0.5)
    error = sub(g, a, b)
    size = abs_(g, error)
    line = mul(g, delta, sub(g, size, mul(g, half, delta)))
    return where(g, ELEMENTWISE["less_equal"](g, size, delta), mul(g, half, square(g, error)), line)
