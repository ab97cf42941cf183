"""The graph: one node per value, in order, verified, and readable in a failing test."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Symbol

from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Value
from gradcli.core.ops.elementwise import add, mul, neg, sin
from gradcli.core.ops.shape import reshape, sum_
from gradcli.core.shapes import ShapeError
from tests.oracle import Subject


def small() -> tuple[Graph, Value, Value]:
    g = Graph()
    return g, g.input((2, 3)), g.input((3,))


def test_equal_applications_are_one_node() -> None:
    g, x, y = small()
    assert mul(g, x, y) is mul(g, x, y)
    assert mul(g, x, y) is not mul(g, y, x)
    assert sum_(g, x, (-1,)) is not sum_(g, x, (-2,))
    assert len(g) == 6


def test_equal_constants_are_one_node() -> None:
    g = Graph()
    assert g.constant(np.arange(3.0)) is g.constant(np.arange(3.0))
    assert g.constant(np.arange(3.0)) is not g.constant(np.arange(3.0)[None])
    assert g.constant(np.array([0, 1]), kind="index") is not g.constant(np.array([0.0, 1.0]))
    assert g.constant(np.array(2.0)) is g.literal(2.0)


def test_literals_keep_every_bit() -> None:
    g = Graph()
    for number in (0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, float("inf")):
        assert g.literal(number).number.hex() == number.hex()
    assert g.literal(0.0) is not g.literal(-0.0)
    assert g.literal(float("nan")) is g.literal(float("nan"))
    assert g.literal(-2.5).name == "(-2.5)"
    assert g.literal(-0.0).name == "(-0.0)"


def test_repeated_sub_expressions_are_computed_once() -> None:
    s = Subject("sin(x * y) + sin(x * y) * (x * y)", {"x": np.ones(2), "y": np.ones(2)})
    ops = [node.op.name for node in s.graph.definitions if node is not None]
    assert sorted(ops) == ["add", "mul", "mul", "sin"]


def test_nothing_is_simplified() -> None:
    """What is computed is what was written."""
    s = Subject("x - x + 0 * x", {"x": np.ones(2)})
    assert [node.op.name for node in s.graph.definitions if node is not None] == ["sub", "mul", "add"]


def test_literals_fold() -> None:
    s = Subject("x * (2 * 3 - 1)", {"x": np.ones(2)})
    assert str(s.graph).splitlines() == ["v0: float[2] = input", f"v{len(s.graph) - 1}: float[2] = mul(v0, 5.0)"]


def test_text_form() -> None:
    g, x, y = small()
    c = g.constant(np.zeros((3,), dtype=bool), kind="bool")
    neg(g, add(g, sum_(g, x, (-2,)), mul(g, y, g.literal(-0.5))))
    assert str(g) == (
        "v0: float[2, 3] = input\n"
        "v1: float[3] = input\n"
        "v2: bool[3] = constant\n"
        "v3: float[3] = sum(v0, (-2,))\n"
        "v5: float[3] = mul(v1, (-0.5))\n"
        "v6: float[3] = add(v3, v5)\n"
        "v7: float[3] = neg(v6)"
    )
    assert g.definition(c) is None


def test_values_are_symbols_with_a_shape() -> None:
    _, x, y = small()
    assert isinstance(x, Symbol)
    assert (x.shape, x.rank, x.kind, x.index) == ((2, 3), 2, "float", 0)
    assert x != y
    assert x != Value(0, (2, 3)), "one assignment is one object, and belongs to one graph"


def test_varying() -> None:
    """What depends on no input is known while the graph is built."""
    g, x, _ = small()
    c = sin(g, g.constant(np.arange(3.0)))
    assert not g.varying[c.index]
    assert g.varying[mul(g, x, c).index]


def test_wild() -> None:
    """What may be infinite although the inputs are not."""
    s = Subject("tanh(x) * 2 + 1", {"x": np.ones(2)})
    assert not any(s.graph.wild)
    for text in ("log(x)", "1 / x", "sqrt(x) * 0", "x * inf"):
        assert Subject(text, {"x": np.ones(2)}).graph.wild[-1], text


def test_ancestors() -> None:
    s = Subject("sin(x) + 1", {"x": np.ones(2), "unused": np.ones(2)})
    dead = sin(s.graph, s.inputs["unused"])
    found = s.graph.ancestors([s.target])
    assert found == sorted(found)
    assert {s.inputs["x"].index, s.target.index} <= set(found)
    assert not {s.inputs["unused"].index, dead.index} & set(found)
    assert s.graph.ancestors([]) == []


def test_places() -> None:
    """A node carries where it comes from, and so do the nodes of its derivative."""
    g, x, _ = small()
    with g.placing():
        g.place = "here"
        with g.placing():
            g.place = "inside"
            a = sin(g, x)
        b = neg(g, a)
    c = neg(g, b)
    assert (g.places[a.index], g.places[b.index], g.places.get(c.index), g.place) == ("inside", "here", None, None)


def test_shapes_that_do_not_fit() -> None:
    g, x, _ = small()
    before = len(g)
    with pytest.raises(ShapeError, match=r"^shapes \(2, 3\) and \(2,\) do not broadcast$"):
        add(g, x, g.input((2,)))
    with pytest.raises(ShapeError, match=r"^cannot reshape \(2, 3\) to \(4,\): 6 entries against 4$"):
        reshape(g, x, (4,))
    assert len(g) == before + 1


# -- verify ----------------------------------------------------------------------------------------------------------


def test_verify_accepts_what_the_driver_makes() -> None:
    s = Subject("log_softmax(tanh(x @ w))", {"x": np.ones((2, 3)), "w": np.ones((3, 2))})
    s.graph.verify()
    s.gradient()
    s.rows(forward=True)
    s.rows(forward=False)
    s.hessian()
    s.graph.verify()


def test_verify_finds_a_wrong_shape() -> None:
    g, x, _ = small()
    v = neg(g, x)
    g.values[v.index] = Value(v.index, (3, 2))
    with pytest.raises(AssertionError, match=r"(?m)^v2 has \(3, 2\), its op gives \(2, 3\)$"):
        g.verify()


def test_verify_finds_a_use_before_the_definition() -> None:
    g, x, _ = small()
    v = neg(g, x)
    later = neg(g, v)
    g.definitions[v.index] = Apply(neg, (later,))
    with pytest.raises(AssertionError, match=r"(?m)^v2 is used before it is made$"):
        g.verify()


def test_verify_finds_a_foreign_value() -> None:
    g, x, _ = small()
    v = neg(g, x)
    g.definitions[v.index] = Apply(neg, (Value(0, (2, 3)),))
    with pytest.raises(AssertionError, match=r"(?m)^v2 uses a foreign value$"):
        g.verify()


def test_verify_finds_a_wrong_place() -> None:
    g, x, _ = small()
    g.values[1] = x
    with pytest.raises(AssertionError, match=r"(?m)^v0 stands at 1$"):
        g.verify()
