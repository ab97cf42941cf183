"""The shipped JSON Schema of the results allows what every command prints, and nothing else.

The fixture `run` holds every answer in JSON that any test asks for against it, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

from gradcli.cli import commands
from gradcli.cli.options import signed
from gradcli.errors import Fault
from gradcli.language.table import catalogue
from gradcli.report.diagnostics import render_json
from gradcli.results import Note
from tests.schemas import result_refusals, validator

Run = Callable[..., Any]

SAMPLES = sorted((Path(__file__).parents[2] / "samples").iterdir())
DEFS: dict[str, Any] = validator("report/result_schema.json").schema["$defs"]

# Each gives notes of these kinds; together of all kinds.
NOTED = {
    ("grad", "y", "x=1", "y=2"): {"unconnected"},
    ("grad", "abs(x)", "x=0"): {"kink"},
    ("grad", "log(x)", "x=-1"): {"domain", "nonfinite"},
    ("compare", "softmax(x)", "x=[1,2]"): {"cancel"},
    ("compare", "x**2", "x=[1,2]"): {"diagonal"},
    ("compare", "[log(x), -log(x)]", "x=0"): {"nonfinite", "undefined-sum"},
    ("jacobian", "sort(x)[0]", "x=[2,1]"): {"formula"},
    ("hessian", "sqrt(x)*y", "x=0", "y=1"): {"nonfinite"},
}


def words(command: str, text: str, *point: str) -> list[str]:
    return [command, "-e", text, *(word for value in point for word in ("--at", value)), "--formulas", "--json"]


@pytest.mark.parametrize("command", ["grad", "jacobian", "compare", "hessian"])
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples(run: Run, path: Path, command: str) -> None:
    """Every command on every sample, with formulas, in both dtypes and with zeros for unconnected sources."""
    for options in (["--formulas"], ["--formulas", "--latex"], ["--dtype", "float32"], ["--unconnected", "zero"]):
        ran = run(command, str(path), "--json", *options)

        assert (ran.stderr, ran.status) == ("", 0)
        assert result_refusals(ran.stdout) == []


@pytest.mark.parametrize(
    ("call", "kinds"), NOTED.items(), ids=lambda names: " ".join(sorted(names) if isinstance(names, set) else names)
)
def test_notes(run: Run, call: tuple[str, ...], kinds: set[str]) -> None:
    """NaN, infinities, null and notes of every kind."""
    ran = run(*words(*call))

    assert result_refusals(ran.stdout) == []
    assert kinds <= {note["kind"] for note in json.loads(ran.stdout)["notes"]}


def test_kinds_of_notes() -> None:
    """The schema knows the kinds that occur here, which are those that `Note` names."""
    known = set(DEFS["notes"]["items"]["properties"]["kind"]["enum"])

    assert known == set().union(*NOTED.values())
    assert all(kind in (Note.__doc__ or "") for kind in known)
    assert (
        set(DEFS["notes"]["items"]["properties"])
        == {field.name for field in fields(Note)}
        == set(asdict(Note("kink", "")))
    )


def test_errors_and_functions(run: Run) -> None:
    """What goes wrong, with and without a place, and the catalogue."""
    for args in (["grad", "--json"], ["nonsense", "--json"], ["grad", "-e", "x +", "--json"], ["grad", "-", "--json"]):
        ran = run(*args, stdin="targets: [x, z]")
        assert (ran.stdout, ran.status) == ("", 2)
        assert result_refusals(ran.stderr) == []
    for args in (["functions"], ["functions", "softmax"], ["functions", "erf"]):
        assert result_refusals(run(*args, "--json").stdout) == []


def test_keys_are_those_of_the_code() -> None:
    """The entries of the catalogue and the faults, key by key."""
    fault = json.loads(render_json([Fault("value", "wrong")]))["error"]

    assert list(DEFS["function"]["properties"]) == DEFS["function"]["required"] == list(catalogue()[0])
    assert list(DEFS["fault"]["properties"]) == DEFS["fault"]["required"] == list(fault)


def test_every_command_with_json_is_in_the_schema() -> None:
    """A command that takes --json has a form of its own."""
    modules = [import_module(f"{commands.__name__}.{module.name}") for module in iter_modules(commands.__path__)]
    with_json = {m.__name__.rpartition(".")[2] for m in modules if "json" in signature(signed(m.run)).parameters}
    forms = {form["$ref"].rpartition("/")[2] for form in validator("report/result_schema.json").schema["oneOf"]}

    assert forms == {*with_json, "error"}
    assert {DEFS[name]["properties"]["command"]["const"] for name in with_json} == with_json


GOOD = {
    "schema_version": 1,
    "command": "grad",
    "targets": {"y": 9.0},
    "gradient": {"x": 6.0},
    "shapes": {"y": [], "x": []},
    "dtype": "float64",
    "notes": [],
}


@pytest.mark.parametrize(
    "change",
    [
        {"command": "jacobian"},
        {"schema_version": 2},
        {"targets": {"y": None}},
        {"gradient": {"x": "nan"}},
        {"gradient": {"x": [1.0, None]}},
        {"gradient": {"x": True}},
        {"shapes": {"y": [1.5]}},
        {"dtype": "float16"},
        {"notes": [{"kind": "rumour", "message": "", "line": None}]},
        {"notes": [{"kind": "kink", "message": ""}]},
        {"formulas": {"x": 6.0}},
        {"more": 1},
    ],
    ids=str,
)
def test_what_is_no_result(change: dict[str, Any]) -> None:
    """One thing that is wrong is enough."""
    assert result_refusals(json.dumps(GOOD)) == []
    assert result_refusals(json.dumps(GOOD | change)) != []
