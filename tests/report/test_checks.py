"""What `check` finds, as a table and as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from gradcli.errors import Fault, Place
from gradcli.report import FORMATS, ReportOptions, formats, render, write
from gradcli.report.checks import ending
from gradcli.results import Check, Checked, CheckedFile, Difference
from tests.schemas import result_refusals

WRONG = Check(
    name="gradient w",
    verdict="wrong",
    digits=0.3,
    max_abs_difference=0.25,
    max_rel_difference=0.5,
    worst=Difference("w[0,1]", 0.5, 0.25),
    counterexample="x1 = 1, x2 = 0",
    diagnosis="the gradient of the mean was given: it was divided by 2",
    line=14,
)
OPEN = Check(name="Hessian symmetry", verdict="inconclusive", digits=3.0, detail="x[0] is at a kink of abs")
XENTROPY = CheckedFile(
    file="samples/xentropy.yaml",
    title="per-sample loss against mean loss",
    checks=(
        Check(name="value xentropy", verdict="equal", digits=7.2, max_abs_difference=4e-8, max_rel_difference=6e-8),
        WRONG,
        Check(name="gradient b", verdict="equal", digits=16.0, detail="proved", line=15),
        Check(name="forward mode", verdict="equal", digits=15.93),
        Check(name="Taylor remainder", verdict="equal", detail="order 2.00"),
        OPEN,
    ),
)
BROKEN = CheckedFile(
    file="broken.yaml",
    faults=(
        Fault("name", "unknown name 'wieghts' in target 'loss'", place=Place("broken.yaml", 9, 25)),
        Fault("value", "no"),
    ),
)


def passing(file: str, checks: int = 2, **facts: Any) -> CheckedFile:
    return CheckedFile(
        file=file, checks=tuple(Check(name=f"rows {i}", verdict="equal", digits=12.5) for i in range(checks)), **facts
    )


def table(*files: CheckedFile, **options: Any) -> str:
    return render(Checked(files=files), "table", ReportOptions(**options))


def check(found: str, expected: str) -> None:
    """The table is `expected`, which is indented with the test."""
    assert found == dedent(expected).lstrip("\n"), found


def test_one_file() -> None:
    """Name, verdict, and what there is to say, wrapped in its column; where several things are, each stands out."""
    check(
        table(XENTROPY),
        """
        check  samples/xentropy.yaml
        per-sample loss against mean loss

          value xentropy     equal           7 digits
          gradient w         WRONG          at w[0,1]: expected 0.5, got 0.25,
                                              difference 0.25 (line 14)
                                            the gradient of the mean was given: it was
                                              divided by 2
                                            already wrong at x1 = 1, x2 = 0
          gradient b         equal          16 digits, proved
          forward mode       equal          15 digits
          Taylor remainder   equal          order 2.00
          Hessian symmetry   inconclusive   x[0] is at a kink of abs

        failed: 1 of 6 checks is wrong, 1 is inconclusive
        """,
    )


def test_one_file_on_a_wide_page() -> None:
    """Nothing is wrapped that has room."""
    check(
        table(XENTROPY, width=160),
        """
        check  samples/xentropy.yaml
        per-sample loss against mean loss

          value xentropy     equal           7 digits
          gradient w         WRONG          at w[0,1]: expected 0.5, got 0.25, difference 0.25 (line 14)
                                            the gradient of the mean was given: it was divided by 2
                                            already wrong at x1 = 1, x2 = 0
          gradient b         equal          16 digits, proved
          forward mode       equal          15 digits
          Taylor remainder   equal          order 2.00
          Hessian symmetry   inconclusive   x[0] is at a kink of abs

        failed: 1 of 6 checks is wrong, 1 is inconclusive
        """,
    )


def test_few_files() -> None:
    """A heading for each; the columns are the same for all; the last line names those that have not passed."""
    check(
        table(passing("a.yaml", title="a title"), XENTROPY, BROKEN, width=100),
        """
        passed   a.yaml   2 checks
        a title
          rows 0             equal          12 digits
          rows 1             equal          12 digits

        failed   samples/xentropy.yaml   1 of 6 checks is wrong, 1 is inconclusive
        per-sample loss against mean loss
          value xentropy     equal           7 digits
          gradient w         WRONG          at w[0,1]: expected 0.5, got 0.25, difference 0.25 (line 14)
                                            the gradient of the mean was given: it was divided by 2
                                            already wrong at x1 = 1, x2 = 0
          gradient b         equal          16 digits, proved
          forward mode       equal          15 digits
          Taylor remainder   equal          order 2.00
          Hessian symmetry   inconclusive   x[0] is at a kink of abs

        failed   broken.yaml   cannot be checked: unknown name 'wieghts' in target 'loss' (line 9), and 1
                               more error

        3 files: 1 passed, 1 failed (samples/xentropy.yaml), 1 cannot be checked (broken.yaml)
        """,
    )


def test_many_files() -> None:
    """Where all is equal a file takes one line, and these come first; in the last line no name is broken."""
    files = [passing(f"{'sub/' * (i % 3)}{i}.yaml", checks=i) for i in range(9)]
    unsure = CheckedFile(file="kink.yaml", checks=(OPEN, WRONG.__class__(name="rows", verdict="equal", digits=9.0)))
    wrong = CheckedFile(file="with a blank.yaml", checks=(replace(WRONG, worst=None, counterexample=None),))
    check(
        table(unsure, *files, wrong, BROKEN),
        """
        passed   0.yaml           no checks
        passed   sub/1.yaml       1 check
        passed   sub/sub/2.yaml   2 checks
        passed   3.yaml           3 checks
        passed   sub/4.yaml       4 checks
        passed   sub/sub/5.yaml   5 checks
        passed   6.yaml           6 checks
        passed   sub/7.yaml       7 checks
        passed   sub/sub/8.yaml   8 checks

        passed   kink.yaml   1 of 2 checks is inconclusive
          Hessian symmetry   inconclusive   x[0] is at a kink of abs
          rows               equal          9 digits

        failed   with a blank.yaml   1 of 1 check is wrong
          gradient w         WRONG          the gradient of the mean was given: it was
                                            divided by 2 (line 14)

        failed   broken.yaml   cannot be checked: unknown name 'wieghts' in target
                               'loss' (line 9), and 1 more error

        12 files: 10 passed (1 with inconclusive checks), 1 failed (with a blank.yaml),
                  1 cannot be checked (broken.yaml)
        """,
    )


def test_a_hundred_files_that_pass() -> None:
    """A line each, and the last."""
    text = table(*(passing(f"{i}.yaml") for i in range(100)))

    assert text.count("\n") == 102
    assert text.endswith("passed   99.yaml   2 checks\n\n100 files: 100 passed\n")


@pytest.mark.parametrize(
    ("file", "last"),
    [
        (passing("a.yaml", 9), "passed: 9 checks"),
        (passing("a.yaml", 1), "passed: 1 check"),
        (passing("a.yaml", 0), "passed: no checks"),
        (CheckedFile(file="a.yaml", checks=(OPEN, OPEN)), "passed: 2 of 2 checks are inconclusive"),
        (BROKEN, "failed: cannot be checked: unknown name 'wieghts' in target 'loss' (line 9), and 1 more error"),
        (replace(BROKEN, faults=(Fault("value", "no"),)), "failed: cannot be checked: no"),
    ],
)
def test_the_last_line(file: CheckedFile, last: str) -> None:
    """Of the page, and where there is none; with quiet it is all there is of what has passed."""
    assert table(file, width=100).splitlines()[-1] == last
    assert ending(Checked(files=(file,))) == last
    assert (table(file, width=100, passed=False) == f"{last}\n") == file.passed


def test_only_what_has_not_passed() -> None:
    """With quiet files that have passed are counted, and no more is said of them."""
    unsure = CheckedFile(file="kink.yaml", checks=(OPEN,))
    check(
        table(passing("a.yaml"), unsure, replace(XENTROPY, checks=(WRONG,), title=None), width=100, passed=False),
        """
        failed   samples/xentropy.yaml   1 of 1 check is wrong
          gradient w   WRONG   at w[0,1]: expected 0.5, got 0.25, difference 0.25 (line 14)
                               the gradient of the mean was given: it was divided by 2
                               already wrong at x1 = 1, x2 = 0

        3 files: 2 passed (1 with inconclusive checks), 1 failed (samples/xentropy.yaml)
        """,
    )
    assert table(passing("a.yaml"), passing("b.yaml"), passed=False) == "2 files: 2 passed\n"
    assert table() == "no files\n"


def test_long_names() -> None:
    """A name that takes more than a third of the page has a line of its own; on a narrow page the text goes below."""
    name = "jacobian per_sample_loss/encoder.layer1.w"
    file = CheckedFile(file="a.yaml", checks=(replace(WRONG, name=name, counterexample=None), OPEN))
    check(
        table(file),
        """
        check  a.yaml

          jacobian per_sample_loss/encoder.layer1.w
                             WRONG          at w[0,1]: expected 0.5, got 0.25,
                                              difference 0.25 (line 14)
                                            the gradient of the mean was given: it was
                                              divided by 2
          Hessian symmetry   inconclusive   x[0] is at a kink of abs

        failed: 1 of 2 checks is wrong, 1 is inconclusive
        """,
    )
    check(
        table(file, width=44),
        """
        check  a.yaml

          jacobian per_sample_loss/encoder.layer1.w
                             WRONG
             at w[0,1]: expected 0.5, got 0.25,
               difference 0.25 (line 14)
             the gradient of the mean was given: it
               was divided by 2
          Hessian symmetry   inconclusive
             x[0] is at a kink of abs

        failed: 1 of 2 checks is wrong, 1 is
                inconclusive
        """,
    )
    assert f"  {name}   WRONG          at w" in table(file, width=160)


@pytest.mark.parametrize("width", [1, 20, 40, 80, 160])
def test_nothing_is_cut(width: int) -> None:
    """Whatever the width, all words are there, and lines are longer only where a word is."""
    text = table(XENTROPY, BROKEN, passing("a.yaml"), width=width)

    assert sorted(text.split()) == sorted(table(XENTROPY, BROKEN, passing("a.yaml"), width=1000).split())
    assert all(len(line) <= max(width, 36) for line in text.splitlines())


@pytest.mark.parametrize(
    ("worst", "precision", "text"),
    [
        (Difference("x", 2 / 3, 1 / 3), None, "at x: expected 0.666667, got 0.333333, difference 0.33"),
        (Difference("x", 2 / 3, 1 / 3), 2, "at x: expected 0.67, got 0.33, difference 0.33"),
        (Difference("x", 6.0, 6.000000001), None, "at x: expected 6, got 6.000000001, difference 1e-09"),
        (Difference("x", None, 0.25), None, "at x: expected none, got 0.25"),
        (Difference("x", 0.25, None), None, "at x: expected 0.25, got none"),
        (Difference("x", np.inf, 0.25), None, "at x: expected inf, got 0.25"),
        (Difference("x", 1.0, np.nan), None, "at x: expected 1, got NaN"),
        (Difference("x", np.inf, np.inf), None, "at x: expected inf, got inf"),
    ],
)
def test_the_worst_entry(worst: Difference, precision: int | None, text: str) -> None:
    """The usual digits, or as many more as it takes to see the difference."""
    file = CheckedFile(file="a.yaml", checks=(Check(name="x", verdict="wrong", worst=worst),))

    assert f"  x   WRONG   {text}\n" in table(file, precision=precision)


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"verdict": "equal"}, "equal"),
        ({"verdict": "equal", "line": 3}, "equal"),
        ({"verdict": "inconclusive"}, "inconclusive"),
        ({"verdict": "inconclusive", "line": 3}, "inconclusive   (line 3)"),
        ({"verdict": "inconclusive", "line": 3, "detail": "abs, line 3, is"}, "inconclusive   abs, line 3, is"),
        ({"verdict": "wrong", "detail": "order 1.00"}, "WRONG   order 1.00"),
    ],
)
def test_little_to_say(facts: dict[str, Any], text: str) -> None:
    """What there is stands there once."""
    file = CheckedFile(file="a.yaml", checks=(Check(name="x", **facts),))

    assert table(file).splitlines()[2] == f"  x   {text}"


def test_what_a_wrong_verdict_rests_on() -> None:
    """Comes last."""
    file = CheckedFile(file="a.yaml", checks=(Check(name="x", verdict="wrong", diagnosis="a", detail="order 1.00"),))

    assert table(file).splitlines()[2:4] == ["  x   WRONG   a", "              order 1.00"]


def test_colour() -> None:
    """equal is green, WRONG bold red, inconclusive yellow; colour adds nothing but colour."""
    files = (XENTROPY, BROKEN, passing("a.yaml"), passing("b.yaml"))
    colored = table(*files, color=True)

    for escape in ("32mequal", "1;31mWRONG", "33minconclusive", "32mpassed", "1;31mfailed", "1;31m4 files"):
        assert f"\x1b[{escape}\x1b[0m" in colored
    assert "\x1b[32m2 files\x1b[0m: 2 passed" in table(*files[2:], color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == table(*files)


def test_names_and_texts_are_cleaned() -> None:
    """Nothing in a file or its name moves the cursor, or is taken for markup; wide characters keep the columns."""
    evil = "[red]\x1b[2J\n\udcff"
    worst = Check(name=evil, verdict="wrong", worst=Difference(evil, 1, 2), counterexample=evil, diagnosis=evil)
    check_ = Check(name="重み", verdict="inconclusive", detail=evil)
    text = table(CheckedFile(file=evil, title=evil, checks=(worst, check_)), BROKEN, color=True)

    assert "\x1b[2J" not in text
    assert text.isprintable() is False  # the colours
    assert "[red]\\x1b[2J \\udcff" in text
    assert re.search(r"\n  重み +\x1b\[33minconclusive\x1b\[0m   \[red\]", text)
    assert table(CheckedFile(file=None)).startswith("check  (no file)\n")


def test_json_to_the_letter() -> None:
    """One object on one line, keys in the order of the schema; all digits; null for what is not there."""
    worst = Difference("w[0,1]", None, 1 / 3)
    file = CheckedFile(
        file="a.yaml",
        title="a title",
        checks=(
            replace(WRONG, worst=worst, max_abs_difference=np.inf, max_rel_difference=np.nan),
            Check(name="gradient b", verdict="equal", digits=15.96, max_abs_difference=1e-17, detail="proved"),
            Check(name="rows", verdict="equal"),
        ),
    )
    text = render(Checked(files=(file, BROKEN)), "json")

    assert text == (
        '{"schema_version": 1, "command": "check", "files": ['
        '{"file": "a.yaml", "passed": false, "checks": ['
        '{"name": "gradient w", "verdict": "wrong", "digits": 0.3, "max_abs_difference": "Infinity", '
        '"max_rel_difference": "NaN", "diagnosis": "at w[0,1]: expected none, got 0.3333333333333333; '
        'the gradient of the mean was given: it was divided by 2; already wrong at x1 = 1, x2 = 0", "line": 14}, '
        '{"name": "gradient b", "verdict": "equal", "digits": 16.0, "max_abs_difference": 1e-17, '
        '"max_rel_difference": null, "diagnosis": "proved", "line": null}, '
        '{"name": "rows", "verdict": "equal", "digits": null, "max_abs_difference": null, '
        '"max_rel_difference": null, "diagnosis": null, "line": null}]}, '
        '{"file": "broken.yaml", "passed": false, "checks": []}], "passed": false}\n'
    )
    assert result_refusals(text) == []


@pytest.mark.parametrize("name", ["a\nb\u2028c\x1b.yaml", "\udcff.yaml", "größe.yaml", None])
def test_json_with_any_name(name: str | None, tmp_path: Path) -> None:
    """One line of UTF-8 that reads back, whatever bytes the file's name has."""
    result = Checked(files=(replace(XENTROPY, file=name),))
    text = render(result, "json")

    assert len(text.splitlines()) == 1
    assert json.loads(text)["files"][0]["file"] == name
    write(result, str(tmp_path / "r.json"))
    assert (tmp_path / "r.json").read_bytes() == text.encode()


@pytest.mark.parametrize(
    "change",
    [{"verdict": "right"}, {"digits": 17}, {"digits": "NaN"}, {"max_abs_difference": "nan"}, {"line": 0}, {"more": 1}],
    ids=str,
)
def test_what_the_schema_refuses(change: dict[str, Any]) -> None:
    """One thing that is wrong in a check is enough."""
    content = json.loads(render(Checked(files=(XENTROPY,)), "json"))
    content["files"][0]["checks"][0] |= change

    assert result_refusals(json.dumps(content)) != []


def test_formats_say_what_they_are_for() -> None:
    """Checks have formats of their own; the others refuse them, also when they are called by hand."""
    assert [made.name for made in formats("checks")] == ["table", "json", "junit", "github"]
    assert {made.name for made in formats("derivatives")} <= set(FORMATS)
    with pytest.raises(TypeError, match="no CSV form for Checked"):
        render(Checked(files=()), "csv")
    with pytest.raises(TypeError, match="no npz form for Checked"):
        write(Checked(files=()), "r.npz")


def test_every_field_of_a_check_is_in_the_json() -> None:
    """By its own name, or as part of the diagnosis."""
    content = json.loads(render(Checked(files=(XENTROPY,)), "json"))["files"][0]["checks"][0]

    assert {field.name for field in fields(Check)} - set(content) == {"detail", "worst", "counterexample"}
