"""Independent checks of derivatives, on expressions given as text with named arrays.

- differences: five points along one direction, with a step relative to each entry; with a step of 1 for what is linear
  or bilinear, where the difference is exact.
- the inner-product identity <v, J u> = <J^T v, u>, forward against reverse rows, rows against the gradient.
- the second order by three routes (forward over reverse, reverse over reverse, reverse over forward), each against
  differences of the gradient.

Every check raises AssertionError with the expression and both values. There is one tolerance per dtype.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.agreement import compare_rows
from gradcli.core.compile import compile_graph
from gradcli.core.differentiate import jvp, vjp
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.elementwise import named
from gradcli.core.ops.shape import broadcast_to
from gradcli.core.tangents import Tangent, Zero, dense, plain
from gradcli.derive import gradient_nodes, hessian_nodes, jacobian_nodes
from gradcli.language.build import Builder
from gradcli.language.convert import Converter
from gradcli.language.parse import parse
from gradcli.language.source import plain_text

Array = NDArray[Any]
Point = Mapping[str, Array]

# Of the largest entry, and at least of 1.
TOLERANCE = {"float64": 1e-10, "float32": 2e-5}
STEP = 5e-4
_STENCIL = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
_EXACT_STENCIL = {-1: -0.5, 1: 0.5}


def close(actual: Any, expected: Any, what: str, dtype: str = "float64") -> None:
    """Equal shapes, the same None, NaN and infinities, and numbers equal within the tolerance of the dtype."""
    if actual is None or expected is None:
        assert actual is expected, f"{what}: got {actual}, expected {expected}"
        return
    a, b = np.asarray(actual), np.asarray(expected)
    assert a.shape == b.shape, f"{what}: got shape {a.shape}, expected {b.shape}"
    finite = np.isfinite(b)
    same = np.array_equal(np.isfinite(a), finite) and np.array_equal(a[~finite], b[~finite], equal_nan=True)
    bound = TOLERANCE[dtype] * max(1.0, np.abs(b[finite]).max(initial=0.0))
    worst = np.abs(a[finite] - b[finite]).max(initial=0.0) if same else np.inf
    assert worst <= bound, f"{what}: got\n{a}\nexpected\n{b}\nthey differ by {worst:.3g}, more than {bound:.3g}"


def generator(name: str) -> np.random.Generator:
    """A generator that depends on the name alone."""
    return np.random.default_rng(zlib.crc32(name.encode()))


class Subject:
    """One expression as a graph, at a point.

    Args:
        text: the expression; lets: intermediates in order, each by an expression. A let that is listed in `sources` can
            be differentiated by.
        point: an array by source name; constants: what is not differentiated.
    """

    def __init__(
        self,
        text: str,
        point: Point,
        constants: Mapping[str, Any] | None = None,
        lets: Mapping[str, str] | None = None,
        sources: Sequence[str] | None = None,
    ) -> None:
        self.text = text
        self.point = {name: np.asarray(a, float) for name, a in point.items()}
        self.graph = g = Graph()
        self.inputs = {name: g.input(a.shape) for name, a in self.point.items()}
        names: dict[str, Value] = dict(self.inputs)
        names |= {name: g.constant(np.asarray(a, float)) for name, a in (constants or {}).items()}
        builder = Builder(g, names, Converter(g, {v.index: self.point[n] for n, v in self.inputs.items()}))
        wanted = list(self.point) if sources is None else list(sources)
        for name, expression in (lets or {}).items():
            value = builder.build(parse(plain_text(expression, f"let {name!r}")))
            names[name] = named(g, value, params=(name,)) if name in wanted else value
        self.target = builder.build(parse(plain_text(text, "target 'y'")))
        self.sources = {name: names[name] for name in wanted}
        self._known: dict[Any, Any] = {}
        self._verified = 0

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        """The checks ask for the same arrays; each is computed once."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    # -- evaluation ------------------------------------------------------------------------------------------------

    def compiled(self, nodes: Sequence[Value | None], dtype: str = "float64") -> Callable[[Point], list[Any]]:
        """The numbers of some nodes as a function of the point; None stays None."""
        if len(self.graph) != self._verified:
            self.graph.verify()
            self._verified = len(self.graph)
        run = compile_graph(self.graph, list(self.inputs.values()), [v for v in nodes if v is not None], dtype)

        def at(point: Point) -> list[Any]:
            made = iter(run(*[point[name] for name in self.inputs]))
            return [None if v is None else next(made) for v in nodes]

        return at

    def numbers(self, nodes: Mapping[Any, Value | None], dtype: str = "float64") -> dict[Any, Any]:
        """The numbers of some nodes at the point, by the same keys."""
        return dict(zip(nodes, self.compiled(list(nodes.values()), dtype)(self.point), strict=True))

    @cached_property
    def value(self) -> Array:
        return self.numbers({"y": self.target})["y"]  # type: ignore[no-any-return]

    @cached_property
    def weight(self) -> Array:
        """An output gradient without zeros; integers, so that exact work stays exact."""
        rng = generator(self.text)
        return rng.integers(1, 4, self.target.shape) * rng.choice([-1.0, 1.0], self.target.shape)

    @cached_property
    def direction(self) -> dict[str, Array]:
        """One direction in the space of the sources, relative to the size of each entry."""
        rng = generator(self.text + "'")
        return {
            name: rng.uniform(0.5, 1.0, a.shape) * rng.choice([-1.0, 1.0], a.shape) * np.maximum(np.abs(a), 0.25)
            for name, a in self.point.items()
        }

    def moved(self, by: float) -> dict[str, Array]:
        """The point, `by` steps along the direction."""
        return {name: a + by * self.direction[name] for name, a in self.point.items()}

    # -- derivatives -----------------------------------------------------------------------------------------------

    def gradient_nodes(self, weight: Array | None = None) -> dict[str, Value | None]:
        weights = {} if weight is None else {"y": weight}
        return gradient_nodes(self.graph, {"y": self.target}, self.sources, weights)

    def gradient(self, weight: Array | None = None, dtype: str = "float64") -> dict[str, Any]:
        """The gradient of sum(weight * y) by reverse mode."""
        key = ("gradient", None if weight is None else weight.tobytes(), dtype)
        return self._once(key, lambda: self.numbers(self.gradient_nodes(weight), dtype))  # type: ignore[no-any-return]

    def rows(self, *, forward: bool, dtype: str = "float64") -> dict[str, Any]:
        """The Jacobian by each source."""

        def make() -> dict[str, Any]:
            return self.numbers(jacobian_nodes(self.graph, self.target, self.sources, forward=forward), dtype)

        return self._once(("rows", forward, dtype), make)  # type: ignore[no-any-return]

    def push_node(self, direction: Mapping[str, Array] | None = None) -> Value | None:
        """J u by forward mode without rows; None where nothing leads to the target."""
        g, u = self.graph, self.direction if direction is None else direction
        seeds = {v: plain(g.constant(u[name]), v.shape) for name, v in self.sources.items()}
        return self._array(jvp(g, seeds, [self.target])[self.target], self.target.shape)

    def _array(self, t: Tangent | Zero | None, shape: tuple[int, ...]) -> Value | None:
        if t is None:
            return None
        if isinstance(t, Zero):
            return broadcast_to(self.graph, self.graph.literal(0.0), shape)
        return dense(self.graph, t)

    def hessian(self, weight: Array | None = None, dtype: str = "float64") -> dict[tuple[str, str], Any]:
        """The second derivatives of sum(weight * y)."""

        def make() -> dict[tuple[str, str], Any]:
            weights = {} if weight is None else {"y": weight}
            return self.numbers(hessian_nodes(self.graph, {"y": self.target}, self.sources, weights), dtype)

        key = ("hessian", None if weight is None else weight.tobytes(), dtype)
        return self._once(key, make)  # type: ignore[no-any-return]

    def hessian_by_reverse(self, weight: Array | None = None) -> dict[tuple[str, str], Any]:
        """The same by reverse mode over the gradient; both orders of each pair on their own."""
        first = {name: v for name, v in self.gradient_nodes(weight).items() if v is not None}
        nodes = {
            (a, b): v
            for a, node in first.items()
            for b, v in jacobian_nodes(self.graph, node, self.sources, forward=False).items()
        }
        return self.numbers(nodes)

    def reverse_over_forward(self, weight: Array) -> dict[str, Any]:
        """H u: the gradient of <weight, J u>."""
        pushed = self.push_node()
        if pushed is None:
            return dict.fromkeys(self.sources)
        return self.numbers(gradient_nodes(self.graph, {"y": pushed}, self.sources, {"y": weight}))

    # -- differences -----------------------------------------------------------------------------------------------

    def differences(self, nodes: Sequence[Value], *, exact: bool = False) -> list[Any]:
        """The derivative of some nodes along the direction. `exact`: they are at most of degree 2 in the sources."""
        run = self.compiled(nodes)
        step, stencil = (1.0, _EXACT_STENCIL) if exact else (STEP, _STENCIL)
        total: list[Any] = [0.0] * len(nodes)
        for k, factor in stencil.items():
            total = [t + factor / step * v for t, v in zip(total, run(self.moved(k * step)), strict=True)]
        return total

    def times_direction(self, rows: Mapping[str, Any], rank: int) -> Any:
        """J u from the rows of each source; `rank` is the number of axes of what is differentiated."""
        total: Any = None
        for name, block in rows.items():
            if block is not None:
                part = np.tensordot(block, self.direction[name], self.point[name].ndim)
                total = part if total is None else total + part
                assert np.ndim(part) == rank, f"{self.text}: a block by {name} of shape {block.shape}"
        return total


# -- the checks -------------------------------------------------------------------------------------------------------


def check_differences(s: Subject, *, forward: bool, exact: bool = False) -> None:
    """J u, from the rows of one mode, and in forward mode also from one tangent, against differences."""
    (expected,) = s._once(("differences", exact), lambda: s.differences([s.target], exact=exact))
    found = s.times_direction(s.rows(forward=forward), s.target.rank)
    mode = "forward" if forward else "reverse"
    close(np.zeros(s.target.shape) if found is None else found, expected, f"{s.text}: {mode} rows against differences")
    if forward:
        node = s.push_node()
        found = np.zeros(s.target.shape) if node is None else s.numbers({"t": node})["t"]
        close(found, expected, f"{s.text}: tangent against differences")


def check_modes(s: Subject, dtype: str = "float64") -> None:
    """Forward against reverse rows, entry by entry."""
    forward, reverse = s.rows(forward=True, dtype=dtype), s.rows(forward=False, dtype=dtype)
    for name in s.sources:
        close(forward[name], reverse[name], f"{s.text}: forward against reverse rows by {name}", dtype)


def check_inner_product(s: Subject) -> None:
    """<v, J u> = <J^T v, u>, with J u by forward mode and J^T v by reverse mode."""
    node, v = s.push_node(), s.weight
    gradient = s.gradient(v)
    if node is None:
        assert all(g is None for g in gradient.values()), f"{s.text}: only one mode finds a path"
        return
    left = float((v * s.numbers({"t": node})["t"]).sum())
    right = sum(float((g * s.direction[name]).sum()) for name, g in gradient.items() if g is not None)
    close(left, right, f"{s.text}: <v, J u> against <J^T v, u>")


def check_rows_sum(s: Subject, dtype: str = "float64") -> None:
    """The weighted sum of the rows of each mode is the gradient, to 64 units in the last place of what is summed."""
    nodes: dict[Any, Value | None] = {("gradient", n): v for n, v in s.gradient_nodes(s.weight).items()}
    for forward in (False, True):
        blocks = jacobian_nodes(s.graph, s.target, s.sources, forward=forward)
        nodes |= {(forward, n): v for n, v in blocks.items()}
    made = s.numbers(nodes, dtype)
    gradient = {n: made["gradient", n] for n in s.sources}
    for forward in (False, True):
        rows = {n: made[forward, n] for n in s.sources}
        found = compare_rows(gradient, {"y": rows}, {"y": s.weight.astype(dtype)}, {}, np.dtype(dtype))
        assert found.match, f"{s.text}: forward {forward}: row sum {found.row_sum}, gradient {gradient}"


def check_seeds(s: Subject) -> None:
    """Rules on (co)tangents with extra leading axes: a stack of dense seeds gives the stack of the answers."""
    g, target = s.graph, s.target
    rng = generator(s.text + "''")
    back = rng.integers(-3, 4, (2, *target.shape)).astype(float)
    stacked = Tangent(g.constant(back), target.shape, (2,), (None,) * target.rank)
    pulled = vjp(g, {target: stacked}, s.sources.values())
    nodes: dict[Any, Value | None] = {n: s._array(pulled[v], (2, *v.shape)) for n, v in s.sources.items()}
    nodes |= {(k, n): v for k in range(2) for n, v in s.gradient_nodes(back[k]).items()}
    ahead = {name: rng.integers(-3, 4, (2, *v.shape)).astype(float) for name, v in s.sources.items()}
    seeds = {v: Tangent(g.constant(ahead[n]), v.shape, (2,), (None,) * v.rank) for n, v in s.sources.items()}
    nodes["pushed", "both"] = s._array(jvp(g, seeds, [target])[target], (2, *target.shape))
    nodes |= {("pushed", k): s.push_node({name: u[k] for name, u in ahead.items()}) for k in range(2)}
    made = s.numbers(nodes)
    for name in s.sources:
        expected = None if made[0, name] is None else np.stack([made[0, name], made[1, name]])
        close(made[name], expected, f"{s.text}: two cotangents at once, by {name}")
    if made["pushed", "both"] is not None:
        expected = np.stack([made["pushed", 0], made["pushed", 1]])
        close(made["pushed", "both"], expected, f"{s.text}: two tangents at once")


def check_second_order(s: Subject, *, exact: bool = False) -> None:
    """Three routes to the second derivatives of sum(weight * y) against differences of the gradient."""
    v = s.weight
    first = {name: node for name, node in s.gradient_nodes(v).items() if node is not None}
    if not first:
        assert all(block is None for block in s.hessian(v).values()), f"{s.text}: unconnected, but with a Hessian"
        return
    expected = dict(zip(first, s.differences(list(first.values()), exact=exact), strict=True))
    blocks, other, pushed = s.hessian(v), s.hessian_by_reverse(v), s.reverse_over_forward(v)
    for a in first:
        shape, rank = s.point[a].shape, s.point[a].ndim
        for which, found in (("hessian", blocks), ("reverse over reverse", other)):
            product = s.times_direction({b: found[a, b] for b in s.sources}, rank)
            product = np.zeros(shape) if product is None else product
            close(product, expected[a], f"{s.text}: {which} by {a} against differences of the gradient")
        found_u = np.zeros(shape) if pushed[a] is None else pushed[a]
        close(found_u, expected[a], f"{s.text}: reverse over forward by {a} against differences of the gradient")
        for b in first:
            block = blocks[a, b]
            close(block, _or_zeros(other[a, b], np.shape(block)), f"{s.text}: forward and reverse of ({a}, {b})")
            swapped = np.transpose(blocks[b, a], _swap(s.point[b].ndim, rank))
            close(block, swapped, f"{s.text}: ({a}, {b}) against ({b}, {a})")
            theirs = _or_zeros(other[b, a], s.point[b].shape + shape)
            close(block, np.transpose(theirs, _swap(s.point[b].ndim, rank)), f"{s.text}: both orders of ({a}, {b})")


def _or_zeros(block: Any, shape: tuple[int, ...]) -> Any:
    return np.zeros(shape) if block is None else block


def _swap(n: int, m: int) -> tuple[int, ...]:
    """The axes of a block of shape (n axes, m axes), the last m first."""
    return (*range(n, n + m), *range(n))


def check_all(s: Subject, *, degree: int | None = None) -> None:
    """Every check. `degree`: 1 for linear, 2 for bilinear, which makes the differences exact."""
    exact = degree is not None
    for forward in (False, True):
        check_differences(s, forward=forward, exact=exact)
    check_rows_sum(s)
    check_modes(s)
    check_inner_product(s)
    check_seeds(s)
    check_second_order(s, exact=exact)
