"""Long work shows that it lives, and Ctrl-C ends it without a trace."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gradcli
from gradcli.cli import progress

Run = Callable[..., Any]


@pytest.fixture
def slow(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An API that takes far longer than the delay, which is short here."""
    answer = api.grad
    monkeypatch.setattr(progress, "DELAY", 0.01)
    monkeypatch.setattr(api, "grad", lambda *args, **options: (time.sleep(0.6), answer(*args, **options))[1])


def test_a_terminal_sees_progress(run: Run, slow: None) -> None:
    """A bar with the time, which is gone at the end; standard output has the result alone."""
    ran = run("grad", "f.yaml", terminal=True, env={"NO_COLOR": "1"})

    assert "gradcli is working" in ran.stderr
    assert "0:00:00" in ran.stderr
    assert ran.stderr.endswith("\x1b[2K")
    assert ran.stdout.startswith("grad  ")
    assert ran.status == 0


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ([], {}),
        ([], {"env": {"FORCE_COLOR": "1"}}),
        (["-q"], {"terminal": True}),
        ([], {"terminal": True, "env": {"TERM": "dumb"}}),
    ],
    ids=["pipe", "pipe with colour", "quiet", "dumb terminal"],
)
def test_nobody_else_does(run: Run, slow: None, args: list[str], options: dict[str, Any]) -> None:
    """Nothing where no person looks, or where the person asked for quiet."""
    ran = run("grad", "f.yaml", *args, **options)

    assert (ran.stderr, ran.status) == ("", 0)


def test_quick_work_shows_nothing(run: Run, api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that comes before the delay is over comes alone."""
    monkeypatch.setattr(progress, "DELAY", 60.0)

    assert run("grad", "f.yaml", terminal=True).stderr == ""


def test_typing_is_no_work(run: Run, slow: None) -> None:
    """While gradcli waits for what is typed it only says so."""
    ran = run("grad", "-", terminal=True)

    assert ran.stderr == "gradcli: reading an expression file from the terminal; end it with Ctrl-D\n"


LONG = (
    "constants: {c0: {shape: [1000, 1000], fill: 0.5}}\nsources: {x: 2}\nlet:\n"
    + "".join(f"  c{n + 1}: sin(c{n}) + exp(c{n})*0\n" for n in range(3000))
    + "targets: {y: x * sum(c3000)}\n"
)
"""Three thousand steps of several milliseconds, of which none can be left out."""


def interrupted(args: list[str], after: float, **streams: Any) -> subprocess.Popen[str]:
    """A process that is interrupted in the middle of its work."""
    process = subprocess.Popen([sys.executable, "-m", "gradcli", *args], text=True, **streams)
    time.sleep(after)
    assert process.poll() is None, "the work ended too early"
    process.send_signal(signal.SIGINT)
    return process


@pytest.mark.parametrize("before", [None, "what was there"])
def test_interruption_leaves_no_half_written_file(tmp_path: Path, before: str | None) -> None:
    """Status 130, one line, and the folder is as it was."""
    (tmp_path / "long.yaml").write_text(LONG)
    target = tmp_path / "g.json"
    if before:
        target.write_text(before)
    there = sorted(tmp_path.iterdir())

    process = interrupted(
        ["grad", str(tmp_path / "long.yaml"), "-o", str(target)],
        after=2,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    said = process.communicate(timeout=30)

    assert (said, process.returncode) == (("", "gradcli: interrupted\n"), 130)
    assert sorted(tmp_path.iterdir()) == there
    assert not before or target.read_text() == before


def test_interruption_on_a_terminal(tmp_path: Path) -> None:
    """The bar is there after a second, on standard error alone, and is taken away before the line."""
    (tmp_path / "long.yaml").write_text(LONG)
    ours, theirs = pty.openpty()

    process = interrupted(["grad", str(tmp_path / "long.yaml")], after=3, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    stdout, _ = process.communicate(timeout=30)
    seen = _read_all(ours)

    assert (stdout, process.returncode) == ("", 130)
    assert "gradcli is working" in seen
    assert "0:00:01" in seen
    assert seen.endswith("gradcli: interrupted\r\n")
    assert "Traceback" not in seen


def test_interruption_inside_exec(tmp_path: Path) -> None:
    """Python would end the process by the signal when the interrupt leaves an `exec` of text; here it is 130."""
    (tmp_path / "probe.py").write_text(
        "import os, sys, types\n"
        "api = types.ModuleType('gradcli.api')\n"
        "api.grad = lambda *a, **k: exec('while True: os.kill(os.getpid(), 2)', globals())\n"
        "sys.modules['gradcli.api'] = api\n"
        "from gradcli.cli import main\n"
        "sys.exit(main(['grad', 'f.yaml']))\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "probe"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(gradcli.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (done.stdout, done.stderr, done.returncode) == ("", "gradcli: interrupted\n", 130)


def _read_all(terminal: int) -> str:
    parts = []
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(terminal)
    return b"".join(parts).decode()
