"""`gradcli schema` prints what ships; `gradcli init` writes an example that runs and overwrites nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.schemas import content_of, refusals, validator

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("options", "name"), [([], "document/schema.json"), (["--result"], "report/result_schema.json")]
)
def test_schema(run: Run, options: list[str], name: str) -> None:
    """The schema of this version, of draft 2020-12, on standard output."""
    ran = run("schema", *options, encoding="ascii")

    assert (ran.stderr, ran.status) == ("", 0)
    assert json.loads(ran.stdout) == validator(name).schema
    assert json.loads(ran.stdout)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_init_writes_an_example_that_runs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """expression.yaml, right by the schema, whose rows and gradient agree; the line for editors names the schema."""
    monkeypatch.chdir(tmp_path)

    ran = run("init")
    text = Path("expression.yaml").read_text("utf-8")

    assert (ran.stdout, ran.status) == ("", 0)
    assert ran.stderr == "wrote expression.yaml; try: gradcli compare expression.yaml\n"
    assert run("compare", "expression.yaml").status == 0
    assert refusals(content_of(text)) == []
    assert "\n# yaml-language-server: $schema=gradcli.schema.json\n" in text
    assert "`gradcli schema > gradcli.schema.json`" in text


def test_what_the_example_comments_out_runs_too(run: Run) -> None:
    """The section that is a comment is right once its marks are gone."""
    text = run("init", "-").stdout
    begin = text.index("# output_gradients")
    text = text[:begin] + "\n".join(line.removeprefix("# ") for line in text[begin:].split("\n"))

    ran = run("grad", "-", "--json", stdin=text)

    assert ran.status == 0
    assert json.loads(ran.stdout)["gradient"] == {"slope": 0.0, "offset": pytest.approx(-1.2)}


def test_init_prints(run: Run) -> None:
    """`-` is standard output, and reading it back works."""
    ran = run("init", "-", encoding="ascii")

    assert (ran.stderr, ran.status) == ("", 0)
    assert run("compare", "-", stdin=ran.stdout).status == 0


def test_init_overwrites_nothing(run: Run, tmp_path: Path) -> None:
    """A file that exists stays as it is; the error says what to do."""
    path = tmp_path / "mine.yaml"
    path.write_text("mine")

    ran = run("init", str(path))

    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr == (
        f"error: '{path}' exists already\n"
        "  help: choose another name, such as gradcli init other.yaml, or - to print the example\n"
    )
    assert path.read_text() == "mine"


def test_init_where_nothing_can_be_written(run: Run, tmp_path: Path) -> None:
    """A folder that is missing and a name that is none are errors of the call."""
    for name, reason in ((str(tmp_path / "no" / "a.yaml"), "No such file or directory"), ("a\0b", "embedded null")):
        ran = run("init", name)
        assert (ran.stdout, ran.status) == ("", 2)
        assert ran.stderr.startswith("error: cannot write ")
        assert reason in ran.stderr
    assert run("init", str(tmp_path / "a.yaml"), "-q").stderr == ""
