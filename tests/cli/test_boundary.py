"""The error boundary, the streams and the help."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcli.cli.options import bytes_of
from gradcli.errors import Fault, InternalError

Run = Callable[..., Any]


def test_help_begins_with_examples(run: Run) -> None:
    """Without arguments, with -h and with --help: the same help, on standard output, status 0."""
    ran = run()

    assert (ran.stderr, ran.status) == ("", 0)
    assert ran.stdout.index("Examples:") < ran.stdout.index("Options:") < ran.stdout.index("Commands:")
    commands = [line.split()[0] for line in ran.stdout.partition("Commands:\n")[2].splitlines()]
    assert commands[:4] == ["grad", "jacobian", "compare", "hessian"]
    assert ran == run("-h") == run("--help")


@pytest.mark.parametrize("command", ["grad", "jacobian", "compare", "hessian"])
def test_help_of_commands(run: Run, command: str) -> None:
    """Examples, and all the shared options."""
    ran = run(command, "-h")

    assert ran.stdout.index(f"  gradcli {command} loss.yaml\n") < ran.stdout.index("Options:")
    words = "--target --source --wrt --at --expr --unconnected --output-gradient --dtype --json --format --output"
    assert set(f"{words} --precision --full --quiet --debug --max-memory --help".split()) <= set(
        ran.stdout.replace(",", " ").split()
    )


def test_version(run: Run) -> None:
    """One line that programs can read."""
    ran = run("--version")

    assert ran.stdout.startswith("gradcli ")
    assert ran.stdout.count("\n") == 1


def test_usage_errors_as_json(run: Run) -> None:
    """With --json also what the parser refuses is one line of JSON."""
    for args in (["grad", "--no-such", "--json"], ["grad", "--format", "json"], ["grad", "--format=json", "-t"]):
        ran = run(*args)
        assert (ran.stdout, ran.status) == ("", 2)
        assert ran.stderr.count("\n") == 1
        assert json.loads(ran.stderr)["error"]["kind"] == "usage"
    ran = run("grad", "f.yaml", "--json", "--format", "csv")
    assert json.loads(ran.stderr)["error"]["message"] == "--json and --format csv contradict each other"


@pytest.mark.parametrize("error", [ZeroDivisionError("a\nb"), RecursionError(), InternalError(Fault("x", "a b"))])
def test_internal_errors(run: Run, api: Any, error: Exception) -> None:
    """One line and status 3; the traceback only with --debug."""
    api.answers["grad"] = error
    name = type(error).__name__

    ran = run("grad", "f.yaml")
    assert (ran.stdout, ran.status) == ("", 3)
    assert ran.stderr.startswith(f"gradcli: internal error: {name}")
    assert ran.stderr.count("\n") == 1
    assert "please report" in ran.stderr

    debug = run("grad", "f.yaml", "--debug").stderr
    assert debug.startswith("Traceback (most recent call last):\n")
    assert debug.endswith(ran.stderr)

    assert json.loads(run("grad", "f.yaml", "--json").stderr)["error"]["kind"] == "internal"


def test_out_of_memory(run: Run, api: Any) -> None:
    """What to do about it."""
    api.answers["jacobian"] = MemoryError()

    ran = run("jacobian", "f.yaml")

    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr.startswith("error: out of memory\n  help: choose fewer targets")


def test_interrupted(run: Run, api: Any) -> None:
    """Ctrl-C ends with 130, one line and no traceback; with --json the line is an object."""
    api.answers["grad"] = KeyboardInterrupt()

    ran = run("grad", "f.yaml")
    assert (ran.stdout, ran.stderr, ran.status) == ("", "gradcli: interrupted\n", 130)
    ran = run("grad", "f.yaml", "--json")
    assert (ran.stdout, json.loads(ran.stderr)["error"]["kind"], ran.status) == ("", "interrupted", 130)


def test_colour(run: Run, api: Any) -> None:
    """A terminal has colour, a pipe has not; NO_COLOR and FORCE_COLOR say otherwise, a dumb terminal has none."""

    def colored(**options: Any) -> tuple[bool, bool]:
        result, error = run("compare", "f.yaml", **options), run("compare", **options)
        return "\x1b[" in result.stdout, "\x1b[" in error.stderr

    assert colored(terminal=True) == (True, True)
    assert colored() == (False, False)
    assert colored(terminal=True, env={"NO_COLOR": "1"}) == (False, False)
    assert colored(terminal=True, env={"NO_COLOR": "", "TERM": "dumb"}) == (False, False)
    assert colored(env={"FORCE_COLOR": "1"}) == (True, True)
    assert colored(env={"FORCE_COLOR": "1", "NO_COLOR": "1"}) == (False, False)
    assert "\x1b" not in run("compare", "f.yaml", "--json", terminal=True).stdout


def test_encodings(run: Run, api: Any) -> None:
    """A table escapes what the terminal cannot show; data is UTF-8 everywhere."""
    facts = {"targets": {"λ": api.answers["compare"].targets["y1"]}, "sources": {}}
    api.answers["grad"] = type(api.answers["grad"])(gradient={}, **facts)

    assert "\\u03bb = 12" in run("grad", "f.yaml", encoding="ascii").stdout
    assert '"λ": 12.0' in run("grad", "f.yaml", "--json", encoding="latin-1").stdout


SHELL = """
import sys, types
import numpy as np
from gradcli.results import Gradient
values = {f"x{i}": np.array(float(i)) for i in range(50_000)}
api = types.ModuleType("gradcli.api")
api.grad = lambda *a, **k: Gradient(targets={}, sources=values, gradient=values)
sys.modules["gradcli.api"] = api
from gradcli.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("args", [["grad", "f.yaml", "--json"], ["grad", "f.yaml", "--full"], ["grad", "--help"]])
def test_closed_pipe(without_reader: Run, args: list[str]) -> None:
    """A reader that goes away ends gradcli quietly with 0."""
    assert without_reader("-c", SHELL, *args) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk() -> None:
    """What cannot be written is an error, once."""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", SHELL, "grad", "f.yaml"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert done.stderr == "error: cannot write to standard output: No space left on device\n"
    assert done.returncode == 2


def test_as_a_process(run_process: Run) -> None:
    """`python -m gradcli` is the same program."""
    ran = run_process("grad")

    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr.startswith("error: no FILE")
    assert run_process("--help").stdout.startswith("Usage: gradcli [OPTIONS] COMMAND")


def test_completion(run_process: Run) -> None:
    """The shell can ask for completions."""
    env = {"_GRADCLI_COMPLETE": "complete_bash", "COMP_WORDS": "gradcli gr", "COMP_CWORD": "1"}

    assert run_process(env=env).stdout.split() == ["grad"]


def test_sizes() -> None:
    """Powers of 1000, or of 1024 with an i."""
    assert [bytes_of(t) for t in ["2GiB", "500MB", "1.5 kB", "7", "7B", "1T"]] == [
        2 * 1024**3, 500_000_000, 1500, 7, 7, 10**12,
    ]  # fmt: skip
