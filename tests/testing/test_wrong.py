"""Wrong derivatives fail, and the usual mistakes are named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.testing import assert_gradient, assert_jacobian

RANDOM = np.random.default_rng(11)
V = RANDOM.normal(size=5)
P = RANDOM.uniform(0.5, 2.0, size=5)
A = RANDOM.normal(size=(3, 5))
W = RANDOM.normal(size=(4, 6))
S = RANDOM.normal(size=(5, 5))
BATCH = RANDOM.normal(size=(8, 4))
LARGE = RANDOM.normal(size=(100, 100))
LABELS = np.array([0, 2, 1])


def squares(x: Any) -> Any:
    return np.sum(x**2)


def mean_squares(x: Any) -> Any:
    return np.mean(x**2)


def sines(x: Any) -> Any:
    return np.sin(x)


def linear(x: Any) -> Any:
    return A @ x


def network(w: Any) -> Any:
    return np.mean(np.tanh(BATCH @ w) ** 2)


def network_gradient(w: Any) -> Any:
    t = np.tanh(BATCH @ w)
    return BATCH.T @ (2 * t * (1 - t**2)) / t.size


def large(w: Any) -> Any:
    return np.sum(np.tanh(w) ** 2) / 100


def large_gradient(w: Any) -> Any:
    return 2 * np.tanh(w) * (1 - np.tanh(w) ** 2) / 100


def softmax(z: Any) -> Any:
    e = np.exp(z - z.max())
    return e / e.sum()


def softmax_jacobian(z: Any) -> Any:
    return np.diag(softmax(z)) - np.outer(softmax(z), softmax(z))


def product(x: Any, y: Any) -> Any:
    return np.sum(x**2 * y)


def one_off(array: Any, factor: float) -> Any:
    wrong = array.copy()
    wrong[3, 70] *= factor
    return wrong


def degrees(x: Any) -> Any:
    return np.sum(np.sin(np.deg2rad(x)))


Row = tuple[Callable[..., Any], Any, Any, str | None]

GRADIENTS: dict[str, Row] = {
    "sign": (squares, lambda x: -2 * x, V, "gradient of x has the wrong sign everywhere"),
    "one sign": (squares, 2 * V * [1, 1, 1, -1, 1], V, "gradient of x has the wrong sign at x[3]"),
    "two signs": (squares, 2 * V * [1, -1, 1, -1, 1], V, "has the wrong sign at x[1] and 1 more entries"),
    "factor 2 left out": (squares, lambda x: x, V, "gradient of x was divided by 2"),
    "factor 2 twice": (squares, 4 * V, V, "gradient of x was multiplied by 2"),
    "sum for mean": (mean_squares, 2 * V, V, "is that of the sum: it was multiplied by 5"),
    "mean for sum": (squares, 2 * V / 5, V, "is that of the mean: it was divided by 5"),
    "mean over the batch": (network, network_gradient(W) * 6, W, "is that of the sum: it was multiplied by 6"),
    "some factor": (squares, lambda x: 2 * 0.37 * x, V, "was multiplied by 0.37 everywhere"),
    "some factor, in a scalar function": (np.exp, lambda x: 7 * np.exp(x), 0.3, "was multiplied by 7 everywhere"),
    "sign and factor": (squares, -V, V, "has the wrong sign and was divided by 2"),
    "products in the wrong order": (lambda w: np.sum(w @ S @ w), lambda w: w @ S.T + S.T @ w, S, None),
    "transposed square": (lambda w: np.sum(w**2 * S), (2 * S * S).T, S, "is transposed"),
    "transposed, another shape": (network, network_gradient(W).T, W, "your gradient of w is transposed"),
    "transposed, large": (large, large_gradient(LARGE).T, LARGE, "is transposed"),
    "transposed, large, another shape": (large, large_gradient(LARGE[:, :60]).T, LARGE[:, :60], "is transposed"),
    "Jacobian": (linear, A, V, "is the Jacobian of linear: the gradient is the sum of its rows"),
    "one row": (linear, A[1], V, "is the row of linear[1] alone, not the sum of all rows"),
    "summed": (squares, 2 * V.sum(), V, "is summed over its entries"),
    "mean of the rows": (linear, A.mean(axis=0), V, "is that of the mean: it was divided by 3"),
    "degrees": (degrees, lambda x: np.cos(np.deg2rad(x)), 40 * P, "degrees for radians: it was divided by pi/180"),
    "evaluated in degrees": (sines, lambda x: np.cos(np.deg2rad(x)), P, "takes the sources as degrees"),
    "log of it": (lambda x: np.exp(np.sum(x**2)), lambda x: 2 * x, V / 2, "is that of log(y), not of y"),
    "value": (squares, lambda x: squares(x) * np.ones(5), V, None),
    "the function itself": (sines, sines, V, "is the value of sines"),
    "the point": (squares, V, 2 * V, None),
    "zero": (squares, np.zeros(5), V, "is 0, as if nothing depended on it"),
    "exchanged": (product, lambda x, y: (x**2, 2 * x * y), (V, P), "is that by y: the two were exchanged"),
    "rotated": (squares, np.roll(2 * V, 1), V, "has the right entries in another order"),
    "rounded": (squares, np.round(2 * V, 4), V, "if they were rounded, give rtol=1e-"),
    "a term left out": (lambda x: np.sum(x**3 + np.sin(x)), 3 * V**2, V, None),
    "chain rule": (lambda x: np.sum(np.tanh(3 * x)), 1 - np.tanh(3 * V) ** 2, V, "was divided by 3"),
    "one entry of 10,000 doubled": (large, one_off(large_gradient(LARGE), 2.0), LARGE, None),
    "one entry of 10,000 with a wrong sign": (large, one_off(large_gradient(LARGE), -1.0), LARGE, None),
    "one entry of 10,000 off by 1 %": (large, one_off(large_gradient(LARGE), 1.01), LARGE, None),
    "10,000 entries times 100": (large, 100 * large_gradient(LARGE), LARGE,
                                 "is that of the sum: it was multiplied by 100"),
    "10,000 entries with a wrong sign": (large, -large_gradient(LARGE), LARGE, "has the wrong sign everywhere"),
    "NaN": (squares, 2 * V * [1, 1, np.nan, 1, 1], V, None),
    "infinity": (squares, 2 * V * [1, 1, np.inf, 1, 1], V, None),
    "dead": (lambda x: np.maximum(x, 0), 1.0, -1.0, None),
    "of what is 0 around": (lambda x: np.sum(x * x[0]), [0.0, 0.01, 0.0], [0.0, 0.0, 0.0], None),
    "a mask forgotten": (lambda x: np.sum(np.maximum(x, 0)), np.ones(5), V, None),
    "flat": (np.floor, 1.0, 1.5, None),
    "stationary": (lambda x: x**2 + 1, 0.1, 0.0, None),
    "right at 0 only": (lambda x: np.sum(np.sin(x)), lambda x: np.ones(5), np.zeros(5), None),
    "right at 1 only": (lambda x: np.sum(x**3), lambda x: 3 * x, np.ones(3), None),
    "second of two arguments": (product, lambda x, y: (2 * x * y, -(x**2)), (V, P), "gradient of y has the wrong sign"),
    "keywords": (product, {"y": V**2, "x": V * P}, {"x": V, "y": P}, "gradient of x was divided by 2"),
    "held labels": (lambda w, k: np.sum(w[k] ** 2), (-2 * V * [1, 1, 1, 0, 0], None), (V, LABELS), "wrong sign"),
    "far too large": (large, large_gradient(LARGE[:3]) * 1e4, LARGE[:3], "was multiplied by 10000 everywhere"),
    "float32 function": (lambda x: np.sum(np.exp(x.astype(np.float32))), lambda x: 2 * np.exp(x), V, "multiplied by 2"),
    "float32 function, sign": (lambda x: np.sum(np.exp(x.astype(np.float32))), lambda x: -np.exp(x), V, "wrong sign"),
    "steep": (lambda x: np.exp(50 * x), lambda x: np.exp(50 * x), [0.5, 0.4], "is the value of fun"),
    "sizes far apart": (lambda x: x**2, np.array([2e8, 3.0]), np.array([1e8, 1.0]), None),
}  # fmt: skip

JACOBIANS: dict[str, Row] = {
    "sign": (linear, -A, V, "Jacobian of linear by x has the wrong sign everywhere"),
    "transposed": (linear, A.T, V, "Jacobian of linear by x is transposed"),
    "transposed square": (lambda x: S @ x, S.T, V, "is transposed"),
    "sum": (linear, A.sum(axis=0), V, "is the sum of its rows, which is the gradient"),
    "sum in every row": (linear, np.tile(A.sum(axis=0), (3, 1)), V, "has the sum of all rows in every row"),
    "one row": (linear, A[0], V, "is the row of linear[0] alone"),
    "diagonal only": (softmax, lambda z: np.diag(np.diag(softmax_jacobian(z))), V, "has only its diagonal"),
    "only the diagonal": (softmax, lambda z: np.diag(softmax_jacobian(z)), V, "is only the diagonal"),
    "rows exchanged": (linear, A[[1, 0, 2]], V, "the row of linear[0] is that of linear[1]"),
    "factor": (lambda x: x**2, np.diag, P, "was divided by 2"),
    "log": (np.exp, np.eye(5), V, "is that of log(y), not of y: it was divided by the value"),
    "one entry": (linear, A + np.eye(3, 5) * [0, 0.01, 0, 0, 0], V, None),
    "one entry of 100 x 250": (lambda x: LARGE @ x[:100],
                                one_off(np.hstack([LARGE, np.zeros((100, 150))]), -1.0), LARGE.ravel()[:250],
                               None),
}  # fmt: skip


CASES = {
    **{f"gradient: {name}": (assert_gradient, case) for name, case in GRADIENTS.items()},
    **{f"Jacobian: {name}": (assert_jacobian, case) for name, case in JACOBIANS.items()},
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_derivatives_fail(name: str) -> None:
    """With the mistake that explains them."""
    assertion, (fun, derivative, x, says) = CASES[name]
    with pytest.raises(AssertionError) as caught:
        assertion(fun, derivative, x)
    if says is not None:
        assert says in str(caught.value)
