"""`update`: which characters of a file change when its numbers do, in all the forms that a file has for them."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradcli.checks import check
from gradcli.checks.update import Update, update
from gradcli.document.edits import number_text
from gradcli.document.scalars import resolve
from gradcli.errors import InputError

HEAD = """\
# x, w and M; y = 9, dy/dx = 6, dt/dw = [2, 4], dt/dM = [[1, 1], [1, 1]]
sources: {x: 3, w: [1, 2], M: [[1, 2], [3, 4]], deep: {a: {b: 1}}, off: 1}
targets: {y: x**2, t: sum(w**2) + sum(M) + 5*deep.a.b}
"""


def updated(folder: Path, text: str, name: str = "f.yaml") -> Update:
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return update(path)


def after(folder: Path, text: str, name: str = "f.yaml") -> str:
    """The new text, which passes a check and needs no other update."""
    made = updated(folder, text, name)
    assert made.old == text
    (folder / name).write_text(made.new, "utf-8", newline="")
    (found,) = check(folder / name).files
    assert [c for c in found.checks if c.verdict != "equal" and " " in c.name] == []
    assert found.faults == ()
    again = update(folder / name)
    assert (again.new, again.written) == (made.new, ())
    return made.new


CASES: dict[str, tuple[str, str]] = {
    "flow": ("gradient: {x: 1, w: [1, 4], off: null}", "gradient: {x: 6, w: [2, 4], off: null}"),
    "spelling stays": (
        "value:   {  y: 0x9 , 't' : 2.0e1 }\n  gradient: {w: [ +2. ,4.00,],M: 1E0 }",
        "value:   {  y: 0x9 , 't' : 2.0e1 }\n  gradient: {w: [ +2. ,4.00,],M: 1E0 }",
    ),
    "only what is off": ("gradient: {w: [2.0000001, 4.1]}", "gradient: {w: [2.0000001, 4]}"),
    "rows": (
        "gradient:\n    M: [[1.0, 2],   # one\n        # between\n        [1, 3.0]  # two\n       ]  # end",
        "gradient:\n    M: [[1.0, 1],   # one\n        # between\n        [1, 1]  # two\n       ]  # end",
    ),
    "block lists": (
        "gradient:\n    w:  # w\n    - 9  # nine\n    # between\n    - 4.\n    # after\n    M:\n"
        "      - - 1\n        - 1\n      -\n       - 5 # five\n       - 1",
        "gradient:\n    w:  # w\n    - 2  # nine\n    # between\n    - 4.\n    # after\n    M:\n"
        "      - - 1\n        - 1\n      -\n       - 1 # five\n       - 1",
    ),
    "quotes": (
        'value: {\'y\': \'1.5\', "t": "2"}\n  "gradient":\n    "x": \'0\'',
        'value: {\'y\': \'9\', "t": "20"}\n  "gradient":\n    "x": \'6\'',
    ),
    "tolerances": (
        "gradient: {x: {value: 7, rtol: 1.0e-3}, w: {atol: 0.5, value: [2.4, 9]}}\n  atol: 1e-9",
        "gradient: {x: {value: 6, rtol: 1.0e-3}, w: {atol: 0.5, value: [2.4, 4]}}\n  atol: 1e-9",
    ),
    "tolerances in a block": (
        "gradient:\n    x:\n      # why\n      value: 7  # here\n      rtol: 1.0e-3",
        "gradient:\n    x:\n      # why\n      value: 6  # here\n      rtol: 1.0e-3",
    ),
    "one number for an array": ("gradient: {M: 2, w: 2}", "gradient: {M: 1, w: [2, 4]}"),
    "a fill": (
        "gradient: {M: {shape: [2, 2], fill: 2, rtol: 1e-3}}",
        "gradient: {M: {shape: [2, 2], fill: 1, rtol: 1e-3}}",
    ),
    "a fill that does not do": (
        "gradient:\n    w: {shape: [2], fill: 2, rtol: 1.0e-3}\n    M: {shape: [2], fill: 1}",
        "gradient:\n    w: {value: [2, 4], rtol: 1.0e-3}\n    M: [[1, 1], [1, 1]]",
    ),
    "a description in a block": (
        "gradient:\n    w:  # w\n      shape: [2]  # two\n      fill: 2\n    x: 6",
        "gradient:\n    w: [2, 4]  # w\n      # two\n    x: 6",
    ),
    "other shapes": (
        "value: {y: [9, 9]}\n  gradient: {x: [6, # six\n    7], w: [[2, 4]], M: [1, 1]}  # end",
        "value: {y: 9}\n  gradient: {x: 6  # six\n                , w: [2, 4], M: [[1, 1], [1, 1]]}  # end",
    ),
    "a block list of another shape": (
        "gradient:\n    w:\n    # before\n    - 2 # two\n    # between\n    - 4\n    - 6 # six\n    # after\n    x: 1",
        "gradient:\n    w: [2, 4]\n    # before\n    # two\n    # between\n    # six\n    # after\n    x: 6",
    ),
    "null": (
        "gradient: {x: null, w: ~, M:  , off: 5}\n  jacobian: {y: {w: [1, 2], x: }, t: {w}}",
        "gradient: {x: 6, w: [2, 4], M: [[1, 1], [1, 1]]  , off: null}\n"
        "  jacobian: {y: {w: null, x: 6 }, t: {w: [2, 4]}}",
    ),
    "null in a block": (
        "gradient:\n    x:   # nothing yet\n    off: {value: 1, rtol: 0.1}\n    w:\n  jacobian:\n    y:\n      w:\n"
        "      - 1 # one\n      - 2",
        "gradient:\n    x: 6   # nothing yet\n    off: null\n    w: [2, 4]\n  jacobian:\n    y:\n      w: null\n"
        "      # one",
    ),
    "nested and dotted": (
        "gradient: {deep: {a.b: 1}, w: [2, 4]}\n  hessian: {deep.a.b: {deep: {a: {b: 3}}}, x: {x: 1}}",
        "gradient: {deep: {a.b: 5}, w: [2, 4]}\n  hessian: {deep.a.b: {deep: {a: {b: 0}}}, x: {x: 2}}",
    ),
    "formulas stay": (
        'gradient: {x: 2*x, w: ["2*w[0]", 4]}\n  value: {y: 1}',
        'gradient: {x: 2*x, w: ["2*w[0]", 4]}\n  value: {y: 9}',
    ),
    "a text over lines": ("value:\n    y: >-\n      4.5\n    t: 1", "value:\n    y: 9\n    t: 20"),
    "unconnected": ("unconnected: [off, x, w]  # no path", "unconnected: [off]  # no path"),
    "the first of unconnected": (
        "unconnected: [x, w, # why\n    off]",
        "unconnected: [  # why\n                off]",
    ),
    "all of unconnected": ("unconnected: x  # no path\n  value: {y: 9}", "unconnected: []  # no path\n  value: {y: 9}"),
    "unconnected in a block": (
        "unconnected:\n  - x  # why\n  - off\n  - w\n  # after",
        "unconnected:\n  # why\n  - off\n  # after",
    ),
    "unconnected by name": (
        "unconnected: {deep: {a: {b: true}}, off: true}",
        "unconnected: {off: true}",
    ),
    "unconnected nested": (
        "unconnected:\n    deep:\n      a:\n        b: true\n    off: true",
        "unconnected:\n    off: true",
    ),
    "all of a block": ("unconnected:\n  - x\n  - w # w\n  atol: 0", "unconnected: []\n  # w\n  atol: 0"),
    "an anchor that stays": (
        "gradient: {w: &w [1, 4]}\n  jacobian: {t: {w: *w}}",
        "gradient: {w: &w [2, 4]}\n  jacobian: {t: {w: *w}}",
    ),
    "an alias that is left behind": (
        "gradient: {x: &a 7, deep: {a: {b: *a}}}",
        "gradient: {x: &a 6, deep: {a: {b: 5}}}",
    ),
    "an alias that was right": ("gradient: {x: &a 5, deep: {a: {b: *a}}}", "gradient: {x: &a 6, deep: {a: {b: 5}}}"),
    "an anchor on a block": (
        "gradient:\n    w: &w\n    - 1\n    M: 1\n  jacobian:\n    t:\n      w: *w",
        "gradient:\n    w: &w [2, 4]\n    M: 1\n  jacobian:\n    t:\n      w: *w",
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("tail", ["\n", "", "\n\n# the end\n", "\n# the end\nlet: {z: 1}\n"], ids=range(4))
def test_a_section(tmp_path: Path, case: str, tail: str) -> None:
    """The section alone changes, and only where it is off; what is before and after it stays."""
    before, new = CASES[case]

    assert after(tmp_path, f"{HEAD}expect: # that\n  {before}{tail}") == f"{HEAD}expect: # that\n  {new}{tail}"


@pytest.mark.parametrize("case", CASES)
def test_a_section_that_comes_first(tmp_path: Path, case: str) -> None:
    """Nothing depends on where the section is; its lines may end in any way."""
    before, new = CASES[case]
    text = f"\ufeff%YAML 1.2\n---\nexpect:\n  {before}\n{HEAD}...\n# after\n".replace("\n", "\r\n")

    new = new.replace("\n", "\r\n")
    assert after(tmp_path, text) == text.replace(before.replace("\n", "\r\n"), new, 1)


# -- JSON ------------------------------------------------------------------------------------------------------------

JSON_HEAD = '"sources": {"x": 3, "w": [1, 2], "λ\\u00e9": 1.0e-6}, "targets": {"y": "x**2", "t": "sum(w**2)+λé"}'


@pytest.mark.parametrize(
    ("before", "new"),
    [
        ('"expect": {"gradient": {"x": 5, "w":[1.00 ,4.0]}}', '"expect": {"gradient": {"x": 6, "w":[2 ,4.0]}}'),
        (
            '"expect": {"value": {"y": "8", "t": 7}, "gradient": {"\\u03bbé": 2,\n\t"w": [\n\t[2, 4]\n\t]}}',
            '"expect": {"value": {"y": "9", "t": 5.000001}, "gradient": {"\\u03bbé": 1,\n\t"w": [2, 4]}}',
        ),
        (
            '"expect": {"gradient": {"w": {"shape": [2], "fill": 2, "rtol": 1e-3}, "x": {"value": null}}}'.replace(
                '{"value": null}', "null"
            ),
            '"expect": {"gradient": {"w": {"value": [2, 4], "rtol": 1e-3}, "x": 6}}',
        ),
        ('"expect": {"unconnected": ["x", "w"]}', '"expect": {"unconnected": []}'),
        (
            '"expect": {"jacobian": {"y": {"w": [0, 1], "x": "nan"}}}',
            '"expect": {"jacobian": {"y": {"w": null, "x": 6}}}',
        ),
    ],
    ids=range(5),
)
def test_json(tmp_path: Path, before: str, new: str) -> None:
    """As for YAML, with what JSON needs in quotes; escapes and spaces stay."""
    assert after(tmp_path, f" {{\n{JSON_HEAD},\n{before} }}\n\n") == f" {{\n{JSON_HEAD},\n{new} }}\n\n"
    assert after(tmp_path, f"{{{before},{JSON_HEAD}}}") == f"{{{new},{JSON_HEAD}}}"


# -- nothing expected ------------------------------------------------------------------------------------------------

SMALL = "sources: {x: 3, null_: 1}\ntargets: x**2"


@pytest.mark.parametrize(
    ("before", "new"),
    [
        (SMALL, f"{SMALL}\nexpect:\n  value:\n    y: 9\n  gradient:\n    x: 6\n    null_: null"),
        (f"{SMALL}\n# end\n", f"{SMALL}\n# end\nexpect:\n  value:\n    y: 9\n  gradient:\n    x: 6\n    null_: null\n"),
        ("targets: |\n  1\n\n...\n# end\n", "targets: |\n  1\n\nexpect:\n  value:\n    y: 1\n...\n# end\n"),
        (
            "  sources: {x: 3}\n  targets: x\n",
            "  sources: {x: 3}\n  targets: x\n  expect:\n    value:\n      y: 3\n    gradient:\n      x: 1\n",
        ),
        ("expect:  # none\n\ntargets: 1", "expect:  # none\n  value:\n    y: 1\n\ntargets: 1"),
        ("expect: ~ # none\n# more\ntargets: 1\n", "expect: # none\n  value:\n    y: 1\n# more\ntargets: 1\n"),
        ("targets: 1\nexpect: {}", "targets: 1\nexpect:\n  value:\n    y: 1"),
        ("expect:\n  # none\n  null\ntargets: 1", "expect:\n  # none\n  {value: {y: 1}}\ntargets: 1"),
        (
            "expect: { # none\n }\ntargets: 1",
            "expect: {value: {y: 1}}  # none\n        \ntargets: 1".replace("\n        \n", "\n"),
        ),
        (
            "expect:\n  rtol: 0 # exact\n# end\ntargets: 1",
            "expect:\n  rtol: 0 # exact\n  value:\n    y: 1\n# end\ntargets: 1",
        ),
        ("targets: 1\nexpect: {rtol: 0}", "targets: 1\nexpect: {rtol: 0, value: {y: 1}}"),
        (
            "targets: 1\nexpect: {\n  rtol: 0, # exact\n }",
            "targets: 1\nexpect: {\n  rtol: 0, # exact\n  value: {y: 1}\n }",
        ),
        ("--- {targets: {y: 1}}", "--- {targets: {y: 1}, expect: {value: {y: 1}}}"),
        ('{"targets": "1"}', '{"targets": "1", "expect": {"value": {"y": 1}}}'),
        ('{"expect": null,\n"targets": "1"}', '{"expect": {"value": {"y": 1}},\n"targets": "1"}'),
        ('{"expect": {"atol": 1e-9}, "targets": "1"}', '{"expect": {"atol": 1e-9, "value": {"y": 1}}, "targets": "1"}'),
        (
            '{\n  "sources": {"x": 2},\n  "targets": "x"\n}\n',
            '{\n  "sources": {"x": 2},\n  "targets": "x",\n  "expect": {\n    "value": {"y": 2},\n'
            '    "gradient": {"x": 1}\n  }\n}\n',
        ),
    ],
    ids=range(17),
)
def test_nothing_is_expected(tmp_path: Path, before: str, new: str) -> None:
    """The values of the targets, and the gradient."""
    assert after(tmp_path, before) == new
    assert after(tmp_path, before.replace("\n", "\r\n")) == new.replace("\n", "\r\n" if "\n" in before else "\n")


# -- one source, and numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expect", "new"),
    [
        ("gradient: 5.0  # g", "gradient: 6  # g"),
        ("gradient:\n  value: 9.", "gradient: 6\n  value: 9."),
        ("value: {value: 8, rtol: 1.0e-9}", "value: {value: 9, rtol: 1.0e-9}"),
        ("gradient: [6, # six\n   1]", "gradient: 6  # six"),
        ("gradient: {x: 1}\n  value: 2", "gradient: {x: 6}\n  value: 9"),
    ],
)
def test_a_name_that_is_left_out(tmp_path: Path, expect: str, new: str) -> None:
    """Where there is only one source, or one target."""
    head = "sources: {x: 3}\ntargets: x**2\nexpect:\n  "

    assert after(tmp_path, head + expect) == head + new


@pytest.mark.parametrize("name", ["f.yaml", "f.json"])
def test_infinities_and_nan(tmp_path: Path, name: str) -> None:
    """As words that the file's format reads; in quotes as the language has them."""
    text = (
        '{"targets": ["1/0", "-1/0", "0*inf", "1e-320"], "expect": {"value": {"y1": 1, "y2": 0, "y3": "1", "y4": 7}}}'
    )
    if name == "f.json":
        new = text.replace(
            '"y1": 1, "y2": 0, "y3": "1", "y4": 7', '"y1": "inf", "y2": "-inf", "y3": "nan", "y4": 1.0e-320'
        )
    else:
        text = "# yaml\n" + text
        new = text.replace(
            '"y1": 1, "y2": 0, "y3": "1", "y4": 7', '"y1": .inf, "y2": -.inf, "y3": "nan", "y4": 1.0e-320'
        )

    assert after(tmp_path, text, name) == new


@example(-0.0)
@given(st.floats())
def test_numbers_read_back(value: float) -> None:
    """As the same double, in YAML and JSON, by the reader of YAML 1.1, too."""
    import yaml

    text = number_text(value)
    for back in (resolve(text), yaml.safe_load(text), json.loads(number_text(value, json=True))):
        assert np.array_equal(float(back), value, equal_nan=True)  # type: ignore[arg-type]
        assert np.signbit(float(back)) == np.signbit(value) or np.isnan(value)  # type: ignore[arg-type]
    assert len(text) <= len(repr(value)) + 2


def test_long_arrays(tmp_path: Path) -> None:
    """In lines of at most 120 characters, so that a difference can be read."""
    head = "sources: {w: {shape: [40], fill: 0.1}, M: {shape: [9, 9], random: normal, seed: 0}}\n"
    new = after(tmp_path, head + "targets: sum(w**3) + sum(M**3)\nexpect:\n  gradient:\n    w: 0\n    M: []\n")

    assert max(map(len, new.splitlines())) <= 120
    assert new.count(",\n        [") == 8


# -- what cannot be updated ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("sources: {x: 3}\ntargets: x\nexpect: {gradient: {file: g.npy}}", 3, "are read from another file"),
        ("sources: {x: &a 3}\ntargets: x\nexpect: {gradient: *a}", 0, ""),
        ("sources: &s {x: 3, z: 1}\ntargets: x*z\nexpect:\n  gradient: *s\n", 1, "an alias shares them"),
        (
            "expect: {gradient: {x: &a 3}}\nsources: {x: *a, z: 1}\ntargets: x*z*z*2",
            2,
            "this alias repeats numbers that change",
        ),
        (
            "sources: {x: 3}\ntargets: x\nexpect: {gradient: &g {x: 3}, jacobian: {y: *g}}",
            3,
            "an alias shares them",
        ),
        ("targets: z\nexpect: {value: 2}", 1, "unknown name 'z'"),
        ("targets: 1\nexpect: {value: {z: 2}}", 2, "there is no target 'z'"),
        ("sources: {x: 1}\ntargets: x\nexpect: {gradient: z*2}", 3, "unknown name 'z'"),
        ("- 1", 1, "not sections"),
    ],
    ids=range(9),
)
def test_what_cannot_be_updated(tmp_path: Path, text: str, line: int, message: str) -> None:
    """It is said with its place."""
    np.save(tmp_path / "g.npy", np.array(7.0))
    if not line:
        assert updated(tmp_path, text).new == text.replace("*a", "1")
        return
    with pytest.raises(InputError, match=message) as caught:
        updated(tmp_path, text)

    (fault,) = caught.value.faults
    assert fault.place is not None
    assert (fault.place.file, fault.place.line) == (str(tmp_path / "f.yaml"), line)


def test_no_file(tmp_path: Path) -> None:
    """What is no file, or none that can hold a text."""
    (tmp_path / "latin").write_bytes(b"targets: '\xe9'")
    for name in ("-", tmp_path / "missing", tmp_path, "/dev/null", tmp_path / "latin"):
        with pytest.raises(InputError):
            update(name)


# -- what stays wrong ------------------------------------------------------------------------------------------------


def test_wrong_formulas_are_left(tmp_path: Path) -> None:
    """They are named, and numbers beside them are written."""
    head = "sources: {x: 3, w: [1, 2]}\ntargets: x**2 + sum(w**2)\nexpect:\n  "
    made = updated(tmp_path, head + 'gradient: {x: 3*x, w: ["w[0]", 4]}\n  value: 1 # one\n')

    assert made.new == head + 'gradient: {x: 3*x, w: ["w[0]", 4]}\n  value: 14 # one\n'
    assert made.written == ("value y",)
    assert [(found.name, found.line) for found in made.left] == [("gradient x", 4), ("gradient w", 4)]


def test_an_inconclusive_formula_is_not_wrong(tmp_path: Path) -> None:
    """It is left, and there is nothing to say about it."""
    made = updated(tmp_path, "sources: {x: 3}\ntargets: x**2\nexpect: {gradient: 2*x + 0*inf}")

    assert (made.new, made.written, made.left) == (made.old, (), ())


def test_the_first_line(tmp_path: Path) -> None:
    """Behind a byte order mark, and with line ends of all kinds."""
    text = "\ufeffexpect: {value: 2}\rtargets: # one\r\n  1\n"

    assert after(tmp_path, text) == text.replace("2", "1")


def test_an_expected_error(tmp_path: Path) -> None:
    """There are no numbers; it is left where the file has another error."""
    made = updated(tmp_path, "targets: z\nexpect: {error: name}")
    assert (made.new, made.written, made.left) == (made.old, (), ())
    (left,) = updated(tmp_path, "targets: z\nexpect: {error: shape}").left
    assert (left.name, left.verdict) == ("error", "wrong")


def test_diff(tmp_path: Path) -> None:
    """As `patch` reads it, also where the last line has no end."""
    made = updated(tmp_path, "targets: 1\nexpect: {value: 2}")

    assert made.diff("f") == (
        "--- f\n+++ f\n@@ -1,2 +1,2 @@\n targets: 1\n"
        "-expect: {value: 2}\n\\ No newline at end of file\n+expect: {value: 1}\n\\ No newline at end of file\n"
    )
    assert updated(tmp_path, made.new).diff() == ""


# -- any file --------------------------------------------------------------------------------------------------------

TRUE = {"x": np.array(6.0), "w": np.array([2.0, 4.0]), "M": np.ones((2, 2)), "off": None}


class Writer:
    """Writes one section in any of its styles, with comments that are all different."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.comments = 0

    def chance(self) -> bool:
        return self.draw(st.booleans())

    def comment(self) -> str:
        """A comment at the end of a line, or none."""
        if self.draw(st.integers(0, 2)) < 2:
            return ""
        self.comments += 1
        return f"{self.draw(st.sampled_from([' ', '    ']))}# c{self.comments}:'[{{"

    def lines(self, indent: str) -> str:
        """Ends a line; some lines of comments may follow."""
        text = self.comment() + "\n"
        while self.draw(st.integers(0, 3)) == 3:
            text += f"{indent}{self.comment()}\n"
        return text

    def number(self, value: float) -> str:
        wrong = self.draw(st.sampled_from([0.0, 0.0, 1e-9, 0.5, -7.25, 1e30, np.nan, np.inf]))
        spelled = self.draw(st.sampled_from(["{!r}", "{:+.10e}", "'{!r}'", '"{:.12f}"', "{:.12f}"]))
        return number_text(value + wrong) if not np.isfinite(wrong) else spelled.format(value + wrong)

    def gap(self, indent: str) -> str:
        return self.draw(st.sampled_from(["", " ", "  "])) if self.chance() else f" {self.lines(indent)}{indent}"

    def flow(self, array: np.ndarray, indent: str) -> str:  # type: ignore[type-arg]
        if not array.ndim:
            return self.number(float(array))
        parts = [self.flow(part, indent) for part in array]
        text = "[" + "".join(f"{self.gap(indent)}{part}{self.gap(indent)}," for part in parts)
        return (text if self.chance() else text[:-1]) + self.gap(indent) + "]"

    def block(self, array: np.ndarray, indent: str) -> str:  # type: ignore[type-arg]
        """After a colon or a dash, up to the end of its last line."""
        if not array.ndim or self.chance():
            anchor = self.draw(st.sampled_from(["", "", f"&a{self.comments} "]))
            return f" {anchor}{self.flow(array, indent + '  ')}{self.lines(indent)}"
        return self.lines(indent) + "".join(f"{indent}-{self.block(part, indent + ' ')}" for part in array)

    def value(self, name: str, indent: str) -> str:
        array = TRUE[name]
        kind = self.draw(st.sampled_from(["as it is", "as it is", "null", "one", "other", "described"]))
        if kind == "null" or (array is None and kind != "one"):
            return f" {self.draw(st.sampled_from(['', '~', 'null']))}{self.lines(indent)}"
        if kind == "one":
            return f" {self.number(1.0)}{self.lines(indent)}"
        if kind == "other":
            array = np.ones(self.draw(st.sampled_from([(3,), (1, 2), (2, 1, 1)])))
        if kind == "described" and self.chance():
            return f" {{ value: {self.flow(array, indent + '  ')} , rtol: 1.0e-3 }}{self.lines(indent)}"
        if kind == "described":
            inner = f"{indent}  "
            return f"{self.lines(indent)}{inner}shape: [2]{self.lines(inner)}{inner}fill: 2{self.lines(inner)}"
        return self.block(array, indent)

    def section(self) -> str:
        names = self.draw(st.permutations(list(TRUE)))
        indent = self.draw(st.sampled_from(["  ", "     "]))
        text = f"expect:{self.lines('  ')}  gradient:{self.lines(indent)}"
        for name in names[: self.draw(st.integers(1, 4))]:
            key = self.draw(st.sampled_from([name, f"'{name}'", f'"{name}"', f"{name} "]))
            text += f"  {indent}{key}:{self.value(name, f'  {indent}')}"
        removed = self.draw(st.lists(st.sampled_from(["x", "off", "w"]), unique=True, max_size=3))
        if removed and self.chance():
            text += f"  unconnected: [{','.join(f'{name}{self.gap(indent)}' for name in removed)}]{self.lines('  ')}"
        elif removed:
            text += f"  unconnected:{self.lines('  ')}" + "".join(f"  - {n}{self.lines('  ')}" for n in removed)
        return text


@st.composite
def files(draw: st.DrawFn) -> tuple[str, str, str, int]:
    """What is before the section, the section, what is after it, and how many comments there are in it."""
    writer = Writer(draw)
    parts = HEAD.splitlines(keepends=True)
    cut = draw(st.integers(0, len(parts)))
    section = writer.section()
    return "".join(parts[:cut]), section, "".join(parts[cut:]), writer.comments


@settings(max_examples=150, deadline=None)
@given(files())
def test_any_file(parts: tuple[str, str, str, int]) -> None:
    """What is outside of the section stays, as all comments in it do, and the file passes its check afterwards."""
    before, section, rest, count = parts
    with TemporaryDirectory() as folder:
        new = after(Path(folder), before + section + rest)

    assert new.startswith(before)
    assert new.endswith(rest)
    inside = new[len(before) : len(new) - len(rest)]
    assert all(inside.count(f"# c{k}:'[{{") == 1 for k in range(1, count + 1))
    if inside != section:
        assert inside.count("#") == section.count("#") == count
