"""What `diff` finds, as a table and as JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from gradcli.report import ReportOptions, formats, render, write
from gradcli.report.changes import ending
from gradcli.results import Change, Changes, Tally
from tests.schemas import result_refusals


def entry(kind: Any, name: str, label: str, index: tuple[int, ...], old: float, new: float) -> Change:
    difference = new - old
    return Change(kind, name, f"{kind} {label}", index, old, new, difference, abs(difference) / max(abs(old), abs(new)))


NAMES = (
    Change("removed", "b", "source b", None, (), None),
    Change("added", "loss", "target loss", None, None, (3, 4)),
    Change("shape", "w", "shape w", None, (2,), (2, 3)),
)
PATHS = (
    Change("unconnected", "w", "gradient w[1]", (1,), None, 0.25),
    Change("unconnected", "y/c", "jacobian y by c", (), 0.0, None),
)
ENTRIES = (
    entry("gradient", "w", "w[0,1]", (0, 1), -0.3087923, 0.3087923),
    entry("jacobian", "xentropy/w", "xentropy[1] by w[1,0]", (1, 1, 0), 0.2607238, 0.2651473),
    entry("value", "y", "y", (), 12.0, 12.000000004),
    Change("value", "z", "value z[0]", (0,), math.nan, -math.inf),
)
TALLIES = (
    Tally("value y", 1, 1),
    Tally("value z", 1, 3),
    Tally("value unchanged", 0, 5),
    Tally("gradient w", 1, 4),
    Tally("jacobian xentropy by w", 1, 8),
)
ALL = Changes(old="old.yaml", new="new.json", changes=(*NAMES, *PATHS, *ENTRIES), arrays=TALLIES)
LONG = Changes(
    old="a",
    new="b",
    dtype="float32",
    changes=[
        *(Change("added", f"x{i}", f"source x{i}", None, None, ()) for i in range(15)),
        *(entry("gradient", f"x{i}", f"x{i}", (), 1.0, 2.0) for i in range(13)),
    ],
    arrays=tuple(Tally(f"gradient x{i}", 1, 1) for i in range(14)),
)


def table(result: Changes, **options: Any) -> str:
    return render(result, "table", ReportOptions(**options))


def check(found: str, expected: str) -> None:
    """The table is `expected`, which is indented with the test."""
    assert found == dedent(expected).lstrip("\n"), found


def test_the_page() -> None:
    """Names and shapes, entries with as many digits as they need, a count for each array that changed, and the end."""
    check(
        table(ALL, width=160),
        """
        diff  old.yaml  new.json  float64

          removed source b, scalar
          added target loss, shape (3, 4)
          shape w: (2,), now (2, 3)

                                           old          new              difference   relative
          gradient w[1]                    none            0.25
          jacobian y by c                    0          none
          gradient w[0,1]                   -0.308792      0.308792      0.617585     2
          jacobian xentropy[1] by w[1,0]     0.260724      0.265147      0.0044235    0.017
          value y                           12            12.000000004   4e-09        3.3e-10
          value z[0]                       NaN          -inf

          value y                  1 of 1 entry
          value z                  1 of 3 entries
          gradient w               1 of 4 entries
          jacobian xentropy by w   1 of 8 entries

        changed: 1 added, 1 removed, 1 of another shape, 4 of 21 entries in 4 of 5 arrays
        """,
    )


def test_80_columns() -> None:
    """A label that leaves no room for the numbers stands above them, and the end is wrapped."""
    check(
        table(ALL),
        """
        diff  old.yaml  new.json  float64

          removed source b, scalar
          added target loss, shape (3, 4)
          shape w: (2,), now (2, 3)

                            old          new              difference   relative
          gradient w[1]     none            0.25
          jacobian y by c     0          none
          gradient w[0,1]    -0.308792      0.308792      0.617585     2
          jacobian xentropy[1] by w[1,0]
                              0.260724      0.265147      0.0044235    0.017
          value y            12            12.000000004   4e-09        3.3e-10
          value z[0]        NaN          -inf

          value y                  1 of 1 entry
          value z                  1 of 3 entries
          gradient w               1 of 4 entries
          jacobian xentropy by w   1 of 8 entries

        changed: 1 added, 1 removed, 1 of another shape, 4 of 21 entries in 4 of 5
                 arrays
        """,
    )


@pytest.mark.parametrize("width", [24, 40, 60, 80, 100, 160])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    """On a narrow one the columns are broken into blocks; only a label of an array may be wider than all of it."""
    found = table(ALL, width=width)

    assert [line for line in found.splitlines() if len(line) > max(width, 36)] == []
    assert all(number in found for number in ("0.265147", "12.000000004", "0.0044235", "3.3e-10"))


def test_long_file_names() -> None:
    """They stand below each other, whole."""
    found = table(Changes(old="o" * 50, new="n" * 50, changes=NAMES))

    assert found.startswith(f"diff  float64\n  old  {'o' * 50}\n  new  {'n' * 50}\n\n  removed source b")
    assert table(Changes(old=None, new="<stdin>", changes=NAMES)).startswith("diff  (no file)  <stdin>  float64\n")


def test_only_names() -> None:
    """What is not there has no lines and no blank ones."""
    check(
        table(Changes(old="a", new="b", changes=NAMES[:1], arrays=TALLIES[2:3])),
        """
        diff  a  b  float64

          removed source b, scalar

        changed: 1 removed
        """,
    )


def test_long_lists_are_shortened() -> None:
    """Each of the three to twelve lines, unless --full is given; the end counts all."""
    found = table(LONG)

    assert [line for line in found.splitlines() if "…" in line] == [
        "  … 3 more",
        "  … 1 more entry",
        "  … 2 more arrays",
        "--full shows what is left out (…)",
    ]
    assert "changed: 15 added, 14 of 14 entries in 14 of 14 arrays\n" in found
    full = table(LONG, full=True)
    assert "…" not in full
    assert full.count("source x14,") == full.count("gradient x12 ") - 1 == 1


def test_precision() -> None:
    """Of old, new and their difference; more where it takes more to tell them apart."""
    found = table(Changes(old="a", new="b", changes=ENTRIES), precision=2).splitlines()

    assert [line.split()[-4:] for line in found if "gradient" in line] == [["-0.31", "0.31", "0.62", "2"]]
    assert [line.split()[-4:] for line in found if "value y" in line] == [["12", "12.000000004", "4e-09", "3.3e-10"]]


def test_last_bit() -> None:
    """Two neighbours are told apart."""
    found = table(Changes(old="a", new="b", changes=[entry("value", "y", "y", (), 0.1, math.nextafter(0.1, 1))]))

    assert "  value y   0.1   0.10000000000000002   1.38778e-17   1.4e-16\n" in found


def test_colour_and_control_characters() -> None:
    """Words are coloured, and names cannot move the cursor."""
    found = table(ALL, color=True, width=160)
    assert "\x1b[31m  removed \x1b[0msource b" in found
    assert "\x1b[32m  added \x1b[0m" in found
    assert "\x1b[1;31mchanged\x1b[0m: " in found
    evil = Change("added", "x\x1b[2J\n", "source x\x1b[2J\n", None, None, ())
    found = table(Changes(old="a\x1b[2J", new="b\n", changes=[evil]))
    assert "\x1b" not in found
    assert found.startswith("diff  a\\x1b[2J  b   float64\n\n  added source x\\x1b[2J , scalar\n")


def test_nothing_changed() -> None:
    """No page at all."""
    same = Changes(old="a", new="b", arrays=(Tally("value y", 0, 5),))

    assert table(same) == table(same, color=True, full=True) == ""
    assert ending(same) == "unchanged"
    assert json.loads(render(same, "json")) == {
        "schema_version": 1,
        "command": "diff",
        "old": "a",
        "new": "b",
        "changes": [],
        "changed": False,
    }


def test_json() -> None:
    """Keys in their order, shapes as lists, null for what is not there, words for what JSON has no number for."""
    text = render(ALL, "json")
    content = json.loads(text)

    assert list(content) == ["schema_version", "command", "old", "new", "changes", "changed"]
    assert {tuple(change) for change in content["changes"]} == {
        ("kind", "name", "index", "old", "new", "difference", "relative")
    }
    assert [list(change.values()) for change in content["changes"][:5]] == [
        ["removed", "b", None, [], None, None, None],
        ["added", "loss", None, None, [3, 4], None, None],
        ["shape", "w", None, [2], [2, 3], None, None],
        ["unconnected", "w", [1], None, 0.25, None, None],
        ["unconnected", "y/c", [], 0.0, None, None, None],
    ]
    assert list(content["changes"][-1].values()) == ["value", "z", [0], "NaN", "-Infinity", None, None]
    assert result_refusals(text) == []
    assert text.count("\n") == 1


def test_json_has_all(tmp_path: Path) -> None:
    """However many there are, and the same bytes in a file."""
    many = Changes(old="a\n\udcff", new=None, changes=[ENTRIES[0]] * 20_001)
    text = render(many, "json")

    content = json.loads(text)
    assert len(content["changes"]) == 20_001
    assert (content["old"], content["new"], content["changed"]) == ("a\n\udcff", None, True)
    write(many, str(tmp_path / "d.json"))
    assert (tmp_path / "d.json").read_bytes() == text.encode()


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "moved"},
        {"index": [-1]},
        {"index": 0},
        {"old": "nan"},
        {"old": [1.5]},
        {"difference": "NaN"},
        {"relative": 3},
        {"label": "x"},
    ],
    ids=str,
)
def test_what_the_schema_refuses(change: dict[str, Any]) -> None:
    """One thing that is wrong in a change is enough."""
    content = json.loads(render(ALL, "json"))
    content["changes"][-2] |= change

    assert result_refusals(json.dumps(content)) != []


def test_formats() -> None:
    """Changes have table and json."""
    assert [made.name for made in formats("changes")] == ["table", "json"]
    with pytest.raises(TypeError, match="no CSV form for Changes"):
        render(ALL, "csv")
