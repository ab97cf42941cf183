"""`gradcli.diff`: what changed, what did not, and what cannot be compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.changes.compare import ATOL_ULPS, RTOL
from gradcli.document.problem import Problem, load_text
from gradcli.report import render
from gradcli.results import Change, Changes, Result
from tests.checks.evidence import Entry, entries

CASES = entries("cases.json")
SAMPLES = sorted((Path(__file__).parents[1] / "samples").iterdir())
QUESTIONS = ("grad", "jacobian", "compare", "hessian")


def file(target: str, /, **sources: Any) -> dict[str, Any]:
    """The content of a file with the target y."""
    return {"sources": sources, "targets": {"y": target}}


def saved(question: str, problem: Any, **options: Any) -> dict[str, Any]:
    """A result as the command line prints it, read back."""
    content: dict[str, Any] = json.loads(render(getattr(gradcli, question)(problem, **options), "json"))
    return content


def said(found: Changes) -> list[tuple[str, object, object]]:
    """Kind and label, old and new."""
    return [(f"{c.kind}: {c.label}", c.old, c.new) for c in found.changes]


def refused(old: Any, new: Any, **options: Any) -> list[str]:
    """What is wrong, with its place."""
    with pytest.raises(gradcli.InputError) as caught:
        gradcli.diff(old, new, **options)
    places = [(f.place.file, f.place.path or f.place.line) if f.place else () for f in caught.value.faults]
    return [
        ": ".join([*(str(part) for part in place if part), fault.message])
        for place, fault in zip(places, caught.value.faults, strict=True)
    ]


# -- what changed ----------------------------------------------------------------------------------------------------


def test_entries_worst_first() -> None:
    """By the difference beside the largest entry of the array; exact numbers."""
    found = gradcli.diff(file("x**2", x=[1.0, 3.0]), file("[2.0, 1.0] * x**2", x=[1.0, 3.0]))

    assert list(found.changes) == [
        Change("gradient", "x", "gradient x[0]", (0,), 2.0, 4.0, 2.0, 0.5),
        Change("jacobian", "y/x", "jacobian y[0] by x[0]", (0, 0), 2.0, 4.0, 2.0, 0.5),
        Change("value", "y", "value y[0]", (0,), 1.0, 2.0, 1.0, 0.5),
    ]
    assert [(t.label, t.changed, t.entries) for t in found.arrays] == [
        ("value y", 1, 2),
        ("gradient x", 1, 2),
        ("jacobian y by x", 1, 4),
    ]
    assert (found.changed, found.dtype, found.old, found.new, found.notes) == (True, "float64", None, None, ())


def test_a_large_change_of_a_small_entry_is_not_the_worst() -> None:
    """100 % of a small entry stands behind 10 % of a large one, within one array."""
    found = gradcli.diff(file("x", x=[1e6, 1e-3]), file("x", x=[1.1e6, 2e-3]), sources=["x"])

    assert said(found) == [("value: value y[0]", 1e6, 1.1e6), ("value: value y[1]", 1e-3, 2e-3)]


def test_values_that_are_the_same_beside_derivatives_that_are_not() -> None:
    """x and 2x - 1 agree at 1."""
    found = gradcli.diff(file("x", x=1), file("2*x - 1", x=1))

    assert said(found) == [("gradient: gradient x", 1, 2), ("jacobian: jacobian y by x", 1, 2)]


def test_names() -> None:
    """Targets and sources that came or went, in order of old and then new, with their shapes; others are compared."""
    old = {"sources": {"x": 1, "b": [1, 2]}, "targets": {"y": "x", "z": "b"}}
    new = {"sources": {"x": 1, "layer": {"w": [[1, 2]]}}, "targets": {"loss": "sum(layer.w)", "y": "x"}}

    assert said(gradcli.diff(old, new)) == [
        ("removed: target z", (2,), None),
        ("added: target loss", None, ()),
        ("removed: source b", (2,), None),
        ("added: source layer.w", None, (1, 2)),
    ]


def test_a_target_that_was_added_is_in_the_gradient() -> None:
    """The gradient sums over all targets."""
    old, new = file("2*x", x=1), {"sources": {"x": 1}, "targets": {"y": "2*x", "z": "3*x"}}

    assert said(gradcli.diff(old, new)) == [("added: target z", None, ()), ("gradient: gradient x", 2, 5)]
    assert said(gradcli.diff(old, new, targets=["y"])) == []


def test_shapes() -> None:
    """Of a source or target; what has another shape is not compared by entries, the rest is."""
    found = gradcli.diff(
        {"sources": {"x": [1, 2]}, "targets": {"y": "x", "s": "sum(x)"}},
        {"sources": {"x": [1, 2, 3]}, "targets": {"y": "x", "s": "sum(x)"}},
    )

    assert said(found) == [
        ("shape: shape y", (2,), (3,)),
        ("shape: shape x", (2,), (3,)),
        ("value: value s", 3, 6),
    ]
    assert [tally.label for tally in found.arrays] == ["value s"]


def test_one_spelling_of_a_name_is_another() -> None:
    """The micro sign is the Greek mu."""
    assert not gradcli.diff(file("2*µ", µ=1.5), file("2*μ", μ=1.5)).changed


def test_unconnected_against_zero() -> None:
    """A change, either way; one entry, the largest, stands for the array."""
    zero, none = file("sum(x) + 0*sum(b)", x=[1, 2], b=[3, 4]), file("sum(x)", x=[1, 2], b=[3, 4])

    assert said(gradcli.diff(zero, none)) == [
        ("unconnected: gradient b[0]", 0, None),
        ("unconnected: jacobian y by b[0]", 0, None),
    ]
    found = gradcli.diff(none, file("sum(x) + sum(b**2)", x=[1, 2], b=[3, 4]), sources=["b"])
    assert list(found.changes)[:2] == [
        Change("unconnected", "b", "gradient b[1]", (1,), None, 8.0),
        Change("unconnected", "y/b", "jacobian y by b[1]", (1,), None, 8.0),
    ]
    assert [(t.label, t.changed, t.entries) for t in found.arrays][1:] == [
        ("gradient b", 2, 2),
        ("jacobian y by b", 2, 2),
    ]
    assert not gradcli.diff(none, none).changed


def test_nan_and_infinities() -> None:
    """NaN equals NaN and infinity itself; against anything else they changed, without a difference."""
    point = {"x": [1.0, 1.0, 1.0, 1.0], "c": ["nan", "inf", "-inf", 1]}
    same = {"sources": point, "targets": {"y": "x * c"}}

    assert not gradcli.diff(same, same, rtol=0, atol=0).changed
    other = {"sources": point | {"c": [0, "-inf", 2, "nan"]}, "targets": {"y": "x * c"}}
    found = [change for change in gradcli.diff(same, other, sources=["x"]).changes if change.kind == "value"]
    assert [(c.label, str(c.old), str(c.new), c.difference, c.relative) for c in found] == [
        ("value y[0]", "nan", "0.0", None, None),
        ("value y[1]", "inf", "-inf", None, None),
        ("value y[2]", "-inf", "2.0", None, None),
        ("value y[3]", "1.0", "nan", None, None),
    ]


def test_no_tolerance_lets_infinity_pass() -> None:
    """inf is not within rtol * inf of 1."""
    found = gradcli.diff(file("x", x="inf"), file("x", x=1), rtol=10, atol=1e300)

    assert [change.label for change in found.changes] == ["value y"]


# -- tolerance -------------------------------------------------------------------------------------------------------

ROUNDED = [
    ([0.1, 0.2, 0.7], "sum(softmax(x))", "sum(exp(x) / sum(exp(x)))"),
    ([0.1, 0.2, 0.7], "softmax(x)", "exp(x - 1) / sum(exp(x - 1))"),
    ([0.1, 0.2, 0.7], "x**3", "x * x * x"),
    ([0.1, 0.2, 0.7], "mean(x**2)", "sum(x * x) / 3"),
    ([0.1, 0.2, 0.7], "var(x)", "mean(x**2) - mean(x)**2"),
    ([[4.0, 1.0], [1.0, 3.0]], "inv(x) @ inv(x)", "inv(x @ x)"),
    (0.3, "sin(x)**2 + cos(x)**2", "1 + 0*x"),
    ([1.0, 2.0, 4.0], "sum(((x - mean(x)) / std(x))**2)", "sum((x - mean(x))**2 / var(x))"),
    (list(np.linspace(-2, 3, 300)), "sum(x * softmax(x))", "sum(x * exp(x)) / sum(exp(x))"),
    (list(np.linspace(-2, 3, 300)), "sum(sin(x))", "sum(sin(x)[::-1])"),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("point", "old", "new"), ROUNDED, ids=[row[1] for row in ROUNDED])
def test_rounding_is_no_change(point: Any, old: str, new: str, dtype: str) -> None:
    """Another order of the same computation, also where all of a gradient cancels."""
    assert said(gradcli.diff(file(old, x=point), file(new, x=point), dtype=dtype)) == []
    with_rows = [gradcli.compare(file(text, x=point), dtype=dtype) for text in (old, new)]
    assert said(gradcli.diff(*with_rows)) == []
    assert said(gradcli.diff(saved("grad", file(old, x=point), dtype=dtype), file(new, x=point))) == []


def test_some_of_these_differ_in_the_last_bit() -> None:
    """So the tolerance is what hides it."""
    exact = [gradcli.diff(file(a, x=x), file(b, x=x), rtol=0, atol=0).changed for x, a, b in ROUNDED]

    assert any(exact)


@pytest.mark.parametrize(
    ("old", "new", "point"),
    [
        ("1e6 + 1e-9*x", "1e6 + 2e-9*x", 1.0),
        ("1 + x/1e20", "1 + (x + x - 1e20)/1e20", 1e20),
        ("[1e6, 1e-7] * x", "[1e6, 2e-7] * x", [1.0, 1.0]),
        ("x", "x * (1 + 3e-9)", 1.0),
    ],
)
def test_small_changes_are_seen(old: str, new: str, point: Any) -> None:
    """Of a derivative that is small beside its target, of an entry that is small beside its array, or relative ones."""
    kinds = [change.kind for change in gradcli.diff(file(old, x=point), file(new, x=point)).changes]

    assert "gradient" in kinds
    assert "jacobian" in kinds


def test_default_tolerance_at_its_edge() -> None:
    """rtol of the entry and 64 eps of the largest entry together."""
    eps = float(np.finfo(float).eps)
    edge = 1e-9 * 1e-3 + 64 * eps * 1e3

    assert (RTOL, ATOL_ULPS) == ({"float64": 1e-9, "float32": 1e-4}, 64)
    for factor, kinds in ((0.99, []), (1.01, ["value"])):
        old, new = file("x", x=[1e3, 1e-3]), file("x", x=[1e3, 1e-3 + factor * edge])
        assert [change.kind for change in gradcli.diff(old, new).changes] == kinds


def test_tolerances_that_are_given() -> None:
    """Each replaces its own default; the larger of both sides counts."""
    old, new = file("x", x=[1.0, 100.0]), file("x", x=[1.5, 101.0])

    def labels(**options: float) -> list[str]:
        return [change.label for change in gradcli.diff(old, new, **options).changes]

    assert labels() == ["value y[1]", "value y[0]"]
    assert labels(rtol=0.1) == ["value y[0]"]
    assert labels(rtol=0.4) == []
    assert labels(rtol=0.333) == ["value y[0]"]  # 0.5 is a third of 1.5
    assert labels(atol=0.5) == ["value y[1]"]
    assert labels(atol=1, rtol=0) == labels(atol=1) == []


def test_to_the_last_bit() -> None:
    """With 0 and 0 one bit is a change, and nothing is none."""
    one = float(np.nextafter(1.0, 2.0))
    old, new = file("x", x=1.0), file("x", x=one)

    assert not gradcli.diff(old, new).changed
    assert said(gradcli.diff(old, new, rtol=0, atol=0)) == [("value: value y", 1.0, one)]
    for sample in SAMPLES:
        assert not gradcli.diff(sample, sample, rtol=0, atol=0).changed


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_what_is_no_tolerance(value: float) -> None:
    """Refused by name."""
    same = file("x", x=1)

    assert refused(same, same, rtol=value) == ["rtol must be a finite number, 0 or more"]
    assert len(refused(same, same, rtol=value, atol=value)) == 2


# -- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_result_and_its_file(sample: Path, question: str, dtype: str, tmp_path: Path) -> None:
    """To the last bit the same in any form: the file, the result, its JSON as a file or mapping; with formulas, too."""
    path = tmp_path / "result.json"
    result = getattr(gradcli, question)(sample, dtype=dtype, formulas="text")
    path.write_text(render(result, "json"), encoding="utf-8")

    for old, new in permutations([sample, path, result, json.loads(path.read_text())], 2):
        found = gradcli.diff(old, new, rtol=0, atol=0)
        assert (said(found), found.notes, found.dtype) == ([], (), dtype)


def test_a_file_is_asked_for_what_the_result_has() -> None:
    """Its targets, and its sources, of which one may be a let name."""
    sample = SAMPLES[-1]

    for options in ({"targets": ["loss"]}, {"sources": ["b"]}, {"targets": ["xentropy"], "sources": ["logits", "w"]}):
        for question in QUESTIONS:
            assert said(gradcli.diff(saved(question, sample, **options), sample)) == []


def test_zeros_for_unconnected_are_seen_in_a_result() -> None:
    """Its notes say that nothing leads there, and yet there are numbers."""
    problem = file("x", x=1, b=2)

    for question in QUESTIONS:
        assert not gradcli.diff(saved(question, problem, unconnected="zero"), problem).changed
    assert gradcli.diff(saved("grad", problem, unconnected="zero"), saved("grad", problem)).changed


def test_other_questions() -> None:
    """Results have in common what they have in common; a note says what is left."""
    problem = {"sources": {"x": [1, 2]}, "targets": {"y": "x**2"}}

    found = gradcli.diff(saved("grad", problem), saved("compare", problem))
    assert (found.changed, found.notes) == (False, ("the Jacobian was not compared: only the new side has it",))
    assert not gradcli.diff(saved("compare", problem), saved("jacobian", problem)).changed
    assert refused(saved("grad", problem), saved("jacobian", problem)) == [
        "the old side holds the gradient and the new side the Jacobian: they cannot be compared"
    ]
    assert refused(saved("compare", problem), saved("hessian", problem)) == [
        "the old side holds the gradient and the Jacobian and the new side the Hessian: they cannot be compared"
    ]


def test_hessian() -> None:
    """Labels of pairs, with nested names on both sides."""
    old = {"sources": {"a": {"b": [1, 2], "c": 3}}, "targets": "sum(a.b**2) * a.c"}
    new = {"sources": {"a": {"b": [1, 2], "c": 3}}, "targets": "sum(a.b**2) * a.c + a.b[1] * a.c"}
    found = [change for change in gradcli.diff(saved("hessian", old), new).changes if change.kind == "hessian"]

    assert [(c.name, c.label, c.index, c.old, c.new) for c in found] == [
        ("a.b/a.c", "hessian a.b[1] by a.c", (1,), 4.0, 5.0),
        ("a.c/a.b", "hessian a.c by a.b[1]", (1,), 4.0, 5.0),
    ]


def test_per_example() -> None:
    """The file is asked for the blocks; a label names both entries in full."""
    from gradcli.per_example import per_example

    old, new = file("x**2", x=[[1, 2], [3, 4]]), file("x**2 * [1, 2]", x=[[1, 2], [3, 4]])
    blocks = json.loads(render(per_example(old), "json"))

    assert not gradcli.diff(blocks, old, rtol=0, atol=0).changed
    found = [change for change in gradcli.diff(blocks, new).changes if change.kind == "jacobian"]
    assert (found[0].label, found[0].index, found[0].old, found[0].new) == (
        "jacobian y[1,1] by x[1,1]",
        (1, 1, 1),
        8.0,
        16.0,
    )
    assert refused(blocks, saved("jacobian", old)) == [
        "only the Jacobian in the old side is per example: they cannot be compared"
    ]


def test_empty_arrays() -> None:
    """Nested lists do not tell the shape of what has no entries; `shapes` does."""
    problem = {"sources": {"x": {"shape": [0, 3], "fill": 0}, "z": 1}, "targets": {"y": "2*x", "s": "sum(x) + z"}}

    for question in QUESTIONS:
        assert not gradcli.diff(saved(question, problem), problem).changed


def test_dtypes() -> None:
    """Compared as the coarser one, and a note says so; `dtype` is for files and wins over that of the result."""
    problem = file("sin(x)", x=[0.1, 0.2])
    single, double = saved("grad", problem, dtype="float32"), saved("grad", problem)

    found = gradcli.diff(double, single)
    assert said(found) == []
    assert (found.dtype, found.notes) == (
        "float32",
        ("the old side is float64, the new side float32: compared as float32",),
    )
    assert gradcli.diff(single, problem).notes == ()
    assert gradcli.diff(single, problem, dtype="float64").dtype == "float32"
    assert gradcli.diff(problem, problem, dtype="float32").dtype == "float32"
    # float32 numbers are shown by their own digits
    (change,) = gradcli.diff(file("x + 0*z", x=0.1, z=0), file("x + 0*z", x=0.2, z=0), dtype="float32").changes
    assert (change.old, change.new, change.difference) == (0.1, 0.2, 0.1)


def test_choosing_in_results() -> None:
    """-t and -s of a result; a sum over other targets cannot be taken apart."""
    sample = SAMPLES[3]  # two_targets
    rows, whole = saved("jacobian", sample), saved("compare", sample)

    for one in (rows, whole):
        for other in (rows, whole, sample):
            assert not gradcli.diff(one, other, targets=["y1"], sources=["x2"]).changed
    assert not gradcli.diff(saved("grad", sample), sample, sources=["x2"]).changed
    assert refused(saved("grad", sample), sample, targets=["y1"]) == [
        "its gradient is of the sum over all its targets, also y2"
    ]
    assert refused(rows, sample, targets=["y3"], sources=["x"]) == [
        "there is no target 'y3' in this result",
        "there is no source 'x' in this result",
        f"{sample}: there is no target 'y3'",
        f"{sample}: there is no source 'x'",
    ]
    network = SAMPLES[1]
    assert not gradcli.diff(saved("grad", network), network, sources=["layer1"]).changed


def test_a_file_that_has_no_name_of_the_result() -> None:
    """Then it is asked for its own, and both are named."""
    assert said(gradcli.diff(saved("grad", file("x", x=1)), {"sources": {"z": 1}, "targets": {"loss": "z"}})) == [
        ("removed: target y", (), None),
        ("added: target loss", None, ()),
        ("removed: source x", (), None),
        ("added: source z", None, ()),
    ]


def test_files_without_sources() -> None:
    """They still have values."""
    old, new = ({"constants": {"c": value}, "targets": {"y": "2*c"}} for value in (1, 2))

    assert said(gradcli.diff(old, new)) == [("value: value y", 2, 4)]
    assert said(gradcli.diff(old, file("2*c", c=1))) == [("added: source c", None, ())]


def test_a_jacobian_that_is_too_large() -> None:
    """Then the gradient is compared alone, and a note says why."""
    old, new = (file(f"{k} * cumsum(x)", x={"shape": [1000], "fill": 1}) for k in (1, 2))

    found = gradcli.diff(old, new, max_memory=2**20)
    assert [tally.label for tally in found.arrays] == ["value y", "gradient x"]
    assert {change.kind for change in found.changes} == {"value", "gradient"}
    (note,) = found.notes
    assert note.startswith("the Jacobian was not compared: this needs about ")
    assert note.endswith(" of memory, more than the limit of 1.0 MiB")
    assert "jacobian y by x" in [tally.label for tally in gradcli.diff(old, old).arrays]
    assert gradcli.diff(old, saved("grad", old), max_memory=2**20).notes == ()
    (message,) = refused(old, old, max_memory=100)
    assert message.startswith("this needs about ")


# -- what cannot be read ---------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {
    "schema_version": 1,
    "command": "grad",
    "targets": {"y": [1.0, 2.0]},
    "gradient": {"w": [[1, 2.5]], "layer": {"b": None}},
    "shapes": {"y": [2], "w": [1, 2], "layer.b": [3]},
    "dtype": "float64",
    "notes": [],
}
ROWS = {k: v for k, v in GOOD.items() if k != "gradient"} | {
    "command": "jacobian",
    "targets": {"y": [1, 2], "z": 3},
    "jacobian": {"y": {"w": [[[1, 2]], [[3, 4]]]}, "z": {"w": [[5, 6]]}},
    "shapes": {"y": [2], "z": [], "w": [1, 2]},
}
PAIRS = {k: v for k, v in GOOD.items() if k != "gradient"} | {
    "command": "hessian",
    "hessian": {"a": {"w": {"a": {"w": 1.0, "b": None}, "c": 2}, "b": {"a": {"w": 1, "b": 1}, "c": 1}}, "c": {}},
    "shapes": {"y": [2], "a.w": [], "a.b": [], "c": []},
}

DAMAGED: list[tuple[dict[str, Any], Mapping[str, Any], list[str]]] = [
    (GOOD, {}, []),
    (GOOD, {"more": 1, "formulas": {"w": "x"}}, []),
    (GOOD, {"schema_version": 2}, ["schema_version: the result has schema_version 2, and 1 is what can be read"]),
    (GOOD, {"schema_version": None}, ["schema_version: the result has no schema_version, and 1 is what can be read"]),
    (GOOD, {"command": "check"}, ["command: this is a result of 'check'"]),
    (GOOD, {"command": ["grad"]}, ["command: this is a result of no command"]),
    (GOOD, {"gradient": None}, ["gradient: the part 'gradient' is missing"]),
    (GOOD, {"gradient": [1]}, ["gradient: the part 'gradient' is no object"]),
    (
        GOOD,
        {"targets": None, "shapes": 3},
        ["shapes: the part 'shapes' is no object", "targets: the part 'targets' is missing"],
    ),
    (GOOD, {"dtype": "float16"}, ["dtype: the dtype is float64 or float32, not 'float16'"]),
    (GOOD, {"shapes": {"y": [2], "w": [1.5]}}, ["shapes.w: a shape is a list of whole numbers"]),
    (GOOD, {"shapes": {"y": [2], "w": [1, 2]}}, ["gradient.layer.b: 'shapes' does not have 'layer.b'"]),
    (GOOD, {"targets": {"y": [1, None]}}, ["targets.y: it holds something that is no number"]),
    (GOOD, {"targets": {"y": None}}, ["targets.y: it holds something that is no number"]),
    (GOOD, {"targets": {"y": True}}, ["targets.y: it holds something that is no number"]),
    (GOOD, {"targets": {"y": {"a": 1}}}, ["targets.y: it holds something that is no number"]),
    (GOOD, {"targets": {"y": ["nan", "NaN"]}}, ["targets.y: it holds the text 'nan', which is no number"]),
    (GOOD, {"targets": {"y": "1"}}, ["targets.y: it holds the text '1', which is no number"]),
    (GOOD, {"targets": {"y": [[1, 2], [3]]}}, ["targets.y: its lists are not all equally long"]),
    (GOOD, {"targets": {"y": [[[1], [2]], [[3]]]}}, ["targets.y: its lists are not all equally long"]),
    (GOOD, {"targets": {"y": [1, [2]]}}, ["targets.y: its lists are not all equally long"]),
    (GOOD, {"targets": {"y": [10**400, 1]}}, ["targets.y: it holds a number that is too large"]),
    (
        GOOD,
        {"gradient": {"w": [1, 2], "layer": {"b": [True]}}},
        [
            "gradient.w: it has the shape (2,), where (1, 2) is what 'shapes' says",
            "gradient.layer.b: it holds something that is no number",
        ],
    ),
    (ROWS, {}, []),
    (
        ROWS,
        {"jacobian": {"y": {"w": None}}},
        [
            "jacobian.z: the part 'jacobian.z' is missing",
            "jacobian.z: its sources are not those of the other targets",
        ],
    ),
    (
        ROWS,
        {"jacobian": {"y": {"w": 1}, "z": {"w": None}}},
        ["jacobian.y.w: it has the shape (), where (2, 1, 2) is what 'shapes' says"],
    ),
    (PAIRS, {"hessian": {"c": {"c": 1}}}, []),
    (PAIRS, {}, ["hessian: it does not hold each pair of sources once"]),
    (PAIRS, {"hessian": {"q": {"q": 1}}}, ["hessian: it does not hold each pair of sources once"]),
]


@pytest.mark.parametrize(("base", "change", "expected"), DAMAGED, ids=[str(row[1]) for row in DAMAGED])
def test_damaged_results(base: dict[str, Any], change: Mapping[str, Any], expected: list[str], tmp_path: Path) -> None:
    """All that is wrong, by path and with the name of the file; both sides at once."""
    path = tmp_path / "r.json"
    path.write_text(json.dumps(base | change))

    if expected:
        assert refused(base | change, base | change) == expected
        assert refused(path, path) == [f"{path}: {message}" for message in expected]
    else:
        assert not gradcli.diff(path, base | change).changed


def test_what_is_no_result() -> None:
    """An error of another call says what it says, and objects that nest without end are no names."""
    error = {"error": {"kind": "usage", "message": "no such file"}, "errors": []}
    assert refused(error, error) == ["it holds an error and no result: no such file"]
    deep: Any = 1.0
    for _ in range(300):
        deep = {"a": deep}
    assert refused(GOOD, GOOD | {"gradient": deep}) == ["gradient: its objects nest deeper than 100 levels"]


def test_text_that_is_no_json(tmp_path: Path) -> None:
    """Both, at the line where it breaks."""
    cut, deep = tmp_path / "cut.json", tmp_path / "deep.json"
    cut.write_text(json.dumps(GOOD, indent=1)[:60])
    deep.write_text('{"a":' * 5000)

    first, second = refused(cut, deep)
    assert first.startswith(f"{cut}: 5: ")
    assert second == f"{deep}: 1: lists and objects nest deeper than 100 levels"
    assert refused(tmp_path / "no.json", tmp_path) == [
        f"{tmp_path / 'no.json'}: the file does not exist",
        f"{tmp_path}: the file is a directory",
    ]


def test_json_that_is_an_expression_file(tmp_path: Path) -> None:
    """Told apart by keys that an expression file cannot have."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(file("x**2", x=3)))

    assert not gradcli.diff(path, file("x*x", x=3)).changed
    path.write_text(json.dumps(file("x**2", x=3) | {"gradient": {"x": 6}}))
    assert refused(path, path) == [f"{path}: 1: unknown key 'gradient'"]


def test_errors_of_both_files_at_once(tmp_path: Path) -> None:
    """Old before new, also where one shows only when expressions are put together; what both say is said once."""
    bad, worse = tmp_path / "bad.yaml", tmp_path / "worse.yaml"
    bad.write_text("sources: {x: 1}\ntargets: {y: x + z}\n")
    worse.write_text("sources: {x: [}\n")

    assert refused(bad, worse)[0] == f"{bad}: 2: unknown name 'z' in target 'y'"
    assert [message.split(": ")[0] for message in refused(worse, bad)] == [str(worse), str(bad)]
    assert len(refused(bad, bad)) == 1


def test_data_files_beside_the_expression_file(tmp_path: Path) -> None:
    """Relative to it, as everywhere."""
    np.save(tmp_path / "w.npy", np.array([1.0, 2.0]))
    path = tmp_path / "a.yaml"
    path.write_text("sources: {w: {file: w.npy}}\ntargets: sum(w)\n")

    assert not gradcli.diff(path, str(path)).changed


# -- many ------------------------------------------------------------------------------------------------------------


@cache
def problem_of(entry: Entry) -> Problem:
    return load_text(entry.file.replace("\r\n", "\n"), f"{entry}.yaml")


@cache
def answered(entry: Entry) -> Result:
    return gradcli.compare(problem_of(entry))


def arrays(result: Any) -> dict[str, Any]:
    found = {f"value {name}": array for name, array in result.targets.items()}
    found |= {f"gradient {name}": array for name, array in result.gradient.items()}
    return found | {f"jacobian {t}/{s}": a for t, row in result.jacobian.items() for s, a in row.items()}


@pytest.mark.parametrize("entry", CASES, ids=str)
def test_a_case_and_itself(entry: Entry) -> None:
    """Nothing, to the last bit."""
    found = gradcli.diff(problem_of(entry), problem_of(entry), rtol=0, atol=0)

    assert (said(found), found.notes) == ([], ())


@pytest.mark.parametrize("old", CASES, ids=str)
def test_a_case_and_any_other(old: Entry) -> None:
    """The first entry that is named differs, and no entry that differs much is missing."""
    before = arrays(answered(old))
    for new in CASES:
        after = arrays(answered(new))
        found = list(gradcli.diff(answered(old), answered(new)).changes)
        for change in [change for change in found if change.kind in ("value", "gradient", "jacobian")][:1]:
            key = f"{change.kind} {change.name}"
            numbers = [np.asarray(side[key])[change.index] for side in (before, after)]
            assert [change.old, change.new] == [pytest.approx(n, rel=0, abs=0, nan_ok=True) for n in numbers]
            assert numbers[0] != numbers[1]
        named = {(f"{change.kind} {change.name}", change.index) for change in found}
        for key in before.keys() & after.keys():
            a, b = before[key], after[key]
            if a is not None and b is not None and a.shape == b.shape:
                size = np.abs(a[np.isfinite(a)]).max(initial=0)
                apart = ~np.isclose(a, b, rtol=1e-6, atol=1e-6 * size, equal_nan=True)
                assert {(key, tuple(map(int, index))) for index in np.argwhere(apart)} <= named


@pytest.mark.parametrize(("old", "new"), list(permutations(SAMPLES, 2)), ids=lambda path: path.stem)
def test_samples_against_each_other(old: Path, new: Path) -> None:
    """All differ; names stand before entries."""
    found = gradcli.diff(old, new)
    kinds = [change.kind for change in found.changes]

    assert found.changed
    assert kinds == sorted(kinds, key=lambda kind: kind not in ("added", "removed"))


def test_many_entries() -> None:
    """Any of them can be asked for without making all, and all can be listed, in the same order."""
    n = 400
    ramp = np.arange(n, dtype=float)
    old, new = (
        {"sources": {"x": np.ones(n)}, "constants": {"A": a}, "targets": {"y": "A @ x"}}
        for a in (np.ones((n, n)), 1 + np.outer(ramp, ramp))
    )
    found = gradcli.diff(*(gradcli.jacobian(problem) for problem in (old, new))).changes

    labels = ["jacobian y[399] by x[399]", "jacobian y[398] by x[399]", "jacobian y[399] by x[398]"]
    assert [change.label for change in found if change.kind == "jacobian"][:3] == labels
    assert len(found) == (n - 1) + (n - 1) ** 2
    assert (found[-1].label, found[-1].old, found[-1].new) == ("jacobian y[1] by x[1]", 1.0, 2.0)
    assert found[len(found) - 1] == found[-3:][-1]
    with pytest.raises(IndexError):
        _ = found[len(found)]


def test_changes_are_a_sequence() -> None:
    """Slices, steps and iteration say the same."""
    found = gradcli.diff(file("x**2", x=[1.0, 2, 3], z=1), file("x**3", x=[1.0, 2, 3])).changes

    listed = list(found)
    assert listed == [found[i] for i in range(len(found))] == found[:]
    assert found[::-2] == listed[::-2]
    assert found[1:4] == listed[1:4]
    assert found[-1] == listed[-1]
    assert listed[0].kind == "removed"
