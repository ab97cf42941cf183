"""`gradcli check`: what is asked, how it ends, and where everything goes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gradcli
from gradcli.cli import progress
from gradcli.errors import Fault, InputError, Place
from gradcli.results import Check, Checked, CheckedFile, Difference

Run = Callable[..., Any]

GOOD = CheckedFile(file="good.yaml", checks=(Check(name="rows", verdict="equal", digits=16.0),))
OPEN = CheckedFile(file="open.yaml", checks=(Check(name="rows", verdict="inconclusive", detail="a kink"),))
WRONG = CheckedFile(
    file="wrong.yaml",
    checks=(Check(name="gradient x", verdict="wrong", worst=Difference("x", 0.5, 0.25), line=4),),
)
UNREAD = CheckedFile(
    file="λ.yaml",
    faults=(Fault("name", "unknown name 'z'", "did you mean 'x'?", Place("λ.yaml", 3)), Fault("memory", "too large")),
)
ERRORS = "error: λ.yaml:3: unknown name 'z'\n  help: did you mean 'x'?\nerror: λ.yaml: too large\n"


class FakeChecks(ModuleType):
    """Answers with `files`, or raises it, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__("gradcli.checks")
        self.files: Any = [GOOD]
        self.calls: list[tuple[list[str], dict[str, Any]]] = []

    def check(self, files: list[str], **options: Any) -> Checked:
        self.calls.append((list(files), options))
        if isinstance(self.files, BaseException):
            raise self.files
        return Checked(files=tuple(self.files))


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> FakeChecks:
    """`gradcli.checks`, which finds `checks.files`."""
    fake = FakeChecks()
    monkeypatch.setitem(sys.modules, "gradcli.checks", fake)
    return fake


def test_help(run: Run) -> None:
    """Examples first; it stands between hessian and diff."""
    ran = run("check", "-h")

    assert ran.stdout.startswith("Usage: gradcli check [OPTIONS] [FILE...]\n")
    assert ran.stdout.index("  gradcli check loss.yaml\n") < ran.stdout.index("Options:")
    words = "--json --format <table|json|junit|github> --output --seed --precision --max-memory --quiet --debug --help"
    words += " --fail-fast --exit-zero .json .xml."
    assert set(words.split()) <= set(ran.stdout.replace(",", " ").split())
    commands = [line.split()[0] for line in run().stdout.partition("Commands:\n")[2].splitlines()]
    assert commands[3:6] == ["hessian", "check", "diff"]


def test_the_question(run: Run, checks: FakeChecks) -> None:
    """The files as they were typed, and the options."""
    run("check", "b.yaml", "-", "a.yaml")
    run("check", "a.yaml", "--seed", "7", "--max-memory", "2GiB")

    assert checks.calls == [
        (["b.yaml", "-", "a.yaml"], {"seed": 0, "max_memory": None, "fail_fast": False}),
        (["a.yaml"], {"seed": 7, "max_memory": 2 * 1024**3, "fail_fast": False}),
    ]


@pytest.mark.parametrize(
    ("files", "status"),
    [
        ([GOOD, OPEN], 0),
        ([GOOD, WRONG], 1),
        ([UNREAD], 2),
        ([UNREAD, GOOD], 2),
        ([WRONG, UNREAD, GOOD], 2),
    ],
    ids=["passed", "wrong", "unread", "unread and passed", "unread and wrong"],
)
@pytest.mark.parametrize("options", [[], ["--json"], ["-q"]], ids=str)
def test_the_worst_status_wins(
    run: Run, checks: FakeChecks, files: list[CheckedFile], status: int, options: list[str]
) -> None:
    """2 if a file cannot be read, 1 if something is wrong, else 0; the faults are on standard error alone."""
    checks.files = files

    ran = run("check", "f.yaml", *options)

    assert ran.status == status
    assert (ran.stderr == "") == (status < 2)


def test_table(run: Run, checks: FakeChecks) -> None:
    """One passing file, whole; nothing on standard error."""
    ran = run("check", "good.yaml")

    assert ran.stdout == "check  good.yaml\n\n  rows   equal   16 digits\n\npassed: 1 check\n"
    assert (ran.stderr, ran.status) == ("", 0)
    assert run("check", "good.yaml", "--format", "table") == ran


def test_other_verdicts_are_not_lost(run: Run, checks: FakeChecks) -> None:
    """Where a file cannot be read the others are shown all the same; each fault names its file."""
    checks.files = [GOOD, WRONG, UNREAD]

    ran = run("check", "good.yaml", "wrong.yaml", "λ.yaml")

    assert ran.stdout == (
        "passed   good.yaml   1 check\n"
        "  rows         equal   16 digits\n\n"
        "failed   wrong.yaml   1 of 1 check is wrong\n"
        "  gradient x   WRONG   at x: expected 0.5, got 0.25, difference 0.25 (line 4)\n\n"
        "failed   λ.yaml   cannot be checked: unknown name 'z' (line 3), and 1 more error\n\n"
        "3 files: 1 passed, 1 failed (wrong.yaml), 1 cannot be checked (λ.yaml)\n"
    )
    assert (ran.stderr, ran.status) == (ERRORS, 2)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json(run: Run, checks: FakeChecks, encoding: str) -> None:
    """All files on standard output, all faults as one line on standard error."""
    checks.files = [GOOD, WRONG, UNREAD]

    ran = run("check", "f.yaml", "--json", encoding=encoding)
    content, errors = json.loads(ran.stdout), json.loads(ran.stderr)

    assert (ran.stdout.count("\n"), ran.stderr.count("\n"), ran.status) == (1, 1, 2)
    assert list(content) == ["schema_version", "command", "files", "passed"]
    assert [(file["file"], file["passed"], len(file["checks"])) for file in content["files"]] == [
        ("good.yaml", True, 1),
        ("wrong.yaml", False, 1),
        ("λ.yaml", False, 0),
    ]
    assert [(fault["file"], fault["line"]) for fault in errors["errors"]] == [("λ.yaml", 3), ("λ.yaml", None)]
    assert run("check", "f.yaml", "--format", "json", encoding=encoding) == ran


def test_json_where_python_speaks_ascii(tmp_path: Path) -> None:
    """Both streams are UTF-8 for data, whatever the locale."""
    (tmp_path / "run.py").write_text(
        "import sys\n"
        "from tests.cli.test_check import FakeChecks, UNREAD\n"
        "fake = sys.modules['gradcli.checks'] = FakeChecks()\n"
        "fake.files = [UNREAD]\n"
        "from gradcli.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    env = {"PYTHONPATH": str(Path(gradcli.__file__).parents[1]), "LC_ALL": "C", "PYTHONUTF8": "0"}
    env |= {"PYTHONCOERCECLOCALE": "0"}
    call = [sys.executable, str(tmp_path / "run.py"), "check", "f.yaml"]

    done = subprocess.run([*call, "--json"], env=env, capture_output=True, encoding="utf-8", check=False)
    assert json.loads(done.stdout)["files"][0]["file"] == json.loads(done.stderr)["error"]["file"] == "λ.yaml"
    done = subprocess.run(call, env=env, capture_output=True, encoding="ascii", check=False)
    assert done.stdout.startswith("check  \\u03bb.yaml\n")
    assert done.stderr.startswith("error: \\u03bb.yaml:3: ")


def test_quiet(run: Run, checks: FakeChecks) -> None:
    """Only the files that have not passed, and the last line; faults and data stay."""
    assert run("check", "f.yaml", "-q").stdout == "passed: 1 check\n"
    checks.files = [GOOD, OPEN, UNREAD]
    ran = run("check", "f.yaml", "--quiet")

    assert ran.stdout == (
        "failed   λ.yaml   cannot be checked: unknown name 'z' (line 3), and 1 more error\n\n"
        "3 files: 2 passed (1 with inconclusive checks), 1 cannot be checked (λ.yaml)\n"
    )
    assert ran.stderr == ERRORS
    assert len(json.loads(run("check", "f.yaml", "--json", "-q").stdout)["files"]) == 3


def test_precision_width_and_colour(run: Run, checks: FakeChecks) -> None:
    """As for every table."""
    checks.files = [
        CheckedFile(file="f", checks=(Check(name="x", verdict="wrong", worst=Difference("x", 1 / 3, 0.25)),))
    ]

    assert "expected 0.33, got 0.25, difference 0.083\n" in run("check", "f", "--precision", "2").stdout
    assert run("check", "f", columns=30).stdout.count("\n") > run("check", "f").stdout.count("\n")
    assert "\x1b[1;31mWRONG\x1b[0m" in run("check", "f", terminal=True).stdout
    assert "\x1b" not in run("check", "f", terminal=True, env={"NO_COLOR": "1"}).stdout


def test_output(run: Run, checks: FakeChecks, tmp_path: Path) -> None:
    """The same bytes as on standard output, which stays empty; standard error says how it ended."""
    checks.files = [GOOD, WRONG]
    path = tmp_path / "r.json"

    ran = run("check", "f.yaml", "-o", str(path))
    assert (ran.stdout, ran.status) == ("", 1)
    assert ran.stderr == f"2 files: 1 passed, 1 failed (wrong.yaml)\nwrote {path}\n"
    assert path.read_text() == run("check", "f.yaml", "--json").stdout
    assert run("check", "f.yaml", "-o", str(path), "-q").stderr == ""

    checks.files = [UNREAD]
    ran = run("check", "f.yaml", "-o", str(path))
    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr.endswith(f"\nwrote {path}\n{ERRORS}")
    assert json.loads(path.read_text())["passed"] is False
    assert list(json.loads(run("check", "f.yaml", "--json", "-o", str(path)).stderr)) == ["error", "errors"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "error: no FILE to check\n  help: write - to read standard input; see 'gradcli check --help'\n"),
        (["-", "a.yaml", "-"], "error: standard input (-) can be read only once\n  help: leave one - out\n"),
        (
            ["f", "--format", "csv"],
            "error: invalid value for '--format': 'csv' is no format for checks, which have 'table', 'json', 'junit', "
            "'github'\n"
            "  help: see 'gradcli check --help'\n",
        ),
        (["f", "--format", "npz"], "'npz' is not one of 'table', 'json', 'junit', 'github'\n"),
        (["f", "-o", "a.csv"], "error: checks cannot be written as .csv\n  help: end it with .json, .xml\n"),
        (["f", "-o", "a.NPZ"], "error: checks cannot be written as .npz\n  help: end it with .json, .xml\n"),
        (
            ["f", "-o", "a.txt"],
            "error: cannot tell the format of 'a.txt' from its suffix\n  help: end it with .json, .xml\n",
        ),
        (["f", "-o", "no/such/a.json"], "cannot write 'no/such/a.json': there is no folder 'no/such'"),
        (["f", "--format", "table", "-o", "a.json"], "--format table and --output a.json contradict each other"),
        (["f", "--seed", "-1"], "-1 is not in the range x>=0"),
        (["f", "--full"], "no such option: --full"),
        (["f", "-t", "y"], "no such option: -t"),
    ],
)
def test_usage_errors(run: Run, checks: FakeChecks, args: list[str], message: str) -> None:
    """Status 2, nothing on standard output, and nothing is checked."""
    ran = run("check", *args)

    assert (ran.stdout, ran.status) == ("", 2)
    assert message in ran.stderr
    assert checks.calls == []


def test_usage_errors_as_json(run: Run, checks: FakeChecks) -> None:
    """One line, as everywhere."""
    for args in (["--json"], ["f", "--json", "--format", "table"], ["f", "--json", "-o", "a.csv"]):
        ran = run("check", *args)
        assert (ran.stdout, ran.stderr.count("\n"), ran.status) == ("", 1, 2)
        assert json.loads(ran.stderr)["error"]["kind"] == "usage"


def test_what_goes_wrong_elsewhere(run: Run, checks: FakeChecks) -> None:
    """Errors of gradcli and Ctrl-C end as for every command."""
    for error, status in ((ZeroDivisionError(), 3), (KeyboardInterrupt(), 130), (InputError(Fault("x", "no")), 2)):
        checks.files = error
        ran = run("check", "f.yaml")
        assert (ran.stdout, ran.status) == ("", status)


def test_a_file_name_with_control_characters(run: Run, checks: FakeChecks) -> None:
    """Nothing moves the cursor; JSON is one line that reads back."""
    name = "a\x1b[2J\n\udcff.yaml"
    checks.files = [CheckedFile(file=name, faults=(Fault("file", "no"),))]

    ran = run("check", name)
    assert ran.stdout.startswith("check  a\\x1b[2J \\udcff.yaml\n\n")
    assert ran.stderr == "error: a\\x1b[2J\\n\\udcff.yaml: no\n"
    ran = run("check", name, "--json")
    assert json.loads(ran.stdout)["files"][0]["file"] == json.loads(ran.stderr)["error"]["file"] == name


def test_at_a_terminal(run: Run, checks: FakeChecks, monkeypatch: pytest.MonkeyPatch) -> None:
    """What gradcli waits for, or that it works; neither in a pipe."""
    typing = "gradcli: reading an expression file from the terminal; end it with Ctrl-D\n"
    assert run("check", "a.yaml", "-", terminal=True).stderr == typing
    assert run("check", "a.yaml", "-", stdin="").stderr == ""

    monkeypatch.setattr(progress, "DELAY", 0.01)
    monkeypatch.setattr(checks, "check", lambda *args, **options: time.sleep(0.3) or Checked(files=(GOOD,)))
    assert "gradcli is working" in run("check", "a.yaml", terminal=True, env={"NO_COLOR": "1"}).stderr
    assert run("check", "a.yaml").stderr == run("check", "a.yaml", "-q", terminal=True).stderr == ""


@pytest.mark.parametrize("options", [[], ["--json"]], ids=str)
def test_closed_pipe(without_reader: Run, options: list[str]) -> None:
    """A reader that goes away ends gradcli quietly with 0."""
    script = (
        "import sys\n"
        "from tests.cli.test_check import FakeChecks, OPEN\n"
        "fake = sys.modules['gradcli.checks'] = FakeChecks()\n"
        "fake.files = [OPEN] * 20_000\n"
        "from gradcli.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    call = "-c", script, "check", "f.yaml", *options

    assert without_reader(*call, cwd=Path(gradcli.__file__).parents[1]) == (0, "")


def test_completion_of_formats(run_process: Run) -> None:
    """Those that there are for the command."""
    for command, formats in (("check", ["table", "json", "junit", "github"]), ("grad", ["table", "json", "csv"])):
        env = {"_GRADCLI_COMPLETE": "complete_bash", "COMP_WORDS": f"gradcli {command} --format ", "COMP_CWORD": "3"}
        assert run_process(env=env).stdout.split() == formats


def test_the_python_name() -> None:
    """`gradcli.check` and the types that it answers with."""
    assert {"check", "Check", "Checked"} <= set(gradcli.__all__) <= set(dir(gradcli))
    assert (gradcli.Check, gradcli.Checked) == (Check, Checked)
