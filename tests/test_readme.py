"""README.md is true: its commands print what it says, its Python runs, and its set-up commands are those of CI.

`python tests/test_readme.py` writes the output of today into README.md; read the difference before you commit it.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from pkgutil import iter_modules

import pytest

import gradcli
from gradcli.cli import commands

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Stands in for jq where it is missing: paths such as .a.b and .a[].b, with -c and -r.
JQ = r"""
import json, re, sys
*flags, path = sys.argv[1:]
values = [json.load(sys.stdin)]
for key, each in re.findall(r"\.(\w+)|(\[\])", path):
    values = [item for value in values for item in value] if each else [value[key] for value in values]
layout = {"separators": (",", ":")} if "-c" in flags else {"indent": 2}
for value in values:
    print(value if "-r" in flags and isinstance(value, str) else json.dumps(value, **layout))
"""

# Stands in for make where it is missing: the rules of a Makefile without dependencies.
MAKE = r"""
import re, subprocess, sys
rules = re.findall(r"^(\w+):\n((?:\t.*\n)+)", open("Makefile").read(), re.MULTILINE)
for number, line in enumerate(dict(rules)[sys.argv[1]].splitlines(), start=2):
    print(line.strip(), flush=True)
    if status := subprocess.run(line, shell=True).returncode:
        sys.exit(f"make: *** [Makefile:{number}: {sys.argv[1]}] Error {status}")
"""


def blocks(language: str) -> list[tuple[int, str]]:
    """(line, text) of each block of the language."""
    return [(README.count("\n", 0, m.start()) + 1, m[2]) for m in FENCE.finditer(README) if m[1] == language]


def commands_of(block: str) -> list[str]:
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


class Shell:
    """A folder with the samples, and bash with `gradcli`, `python3`, `jq` and `make` on its path."""

    def __init__(self, folder: Path, *, bare: bool = False) -> None:
        self.folder = folder / "work"
        shutil.copytree(ROOT / "samples", self.folder / "samples")
        tools = folder / "tools"
        tools.mkdir()
        scripts = {"gradcli": "-m gradcli", "python3": ""}
        for name, program in {"jq": JQ, "make": MAKE}.items():
            if bare or not shutil.which(name):
                (tools / f"{name}.py").write_text(program)
                scripts[name] = f"'{tools / name}.py'"
        for name, arguments in scripts.items():
            (tools / name).write_text(f"#!/bin/sh\nexec '{sys.executable}' {arguments} \"$@\"\n")
            (tools / name).chmod(0o755)
        self.env = {
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(Path(gradcli.__file__).parents[1]),
            "PYTHONUTF8": "1",
            "GRADCLI_CACHE_DIR": str(folder / "cache"),
            "COLUMNS": "80",
        }

    def output(self, command: str) -> str:
        """Standard output and standard error together, as a terminal shows them."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        return done.stdout

    def transcript(self, block: str) -> str:
        """The block as it is when its commands are run; git knows the samples as they are in the last commit."""
        if "$ git " in block:
            self.output("git init -q && git add . && git -c user.name=x -c user.email=x@example.com commit -qm samples")
        return "".join(f"$ {command}\n{self.output(command)}" for command in commands_of(block))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize("block", [pytest.param(text, id=f"line {line}") for line, text in blocks("console")])
def test_commands_print_what_the_readme_says(shell: Shell, block: str) -> None:
    """The block is exactly what a terminal of 80 columns shows, up to how far two computations happen to agree."""
    if "git " in block and not shutil.which("git"):
        pytest.skip("there is no git")
    assert _without_rounding(shell.transcript(block)) == _without_rounding(block)


def _without_rounding(text: str) -> str:
    """The last digits of exp and log differ from processor to processor, and so do the digits that a check reports.
    pytest says how long it took."""
    patterns = {
        r"  +\d+ digits": "  n digits",
        r"order \d\.\d\d": "order n",
        r"in [\d.]+s": "in ns",
        r"(\d\.\d{12})\d+": r"\1",
    }
    for pattern, same in patterns.items():
        text = re.sub(pattern, same, text)
    return text


@pytest.mark.parametrize("tool", ["jq", "make"])
def test_the_stand_ins_print_the_same(tmp_path: Path, tool: str) -> None:
    """So the blocks with jq and make are tested on a machine without them, too."""
    shell = Shell(tmp_path, bare=True)
    found = [text for _, text in blocks("console") if re.search(rf"(\$|\|) {tool}\b", text)]

    assert found
    assert [shell.transcript(text) for text in found] == found


@pytest.mark.parametrize("block", [pytest.param(text, id=f"line {line}") for line, text in blocks("python")])
def test_python_prints_what_the_readme_says(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block is a doctest of its own, run where the samples are."""
    monkeypatch.chdir(ROOT)
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    said: list[str] = []

    outcome = doctest.DocTestRunner().run(test, out=said.append)

    assert outcome.attempted > 0
    assert outcome.failed == 0, "".join(said)


def test_ci_runs_the_commands_of_the_readme() -> None:
    """There are two set-up commands, and both are lines of `.ci/run`, in this order."""
    setup = [text.rstrip("\n") for _, text in blocks("sh")]
    lines = [line.strip() for line in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()]

    assert len(setup) == 2
    assert setup[1].endswith("-m pytest")
    assert [line for line in lines if line in setup] == setup


def test_every_command_is_in_the_readme() -> None:
    """No subcommand without an example."""
    run = {word for _, text in blocks("console") for word in re.findall(r"gradcli (\w+)", text)}

    assert {module.name for module in iter_modules(commands.__path__)} <= run


def test_every_sample_is_in_the_readme() -> None:
    """Each is shown with its output."""
    run = {name for _, text in blocks("console") for name in re.findall(r"gradcli .*samples/([\w.]+)", text)}

    assert run == {path.name for path in (ROOT / "samples").iterdir()}


def updated() -> Iterator[str]:
    """README.md with the output of today, in parts."""
    end = 0
    for found in FENCE.finditer(README):
        if found[1] == "console":
            with tempfile.TemporaryDirectory() as folder:
                yield README[end : found.start(2)] + Shell(Path(folder)).transcript(found[2])
            end = found.end(2)
    yield README[end:]


if __name__ == "__main__":
    (ROOT / "README.md").write_text("".join(updated()), "utf-8")
