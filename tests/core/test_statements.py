"""Statements: fewer than assignments, with the same numbers, and no value that is large lives longer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.core import kernels, schedule
from gradcli.core import statements as writer
from gradcli.core.compile import _steps, compile_graph
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.elementwise import ELEMENTWISE, add, mul, sin, where
from gradcli.core.ops.pieces import relu
from gradcli.core.ops.shape import reshape
from gradcli.core.statements import statements


def printed(g: Graph, inputs: list[Value], outputs: list[Value]) -> list[str]:
    steps = _steps(g, g.ancestors(outputs), inputs, outputs)
    return [
        f"del {value.name}" if made is None else f"{value.name} = {made._numpycode(None)}"
        for value, made in statements(steps, outputs)
    ]


def test_a_small_chain_is_few_statements() -> None:
    """What is used once is written into its user, and a dead name is used again."""
    g = Graph()
    x = g.input(())
    y = sin(g, mul(g, add(g, x, x), x))
    z = mul(g, add(g, y, y), x)
    w = mul(g, z, z)
    assert printed(g, [x], [w]) == ["v3 = sin((v0 + v0) * v0)", "v3 = (v3 + v3) * v0", "v6 = v3 * v3"]


def test_large_values_are_deleted_at_once() -> None:
    """Where an operand that is large dies, its user is a statement of its own. An input never dies."""
    g = Graph()
    x = g.input((1000,))
    y = sin(g, sin(g, sin(g, x)))
    assert printed(g, [x], [y]) == ["v2 = sin(sin(v0))", "v3 = sin(v2)", "del v2"]


def test_an_operand_that_is_read_twice_is_computed_once() -> None:
    g = Graph()
    x, c = g.input(()), g.input(())
    y = ELEMENTWISE["xlogy"](g, add(g, x, c), x)
    assert printed(g, [x, c], [y]) == ["v2 = v0 + v1", "v3 = where(v2 == 0, 0.0, v2 * log(v0))"]


def test_brackets_keep_the_order_of_operations() -> None:
    """a - (b + c) and a / (b * c) need them, (a - b) + c and a * b + c do not."""
    g = Graph()
    a, b, c = (g.input(()) for _ in range(3))
    op = ELEMENTWISE
    left = op["sub"](g, a, op["add"](g, b, c)), op["div"](g, a, op["mul"](g, b, c))
    right = add(g, op["sub"](g, a, b), c), add(g, mul(g, a, b), c), op["neg"](g, op["div"](g, op["div"](g, a, b), c))
    assert [line.split(" = ")[1] for line in printed(g, [a, b, c], [*left, *right])] == [
        "v0 - (v1 + v2)",
        "v0 / (v1 * v2)",
        "v0 - v1 + v2",
        "v0 * v1 + v2",
        "(-(v0 / v1 / v2))",
    ]


@pytest.mark.parametrize("seed", range(60))
def test_the_same_numbers_as_one_assignment_each(seed: int) -> None:
    """Random graphs of small and large values, against each op applied to the values of its operands."""
    random = np.random.default_rng(seed)
    g = Graph()
    inputs = [g.input(()), g.input((3,)), g.input((300,)), g.input((1,))]
    point = [np.asarray(random.uniform(0.1, 1, v.shape)) for v in inputs]
    made = dict(zip([v.index for v in inputs], point, strict=True))
    ops: dict[str, Any] = {
        "add": np.add,
        "mul": np.multiply,
        "hypot": np.hypot,
        "sub": np.subtract,
        "div": np.divide,
        "sin": np.sin,
        "neg": np.negative,
    }
    for _ in range(150):
        name = str(random.choice(list(ops)))
        recent = [v for v in g.values[-int(random.integers(1, 12)) :] if v.index in made] or inputs
        a = recent[int(random.integers(len(recent)))]
        like = [v for v in recent if v.shape in (a.shape, ())]
        b = like[int(random.integers(len(like)))]
        args = (a,) if name in ("sin", "neg") else (a, b)
        v = ELEMENTWISE[name](g, *args)
        with np.errstate(all="ignore"):
            made[v.index] = ops[name](*[made[x.index] for x in args])
        if v.shape == (3,) and random.random() < 0.3:
            w = reshape(g, v, (3, 1))
            made[w.index] = made[v.index].reshape(3, 1)
    last = [v for v in g.values if v.index in made]
    outputs = [last[int(k)] for k in random.choice(len(last), 3)] + [last[-1]]
    for found, v in zip(compile_graph(g, inputs, outputs)(*point), outputs, strict=True):
        assert np.array_equal(found, made[v.index], equal_nan=True)


# -- memory that is used again ----------------------------------------------------------------------------------------


@pytest.fixture
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever has a shape counts as large."""
    monkeypatch.setattr(writer, "LARGE", 1)
    monkeypatch.setattr(schedule, "LARGE", 1)
    monkeypatch.setattr(writer, "_SMALL", 0)


@pytest.mark.usefixtures("nothing_is_small")
@pytest.mark.parametrize("seed", range(60))
def test_the_same_numbers_where_memory_is_used_again(seed: int) -> None:
    test_the_same_numbers_as_one_assignment_each(seed)


def test_a_large_value_takes_the_memory_of_a_dead_operand() -> None:
    """Not of an input, nor of what a reshape still looks at, nor of what has another shape."""
    g = Graph()
    x, row = g.input((100, 100)), g.input((100,))
    a = add(g, x, row)
    b = mul(g, a, sin(g, a))
    looks = reshape(g, b, (10000,))
    c = add(g, b, b)
    assert printed(g, [x, row], [looks, c]) == [
        "v2 = v0 + v1",
        "v3 = sin(v2)",
        "v4 = multiply(v2, v3, out=v2)",
        "del v2",
        "del v3",
        "v5 = v4.reshape((10000,))",
        "v6 = v4 + v4",
        "del v4",
    ]


_BY_ORDER = ("polygamma", "sinc_derivative")


@pytest.mark.parametrize("name", sorted(n for n, op in ELEMENTWISE.items() if op.fresh and n not in _BY_ORDER))
def test_a_fresh_value_shares_no_memory_with_an_operand(name: str) -> None:
    """Also where the function could give its operand back as it is. Orders are no arrays."""
    op = ELEMENTWISE[name]
    for number in (0.0, 0.5, 1.0):
        g = Graph()
        args = [g.input((3,), "bool" if letter == "c" else "float") for letter in op.operands]
        given = [np.full(3, number > 0) if a.kind == "bool" else np.full(3, number) for a in args]
        (found,) = compile_graph(g, args, [op(g, *args)])(*given)
        assert not any(np.shares_memory(found, a) for a in given)


def test_a_condition_frees_a_large_value() -> None:
    """It is computed before what else needs the value, which can then die."""
    g = Graph()
    x = g.input((100, 100))
    a = sin(g, x)
    b = add(g, a, g.literal(1.0))
    late = ELEMENTWISE["greater"](g, a, g.literal(0.0))
    order = schedule.scheduled(g, g.ancestors([b, late]))
    assert [g.values[i] for i in order if g.definitions[i] is not None] == [a, late, b]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_kept_is_kept_to_the_bit(dtype: str) -> None:
    """Also NaN, infinities and -0; what is not kept is 0 whatever it was. Masks of other shapes are broadcast."""
    x = np.array([[1.5, -0.0, np.inf, np.nan], [-2.5, -np.inf, np.nan, 0.0]], dtype)
    for mask in (x > 1, np.array([True, False, True, False]), np.array([[True], [False]]), np.array(True)):
        found = kernels.kept(mask, x)
        expected = np.where(mask, x, np.zeros((), dtype))
        assert found.dtype == x.dtype
        assert found.tobytes() == expected.tobytes()


def test_a_call_with_more_than_the_operands_writes_into_one() -> None:
    """Where a condition chooses between a value and 0, and where a number stands in the text of the function; not where
    the value is a condition."""
    g = Graph()
    x, row, c = g.input((100, 100)), g.input((100,)), g.input((100, 100), "bool")
    a = add(g, x, row)
    b = relu(g, a)
    kept = where(g, c, b, g.literal(0.0))
    flag = ELEMENTWISE["isnan"](g, kept)
    assert printed(g, [x, row, c], [flag]) == [
        "v3 = v0 + v1",
        "v4 = maximum(v3, 0.0, out=v3)",
        "del v3",
        "v3 = kept(v2, v4, out=v4)",
        "del v4",
        "v7 = isnan(v3)",
        "del v3",
    ]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_kept_is_written_into_an_operand(dtype: str) -> None:
    """Also into the array itself, and not into one of another dtype."""
    x = np.array([[1.5, -np.inf, np.nan], [-0.0, 2.0, 3.0]], dtype)
    mask = np.array([True, False, True])
    expected = np.where(mask, x, np.zeros((), dtype))
    other = np.ones(x.shape, "float32" if dtype == "float64" else "float64")
    assert kernels.kept(mask, x, out=other).tobytes() == expected.tobytes()
    assert other.all()
    found = kernels.kept(mask, x, out=x)
    assert np.shares_memory(found, x)
    assert x.tobytes() == found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sin", True), ("multiply", True), ("kept", True), ("where", False), ("matmul", False), ("softmax", False)],
)
def test_only_what_works_entry_by_entry_is_told_where_to_write(name: str, expected: bool) -> None:
    assert kernels.takes_out(name) is expected


def test_a_condition_of_what_is_given() -> None:
    """A condition that was computed before keeps its place, and so does what follows from it."""
    g = Graph()
    x = g.input((100, 100))
    a = sin(g, x)
    known = ELEMENTWISE["greater"](g, a, g.literal(0.0))
    other = ELEMENTWISE["isnan"](g, a)
    both = ELEMENTWISE["logical_and"](g, known, other)
    (found,) = compile_graph(g, [known, other], [both])(np.ones((100, 100), bool), np.ones((100, 100), bool))
    assert found.all()


def test_a_condition_on_a_large_constant() -> None:
    """What of it is known already is not computed again."""
    file = {
        "sources": {"x": np.ones(9000)},
        "constants": {"c": np.linspace(-1.0, 1.0, 9000)},
        "targets": "where((exp(c) > 1) & (c < 0.5), x**2, 1 / x)",
    }
    c = file["constants"]["c"]  # type: ignore[index]
    expected = np.where((c > 0) & (c < 0.5), 2.0, -1.0)
    np.testing.assert_array_equal(gradcli.grad(file).gradient["x"], expected)
