"""The plugin in runs of pytest as a user has them: each in a process of its own, in a folder of expression files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

RIGHT = """\
sources: {x: 3.0}
targets: {y: x**2 + x}
expect:
  value: {y: 12}
  gradient: {x: 2*x + 1}
"""
WRONG = """\
# the inner derivative of the second term is there, its sign is not
sources: {w: [[1.0, 2.0], [3.0, 4.0]], b: [1.0, 2.0]}
targets: {y: w @ b}
expect:
  gradient:
    b: [4, 6]
    w: [[1, 2], [1, -2]]
"""
KINK = "sources: {x: [-1, 0, 2]}\ntargets: relu(x)\n"
METHODS = ["forward mode", "differences", "Taylor remainder", "rows", "Hessian symmetry"]

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`run(*args, **files)`: status and output of pytest in a folder that holds the files, in 100 columns."""

    def call(*args: str, files: dict[str, str] | None = None, cwd: str = ".") -> tuple[int, str]:
        for name, text in (files or {}).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV"))}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args],
            cwd=tmp_path / cwd,
            env={**env, "COLUMNS": "100", "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        return done.returncode, done.stdout

    return call


def test_each_check_of_each_file_is_a_test(run: Run) -> None:
    """At any depth, in YAML and JSON; other files are left alone."""
    files = {
        "a.grad.yaml": RIGHT,
        "deep/er/b.grad.yml": KINK,
        "c.grad.json": '{"sources": {"x": 1, "z": 2}, "targets": "x", "expect": {"unconnected": ["z"]}}',
        "d.yaml": "targets: [",
        "grad.yaml": "no: expression",
        "test_own.py": "def test_own(): pass\n",
    }
    status, out = run("--collect-only", "-q", files=files)

    found = [line for line in out.splitlines() if "::" in line]
    assert status == 0
    assert found == [
        *[f"a.grad.yaml::{name}" for name in ["value y", "gradient x", *METHODS]],
        *[f"c.grad.json::{name}" for name in ["unconnected z", *METHODS]],
        *[f"deep/er/b.grad.yml::{name}" for name in METHODS],
        "test_own.py::test_own",
    ]
    assert "19 passed" in run("-q")[1]


def test_a_failure_shows_where_what_and_why(run: Run) -> None:
    """File, line, entry, expected, got and diagnosis; no traceback; and the same again in the summary."""
    status, out = run("-q", files={"sub/loss.grad.yaml": WRONG, "right.grad.yaml": RIGHT})

    assert status == 1
    assert "sub/loss.grad.yaml:7: gradient w is wrong\n" in out
    assert "  at w[1,1]: expected -2, got 2, difference 4\n" in out
    assert "  your gradient of w has the wrong sign at w[1,1]\n" in out
    assert "FAILED sub/loss.grad.yaml::gradient w - at w[1,1]: expected -2, got 2, difference 4" in out
    assert "1 failed, 13 passed" in out
    assert "Traceback" not in out
    assert ".py" not in out


def test_names_are_as_seen_from_where_pytest_was_called(run: Run) -> None:
    """As in the rest of what pytest prints."""
    status, out = run("-q", "..", files={"sub/loss.grad.yaml": WRONG, "other/x": ""}, cwd="other")

    assert status == 1
    assert "\n../sub/loss.grad.yaml:7: gradient w is wrong\n" in out


def test_tests_are_chosen_by_name(run: Run) -> None:
    """By -k, and by the identifiers that --collect-only prints."""
    files = {"loss.grad.yaml": WRONG, "right.grad.yaml": RIGHT}

    assert "2 passed, 12 deselected" in run("-k", "differences", files=files)[1]
    assert "1 failed, 2 passed, 11 deselected" in run("-k", "gradient")[1]
    assert run("-q", "loss.grad.yaml::gradient b")[0] == 0
    assert run("-q", "loss.grad.yaml::gradient w")[0] == 1
    assert run("-q", "loss.grad.yaml::gradient v")[0] == 4
    assert "1 failed, 6 passed" in run("loss.grad.yaml")[1]


def test_a_file_is_computed_once_and_only_if_its_tests_run(run: Run) -> None:
    """Collecting, and tests that are deselected, compute nothing."""
    conftest = """\
import gradcli.checks.run as run

check = run.check

def told(files):
    print("running", files.name)
    return check(files)

run.check = told
"""
    files = {"conftest.py": conftest, "a.grad.yaml": RIGHT, "b.grad.yaml": RIGHT}

    assert "running" not in run("--collect-only", "-s", files=files)[1]
    assert re.findall("running .*", run("-s")[1]) == ["running a.grad.yaml", "running b.grad.yaml"]
    assert re.findall("running .*", run("-s", "-k", "b.grad and differences")[1]) == ["running b.grad.yaml"]


def test_a_file_that_cannot_be_checked_is_an_error_of_collection(run: Run) -> None:
    """With all its faults, as `gradcli check` shows them, and no traceback."""
    broken = "sources: {weights: [1, 2]}\ntargets:\n  a: sum(wieghts)\n  b: weights + [1, 2, 3]\n"
    status, out = run("-q", files={"sub/loss.grad.yaml": broken, "right.grad.yaml": RIGHT})

    assert status == 2
    assert (
        "error: sub/loss.grad.yaml:3:10: unknown name 'wieghts' in target 'a'\n"
        "  |   a: sum(wieghts)\n"
        "  |          ^^^^^^^\n"
        "  help: did you mean 'weights'?\n"
        "error: sub/loss.grad.yaml:4:6: weights (2,) + [1, 2, 3] (3,): the shapes do not broadcast\n" in out
    )
    assert "ERROR sub/loss.grad.yaml" in out
    assert "1 error" in out
    assert "Traceback" not in out
    assert ".py" not in out


def test_a_check_that_a_file_does_not_get_is_no_pass(run: Run) -> None:
    """What was collected must be there when it runs."""
    conftest = """\
from dataclasses import replace

import gradcli.checks.run as run

check = run.check

def forgetful(file):
    found = check(file)
    return replace(found, files=tuple(replace(f, checks=f.checks[1:]) for f in found.files))

run.check = forgetful
"""
    status, out = run("-q", files={"conftest.py": conftest, "a.grad.yaml": RIGHT})

    assert status == 1
    assert "1 failed, 6 passed" in out
    assert "KeyError: 'value y'" in out


def test_what_only_shows_when_a_file_is_computed_fails_its_tests(run: Run) -> None:
    """The file cannot be checked, and each of its tests says so."""
    large = "sources: {x: {shape: [60000], fill: 1}}\ntargets: x * x\nexpect: {jacobian: {y: {x: 0}}}\n"
    status, out = run("-q", files={"large.grad.yaml": large})

    assert status == 1
    assert "large.grad.yaml: cannot be checked" in out
    assert "large.grad.yaml:3:25: expected jacobian y/x: " in out
    assert "Traceback" not in out
    assert "6 failed" in out


def test_an_expected_error_is_one_test(run: Run) -> None:
    """It passes where the file is wrong as it should be."""
    text = "sources: {x: [1, 2]}\ntargets: x + [1, 2, 3]\nexpect: {error: ERROR}\n"
    files = {"a.grad.yaml": text.replace("ERROR", "do not broadcast"), "b.grad.yaml": text.replace("ERROR", "other")}
    status, out = run("-q", files=files)

    assert status == 1
    assert "1 failed, 1 passed" in out
    assert "b.grad.yaml:3: error is wrong\n  the error is of kind shape, line 2: x (2,) + [1, 2, 3] (3,)" in out


def test_what_is_inconclusive_passes_and_says_why(run: Run) -> None:
    """With -rP, as other things that passing tests have printed."""
    status, out = run("-q", "-rP", files={"kink.grad.yaml": KINK})

    assert status == 0
    assert "5 passed" in out
    assert "inconclusive: relu(x), line 2, is at a kink in entry [1]: the derivative is taken as 0" in out


def test_processes_share_the_tests_of_a_file(run: Run) -> None:
    """pytest-xdist sends reports and not objects, and wants the same tests in the same order from all."""
    files = {f"{name}.grad.yaml": text for name in "abc" for text in [WRONG]}
    status, out = run("-q", "-n2", files=files)

    assert status == 1
    assert "3 failed, 18 passed" in out
    for name in files:
        assert f"{name}:7: gradient w is wrong\n  at w[1,1]: expected -2, got 2, difference 4\n" in out


def test_the_report_goes_into_junit_xml(run: Run, tmp_path: Path) -> None:
    """The message of the failure is what a person reads first."""
    run("--junitxml=report.xml", files={"loss.grad.yaml": WRONG})

    root = fromstring((tmp_path / "report.xml").read_text())  # noqa: S314 - it is our own
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failure = cases["gradient w"].find("failure")
    assert list(cases) == ["gradient b", "gradient w", *METHODS]
    assert failure is not None
    assert failure.get("message", "").startswith("at w[1,1]: expected -2, got 2, difference 4; your gradient of w has")
    assert str(failure.text).startswith("loss.grad.yaml:7: gradient w is wrong\n")


def test_short_forms_of_the_report(run: Run) -> None:
    """--tb=line is one line, --tb=no none."""
    line = run("-q", "--tb=line", files={"loss.grad.yaml": WRONG})[1]

    assert (
        "\nloss.grad.yaml:7: at w[1,1]: expected -2, got 2, difference 4; your gradient of w has the wrong sign" in line
    )
    assert "gradient w is wrong" not in run("-q", "--tb=no")[1]


def test_warnings_as_errors_are_about_the_users_own_code(run: Run) -> None:
    """Overflow inside a check is no concern of theirs."""
    text = "sources: {x: [1.0e+308, 710.0]}\ntargets: exp(x) * x\n"

    assert run("-q", "-W", "error", files={"a.grad.yaml": text})[0] == 0


def test_the_plugin_can_be_switched_off(run: Run) -> None:
    """By its name."""
    assert run("-q", "-p", "no:gradcli", files={"loss.grad.yaml": WRONG})[0] == 5


def test_nothing_is_imported_before_there_is_a_file(run: Run) -> None:
    """pytest's own start is all that it costs."""
    own = """\
import sys

def test_own():
    loaded = [name for name in sys.modules if name.split(".")[0] in ("gradcli", "numpy", "sympy", "rich", "yaml")]
    assert loaded == ["gradcli", "gradcli.pytest_plugin"]
"""
    status, out = run("-q", "-p", "no:hypothesispytest", files={"test_own.py": own})

    assert status == 0, out
