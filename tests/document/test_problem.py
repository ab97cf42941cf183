"""Options and the Python API: values, expressions and other points."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.document import Problem, from_expressions, load, read_value, with_point
from gradcli.errors import InputError


def complaint(action: Callable[[], Any]) -> list[tuple[str, str, str | None]]:
    with pytest.raises(InputError) as caught:
        action()
    return [(fault.kind, fault.message, fault.place.path if fault.place else None) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2),
        ("-1e-3", -0.001),
        (" [1, 2] ", [1, 2]),
        ("[[1, pi], [.5, 2]]", [[1, np.pi], [0.5, 2]]),
        ("pi/4", np.pi / 4),
        (".inf", np.inf),
        ("-inf", -np.inf),
        ("0o17", 15),
        ("{shape: [2], fill: 1}", [1, 1]),
    ],
)
def test_read_value(text: str, value: object) -> None:
    """A number, a list, a constant expression or a description."""
    np.testing.assert_array_equal(read_value(text, "--at x"), np.asarray(value, dtype=float))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "--at x is an empty text"),
        ("y", "--at x is not a number: 'y'"),
        ("1_000", "--at x is not a number: '1_000'"),
        ("[1, [2]]", "--at x is ragged: x[1] is a list of 1, and x[0] is a number"),
        ("[1, 2", "the bracket [ is not closed"),
        ("1e999", "--at x: '1e999' is too large for a double (about 1.8e308)"),
        ("true", "--at x is true, not a number"),
        ("*a", "--at x is not a number: '*a'"),
        ("a: 1", "--at x is not a number: 'a: 1'"),
        ("@nowhere.npy", "'nowhere.npy' does not exist"),
    ],
)
def test_bad_values(text: str, message: str) -> None:
    """Each is refused, in the words of its option."""
    assert [found for _, found, _ in complaint(lambda: read_value(text, "--at x"))] == [message]


def test_read_value_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """@file is relative to the current folder."""
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", [1.0, 2.0])
    assert read_value("@x.npy", "--at x").tolist() == [1, 2]


def test_from_expressions() -> None:
    """One expression is y, several are y1, y2, ..."""
    assert list(from_expressions(["x"]).targets) == ["y"]
    assert list(from_expressions(["x", "x**2"]).targets) == ["y1", "y2"]
    assert complaint(lambda: from_expressions(["x", " "])) == [("value", "target 'y2' is an empty text", None)]


def problem() -> Problem:
    return load(
        {"constants": {"k": 1}, "sources": {"weights": [1, 2], "µ": 1}, "let": {"t": "k"}, "targets": "weights"}
    )


def test_with_point() -> None:
    """Values of sources are replaced, in any shape; the problem itself stays as it is."""
    before = problem()
    after = with_point(before, {"weights": np.ones((2, 2)), "μ": 3}, new_sources=False)
    assert {name: value.tolist() for name, value in after.sources.items()} == {"weights": [[1, 1], [1, 1]], "µ": 3}
    assert before.sources["weights"].tolist() == [1, 2]


def test_with_point_complains_of_all_names() -> None:
    """Unknown names, names of another kind and bad values, all at once."""
    at = {"wieghts": 1, "k": 2, "t": 3, "weights": [1, "x"]}
    assert complaint(lambda: with_point(problem(), at, new_sources=False)) == [
        ("unknown-name", "there is no source 'wieghts'", "at.wieghts"),
        ("unknown-name", "'k' is a constant, not a source", "at.k"),
        ("unknown-name", "'t' is a let, not a source", "at.t"),
        ("value", "source 'weights', entry weights[1] is not a number: 'x'", "at.weights[1]"),
    ]


def test_with_point_for_expressions() -> None:
    """With -e the point defines the sources, under the rules for names."""
    assert list(with_point(from_expressions(["x"]), {"x": 2.0, "l.w": 1}, new_sources=True).sources) == ["x", "l.w"]
    assert complaint(lambda: with_point(from_expressions(["x"]), {"a b": 1}, new_sources=True)) == [
        ("name", "'a b' is not a name", "at.a b")
    ]


SELF: list[object] = []
SELF.append(SELF)


@pytest.mark.parametrize(
    ("mapping", "answer"),
    [
        ({"targets": {"f": ["x"]}}, [("target-type", "target 'f' is a list, not an expression", "targets.f")]),
        ({"target": "x"}, [("unknown-key", "unknown key 'target'", "target")]),
        ({}, [("missing-key", "the section 'targets' is missing", "targets")]),
        ({"sources": {1: 2}, "targets": "x"}, [("name", "'1' in sources is a number, not a name", "sources.1")]),
        ({"sources": {"x": 1j}, "targets": "x"}, [("value", "source 'x' is complex", "sources.x")]),
        (
            {"sources": {"x": np.array(["a"])}, "targets": "x"},
            [("value", "source 'x' has entries of type <U1, not numbers", "sources.x")],
        ),
        (
            {"sources": {"x": [[1], [2, 3]]}, "targets": "x"},
            [("shape", "source 'x' is ragged: x[1] is a list of 2, and x[0] is a list of 1", "sources.x[1]")],
        ),
        ({"sources": {"x": 10**400}, "targets": "x"}, [("value", "the number is too large for a double", "sources.x")]),
        ({"sources": {"x": SELF}, "targets": "x"}, None),
        (
            {"sources": {"x": object()}, "targets": "x"},
            [("value", "a value of type object is not a number, text, list, mapping or array", "sources.x")],
        ),
        (
            {"sources": {"a": 1, "a b": 2}, "targets": {"f": None}},
            [
                ("name", "'a b' in sources is not a name", "sources.a b"),
                ("value", "target 'f' has no expression", "targets.f"),
            ],
        ),
    ],
)
def test_bad_mappings(mapping: dict[str, object], answer: list[tuple[str, str, str | None]] | None) -> None:
    """A Python mapping is checked like a file, and its places are paths."""
    found = complaint(lambda: load(mapping))
    assert found == answer or (answer is None and found[0][:2] == ("limit", "the value nests deeper than 100 levels"))
