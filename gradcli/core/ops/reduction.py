"""Functions of all entries along axes, the softmax family, and products along an axis (without a division)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.core.elementwise import ELEMENTWISE
from gradcli.core.families import Cut, Linear, Partial, Reduction, Structural, Watch, names
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Value
from gradcli.core.ops.arrange import cumsum
from gradcli.core.ops.elementwise import add, exp, mul, neg, sub, tip_ratio, where
from gradcli.core.ops.shape import broadcast_to, expand_axes, reshape, slice_, sum_, transpose, unslice
from gradcli.core.shapes import Shape, broadcast, size

__all__ = ["argsort", "cumprod", "log_softmax", "logsumexp", "norm2", "prod", "reduce_max", "reduce_min", "softmax"]


def _axis_text(axes: tuple[int, ...]) -> str:
    return str(axes[0] if len(axes) == 1 else axes)


class _Named(Reduction):
    """A reduction whose kernel is a function with NumPy's `axis`."""

    kernel: str

    def code(self, node: Apply) -> str:
        return f"{self.kernel}({node.args[0].name}, axis={_axis_text(node.params[0])})"


def _kept(g: Graph, node: Apply, out: Value) -> Value:
    """The value with its reduced axes as axes of size 1."""
    return expand_axes(g, out, node.params[0])


class _Extreme(_Named):
    """max and min: where several entries are the extreme they share the derivative evenly."""

    tame = True

    def __init__(self, name: str, kernel: str) -> None:
        self.name, self.kernel = name, kernel

    def partial(self, g: Graph, node: Apply, out: Value) -> Partial:
        chosen = ELEMENTWISE["equal"](g, node.args[0], _kept(g, node, out))
        count = sum_(g, where(g, chosen, g.literal(1.0), g.literal(0.0)), node.params[0])
        return Partial(divisor=_kept(g, node, count), gate=chosen)

    def watch(self, g: Graph, node: Apply, out: Value) -> list[Watch]:
        chosen = ELEMENTWISE["equal"](g, node.args[0], _kept(g, node, out))
        count = sum_(g, where(g, chosen, g.literal(1.0), g.literal(0.0)), node.params[0])
        tie = ELEMENTWISE["greater"](g, count, g.literal(1.0))
        return [Watch("kink", tie, "a tie, the equal entries share the derivative evenly")]


reduce_max, reduce_min = _Extreme("max", "amax"), _Extreme("min", "amin")


class _LogSumExp(_Named):
    """log(sum(exp(x))): the partials are the softmax; of entries that are all -inf they are 0."""

    name, kernel, tame = "logsumexp", "logsumexp", True

    def partial(self, g: Graph, node: Apply, out: Value) -> Partial:
        nothing = ELEMENTWISE["equal"](g, out, g.literal(-np.inf))
        level = where(g, nothing, g.literal(0.0), out)
        return Partial(exp(g, sub(g, node.args[0], _kept(g, node, level))))


class _Norm2(_Named):
    """The 2-norm: x / norm, and 0 (a subgradient) at the tip."""

    name, kernel = "norm2", "norm2"

    def partial(self, g: Graph, node: Apply, out: Value) -> Partial:
        return Partial(tip_ratio(g, node.args[0], _kept(g, node, out)))

    def watch(self, g: Graph, node: Apply, out: Value) -> list[Watch]:
        tip = ELEMENTWISE["equal"](g, out, g.literal(0.0))
        return [Watch("kink", tip, "its tip, the derivative is taken as 0 (a subgradient)")]


logsumexp, norm2 = _LogSumExp(), _Norm2()


class _Prod(_Named):
    """The product; the partial of an entry is the product of the others, which is right also at zeros."""

    name, kernel, tame = "prod", "prod", True

    def partial(self, g: Graph, node: Apply, out: Value) -> Partial:
        (x,), (axes,) = node.args, node.params
        if len(axes) == 1:
            return Partial(_others(g, x, axes[0]))
        kept = [k for k in range(x.rank) if k - x.rank not in axes]
        perm = (*kept, *[k + x.rank for k in axes])
        flat = reshape(g, transpose(g, x, perm), (*[x.shape[k] for k in kept], size(x.shape[k] for k in axes)))
        back = reshape(g, _others(g, flat, -1), tuple(x.shape[k] for k in perm))
        return Partial(transpose(g, back, tuple(perm.index(k) for k in range(x.rank))))


def _others(g: Graph, x: Value, axis: int) -> Value:
    """For each entry the product of the others along `axis`."""
    before = _shifted(g, cumprod(g, x, params=(axis, False)), axis, 1, fill=1.0)
    after = _shifted(g, cumprod(g, x, params=(axis, True)), axis, -1, fill=1.0)
    return mul(g, before, after)


def _shifted(g: Graph, v: Value, axis: int, by: int, fill: float = 0.0) -> Value:
    """`v` moved one place up (by = 1) or down (-1) along `axis`; the free place holds `fill`."""
    n = v.shape[axis]

    def cut(start: int, stop: int) -> tuple[tuple[int, int | None, int], ...]:
        cuts: list[tuple[int, int | None, int]] = [(0, m, 1) for m in v.shape]
        cuts[axis] = (start, stop, 1)
        return tuple(cuts)

    source, target, free = (cut(0, n - 1), cut(1, n), 0) if by > 0 else (cut(1, n), cut(0, n - 1), n - 1)
    moved = unslice(g, slice_(g, v, source), target, v.shape) if n > 1 else mul(g, v, g.literal(0.0))
    if fill == 0 or n == 0:
        return moved
    ends = np.zeros((n,) + (1,) * (-axis - 1))
    ends[free] = fill
    return add(g, moved, g.constant(ends))


prod = _Prod()


class _Along(Structural):
    """Works along the negative axis params[0] and carries the others."""

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return args[0].shape

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        return {k: k for k in range(-node.args[0].rank, 0) if k != node.params[0]}


class _Weighing(_Along):
    """Ops of weights y that sum to 1 along the axis, and of t: both operands have one shape."""

    tame = True

    def code(self, node: Apply) -> str:
        return "{}({}, {}, {})".format(self.name, *names(node), node.params[0])


class _Centred(_Weighing):
    """t - sum(y * t): the derivative of log_softmax forward. Adjoint in t: `pulled`."""

    name = "centred"
    flat_jvp = True

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        if i == 1:
            return _weighed(g, _PULLED, node.args[0], ct, node.params[0])
        return neg(g, mul(g, node.args[1], _total(g, ct, node.params[0])))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        if i == 1:
            return _weighed(g, self, node.args[0], t, node.params[0])
        sums = neg(g, _total(g, mul(g, t, node.args[1]), node.params[0]))
        return broadcast_to(g, sums, t.shape)


class _Pulled(_Weighing):
    """t - y * sum(t): the derivative of log_softmax backwards."""

    name = "pulled"

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        if i == 1:
            return _weighed(g, _CENTRED, node.args[0], ct, node.params[0])
        return neg(g, mul(g, ct, _total(g, node.args[1], node.params[0])))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        if i == 1:
            return _weighed(g, self, node.args[0], t, node.params[0])
        return neg(g, mul(g, t, _total(g, node.args[1], node.params[0])))


_CENTRED, _PULLED = _Centred(), _Pulled()


def _weighed(g: Graph, op: _Weighing, y: Value, t: Value, axis: int) -> Value:
    return g.apply(op, (broadcast_to(g, y, t.shape), t), (axis,))


def _total(g: Graph, v: Value, axis: int) -> Value:
    """The sum along the axis, which stays with size 1."""
    return expand_axes(g, sum_(g, v, (axis,)), (axis,))


class _Softmax(_Along):
    """Its Jacobian diag(y) - y y^T is symmetric: one rule serves both modes."""

    name, tame = "softmax", True
    flat_vjp = flat_jvp = True

    def code(self, node: Apply) -> str:
        return f"softmax({node.args[0].name}, {node.params[0]})"

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        return mul(g, out, _weighed(g, _CENTRED, out, ct, node.params[0]))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        return self.vjp(g, node, out, i, t)


softmax = _Softmax()


class _LogSoftmax(_Along):
    name, tame = "log_softmax", True
    flat_jvp = True

    def code(self, node: Apply) -> str:
        return f"log_softmax({node.args[0].name}, {node.params[0]})"

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        return _weighed(g, _PULLED, softmax(g, node.args[0], params=node.params), ct, node.params[0])

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        return _weighed(g, _CENTRED, softmax(g, node.args[0], params=node.params), t, node.params[0])


log_softmax = _LogSoftmax()


class _Scan(_Along):
    """The linear recurrence s_j = b_j + a_j s_(j-1) along params[0], from the end where params[1].

    Its derivatives are recurrences of the same kind, so products along an axis have exact derivatives of any order.
    """

    name, tame = "scan", True

    def code(self, node: Apply) -> str:
        return "scan({}, {}, {}, {})".format(*names(node), *node.params)

    def counted(self, g: Graph, node: Apply, counts: Value, *, back: bool) -> Value | None:
        axis, backwards = node.params
        return cumsum(g, counts, params=(axis, backwards is not back))

    def _back(self, g: Graph, node: Apply, ct: Value) -> Value:
        """The cotangent of b: the recurrence backwards, with the coefficient of the next step."""
        a, (axis, backwards) = node.args[0], node.params
        step = _shifted(g, a, axis, 1 if backwards else -1)
        return _scan(g, step, ct, axis, not backwards)

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        axis, backwards = node.params
        back = self._back(g, node, ct)
        return back if i == 1 else mul(g, back, _shifted(g, out, axis, -1 if backwards else 1))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        axis, backwards = node.params
        source = t if i == 1 else mul(g, t, _shifted(g, out, axis, -1 if backwards else 1))
        return _scan(g, node.args[0], source, axis, backwards)


_SCAN = _Scan()


def _scan(g: Graph, a: Value, b: Value, axis: int, backwards: bool) -> Value:
    shape = broadcast(a.shape, b.shape)
    return g.apply(_SCAN, (broadcast_to(g, a, shape), broadcast_to(g, b, shape)), (axis, backwards))


class _Cumprod(_Along):
    """Cumulative product along params[0], from the end where params[1]; right at zeros too."""

    name, tame = "cumprod", True

    def code(self, node: Apply) -> str:
        (name,), (axis, backwards) = names(node), node.params
        if backwards:
            return f"flip(cumprod(flip({name}, {axis}), {axis}), {axis})"
        return f"cumprod({name}, {axis})"

    def counted(self, g: Graph, node: Apply, counts: Value, *, back: bool) -> Value | None:
        axis, backwards = node.params
        return cumsum(g, counts, params=(axis, backwards is not back))

    def _before(self, g: Graph, node: Apply, out: Value) -> Value:
        axis, backwards = node.params
        return _shifted(g, out, axis, -1 if backwards else 1, fill=1.0)

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        (x,), (axis, backwards) = node.args, node.params
        step = _shifted(g, x, axis, 1 if backwards else -1)
        return mul(g, self._before(g, node, out), _scan(g, step, ct, axis, not backwards))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        (x,), (axis, backwards) = node.args, node.params
        return _scan(g, x, mul(g, self._before(g, node, out), t), axis, backwards)


cumprod = _Cumprod()


class _TakeAlong(_Along, Linear):
    """take_along_axis on the last axis; the index array (second operand) is a cut and has no leading axes."""

    name = "take_along"
    drops = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return (*args[0].shape[:-1], args[1].shape[-1])

    def code(self, node: Apply) -> str:
        return "take_along({}, {})".format(*names(node))

    def watch(self, g: Graph, node: Apply, out: Value) -> list[Watch]:
        order = g.definition(node.args[1])
        if order is None or order.op is not argsort or order.args[0] is not node.args[0]:
            return []
        tie = ELEMENTWISE["equal"](g, out, _shifted(g, out, -1, 1, fill=np.nan))
        return [Watch("kink", tie, "a tie, the derivative goes with the equal entries in their order")]

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        return g.apply(_PUT_ALONG, (ct, node.args[1]), (-1, node.args[0].shape[-1]))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        return g.apply(self, (t, node.args[1]), node.params)


class _PutAlong(_Along, Linear):
    """The adjoint: zeros of length params[1] along the last axis, with the entries added at the index array."""

    name = "put_along"
    leaves = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return (*args[0].shape[:-1], params[1])

    def code(self, node: Apply) -> str:
        return "put_along({}, {}, {})".format(*names(node), node.params[1])

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        return g.apply(_TAKE_ALONG, (ct, node.args[1]), (-1,))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        return g.apply(self, (t, node.args[1]), node.params)


_TAKE_ALONG, _PUT_ALONG = _TakeAlong(), _PutAlong()
argsort = Cut(
    "argsort",
    lambda node: f"argsort({node.args[0].name}, axis=-1, kind='stable')",
    kind="index",
    shape=lambda args, params: args[0].shape,
)


def take_along(g: Graph, v: Value, index: Value) -> Value:
    """np.take_along_axis(v, index, -1); `index` has v's shape but for the last axis."""
    return g.apply(_TAKE_ALONG, (v, index), (-1,))
