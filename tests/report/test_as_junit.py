"""JUnit XML: what each verdict becomes, the counts, and the schema of the strictest reader."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st

import gradcli
from gradcli.errors import Fault, Place
from gradcli.report import ReportOptions, render, write
from gradcli.results import Check, Checked, CheckedFile, Difference, Gradient

WRONG = Check(
    name="gradient w",
    verdict="wrong",
    digits=0.3,
    worst=Difference("w[0,1]", 0.5, 0.25),
    counterexample="x1 = 1, x2 = 0",
    diagnosis="the gradient of the mean was given: it was divided by 2",
    line=14,
)
LOSS = CheckedFile(
    file="models/loss.yaml",
    title="a title",
    checks=(
        Check(name="value y", verdict="equal", digits=7.2, line=12),
        WRONG,
        Check(name="forward mode", verdict="equal", detail="proved"),
        Check(name="differences", verdict="inconclusive", detail="x[0] is at a kink of abs", line=9),
    ),
)
BROKEN = CheckedFile(
    file="broken.yaml",
    faults=(
        Fault(
            "name",
            "unknown name 'wieghts' in target 'loss'",
            help="did you mean 'weights'?",
            place=Place("broken.yaml", 9, 25, 7, "  loss: mean(square(x @ wieghts - y))"),
        ),
        Fault("memory", "too <large> & more"),
    ),
)
GOOD = CheckedFile(file="good.yaml", checks=(Check(name="rows", verdict="equal", digits=16.0),))
EXPECTED = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="gradcli check" tests="6" failures="1" errors="1" time="0">
  <testsuite name="models/loss.yaml" tests="4" failures="1" errors="0" time="0" skipped="0" file="models/loss.yaml">
    <testcase classname="models/loss.yaml" name="value y" time="0" />
    <testcase classname="models/loss.yaml" name="gradient w" time="0">
      <failure message="at w[0,1]: expected 0.5, got 0.25, difference 0.25; the gradient of the mean was given: it was \
divided by 2; already wrong at x1 = 1, x2 = 0" type="wrong">file: models/loss.yaml:14
check: gradient w
entry: w[0,1]
expected: 0.5
got: 0.25
difference: 0.25
diagnosis: the gradient of the mean was given: it was divided by 2
counterexample: x1 = 1, x2 = 0</failure>
    </testcase>
    <testcase classname="models/loss.yaml" name="forward mode" time="0" />
    <testcase classname="models/loss.yaml" name="differences" time="0">
      <system-out>inconclusive: x[0] is at a kink of abs (line 9)</system-out>
    </testcase>
  </testsuite>
  <testsuite name="broken.yaml" tests="1" failures="0" errors="1" time="0" skipped="0" file="broken.yaml">
    <testcase classname="broken.yaml" name="can be checked" time="0">
      <error message="unknown name 'wieghts' in target 'loss' (line 9), and 1 more error" type="name">\
error: broken.yaml:9:25: unknown name 'wieghts' in target 'loss'
  |   loss: mean(square(x @ wieghts - y))
  |                         ^^^^^^^
  help: did you mean 'weights'?
error: broken.yaml: too &lt;large&gt; &amp; more</error>
    </testcase>
  </testsuite>
  <testsuite name="good.yaml" tests="1" failures="0" errors="0" time="0" skipped="0" file="good.yaml">
    <testcase classname="good.yaml" name="rows" time="0" />
  </testsuite>
</testsuites>
"""


@cache
def schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(Path(__file__).with_name("junit.xsd")))


def junit(*files: CheckedFile, **options: Any) -> str:
    """The document, which is valid, whose every count is right, and which says the same a second time."""
    result = Checked(files=files)
    text = render(result, "junit", ReportOptions(**options))
    assert [str(error) for error in schema().iter_errors(text)] == []
    root = parsed(text)
    for element in [root, *root]:
        tags = [part.tag for part in element.iter()]
        counts = [element.get(name) for name in ("tests", "failures", "errors")]
        assert counts == [str(tags.count(tag)) for tag in ("testcase", "failure", "error")]
    assert [len(suite) for suite in root] == [len(file.checks) or bool(file.faults) for file in files]
    assert render(result, "junit", ReportOptions(**options)) == text
    return text


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode())  # noqa: S314 - it is our own


def cases(text: str) -> list[ElementTree.Element]:
    return list(parsed(text).iter("testcase"))


def test_to_the_letter() -> None:
    """A suite per file, a case per check; what is inconclusive has passed and says why; no time of day."""
    assert junit(LOSS, BROKEN, GOOD) == EXPECTED


def test_the_file_is_what_is_printed(tmp_path: Path) -> None:
    """The same bytes, in UTF-8."""
    result = Checked(files=(LOSS, BROKEN, GOOD, CheckedFile(file="größe/λ.yaml")))
    write(result, str(tmp_path / "report.xml"))

    written = (tmp_path / "report.xml").read_bytes()
    assert written == render(result, "junit").encode()
    assert parsed(written.decode())[3].get("name") == "größe/λ.yaml"


@pytest.mark.parametrize("files", [(), (CheckedFile(file="a.yaml"),), (GOOD,), (GOOD, GOOD)], ids=len)
def test_nothing_wrong(files: tuple[CheckedFile, ...]) -> None:
    """Also nothing at all is a document."""
    text = junit(*files)

    assert "<failure" not in text
    assert "<error" not in text


@pytest.mark.parametrize(
    ("expected", "got", "message", "lines"),
    [
        (np.nan, 0.25, "at x: expected NaN, got 0.25", ["expected: NaN", "got: 0.25"]),
        (np.inf, -np.inf, "at x: expected inf, got -inf", ["expected: inf", "got: -inf"]),
        (None, 1e-300, "at x: expected none, got 1e-300", ["expected: none", "got: 1e-300"]),
        (0.25, None, "at x: expected 0.25, got none", ["expected: 0.25", "got: none"]),
        (
            2 / 3,
            1 / 3,
            "at x: expected 0.666667, got 0.333333, difference 0.33",
            ["expected: 0.6666666666666666", "got: 0.3333333333333333", "difference: 0.33"],
        ),
    ],
)
def test_numbers(expected: float | None, got: float | None, message: str, lines: list[str]) -> None:
    """Few digits where a person reads first, all of them in the text; a difference only where it is a number."""
    check = Check(name="gradient x", verdict="wrong", worst=Difference("x", expected, got))
    (failure,) = cases(junit(CheckedFile(file="a.yaml", checks=(check,))))[0]

    assert failure.get("message") == message
    assert failure.text == "\n".join(["file: a.yaml", "check: gradient x", "entry: x", *lines])


def test_precision() -> None:
    """Is of the message."""
    check = Check(name="gradient x", verdict="wrong", worst=Difference("x", 2 / 3, 1 / 3))
    text = junit(CheckedFile(file="a.yaml", checks=(check,)), precision=2)

    assert 'message="at x: expected 0.67, got 0.33, difference 0.33"' in text
    assert "expected: 0.6666666666666666\n" in text


@pytest.mark.parametrize(
    ("check", "message", "text"),
    [
        (Check(name="rows", verdict="wrong"), "rows is wrong", "file: a.yaml\ncheck: rows"),
        (
            Check(name="rows", verdict="wrong", detail="order 1.00"),
            "order 1.00",
            "file: a.yaml\ncheck: rows\ndetail: order 1.00",
        ),
        (
            Check(name="error", verdict="wrong", diagnosis="the file has no error", line=3),
            "the file has no error",
            "file: a.yaml:3\ncheck: error\ndiagnosis: the file has no error",
        ),
    ],
    ids=["nothing", "detail", "diagnosis"],
)
def test_little_to_say(check: Check, message: str, text: str) -> None:
    """A failure never lacks its message, nor its file."""
    (failure,) = cases(junit(CheckedFile(file="a.yaml", checks=(check,))))[0]

    assert (failure.get("message"), failure.text) == (message, text)


@pytest.mark.parametrize(
    ("detail", "line", "text"),
    [
        (None, None, "inconclusive"),
        (None, 3, "inconclusive (line 3)"),
        ("abs, line 3, is at its kink", 3, "inconclusive: abs, line 3, is at its kink"),
    ],
)
def test_inconclusive(detail: str | None, line: int | None, text: str) -> None:
    """A case that has passed: nobody's dashboard is yellow for ever because of a kink."""
    check = Check(name="differences", verdict="inconclusive", detail=detail, line=line)
    (case,) = cases(junit(CheckedFile(file="a.yaml", checks=(check,))))

    assert [(part.tag, part.text) for part in case] == [("system-out", text)]


def test_characters_that_xml_cannot_hold() -> None:
    """Are made visible wherever they stand; markup is text."""
    evil = '<b a="1">&amp;\x00\x1b[2J\ud800\uffff]]>'
    shown = '<b a="1">&amp;\\x00\\x1b[2J\\ud800\\uffff]]>'
    wrong = Check(
        name=evil, verdict="wrong", worst=Difference(evil, 1, 2), counterexample=evil, diagnosis=evil, detail=evil
    )
    checked = CheckedFile(file=evil, title=evil, checks=(wrong, Check(name=evil, verdict="inconclusive", detail=evil)))
    unread = CheckedFile(file=evil, faults=(Fault("value", evil, evil, Place(evil, 1, 1, 1, evil)),))
    failed, unsure, broken = cases(junit(checked, unread))

    assert (failed.get("name"), failed.get("classname")) == (shown, shown)
    assert failed[0].text == "\n".join(
        [f"file: {shown}", f"check: {shown}", f"entry: {shown}", "expected: 1", "got: 2", "difference: 1"]
        + [f"{label}: {shown}" for label in ("diagnosis", "counterexample", "detail")]
    )
    assert unsure[0].text == f"inconclusive: {shown}"
    assert broken[0].get("message") == f"{shown} (line 1)"
    assert str(broken[0].text).splitlines()[0] == f"error: {shown}:1:1: {shown}"


@given(st.text(st.characters(codec=None), max_size=20))
def test_any_text(text: str) -> None:
    """Whatever a file holds and is called, the document is valid."""
    check = Check(name=text, verdict="wrong", diagnosis=text, worst=Difference(text, 1.0, 2.0))
    junit(
        CheckedFile(file=text, checks=(check, Check(name=text, verdict="inconclusive", detail=text))),
        CheckedFile(file=text, faults=(Fault("value", text, text, Place(text, 1, 1, 1, text)),)),
    )


def test_no_file() -> None:
    """A mapping has no name, and standard input has the usual one."""
    text = junit(CheckedFile(file=None, checks=GOOD.checks), CheckedFile(file="<stdin>", checks=GOOD.checks))

    assert [case.get("classname") for case in cases(text)] == ["(no file)", "<stdin>"]


def test_only_checks() -> None:
    """Derivatives have no such form."""
    with pytest.raises(TypeError, match="no JUnit form for Gradient"):
        render(Gradient(targets={}, sources={}, gradient={}), "junit")


@pytest.mark.parametrize(
    ("found", "put"),
    [
        (' time="0" />', ' time="0" line="3" />'),
        ("<system-out>", "<system-out>a</system-out><properties/><system-out>"),
        (' errors="0"', ""),
        (' tests="4"', ' tests="four"'),
        (' time="0"', ' time="soon"'),
    ],
)
def test_what_the_schema_refuses(found: str, put: str) -> None:
    """What the strictest reader does not know is no part of the document, so that all others can read it."""
    assert found in EXPECTED
    assert schema().is_valid(EXPECTED)
    assert not schema().is_valid(EXPECTED.replace(found, put, 1))


def test_of_real_checks() -> None:
    """All five outcomes of files that gradcli has checked itself."""
    x = {"sources": {"x": [1.0, 2.0]}, "targets": {"y": "sum(x**2)"}}
    result = gradcli.check(
        [
            {**x, "expect": {"gradient": {"x": "2*x"}}},
            {**x, "expect": {"gradient": {"x": [2.0, 5.0]}}},
            {"sources": {"x": [-1, 0]}, "targets": "relu(x)"},
            {"sources": {"x": 0.0}, "targets": {"y": "1/x"}, "expect": {"value": {"y": 1.0}}},
            {**x, "targets": {"y": "sum(z)"}},
        ]
    )
    text = junit(*result.files)
    outcomes = [
        {(part.tag, part.get("type")) for part in suite.iter() if part.tag not in ("testsuite", "testcase")}
        for suite in parsed(text)
    ]

    assert outcomes[:3] == [set(), {("failure", "wrong")}, {("system-out", None)}]
    assert ("failure", "wrong") in outcomes[3]
    assert outcomes[4] == {("error", "name")}
    assert "entry: x[1]\nexpected: 5\ngot: 4\ndifference: 1<" in text
    assert "entry: y\nexpected: 1\ngot: inf<" in text
