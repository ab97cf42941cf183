"""Where gradcli is run: locales, devices, folders that cannot be written, closed streams, shells and completion."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import gradcli

Run = Callable[..., Any]

FILE = "sources: {größe: 2, λ: [1, 2]}\ntargets: {ü: größe * sum(λ)}\n"
EMPTY = "the file is empty\n  help: gradcli init writes an example to start from\n"
UTF8_OFF = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(gradcli.__file__).parents[1]))
    return tmp_path


def bash(script: str, env: Mapping[str, str] | None = None) -> tuple[str, str, int]:
    """A script of bash, in which `gradcli` is a command."""
    tools = Path("tools").absolute()
    tools.mkdir(exist_ok=True)
    (tools / "gradcli").write_text(f"#!/bin/sh\nexec '{sys.executable}' -m gradcli \"$@\"\n")
    (tools / "gradcli").chmod(0o755)
    known = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": os.environ["PYTHONPATH"]}
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, encoding="utf-8", check=False, timeout=60, env=known | (env or {})
    )
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize("env", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": "C.UTF-8"}], ids=str)
def test_names_beyond_ascii_in_plain_locales(folder: Path, env: dict[str, str]) -> None:
    """Names in the file, in options and in an expression, and a file that is called so."""
    Path("größe.yaml").write_text(FILE, "utf-8")

    stdout, stderr, status = bash("gradcli grad größe.yaml -s λ -s größe --at größe=3", env)
    assert (stderr, status) == ("", 0)
    assert "größe = 3   3" in stdout
    assert "λ[1]  = 2   3" in stdout
    stdout, stderr, status = bash("gradcli grad -e 'λ**2' --at λ=3 --json", env)
    assert (json.loads(stdout)["gradient"], stderr, status) == ({"λ": 6.0}, "", 0)


def test_without_utf8(folder: Path) -> None:
    """Where Python is told to speak ASCII tables and errors escape what they cannot show; JSON stays UTF-8."""
    Path("a.yaml").write_text(FILE, "utf-8")
    Path("b.yaml").write_text("sources: {x: 1}\ntargets: λ\n", "utf-8")

    stdout, stderr, status = bash("gradcli grad a.yaml", UTF8_OFF)
    assert ("gr\\xf6\\xdfe = 2   3" in stdout, stderr, status) == (True, "", 0)
    stdout, stderr, status = bash("gradcli grad a.yaml --json", UTF8_OFF)
    assert (json.loads(stdout)["targets"], stderr, status) == ({"ü": 6.0}, "", 0)
    stdout, stderr, status = bash("gradcli grad b.yaml", UTF8_OFF)
    assert (stdout, stderr.isascii(), status) == ("", True, 2)
    stdout, stderr, status = bash("gradcli grad b.yaml --json", UTF8_OFF)
    assert (stdout, "λ" in json.loads(stderr)["error"]["message"], status) == ("", True, 2)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("grad .", "error: .: the file is a directory\n  help: name a file in it\n"),
        ("grad a.yaml/", "error: a.yaml/: the file cannot be read: not a directory\n"),
        ("grad empty.yaml", f"error: empty.yaml: {EMPTY}"),
        ("grad /dev/null", f"error: /dev/null: {EMPTY}"),
        ("grad - < /dev/null", f"error: <stdin>: {EMPTY}"),
        ("grad - <&-", "error: <stdin>: the file cannot be read: standard input is closed\n"),
        ("grad /dev/zero", "error: /dev/zero: the file is larger than 64 MiB\n"),
        ("grad a.yaml -o .", "error: cannot tell the format of '.' from its suffix\n"),
        ("grad a.yaml -o a.yaml/b.json", "error: cannot write 'a.yaml/b.json': there is no folder 'a.yaml'\n"),
        ("grad a.yaml -o tools.json/", "error: cannot write 'tools.json/': there is no folder 'tools.json'\n"),
    ],
)  # fmt: skip
def test_what_is_no_file(folder: Path, call: str, error: str) -> None:
    """Directories, devices, empty files and closed streams: one error, status 2, nothing on standard output."""
    Path("a.yaml").write_text(FILE, "utf-8")
    Path("empty.yaml").touch()

    stdout, stderr, status = bash(f"gradcli {call}")

    assert (stdout, status) == ("", 2)
    assert stderr.startswith(error)


@pytest.mark.parametrize("call", ["grad - -", "grad - --at x=@-", "grad - --at x=@/dev/stdin", "grad - -e x --at x=1"])
def test_standard_input_is_read_once(folder: Path, call: str) -> None:
    """There is no second thing that it could be."""
    stdout, stderr, status = bash(f"gradcli {call} <<< 'targets: 1'")

    assert (stdout, status) == ("", 2)
    assert stderr.startswith("error: ")


def test_standard_input_in_a_file(folder: Path) -> None:
    """A file that comes from standard input cannot have its values from there."""
    stdout, stderr, status = bash("gradcli grad - <<< '{targets: 1, constants: {c: {file: -}}}'")

    assert (stdout, status) == ("", 2)
    assert stderr.startswith("error: ")


@pytest.mark.parametrize("call", ["grad a.yaml -o out/g.json", "grad a.yaml -o out/g.npz", "init out/b.yaml"])
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only(folder: Path, call: str) -> None:
    """An error of the call, and nothing is left behind."""
    Path("a.yaml").write_text(FILE, "utf-8")
    Path("out").mkdir(mode=0o500)

    stdout, stderr, status = bash(f"gradcli {call}")

    assert (stdout, status) == ("", 2)
    assert stderr == f"error: cannot write '{call.rsplit(maxsplit=1)[-1]}': Permission denied\n"
    assert list(Path("out").iterdir()) == []


@pytest.mark.parametrize("call", ["grad a.yaml -o /proc/g.json", "init /proc/a.yaml"])
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that not even root may write")
def test_a_folder_that_nobody_may_write(folder: Path, call: str) -> None:
    """The same for root."""
    Path("a.yaml").write_text(FILE, "utf-8")

    stdout, stderr, status = bash(f"gradcli {call}")

    assert (stdout, status) == ("", 2)
    assert stderr.startswith(f"error: cannot write '{call.rsplit(maxsplit=1)[-1]}': ")


@pytest.mark.parametrize("call", ["grad a.yaml", "schema", "functions"])
def test_pipes_that_close(folder: Path, call: str) -> None:
    """`| head` ends quietly with 0, and so does a reader that reads nothing."""
    Path("a.yaml").write_text(FILE, "utf-8")

    script = f"set -o pipefail; gradcli {call} | head -n 1 > /dev/null; gradcli {call} | true; echo ${{PIPESTATUS[0]}}"

    assert bash(script) == ("0\n", "", 0)


def test_closed_standard_output(folder: Path) -> None:
    """An error where there is a result to print, none where it goes to a file."""
    Path("a.yaml").write_text(FILE, "utf-8")

    assert bash("gradcli grad a.yaml >&-") == ("", "error: cannot write to standard output: it is closed\n", 2)
    assert bash("gradcli grad a.yaml -o g.json >&-") == ("", "wrote g.json\n", 0)
    assert bash("gradcli grad no.yaml 2>&-") == ("", "", 2)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(folder: Path, shell: str) -> None:
    """What a shell gets to read has no syntax error, as far as the shell is here to say so."""
    stdout, stderr, status = bash("gradcli", {"_GRADCLI_COMPLETE": f"source_{shell}"})

    assert (stderr, status) == ("", 0)
    assert "_GRADCLI_COMPLETE=complete_" + shell in stdout
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=stdout, capture_output=True, text=True, check=False)
        assert (checked.stderr, checked.returncode) == ("", 0)


def test_completion_works_by_the_printed_script(folder: Path) -> None:
    """In bash: --show-completion prints a script, and once it is read, `gr` and `--sou` are completed."""
    script = """
        gradcli --show-completion > completion.sh && bash -n completion.sh && . ./completion.sh
        COMP_WORDS=(gradcli gr); COMP_CWORD=1; _gradcli_completion gradcli; echo "${COMPREPLY[@]}"
        COMP_WORDS=(gradcli grad --sou); COMP_CWORD=2; _gradcli_completion gradcli; echo "${COMPREPLY[@]}"
        complete -p gradcli
    """

    assert bash(script) == ("grad\n--source\ncomplete -o default -F _gradcli_completion gradcli\n", "", 0)


def test_completion_of_an_unknown_shell(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status 2: 1 would mean that a comparison failed."""
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: None)

    assert run("--show-completion").status == 2
