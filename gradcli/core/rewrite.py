"""What is written unstably, computed stably: a pass over the graph with one declared pattern per rewrite.

A rewrite keeps the value wherever the written form has one (up to rounding), and the domain: sqrt(x)**2 stays NaN for
negative x. What it changes is overflow, cancellation, and derivatives that exist although the chain rule gives 0 * inf.
`x / x`, `0 * log(x)` and their like are no patterns: they stay as written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradcli.core.elementwise import row, x
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Literal, Value
from gradcli.core.ops.arrange import concatenate
from gradcli.core.ops.elementwise import add, neg, power_of, square
from gradcli.core.ops.linalg import logabsdet, logdet
from gradcli.core.ops.pieces import log_sigmoid, sigmoid, softplus
from gradcli.core.ops.reduction import log_softmax, logsumexp, softmax
from gradcli.core.ops.shape import broadcast_to, reshape, sum_, transpose
from gradcli.core.shapes import size

__all__ = ["PATTERNS", "rewrite"]

Pattern = Callable[[Graph, Apply], Value | None]
PATTERNS: dict[str, list[tuple[str, Pattern]]] = {}


def pattern(root: str, text: str) -> Callable[[Pattern], Pattern]:
    """Declares a rewrite of nodes of the op `root`; `text` is what it recognises, as a user would write it."""

    def declare(fn: Pattern) -> Pattern:
        PATTERNS.setdefault(root, []).append((text, fn))
        return fn

    return declare


def rewrite(g: Graph, outputs: Iterable[Value]) -> dict[Value, Value]:
    """For each value that `outputs` need, the value that takes its place. New nodes keep the places of the old."""
    wanted = list(outputs)
    new: dict[Value, Value] = {}
    with g.placing():
        for i in g.ancestors(wanted):
            v, node = g.values[i], g.definitions[i]
            if node is None:
                new[v] = v
                continue
            args = tuple([new[a] for a in node.args])
            g.place = g.places.get(i)
            here = v if args == node.args else g.apply(node.op, args, node.params)
            new[v] = _applied(g, here)
    return new


def _applied(g: Graph, v: Value) -> Value:
    node = g.definition(v)
    if node is None:
        return v
    for _, fn in PATTERNS.get(node.op.name, ()):
        found = fn(g, node)
        if found is not None:
            return found
    return v


# -- reading the graph ---------------------------------------------------------------------------------------------


def _is(g: Graph, v: Value, *names: str) -> Apply | None:
    """The definition of v where it is one of these ops."""
    node = g.definition(v)
    return node if node is not None and node.op.name in names else None


def _number(v: Value) -> float | None:
    return v.number if isinstance(v, Literal) else None


def _bare(g: Graph, v: Value) -> Value:
    """v before reshapes and broadcasts, which only lay it out."""
    while (node := _is(g, v, "reshape", "broadcast_to")) is not None:
        v = node.args[0]
    return v


def _one_plus(g: Graph, v: Value) -> Value | None:
    """u where v is 1 + u or u + 1."""
    node = _is(g, v, "add")
    if node is None:
        return None
    a, b = node.args
    return b if _number(a) == 1 else a if _number(b) == 1 else None


def _exp_of(g: Graph, v: Value | None) -> Value | None:
    """u where v is exp(u)."""
    node = None if v is None else _is(g, v, "exp")
    return None if node is None else node.args[0]


def _negated(g: Graph, v: Value) -> Value:
    """-v, without a double sign."""
    node = _is(g, v, "neg")
    return neg(g, v) if node is None else node.args[0]


# -- exponentials and logarithms -------------------------------------------------------------------------------------


@pattern("log", "log(softmax(z))")
def _log_of_softmax(g: Graph, node: Apply) -> Value | None:
    inner = _is(g, _bare(g, node.args[0]), "softmax")
    if inner is None:
        return None
    return _laid_out(g, log_softmax(g, inner.args[0], params=inner.params), node.args[0])


def _laid_out(g: Graph, v: Value, like: Value) -> Value:
    """v reshaped or broadcast as `like` is."""
    if size(v.shape) == size(like.shape):
        return reshape(g, v, like.shape)
    return broadcast_to(g, v, like.shape)


@pattern("log", "log(sum(exp(z)))")
def _log_of_sum_of_exp(g: Graph, node: Apply) -> Value | None:
    total = _is(g, _bare(g, node.args[0]), "sum")
    z = _exp_of(g, total.args[0]) if total is not None else None
    if total is None or z is None:
        return None
    return _laid_out(g, logsumexp(g, z, params=total.params), node.args[0])


@pattern("log", "log(1 + exp(x))")
def _log_of_one_plus_exp(g: Graph, node: Apply) -> Value | None:
    u = _exp_of(g, _one_plus(g, node.args[0]))
    return None if u is None else softplus(g, u)


@pattern("log1p", "log1p(exp(x))")
def _log1p_of_exp(g: Graph, node: Apply) -> Value | None:
    u = _exp_of(g, node.args[0])
    return None if u is None else softplus(g, u)


@pattern("log", "log(sigmoid(x))")
def _log_of_sigmoid(g: Graph, node: Apply) -> Value | None:
    inner = _is(g, node.args[0], "sigmoid")
    return None if inner is None else log_sigmoid(g, inner.args[0])


@pattern("log", "log(1 - sigmoid(x))")
def _log_of_one_minus_sigmoid(g: Graph, node: Apply) -> Value | None:
    minus = _is(g, node.args[0], "sub")
    inner = _is(g, minus.args[1], "sigmoid") if minus is not None and _number(minus.args[0]) == 1 else None
    return None if inner is None else log_sigmoid(g, _negated(g, inner.args[0]))


@pattern("log1p", "log1p(-sigmoid(x))")
def _log1p_of_minus_sigmoid(g: Graph, node: Apply) -> Value | None:
    minus = _is(g, node.args[0], "neg")
    inner = _is(g, minus.args[0], "sigmoid") if minus is not None else None
    return None if inner is None else log_sigmoid(g, _negated(g, inner.args[0]))


@pattern("div", "exp(z) / sum(exp(z))")
def _softmax_by_hand(g: Graph, node: Apply) -> Value | None:
    above, below = node.args
    z = _exp_of(g, above)
    total = _is(g, _bare(g, below), "sum")
    if z is None or total is None or total.args[0] is not above or above.shape != broadcast_shape(node):
        return None
    (axes,) = total.params
    kept = tuple(1 if k in axes else n for k, n in zip(range(-z.rank, 0), z.shape, strict=True))
    if kept != (1,) * (z.rank - below.rank) + below.shape and below.shape != z.shape:
        return None
    if len(axes) == 1:
        return softmax(g, z, params=axes)
    if len(axes) == z.rank:
        flat = reshape(g, z, (size(z.shape),))
        return reshape(g, softmax(g, flat, params=(-1,)), z.shape)
    return None


def broadcast_shape(node: Apply) -> tuple[int, ...]:
    """The shape of the value of an elementwise node."""
    shape: tuple[int, ...] = node.op.shape(node.args, node.params)
    return shape


@pattern("div", "1 / (1 + exp(-x))")
@pattern("div", "exp(x) / (1 + exp(x))")
def _sigmoid_by_hand(g: Graph, node: Apply) -> Value | None:
    above, below = node.args
    u = _exp_of(g, _one_plus(g, below))
    if u is None:
        return None
    if _number(above) == 1:
        return sigmoid(g, _negated(g, u))
    return sigmoid(g, u) if _exp_of(g, above) is u else None


@pattern("reciprocal", "reciprocal(1 + exp(-x))")
def _reciprocal_of_one_plus_exp(g: Graph, node: Apply) -> Value | None:
    u = _exp_of(g, _one_plus(g, node.args[0]))
    return None if u is None else sigmoid(g, _negated(g, u))


# x where it is at least 0, NaN elsewhere: what a root and its power, or a logarithm and its exponential, leave of x.
_not_negative = row("not_negative", lambda: x, lambda: 1, code="where({0} >= 0, {0}, nan)", tame=True)


@pattern("exp", "exp(log(x))")
def _exp_of_log(g: Graph, node: Apply) -> Value | None:
    inner = _is(g, node.args[0], "log")
    return None if inner is None else _not_negative(g, inner.args[0])


@pattern("log", "log(exp(x))")
def _log_of_exp(g: Graph, node: Apply) -> Value | None:
    return _exp_of(g, node.args[0])


# -- powers of one base ----------------------------------------------------------------------------------------------


def _inverse_of(g: Graph, v: Value) -> Value | None:
    """u where v is 1 / u."""
    node = _is(g, v, "div", "reciprocal", "power")
    if node is None:
        return None
    if node.op.name == "div":
        return node.args[1] if _number(node.args[0]) == 1 else None
    if node.op.name == "power":
        return node.args[0] if _number(node.args[1]) == -1 else None
    inner: Value = node.args[0]
    return inner


def _inverse_of_inverse(g: Graph, node: Apply) -> Value | None:
    inner = _inverse_of(g, node.args[-1]) if node.op.name == "div" and _number(node.args[0]) == 1 else None
    if node.op.name == "reciprocal" or (node.op.name == "power" and _number(node.args[1]) == -1):
        inner = _inverse_of(g, node.args[0])
    return inner


for _root in ("div", "reciprocal", "power"):
    pattern(_root, "1 / (1 / x)")(_inverse_of_inverse)


def _root_power(g: Graph, v: Value) -> tuple[Value, float]:
    """(base, exponent) of a power, a root or a plain value."""
    node = g.definition(v)
    if node is not None:
        fixed = {"sqrt": 0.5, "rsqrt": -0.5, "square": 2.0}.get(node.op.name)
        if fixed is not None:
            return node.args[0], fixed
        if node.op.name == "power" and (number := _number(node.args[1])) is not None:
            return node.args[0], number
    return v, 1.0


def _one_power(g: Graph, base: Value, exponent: float) -> Value:
    """base**exponent on the domain of a root."""
    if exponent.is_integer():
        base = _not_negative(g, base)
    return base if exponent == 1 else power_of(g, base, exponent)


def _fractional(exponent: float) -> bool:
    return not exponent.is_integer()


@pattern("mul", "x * sqrt(x)")
def _product_of_powers(g: Graph, node: Apply) -> Value | None:
    (a, p), (b, q) = (_root_power(g, v) for v in node.args)
    if a is b and (_fractional(p) or _fractional(q)) and p + q > 0:
        return _one_power(g, a, p + q)
    if node.args[0] is node.args[1]:
        return _squared(g, node.args[0])
    return None


@pattern("square", "sqrt(x)**2")
def _square_of_power(g: Graph, node: Apply) -> Value | None:
    return _squared(g, node.args[0])


@pattern("power", "sqrt(x)**3")
def _power_of_power(g: Graph, node: Apply) -> Value | None:
    inner, exponent = node.args
    n = _number(exponent)
    if n is None:
        return None
    base, p = _root_power(g, inner)
    if _fractional(p) and n > 0 and n.is_integer():
        return _one_power(g, base, p * n)
    if n > 0 and n % 2 == 0 and (squared := _squared(g, inner)) is not None:
        return power_of(g, squared, n / 2)
    return None


def _squared(g: Graph, v: Value) -> Value | None:
    """v**2 where v is a root or a norm, also inside a stack of such: norm(x)**2 is sum(x**2)."""
    base, p = _root_power(g, v)
    if p == 0.5:
        return _one_power(g, base, 1.0)
    node = _is(g, v, "norm2", "hypot", "reshape", "concatenate", "broadcast_to", "transpose")
    if node is None:
        return None
    if node.op.name == "norm2":
        return sum_(g, square(g, node.args[0]), node.params[0])
    if node.op.name == "hypot":
        return add(g, *[square(g, a) for a in node.args])
    parts = [_squared(g, a) for a in node.args]
    if any(part is None for part in parts):
        return None
    squares = [part for part in parts if part is not None]
    if node.op.name == "concatenate":
        return concatenate(g, squares, node.params[0])
    if node.op.name == "transpose":
        return transpose(g, squares[0], node.params[0])
    return _laid_out(g, squares[0], v)


# -- determinants ----------------------------------------------------------------------------------------------------


@pattern("log", "log(det(A))")
def _log_of_det(g: Graph, node: Apply) -> Value | None:
    inner = _is(g, node.args[0], "det")
    return None if inner is None else logdet(g, inner.args[0], params=inner.params)


@pattern("log", "log(abs(det(A)))")
def _log_of_abs_det(g: Graph, node: Apply) -> Value | None:
    size_ = _is(g, node.args[0], "abs")
    inner = _is(g, size_.args[0], "det") if size_ is not None else None
    return None if inner is None else logabsdet(g, inner.args[0], params=inner.params)
