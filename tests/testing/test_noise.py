"""Noise, and functions made at random: no false alarm, and what is wrong is still caught where it can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradcli
from gradcli.testing import assert_gradient

Function = Callable[[Any], Any]


def scatter(x: Any) -> float:
    """A number in [-1, 1] that tells nothing of its neighbours."""
    words = np.frombuffer(np.ascontiguousarray(x).tobytes(), np.uint64)
    bits = np.bitwise_xor.reduce(words * np.uint64(0x9E3779B97F4A7C15))
    bits ^= bits >> np.uint64(29)
    return float(bits * np.uint64(0xBF58476D1CE4E5B9)) / 2**63 - 1


SMOOTH: list[tuple[Function, Function]] = [
    (lambda x: np.sum(x**2), lambda x: 2 * x),
    (lambda x: np.sum(np.sin(x)), np.cos),
    (np.prod, lambda x: np.prod(x) / x),
    (lambda x: np.log(np.sum(np.exp(x))), lambda x: np.exp(x) / np.exp(x).sum()),
]
NOISY: dict[str, Callable[[Function, float], Function]] = {
    "scattered": lambda f, size: lambda x: f(x) + size * scatter(x),
    "rounded": lambda f, size: lambda x: np.round(f(x) / size) * size,
    "rounded before": lambda f, size: lambda x: f(np.round(x / size) * size),
}


@pytest.mark.parametrize("size", [1e-13, 1e-10, 1e-8, 1e-6, 1e-5])
@pytest.mark.parametrize("noise", NOISY)
def test_noise_is_no_mistake(noise: str, size: float) -> None:
    """Of any size; and up to 1e-8 a gradient that is off by a tenth is caught under it."""
    random = np.random.default_rng(3)
    for f, gradient in SMOOTH:
        x = random.normal(size=4)
        noisy = NOISY[noise](f, size)
        assert_gradient(noisy, gradient(x), x)
        assert_gradient(noisy, gradient, x)
        if size <= 1e-8:
            with pytest.raises(AssertionError):
                assert_gradient(noisy, 1.1 * gradient(x), x)


# -- expressions, whose gradient comes from gradcli ------------------------------------------------------------------

Made = tuple[str, Function]
LEAVES: list[Made] = [
    ("x", lambda x: x),
    ("x[0]", lambda x: x[0]),
    ("sum(x)", np.sum),
    ("x[::-1]", lambda x: x[::-1]),
    ("0.5", lambda x: 0.5),
]
UNARY: list[tuple[str, Callable[[Any], Any]]] = [
    ("sin({})", np.sin),
    ("tanh({})", np.tanh),
    ("exp(-abs({}))", lambda a: np.exp(-np.abs(a))),
    ("sqrt(1 + ({})**2)", lambda a: np.sqrt(1 + a**2)),
    ("log(2 + sin({}))", lambda a: np.log(2 + np.sin(a))),
    ("maximum({}, 0.1)", lambda a: np.maximum(a, 0.1)),
    ("({})**3", lambda a: a**3),
    ("mean({})", np.mean),
]
BINARY: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("({}) + ({})", lambda a, b: a + b),
    ("({}) - ({})", lambda a, b: a - b),
    ("({}) * ({})", lambda a, b: a * b),
    ("({}) / (1 + ({})**2)", lambda a, b: a / (1 + b**2)),
]


def one(op: tuple[str, Callable[[Any], Any]], a: Made) -> Made:
    return op[0].format(a[0]), lambda x: op[1](a[1](x))


def both(op: tuple[str, Callable[[Any, Any], Any]], a: Made, b: Made) -> Made:
    return op[0].format(a[0], b[0]), lambda x: op[1](a[1](x), b[1](x))


EXPRESSIONS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.builds(one, st.sampled_from(UNARY), inner), st.builds(both, st.sampled_from(BINARY), inner, inner)
    ),
    max_leaves=8,
)
POINTS = st.lists(
    st.one_of(
        st.floats(-3, 3).filter(lambda v: v == 0 or abs(v) > 1e-60), st.sampled_from([0.0, 1.0, -1.0, 0.1, 1e-8, 100.0])
    ),
    min_size=3,
    max_size=3,
).map(np.array)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(made=EXPRESSIONS, x=POINTS, entry=st.integers(0, 2))
def test_random_expressions(made: Made, x: Any, entry: int) -> None:
    """The gradient that gradcli computes passes; and where it passes for certain, it fails when an entry is changed."""
    text, fun = made
    found = gradcli.grad({"sources": {"x": x}, "targets": f"{text} + 0*sum(x)"}).gradient["x"]
    assert found is not None

    assert_gradient(fun, found, x)

    size = np.abs(found).max()
    if is_plain(fun, found, x):
        wrong = found.copy()
        wrong[entry] += max(1e-3 * abs(wrong[entry]), 1e-2 * size)
        with pytest.raises(AssertionError):
            assert_gradient(fun, wrong, x)


def is_plain(fun: Function, gradient: Any, x: Any) -> bool:
    """Whether plain differences give the gradient: no kink is near, and the numbers are of ordinary size."""
    for h in (1e-4, -1e-4, 1e-2, -1e-2):
        rows = [(np.sum(fun(x + h * e)) - np.sum(fun(x))) / h for e in np.eye(3)]
        if np.abs(np.array(rows) - gradient).max() > 10 * abs(h) * np.abs(gradient).max():
            return False
    return bool(1e-3 < np.abs(gradient).max() < 1e3 and np.abs(np.sum(fun(x))) < 1e3)
