"""`gradcli check --update` and `--dry-run`: what is written, what is said, and how it ends."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcli.checks import update as update_module
from gradcli.errors import Fault, InputError

Run = Callable[..., Any]

OLD = "sources: {x: 3}\ntargets: {y: x**2}\nexpect:\n  gradient: {x: 7}  # by hand\n"
NEW = OLD.replace("7", "6")
FORMULA = "sources: {x: 3}\ntargets: x**2\nexpect:\n  value: 1\n  gradient: 3*x\n"
UNREAD = "sources: {x: 3}\ntargets: z**2\n"
DIFF = """\
--- f.yaml
+++ f.yaml
@@ -1,4 +1,4 @@
 sources: {x: 3}
 targets: {y: x**2}
 expect:
-  gradient: {x: 7}  # by hand
+  gradient: {x: 6}  # by hand
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one file that is off."""
    monkeypatch.chdir(tmp_path)
    Path("f.yaml").write_text(OLD)
    return tmp_path


def test_update(run: Run) -> None:
    """The file has the new number, standard error says so; then there is nothing left to do, and the check passes."""
    ran = run("check", "f.yaml", "--update")

    assert (ran.stdout, ran.stderr, ran.status) == ("", "updated f.yaml: gradient x\n", 0)
    assert Path("f.yaml").read_text() == NEW
    ran = run("check", "f.yaml", "--update")
    assert (ran.stdout, ran.stderr, ran.status) == ("", "f.yaml is up to date\n", 0)
    assert run("check", "f.yaml").status == 0


@pytest.mark.parametrize("options", [["--dry-run"], ["--update", "--dry-run"]], ids=str)
def test_dry_run(run: Run, options: list[str]) -> None:
    """The difference, and status 1 as long as there is one; nothing is written."""
    ran = run("check", "f.yaml", *options)

    assert (ran.stdout, ran.stderr, ran.status) == (DIFF, "would update f.yaml: gradient x\n", 1)
    assert os.listdir() == ["f.yaml"]
    assert Path("f.yaml").read_text() == OLD
    run("check", "f.yaml", "--update")
    ran = run("check", "f.yaml", *options)
    assert (ran.stdout, ran.stderr, ran.status) == ("", "f.yaml is up to date\n", 0)


def test_the_difference_is_a_patch(run: Run) -> None:
    """What --dry-run prints can be applied by hand."""
    for text in (OLD, OLD.rstrip("\n"), OLD.replace("\n", "\r\n")):
        Path("f.yaml").write_bytes(text.encode())
        patch = run("check", "f.yaml", "--dry-run").stdout
        done = subprocess.run(["git", "apply", "-p0", "-"], input=patch.encode(), capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert Path("f.yaml").read_bytes() == text.replace("7", "6").encode()


@pytest.mark.parametrize(
    ("options", "status"), [([], 1), (["--exit-zero"], 0), (["--dry-run", "--exit-zero"], 0)], ids=str
)
def test_a_wrong_formula_is_left(run: Run, options: list[str], status: int) -> None:
    """Numbers beside it are written; the status says that something is still wrong."""
    Path("f.yaml").write_text(FORMULA)

    ran = run("check", "f.yaml", "--update", *options)

    dry = "--dry-run" in options
    assert ran.status == status
    written, left = ran.stderr.splitlines()
    assert written == f"{'would update' if dry else 'updated'} f.yaml: value y"
    said = "f.yaml: formula of gradient x at line 5 is wrong and was left: at x: expected 9, got 6, difference 3"
    assert left.startswith(said)
    assert Path("f.yaml").read_text() == (FORMULA if dry else FORMULA.replace("value: 1", "value: 9"))


def test_an_expected_error_is_left(run: Run) -> None:
    """Where the file has another one."""
    Path("f.yaml").write_text("targets: z\nexpect: {error: shape}\n")

    ran = run("check", "f.yaml", "--update")
    said = "f.yaml: the expected error at line 2 is wrong and was left: the error is of kind name, line 1: unknown name"
    assert ran.stderr.startswith(said)
    assert (ran.stdout, ran.status) == ("", 1)


def test_several_files(run: Run) -> None:
    """A folder and what cannot be updated: the others are, and status 2 wins."""
    for name, text in {
        "m/a.yaml": OLD,
        "m/b.grad.yaml": UNREAD,
        "m/c.json": '{"targets": "1"}',
        "m/n.yaml": "a: 1",
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)

    ran = run("check", "m", "--update", "none.yaml", "--exit-zero")

    assert ran.status == 2
    assert ran.stderr.startswith(
        "updated m/a.yaml: gradient x\nupdated m/c.json: value y\nerror: m/b.grad.yaml:2:10: unknown name 'z' in target"
    )
    assert "error: none.yaml: the file does not exist\n" in ran.stderr
    assert Path("m/a.yaml").read_text() == NEW
    assert json.loads(Path("m/c.json").read_text())["expect"] == {"value": {"y": 1}}
    assert Path("m/n.yaml").read_text() == "a: 1"


def test_all_are_computed_before_any_is_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a fault of gradcli itself in one file leaves all as they are."""
    Path("g.yaml").write_text(OLD)
    real = update_module.update
    monkeypatch.setattr(update_module, "update", lambda file, **o: 1 / 0 if file == "g.yaml" else real(file, **o))

    assert run("check", "f.yaml", "g.yaml", "--update").status == 3
    assert Path("f.yaml").read_text() == OLD


def test_permissions_and_links_stay(run: Run) -> None:
    """A symbolic link stays one, and its file keeps its mode and its bytes."""
    Path("real").mkdir()
    real = Path("real/f.yaml")
    text = ("\ufeff" + OLD.rstrip("\n")).replace("\n", "\r\n")
    real.write_bytes(text.encode())
    real.chmod(0o640)
    Path("link.yaml").symlink_to(real)

    assert run("check", "link.yaml", "--update").stderr == "updated link.yaml: gradient x\n"
    assert Path("link.yaml").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert real.read_bytes() == text.replace("7", "6").encode()
    assert os.listdir("real") == ["f.yaml"]


def test_what_is_up_to_date_is_not_written(run: Run) -> None:
    """Its time of change stays."""
    Path("f.yaml").write_text(NEW)
    os.utime("f.yaml", (1, 1))

    run("check", "f.yaml", "--update")
    assert Path("f.yaml").stat().st_mtime == 1


def test_a_write_that_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file stays whole, and the others are written."""
    Path("g.yaml").write_text(OLD)
    real = os.replace

    def full(source: str, target: str) -> None:
        if target.endswith("f.yaml"):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", full)
    ran = run("check", "f.yaml", "g.yaml", "--update")

    assert ran.status == 2
    assert ran.stderr == (
        "updated g.yaml: gradient x\n"
        "error: f.yaml: cannot be written: No space left on device\n  help: nothing of it has changed\n"
    )
    assert sorted(os.listdir()) == ["f.yaml", "g.yaml"]
    assert (Path("f.yaml").read_text(), Path("g.yaml").read_text()) == (OLD, NEW)


def test_a_file_that_must_not_be_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where its folder would allow it."""
    monkeypatch.setattr(os, "access", lambda path, mode: not (mode & os.W_OK))

    ran = run("check", "f.yaml", "--update")
    assert (ran.status, Path("f.yaml").read_text()) == (2, OLD)
    assert "f.yaml: cannot be written: Permission denied" in ran.stderr
    assert run("check", "f.yaml", "--dry-run").status == 1


def test_quiet(run: Run) -> None:
    """Only errors, and the difference where it is asked for."""
    ran = run("check", "f.yaml", "-q", "--dry-run")
    assert (ran.stdout, ran.stderr, ran.status) == (DIFF, "", 1)
    Path("u.yaml").write_text(UNREAD)
    ran = run("check", "f.yaml", "u.yaml", "-q", "--update")
    assert ran.stderr.startswith("error: u.yaml:2:10: unknown name 'z'")
    assert Path("f.yaml").read_text() == NEW


@pytest.mark.parametrize("mode", ["--update", "--dry-run"])
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["f.yaml", "--json"], "--json does not go with {}, which checks nothing"),
        (["f.yaml", "--format", "junit"], "--format does not go with {}"),
        (["f.yaml", "-o", "r.xml"], "--output does not go with {}"),
        (["f.yaml", "--precision", "3"], "--precision does not go with {}"),
        (["f.yaml", "--fail-fast"], "--fail-fast does not go with {}"),
        (["-"], "standard input (-) cannot be updated"),
        ([], "no FILE to check"),
        (["none/*.yaml"], "no file matches 'none/*.yaml'"),
    ],
)
def test_usage_errors(run: Run, mode: str, args: list[str], message: str) -> None:
    """Status 2, and nothing is written."""
    ran = run("check", *args, mode, stdin=OLD)

    assert (ran.stdout, ran.status) == ("", 2)
    assert message.format(mode) in ran.stderr
    assert Path("f.yaml").read_text() == OLD
    assert ("--json" in args) == ran.stderr.startswith('{"error"')


def test_faults_name_their_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that have no place."""

    def refuse(file: str, **options: Any) -> None:
        raise InputError(Fault("memory", "too large"))

    monkeypatch.setattr(update_module, "update", refuse)
    assert run("check", "f.yaml", "--update").stderr == "error: f.yaml: too large\n"


def test_options_reach_the_computation(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed of the points at which formulas are checked, and the bound on memory."""
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(
        update_module, "update", lambda file, **o: asked.append(o) or update_module.Update(file, "", "")
    )

    run("check", "f.yaml", "--update", "--seed", "7", "--max-memory", "1GB")
    assert asked == [{"seed": 7, "max_memory": 10**9}]


def test_many_names_and_strange_ones(run: Run) -> None:
    """Long lists end after twelve names; a file's name cannot move the cursor."""
    name = "a\x1b[2J\n\udcff.yaml"
    Path(name).write_text("targets:\n" + "".join(f"  y{k}: {k}\n" for k in range(15)))

    ran = run("check", name, "--dry-run")
    shown = "a\\x1b[2J\\n\\udcff.yaml"
    assert ran.stderr == f"would update {shown}: {', '.join(f'value y{k}' for k in range(12))} and 3 more\n"
    assert ran.stdout.startswith(f"--- {shown}\n+++ {shown}\n")


def test_help(run: Run) -> None:
    """Both options, and the statuses."""
    text = " ".join(run("check", "-h").stdout.split())

    assert "--update Write the computed numbers into expect." in text
    assert "--dry-run Show what --update would write, and write nothing." in text
    assert "With --dry-run it is also 1 if something would be written." in text


def test_a_usage_error_loads_nothing() -> None:
    """No numpy before the call is known to be right."""
    code = "import sys\nfrom gradcli.cli import main\nmain(['check', 'f', '--update', '--json'])\n"
    code += "assert 'numpy' not in sys.modules"

    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
