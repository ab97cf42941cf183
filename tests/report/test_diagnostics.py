"""Faults as text and as JSON."""

from __future__ import annotations

import json

import pytest

from gradcli.errors import Fault, Place
from gradcli.report.diagnostics import render_json, render_text

LINE = "  loss: mean(square(x @ wieghts - y))"
FAULT = Fault(
    "name", "unknown name 'wieghts' in target 'loss'", "did you mean 'weights'?", Place("loss.yaml", 9, 25, 7, LINE)
)


def test_the_form() -> None:
    """Place and message, the line, the carets, the help."""
    assert render_text([FAULT]) == (
        "error: loss.yaml:9:25: unknown name 'wieghts' in target 'loss'\n"
        "  |   loss: mean(square(x @ wieghts - y))\n"
        "  |                         ^^^^^^^\n"
        "  help: did you mean 'weights'?"
    )


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault("value", "no"), "error: no"),
        (Fault("value", "no", "try"), "error: no\n  help: try"),
        (Fault("file", "no", place=Place("a.yaml")), "error: a.yaml: no"),
        (Fault("value", "no", place=Place(path="targets.f")), "error: targets.f: no"),
        (Fault("value", "no", place=Place("a.json", path="targets.f")), "error: a.json: targets.f: no"),
        (Fault("value", "no", place=Place("a.yaml", 3)), "error: a.yaml:3: no"),
        (Fault("value", "no", place=Place(None, 1, 3, 1, "x + y")), "error: no\n  |   x + y\n  |     ^"),
        (Fault("value", "no", place=Place("a", 1, 6, 1, "x + y")), "error: a:1:6: no\n  |   x + y\n  |        ^"),
        (Fault("value", "no", place=Place("a", 1, 1, 1, "")), "error: a:1:1: no\n  |\n  |   ^"),
        (Fault("yaml", "no", place=Place("a", 1, 1, 1, "\tx: 2")), "error: a:1:1: no\n  |       x: 2\n  |   ^^^^"),
        (Fault("yaml", "no", place=Place("a", 1, 4, 1, "f:\tx")), "error: a:1:4: no\n  |   f:    x\n  |         ^"),
        (Fault("yaml", "no", place=Place("a", 1, 4, 1, "漢: é")), "error: a:1:4: no\n  |   漢: é\n  |       ^"),
        (
            Fault("yaml", "no", place=Place("a", 1, 3, 1, "a\x1b\x07")),
            "error: a:1:3: no\n  |   a\\x1b\\x07\n  |        ^^^^",
        ),
        (Fault("value", "a\nb\x1b[31m\udc80", "c\r"), "error: a\\nb\\x1b[31m\\udc80\n  help: c\\r"),
    ],
)
def test_what_is_known_is_shown(fault: Fault, text: str) -> None:
    """Nothing is invented where a place is not known, and nothing in a file can move the cursor."""
    assert render_text([fault]) == text


@pytest.mark.parametrize("column", [1, 50, 500, 950, 1000])
def test_long_lines_are_windowed(column: int) -> None:
    """The part around the caret is shown, and the caret stands under its character."""
    line = "".join(str(n % 10) for n in range(1, 1001))
    _, shown, caret = render_text([Fault("value", "no", place=Place("a", 1, column, 1, line))]).split("\n")
    assert len(shown) <= 112
    assert shown[caret.index("^")] == str(column % 10)
    assert (shown[6:9] == "...", shown.endswith("...")) == (column > 100, column < 950)


def test_a_long_run_is_cut() -> None:
    """A run of carets ends with the window."""
    shown = render_text([Fault("value", "no", place=Place("a", 1, 1, 5000, "x" * 5000))]).split("\n")
    assert len(shown[2]) <= len(shown[1]) <= 112


def test_several_faults_and_color() -> None:
    """One after another; colour only where it is asked for."""
    assert render_text([FAULT, Fault("value", "no")]).endswith("'weights'?\nerror: no")
    assert "\x1b" not in render_text([FAULT])
    colored = render_text([FAULT], color=True)
    assert colored.startswith("\x1b[1;31merror:\x1b[0m ")
    assert "\x1b[1;31m^^^^^^^\x1b[0m" in colored


def test_json() -> None:
    """One line; the first fault apart, all of them in a list; null for what is not known."""
    first = {"kind": "name", "message": FAULT.message, "help": FAULT.help, "file": "loss.yaml", "line": 9, "column": 25}
    second = {"kind": "value", "message": "targets.f: no", "help": None, "file": None, "line": None, "column": None}
    text = render_json([FAULT, Fault("value", "no", place=Place(path="targets.f"))])
    assert json.loads(text) == {"error": first, "errors": [first, second]}
    assert list(json.loads(text)) == ["error", "errors"]


def test_json_is_one_line_whatever_the_message() -> None:
    """Line ends of all kinds and halves of surrogates are escaped, and come back."""
    message = "a\nb\u2028c\x85d\udc80 λ"
    text = render_json([Fault("value", message)])
    assert len(text.splitlines()) == 1
    assert "λ" in text
    assert text.encode()
    assert json.loads(text)["error"]["message"] == message
