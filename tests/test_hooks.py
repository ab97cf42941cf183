"""What others run gradcli with: the hook of pre-commit, and the GitHub workflow of README.md, both for real."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))

RIGHT = "sources: {x: 3.0}\ntargets: {y: x**2 + x}\nexpect: {gradient: {x: 2*x + 1}}\n"
WRONG = """\
sources: {x: [3.0, 4.0]}
targets: {y: mean(x**2)}
expect:
  gradient: {x: 2*x}
"""

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")


def block(key: str) -> Any:
    """The YAML block of README.md that has the key."""
    found = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)]
    (only,) = [content for content in found if key in content]
    return only


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three expression files, of which one is wrong, and another YAML file."""
    for name, text in {"a.grad.yaml": RIGHT, "models/loss.grad.yaml": WRONG, "b.grad.yml": RIGHT}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "other.yaml").write_text("targets: [")
    return tmp_path


def call(folder: Path, *command: str, **env: str) -> tuple[int, str]:
    """Status and output of a command, which finds this gradcli first."""
    (folder / ".tools").mkdir(exist_ok=True)
    (folder / ".tools" / "gradcli").write_text(f"#!/bin/sh\nexec '{sys.executable}' -m gradcli \"$@\"\n")
    (folder / ".tools" / "gradcli").chmod(0o755)
    own = {
        "PATH": f"{folder / '.tools'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "GRADCLI_CACHE_DIR": str(folder / ".plans"),
        "COLUMNS": "80",
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env={**own, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout


def pre_commit(folder: Path, *args: str) -> tuple[int, str]:
    """pre-commit with the hook as it is declared, but for its language: it runs the gradcli that is there."""
    ids = [hook["id"] for repo in block("repos")["repos"] for hook in repo["hooks"]]
    hooks = [{**hook, "language": "system"} for hook in HOOKS if hook["id"] in ids]
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]}))
    call(folder, "git", "init", "--quiet")
    call(folder, "git", "add", "a.grad.yaml", "b.grad.yml", "models", "other.yaml", ".pre-commit-config.yaml")
    return call(folder, sys.executable, "-m", "pre_commit", "run", *args, PRE_COMMIT_HOME=str(folder / ".cache"))


@needs_git
def test_the_hook_shows_what_is_wrong(folder: Path) -> None:
    """File, line, entry, expected, got and diagnosis; files that are no expression files are left alone."""
    status, out = pre_commit(folder)
    said = " ".join(out.split())

    assert status == 1
    assert "models/loss.grad.yaml 1 of 6 checks is wrong" in said
    assert "gradient x WRONG at x[0]: expected 6, got 3, difference 3 (line 4)" in said
    assert "your gradient of x is that of the sum: it was multiplied by 2" in said
    assert "3 files: 2 passed, 1 failed (models/loss.grad.yaml)" in said
    assert "other.yaml" not in said


@needs_git
def test_the_hook_passes_what_is_right(folder: Path) -> None:
    """And says nothing of it."""
    status, out = pre_commit(folder, "--files", "a.grad.yaml", "b.grad.yml", "other.yaml")

    assert status == 0
    assert re.fullmatch(r"gradcli check\.+Passed\n", out)


def test_the_hook_of_the_readme_exists() -> None:
    """By its id, and at a version that is this one."""
    (repo,) = block("repos")["repos"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert [hook["id"] for hook in repo["hooks"]] == [hook["id"] for hook in HOOKS]
    assert repo["rev"] == f"v{project['version']}"


def test_the_workflow_annotates_what_is_wrong(folder: Path) -> None:
    """Each step of README.md in the shell that GitHub takes, but for those that install: gradcli is there."""
    steps = [step["run"] for job in block("jobs")["jobs"].values() for step in job["steps"] if "run" in step]
    assert [step for step in steps if step.startswith("pip install")] == steps[:1] == ["pip install gradcli"]

    for step in steps[1:]:
        status, out = call(folder, "bash", "-e", "-c", step, GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(folder))

        assert status == 1
        assert out == (
            "::error file=models/loss.grad.yaml,line=4,title=gradient x is wrong::"
            "models/loss.grad.yaml:4: gradient x: at x[0]: expected 6, got 3, difference 3%0A"
            "your gradient of x is that of the sum: it was multiplied by 2%0A"
            "already wrong at all of x = 1\n"
            "failed: 1 of 6 checks is wrong\n"
        )
