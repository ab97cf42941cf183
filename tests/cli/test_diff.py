"""`gradcli diff`: what is asked, how it ends, and where everything goes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import gradcli
from tests.schemas import result_refusals
from tests.test_lazy import HEAVY, LOADED, loaded

Run = Callable[..., Any]

SAMPLES = sorted((Path(__file__).parents[2] / "samples").iterdir())
TWO = str(next(path for path in SAMPLES if path.stem == "two_targets"))
OLD = """
sources:
  w: [[1, 2], [3, 4]]
  b: [1, 2]
targets:
  y: w @ b
"""
NEW = OLD.replace("w @ b", "w @ b + [0, 1] * b[1]")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder has old.yaml, new.yaml and bad.yaml."""
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text(OLD)
    Path("new.yaml").write_text(NEW)
    Path("bad.yaml").write_text("sources: {x: 1}\ntargets: {y: x + z}\n")


pytestmark = pytest.mark.usefixtures("files")


def test_help(run: Run) -> None:
    """Examples first, the default tolerance, and all options."""
    ran = run("diff", "-h", columns=100)

    assert ran.stdout.startswith("Usage: gradcli diff [OPTIONS] [OLD] [NEW]\n")
    assert ran.stdout.index("  gradcli diff old.yaml new.yaml\n") < ran.stdout.index("Options:")
    assert "rtol is 1e-9 (float32: 1e-4)" in ran.stdout
    words = "--target --source --wrt --rtol --atol --dtype --json --format <table|json> --output --precision --full"
    words += " --max-memory --quiet --debug --help .json."
    assert set(words.split()) <= set(ran.stdout.replace(",", " ").split())
    commands = [line.split()[0] for line in run().stdout.partition("Commands:\n")[2].splitlines()]
    assert commands.index("check") + 1 == commands.index("diff") == commands.index("functions") - 1


def test_table_at_80_columns(run: Run) -> None:
    """The worst first, a count for each array; status 1."""
    ran = run("diff", "old.yaml", "new.yaml")

    assert ran.stdout == dedent(
        """\
        diff  old.yaml  new.yaml  float64

                                  old   new   difference   relative
          jacobian y[1] by b[1]    4     5    1            0.2
          value y[1]              11    13    2            0.15
          gradient b[1]            6     7    1            0.14

          value y           1 of 2 entries
          gradient b        1 of 2 entries
          jacobian y by b   1 of 4 entries

        changed: 3 of 20 entries in 3 of 5 arrays
        """
    )
    assert (ran.stderr, ran.status) == ("", 1)
    assert run("diff", "old.yaml", "new.yaml", columns=160) == ran


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_file_and_itself(run: Run, path: Path) -> None:
    """Nothing at all, and 0, to the last bit."""
    ran = run("diff", str(path), str(path), "--rtol", "0", "--atol", "0")

    assert (ran.stdout, ran.stderr, ran.status) == ("", "", 0)


def test_json(run: Run) -> None:
    """One object in any case; `changed` says what the status says."""
    ran = run("diff", "old.yaml", "new.yaml", "--json")
    content = json.loads(ran.stdout)

    assert (ran.stderr, ran.status, ran.stdout.count("\n")) == ("", 1, 1)
    assert list(content) == ["schema_version", "command", "old", "new", "changes", "changed"]
    assert content["changes"][0] == {
        "kind": "jacobian",
        "name": "y/b",
        "index": [1, 1],
        "old": 4.0,
        "new": 5.0,
        "difference": 1.0,
        "relative": 0.2,
    }
    assert run("diff", "old.yaml", "new.yaml", "--format", "json") == ran
    same = run("diff", "old.yaml", "old.yaml", "--json")
    assert (json.loads(same.stdout)["changes"], json.loads(same.stdout)["changed"], same.status) == ([], False, 0)


@pytest.mark.parametrize("question", ["grad", "jacobian", "compare", "hessian"])
def test_a_result_against_files(run: Run, question: str) -> None:
    """The file is asked its question; either may be standard input."""
    saved = run(question, "old.yaml", "--json").stdout
    Path("old.json").write_text(saved)

    for calls in (("old.json", "old.yaml"), ("old.yaml", "old.json"), ("old.json", "old.json")):
        ran = run("diff", *calls, "--rtol", "0", "--atol", "0")
        assert (ran.stdout, ran.stderr, ran.status) == ("", "", 0)
    ran = run("diff", "-", "new.yaml", stdin=saved)
    assert ran.stdout.startswith("diff  <stdin>  new.yaml  float64\n")
    assert (ran.stderr, ran.status) == ("", 1)
    assert run("diff", "old.json", "-", stdin=NEW).status == 1
    assert run("diff", "old.json", "-", stdin=saved).status == 0


def test_an_error_is_no_result(run: Run) -> None:
    """Standard error that was kept by mistake says what it says; standard output is empty."""
    Path("old.json").write_text(run("grad", "bad.yaml", "--json").stderr)

    ran = run("diff", "old.json", "old.yaml")
    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr.startswith("error: old.json: it holds an error and no result: unknown name 'z' in target 'y'\n")


def test_errors_of_both_at_once(run: Run) -> None:
    """Each with its place; as JSON one line."""
    Path("cut.json").write_text('{"schema_version": 1,\n "command": "grad", "targ')

    ran = run("diff", "bad.yaml", "cut.json")
    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr == dedent(
        """\
        error: bad.yaml:2:18: unknown name 'z' in target 'y'
          |   targets: {y: x + z}
          |                    ^
          help: define it under sources, constants or let
        error: cut.json:2:21: the quote that opens here is not closed
          |   "command": "grad", "targ
          |                      ^
          help: close it with "
        """
    )
    ran = run("diff", "bad.yaml", "cut.json", "--json")
    assert [(e["file"], e["line"]) for e in json.loads(ran.stderr)["errors"]] == [("bad.yaml", 2), ("cut.json", 2)]
    assert (ran.stdout, ran.stderr.count("\n")) == ("", 1)


def test_choosing_and_tolerances(run: Run) -> None:
    """-t and -s as elsewhere; --rtol and --atol decide what is a change."""
    assert run("diff", "old.yaml", "new.yaml", "-s", "w", "--format", "json").stdout.count('"kind"') == 1
    assert run("diff", "old.yaml", "new.yaml", "--rtol", "0.19").stdout.count("jacobian y[1] by b[1]") == 1
    assert run("diff", "old.yaml", "new.yaml", "--rtol", "0.2").stdout == ""
    assert run("diff", "old.yaml", "new.yaml", "--atol", "2", "--rtol", "0").status == 0
    ran = run("diff", "old.yaml", "new.yaml", "-t", "z", "-s", "w")
    assert (ran.stdout, ran.status) == ("", 2)
    assert [line for line in ran.stderr.splitlines() if line.startswith("error")] == [
        "error: old.yaml: there is no target 'z'",
        "error: new.yaml: there is no target 'z'",
    ]


def test_dtype(run: Run) -> None:
    """Of files; that of a result is known."""
    assert run("diff", "old.yaml", "new.yaml", "--dtype", "float32").stdout.startswith(
        "diff  old.yaml  new.yaml  float32\n"
    )
    Path("old.json").write_text(run("grad", "old.yaml", "--json", "--dtype", "float32").stdout)
    assert run("diff", "old.json", "new.yaml").stdout.startswith("diff  old.json  new.yaml  float32\n")
    ran = run("diff", "old.json", "old.yaml", "--dtype", "float64")
    assert (ran.stdout, ran.status) == ("", 0)
    assert ran.stderr == "note: old.json is float32, old.yaml float64: compared as float32\n"


def test_a_jacobian_that_is_too_large(run: Run) -> None:
    """The note stands on standard error, and -q leaves it out."""
    Path("big.yaml").write_text("sources:\n  x: {shape: [1000], fill: 1}\ntargets: cumsum(x)\n")

    ran = run("diff", "big.yaml", "big.yaml", "--max-memory", "1MiB")
    assert (ran.stdout, ran.status) == ("", 0)
    assert ran.stderr.startswith("note: the Jacobian was not compared: this needs about ")
    ran = run("diff", "big.yaml", "big.yaml", "--max-memory", "1MiB", "-q")
    assert (ran.stdout, ran.stderr, ran.status) == ("", "", 0)
    assert run("diff", "big.yaml", "big.yaml").stderr == ""


@pytest.mark.parametrize("options", [["-q"], ["--quiet", "--json"]], ids=str)
def test_quiet(run: Run, options: list[str]) -> None:
    """Only the status; errors stay."""
    for files, status in (("old.yaml old.yaml", 0), ("old.yaml new.yaml", 1)):
        ran = run("diff", *files.split(), *options)
        assert (ran.stdout, ran.stderr, ran.status) == ("", "", status)
    ran = run("diff", "old.yaml", "bad.yaml", *options)
    assert (ran.stdout, ran.status) == ("", 2)
    assert "unknown name 'z'" in ran.stderr


def test_output(run: Run) -> None:
    """The same bytes as on standard output, which stays empty; standard error says how it ended."""
    ran = run("diff", "old.yaml", "new.yaml", "-o", "d.json")

    assert (ran.stdout, ran.status) == ("", 1)
    assert ran.stderr == "changed: 3 of 20 entries in 3 of 5 arrays\nwrote d.json\n"
    text = run("diff", "old.yaml", "new.yaml", "--json").stdout
    assert Path("d.json").read_text() == text
    assert result_refusals(text) == []
    assert run("diff", "old.yaml", "old.yaml", "-o", "d.json").stderr == "unchanged\nwrote d.json\n"
    ran = run("diff", "old.yaml", "new.yaml", "-q", "-o", "d.json")
    assert (ran.stdout, ran.stderr, ran.status, Path("d.json").read_text()) == ("", "", 1, text)


def test_a_result_of_diff_is_no_result_to_compare(run: Run) -> None:
    """Nor is one of check."""
    for command in (["diff", "old.yaml", "new.yaml"], ["check", "old.yaml"], ["functions"]):
        saved = run(*command, "--json").stdout
        ran = run("diff", "-", "old.yaml", stdin=saved)
        assert (ran.stdout, ran.status) == ("", 2)
        assert ran.stderr == (
            f"error: <stdin>: command: this is a result of '{command[0]}'\n"
            "  help: results of grad, jacobian, compare, hessian can be compared\n"
        )


def test_full_and_precision(run: Run) -> None:
    """As for every table."""
    Path("long.yaml").write_text("sources:\n  x: {shape: [20], fill: 0.123456789}\ntargets: sum(x**2)\n")
    Path("longer.yaml").write_text("sources:\n  x: {shape: [20], fill: 0.2}\ntargets: sum(x**2)\n")

    ran = run("diff", "long.yaml", "longer.yaml", "-s", "x")
    assert "  … 29 more entries\n" in ran.stdout
    assert ran.stdout.endswith("--full shows what is left out (…)\n")
    full = run("diff", "long.yaml", "longer.yaml", "--full", "--precision", "3").stdout
    assert "…" not in full
    assert "  gradient x[19]        0.247   0.4   0.153        0.38\n" in full


def test_colour(run: Run) -> None:
    """At a terminal, unless NO_COLOR."""
    assert "\x1b[1;31mchanged\x1b[0m" in run("diff", "old.yaml", "new.yaml", terminal=True).stdout
    assert "\x1b" not in run("diff", "old.yaml", "new.yaml", terminal=True, env={"NO_COLOR": "1"}).stdout


def test_at_a_terminal(run: Run) -> None:
    """What gradcli waits for."""
    ran = run("diff", "-", "old.yaml", terminal=True)

    assert ran.stderr.startswith("gradcli: reading an expression file from the terminal; end it with Ctrl-D\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "error: no OLD and no NEW to compare\n  help: name two files; see 'gradcli diff --help'\n"),
        (["a.yaml"], "error: no NEW to compare\n  help: name two files; see 'gradcli diff --help'\n"),
        (["-", "-"], "error: standard input (-) can be read only once\n  help: name a file for one of the two\n"),
        (["a", "b", "c"], "unexpected extra argument"),
        (["a", "b", "--rtol", "-1"], "-1.0 is not in the range x>=0"),
        (["a", "b", "--atol", "much"], "'much' is not a valid float"),
        (["a", "b", "--format", "csv"], "'csv' is no format for changes, which have 'table', 'json'"),
        (["a", "b", "-o", "d.csv"], "error: changes cannot be written as .csv\n  help: end it with .json\n"),
        (["a", "b", "--json", "--format", "table"], "--json and --format table contradict each other"),
    ],
)
def test_usage_errors(run: Run, args: list[str], message: str) -> None:
    """Status 2, nothing on standard output, and nothing heavy is loaded."""
    ran = run("diff", *args)

    assert (ran.stdout, ran.status) == ("", 2)
    assert message in ran.stderr
    ended, modules = loaded(LOADED.format(devnull="/dev/null", args=["diff", *args]))
    assert (ended, HEAVY & modules) == (2, set())


def test_tolerances_that_are_no_numbers(run: Run) -> None:
    """NaN passes the parser."""
    ran = run("diff", "old.yaml", "new.yaml", "--rtol", "nan")

    assert (ran.stdout, ran.stderr, ran.status) == ("", "error: rtol must be a finite number, 0 or more\n", 2)


def test_two_results_need_no_sympy(run: Run) -> None:
    """Nothing is computed."""
    Path("old.json").write_text(run("grad", "old.yaml", "--json").stdout)
    for options in ([], ["--json"]):
        code = "import io, sys\nsys.stdout = io.StringIO()\n"
        args = ["diff", "old.json", "old.json", *options]
        ended, modules = loaded(code + LOADED.format(devnull="/dev/null", args=args))
        assert (ended, {"sympy", "scipy", "pydantic", "rich"} & modules) == (0, set())


@pytest.mark.parametrize("options", [[], ["--json"], ["--full"]], ids=str)
def test_closed_pipe(without_reader: Run, run: Run, options: list[str]) -> None:
    """A reader that goes away ends gradcli quietly, with the status of the comparison."""
    for name, k in (("a.yaml", 1), ("b.yaml", 2)):
        Path(name).write_text(f"sources:\n  x: {{shape: [300], fill: 1}}\ntargets: {k} * cumsum(x)\n")
    call = "-m", "gradcli", "diff", "a.yaml", "b.yaml", *options

    assert without_reader(*call, env={"PYTHONPATH": str(Path(gradcli.__file__).parents[1])}) == (1, "")


def test_in_a_shell(run_process: Run) -> None:
    """A pipe that can be read only once serves as either file."""
    command = f"{sys.executable} -m gradcli diff <(cat old.yaml) <({sys.executable} -m gradcli grad new.yaml --json)"
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(gradcli.__file__).parents[1])}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=env)

    assert (done.stderr, done.returncode) == ("", 1)
    assert "  gradient b[1]    6     7    1            0.14\n" in done.stdout
    ran = run_process("diff", "-", "old.yaml", stdin=OLD, env=env)
    assert (ran.stdout, ran.stderr, ran.status) == ("", "", 0)


def test_the_python_names() -> None:
    """`gradcli.diff` and what it answers with."""
    from gradcli.results import Change, Changes

    assert {"diff", "Change", "Changes"} <= set(gradcli.__all__) <= set(dir(gradcli))
    assert (gradcli.Change, gradcli.Changes) == (Change, Changes)
    assert isinstance(gradcli.diff(TWO, TWO), Changes)
