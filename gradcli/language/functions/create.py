"""Arrays that depend on nothing, or only on a shape."""

from __future__ import annotations

import numpy as np

from gradcli.core.elementwise import ELEMENTWISE
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.elementwise import where
from gradcli.core.ops.shape import broadcast_to, expand_axes
from gradcli.core.shapes import MAX_CONSTANT_ENTRIES, Shape, bounded
from gradcli.language.declare import CallError, function


@function("zeros of a shape")
def zeros(g: Graph, shape: Shape) -> Value:
    return broadcast_to(g, g.literal(0.0), shape)


@function("ones of a shape")
def ones(g: Graph, shape: Shape) -> Value:
    return broadcast_to(g, g.literal(1.0), shape)


@function("v repeated to a shape")
def full(g: Graph, shape: Shape, v: Value) -> Value:
    return broadcast_to(g, v, shape)


@function("identity matrix")
def eye(g: Graph, n: int) -> Value:
    bounded((n, n), MAX_CONSTANT_ENTRIES)
    return g.constant(np.eye(n))


@function("a, a + step, ... below b; arange(n) counts from 0", a_number="a", b_number="b")
def arange(g: Graph, a_number: float, b_number: float | None = None, step: float = 1) -> Value:
    start, stop = (0.0, a_number) if b_number is None else (a_number, b_number)
    if step == 0 or not np.isfinite([start, stop, step]).all():
        raise CallError("arange needs finite bounds and a step that is not 0")
    count = max(0.0, (stop - start) / step)
    if count > MAX_CONSTANT_ENTRIES:
        raise CallError(f"arange of about {count:.3g} numbers, more than {MAX_CONSTANT_ENTRIES:,}", kind="limit")
    return g.constant(np.arange(start, stop, step) if count else np.zeros(0))


@function("n evenly spaced numbers from a to b, both included", a_number="a", b_number="b")
def linspace(g: Graph, a_number: float, b_number: float, n: int) -> Value:
    if not np.isfinite([a_number, b_number, b_number - a_number]).all():
        raise CallError("linspace needs finite bounds that are not too far apart")
    (count,) = bounded((n,), MAX_CONSTANT_ENTRIES)
    return g.constant(np.linspace(a_number, b_number, count))


@function("zeros in the shape of x", derivative="cut")
def zeros_like(g: Graph, x: Value) -> Value:
    return zeros(g, x.shape)


@function("ones in the shape of x", derivative="cut")
def ones_like(g: Graph, x: Value) -> Value:
    return ones(g, x.shape)


@function("a new last axis of size depth: 1 at the label, 0 elsewhere", derivative="cut")
def one_hot(g: Graph, labels: Value, depth: int) -> Value:
    bounded((depth,), MAX_CONSTANT_ENTRIES)
    places = g.constant(np.arange(float(depth)))
    hit = ELEMENTWISE["equal"](g, expand_axes(g, labels, (-1,)), places)
    return where(g, hit, g.literal(1.0), g.literal(0.0))
