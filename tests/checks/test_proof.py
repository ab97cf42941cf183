"""Proofs: formulas that are equal in another form, and formulas that differ by little or only somewhere."""

from __future__ import annotations

import time

import pytest

from gradcli.checks.proof import proved
from gradcli.checks.subject import Subject
from gradcli.core.ops.shape import broadcast_to
from gradcli.document.problem import load
from gradcli.language.source import plain_text

POINT = {"x": 0.7, "y": 1.3, "v": [0.3, 0.6], "A": [[1.0, 2.0], [3.0, 4.5]]}


def is_proved(first: str, second: str) -> bool:
    p = Subject.of(load({"sources": POINT, "targets": "sum(A) + sum(v) + x + y"})).program
    a, b = (p.build(plain_text(text, f"formula {i}")) for i, text in enumerate((first, second)))
    return proved(p, broadcast_to(p.graph, a, b.shape), b)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2*x*y", "y*x + x*y"),
        ("(x + y)**2", "x**2 + 2*x*y + y**2"),
        ("sin(2*x)", "2*sin(x)*cos(x)"),
        ("1 - sin(x)**2", "cos(x)**2"),
        ("1 - tanh(x)**2", "1/cosh(x)**2"),
        ("sigmoid(x)*(1 - sigmoid(x))", "exp(-x)/(1 + exp(-x))**2"),
        ("x/(x**2 - 1)", "(1/(x - 1) + 1/(x + 1))/2"),
        ("exp(x + y)", "exp(x)*exp(y)"),
        ("0.1*x + 0.2*x", "0.3*x"),
        ("x/3", "x*(1/3)"),
        ("[2*v[0], 2*v[1]]", "2*v"),
        ("A.T @ v", "v @ A"),
        ("where(x > 0, x + x, 0)", "where(x > 0, 2*x, 0)"),
        ("0", "0*v"),
    ],
)
def test_equal_formulas_are_proved(first: str, second: str) -> None:
    assert is_proved(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x", "x + 1e-12"),
        ("0.333333*x", "x/3"),
        ("sin(x)", "x - x**3/6"),
        ("abs(x)", "x"),
        ("A @ v", "v @ A"),
        ("where(x > 0, x, 0)", "x"),
        ("sqrt(x**2)", "x"),
        ("tanh(x)", "tanh(y)"),
        ("log(x*y)", "log(x) + log(x)"),
    ],
)
def test_other_formulas_are_not(first: str, second: str) -> None:
    assert not is_proved(first, second)


def test_the_work_is_bounded() -> None:
    """A large difference is given up, not simplified for minutes."""
    text = " + ".join(f"sin(x*{k})**{k % 5 + 2}*exp(y/{k})" for k in range(1, 60))
    began = time.monotonic()

    assert not is_proved(f"({text})**2", f"({text})*({text} + 1)")
    assert time.monotonic() - began < 20
