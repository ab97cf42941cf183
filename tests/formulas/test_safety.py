"""Nothing that a user writes is read by sympy or Python."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import gradcli.formulas

FILES = sorted(Path(gradcli.formulas.__file__).parent.glob("*.py"))
READERS = {"eval", "exec", "compile", "sympify", "parse_expr", "symbols", "lambdify", "S"}


@pytest.mark.parametrize("path", FILES, ids=[p.name for p in FILES])
def test_no_text_is_parsed(path):
    """No call by one of these names; `sp.S.Zero` and the like are no calls."""
    calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    names = {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in calls}

    assert not names & READERS


@pytest.mark.parametrize("name", ["exec", "eval", "os", "__import__", "S", "Symbol"])
def test_names_stay_names(ask, name):
    found = ask(f"{name}**2", {name: 3.0}, latex=False)

    assert found[name] == f"2*{name}"
    assert "2" in ask(f"{name}**2", {name: 3.0}, latex=True)[name]
