"""Nothing is missing: every function has a row, a line of doc, and the signature and derivative that were agreed on."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.core.families import Op
from gradcli.core.nodes import Apply
from gradcli.language.declare import Function
from gradcli.language.table import function_names, functions, lookup
from tests.functions_table import ALIASES, EXTRA, FUNCTIONS
from tests.op_rows import ROWS, Row
from tests.oracle import Subject

BY_NAME = {f.name: f for f in functions()}
ROWS_BY_NAME = {r.name: r for r in ROWS}
# Rows for what is no function.
SYNTAX = {
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "@",
    "unary -",
    "comparisons",
    "logic",
    "a if c else b",
    "[a, b]",
    ".T",
    "x[i]",
    "x[a:b:c]",
    "x[[i, j]]",
    "constants",
    "einsum of three",
}
every = pytest.mark.parametrize("f", functions(), ids=lambda f: f.name)


def test_the_functions_are_those_agreed_on() -> None:
    assert BY_NAME.keys() == FUNCTIONS.keys()


def test_every_function_has_a_row() -> None:
    assert BY_NAME.keys() | SYNTAX == ROWS_BY_NAME.keys()
    assert len(ROWS) == len(ROWS_BY_NAME)


@every
def test_signature(f: Function) -> None:
    assert f.signature == FUNCTIONS[f.name][0]


@every
def test_derivative_column(f: Function) -> None:
    """A constant is listed as differentiable: nothing in it cuts a path."""
    agreed = FUNCTIONS[f.name][1]
    assert f.derivative in ({"d", "constant"} if agreed == "constant" else {agreed})


@every
def test_line_of_doc(f: Function) -> None:
    """One line that fits beside a name in the catalogue, says something, and is no sentence."""
    assert 4 <= len(f.doc) <= 110
    assert "\n" not in f.doc
    assert not f.doc.endswith(".")
    assert f.doc == f.doc.strip()


@every
def test_the_row_says_the_same(f: Function) -> None:
    """Shapes, a reference, and at least one input that is refused or a kink, or a reason in the syntax of the row."""
    r = ROWS_BY_NAME[f.name]
    if FUNCTIONS[f.name][1] != "constant":
        assert r.derivative == f.derivative
    assert r.examples
    assert any(f"{name}(" in e.text for e in r.examples for name in (f.name, *f.aliases))


@every
def test_examples_use_every_parameter(f: Function) -> None:
    """Each optional parameter is given in some example."""
    texts = [e.text for e in ROWS_BY_NAME[f.name].examples]
    for k, p in enumerate(f.parameters):
        if not p.required and not p.variadic:
            named = any(f"{p.name}=" in text for text in texts)
            positional = any(_arguments(text, f) > k for text in texts)
            assert named or positional, f"{f.name}: no example gives {p.name}"


def _arguments(text: str, f: Function) -> int:
    """How many arguments the first call of a function in a text has by position."""
    for name in (f.name, *f.aliases):
        start = text.find(f"{name}(")
        if start >= 0:
            depth, count = 0, 1
            for c in text[start + len(name) :]:
                depth += c in "(["
                depth -= c in ")]"
                if depth == 0:
                    return count
                count += c == "," and depth == 1
    return 0


def test_aliases() -> None:
    assert {a: f.name for f in functions() for a in f.aliases} == ALIASES
    for alias, name in ALIASES.items():
        assert lookup(alias) is BY_NAME[name]
    assert set(function_names()) == BY_NAME.keys() | ALIASES.keys()


def test_the_extra() -> None:
    assert {f.name for f in functions() if f.extra == "special"} >= EXTRA


@pytest.mark.parametrize("name", sorted(EXTRA | {"gelu"}))
def test_without_scipy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clear error that names the extra."""
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda n, *a: None if n.split(".")[0] == "scipy" else find(n, *a))
    with pytest.raises(gradcli.InputError) as caught:
        gradcli.grad({"sources": {"x": 1.0}, "targets": f"{name}(x)"})
    (fault,) = caught.value.faults
    assert (fault.message, fault.help) == (f"{name} needs SciPy", "pip install 'gradcli[special]'")


def test_kinks_of_the_contract_have_rows() -> None:
    """Functions with a convention at a point: the table of golden/README.md."""
    expected = (
        "abs relu maximum minimum max min clip floor ceil round sign norm hypot std ** cumprod prod where sqrt log"
    )
    expected += (
        " log_softmax logsumexp softplus sigmoid arctan2 power arccos xlogy rsqrt det inv mod sort huber heaviside"
    )
    missing = [name for name in expected.split() if not ROWS_BY_NAME[name].kinks]
    assert missing == []


def test_every_op_is_reached() -> None:
    """Each op that is declared anywhere in the core is in the graph of some example, kink or their derivatives."""
    seen: set[str] = set()
    for r in ROWS:
        for text, point in _texts(r):
            s = Subject(text, point)
            if r.derivative != "cut":
                s.rows(forward=True)
                s.rows(forward=False)
                s.hessian()
            seen |= {node.op.name for node in s.graph.definitions if isinstance(node, Apply)}
    assert {op.name for op in _instances()} - seen - ONLY_ELSEWHERE == set()


# Made for masks (core/test_differentiate.py), for a let as a source, by the pass that rewrites, or for rows that are
# computed alone (core/test_rows.py).
ONLY_ELSEWHERE = {"named", "masked_contract", "masked_mul", "logical_and", "logical_or", "logdet", "not_negative"} | {
    "window",
    "unwindow",
}


def _texts(r: Row) -> list[tuple[str, dict[str, Any]]]:
    """The first examples and all kinks of a row."""
    examples = [(e.text, e.draw(r)) for e in r.examples]
    return examples + [(k.text, {n: np.asarray(a, float) for n, a in k.point.items()}) for k in r.kinks]


def _instances() -> list[Op]:
    """All ops that the modules of `gradcli.core.ops` hold."""
    import importlib
    import pkgutil

    from gradcli.core import ops

    found: dict[int, Op] = {}
    for module in pkgutil.iter_modules(ops.__path__):
        names = vars(importlib.import_module(f"gradcli.core.ops.{module.name}"))
        for value in names.values():
            found |= {id(v): v for v in (value.values() if isinstance(value, dict) else [value]) if isinstance(v, Op)}
    return [op for op in found.values() if not inspect.isabstract(type(op))]
