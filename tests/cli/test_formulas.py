"""--formulas, --latex and --expand: each derivative as a formula beside its number."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

POWERS = ("grad", "-e", "x1**2*x2", "--at", "x1=2", "--at", "x2=3")
FILE = """
sources: {w: [1.0, 2.0], unused: 1.0, layer: {b: 0.5}}
let: {h: tanh(w + layer.b)}
targets: {y: sum(h**2)}
"""


def test_a_gradient_is_a_formula(run: Run) -> None:
    assert run(*POWERS, "--formulas").stdout == (
        "grad  float64\n"
        "gradient = d y / d source, in each source's shape\n"
        "\n"
        "  y = 12\n"
        "\n"
        "           gradient\n"
        "  x1 = 2   12\n"
        "  x2 = 3    4\n"
        "\n"
        "  formulas\n"
        "  x1   2*x1*x2 = 12\n"
        "  x2   x1**2 = 4\n"
    )


def test_in_the_json_under_formulas(run: Run) -> None:
    found = json.loads(run(*POWERS, "--formulas", "--json").stdout)
    assert found["formulas"] == {"x1": "2*x1*x2", "x2": "x1**2"}
    assert list(found) == ["schema_version", "command", "targets", "gradient", "formulas", "shapes", "dtype", "notes"]
    assert "formulas" not in json.loads(run(*POWERS, "--json").stdout)


def test_let_names_are_kept_where_that_is_shorter_and_nested_sources_nest(run: Run) -> None:
    found = json.loads(run("grad", "-", "--formulas", "--json", stdin=FILE).stdout)["formulas"]
    assert found == {
        "w": ["2*h[0] - 2*h[0]**3", "2*h[1] - 2*h[1]**3"],
        "unused": None,
        "layer": {"b": "2*(h[0] - h[0]**3 - h[1]**3 + h[1])"},
    }
    expanded = json.loads(run("grad", "-", "-s", "w", "--expand", "--json", stdin=FILE).stdout)["formulas"]["w"][0]
    assert "h[" not in expanded
    assert "tanh(" in expanded


def test_jacobian_compare_and_hessian(run: Run) -> None:
    twice = ("-e", "[x*y, x + y]", "--at", "x=2", "--at", "y=3", "--formulas", "--json")
    for command in ("jacobian", "compare"):
        found = json.loads(run(command, *twice).stdout)["formulas"]
        assert found == {"y": {"x": ["y", "1"], "y": ["x", "1"]}}
    found = json.loads(run("hessian", "-e", "x**2*y", "--at", "x=2", "--at", "y=3", "--formulas", "--json").stdout)
    assert found["formulas"] == {"x": {"x": "2*y", "y": "2*x"}, "y": {"x": "2*x", "y": "0"}}


def test_latex(run: Run) -> None:
    found = json.loads(run("grad", "-e", "exp(sum(w))", "--at", "w=[1,2]", "--latex", "--json").stdout)
    assert found["formulas"]["w"] == ["e^{w_{0} + w_{1}}"] * 2


def test_too_many_entries_say_so_and_keep_their_numbers(run: Run) -> None:
    made = run("grad", "-e", "sum(w**2)", "--at", "w={shape: [100], fill: 1}", "--formulas", "--json")
    found = json.loads(made.stdout)
    assert found["gradient"]["w"] == [2.0] * 100
    assert found["formulas"]["w"] is None
    assert found["notes"] == [
        {"kind": "formula", "message": "no formula for w (100 entries): more than 64 entries", "line": None}
    ]
