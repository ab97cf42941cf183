"""Statements: fewer than assignments, with the same numbers, and no value that is large lives longer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.core.compile import _assignments, compile_graph
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.elementwise import ELEMENTWISE, add, mul, sin
from gradcli.core.ops.shape import reshape
from gradcli.core.statements import statements


def printed(g: Graph, inputs: list[Value], outputs: list[Value]) -> list[str]:
    pairs = _assignments(g, g.ancestors(outputs), inputs, outputs)
    return [
        f"del {value.name}" if made is None else f"{value.name} = {made._numpycode(None)}"
        for value, made in statements(pairs, outputs)
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
