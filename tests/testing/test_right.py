"""Right derivatives of functions of NumPy pass, at easy and at hard points."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from gradcli.testing import assert_gradient, assert_jacobian

RANDOM = np.random.default_rng(7)
V = RANDOM.normal(size=6)
P = RANDOM.uniform(0.2, 2.0, size=6)
M = RANDOM.normal(size=(4, 4))
SPD = M @ M.T + 4 * np.eye(4)
B = RANDOM.normal(size=4)
X = RANDOM.normal(size=(20, 3))
Y = (RANDOM.random(20) > 0.5).astype(int)
LARGE = RANDOM.normal(size=(100, 100))
X60 = LARGE[:60, :60]
F32 = np.float32


def softmax(z: Any) -> Any:
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def logistic(w: Any) -> Any:
    z = X @ w
    return np.mean(np.logaddexp(0, z) - Y * z)


def loop(x: Any) -> Any:
    total = 0.0
    for k in range(len(x) - 1):
        total += 100 * (x[k + 1] - x[k] ** 2) ** 2 + (1 - x[k]) ** 2
    return total


def loop_gradient(x: Any) -> Any:
    g = np.zeros(len(x))
    for k in range(len(x) - 1):
        g[k] += -400 * x[k] * (x[k + 1] - x[k] ** 2) - 2 * (1 - x[k])
        g[k + 1] += 200 * (x[k + 1] - x[k] ** 2)
    return g


def huber(x: Any) -> Any:
    return np.where(np.abs(x) < 1, x**2 / 2, np.abs(x) - 0.5)


def branch(x: float) -> float:
    if x > 0:
        return x**2
    return -3 * x


def newton_root(a: float) -> float:
    """Stops at 1e-8: the value is as noisy."""
    x = 1.0
    while abs(x * x - a) > 1e-8:
        x -= (x * x - a) / (2 * x)
    return x


def bisected(a: float) -> float:
    low, high = 0.0, 4.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if middle**2 < a else (low, middle)
    return low


def writes(x: Any) -> Any:
    x *= 2
    return x.sum()


KEPT: list[Any] = []


def keeps(x: Any) -> Any:
    if KEPT:
        KEPT[-1][...] = 0
    KEPT.append(x)
    return np.sum(x**2)


def raises(x: float) -> float:
    if x < 0:
        raise ArithmeticError(x)
    return x**1.5


def single(x: Any) -> Any:
    return np.sum(np.exp(np.asarray(x, F32)))


def hidden_single(x: Any) -> float:
    return 0.1 * float(np.sum(np.sin(np.asarray(x, F32))))


def symmetric_log_det(a: Any) -> Any:
    return np.linalg.slogdet(a)[1]


def rotation_loss(x: Any, y: Any) -> Any:
    return np.sum((x - y) ** 2)


def take_rows(w: Any, labels: Any) -> Any:
    return np.sum(w[labels] ** 2)


Row = tuple[str, Callable[..., Any], Any, Any]

EASY: list[Row] = [
    ("square", lambda x: x**2, lambda x: 2 * x, 3.0),
    ("integer point", lambda x: x**2, lambda x: 2 * x, 3),
    ("integers with a negative power", lambda x: x**-1, lambda x: -(x**-2), np.array([1, 2, 4])),
    ("list", np.prod, lambda x: np.prod(x) / x, [1.0, 2.0, 4.0]),
    ("exp", np.exp, np.exp, V),
    ("log", np.log, lambda x: 1 / x, P),
    ("math.sin of a float", math.sin, math.cos, 0.7),
    ("0-d array", np.tanh, lambda x: 1 - np.tanh(x) ** 2, np.array(0.3)),
    ("list of outputs", lambda x: [x[0] * x[1], x[0]], lambda x: [x[1] + 1, x[0]], [2.0, 3.0]),
    ("one-element output", lambda x: np.array([np.sum(x**2)]), lambda x: 2 * x, V),
    ("python float", lambda x: float(np.sum(x**3)), lambda x: 3 * x**2, V),
    ("partial", partial(np.power, 2.0), lambda x: np.log(2) * 2.0**x, V),
    ("logistic", logistic, lambda w: X.T @ (1 / (1 + np.exp(-X @ w)) - Y) / 20, np.zeros(3)),
    ("log softmax", lambda z: np.log(softmax(z))[2], lambda z: np.eye(6)[2] - softmax(z), V),
    ("Rosenbrock in a loop", loop, loop_gradient, V),
    ("norm", np.linalg.norm, lambda x: x / np.linalg.norm(x), V),
    ("det", np.linalg.det, lambda a: np.linalg.det(a) * np.linalg.inv(a).T, M),
    ("slogdet", symmetric_log_det, lambda a: np.linalg.inv(a).T, SPD),
    ("inv", lambda a: np.linalg.inv(a).sum(),
     lambda a: -np.linalg.inv(a).T @ np.ones((4, 4)) @ np.linalg.inv(a).T, SPD),
    ("solve", lambda a: np.linalg.solve(a, B).sum(),
     lambda a: -np.outer(np.linalg.solve(a.T, np.ones(4)), np.linalg.solve(a, B)), SPD),
    ("largest singular value", lambda a: np.linalg.svd(a)[1][0],
     lambda a: np.outer(np.linalg.svd(a)[0][:, 0], np.linalg.svd(a)[2][0]), M),
    ("trace of a power", lambda a: np.trace(a @ a @ a), lambda a: 3 * (a @ a).T, M),
    ("spectrum", lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2), lambda x: 2 * len(x) * x, V),
    ("cumsum", lambda x: np.cumsum(x**2), lambda x: 2 * x * np.arange(len(x), 0, -1), V),
    ("cumprod", lambda x: np.cumprod(x)[-1], lambda x: np.prod(x) / x, P),
    ("sort", lambda x: np.sort(x) @ np.arange(6.0), lambda x: np.argsort(np.argsort(x)).astype(float), V),
    ("max", np.max, lambda x: (x == x.max()).astype(float), V),
    ("median", np.median, lambda x: np.isin(np.argsort(np.argsort(x)), [2, 3]) / 2, V),
    ("variance", np.var, lambda x: 2 * (x - x.mean()) / x.size, V),
    ("convolution", lambda x: np.convolve(x, [1, 2, 3]).sum(), lambda x: np.full(6, 6.0), V),
    ("interpolation", lambda x: np.interp(x, [0, 1, 2], [0, 1, 4]), lambda x: np.where(x < 1, 1.0, 3.0), [0.5, 1.5]),
    ("two arguments", rotation_loss, lambda x, y: (2 * (x - y), 2 * (y - x)), (V, P)),
    ("keywords", rotation_loss, {"x": 2 * (V - P), "y": 2 * (P - V)}, {"x": V, "y": P}),
    ("an argument that is held", take_rows, (np.bincount([0, 2, 2], minlength=6) * 2 * V, None),
     (V, np.array([0, 2, 2]))),
    ("and a function that says so", take_rows, lambda w, k: (np.bincount(k, minlength=6) * 2 * w, None),
     (V, np.array([0, 2, 2]))),
    ("100 x 100", lambda w: np.sum(np.tanh(w) ** 2), lambda w: 2 * np.tanh(w) * (1 - np.tanh(w) ** 2), LARGE),
    ("60 x 60 @ a batch", lambda w: np.mean((X60 @ w) ** 2), lambda w: 2 * X60.T @ (X60 @ w) / 3600, X60),
    ("float32 gradient", lambda x: np.sum(np.sin(x)), np.cos(V).astype(F32), V),
    ("float32 point", lambda x: np.sum(np.sin(x)), np.cos, V.astype(F32)),
    ("nothing", np.sum, np.zeros(0), np.zeros(0)),
    ("no outputs", lambda x: x[:0], np.zeros(3), np.ones(3)),
    ("constant", lambda x: 3.0, np.zeros(2), [1.0, 2.0]),
    ("booleans as outputs of a count", lambda x: np.sum(x > 0), np.zeros(6), V),
]  # fmt: skip

HARD: list[Row] = [
    ("abs at 0, subgradient 0", np.abs, np.sign, [0.0, 1.0, -2.0]),
    ("abs at 0, subgradient 1", lambda x: np.abs(x).sum(), [1.0, 1.0, -1.0], [0.0, 1.0, -2.0]),
    ("relu at 0", lambda x: np.maximum(x, 0), lambda x: (x > 0).astype(float), [0.0, 0.0, 3.0, -1.0]),
    ("relu at 0, from the right", lambda x: np.maximum(x, 0), lambda x: (x >= 0).astype(float), [0.0, 3.0, -1.0]),
    ("max of equals", np.max, [1.0, 0.0, 0.0], [2.0, 2.0, 1.0]),
    ("huber at its joint", huber, lambda x: np.clip(x, -1, 1), [1.0, -1.0, 0.5, 3.0]),
    ("norm at 0", np.linalg.norm, np.zeros(3), np.zeros(3)),
    ("branch at its border", branch, 0.0, 0.0),
    ("branch beside its border", branch, lambda x: 2 * x if x > 0 else -3.0, 1e-4),
    ("floor at a jump", np.floor, 0.0, 2.0),
    ("sign at its jump", np.sign, 0.0, 0.0),
    ("round", lambda x: np.sum(np.round(x)), np.zeros(3), [0.2, 1.7, 2.5]),
    ("sqrt at its edge", np.sqrt, [np.inf, 0.25], [0.0, 4.0]),
    ("log beside its edge", np.log, lambda x: 1 / x, [1e-9, 1.0]),
    ("arcsin at its edge", np.arcsin, [np.inf, 1.0], [1.0, 0.0]),
    ("cube root at 0", np.cbrt, [np.inf, 1 / 12], [0.0, 8.0]),
    ("x log x at 0", lambda x: np.sum(np.where(x > 0, x * np.log(x), 0)), [-np.inf, 1.0], [0.0, 1.0]),
    ("power 3/2 at its edge", lambda x: np.sum(x**1.5), lambda x: 1.5 * x**0.5, [0.0, 1.0]),
    ("raises off its domain", raises, 0.0, 0.0),
    ("raises near its edge", raises, lambda x: 1.5 * x**0.5, 1e-3),
    ("NaN entries beside", lambda x: np.nansum(x**2), [2.0, 0.0], [1.0, np.nan]),
    ("an output that is infinite", np.log, [np.inf, 1.0], [0.0, 1.0]),
    ("1e8", lambda x: np.sum(x**2), lambda x: 2 * x, [1e8, 1.0, 1e-8]),
    ("1e-8", lambda x: np.sum(np.sin(x)), np.cos, [1e-8, -1e-8]),
    ("tiny function", lambda x: 1e-30 * np.sum(x**3), lambda x: 3e-30 * x**2, V),
    ("huge function", lambda x: 1e30 * np.sum(x**3), lambda x: 3e30 * x**2, V),
    ("cancellation of 1e8", lambda x: (1e8 + x) - 1e8, np.ones(3), [1.0, 1e-3, 5.0]),
    ("cancellation of 1e16", lambda x: (1e16 + x) - 1e16, np.ones(3), [1.0, 1e-3, 5.0]),
    ("1 - cos near 0", lambda x: 1 - np.cos(x), np.sin, [1e-7, 1e-4, 1.0]),
    ("log1p written badly", lambda x: np.log(1 + x), lambda x: 1 / (1 + x), [1e-12, 1e-6]),
    ("saturated sigmoid", lambda z: np.logaddexp(0, -z), lambda z: 1 / (1 + np.exp(-z)) - 1, [30.0, 33.0, 5.0]),
    ("saturated softmax", lambda z: -np.log(softmax(z))[0], lambda z: softmax(z) - np.eye(3)[0], [30.0, 1.0, -5.0]),
    ("cross entropy, nearly sure", lambda z: np.logaddexp(0, z).sum() - z[0], lambda z: 1 / (1 + np.exp(-z)) - [1, 0],
     [36.0, -36.0]),
    ("ill-conditioned solve", lambda a: np.linalg.solve(a, np.ones(2)).sum(),
     lambda a: -np.outer(np.linalg.solve(a.T, np.ones(2)), np.linalg.solve(a, np.ones(2))),
     np.array([[1.0, 1.0], [1.0, 1.0 + 1e-7]])),
    ("Newton that stops at 1e-8", newton_root, lambda a: 0.5 / math.sqrt(a), 2.0),
    ("bisection that stops at 1e-9", bisected, lambda a: 0.5 / math.sqrt(a), 2.0),
    ("float32 inside", single, np.exp, V),
    ("float32 inside, float32 gradient", single, np.exp(V.astype(F32)), V),
    ("float32, not shown by its outputs", hidden_single, lambda x: 0.1 * np.cos(x), V),
    ("float32 with a large constant", lambda x: np.sum(F32(1e4) + x.astype(F32)) - 6e4, np.ones(6), V),
    ("float16", lambda x: np.sum(x.astype(np.float16) ** 2), lambda x: 2 * x, P),
    ("float32 matrix product", lambda w: np.sum((X60.astype(F32) @ w.astype(F32)) ** 2),
     lambda w: 2 * X60.T @ (X60 @ w), X60[:, :1]),
    ("writes into its input", writes, np.full(6, 2.0), V),
    ("keeps its input", keeps, lambda x: 2 * x, V),
    ("steep", lambda x: np.exp(50 * x), lambda x: 50 * np.exp(50 * x), [0.5, -0.5]),
    ("fast", lambda x: np.sin(1e4 * x), lambda x: 1e4 * np.cos(1e4 * x), [1.0, 0.3]),
    ("narrow", lambda x: np.exp(-((1e5 * x) ** 2)), lambda x: -2e10 * x * np.exp(-((1e5 * x) ** 2)), [1e-5, 0.0]),
    ("ripple on a slope", lambda x: x + 1e-4 * np.sin(1e4 * x), lambda x: 1 + np.cos(1e4 * x), 0.3),
    ("overflow beside", np.exp, np.exp, [709.0, 1.0]),
    ("only right at this point", lambda x: np.sum(x**3), np.array([3.0, 12.0]), [1.0, 2.0]),
]  # fmt: skip

JACOBIANS: list[Row] = [
    ("linear", lambda x: M @ x, M, B),
    ("softmax", softmax, lambda z: np.diag(softmax(z)) - np.outer(softmax(z), softmax(z)), B),
    ("elementwise", np.exp, lambda x: np.diag(np.exp(x)), V),
    ("scalar by scalar", lambda x: x**2, 6.0, 3.0),
    ("of a matrix", lambda a: a @ B, lambda a: np.einsum("ij,k->ijk", np.eye(4), B), M),
    ("transpose", lambda a: a.T, np.einsum("il,jk->jikl", np.eye(4), np.eye(4)).transpose(0, 1, 3, 2), M),
    ("two arguments", lambda a, x: a * x, lambda a, x: (x, a * np.eye(6)), (2.0, V)),
    ("200 outputs of 300", lambda x: np.sin(LARGE.ravel()[:200, None] * x).sum(axis=1),
     lambda x: np.cos(LARGE.ravel()[:200, None] * x) * LARGE.ravel()[:200, None], LARGE.ravel()[:300]),
    ("kinks", np.abs, lambda x: np.diag(np.sign(x)), [0.0, 1.0]),
    ("sizes far apart", lambda x: x**2, lambda x: np.diag(2 * x), [1e8, 1.0, 1e-8]),
    ("float32", lambda x: np.asarray(x, F32) ** 2, lambda x: np.diag(2 * x), V),
]  # fmt: skip


@pytest.mark.parametrize(("fun", "grad", "x"), [pytest.param(*row[1:], id=row[0]) for row in EASY + HARD])
def test_right_gradients_pass(fun: Callable[..., Any], grad: Any, x: Any) -> None:
    """Whatever the seed."""
    for seed in range(2):
        KEPT.clear()
        assert_gradient(fun, grad, x, seed=seed)


@pytest.mark.parametrize(("fun", "jacobian", "x"), [pytest.param(*row[1:], id=row[0]) for row in JACOBIANS])
def test_right_jacobians_pass(fun: Callable[..., Any], jacobian: Any, x: Any) -> None:
    """Whatever the seed."""
    for seed in range(2):
        assert_jacobian(fun, jacobian, x, seed=seed)


WRONG_TOO = [row for row in EASY if row[0] not in {"nothing", "no outputs"}]


@pytest.mark.parametrize(("fun", "grad", "x"), [pytest.param(*row[1:], id=row[0]) for row in WRONG_TOO])
def test_they_do_not_pass_with_one_entry_changed(fun: Callable[..., Any], grad: Any, x: Any) -> None:
    """So that all of them are really looked at: each easy one fails when its largest entry is off by 1 part in 1000."""
    right = grad
    if callable(grad):
        right = grad(**x) if isinstance(x, dict) else grad(*x) if isinstance(x, tuple) else grad(np.asarray(x, float))
    given = list(right.values()) if isinstance(right, dict) else list(right) if isinstance(x, tuple) else [right]
    first = np.array(given[0], dtype=float)
    most = np.unravel_index(np.argmax(np.abs(first)), first.shape)
    first[most] = first[most] * 1.001 if first[most] else 1e-3
    wrong = first if not isinstance(x, tuple | dict) else (first, *given[1:])
    with pytest.raises(AssertionError):
        assert_gradient(fun, dict(zip(x, wrong, strict=True)) if isinstance(x, dict) else wrong, x)
