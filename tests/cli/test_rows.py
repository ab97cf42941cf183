"""A Jacobian larger than memory in a file: what is written, what is said, and what is left when it fails."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.cli import progress
from gradcli.report import as_npy

Run = Callable[..., Any]

FILE = """
constants: {U: {shape: [400, 3], random: normal, seed: 1}}
sources: {x: {shape: [300], random: normal, seed: 2}, c: 1, u: 1}
targets: {y: "tanh(c * U @ x[:3]) + cumsum(x)[-1]", z: "x[:2] * c"}
"""
SMALL = ("--max-memory", "300KB")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The rows of y by x take 960 KB. Files are written where we are."""
    (tmp_path / "f.yaml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return "f.yaml"


def numbers(path: str) -> tuple[list[str], np.ndarray]:
    """All that is text in a CSV file, and its numbers (NaN for none)."""
    lines = [line.rsplit('"', 1) if '"' in line else line.split(",", 1) for line in Path(path).read_text().splitlines()]
    fields = [line[-1].strip(",").split(",") for line in lines[1:]]
    table = np.array([[float(x or "nan") for x in row] for row in fields])
    return [lines[0][0], *[line[0] for line in lines]], table


@pytest.mark.parametrize("choice", [(), ("--dtype", "float32"), ("--at", "c=0.5"), ("--unconnected", "zero")])
def test_csv_is_that_of_the_whole(run: Run, file: str, choice: tuple[str, ...]) -> None:
    """Header, labels, order and empty fields; several targets and sources."""
    whole, part = run("jacobian", file, *choice, "-o", "w.csv"), run("jacobian", file, *choice, "-o", "p.csv", *SMALL)

    assert part.stderr == whole.stderr.replace("w.csv", "p.csv")
    assert part.stderr.endswith("wrote p.csv\n")
    assert (part.stdout, part.status) == ("", 0)
    (labels, table), (expected_labels, expected) = numbers("p.csv"), numbers("w.csv")
    assert labels == expected_labels
    np.testing.assert_allclose(table, expected, rtol=0, atol=1e-6 if "float32" in choice else 1e-14)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_npy_is_that_of_the_whole(run: Run, file: str, dtype: str) -> None:
    call = ("jacobian", file, "-t", "y", "-s", "x", "--dtype", dtype)
    assert run(*call, "-o", "w.npy").stderr == "wrote w.npy\n"
    assert run(*call, "-o", "p.npy", *SMALL).stderr == "wrote p.npy\n"

    whole, part = np.load("w.npy"), np.load("p.npy")
    assert (part.shape, part.dtype) == (whole.shape, whole.dtype) == ((400, 300), dtype)
    np.testing.assert_allclose(part, whole, rtol=0, atol=8 * np.finfo(dtype).eps)


def test_an_expression(run: Run, file: str) -> None:
    """-e and --at in place of a file."""
    np.save("x.npy", np.arange(300.0))
    ran = run("jacobian", "-e", "sin(x) * sum(x)", "--at", "x=@x.npy", "-o", "p.npy", *SMALL)

    x = np.arange(300.0)
    assert ran.stderr == "wrote p.npy\n"
    np.testing.assert_allclose(np.load("p.npy"), np.diag(np.cos(x) * x.sum()) + np.sin(x)[:, None], atol=1e-10)


ADVICE = "write it row by row with -o rows.npy or -o rows.csv, or choose fewer targets (-t) or sources (-s), or raise"


@pytest.mark.parametrize("shown", [(), ("--json",), ("--format", "csv"), ("-o", "r.npz"), ("-o", "r.json")])
def test_other_formats_need_all_of_it(run: Run, file: str, shown: tuple[str, ...]) -> None:
    """The refusal says how it can be done; nothing is written."""
    ran = run("jacobian", file, *shown, *SMALL)

    assert (ran.stdout, ran.status) == ("", 2)
    assert ADVICE in ran.stderr
    assert os.listdir() == [file]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-o", "r.npy"), "a .npy file holds one array, and there are 6: y/x, y/c, y/u, z/x, ...\n  help: choose one"),
        (
            ("-t", "y", "-s", "u", "-o", "r.npy"),
            "there is no array to write: y/u is unconnected\n  help: --unconnected",
        ),
        (("--max-memory", "8KB", "-o", "r.csv"), "more than the limit of 7.8 KiB\n  help: choose fewer targets (-t)"),
        (("-t", "z", "-s", "x", "--per-example", "-o", "r.npy"), "--per-example needs one row of 'x'"),
    ],
)
@pytest.mark.parametrize("limit", [(), SMALL])
def test_refusals(run: Run, file: str, args: tuple[str, ...], said: str, limit: tuple[str, ...]) -> None:
    """One form, status 2, and nothing is left."""
    ran = run("jacobian", file, *limit, *args)

    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr.startswith("error: ")
    assert said in ran.stderr
    assert os.listdir() == [file]


def test_zeros_for_what_is_unconnected(run: Run, file: str) -> None:
    assert run("jacobian", file, "-t", "y", "-s", "u", "-o", "r.npy", "--unconnected", "zero").status == 0
    assert np.load("r.npy").tolist() == [0.0] * 400


def test_blocks_of_examples_are_one_array(run: Run, file: str) -> None:
    """--per-example is written whole, and refused where it is too large."""
    call = ("jacobian", "-e", "x * x", "--at", "x=[[1, 2], [3, 4]]", "--per-example", "-o", "r.npy")
    assert run(*call).status == 0
    assert np.load("r.npy").shape == (2, 2, 2)
    assert "more than the limit of 10 B" in run(*call, "--max-memory", "10").stderr


# -- while it is written ----------------------------------------------------------------------------------------------


def test_progress_on_a_terminal(run: Run, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar is filled as rows are written; it is on standard error alone, and gone at the end."""
    monkeypatch.setattr(progress, "DELAY", 0.01)
    monkeypatch.setattr(progress, "_PAUSE", 0.01)
    put = as_npy._put
    monkeypatch.setattr(as_npy, "_put", lambda *args: (time.sleep(0.05), put(*args)))
    call = ("jacobian", file, "-t", "y", "-s", "x", "-o", "r.npy", *SMALL)

    ran = run(*call, terminal=True)

    assert "gradcli is working" in ran.stderr
    shares = [int(share) for share in re.findall(r"(\d+)%", ran.stderr)]
    assert shares == sorted(shares)
    assert len(set(shares) & set(range(1, 100))) > 2
    assert ran.stderr.endswith("\x1b[2Kwrote r.npy\n")
    assert run(*call).stderr == "wrote r.npy\n"


def test_a_full_disk_leaves_nothing(run: Run, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stood there stays."""
    Path("r.npy").write_text("before")
    put = as_npy._put
    calls: list[int] = []

    def fail(stream: Any, array: Any) -> None:
        calls.append(1)
        if len(calls) > 2:
            raise OSError(28, "No space left on device")
        put(stream, array)

    monkeypatch.setattr(as_npy, "_put", fail)
    ran = run("jacobian", file, "-t", "y", "-s", "x", "-o", "r.npy", *SMALL)

    assert (ran.stderr, ran.status) == ("error: cannot write 'r.npy': No space left on device\n", 2)
    assert Path("r.npy").read_text() == "before"
    assert sorted(os.listdir()) == [file, "r.npy"]


LONG = """
sources: {x: {shape: [8000], random: normal, seed: 1}}
targets: {y: "tanh(cumsum(x)) * sum(x)"}
"""


@pytest.mark.parametrize("name", ["r.npy", "r.csv"])
def test_interruption_leaves_nothing(file: str, name: str) -> None:
    """Status 130 and one line, in the middle of the rows."""
    Path(file).write_text(LONG)
    command = [sys.executable, "-m", "gradcli", "jacobian", file, "-o", name, "--max-memory", "700KB"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 30
        while not (begun := [n for n in os.listdir() if n.endswith(".tmp")]) and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)

    assert begun
    assert (said, process.returncode) == (("", "gradcli: interrupted\n"), 130)
    assert os.listdir() == [file]


MEASURED = """
import re, sys
from gradcli.cli import main
status = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
sys.exit(status)
"""


def peak(*args: str) -> int:
    """The most megabytes that a call held."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *args, "-q", "--no-cache"], capture_output=True, text=True, check=True
    )
    return int(done.stdout) // 1000


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nothing says how much memory a process has held")
@pytest.mark.parametrize("name", ["r.npy", "r.csv"])
def test_no_more_memory_than_was_allowed(file: str, name: str) -> None:
    """Rows of 96 MB (24 MB as CSV) within 16 MB; all of them take as much as they are, at least."""
    columns = 2000 if name == "r.npy" else 500
    Path(file).write_text(FILE.replace("[400, 3]", "[6000, 3]").replace("[300]", f"[{columns}]"))
    call = ("jacobian", file, "-t", "y", "-s", "x", "-o", name)
    nothing = peak("jacobian", file, "-t", "z", "-s", "c", "-o", name)

    assert peak(*call, "--max-memory", "16MB") - nothing < 16 + 6
    assert peak(*call) - nothing > 6000 * columns * 8 / 1e6
