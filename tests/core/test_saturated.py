"""Where a softmax is nearly 1 in one place, its derivatives keep all their digits, and rows still add up."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import gradcli

LOGITS = [[1.0, 2.0, 8.0], [-3.0, 6.0], [0.0, 30.0], [1000.0, 0.0], [40.0, 0.0, 39.0], [5.0, 5.0, -60.0]]


def _softmax(z: list[float]) -> list[mpmath.mpf]:
    e = [mpmath.exp(x) for x in z]
    return [x / mpmath.fsum(e) for x in e]


@pytest.mark.parametrize("z", LOGITS)
def test_jacobians_to_the_last_digits(z: list[float]) -> None:
    with mpmath.workdps(1000):
        y = _softmax(z)
        n = range(len(z))
        rest = [mpmath.fsum(y[j] for j in n if j != k) for k in n]
        soft = [[float(y[i] * (rest[i] if i == j else -y[j])) for j in n] for i in n]
        logs = [[float(rest[i] if i == j else -y[j]) for j in n] for i in n]
    for text, want in (("softmax(z)", soft), ("log_softmax(z)", logs)):
        problem = {"sources": {"z": z}, "targets": text}
        for found in (gradcli.jacobian(problem), gradcli.compare(problem)):  # reverse, forward
            np.testing.assert_allclose(found.jacobian["y"]["z"], want, rtol=1e-13, atol=1e-320)
        assert gradcli.compare(problem).match


@pytest.mark.parametrize("z", LOGITS)
def test_the_gradient_of_a_softmax_is_exactly_0(z: list[float]) -> None:
    found = gradcli.compare({"sources": {"z": z}, "targets": "softmax(z)"})
    assert found.match
    np.testing.assert_array_equal(found.gradient["z"], np.zeros(len(z)))


def test_a_confident_loss_keeps_its_gradient() -> None:
    found = gradcli.grad({"sources": {"z": [[0.0, 30.0]]}, "targets": "sparse_softmax_cross_entropy([1], z)"})
    np.testing.assert_allclose(found.gradient["z"], [[np.exp(-30.0), -np.exp(-30.0)]], rtol=1e-12)


@pytest.mark.parametrize(
    "text", ["var(cumsum(x))", "sum((x - mean(x))**2)", "x - mean(x)", "log1p(softmax(x))", "std(x) * x"]
)
def test_rounding_that_is_left_of_terms_that_cancel_is_no_mismatch(text: str) -> None:
    rng = np.random.default_rng(0)
    for x in (
        [-3.0, 6.0],
        [1.0, 2.0, 3.0],
        [1.0, 1.0, 1.0 + 1e-9],
        rng.standard_normal(7),
        1e6 * rng.standard_normal(4),
    ):
        assert gradcli.compare({"sources": {"x": x}, "targets": text}).match
