"""What a file may say, and what is read from it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from gradcli.document import Problem, load

Reader = Callable[..., Problem]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2.0),
        ("-2.5", -2.5),
        ("1e-3", 0.001),
        ("1E5", 1e5),
        ("-2e-3", -0.002),
        ("2e0", 2.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("+3", 3.0),
        ("010", 10.0),
        ("0x10", 16.0),
        ("0o17", 15.0),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        (".nan", math.nan),
        ("inf", math.inf),
        ("nan", math.nan),
        ("pi/4", math.pi / 4),
        ("sqrt(2)", math.sqrt(2)),
        ("'2.0'", 2.0),
        ('"1e-3"', 0.001),
        ("[1, 2]", [1.0, 2.0]),
        ("[1, pi, .inf]", [1.0, math.pi, math.inf]),
        ("[]", []),
        ("[[1, 2], [3, 4]]", [[1.0, 2.0], [3.0, 4.0]]),
        ("[[], []]", np.zeros((2, 0))),
        ("{value: 2}", 2.0),
        ("{value: [1, 2]}", [1.0, 2.0]),
        ("{shape: [2, 2], fill: 0.5}", [[0.5, 0.5], [0.5, 0.5]]),
        ("{shape: 2, fill: pi}", [math.pi, math.pi]),
        ("{shape: [], fill: 3}", 3.0),
        ("{shape: [2, 3], random: normal, seed: 7}", np.random.default_rng(7).standard_normal((2, 3))),
        ("{shape: [4], random: uniform, seed: 0}", np.random.default_rng(0).random(4)),
    ],
)
def test_values(text: str, value: object, read: Reader) -> None:
    """YAML 1.2's numbers, constant expressions, lists and descriptions become float64 arrays."""
    found = read(f"sources:\n  x: {text}\ntargets: x\n").sources["x"]
    np.testing.assert_array_equal(found, np.asarray(value, dtype=float), strict=True)


def test_sections(read: Reader) -> None:
    """Every section ends up in its field, in the order of the file."""
    problem = read(
        "title: a test\nconstants: {k: 2}\nsources: {b: 1, a: [1, 2]}\nlet: {t: k * b, c: 3}\n"
        "targets: {f: sum(a) * t, g: 2.5}\noutput_gradients: {f: 2}\nexpect: {value: {g: 2.5}, rtol: 1e-6}\n"
    )
    assert problem.file == "loss.yaml"
    assert problem.title == "a test"
    assert list(problem.sources) == ["b", "a"]
    assert {name: text.text for name, text in problem.lets.items()} == {"t": "k * b", "c": "3"}
    assert {name: text.text for name, text in problem.targets.items()} == {"f": "sum(a) * t", "g": "2.5"}
    assert problem.output_gradients == {"f": 2.0}
    assert problem.expect is not None
    assert [key.text for key, _ in problem.expect.entries] == ["value", "rtol"]
    assert (problem.places["sources", "a"].line, problem.places["sources", "a"].column) == (3, 17)


@pytest.mark.parametrize(
    ("targets", "names"),
    [
        ("x**2", {"y": "x**2"}),
        ("3", {"y": "3"}),
        ("[x, 2]", {"y1": "x", "y2": "2"}),
        ("[1, 2]", {"y1": "1.0", "y2": "2.0"}),
        ("{f: .inf, g: 0x10, h: -2}", {"f": "inf", "g": "16.0", "h": "-2"}),
        ("{x: x}", {"x": "x"}),
    ],
)
def test_targets(targets: str, names: dict[str, str], read: Reader) -> None:
    """One text is y, a list y1, y2, ...; a number is a constant target; a target may be called like a source."""
    found = read(f"sources: {{x: 1}}\ntargets: {targets}\n").targets
    assert {name: text.text for name, text in found.items()} == names


@pytest.mark.parametrize(
    "name", ["y", "n", "no", "on", "yes", "off", "e", "I", "S", "N", "beta", "λ", "µ", "match", "pi", "_"]
)
def test_names(name: str, read: Reader) -> None:
    """Ordinary names, whatever YAML 1.1, sympy or Python's soft keywords make of them, as they are spelled."""
    assert list(read(f"sources:\n  {name}: 1\ntargets: 1\n").sources) == [name]


def test_nested_structures(read: Reader) -> None:
    """Mappings that describe nothing are structures; both sections may add to one."""
    problem = read(
        "sources: {l1: {w: [1], in: {}}}\n".replace(", in: {}", "")
        + "constants: {l1: {b: 2}, l2: {a: {c: 1}}}\ntargets: l1.w\n"
    )
    assert (list(problem.sources), list(problem.constants)) == (["l1.w"], ["l1.b", "l2.a.c"])


def test_empty_sections_and_aliases(read: Reader) -> None:
    """A section may be empty; an alias stands for its value."""
    problem = read("constants:\nlet:\nexpect:\nsources:\n  a: &v [1, 2]\n  b: *v\n  c: &n 3\n  d: *n\ntargets: a\n")
    assert {name: value.tolist() for name, value in problem.sources.items()} == {
        "a": [1, 2],
        "b": [1, 2],
        "c": 3,
        "d": 3,
    }


def test_json_and_yaml_agree(read: Reader) -> None:
    """JSON (after a BOM and blanks) is read like YAML."""
    text = '\ufeff \n{"sources": {"w": [[1, 2.5], [-3e2, 0]], "b": "pi"}, "targets": ["w @ w", 2]}\r\n'
    json, yaml = read(text, "a.json"), read("sources:\n  w: [[1, 2.5], [-3e2, 0]]\n  b: pi\ntargets: [w @ w, 2]\n")
    assert [(t.text, t.owner) for t in json.targets.values()] == [(t.text, t.owner) for t in yaml.targets.values()]
    assert all(np.array_equal(json.sources[name], yaml.sources[name]) for name in ("w", "b"))


def test_crlf_leaves_no_carriage_return(read: Reader) -> None:
    """Neither from the file's line ends nor from an escape."""
    assert read("targets:\r\n  f: |\r\n    x\r\n    + 1\r\n").targets["f"].text == "x\n+ 1\n"
    assert read('{"targets": "x\\r\\n+ 1"}').targets["y"].text == "x \n+ 1"


def test_a_mapping_is_read_like_a_file() -> None:
    """The Python API takes numbers, lists and arrays, and copies what it is given."""
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    problem = load(
        {"sources": {"w": array, "l": {"b": np.float32(0.5)}, "n": [1, 2]}, "targets": {"f": "sum(w)", "g": 2}}
    )
    assert problem.file is None
    assert problem.sources["w"].dtype == np.float64
    array[0, 0] = 9
    assert problem.sources["w"][0, 0] == 0
    assert {name: value.tolist() for name, value in problem.sources.items() if name != "w"} == {"l.b": 0.5, "n": [1, 2]}
    assert problem.targets["g"].text == "2.0"


def test_a_large_matrix_is_read_exactly(read: Reader) -> None:
    """Rows of numbers take the fast way and keep every bit."""
    matrix = np.random.default_rng(0).standard_normal((200, 50))
    rows = "".join(f"    - {row.tolist()}\n" for row in matrix)
    np.testing.assert_array_equal(read(f"sources:\n  w:\n{rows}targets: w\n").sources["w"], matrix)
