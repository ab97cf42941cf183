"""The driver: structural zeros absorb in both modes and at second order; paths, sums, intermediates, nesting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.core.compile import compile_graph
from gradcli.core.differentiate import jvp, vjp
from gradcli.core.tangents import Tangent, Zero, dense, identity_seed, plain
from gradcli.derive import gradient_nodes, hessian_nodes, jacobian_nodes
from gradcli.document.problem import load
from gradcli.program import assemble
from tests import oracle
from tests.oracle import Subject, close

NAN, INF = float("nan"), float("inf")
MODES = pytest.mark.parametrize("forward", [False, True], ids=["reverse", "forward"])


def rows(text: str, forward: bool, constants: Any = None, **point: Any) -> dict[str, Any]:
    return Subject(text, {n: np.asarray(a, float) for n, a in point.items()}, constants).rows(forward=forward)


# -- structural zeros absorb -------------------------------------------------------------------------------------------

# text, x, the Jacobian in both modes; its column sums are the gradient.
ABSORBED: list[tuple[str, Any, Any]] = [
    ("sqrt(x)", [0, 4], [[INF, 0], [0, 0.25]]),
    ("exp(sqrt(x))", [0, 4], [[INF, 0], [0, np.exp(2) / 4]]),
    ("sqrt(x)[::-1]", [0, 4], [[0, 0.25], [INF, 0]]),
    ("sqrt(x)[1:]", [0, 4], [[0, 0.25]]),
    ("sqrt(x)[1]", [0, 4], [0, 0.25]),
    ("sqrt(x)[[1, 1]]", [0, 4], [[0, 0.25], [0, 0.25]]),
    ("sqrt(x[1:])", [0, 4], [[0, 0.25]]),
    ("take(sqrt(x), [1])", [0, 4], [[0, 0.25]]),
    ("take_along_axis(sqrt(x), [1], 0)", [0, 4], [[0, 0.25]]),
    ("pad(sqrt(x), 1)[2:]", [0, 4], [[0, 0.25], [0, 0]]),
    ("concatenate([sqrt(x), x])[1:]", [0, 4], [[0, 0.25], [1, 0], [0, 1]]),
    ("sum(sqrt(x)[1:])", [0, 4], [0, 0.25]),
    ("diag(sqrt([[x[0], x[0]], [x[0], x[1]]]))[1]", [0, 4], [0, 0.25]),
    ("tril(sqrt(outer(x, [1, 1])), -1)[1]", [4, 0], [[0, INF], [0, 0]]),
    ("where([0, 1], sqrt(x), 0)", [0, 4], [[0, 0], [0, 0.25]]),
    ("where(x > 0, sqrt(x), 0)", [0, 4], [[0, 0], [0, 0.25]]),
    ("where(x > 0, log(x), 0)", [-1, 2], [[0, 0], [0, 0.5]]),
    ("where(x > 0, 0, sqrt(-x))", [4, -4], [[0, 0], [0, -0.25]]),
    ("where(x > 0, where(x > 1, sqrt(x - 1), sqrt(x)), x)", [1, 5, -1], np.diag([0.5, 0.25, 1])),
    ("2 * where(x > 0, where(x > 1, sqrt(x - 1), x), x)", [0, 1, 5], np.diag([2, 2, 0.5])),
    ("exp(where(x > 0, log(x), 0)) * 3", [0, 2], [[0, 0], [0, 3]]),
    ("sqrt(where(x > 0, x, 0))", [-1, 4], [[0, 0], [0, 0.25]]),
    ("where(x > 0, sqrt(where(x > 0, x, 0)), 0)", [-1, 4], [[0, 0], [0, 0.25]]),
    ("maximum(sqrt(x), 1)", [0, 4], [[0, 0], [0, 0.25]]),
    ("minimum(1 / x, 5)", [0, 1], [[0, 0], [0, -1]]),
    ("clip(log(x), -1, 9)", [0, 2], [[0, 0], [0, 0.5]]),
    ("relu(log(x))", [0, 2], [[0, 0], [0, 0.5]]),
    ("max(log(x))", [0, 2], [0, 0.5]),
    ("min(-log(x))", [0, 2], [0, -0.5]),
    ("sort(log(x))[1]", [0, 2], [0, 0.5]),
    ("floor(sqrt(x))", [0, 4], [[0, 0], [0, 0]]),
    ("x * floor(sqrt(x))", [0, 4], [[0, 0], [0, 2]]),
    ("[0, 1] * sqrt(x)", [0, 4], [[0, 0], [0, 0.25]]),
    ("sqrt(x) * [0, 1] + x", [0, 4], [[1, 0], [0, 1.25]]),
    ("0 * sqrt(x)", [0, 4], [[0, 0], [0, 0]]),
    ("sqrt(x) / [inf, 1]", [0, 4], [[NAN, 0], [0, 0.25]]),
    ("[[0, 1], [0, 2]] @ sqrt(x)", [0, 4], [[0, 0.25], [0, 0.5]]),
    ("sqrt(x) @ [[0, 0], [1, 2]]", [0, 4], [[0, 0.25], [0, 0.5]]),
    ("eye(2) @ sqrt(x)", [0, 4], [[INF, 0], [0, 0.25]]),
    ("einsum('i,i->', sqrt(x), [0, 3])", [0, 4], [0, 0.75]),
    ("einsum('i,j,j->ij', sqrt(x), x, [1, 0])[1]", [0, 4], [[2, 0], [0, 0]]),
    ("outer([0, 1], sqrt(x))[1]", [0, 4], [[INF, 0], [0, 0.25]]),
    ("dot(sqrt(x), [0, 1]) * 2", [0, 4], [0, 0.5]),
    ("tensordot([[0, 1]], sqrt(x), 1)", [0, 4], [[0, 0.25]]),
    ("sum(sqrt(x) * [0, 1])", [0, 4], [0, 0.25]),
    ("mean(where(x > 0, log(x), x))", [0, 2], [0.5, 0.25]),
    ("cumsum(sqrt(x))", [4, 0], [[0.25, 0], [0.25, INF]]),
    ("cumsum(sqrt(x))[0]", [4, 0], [0.25, 0]),
    ("cumprod(sqrt(x))", [4, 0], [[0.25, 0], [0, INF]]),
    ("sqrt(cumprod(x))", [0, 4], [[INF, 0], [INF, NAN]]),
    ("roll(sqrt(x), 1)", [0, 4], [[0, 0.25], [INF, 0]]),
    ("sqrt(x).T[:, None] * ones((2, 2))", [0, 4], [[[INF, 0], [INF, 0]], [[0, 0.25], [0, 0.25]]]),
    ("prod(where(x > 0, log(x), 1))", [0, np.e], [0, 1 / np.e]),
    ("stop_gradient(sqrt(x)) * x", [0, 4], [[0, 0], [0, 2]]),
    ("(sqrt(x) if x > 0 else x) ** 2", [0, 4], [[0, 0], [0, 1]]),
    ("x ** 0 * sqrt(x)", [0, 4], [[INF, 0], [0, 0.25]]),
    ("mse(where(x > 0, sqrt(x), 0), [0, 0])", [0, 4], [0, 0.5]),
]


@pytest.mark.parametrize(("text", "x", "jacobian"), ABSORBED, ids=[a[0] for a in ABSORBED])
def test_structural_zeros_absorb(text: str, x: Any, jacobian: Any) -> None:
    s = Subject(text, {"x": np.asarray(x, float)})
    jacobian = np.asarray(jacobian, float)
    close(s.rows(forward=False)["x"], jacobian, f"{text}: reverse")
    close(s.rows(forward=True)["x"], jacobian, f"{text}: forward")
    with np.errstate(invalid="ignore"):
        close(s.gradient()["x"], jacobian.sum(axis=tuple(range(s.target.rank))), f"{text}: gradient")


# text, the point of x (and y), the Hessian of the sum over x (and y)
SECOND: list[tuple[str, dict[str, Any], Any]] = [
    ("y * sqrt(x)", {"x": 4.0, "y": 0.0}, [[0, 0.25], [0.25, 0]]),
    ("y * y * sqrt(x)", {"x": 4.0, "y": 0.0}, [[0, 0], [0, 4]]),
    ("where(x > 0, log(x), 0)", {"x": [-1.0, 2.0]}, np.diag([0, -0.25])),
    ("where(x > 0, sqrt(x), 0) * y", {"x": 0.0, "y": 3.0}, np.zeros((2, 2))),
    ("where(x > 0, sqrt(x), y)", {"x": 0.0, "y": 3.0}, np.zeros((2, 2))),
    ("where(x > 0, where(x > 5, log(x), sqrt(x)), x**2)", {"x": [-1.0, 4.0, 0.0]}, np.diag([2, -1 / 32, 2])),
    ("sum(sqrt(x)[1:])", {"x": [0.0, 4.0]}, np.diag([0, -1 / 32])),
    ("sqrt(x)[1] * y", {"x": [0.0, 4.0], "y": 2.0}, [[0, 0, 0], [0, -1 / 16, 0.25], [0, 0.25, 0]]),
    ("[0, 1] * sqrt(x)", {"x": [0.0, 4.0]}, np.diag([0, -1 / 32])),
    ("[[0, 1], [0, 2]] @ sqrt(x)", {"x": [0.0, 4.0]}, np.diag([0, -3 / 32])),
    ("einsum('i,i->', sqrt(x), [0, 3])", {"x": [0.0, 4.0]}, np.diag([0, -3 / 32])),
    ("sqrt(x)", {"x": [0.0, 4.0]}, [[-INF, 0], [0, -1 / 32]]),
    ("maximum(sqrt(x), 1)", {"x": [0.0, 4.0]}, np.diag([0, -1 / 32])),
    ("max(log(x))", {"x": [0.0, 2.0]}, np.diag([0, -0.25])),
    ("pad(sqrt(x), 1)[2:] * [1, 5]", {"x": [0.0, 4.0]}, np.diag([0, -1 / 32])),
    ("x * where(y > 0, sqrt(y), 0)", {"x": 2.0, "y": 4.0}, [[0, 0.25], [0.25, -1 / 16]]),
    ("exp(y) * where(x > 0, log(x), 0)", {"x": 0.0, "y": 1.0}, np.zeros((2, 2))),
    ("1 / relu((1 / x)[None] @ (1 / x)[:, None])", {"x": [1.0, 1.0]}, [[-0.5, 1], [1, -0.5]]),
]


@pytest.mark.parametrize(("text", "point", "expected"), SECOND, ids=[c[0] for c in SECOND])
def test_structural_zeros_absorb_at_second_order(text: str, point: dict[str, Any], expected: Any) -> None:
    s = Subject(text, {n: np.asarray(a, float) for n, a in point.items()})
    sizes = {n: a.size for n, a in s.point.items()}
    for which, found in (("hessian", s.hessian()), ("reverse over reverse", s.hessian_by_reverse())):
        blocks = [[_matrix(found[a, b], sizes[a], sizes[b]) for b in sizes] for a in sizes]
        close(np.block(blocks), np.asarray(expected, float), f"{text}: {which}")


def _matrix(block: Any, n: int, m: int) -> Any:
    """By reverse mode over the gradient, None where the gradient does not depend on the source: 0."""
    return np.zeros((n, m)) if block is None else np.reshape(block, (n, m))


@MODES
def test_a_numeric_zero_does_not_absorb(forward: bool) -> None:
    """0 times an infinity is NaN unless the structure says that the zero is one."""
    close(rows("x * sqrt(y)", forward, x=0.0, y=0.0)["y"], NAN, "x is 0 here, and need not be")
    close(rows("x * sqrt(y)", forward, {"y": 0.0}, x=3.0)["x"], 0.0, "sqrt(0)")
    close(rows("sqrt(x * x)", forward, x=0.0)["x"], NAN, "2x times inf")


@MODES
def test_a_weight_of_zero_absorbs(forward: bool) -> None:
    s = Subject("sqrt(x)", {"x": np.array([0.0, 4.0])})
    close(s.gradient(np.array([0.0, 2.0]))["x"], [0, 0.5], "weights [0, 2]")
    close(s.gradient(np.array([0.0, 0.0]))["x"], [0, 0], "weights [0, 0]")
    close(s.gradient(np.array(0.0))["x"], [0, 0], "weight 0")
    close(s.rows(forward=forward)["x"], [[INF, 0], [0, 0.25]], "rows")


def test_masks_cost_nothing_where_all_is_tame() -> None:
    """The ordinary case does not pay: no masked op where nothing can be infinite."""
    s = Subject("sum(where(x > 0, tanh(x @ w), sin(x @ w))[1:] * [0, 1])", {"x": np.ones((2, 2)), "w": np.ones((2, 2))})
    for forward in (False, True):
        jacobian_nodes(s.graph, s.target, s.sources, forward=forward)
    hessian_nodes(s.graph, {"y": s.target}, s.sources, {})
    used = {node.op.name for node in s.graph.definitions if node is not None}
    assert not used & {"masked_mul", "masked_contract", "logical_and", "logical_or"}


# -- paths -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "5",
        "y",
        "stop_gradient(x) * y",
        "where(x > 0, y, 2 * y)",
        "argmax([x, y])",
        "zeros_like(x) + y",
        "y[[0, 0]][0]",
        "one_hot(x, 3) * y",
        "(x > 0) * y",
        "isnan(x) * y",
        "y if x > 0 and x < 9 else 1",
    ],
)
def test_unconnected(text: str) -> None:
    """None in every question, whatever the numbers are."""
    point = {"x": np.array(1.0), "y": np.array([1.0]) if "[[" in text else np.array(2.0)}
    s = Subject(text, point)
    assert s.gradient()["x"] is None
    assert s.rows(forward=False)["x"] is None
    assert s.rows(forward=True)["x"] is None
    assert s.hessian()["x", "x"] is None
    assert s.hessian()["x", "y"] is None
    assert s.hessian()["y", "x"] is None


@pytest.mark.parametrize(
    "text",
    [
        "x - x",
        "0 * x",
        "x ** 0",
        "floor(x)",
        "sign(x)",
        "heaviside(x, 0)",
        "x // 3",
        "round(x) * 2",
        "x[:0]",
        "where(x > 0, 0 * x, 1)",
        "sum(x * [0, 0])",
        "clip(x, 2, 3)",
        "relu(-x)",
        "stop_gradient(x) * (x - x)",
    ],
)
def test_connected_and_zero(text: str) -> None:
    """0, not None: a path exists, whatever its derivative is."""
    s = Subject(text, {"x": np.array([1.0, 1.0])})
    for found in (s.gradient()["x"], s.rows(forward=False)["x"], s.rows(forward=True)["x"], s.hessian()["x", "x"]):
        assert found is not None
        assert not found.any()
    assert s.rows(forward=True)["x"].shape == (*s.target.shape, 2)


def test_second_derivatives_that_are_zero_are_not_none() -> None:
    """A block is None only if one of its sources is unconnected."""
    s = Subject("x * 2 + y ** 2 + 0 * z", {"x": np.ones(2), "y": np.ones(2), "z": np.ones(2), "u": np.ones(2)})
    found = s.hessian()
    assert {pair for pair, block in found.items() if block is None} == {p for p in found if "u" in p}
    close(found["x", "y"], np.zeros((2, 2)), "x, y")
    close(found["y", "y"], 2 * np.eye(2), "y, y")
    close(found["z", "x"], np.zeros((2, 2)), "z, x")


def test_the_driver_tells_zero_from_none() -> None:
    s = Subject("floor(x) + y", {"x": np.ones(2), "y": np.ones(2), "u": np.ones(2)})
    seed = identity_seed(s.graph, (2,))
    back = vjp(s.graph, {s.target: seed}, s.sources.values())
    kinds = {name: type(back[v]) for name, v in s.sources.items()}
    assert kinds == {"x": Zero, "y": Tangent, "u": type(None)}
    ahead = {name: type(jvp(s.graph, {v: seed}, [s.target])[s.target]) for name, v in s.sources.items()}
    assert ahead == kinds


def test_x_times_its_frozen_self() -> None:
    s = Subject("x * stop_gradient(x) * stop_gradient(x * y)", {"x": np.array(3.0), "y": np.array(2.0)})
    close(s.gradient()["x"], 3.0 * 6.0, "the first factor alone")
    assert s.gradient()["y"] is None
    close(s.hessian()["x", "x"], 0.0, "second")


# -- sums, and targets -------------------------------------------------------------------------------------------------


def test_a_value_used_often() -> None:
    s = Subject("x * x * x + sin(x) / x - x", {"x": np.array([0.5, 2.0])})
    oracle.check_all(s)


def test_broadcasting_sums_every_axis() -> None:
    s = Subject("x * y * z", {"x": np.array(2.0), "y": np.ones((3, 1)), "z": np.ones((2, 1, 4))})
    close(s.gradient()["x"], 24.0, "x")
    close(s.gradient()["y"], np.full((3, 1), 16.0), "y")
    close(s.gradient()["z"], np.full((2, 1, 4), 6.0), "z")


PROBLEM = {"sources": {"x": [1.0, 2.0]}, "targets": {"a": "x * x", "b": "x * x", "c": "sum(x)"}}


def test_two_targets_that_are_one_node() -> None:
    """Their seeds add up, weighted or not."""
    assert gradcli.grad(PROBLEM).gradient["x"].tolist() == [5.0, 9.0]  # type: ignore[union-attr]
    found = gradcli.compare(PROBLEM, output_gradients={"a": [1, 0], "b": 3, "c": -1})
    assert found.gradient["x"].tolist() == [2 + 6 - 1, 12 - 1]  # type: ignore[union-attr]
    assert found.match
    assert gradcli.hessian(PROBLEM).hessian["x"]["x"].tolist() == [[4, 0], [0, 4]]  # type: ignore[union-attr]


def test_a_target_that_is_a_source() -> None:
    s = Subject("x", {"x": np.array([1.0, 2.0]), "y": np.array(0.0)})
    for forward in (False, True):
        close(s.rows(forward=forward)["x"], np.eye(2), "dx/dx")
    close(s.gradient(np.array([3.0, -1.0]))["x"], [3, -1], "weights")
    close(s.hessian()["x", "x"], np.zeros((2, 2)), "second")


def test_targets_of_several_shapes() -> None:
    problem = {"sources": {"x": [[1.0, 2.0]]}, "targets": {"a": "x.T", "b": "sum(x)**2", "c": "x @ x.T"}}
    found = gradcli.compare(problem, output_gradients={"b": 0.5})
    assert found.match
    assert found.gradient["x"].tolist() == [[1 + 3 + 2, 1 + 3 + 4]]  # type: ignore[union-attr]
    shapes = {t: b["x"].shape for t, b in found.jacobian.items()}  # type: ignore[union-attr]
    assert shapes == {"a": (2, 1, 1, 2), "b": (1, 2), "c": (1, 1, 1, 2)}


@pytest.mark.parametrize("weight", [[0.0, 2.0], [0.0, 0.0], [1.0, 1.0], [-1.0, 0.5]])
def test_weights_with_zeros(weight: list[float]) -> None:
    problem = {"sources": {"x": [0.5, 2.0]}, "targets": {"y": "sqrt(x) * x", "z": "exp(x)"}}
    found = gradcli.compare(problem, output_gradients={"y": weight})
    x = np.array([0.5, 2.0])
    close(found.gradient["x"], np.array(weight) * 1.5 * np.sqrt(x) + np.exp(x), "gradient")
    assert found.match


def test_empty_arrays() -> None:
    s = Subject("x * 2", {"x": np.zeros((0, 3))})
    close(s.gradient()["x"], np.zeros((0, 3)), "gradient")
    for forward in (False, True):
        close(s.rows(forward=forward)["x"], np.zeros((0, 3, 0, 3)), "rows")
    close(Subject("sum(x)", {"x": np.zeros((0, 3))}).value, 0.0, "value")


@pytest.mark.parametrize("shape", [(3, 0), (0, 3)])
@pytest.mark.parametrize(
    "text", ["softmax(x)", "log_softmax(x)", "norm(x)", "norm(x, axis=1)", "cumprod(x, axis=1)", "sort(x)"]
)
def test_empty_axes(text: str, shape: tuple[int, int]) -> None:
    """Along an axis without entries there is nothing to compute, and nothing fails."""
    found = gradcli.compare({"sources": {"x": np.zeros(shape)}, "targets": text})
    assert found.gradient["x"] is not None
    assert (found.gradient["x"].shape, found.match) == (shape, True)
    assert not found.targets["y"].any()


@pytest.mark.parametrize(("text", "slope"), [("where(1 > 0, 0, x)", 0.0), ("where(1 > 2, 0, x)", 1.0)])
def test_a_condition_of_numbers(text: str, slope: float) -> None:
    """It chooses as one of arrays does."""
    found = gradcli.grad({"sources": {"x": [1.0, 2.0]}, "targets": text})
    np.testing.assert_array_equal(found.targets["y"], np.array([1.0, 2.0]) * slope)
    np.testing.assert_array_equal(found.gradient["x"], [slope, slope])


# -- intermediates as sources ------------------------------------------------------------------------------------------


def chained() -> Subject:
    """x -> h = x**2 -> k = sin(h) * x -> y = h * k."""
    lets = {"h": "x ** 2", "k": "sin(h) * x"}
    return Subject("h * k", {"x": np.array(1.3)}, lets=lets, sources=["x", "h", "k"])


def test_an_intermediate_is_held_as_a_source() -> None:
    """By a let: all else that comes before it is fixed; its own sources still get their total derivative."""
    x = 1.3
    h, k = x**2, np.sin(x**2) * x
    for forward in (False, True):
        found = chained().rows(forward=forward)
        close(found["k"], h, "k")
        close(found["h"], k + h * np.cos(h) * x, "h")
        close(found["x"], 2 * x * (k + h * np.cos(h) * x) + h * np.sin(h), "x")
    close(chained().gradient()["x"], found["x"], "gradient")


def test_second_derivatives_by_intermediates() -> None:
    """Of a pair, the gradient by the later value is differentiated by the earlier one."""
    x = 1.3
    h = x**2
    found = chained().hessian()
    close(found["k", "h"], 1.0, "d(y/dk = h)/dh")
    close(found["h", "k"], 1.0, "the same, swapped")
    close(found["k", "x"], 2 * x, "d(h)/dx")
    close(found["k", "k"], 0.0, "k, k")
    close(found["h", "h"], 2 * np.cos(h) * x - h * np.sin(h) * x, "h, h")


def test_a_let_that_equals_another() -> None:
    """Two lets of one formula are two sources."""
    s = Subject("a * b", {"x": np.array(3.0)}, lets={"a": "x * x", "b": "x * x"}, sources=["x", "a", "b"])
    close(s.gradient()["a"], 9.0, "a")
    close(s.gradient()["b"], 9.0, "b")
    close(s.gradient()["x"], 108.0, "x")
    assert s.sources["a"] is not s.sources["b"]


@MODES
def test_a_let_that_the_target_does_not_use(forward: bool) -> None:
    s = Subject("x", {"x": np.array(3.0)}, lets={"a": "x * x"}, sources=["x", "a"])
    assert s.rows(forward=forward)["a"] is None
    assert s.hessian()["a", "x"] is None


def test_let_blocks_in_the_api() -> None:
    problem = {"sources": {"w": [1.0, 2.0]}, "let": {"z": "w * w"}, "targets": "sum(z ** 3)"}
    found = gradcli.hessian(problem, sources=["w", "z"]).hessian
    close(found["z"]["z"], np.diag([6.0, 24.0]), "z, z")
    close(found["z"]["w"], np.diag([6 * 1 * 2, 6 * 4 * 4.0]), "d(3 z**2)/dw")
    close(found["w"]["z"], np.transpose(found["z"]["w"]), "swapped")


# -- nesting -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "third"),
    [("x ** 5", 60 * 1.5**2), ("exp(2 * x)", 8 * np.exp(3)), ("sin(x)", -np.cos(1.5)), ("1 / x", -6 / 1.5**4)],
)
def test_third_order(text: str, third: float) -> None:
    """The gradient of the gradient of the gradient, by all three orders of modes."""
    s = Subject(text, {"x": np.array(1.5)})
    g, x = s.graph, s.inputs["x"]

    def reverse(v: Any) -> Any:
        return gradient_nodes(g, {"y": v}, {"x": x}, {})["x"]

    def forward(v: Any) -> Any:
        return dense(g, jvp(g, {x: plain(g.literal(1.0), ())}, [v])[v])  # type: ignore[arg-type]

    routes = [(reverse, reverse, reverse), (reverse, forward, reverse), (forward, reverse, forward), (forward,) * 3]
    for a, b, c in routes:
        close(s.numbers({"t": c(b(a(s.target)))})["t"], third, text)


def test_third_order_of_matrices() -> None:
    """The Hessian's own gradient: differences of the Hessian along a direction."""
    rng = np.random.default_rng(0)
    s = Subject("sum(tanh(x @ w) ** 2)", {"x": rng.normal(size=(2, 3)), "w": rng.normal(size=(3, 2))})
    blocks = hessian_nodes(s.graph, {"y": s.target}, s.sources, {})
    node = blocks["x", "w"]
    assert node is not None
    (expected,) = s.differences([node])
    found = s.numbers(jacobian_nodes(s.graph, node, s.sources, forward=False))
    close(s.times_direction(found, node.rank), expected, "third order")
    found = s.numbers(jacobian_nodes(s.graph, node, s.sources, forward=True))
    close(s.times_direction(found, node.rank), expected, "third order, forward")


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("tanh(x @ w + b) @ v", {"x": (3, 2), "w": (2, 3), "b": (3,), "v": (3,)}),
        ("sum(softmax(x @ w) * log_softmax(x @ w))", {"x": (2, 3), "w": (3, 2)}),
        ("where(x > 0.75, x * y, sin(x) / y)", {"x": (4,), "y": (4,)}),
        ("norm(x - mean(x, axis=0), axis=1)", {"x": (3, 2)}),
        ("(x - mean(x, -1, True)) / (std(x, -1, True) + 1)", {"x": (2, 3)}),
        ("logsumexp(x[:, None] + x[None], axis=1)", {"x": (3,)}),
        ("cumprod(x) / cumsum(x)", {"x": (4,)}),
        ("trace(inv(x + 3 * eye(2)) @ x)", {"x": (2, 2)}),
        ("sum(einsum('ij,kj->ik', x, x) ** 2)", {"x": (2, 3)}),
        ("prod(concatenate([x, x[::-1] ** 2]))", {"x": (3,)}),
        ("max(x, axis=0) * min(x, axis=0) + sort(x, axis=0)[1]", {"x": (3, 2)}),
        ("pad(x, 1)[1:] * roll(x[[0, 0, 1, 2]], 1)", {"x": (3,)}),
        ("take_along_axis(x * x, [[0], [1]], 1) ** 2", {"x": (2, 2)}),
    ],
)
def test_compositions(text: str, shapes: dict[str, tuple[int, ...]]) -> None:
    rng = oracle.generator(text)
    oracle.check_all(Subject(text, {n: rng.uniform(0.5, 1.5, shape) for n, shape in shapes.items()}))


def test_an_infinite_number_meets_a_constant_zero_of_a_matrix() -> None:
    """x / 0 is infinite by its text alone: also then a zero of a constant factor absorbs, in both modes."""
    constants = {"A": [[0.0, 1.0], [2.0, 0.0]]}
    problem = load({"sources": {"x": [1.0, 2.0]}, "constants": constants, "targets": "(A @ x) / 0"})
    program = assemble(problem, ["y"], ["x"])
    for forward in (False, True):
        node = jacobian_nodes(program.graph, program.targets["y"], program.sources, forward=forward)["x"]
        (rows,) = compile_graph(program.graph, list(program.inputs.values()), [node])(*program.point)
        np.testing.assert_array_equal(rows, [[0.0, np.inf], [np.inf, 0.0]])
