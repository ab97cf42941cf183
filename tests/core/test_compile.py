"""Compiled programs: numbers, dtypes, names, memory, and depth."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.core import compile as compile_module
from gradcli.core.compile import compile_graph, numbers
from gradcli.core.graph import Graph
from gradcli.core.memory import peak_bytes
from gradcli.core.ops.elementwise import add, mul, sin, sub
from gradcli.derive import gradient_nodes, jacobian_nodes
from tests.oracle import Subject


def run(text: str, dtype: str = "float64", **point: Any) -> Any:
    s = Subject(text, {name: np.asarray(a, float) for name, a in point.items()})
    return s.compiled([s.target], dtype)(s.point)[0]


@pytest.mark.parametrize("number", [0.1, 1 / 3, 0.30000000000000004, 1e-308, 5e-324, 123456789.123456789, -2.5e300])
def test_constants_keep_every_bit(number: float) -> None:
    """Written in the expression, given as a constant or as a source: the same double."""
    assert run(f"x + ({number!r})", x=0.0).item().hex() == float(number).hex()
    assert run(f"x * {abs(number)!r}", x=1.0).item().hex() == abs(float(number)).hex()
    s = Subject("x + c", {"x": 0.0}, {"c": number})
    assert s.value.item().hex() == float(number).hex()


def test_division_is_a_division() -> None:
    """x/3 is not (1/3)*x, whose last digit differs."""
    assert run("x / 3", x=5.0) == 5.0 / 3
    assert 5.0 * (1 / 3) != 5.0 / 3
    assert run("x ** 3", x=0.7) == 0.7 * 0.7 * 0.7


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "text",
    ["x", "1 + 0 * x", "2.5", "x[0]", "x > 0.5", "where(x > 0, 1, 0)", "sum(x)", "argmax(x)", "[x, 1 + x]", "pi"],
)
def test_dtype_and_shape_of_outputs(text: str, dtype: str) -> None:
    s = Subject(text, {"x": np.array([1.0, 2.0])})
    (found,) = s.compiled([s.target], dtype)(s.point)
    assert isinstance(found, np.ndarray)
    assert (found.dtype, found.shape) == (np.dtype(dtype), s.target.shape)


def test_float32_throughout() -> None:
    """A sum of float32 numbers that float64 would round otherwise."""
    assert run("(x + y) - x", "float32", x=1e8, y=1.0) == 0.0
    assert run("(x + y) - x", "float64", x=1e8, y=1.0) == 1.0
    assert run("x * x", "float32", x=1e30) == np.inf


@pytest.mark.parametrize("text", ["[x[0], 2.5]", "where(x > 0, h, 2)", "xlogy(x, 3)", "xlog1py(x, 3)", "sum(x / x)"])
def test_a_number_in_the_text_does_not_widen(text: str) -> None:
    """Literals that are reshaped, named, chosen or the operand of a logarithm stay in single precision."""
    dtypes = set()

    def each(a: Any, mixes: bool) -> Any:
        dtypes.add(np.asarray(a).dtype)
        return a

    s = Subject(text, {"x": np.ones(1)}, lets={"h": "0.5"}, sources=["x", "h"])
    rows = jacobian_nodes(s.graph, s.target, s.sources, forward=False)
    outputs = [s.target, *[v for v in rows.values() if v is not None]]
    compile_graph(s.graph, list(s.inputs.values()), outputs, "float32", each=each)(*s.point.values())
    assert dtypes == {np.dtype("float32")}


def test_no_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(run("log(x) + 0 / x", x=-1.0))
        assert run("where(x > 0, log(x), 0)", x=-1.0) == 0


def test_user_names_never_reach_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even names that would be Python: the generated text knows only v0, v1, ..."""
    seen: list[Any] = []
    right = compile_module.function

    def watched(*args: Any, **options: Any) -> Any:
        made = right(*args, **options)
        seen.append(made.__doc__)
        return made

    monkeypatch.setattr(compile_module, "function", watched)
    names = ("beta", "E", "S", "print", "os", "λ", "v0", "numpy")
    s = Subject(" + ".join(f"exp({n})" for n in names), {n: np.array(float(k)) for k, n in enumerate(names)})
    assert np.isclose(s.value, np.exp(np.arange(len(names))).sum(), rtol=1e-14)
    (text,) = seen
    assert not any(word in text for word in ("beta", "print", "λ", "os)"))


def test_dead_nodes_are_dropped_and_values_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    right = compile_module._steps
    monkeypatch.setattr(compile_module, "_steps", lambda *a: seen.append(right(*a)) or seen[-1])
    s = Subject("sin(x) * y", {"x": np.ones(3), "y": np.ones(3)})
    mul(s.graph, s.target, s.target)
    s.compiled([s.target])
    (steps,) = seen
    freed = [v for _, _, dead in steps for v in dead]
    assert [node.op.name for _, node, _ in steps] == ["sin", "mul"]
    assert len(freed) == 1
    assert s.graph.definition(freed[0]).op.name == "sin"  # type: ignore[union-attr]


def test_outputs_that_are_inputs_or_constants() -> None:
    g = Graph()
    x = g.input((2,))
    c = g.constant(np.array([3.0, 4.0]))
    one, two, three, four = compile_graph(g, [x], [x, c, g.literal(5.0), x])(np.array([1.0, 2.0]))
    assert one.tolist() == four.tolist() == [1.0, 2.0]
    assert two.tolist() == [3.0, 4.0]
    assert three.item() == 5.0


def test_a_run_leaves_its_operands_alone() -> None:
    s = Subject("x * 2 + x", {"x": np.arange(3.0)})
    given = np.arange(3.0)
    run_it = s.compiled([s.target])
    first = run_it({"x": given})[0].copy()
    assert given.tolist() == [0, 1, 2]
    assert np.array_equal(run_it({"x": given})[0], first)


def test_numbers_of_constants() -> None:
    s = Subject("x * sin(c)", {"x": np.ones(2)}, {"c": [0.5, 1.5]})
    g = s.graph
    (c,) = [v for v, node in zip(g.values, g.definitions, strict=True) if node is not None and node.op.name == "sin"]
    assert np.array_equal(numbers(g, c), np.sin([0.5, 1.5]))
    assert numbers(g, c) is numbers(g, c)
    with pytest.raises(AssertionError, match="depends on an input"):
        numbers(g, s.target)


# -- depth ------------------------------------------------------------------------------------------------------------


def test_100_000_chained_nodes() -> None:
    """No recursion over depth: building, verifying, differentiating, compiling and running."""
    g = Graph()
    x, c = g.input(()), g.input(())
    y = x
    for k in range(100_000):
        y = sub(g, c, y) if k % 2 else add(g, y, c)
    limit = sys.getrecursionlimit()
    made = gradient_nodes(g, {"y": sin(g, y)}, {"x": x}, {})["x"]
    assert made is not None
    g.verify()
    assert len(g) > 150_000
    value, slope = compile_graph(g, [x, c], [y, made])(0.3, 0.25)
    assert sys.getrecursionlimit() == limit
    assert np.isclose(value, 0.3, rtol=1e-9)  # 50,000 pairs of x + c, c - x: an even number of changes of sign
    assert np.isclose(slope, np.cos(value), rtol=1e-15)


def test_1_000_chained_lets() -> None:
    lets = {"z0": "x * c"} | {f"z{k}": f"sin(z{k - 1}) + 0.5 * z{k - 1}" for k in range(1, 1000)}
    problem = {"constants": {"c": 1.0}, "sources": {"x": 0.4}, "let": lets, "targets": {"y": "z999"}}
    value, slope = 0.4, 1.0
    for _ in range(999):
        value, slope = np.sin(value) + 0.5 * value, (np.cos(value) + 0.5) * slope
    found = gradcli.grad(problem)
    assert np.isclose(found.targets["y"], value, rtol=1e-12)
    assert np.isclose(found.gradient["x"], slope, rtol=1e-9)  # type: ignore[arg-type]


def test_a_sum_of_3_000_terms() -> None:
    text = " + ".join(f"{k} * x" for k in range(3000))
    assert gradcli.grad({"sources": {"x": 2.0}, "targets": text}).gradient["x"] == 2999 * 3000 / 2


def test_a_value_that_is_reused_stays_linear() -> None:
    """Each step uses the last value three times: exponential for one who copies expressions."""
    lets = {"z0": "x"} | {f"z{k}": f"z{k - 1} * z{k - 1} / z{k - 1}" for k in range(1, 61)}
    found = gradcli.hessian({"sources": {"x": 1.25}, "let": lets, "targets": "z60"})
    assert np.isclose(found.targets["y"], 1.25, rtol=1e-12)


# -- memory from shapes -----------------------------------------------------------------------------------------------


def test_peak_bytes() -> None:
    """A chain holds two values at once, whatever its length; views cost nothing."""
    s = Subject("sin(sin(sin(sin(x))))", {"x": np.ones(1000)})
    assert peak_bytes(s.graph, [s.target], 8) == 2 * 8000
    s = Subject("x.T[None]", {"x": np.ones((10, 100))})
    assert peak_bytes(s.graph, [s.target], 8) <= 2 * 8000


def test_large_results_are_refused_before_they_are_made() -> None:
    problem = {"sources": {"x": np.zeros(20_000)}, "targets": "x * x"}
    with pytest.raises(gradcli.InputError) as caught:
        gradcli.jacobian(problem, max_memory=10**9)
    assert str(caught.value) == "this needs about 3.0 GiB of memory, more than the limit of 953.7 MiB"
