"""GitHub workflow commands: a line for each wrong check and each fault, escaped as the runner reads it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import Fault, Place
from gradcli.report import ReportOptions, render
from gradcli.report.checks import ending
from gradcli.results import Check, Checked, CheckedFile, Difference, Gradient
from tests.report.test_as_junit import BROKEN, GOOD, LOSS, WRONG

COMMAND = re.compile(r"::error ((?:\w+=[^,:\r\n]*,?)+)::([^\r\n]*)")


@pytest.fixture(autouse=True)
def _no_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the tests themselves run at GitHub."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def github(*files: CheckedFile, **options: Any) -> str:
    return render(Checked(files=files), "github", ReportOptions(**options))


def read(line: str) -> tuple[dict[str, str], str]:
    """The properties and the message of a command, as the runner of GitHub unescapes them."""
    found = COMMAND.fullmatch(line)
    assert found, line
    pairs = dict(part.split("=", 1) for part in found[1].split(","))
    for code, character in (("%3A", ":"), ("%2C", ",")):
        pairs = {key: value.replace(code, character) for key, value in pairs.items()}
    return {key: _data(value) for key, value in pairs.items()}, _data(found[2])


def _data(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def test_to_the_letter() -> None:
    """Nothing for what is equal or inconclusive; the last line is that of the table."""
    assert github(LOSS, BROKEN, GOOD) == (
        "::error file=models/loss.yaml,line=14,title=gradient w is wrong::models/loss.yaml:14: gradient w: at w[0,1]: "
        "expected 0.5, got 0.25, difference 0.25%0Athe gradient of the mean was given: it was divided by 2%0Aalready "
        "wrong at x1 = 1, x2 = 0\n"
        "::error file=broken.yaml,line=9,col=25,title=gradcli cannot check this file::broken.yaml:9:25: unknown name "
        "'wieghts' in target 'loss'%0Ahelp: did you mean 'weights'?\n"
        "::error file=broken.yaml,title=gradcli cannot check this file::broken.yaml: too <large> & more\n"
        "3 files: 1 passed, 1 failed (models/loss.yaml), 1 cannot be checked (broken.yaml)\n"
    )


@pytest.mark.parametrize("files", [(GOOD,), (GOOD, GOOD), ()], ids=len)
def test_nothing_wrong(files: tuple[CheckedFile, ...]) -> None:
    """Only the last line."""
    assert github(*files) == f"{ending(Checked(files=files))}\n"


def test_inconclusive() -> None:
    """Is counted, and takes none of the few annotations that GitHub shows."""
    assert github(CheckedFile(file="a.yaml", checks=LOSS.checks[3:])) == "passed: 1 of 1 check is inconclusive\n"


@pytest.mark.parametrize(
    ("check", "line"),
    [
        (Check(name="rows", verdict="wrong"), "file=a.yaml,title=rows is wrong::a.yaml: rows"),
        (
            Check(name="rows", verdict="wrong", detail="order 1.00"),
            "file=a.yaml,title=rows is wrong::a.yaml: rows: order 1.00",
        ),
        (
            Check(name="error", verdict="wrong", diagnosis="the file has no error", line=3),
            "file=a.yaml,line=3,title=error is wrong::a.yaml:3: error: the file has no error",
        ),
        (
            Check(name="gradient x", verdict="wrong", worst=Difference("x", np.nan, -np.inf)),
            "file=a.yaml,title=gradient x is wrong::a.yaml: gradient x: at x: expected NaN, got -inf",
        ),
        (
            Check(name="gradient x", verdict="wrong", worst=Difference("x", None, 1 / 3), line=2),
            "file=a.yaml,line=2,title=gradient x is wrong::a.yaml:2: gradient x: at x: expected none, got 0.333333",
        ),
    ],
    ids=["nothing", "detail", "diagnosis", "NaN", "none"],
)
def test_what_a_wrong_check_says(check: Check, line: str) -> None:
    """As in the table."""
    assert github(CheckedFile(file="a.yaml", checks=(check,))).splitlines()[0] == f"::error {line}"


def test_precision() -> None:
    """As in the table."""
    check = Check(name="x", verdict="wrong", worst=Difference("x", 2 / 3, 1 / 3))

    assert "expected 0.67, got 0.33, " in github(CheckedFile(file="a.yaml", checks=(check,)), precision=2)


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (
            Fault("value", "no", place=Place(None, 3, 5)),
            "file=a.yaml,line=3,col=5,title=gradcli cannot check this file::a.yaml:3:5: no",
        ),
        (
            Fault("value", "no", place=Place("w.csv", 7)),
            "file=w.csv,line=7,title=gradcli cannot check this file::w.csv:7: no",
        ),
        (
            Fault("value", "no", place=Place("a.yaml", path="targets.y")),
            "file=a.yaml,title=gradcli cannot check this file::a.yaml: targets.y: no",
        ),
        (
            Fault("value", "100%", "write 1,\n2", Place("a.yaml", column=4)),
            "file=a.yaml,title=gradcli cannot check this file::a.yaml: 100%25%0Ahelp: write 1, 2",
        ),
    ],
    ids=["of the file", "of its data", "a path", "percent"],
)
def test_faults(fault: Fault, line: str) -> None:
    """With the place, in the file that is wrong, and the help on a line of its own."""
    text = github(CheckedFile(file="a.yaml", faults=(fault,)))

    assert text.splitlines()[0] == f"::error {line}"


@pytest.mark.parametrize("name", ["a,b:c%41%.yaml", "a\nb\rc.yaml", "::error::.yaml", "größe λ.yaml", "a=b.yaml"])
def test_odd_file_names(name: str) -> None:
    """The runner reads back the very name."""
    first, *_ = github(CheckedFile(file=name, checks=(WRONG,))).split("\n")

    assert read(first)[0] == {"file": name, "line": "14", "title": "gradient w is wrong"}


def test_escapes() -> None:
    """What ends a property or a line, and the sign of an escape itself, to the letter."""
    check = Check(name="a,b:c%", verdict="wrong", diagnosis="d,e:f%0A", line=1)

    assert github(CheckedFile(file="x,y:z%\r\n.yaml", checks=(check,))).split("\n")[0] == (
        "::error file=x%2Cy%3Az%25%0D%0A.yaml,line=1,title=a%2Cb%3Ac%25 is wrong"
        "::x,y:z%25  .yaml:1: a,b:c%25: d,e:f%250A"
    )


def test_what_moves_a_cursor_or_cannot_be_written() -> None:
    """Is made visible."""
    evil = "\x1b[2J\udcff\u2028"
    text = github(CheckedFile(file=evil, checks=(Check(name=evil, verdict="wrong", diagnosis=evil),)))

    assert text.split("\n")[0] == (
        r"::error file=\x1b[2J\udcff\u2028,title=\x1b[2J\udcff  is wrong"
        r"::\x1b[2J\udcff : \x1b[2J\udcff : \x1b[2J\udcff "
    )
    assert text.encode()


@given(st.text(st.characters(codec=None), max_size=20))
def test_any_text(text: str) -> None:
    """Whatever a file holds and is called: one line for each error, and no line that is another command."""
    check = Check(name=text, verdict="wrong", diagnosis=text, worst=Difference(text, 1.0, 2.0), counterexample=text)
    unread = CheckedFile(file=text, faults=(Fault("value", text, text, Place(text or None, 1, 1, 1, text)),))
    first, second, last, end = github(CheckedFile(file=text, checks=(check,)), unread).split("\n")

    assert read(first)[0].keys() == ({"file", "title"} if text not in ("", "<stdin>") else {"title"})
    assert read(second)[0]["title"] == "gradcli cannot check this file"
    assert last.startswith("2 files: 1 failed (")
    assert end == ""


def test_no_file() -> None:
    """A mapping and standard input are nothing that a line could be shown beside."""
    mapping = CheckedFile(file=None, checks=(WRONG,))
    typed = CheckedFile(file="<stdin>", faults=(Fault("value", "no", place=Place("<stdin>", 3, 4)),))
    first, second, *_ = github(mapping, typed).splitlines()

    assert first.startswith("::error line=14,title=gradient w is wrong::(no file):14: gradient w: at w[0,1]: ")
    assert second == "::error line=3,col=4,title=gradcli cannot check this file::<stdin>:3:4: no"


def test_in_a_folder_of_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a runner files are named from the root of the repository, as GitHub knows them; the message is as typed."""
    (tmp_path / "repository" / "models").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repository" / "models")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "repository"))
    assert github(CheckedFile(file="", checks=(WRONG,))).startswith("::error line=14,")
    names = ["loss.yaml", "./a.yaml", "../b.yaml", str(tmp_path / "repository/c.yaml"), "../../d.yaml", "/x/e.yaml"]
    lines = github(*(CheckedFile(file=name, checks=(WRONG,)) for name in names)).splitlines()

    files = [read(line)[0]["file"] for line in lines[:-1]]
    assert files == ["models/loss.yaml", "models/a.yaml", "b.yaml", "c.yaml", "../../d.yaml", "/x/e.yaml"]
    assert [read(line)[1].split(":14: ")[0] for line in lines[:-1]] == names


def test_only_checks() -> None:
    """Derivatives have no annotations."""
    with pytest.raises(TypeError, match="no workflow commands for Gradient"):
        render(Gradient(targets={}, sources={}, gradient={}), "github")
