"""What is written unstably has the right value and derivatives at large, small and ordinary arguments."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import gradcli

# name, text of the target in x, the same for mpmath, points
SCALAR = [
    (
        "log(softmax)",
        "log(softmax(stack([x, 2.0])))[0]",
        lambda x: x - mpmath.log(mpmath.exp(x) + mpmath.exp(2)),
        (-900.0, 0.3, 900.0),
    ),
    (
        "log(softmax by hand)",
        "log(exp(x) / sum(exp(stack([x, 2.0]))))",
        lambda x: x - mpmath.log(mpmath.exp(x) + mpmath.exp(2)),
        (-3.0, 0.3, 5.0),
    ),
    (
        "softmax by hand",
        "(exp([x, 2.0]) / sum(exp([x, 2.0])))[0]",
        lambda x: mpmath.exp(x) / (mpmath.exp(x) + mpmath.exp(2)),
        (-900.0, 0.3, 900.0),
    ),
    (
        "log(sum(exp))",
        "log(sum(exp([x, 1.5, x * 2])))",
        lambda x: mpmath.log(mpmath.exp(x) + mpmath.exp(1.5) + mpmath.exp(2 * x)),
        (-900.0, 0.3, 900.0),
    ),
    ("log(1 + exp)", "log(1 + exp(x))", lambda x: mpmath.log(1 + mpmath.exp(x)), (-700.0, 0.3, 900.0)),
    ("log(exp + 1)", "log(exp(3 * x) + 1)", lambda x: mpmath.log(1 + mpmath.exp(3 * x)), (-200.0, 0.3, 900.0)),
    ("log1p(exp)", "log1p(exp(x))", lambda x: mpmath.log(1 + mpmath.exp(x)), (-700.0, 0.3, 900.0)),
    ("log(sigmoid)", "log(sigmoid(x))", lambda x: -mpmath.log(1 + mpmath.exp(-x)), (-900.0, 0.3, 700.0)),
    ("log(sigmoid by hand)", "log(1 / (1 + exp(-x)))", lambda x: -mpmath.log(1 + mpmath.exp(-x)), (-900.0, 0.3, 700.0)),
    ("log(1 - sigmoid)", "log(1 - sigmoid(x))", lambda x: -mpmath.log(1 + mpmath.exp(x)), (-700.0, 0.3, 900.0)),
    ("log1p(-sigmoid)", "log1p(-sigmoid(x))", lambda x: -mpmath.log(1 + mpmath.exp(x)), (-700.0, 0.3, 900.0)),
    ("sigmoid by hand", "1 / (1 + exp(-x))", lambda x: 1 / (1 + mpmath.exp(-x)), (-700.0, 0.3, 700.0)),
    ("sigmoid by hand, above", "exp(x) / (1 + exp(x))", lambda x: 1 / (1 + mpmath.exp(-x)), (-700.0, 0.3, 900.0)),
    (
        "sigmoid by hand, reciprocal",
        "reciprocal(1 + exp(-x))",
        lambda x: 1 / (1 + mpmath.exp(-x)),
        (-700.0, 0.3, 700.0),
    ),
    ("log(det)", "log(det(x * eye(3)))", lambda x: 3 * mpmath.log(x), (1e-120, 0.3, 1e200)),
    ("log(abs(det))", "log(abs(det(-x * eye(3))))", lambda x: 3 * mpmath.log(x), (1e-120, 0.3, 1e200)),
    ("norm squared", "norm([x, 2 * x])**2", lambda x: 5 * x * x, (0.0, 1e-150, 0.3, -7.0, 1e150)),
    ("norm times norm", "norm([x, 2 * x]) * norm([x, 2 * x])", lambda x: 5 * x * x, (0.0, 0.3, -7.0)),
    ("norm to the fourth", "norm([x, 2 * x])**4", lambda x: 25 * x**4, (0.0, 0.3, -7.0)),
    ("hypot squared", "hypot(x, 2 * x)**2", lambda x: 5 * x * x, (0.0, 0.3, -7.0)),
    ("squares in a stack", "sum(stack([norm([x, x]), norm([x])])**2)", lambda x: 3 * x * x, (0.0, 0.3, -7.0)),
    ("exp(log)", "exp(log(x))", lambda x: x, (0.0, 1e-300, 0.3, 1e300)),
    ("log(exp)", "log(exp(x))", lambda x: x, (-1e4, 0.0, 0.3, 1e4)),
    ("1/(1/x)", "1 / (1 / x)", lambda x: x, (0.0, 1e-310, 0.3, -4.0)),
    ("inverse of a reciprocal", "reciprocal(x**-1)", lambda x: x, (0.0, 0.3, -4.0)),
    ("sqrt squared", "sqrt(x)**2", lambda x: x, (0.0, 1e-300, 0.3, 1e300)),
    ("sqrt times sqrt", "sqrt(x) * sqrt(x)", lambda x: x, (0.0, 0.3, 5.0)),
    ("sqrt to the fourth", "sqrt(x)**4", lambda x: x * x, (0.0, 0.3, 5.0)),
    ("x times sqrt twice", "(x * sqrt(x)) * sqrt(x)", lambda x: x * x, (0.0, 0.3, 5.0)),
]


def _points() -> list[tuple[str, object, float]]:
    return [pytest.param(text, f, x, id=f"{name} at {x:g}") for name, text, f, points in SCALAR for x in points]


def _close(got: float, want: float, x: float) -> None:
    """Equal to 1e-10; at 0 the one-sided step of the reference is what is left of it."""
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-300 if x else 1e-190)


@pytest.mark.parametrize(("text", "f", "x"), _points())
def test_value_first_and_second_derivative(text: str, f, x: float) -> None:
    problem = {"sources": {"x": x}, "targets": text}
    found = gradcli.hessian(problem)
    slope = gradcli.grad(problem).gradient["x"]
    with mpmath.workdps(900):
        at = mpmath.mpf(x)
        step = {"h": mpmath.mpf(10) ** -200 * (abs(at) or 1), "direction": 1 if x == 0 else 0}
        first, second = (float(mpmath.diff(f, at, n, **step)) for n in (1, 2))
        value = float(f(at))
    _close(float(found.targets["y"]), value, x)
    _close(float(slope), first, x)
    _close(float(found.hessian["x"]["x"]), second, x)


def test_x_times_root_of_x_is_flat_at_0() -> None:
    assert float(gradcli.grad({"sources": {"x": 0.0}, "targets": "x * sqrt(x)"}).gradient["x"]) == 0.0


@pytest.mark.parametrize("text", ["sqrt(x)**2", "sqrt(x) * sqrt(x)", "exp(log(x))", "x * sqrt(x)", "log(det([[x]]))"])
def test_the_domain_stays(text: str) -> None:
    with np.errstate(all="ignore"):
        assert np.isnan(gradcli.grad({"sources": {"x": -2.0}, "targets": text}).targets["y"])


@pytest.mark.parametrize(
    ("text", "x", "value", "slope"),
    [
        ("x / x", 0.0, np.nan, np.nan),
        ("0 * log(x)", 0.0, np.nan, 0.0),
        ("x - x", 3.0, 0.0, 0.0),
        ("sqrt(x) / sqrt(x)", 0.0, np.nan, np.nan),
        ("log(mean(exp(stack([x, x]))))", 800.0, np.inf, np.nan),
        ("x * x**2", 0.0, 0.0, 0.0),
        ("log(2 + exp(x))", 800.0, np.inf, np.nan),
    ],
)
def test_what_must_stay_as_written_stays(text: str, x: float, value: float, slope: float) -> None:
    problem = {"sources": {"x": x}, "targets": text}
    for as_written in (False, True):
        found = gradcli.grad(problem, as_written=as_written)
        np.testing.assert_equal(float(found.targets["y"]), value)
        np.testing.assert_equal(float(found.gradient["x"]), slope)


@pytest.mark.parametrize(
    ("text", "x", "value", "slope"),
    [
        ("log(1 + exp(x))", 800.0, np.inf, np.nan),
        ("log(softmax([x, 0.0]))[1]", 1000.0, -np.inf, np.nan),
        ("sqrt(x)**2", 0.0, 0.0, np.nan),
        ("log(sum(exp([x, x])))", 800.0, np.inf, np.nan),
    ],
)
def test_as_written_switches_it_off(text: str, x: float, value: float, slope: float) -> None:
    found = gradcli.grad({"sources": {"x": x}, "targets": text}, as_written=True)
    np.testing.assert_equal(float(found.targets["y"]), value)
    np.testing.assert_equal(float(found.gradient["x"]), slope)


def test_rewrites_work_across_lets_and_keep_other_uses() -> None:
    problem = {
        "sources": {"z": [1000.0, 0.0]},
        "let": {"s": "softmax(z)", "l": "log(s)"},
        "targets": {"y": "l[1]", "s0": "s[0]"},
    }
    found = gradcli.grad(problem, targets=["y"])
    np.testing.assert_array_equal(found.gradient["z"], [-1.0, 1.0])
    np.testing.assert_array_equal(gradcli.grad(problem, targets=["s0"]).targets["s0"], 1.0)


def test_softmax_by_hand_keeps_axes_and_broadcasting() -> None:
    z = np.array([[1.0, 800.0, 3.0], [-800.0, 0.5, 0.0]])
    by_hand = "exp(z) / sum(exp(z), axis=1, keepdims=True)"
    found = gradcli.compare({"sources": {"z": z}, "targets": {"y": by_hand, "s": "softmax(z, axis=1)"}})
    np.testing.assert_allclose(found.targets["y"], found.targets["s"], rtol=1e-15)
    np.testing.assert_allclose(found.jacobian["y"]["z"], found.jacobian["s"]["z"], rtol=1e-12, atol=1e-300)
    assert found.match
    other_axis = gradcli.grad({"sources": {"z": z[:, :1] / 1000}, "targets": "exp(z) / sum(exp(z), axis=1)"})
    assert other_axis.targets["y"].shape == (2, 2)  # no softmax: the sum broadcasts against the other axis
