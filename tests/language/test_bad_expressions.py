"""Every way to write an expression wrongly, with the whole answer: bad_expressions.txt holds both.

Each case is the expression, a line `====` and the diagnostics; `----` parts the cases. The names are those of
`SOURCES`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.document.problem import from_expressions, with_point
from gradcli.errors import InputError
from gradcli.program import assemble
from gradcli.report.diagnostics import render_text

SOURCES = {"x": [1.0, 2.0, 3.0], "w": [1.0, 2.0], "W": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "s": 2.0, "weight": 1.0}


def complaint(text: str) -> str:
    """What a user reads who writes that expression; empty where nothing is wrong with it."""
    try:
        problem = with_point(from_expressions([text]), SOURCES, new_sources=True)
        assemble(problem, ["y"], ["x"])
    except InputError as e:
        return render_text(e.faults).rstrip("\n")
    return ""


def _cases() -> list[object]:
    blocks = (Path(__file__).parent / "bad_expressions.txt").read_text(encoding="utf-8").split("\n----\n")
    return [
        pytest.param(*block.strip("\n").split("\n====\n"), id=block.split("\n====\n")[0].strip()) for block in blocks
    ]


@pytest.mark.parametrize(("text", "answer"), _cases())
def test_bad_expression(text: str, answer: str) -> None:
    """Message, place, caret and help are exactly these."""
    assert complaint(text) == answer


@pytest.mark.parametrize(
    "text",
    [
        "x if s > 1 else 2 * x",
        "(x > 0) & ~(x > 2) | (x == 1)",
        "not (s > 1 and s < 3) or s != 2",
        "x[0:2] + w[::-1] + W[:, 0]",
        "W[..., -1] + W.T[2] + x[[0, -1]]",
        "sum(\n  x,  # a comment\n  axis=0,\n)\n- s",
        "+x ** -2 // 3 % 2",
        "0x10 * x + 1_000 + 1e-3 + .5",
        "x[None, :, None].T",
        "1 < x <= 3",
        "[s, 1, 2.5] @ x",
        "x[(0)]",
        "einsum('i,i', x, x) + einsum('ij->', W)",
    ],
)
def test_good_expression(text: str) -> None:
    """All of this is in the language."""
    assert complaint(text) == ""


def test_a_sum_of_20000_terms() -> None:
    assert complaint("+".join(["x"] * 20_000)) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(" * 300 + "x" + ")" * 300, "brackets nest more than 190 deep in the target 'y'"),
        ("-" * 200 + "x", "more than 100 signs in a row"),
        ("not " * 200 + "x", "more than 100 signs in a row"),
        ("x" + "**x" * 300, "more than 200 powers of powers"),
        ("x+" * 300_000 + "x", "the target 'y' has 600,001 characters, more than 500,000"),
        ("x\0", "the target 'y' has a null character"),
        ("9" * 5000, "exceeds the limit (4300 digits) for integer string conversion"),
    ],
)
def test_what_would_cost_too_much_is_refused(text: str, message: str) -> None:
    assert message in complaint(text)
