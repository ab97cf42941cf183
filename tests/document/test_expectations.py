"""What `expect` may say, and every problem that it can have: bad_expect.txt holds input and answer.

A case there is a line `#### name`, the lines below `expect:` of the file that starts with START (or a file of its own,
with targets), a line `====` and the whole of the diagnostics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradcli.document import Problem, load
from gradcli.document.expectations import Expectations, Expected, ExpectedError, Formula, read_expectations
from gradcli.document.problem import examine
from gradcli.errors import Fault, InputError, Place
from gradcli.language.source import Text
from gradcli.report.diagnostics import render_text

Reader = Callable[..., Problem]

START = """\
sources: {x: 3, l: {w: [1, 2], b: 0}}
constants: {k: 1}
let: {t: x * k}
targets: {y: x**2, z: t}
expect:
"""


def cases() -> list[object]:
    blocks = (Path(__file__).parent / "bad_expect.txt").read_text("utf-8").split("#### ")[1:]
    split = [(block.partition("\n")[0], *block.partition("\n")[2].split("\n====\n")) for block in blocks]
    return [
        pytest.param(text if "targets:" in text else START + text, answer.strip("\n"), id=title)
        for title, text, answer in split
    ]


def plain(content: object) -> object:
    """Numbers as numbers, formulas as texts."""
    if isinstance(content, Formula):
        return plain(content.entries)
    if isinstance(content, list):
        return [plain(entry) for entry in content]
    if isinstance(content, Text):
        return content.text
    return content.tolist() if isinstance(content, np.ndarray) else content


def only(problem: Problem) -> Expected:
    (found,) = read_expectations(problem).values
    return found


def error(problem: Problem) -> ExpectedError:
    found = read_expectations(problem).error
    assert found is not None
    return found


@pytest.mark.parametrize(("text", "answer"), cases())
def test_bad(text: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All problems at once, in exactly these words, places and carets."""
    monkeypatch.chdir(tmp_path)
    Path("loss.yaml").write_text(f"{text}\n", "utf-8")
    problem = load("loss.yaml")
    with pytest.raises(InputError) as caught:
        read_expectations(problem)
    assert render_text(caught.value.faults) == answer


@pytest.mark.parametrize(
    ("expect", "answer"),
    [
        ("value: {y: 9, z: 3.5}", {"value y": 9, "value z": 3.5}),
        ("gradient: {x: 6, t: 1}", {"gradient x": 6, "gradient t": 1}),
        ("gradient: {l: {w: [1, 2], b: }}", {"gradient l.w": [1, 2], "gradient l.b": None}),
        ("gradient: {l.w: [1, 2], l: {b: null}}", {"gradient l.w": [1, 2], "gradient l.b": None}),
        ("jacobian: {y: {x: 6, l: {b: ~}}, z: {x: 1}}", {"jacobian y/x": 6, "jacobian y/l.b": None, "jacobian z/x": 1}),
        ("hessian: {l: {w: {l: {b: [0, 0]}}}}", {"hessian l.w/l.b": [0, 0]}),
        (
            "hessian: {l.w: {l.b: 1}, x: {l: {b: 2}, t: 3}}",
            {"hessian l.w/l.b": 1, "hessian x/l.b": 2, "hessian x/t": 3},
        ),
        (
            "hessian: {x: {l.b: 1}, l.b: {x: 1}}\n  value: {y: 3}",
            {"hessian x/l.b": 1, "hessian l.b/x": 1, "value y": 3},
        ),
        ("value: {}\n  gradient: {l: {}}\n  hessian: {x: {}}", {}),
    ],
)
def test_names(expect: str, answer: dict[str, object], read: Reader) -> None:
    """Nested as the sources are or dotted, at both levels; let names are sources; the order is that of the file."""
    found = read_expectations(read(f"{START}  {expect}\n"))
    assert [(e.name, plain(e.content)) for e in found.values] == list(answer.items())


CONTENTS = [
    ("3", 3),
    ("'1.5'", 1.5),
    ('" -2e-3 "', -0.002),
    ("inf", math.inf),
    ("'-inf'", -math.inf),
    ("[1, 'inf', .5]", [1, math.inf, 0.5]),
    ("[[1, 2], [3, '4']]", [[1, 2], [3, 4]]),
    ("[]", []),
    ("{value: [1, 2]}", [1, 2]),
    ("{value: '3'}", 3),
    ("{shape: [2], fill: pi}", [math.pi, math.pi]),
    ("{rtol: 1, shape: 2, random: uniform, seed: 0}", np.random.default_rng(0).random(2).tolist()),
    ("{file: g.npy}", [5, 6]),
    ("{file: g.npy, atol: 0}", [5, 6]),
    ("null", None),
    ("pi/4", "pi/4"),
    ("2*x", "2*x"),
    ("x", "x"),
    ("'[x, 2*x]'", "[x, 2*x]"),
    ("{value: 2*x, rtol: 1}", "2*x"),
    ("{value: [2*x, 1]}", ["2*x", "1"]),
    ("[2*x, 1, 010, .inf, '-3', 0x10, nan]", ["2*x", "1", "10.0", "inf", "-3", "16.0", "nan"]),
    ("[[x, 0], [0, 1e-3]]", [["x", "0.0"], ["0.0", "0.001"]]),
    ("[x, [1, 2]]", ["x", ["1.0", "2.0"]]),
]


@pytest.mark.parametrize(("value", "answer"), CONTENTS)
@pytest.mark.parametrize("form", ["{}", "{{x: {}}}"])
def test_contents(form: str, value: str, answer: object, read: Reader) -> None:
    """A text that is no number is a formula, and a list that holds one is a list of formulas.

    The name of the only source can be left out.
    """
    np.save("g.npy", [5, 6])
    found = only(read(f"sources: {{x: [1, 2]}}\ntargets: sum(x)\nexpect:\n  gradient: {form.format(value)}\n"))
    assert (found.key, plain(found.content)) == (("x",), answer)


def test_nan_is_a_number(read: Reader) -> None:
    """As the text of a value."""
    assert np.isnan(plain(only(read("targets: 1\nexpect: {value: nan}\n")).content))  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("names", "gradient", "answer"),
    [
        ("x: 1", "{value: 6, rtol: 1}", {"x": 6}),
        ("value: 1", "{value: 6}", {"value": 6}),
        ("value: 1", "{value: {value: 6, rtol: 1}}", {"value": 6}),
        ("shape: 1", "{shape: 2*shape}", {"shape": "2*shape"}),
        ("shape: 1, x: 2", "{shape: 2, x: 3}", {"shape": 2, "x": 3}),
        ("file: 1, value: 2", "{file: 2, value: {value: 3}}", {"file": 2, "value": 3}),
        ("rtol: 1", "{rtol: 2}", {"rtol": 2}),
        ("l: {w: 1}", "{value: 6}", {"l.w": 6}),
        ("l: {w: 1}", "{l: {w: {value: 6}}}", {"l.w": 6}),
    ],
)
def test_descriptions_and_names(names: str, gradient: str, answer: dict[str, object], read: Reader) -> None:
    """A mapping describes a value where none of its keys is a name: names win."""
    problem = read(f"sources: {{{names}}}\ntargets: 1\nexpect: {{gradient: {gradient}}}\n")
    assert {e.key[0]: plain(e.content) for e in read_expectations(problem).values} == answer


def test_a_target_named_like_a_key(read: Reader) -> None:
    """Among targets, too."""
    problem = read("sources: {x: 1}\ntargets: {value: x, y: x}\nexpect: {value: {value: 1, y: x}}\n")
    assert [(e.key[0], plain(e.content)) for e in read_expectations(problem).values] == [("value", 1), ("y", "x")]


def test_names_are_spelled_as_they_are_defined(read: Reader) -> None:
    """Whichever of two equal spellings (the micro sign, the Greek mu) the expectation has."""
    problem = read(
        "sources: {l: {\u00b5: 1}}\ntargets: 1\nexpect: {gradient: {l: {\u03bc: 1}}, unconnected: l.\u03bc}\n"
    )
    assert only(problem).key == ("l.\u00b5",)
    assert read_expectations(problem).unconnected[0][0] == "l.\u00b5"


def test_tolerances(read: Reader) -> None:
    """An entry's own win over those of the file, one by one; they may stand before or after the values."""
    entries = "{x: {value: 6, rtol: 0}, t: {value: 1, atol: 1}, l: {w: {file: w.csv, rtol: 2, atol: 3}, b: }}"
    Path("w.csv").write_text("1\n2\n", "utf-8")
    found = read_expectations(read(f"{START}  gradient: {entries}\n  value: {{y: 9}}\n  rtol: 1e-6\n")).values
    assert [(e.rtol, e.atol) for e in found] == [(0, None), (1e-6, 1), (2, 3), (1e-6, None), (1e-6, None)]
    bare = read_expectations(read(f"{START}  value: {{y: 9, z: {{value: 1, rtol: 1}}}}\n  atol: 0\n")).values
    assert [(e.rtol, e.atol) for e in bare] == [(None, 0), (1, 0)]


def test_places(read: Reader) -> None:
    """An expectation stands at its key, and a formula knows where each of its characters is."""
    problem = read(
        f"{START}  jacobian:\n    y:\n      l:\n        w: [2*x,\n            '3 * t']\n  unconnected: [t]\n"
    )
    found = read_expectations(problem)
    assert (found.values[0].place.line, found.values[0].place.column) == (9, 9)
    assert (found.unconnected[0][1].line, found.unconnected[0][1].column) == (11, 17)
    content = found.values[0].content
    assert isinstance(content, Formula)
    second = content.entries[1]  # type: ignore[index]
    fault = second.fault("name", "no", at=4, length=1)  # type: ignore[union-attr]
    assert (second.owner, fault.place.line, fault.place.column) == (  # type: ignore[union-attr]
        "expected jacobian 'y/l.w', entry y/l.w[1]",
        10,
        18,
    )


def test_a_value_without_a_name_stands_at_its_section(read: Reader) -> None:
    """The key `gradient` is that of the value."""
    assert only(read("sources: {x: 1}\ntargets: x\nexpect:\n  gradient:\n    - 1\n    - x\n")).place.line == 4


def test_data_files_are_beside_the_file(tmp_path: Path) -> None:
    """Whatever the current folder is."""
    np.save(tmp_path / "g.npy", [5, 6])
    (tmp_path / "loss.json").write_text(
        '{"sources": {"x": [1, 2]}, "targets": "x", "expect": {"gradient": {"x": {"file": "g.npy"}}}}', "utf-8"
    )
    assert plain(only(load(tmp_path / "loss.json")).content) == [5, 6]


def test_a_mapping_is_read_like_a_file() -> None:
    """Arrays and NumPy's numbers are values, tolerances and entries among formulas."""
    problem = load(
        {
            "sources": {"x": [1, 2], "w": np.ones(2)},
            "targets": "x",
            "expect": {
                "value": np.arange(2),
                "gradient": {"x": ["2*x", np.float32(0.5)], "w": None},
                "jacobian": {"y": {"x": [np.array([1, np.inf]), ["x", 0]]}},
                "hessian": {"x": {"x": {"value": np.eye(2), "rtol": np.float64(1e-3)}}},
                "unconnected": ["w"],
                "atol": 1,
            },
        }
    )
    found = read_expectations(problem)
    assert {e.name: plain(e.content) for e in found.values} == {
        "value y": [0, 1],
        "gradient x": ["2*x", "0.5"],
        "gradient w": None,
        "jacobian y/x": [["1.0", "inf"], ["x", "0.0"]],
        "hessian x/x": [[1, 0], [0, 1]],
    }
    assert (found.values[-1].rtol, found.values[-1].atol) == (1e-3, 1)
    assert found.values[1].place == Place(path="expect.gradient.x")


@pytest.mark.parametrize("text", ["t", "[t]", "{t: true}"])
def test_unconnected(text: str, read: Reader) -> None:
    """One name, a list, or names with true."""
    (found,) = read_expectations(read(f"{START}  unconnected: {text}\n")).unconnected
    assert (found[0], found[1].line) == ("t", 6)


def test_unconnected_in_structures(read: Reader) -> None:
    """Nested as the sources are, or dotted."""
    for text in ("{l: {w: true, b: true}}", "[l.w, l.b]", "{l.w: true, l: {b: true}}"):
        found = read_expectations(read(f"{START}  unconnected: {text}\n")).unconnected
        assert [name for name, _ in found] == ["l.w", "l.b"]


@pytest.mark.parametrize("source", [{"targets": "x"}, {"targets": "x", "expect": None}, {"targets": "x", "expect": {}}])
def test_nothing(source: dict[str, object]) -> None:
    """A file that expects nothing."""
    assert read_expectations(load(source)) == Expectations((), (), None)


# ---- errors

FAULTS = [
    Fault("shape", "the shapes do not broadcast: x [2] * w [3]", None, Place("a.yaml", 4, 8)),
    Fault("unknown-name", "unknown name 'wieghts' in target 'loss'", "did you mean 'weights'?", Place("a.yaml", 9, 2)),
    Fault("file", "it cannot be read"),
]


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("shape", True),
        ("unknown-name", True),
        ("name", True),
        ("syntax", False),
        ("do not Broadcast", True),
        ("Did you mean 'weights'?", True),
        ("unknown name 'weights'", False),
        ("' file '", True),
        ("{kind: shape}", True),
        ("{kind: name}", False),
        ("{message: wieghts}", True),
        ("{message: [wieghts, did you mean 'weights'?]}", True),
        ("{message: [wieghts, broadcast]}", False),
        ("{kind: shape, line: 4}", True),
        ("{kind: shape, line: 9}", False),
        ("{line: 9, message: unknown-name}", True),
        ("{line: 3}", False),
        ("{kind: file, message: read}", True),
        ("{kind: file, line: 1}", False),
    ],
)
def test_error(text: str, matches: bool, read: Reader) -> None:
    """All that is expected must fit one and the same fault."""
    found = error(read(f"targets: x\nexpect:\n  error: {text}\n  rtol: 1e-6\n"))
    assert found.matches(FAULTS) is matches
    assert not found.matches([])
    assert (found.place.line, found.place.column) == (3, 3)


WRONG = """\
sources:
  w: [1, [2]]
  a b: 3
  w: 2
constants: {k: 1_000}
targets: [x]
targte: 3
expect:
  error: {kind: shape, line: 2}
  rtl: 1
"""


def test_a_wrong_file_is_examined(tmp_path: Path) -> None:
    """What it expects can be read, and what is wrong is what `load` says, in the order of the file."""
    path = tmp_path / "a.yaml"
    path.write_text(WRONG, "utf-8")
    problem, faults = examine(path)
    with pytest.raises(InputError) as caught:
        load(path)
    assert tuple(faults) == caught.value.faults
    assert [(fault.kind, fault.place and fault.place.line) for fault in faults] == [
        ("shape", 2),
        ("name", 3),
        ("duplicate-key", 4),
        ("value", 5),
        ("unknown-key", 7),
        ("unknown-key", 10),
    ]
    assert list(problem.targets) == ["y1"]
    assert error(problem).matches(faults)


def test_names_whose_values_are_wrong_are_names(tmp_path: Path) -> None:
    """One mistake is not reported twice: as a bad value, and as a source that is missing."""
    path = tmp_path / "a.yaml"
    path.write_text("sources: {w: [1, [2]]}\ntargets: {f: [w]}\nexpect: {gradient: 3, value: {f: 2}}\n", "utf-8")
    problem, faults = examine(path)
    assert len(faults) == 2
    assert [e.name for e in read_expectations(problem).values] == ["gradient w", "value f"]


def test_what_broke_is_not_reported_again(tmp_path: Path) -> None:
    """A part of `expect` that YAML made nothing of is a fault of the file."""
    path = tmp_path / "a.yaml"
    path.write_text(
        "sources: {x: 1}\ntargets: x\n"
        "expect:\n  gradient: {x: {value: *a, rtol: *b}}\n  value: [x, *c]\n  hessian: *d\n  unconnected: [*e]\n",
        "utf-8",
    )
    problem, faults = examine(path)
    assert len(faults) == 5
    assert read_expectations(problem) == Expectations()


@pytest.mark.parametrize("text", ["targets: [x", '{"targets": }', ""])
def test_what_is_no_tree_cannot_be_examined(text: str, tmp_path: Path) -> None:
    """Nor can a file that is not there."""
    path = tmp_path / "a.yaml"
    path.write_text(text, "utf-8")
    for name in (path, tmp_path / "b.yaml"):
        with pytest.raises(InputError):
            examine(name)
