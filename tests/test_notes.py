"""What the notes say: kinks, domains, the origin of what is not finite, why a source is unconnected."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli
from gradcli.api import per_example


def _notes(text: str, **sources: object) -> list[tuple[str, str]]:
    found = gradcli.grad({"sources": sources, "targets": text})
    return [(n.kind, n.message) for n in found.notes]


KINKS = [
    ("abs(x)", {"x": 0.0}, "abs(x) is at a kink: the derivative is taken as 0 (from the left -1, from the right 1)"),
    ("sum(abs(x))", {"x": [1.0, 0.0]}, "abs(x) is at a kink in entry [1]: the derivative is taken as 0"),
    ("sum(abs(x))", {"x": [0.0, 0.0]}, "abs(x) is at a kink in 2 entries, first [0]: the derivative is taken as 0"),
    ("relu(x)", {"x": 0.0}, "relu(x) is at a kink: the derivative is taken as 0 (from the left 0, from the right 1)"),
    ("relu6(x)", {"x": 6.0}, "relu6(x) is at a kink: the derivative is taken as 0"),
    (
        "maximum(x, y)",
        {"x": 1.0, "y": 1.0},
        "maximum(x, y) is at a kink: a tie, the first argument takes the derivative, with slope 1",
    ),
    (
        "clip(x, 0, 1)",
        {"x": 1.0},
        "clip(x, 0, 1) is at a kink: a tie, the first argument takes the derivative, with slope 1",
    ),
    ("max(x)", {"x": [2.0, 2.0, 1.0]}, "max(x) is at a kink: a tie, the equal entries share the derivative evenly"),
    ("norm(x)", {"x": [0.0, 0.0]}, "norm(x) is at a kink: its tip, the derivative is taken as 0 (a subgradient)"),
    ("std(x)", {"x": [3.0, 3.0]}, "std(x) is at a kink: its tip, the derivative is taken as 0 (a subgradient)"),
    (
        "hypot(x, y)",
        {"x": 0.0, "y": 0.0},
        "hypot(x, y) is at a kink: its tip, the derivative is taken as 0 (a subgradient)",
    ),
    (
        "x * floor(x)",
        {"x": 2.0},
        "floor(x) is at a kink: a jump, the derivative is taken as 0 (from the left 0, from the right 0)",
    ),
    ("x % 3", {"x": 6.0}, None),
    (
        "mod(x, 3)",
        {"x": 6.0},
        "mod(x, 3) is at a kink: a jump, the derivative is taken as 1 (from the left 1, from the right 1)",
    ),
]


@pytest.mark.parametrize(("text", "sources", "message"), KINKS)
def test_a_kink_says_what_was_taken(text: str, sources: dict[str, object], message: str | None) -> None:
    notes = [message for kind, message in _notes(text, **sources) if kind == "kink"]
    wanted = message or "x % 3 is at a kink: a jump, the derivative is taken as 1 (from the left 1, from the right 1)"
    assert notes == [wanted]


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("abs(x)", {"x": 1e-300}),
        ("where(x > 0, abs(x), 1.0)", {"x": 0.0}),
        ("where(x > 0, log(x), 0.0)", {"x": -1.0}),
        ("where(x > 0, where(x > 1, log(x - 1), 2.0), 0.0)", {"x": 0.5}),
        ("x if abs(x) > 1 else 2*x", {"x": 0.0}),
        ("abs(stop_gradient(x)) * x", {"x": 0.0}),
        ("huber(x, 0.0)", {"x": 0.0}),
        ("norm(x)**2", {"x": [0.0, 0.0]}),
    ],
)
def test_no_note_where_the_derivative_does_not_pass(text: str, sources: dict[str, object]) -> None:
    assert _notes(text, **sources) == []


def test_a_domain_says_what_is_outside() -> None:
    assert _notes("log(x)", x=-1.0) == [
        ("nonfinite", "y is NaN: log(x) is NaN at x = -1"),
        ("domain", "log(x) is outside its domain: not a real number; the derivative is taken as 1/x"),
    ]


NONFINITE = [
    ("sqrt(x)", {"x": 0.0}, "the gradient of x is inf: the derivative of sqrt(x) is inf at x = 0"),
    ("sum(1 / x)", {"x": [2.0, 0.0]}, "y is inf: 1 / x is inf at x[1] = 0"),
    ("exp(x) - exp(x)", {"x": 1000.0}, "y is NaN: exp(x) is inf at x = 1000"),
    ("x * 2", {"x": [1.0, np.nan]}, "y[1] is NaN: source x holds it"),
    ("where(x > 0, log(-x), 0.0) + log(x - 1)", {"x": 1.0}, "y is NaN: log(-x) is NaN at -x = -1"),
    ("x + inf", {"x": 1.0}, "y is inf: x + inf is inf at x = 1"),
    ("x / x", {"x": 0.0}, "y is NaN: x / x is NaN at x = 0"),
]


@pytest.mark.parametrize(("text", "sources", "message"), NONFINITE)
def test_what_is_not_finite_is_followed_back(text: str, sources: dict[str, object], message: str) -> None:
    notes = [m for kind, m in _notes(text, **sources) if kind == "nonfinite"]
    assert notes == [message]


def test_lines_of_a_file_are_named(tmp_path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(
        "sources: {x: 0.0, t: 1.0, s: 1.0, u: 1.0, i: 0, v: [1.0, 2.0]}\n"
        "let:\n"
        "  a: where(x > t, x, -x)\n"
        "  b: stop_gradient(s) + v[i]\n"
        "targets:\n"
        "  y: a * b + abs(x)\n"
    )
    assert [(n.kind, n.message, n.line) for n in gradcli.grad(path).notes] == [
        ("unconnected", "t is unconnected: used only in a condition, line 3", 3),
        ("unconnected", "s is unconnected: cut by stop_gradient, line 4", 4),
        ("unconnected", "u is unconnected: not used", None),
        ("unconnected", "i is unconnected: used only as an index, line 4", 4),
        ("kink", "abs(x), line 6, is at a kink: the derivative is taken as 0 (from the left -1, from the right 1)", 6),
    ]


def test_entries_of_rows_blocks_and_examples_are_named_by_output_and_source() -> None:
    point = {"sources": {"x": [[0.0, 1.0], [4.0, 9.0]]}, "targets": {"x": "sqrt(x)"}}  # a target named like its source
    cause = "the derivative of sqrt(x) is inf at x[0,0] = 0"
    whole = next(n.message for n in gradcli.jacobian(point).notes if n.kind == "nonfinite")
    assert whole == f"the derivative of x[0,0] by x[0,0] is inf: {cause}"
    blocks = next(n.message for n in per_example(point).notes if n.kind == "nonfinite")
    assert blocks == f"the derivative of x[0,0] by x[0] is inf: {cause}"
    twice = next(n.message for n in gradcli.hessian(point).notes if n.kind == "nonfinite")
    assert twice == f"the derivative of x[0,0] by x[0,0] is -inf: {cause}"
