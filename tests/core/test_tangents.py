"""Links and masks: what a (co)tangent keeps, and what it makes when it has to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.core.compile import compile_graph
from gradcli.core.differentiate import vjp
from gradcli.core.families import Partial
from gradcli.core.graph import Graph
from gradcli.core.nodes import Literal, Value
from gradcli.core.shapes import size
from gradcli.core.tangents import (
    ZERO,
    Tangent,
    add_tangents,
    constant_zeros,
    dense,
    full,
    identity_seed,
    lift,
    plain,
    scale,
    sum_axes,
    unlink,
)
from gradcli.derive import jacobian_nodes
from tests.oracle import Subject, close

MODES = pytest.mark.parametrize("forward", [False, True], ids=["reverse", "forward"])


def numbers(g: Graph, v: Value) -> Any:
    return compile_graph(g, [], [v])()[0]


def eye(*shape: int) -> Any:
    n = size(shape)
    return np.eye(n).reshape(shape + shape)


# -- seeds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (2, 1, 3), (0,)])
def test_identity_seed(shape: tuple[int, ...]) -> None:
    """Stored as the number 1; written out only on demand."""
    g = Graph()
    seed = identity_seed(g, shape)
    assert isinstance(seed.value, Literal)
    assert len(g) == 1
    close(numbers(g, dense(g, seed)), eye(*shape), "identity")


def test_lead_and_full_shape() -> None:
    t = Tangent(Graph().input((4, 2, 3)), (2, 3), (2, 4), (0, None))
    assert t.lead == (1,)
    assert t.full_shape == (4, 2, 3)


def test_dense_of_a_partly_linked_tangent() -> None:
    """dims (2, 4), shape (2, 3), the first axes linked: zero where they differ."""
    g = Graph()
    stored = np.arange(24.0).reshape(4, 2, 3)
    t = Tangent(g.constant(stored), (2, 3), (2, 4), (0, None))
    expected = np.zeros((2, 4, 2, 3))
    for i in range(2):
        expected[i, :, i] = stored[:, i]
    close(numbers(g, dense(g, t)), expected, "dense")


def test_unlink_keeps_the_zeros_as_a_mask() -> None:
    g = Graph()
    t = Tangent(g.constant(np.array([1.0, np.inf])), (2,), (2,), (0,))
    made = unlink(g, t, [-1], keep_mask=True)
    assert made.links == (None,)
    assert made.mask is not None
    close(numbers(g, made.value), [[1, 0], [0, np.inf]], "value")
    assert np.array_equal(np.broadcast_to(numbers(g, made.mask), (2, 2)), np.eye(2))
    assert unlink(g, t, [-1], keep_mask=False).mask is None


def test_sum_over_a_linked_axis_only_sets_it_free() -> None:
    """The sum of a diagonal over its columns is the diagonal: it is laid out anew, and nothing is added up."""
    g = Graph()
    t = sum_axes(g, Tangent(g.constant(np.arange(3.0)), (3,), (3,), (0,)), [-1], keepdims=False)
    assert (t.shape, t.links, t.lead) == ((), (), (0,))
    assert {node.op.name for node in g.definitions if node is not None} <= {"reshape"}
    assert numbers(g, t.value).tolist() == [0, 1, 2]


def test_sum_over_an_axis_that_is_stored_once_multiplies() -> None:
    g = Graph()
    t = sum_axes(g, plain(g.literal(1.0), (4, 5)), [-2, -1], keepdims=False)
    assert isinstance(t.value, Literal)
    assert t.value.number == 20


def test_lift_stretches_without_storing() -> None:
    g = Graph()
    v = g.constant(np.arange(3.0))
    t = lift(g, Tangent(v, (3,), (), (None,)), (2, 3))
    assert t.shape == (2, 3)
    assert t.value.shape == (1, 3)
    close(numbers(g, full(g, t)), np.broadcast_to(np.arange(3.0), (2, 3)), "lift")


def test_add_keeps_the_links_that_both_have() -> None:
    g = Graph()
    a = Tangent(g.constant(np.array([1.0, 2.0])), (2,), (2,), (0,))
    assert add_tangents(g, a, a, keep_mask=False).links == (0,)
    b = Tangent(g.constant(np.array([[1.0, 2.0], [3.0, 4.0]])), (2,), (2,), (None,))
    made = add_tangents(g, a, b, keep_mask=False)
    assert made.links == (None,)
    close(numbers(g, dense(g, made)), [[2, 2], [3, 6]], "sum")


def test_constant_zeros() -> None:
    g = Graph()
    some = constant_zeros(g, g.constant(np.array([1.0, 0.0])))
    assert some is not None
    assert numbers(g, some).tolist() == [True, False]
    assert constant_zeros(g, g.constant(np.array([1.0, 2.0]))) is None
    assert constant_zeros(g, g.input((2,))) is None


def test_zero_prints_itself() -> None:
    assert repr(ZERO) == "ZERO"


# -- no identity matrix is ever multiplied ----------------------------------------------------------------------------


def is_identity(g: Graph, v: Value) -> bool:
    """Whether a value is known to be an identity matrix, in whatever number of axes."""
    if g.varying[v.index] or isinstance(v, Literal):
        return False
    a = np.squeeze(numbers(g, v)) if v.index not in g.data else np.squeeze(g.data[v.index])
    n = round(a.size**0.5)
    return n > 1 and n * n == a.size and np.array_equal(a.reshape(n, n), np.eye(n))


def products(g: Graph, since: int) -> list[tuple[Value, Any]]:
    """The products among the nodes made since."""
    kinds = {"mul", "masked_mul", "contract", "masked_contract"}
    pairs = list(zip(g.values, g.definitions, strict=True))[since:]
    return [(v, node) for v, node in pairs if node is not None and node.op.name in kinds]


@MODES
def test_an_identity_is_never_multiplied(forward: bool) -> None:
    """tanh(A @ x + b): the block by x is one product of A with a vector."""
    rng = np.random.default_rng(0)
    point = {"A": rng.normal(size=(4, 4)), "x": rng.normal(size=4), "b": rng.normal(size=4)}
    s = Subject("tanh(A @ x + b)", point)
    since = len(s.graph)
    jacobian_nodes(s.graph, s.target, s.sources, forward=forward)
    made = products(s.graph, since)
    assert not any(is_identity(s.graph, a) for _, node in made for a in node.args)
    y = np.tanh(point["A"] @ point["x"] + point["b"])
    slope = 1 - y**2
    rows = s.rows(forward=forward)
    close(rows["x"], slope[:, None] * point["A"], "by x")
    close(rows["b"], np.diag(slope), "by b")
    close(rows["A"], np.einsum("i,ij,k->ijk", slope, np.eye(4), point["x"]), "by A")


@MODES
def test_the_block_of_a_layer_costs_one_product(forward: bool) -> None:
    s = Subject("tanh(A @ x + b)", {"x": np.ones(5)}, {"A": np.ones((4, 5)), "b": np.ones(4)})
    since = len(s.graph)
    jacobian_nodes(s.graph, s.target, s.sources, forward=forward)
    (only,) = products(s.graph, since)
    value, node = only
    assert value.rank == 2
    assert sorted(a.rank for a in node.args) == [1, 2]


@MODES
@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("sin(x) * exp(x) + x / (1 + x**2)", {"x": (4,)}),
        ("sigmoid(x @ w)", {"x": (3, 2), "w": (2, 4)}),
        ("softmax(x @ w)", {"x": (3, 2), "w": (2, 4)}),
        ("relu(x) * y", {"x": (3,), "y": (2, 3)}),
        ("(x @ w) @ x.T", {"x": (3, 3), "w": (3, 3)}),
        ("cumsum(x) * sort(x)", {"x": (4,)}),
        ("concatenate([x, 2 * x])[::2]", {"x": (4,)}),
    ],
)
def test_nor_in_other_expressions(text: str, shapes: dict[str, tuple[int, ...]], forward: bool) -> None:
    rng = np.random.default_rng(0)
    s = Subject(text, {name: rng.uniform(0.5, 1, shape) for name, shape in shapes.items()})
    since = len(s.graph)
    jacobian_nodes(s.graph, s.target, s.sources, forward=forward)
    assert not any(is_identity(s.graph, a) for _, node in products(s.graph, since) for a in node.args)


# -- a batch of independent rows stays linear in the batch ------------------------------------------------------------


BATCHED = [
    ("tanh(X @ W)", (3,), {"W": (3, 2)}, 3 * 2),
    ("softmax(X)", (3,), {}, 3 * 3),
    ("tanh(tanh(X @ W) @ V)", (3,), {"W": (3, 4), "V": (4, 2)}, 3 * 4 * 2),
    ("log_softmax(relu(X @ W + b))", (3,), {"W": (3, 2), "b": (2,)}, 3 * 4),
    ("sum(exp(X), axis=-1)", (3,), {}, 3),
    ("max(X * X, axis=1)", (3,), {}, 3),
    ("X[:, 1] * sum(X, axis=1)", (3,), {}, 3),
    ("sort(X, axis=1)", (3,), {}, 9),
    ("inv(X)", (2, 2), {}, 16),
]


@pytest.mark.parametrize(("text", "shape", "others", "per_row"), BATCHED, ids=[b[0] for b in BATCHED])
def test_rows_of_a_batch_keep_their_link(text: str, shape: Any, others: Any, per_row: int) -> None:
    """The largest node that reverse mode makes grows with the batch, not with its square, and the link is kept."""
    rng = np.random.default_rng(0)
    largest = []
    for batch in (8, 16):
        X = rng.uniform(0.5, 1, (batch, *shape)) + (3 * np.eye(2) if shape == (2, 2) else 0)
        s = Subject(text, {"X": X}, {n: rng.normal(size=sh) for n, sh in others.items()})
        seed = {s.target: identity_seed(s.graph, s.target.shape)}
        since = len(s.graph)
        (t,) = vjp(s.graph, seed, s.sources.values()).values()
        assert isinstance(t, Tangent)
        assert t.links[0] == 0
        largest.append(max(size(v.shape) for v in s.graph.values[since:]))
        assert largest[-1] <= 2 * batch * per_row
    assert largest[1] <= 2 * largest[0]


def test_a_batch_against_its_examples() -> None:
    rng = np.random.default_rng(1)
    X, W = rng.normal(size=(5, 3)), rng.normal(size=(3, 2))
    whole = Subject("tanh(X @ W)", {"X": X}, {"W": W})
    for forward in (False, True):
        block = whole.rows(forward=forward)["X"]
        for i in range(5):
            for j in range(5):
                one = Subject("tanh(x @ W)", {"x": X[i]}, {"W": W}).rows(forward=False)["x"]
                close(block[i, :, j], one if i == j else np.zeros_like(one), f"rows of {i} by {j}")


def test_a_number_times_a_number_is_one_under_a_mask_too() -> None:
    """So that a run in single precision multiplies no Python floats, which would make float64 of it."""
    g = Graph()
    mask = g.input((2,), "bool")
    made = scale(g, plain(g.literal(2.0), (2,), mask), Partial(g.literal(-np.inf)), ahead_wild=True)
    assert isinstance(made, Tangent)
    found = g.definition(made.value)
    assert found is not None
    assert found.op.name == "where"
    assert compile_graph(g, [mask], [made.value])(np.array([True, False]))[0].tolist() == [-np.inf, 0.0]
