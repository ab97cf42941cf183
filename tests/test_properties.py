"""Properties over shapes, axes, indices and whole expressions: forward, reverse and differences agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradcli
from gradcli.core.shapes import ShapeError, broadcast, normal_axes, stretched_axes
from tests import oracle, strategies
from tests.oracle import Subject, close

FIXED = {"derandomize": True, "deadline": None, "database": None}
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def runs(count: int) -> settings:
    return settings(max_examples=count, suppress_health_check=SLOW, **FIXED)  # type: ignore[arg-type]


def at_a_point(data: st.DataObject, text: str, **shapes: tuple[int, ...]) -> Subject:
    return Subject(text, {name: data.draw(strategies.points(shape), name) for name, shape in shapes.items()})


# -- shape arithmetic against NumPy ------------------------------------------------------------------------------------


@runs(200)
@given(strategies.shapes(), strategies.shapes())
def test_broadcast_is_numpy_s(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ShapeError):
            broadcast(a, b)
        return
    assert broadcast(a, b) == expected


@runs(100)
@given(strategies.shapes_that_broadcast())
def test_stretched_axes_undo_broadcasting(pair: list[tuple[int, ...]]) -> None:
    """Summing over them leaves the operand's entries, each times its number of copies."""
    out = np.broadcast_shapes(*pair)
    axes = stretched_axes(pair[0], out)
    left = np.ones(out).sum(axis=tuple(axes)).size
    assert left == np.prod(pair[0])


@runs(100)
@given(st.data(), st.integers(1, 4))
def test_normal_axes_are_ascending_and_negative(data: st.DataObject, rank: int) -> None:
    axis = data.draw(strategies.axes(rank))
    found = normal_axes(axis, rank)
    assert list(found) == sorted(set(found))
    assert all(-rank <= k < 0 for k in found)
    with pytest.raises(ShapeError):
        normal_axes(rank, rank)


# -- one function at a time --------------------------------------------------------------------------------------------


@runs(40)
@given(st.data(), strategies.shapes_that_broadcast(), st.sampled_from(["x + y", "x * y", "x / y", "x - y", "x ** y"]))
def test_operators_broadcast(data: st.DataObject, pair: list[tuple[int, ...]], text: str) -> None:
    s = at_a_point(data, text, x=pair[0], y=pair[1])
    x, y = s.point.values()
    expected = {"x + y": x + y, "x * y": x * y, "x / y": x / y, "x - y": x - y, "x ** y": x**y}[text]
    close(s.value, expected, text)
    oracle.check_all(s)


_BY_NUMPY = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "var": np.var,
    "std": np.std,
    "logsumexp": lambda x, **kw: np.log(np.sum(np.exp(x), **kw)),
    "norm": lambda x, **kw: np.sqrt(np.sum(x * x, **kw)),
}


@runs(50)
@given(st.data(), strategies.shapes(1), st.sampled_from(sorted(_BY_NUMPY)), st.booleans())
def test_reductions(data: st.DataObject, shape: tuple[int, ...], name: str, keepdims: bool) -> None:
    axis = data.draw(strategies.axes(len(shape)))
    text = f"{name}(x, axis={axis}, keepdims={keepdims})"
    s = at_a_point(data, text, x=shape)
    close(s.value, np.asarray(_BY_NUMPY[name](s.point["x"], axis=axis, keepdims=keepdims)), text)
    if name != "std" or _spread(s.point["x"], axis):
        oracle.check_all(s)


def _spread(x: Any, axis: Any) -> bool:
    """Whether no standard deviation stands near its tip."""
    return bool(np.min(np.std(x, axis=axis)) > 0.1)


@runs(60)
@given(st.data(), strategies.shapes(1))
def test_indexing(data: st.DataObject, shape: tuple[int, ...]) -> None:
    index = data.draw(strategies.index_text(shape))
    s = at_a_point(data, f"x[{index}] * 1", x=shape)
    close(s.value, s.point["x"][strategies._evaluated(index)], f"x[{index}]")
    oracle.check_all(s, degree=1)


@runs(30)
@given(st.data(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), strategies.shapes_that_broadcast())
def test_matmul_of_stacks(data: st.DataObject, n: int, k: int, m: int, stacks: list[tuple[int, ...]]) -> None:
    a, b = (s[-2:] for s in stacks)
    s = at_a_point(data, "x @ y", x=(*a, n, k), y=(*b, k, m))
    close(s.value, s.point["x"] @ s.point["y"], "x @ y")
    oracle.check_all(s, degree=2)


@st.composite
def specs(draw: st.DrawFn) -> tuple[str, list[tuple[int, ...]]]:
    """An einsum of one to three operands, with letters that repeat, are summed, or stand in one operand only."""
    sizes = dict(zip("ijkl", draw(st.lists(st.integers(1, 3), min_size=4, max_size=4)), strict=True))
    parts = draw(st.lists(st.text("ijkl", max_size=3), min_size=1, max_size=3))
    used = sorted(set("".join(parts)))
    out = "".join(draw(st.permutations(draw(st.lists(st.sampled_from(used), unique=True))))) if used else ""
    return ",".join(parts) + "->" + out, [tuple(sizes[x] for x in part) for part in parts]


@runs(60)
@given(st.data(), specs())
def test_einsum(data: st.DataObject, drawn: tuple[str, list[tuple[int, ...]]]) -> None:
    spec, operands = drawn
    names = "abc"[: len(operands)]
    s = at_a_point(data, f"einsum('{spec}', {', '.join(names)})", **dict(zip(names, operands, strict=True)))
    close(s.value, np.einsum(spec, *s.point.values()), spec)
    oracle.check_all(s, degree=2 if len(operands) < 3 else None)


@runs(40)
@given(st.data(), strategies.shapes(1), strategies.shapes(1))
def test_reshape(data: st.DataObject, old: tuple[int, ...], new: tuple[int, ...]) -> None:
    """Between any two shapes of one size, also inside other work; which axes are carried must not matter."""
    count = int(np.prod(old))
    shape = new if np.prod(new) == count else data.draw(st.sampled_from([(count,), (1, count), old[::-1], (*old, 1)]))
    s = at_a_point(data, f"sin(reshape(exp(x), {shape}))", x=old)
    close(s.value, np.sin(np.exp(s.point["x"]).reshape(shape)), s.text)
    oracle.check_all(s)


# -- whole expressions -------------------------------------------------------------------------------------------------


@runs(120)
@given(st.data(), strategies.expressions())
def test_expressions(data: st.DataObject, drawn: strategies.Drawn) -> None:
    """Forward, reverse, differences, the inner product, the row sum, and the second order by three routes."""
    s = at_a_point(data, drawn.text, **drawn.names)
    oracle.check_differences(s, forward=False)
    oracle.check_differences(s, forward=True)
    oracle.check_modes(s)
    oracle.check_inner_product(s)
    oracle.check_rows_sum(s)


@runs(50)
@given(st.data(), strategies.expressions(2))
def test_second_order_of_expressions(data: st.DataObject, drawn: strategies.Drawn) -> None:
    s = at_a_point(data, drawn.text, **drawn.names)
    oracle.check_seeds(s)
    oracle.check_second_order(s)


@runs(40)
@given(st.data(), strategies.expressions(), st.sampled_from(["float64", "float32"]))
def test_rows_sum_to_the_gradient(data: st.DataObject, drawn: strategies.Drawn, dtype: str) -> None:
    """Through the API, with weights some of which are 0."""
    point = {name: data.draw(strategies.points(shape), name) for name, shape in drawn.names.items()}
    target = Subject(drawn.text, point).target
    weight = np.array(data.draw(st.lists(st.sampled_from([-2.0, 0.0, 1.0, 3.0]), min_size=1, max_size=4)))
    weights = {"y": np.resize(weight, target.shape)}
    found = gradcli.compare({"sources": point, "targets": drawn.text}, output_gradients=weights, dtype=dtype)
    assert found.match, f"{drawn.text}: {found.gradient} against {found.row_sum}"
