"""The texts themselves: what a reader sees, and can paste back."""

from __future__ import annotations

import pytest

XY = {"x": 0.5, "y": 1.5}
V = {"v": [0.3, 0.7, -0.2]}
TEXTS = [
    ("x1**2 * x2", {"x1": 2.0, "x2": 3.0}, {"x1": "2*x1*x2", "x2": "x1**2"}),
    ("tanh(x)", {"x": 0.5}, {"x": "1 - tanh(x)**2"}),
    ("relu(x)", {"x": 0.5}, {"x": "1 if x > 0 else 0"}),
    ("relu6(x)", {"x": 0.5}, {"x": "1 if x > 0 and x < 6 else 0"}),
    ("leaky_relu(x)", {"x": 0.5}, {"x": "1 if x > 0 else 0.2"}),
    ("clip(x, 0, 1) * y", XY, {"x": "y if x >= 0 and x <= 1 else 0", "y": "minimum(maximum(x, 0), 1)"}),
    ("abs(x)", {"x": 0.5}, {"x": "sign(x)"}),
    ("0.1*x + y/3", XY, {"x": "0.1", "y": "1/3"}),
    ("0.1*x**2 + 0.5*y**2", XY, {"x": "0.2*x", "y": "y"}),
    ("x**2/4", {"x": 0.5}, {"x": "x/2"}),
    ("x**2.5", {"x": 0.5}, {"x": "2.5*x**1.5"}),
    ("1e-5*x*y", XY, {"x": "1e-05*y", "y": "1e-05*x"}),
    ("sqrt(x)", {"x": 0.5}, {"x": "1/(2*sqrt(x))"}),
    ("arcsin(x)", {"x": 0.5}, {"x": "1/sqrt(1 - x**2)"}),
    ("arctanh(x)", {"x": 0.5}, {"x": "1/(1 - x**2)"}),
    ("cbrt(x)", {"x": 0.5}, {"x": "1/(3*cbrt(x)**2)"}),
    ("2**x", {"x": 0.5}, {"x": "2**x*log(2)"}),
    ("e**(pi*x)", {"x": 0.5}, {"x": "pi*exp(pi*x)"}),
    ("log10(x)", {"x": 0.5}, {"x": "1/(x*log(10))"}),
    ("erf(x)", {"x": 0.5}, {"x": "2*exp(-x**2)/sqrt(pi)"}),
    ("lgamma(x)", {"x": 0.5}, {"x": "digamma(x)"}),
    ("sigmoid(x)", {"x": 0.5}, {"x": "sigmoid(-x)*sigmoid(x)"}),
    ("softplus(x)", {"x": 0.5}, {"x": "sigmoid(x)"}),
    ("(x - y)**2 / 2", XY, {"x": "x - y", "y": "y - x"}),
    ("hypot(x, y)", XY, {"x": "x/sqrt(x**2 + y**2)", "y": "y/sqrt(x**2 + y**2)"}),
    ("arctan2(y, x)", XY, {"x": "-y/(x**2 + y**2)", "y": "x/(x**2 + y**2)"}),
    ("maximum(x, y)", XY, {"x": "1 if x >= y else 0", "y": "1 if x < y else 0"}),
    ("where(x > 0, log(x), 0) * y", XY, {"x": "y/x if x > 0 else 0", "y": "log(x) if x > 0 else 0"}),
    ("huber(x, 1)", {"x": 0.5}, {"x": "sign(x - 1) if abs(x - 1) > 1 else x - 1"}),
    ("x * inf", {"x": 0.5}, {"x": "inf"}),
    ("mod(x, y)", XY, {"x": "1", "y": "-floor(x/y)"}),
    ("sin(x)**2 + cos(x)**2 + 0*y", XY, {"x": "0", "y": "0"}),
    ("stop_gradient(x) * x", {"x": 0.5}, {"x": "x"}),
    ("sum(v)", V, {"v": ["1", "1", "1"]}),
    ("prod(v)", V, {"v": ["v[1]*v[2]", "v[0]*v[2]", "v[0]*v[1]"]}),
    ("mean(v**2)", V, {"v": ["2*v[0]/3", "2*v[1]/3", "2*v[2]/3"]}),
    ("norm(v[:2])", V, {"v": ["v[0]/sqrt(v[0]**2 + v[1]**2)", "v[1]/sqrt(v[0]**2 + v[1]**2)", "0"]}),
    ("logsumexp(v[:2])", V, {"v": ["exp(v[0])/(exp(v[0]) + exp(v[1]))", "exp(v[1])/(exp(v[0]) + exp(v[1]))", "0"]}),
    (
        "det(A)",
        {"A": [[1.0, 2.0], [3.0, 4.0]]},
        {"A": [["A[1,1]", "-A[1,0]"], ["-A[0,1]", "A[0,0]"]]},
    ),
    ("sum(l.w * x)", {"l": {"w": [1.0, 2.0]}, "x": 3.0}, {"l.w": ["x", "x"], "x": "l.w[0] + l.w[1]"}),
]


@pytest.mark.parametrize(("target", "sources", "texts"), TEXTS, ids=[t for t, _, _ in TEXTS])
def test_texts(ask, target, sources, texts):
    assert dict(ask(target, sources).found.formulas) == texts


def test_hessian(ask):
    found = ask("x**2*y + sin(x)", XY, what="hessian")

    assert found["x", "x"] == "2*y - sin(x)"
    assert found["x", "y"] == found["y", "x"] == "2*x"
    assert found["y", "y"] == "0"


def test_rows(ask):
    found = ask("[x*y, x + y]", XY, what="reverse")

    assert found["y", "x"] == ["y", "1"]
    assert found["y", "y"] == ["x", "1"]


def test_unconnected_is_none(ask):
    found = ask("x", XY)

    assert found["y"] is None
    assert not found.gaps


@pytest.mark.parametrize(
    "name", ["lambda_", "λ", "S", "N", "I", "beta", "gamma", "zeta", "pi", "e", "x", "oo", "log", "_0", "Q"]
)
def test_names_are_the_users(ask, name):
    """No name is one of sympy's, whatever it is called."""
    assert ask(f"{name}**3 * sin({name})", {name: 2.0})[name] == f"{name}**2*({name}*cos({name}) + 3*sin({name}))"


def test_numbers_under_taken_names(ask):
    """Where pi and e are names of the file, the numbers are spelled out."""
    assert ask("pi*x**2", {"x": 2.0})["x"] == "2*pi*x"
    assert ask("3.141592653589793*x**2", {"x": 2.0, "pi": 3.0})["x"] == "2*3.141592653589793*x"
    assert ask("3.141592653589793*x**2", {"x": 2.0}, taken=["pi"])["x"] == "2*3.141592653589793*x"
    assert ask("2.718281828459045*x", {"x": 2.0})["x"] == "exp(1)"


LETS = {"z": "x*y + y**3"}


class TestLets:
    def test_are_kept_where_that_is_shorter(self, ask):
        found = ask("exp(z)", XY, lets=LETS)

        assert found["x"] == "y*exp(z)"

    def test_are_looked_into_where_that_is_not_longer(self, ask):
        found = ask("z", XY, lets=LETS)

        assert found["x"] == "y"
        assert found["y"] == "x + 3*y**2"

    def test_are_looked_into_on_request(self, ask):
        found = ask("exp(z)", XY, lets=LETS, expand=True)

        assert found["x"] == "y*exp(x*y + y**3)"

    def test_may_be_sources(self, ask):
        found = ask("exp(z)*x", XY, lets=LETS, by=["z", "x"])

        assert found["z"] == "x*exp(z)"
        assert found["x"] == "(x*y + 1)*exp(z)"

    def test_entries(self, ask):
        found = ask("square(logits)", {"w": [[1.0, 2.0], [3.0, 4.0]]}, lets={"logits": "w @ [1, 2] + exp(w[0])"})

        assert found["w"][1] == ["2*logits[1]", "4*logits[1]"]


class TestLatex:
    @pytest.mark.parametrize(
        ("target", "sources", "texts"),
        [
            ("x1**2 * w[0,1]", {"x1": 1.0, "w": [[1.0, 2.0]]}, {"x1": "2 w_{0,1} x_{1}", "w": [["0", "x_{1}^{2}"]]}),
            ("beta*λ", {"beta": 1.0, "λ": 2.0}, {"beta": r"\lambda", "λ": r"\beta"}),
            ("lambda_**2", {"lambda_": 1.0}, {"lambda_": r"2 \lambda"}),
            ("rate*w_out", {"rate": 1.0, "w_out": 2.0}, {"rate": r"\mathrm{w\_out}", "w_out": r"\mathrm{rate}"}),
            ("0.1*x**2 + 1e-5*x", {"x": 1.0}, {"x": r"0.2 x + 1 \cdot 10^{-5}"}),
            ("sqrt(x)", {"x": 1.0}, {"x": r"\frac{1}{2 \sqrt{x}}"}),
            ("x1*v[0]", {"x1": 1.0, "v": [1.0]}, {"x1": "v_{0}", "v": ["x_{1}"]}),
        ],
    )
    def test_texts(self, ask, target, sources, texts):
        assert dict(ask(target, sources, latex=True).found.formulas) == texts

    def test_indices_of_names_with_a_number(self, ask):
        assert ask("x1[0]**2", {"x1": [1.0]}, latex=True)["x1"] == ["2 {x_{1}}_{0}"]
