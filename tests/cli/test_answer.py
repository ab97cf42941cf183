"""From options to outcome: what the API is asked, where the answer goes, how the process ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.cache.folder import Folder
from gradcli.errors import Fault, InputError

Run = Callable[..., Any]

NOTHING_SAID = {
    "targets": None,
    "sources": None,
    "at": None,
    "output_gradients": None,
    "unconnected": "none",
    "dtype": "float64",
    "as_written": False,
    "formulas": None,
    "expand": False,
    "max_memory": None,
    "cache": None,
}


@pytest.mark.parametrize("command", ["grad", "jacobian", "compare", "hessian"])
def test_each_command_asks_its_question(run: Run, api: Any, command: str) -> None:
    """The file as it was typed and nothing else; the table on standard output, nothing on standard error."""
    ran = run(command, "loss.yaml", "--no-cache")

    assert api.calls == [(command, "loss.yaml", NOTHING_SAID)]
    assert ran.stdout.startswith(f"{command}  ")
    assert (ran.stderr, ran.status) == ("", 0)


def test_options_reach_the_api(run: Run, api: Any) -> None:
    """Every option that changes the question; --wrt is --source."""
    words = "grad f.yaml -t a --target b -s x --wrt y.z --unconnected zero --dtype float32 --max-memory 2GiB --no-cache"
    run(*words.split())

    assert api.calls[0][2] == {
        **NOTHING_SAID,
        "targets": ["a", "b"],
        "sources": ["x", "y.z"],
        "unconnected": "zero",
        "dtype": "float32",
        "max_memory": 2 * 1024**3,
    }


def test_the_cache(run: Run, api: Any, tmp_path: Path) -> None:
    """The folder of the environment, and none where it is empty."""
    run("grad", "f.yaml", env={"GRADCLI_CACHE_DIR": str(tmp_path)})
    run("grad", "f.yaml", env={"GRADCLI_CACHE_DIR": ""})

    assert [options["cache"] for _, _, options in api.calls] == [Folder(str(tmp_path)), None]


def test_values_are_read_by_the_document(run: Run, api: Any) -> None:
    """NAME=VALUE is split at the first =; the last one of a name holds."""
    pytest.importorskip("gradcli.document.problem")
    run("grad", "f.yaml", "--at", "x=1", "--at", " w =[1, 2]", "--at", "x=3", "--output-gradient", "y=0.5")

    options = api.calls[0][2]
    assert {name: np.asarray(value).tolist() for name, value in options["at"].items()} == {"x": 3.0, "w": [1.0, 2.0]}
    assert {name: float(value) for name, value in options["output_gradients"].items()} == {"y": 0.5}


def test_expressions_instead_of_a_file(run: Run, api: Any) -> None:
    """-e makes a problem of its targets."""
    pytest.importorskip("gradcli.document.problem")
    run("compare", "-e", "x**2", "-e", "3*x", "--at", "x=2")

    assert list(api.calls[0][1].targets) == ["y1", "y2"]


def test_mismatch_ends_with_1(run: Run, api: Any) -> None:
    """In every format, and the result is there all the same."""
    api.answers["compare"] = replace(api.answers["compare"], match=False, exact=False)

    ran = run("compare", "f.yaml")
    assert ran.status == 1
    assert "agree: NO" in ran.stdout
    ran = run("compare", "f.yaml", "--json")
    assert (ran.status, json.loads(ran.stdout)["match"], ran.stderr) == (1, False, "")
    ran = run("compare", "f.yaml", "--format", "csv")
    assert ran.status == 1
    assert ran.stderr.startswith("agree: NO, worst at x1")


def test_json_has_its_notes_inside(run: Run, api: Any) -> None:
    """With --json notes go nowhere else; --quiet does not change the data."""
    ran = run("grad", "f.yaml", "--json")

    assert json.loads(ran.stdout)["notes"][0]["line"] == 4
    assert ran.stderr == ""
    assert run("grad", "f.yaml", "--format", "json", "-q") == ran


def test_csv_has_its_notes_beside(run: Run, api: Any) -> None:
    """CSV has no place for notes: they go to standard error, unless --quiet."""
    ran = run("grad", "f.yaml", "--format", "csv")

    assert ran.stdout == "source,index,gradient\nx1,,11.5\nx2,,\n"
    assert ran.stderr == "note: abs at 0: 0 was taken (line 4)\n"
    assert run("grad", "f.yaml", "--format", "csv", "--quiet").stderr == ""


def test_table_options(run: Run, api: Any) -> None:
    """--precision, --quiet and the width of the terminal."""
    assert "11.583853" in run("compare", "f.yaml", "--precision", "8").stdout
    assert "note:" in run("grad", "f.yaml").stdout
    assert "note:" not in run("grad", "f.yaml", "-q").stdout
    assert "  at  " in run("compare", "f.yaml", columns=30).stdout
    assert "  at  " not in run("compare", "f.yaml", columns=80).stdout


def test_output_npz(run: Run, api: Any, tmp_path: Path) -> None:
    """Standard output stays empty; standard error says what was written and what was left out."""
    path = tmp_path / "g.npz"
    ran = run("grad", "f.yaml", "-o", str(path))

    assert (ran.stdout, ran.status) == ("", 0)
    assert ran.stderr == f"note: abs at 0: 0 was taken (line 4)\nwrote {path} without x2 (unconnected)\n"
    with np.load(path) as arrays:
        assert list(arrays) == ["x1"]


def test_output_json(run: Run, api: Any, tmp_path: Path) -> None:
    """The same bytes as on standard output; --quiet says nothing."""
    path = tmp_path / "g.json"

    assert run("grad", "f.yaml", "--json", "-o", str(path)).stderr == f"wrote {path}\n"
    assert path.read_text() == run("grad", "f.yaml", "--json").stdout
    assert run("grad", "f.yaml", "-q", "-o", str(path)).stderr == ""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["grad"], "no FILE and no expression (-e) to work on"),
        (["grad", "f.yaml", "-e", "x"], "both a file (f.yaml) and an expression (-e)"),
        (["grad", "f.yaml", "-o", "g.txt"], "cannot tell the format of 'g.txt' from its suffix"),
        (["grad", "f.yaml", "--format", "csv", "-o", "g.npz"], "--format csv and --output g.npz contradict each other"),
        (["grad", "f.yaml", "-o", "no/such/g.npz"], "cannot write 'no/such/g.npz': there is no folder 'no/such'"),
        (["grad", "f.yaml", "--at", "x"], "--at wants NAME=VALUE, not 'x'"),
        (["grad", "f.yaml", "--output-gradient", "=1"], "--output-gradient wants NAME=VALUE, not '=1'"),
        (["grad", "f.yaml", "--dtype", "float16"], "'float16' is not one of 'float64', 'float32'"),
        (["grad", "f.yaml", "--precision", "0"], "0 is not in the range 1<=x<=17"),
        (["grad", "f.yaml", "--max-memory", "much"], "'much' is no size; write 500MB or 2GiB"),
        (["grad", "f.yaml", "more.yaml"], "unexpected extra argument"),
        (["grad", "f.yaml", "-t"], "option '-t' requires an argument"),
        (["grad", "f.yaml", "--targt", "y"], "no such option: --targt\n  help: did you mean '--target'?"),
        (["grda"], "no such command 'grda'\n  help: did you mean 'grad'?"),
    ],
)
def test_usage_errors(run: Run, api: Any, args: list[str], message: str) -> None:
    """Status 2, one form, nothing on standard output, and the API is not asked."""
    ran = run(*args)

    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr.startswith("error: ")
    assert message in ran.stderr
    assert api.calls == []


def test_all_bad_values_at_once(run: Run, api: Any) -> None:
    """The faults of every --at and --output-gradient are shown together."""
    pytest.importorskip("gradcli.document.problem")
    ran = run("grad", "f.yaml", "--at", "x=[1", "--output-gradient", "y=[[1], [2, 3]]")

    assert ran.stderr.count("error: ") == 2
    assert ran.status == 2


def test_the_terminal_is_told_what_gradcli_waits_for(run: Run, api: Any) -> None:
    """`gradcli grad -` at a terminal says so on standard error; in a pipe it says nothing."""
    assert run("grad", "-", "--json", terminal=True).stderr == (
        "gradcli: reading an expression file from the terminal; end it with Ctrl-D\n"
    )
    assert run("grad", "-", "--json", stdin="targets: x").stderr == ""


def test_output_that_cannot_be_written(run: Run, api: Any, tmp_path: Path) -> None:
    """A folder in the way is an error of the call."""
    (tmp_path / "g.csv").mkdir()

    ran = run("grad", "f.yaml", "-o", str(tmp_path / "g.csv"))

    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr.startswith(f"error: cannot write '{tmp_path / 'g.csv'}': ")
    assert list(tmp_path.iterdir()) == [tmp_path / "g.csv"]


def test_faults_of_the_input(run: Run, api: Any) -> None:
    """An InputError of the API is shown in the one form, with its status."""
    api.answers["grad"] = InputError(Fault("name", "unknown name 'z'", "did you mean 'x'?"))

    ran = run("grad", "f.yaml")
    assert (ran.stdout, ran.stderr, ran.status) == ("", "error: unknown name 'z'\n  help: did you mean 'x'?\n", 2)
    ran = run("grad", "f.yaml", "--json")
    assert ran.stderr.count("\n") == 1
    assert json.loads(ran.stderr)["error"]["kind"] == "name"
