"""JSON: the keys and their order, nesting, numbers, strictness."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from gradcli.report import ReportOptions, render
from gradcli.results import Comparison, Gradient, Hessian, Jacobian, Note, Result


def strict(text: str) -> Any:
    """`text` as a strict parser reads it: NaN is no number, a key stands once."""

    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is no JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=once)


def read(result: Result) -> Any:
    text = render(result, "json")
    assert text.endswith("}\n")
    assert text.count("\n") == 1
    return strict(text)


def test_compare_to_the_letter(two_scalars: Comparison) -> None:
    """One object, keys in the order of the schema."""
    assert render(two_scalars, "json") == (
        '{"schema_version": 1, "command": "compare", "targets": {"y1": 12.0, "y2": 3.909}, '
        '"gradient": {"x1": 11.583853163452858, "x2": 5.0}, '
        '"jacobian": {"y1": {"x1": 12.0, "x2": 4.0}, "y2": {"x1": -0.4161468365471424, "x2": 1.0}}, '
        '"row_sum": {"x1": 11.583853163452858, "x2": 5.0}, "max_abs_difference": 0.0, "match": true, '
        '"shapes": {"y1": [], "y2": [], "x1": [], "x2": []}, "dtype": "float64", "notes": []}\n'
    )


def test_grad() -> None:
    """Dotted names nest; null is unconnected; NaN and infinities are strings; notes keep kind, message and line."""
    result = Gradient(
        targets={"y": np.array([np.nan, np.inf])},
        sources={"layer1.w": np.ones(2), "layer1.b": np.array(0.5), "λ": np.array(1.0)},
        gradient={"layer1.w": np.array([0.1, -np.inf]), "layer1.b": None, "λ": np.array(-0.0)},
        notes=(Note("unconnected", "layer1.b is not used", 7),),
    )

    assert list(read(result).items()) == [
        ("schema_version", 1),
        ("command", "grad"),
        ("targets", {"y": ["NaN", "Infinity"]}),
        ("gradient", {"layer1": {"w": [0.1, "-Infinity"], "b": None}, "λ": 0.0}),
        ("shapes", {"y": [2], "layer1.w": [2], "layer1.b": [], "λ": []}),
        ("dtype", "float64"),
        ("notes", [{"kind": "unconnected", "message": "layer1.b is not used", "line": 7}]),
    ]


def test_names_can_stay_flat() -> None:
    """Without nesting a dotted name is one key."""
    value = np.array(1.0)
    result = Gradient(targets={"y": value}, sources={"a.b": value}, gradient={"a.b": value})

    assert strict(render(result, "json", ReportOptions(nest=False)))["gradient"] == {"a.b": 1.0}


def test_jacobian() -> None:
    """By target, then by source, in the shape target.shape + source.shape."""
    block = np.arange(4.0).reshape(2, 1, 2)
    result = Jacobian(
        targets={"y": np.ones(2)},
        sources={"w": np.ones((1, 2)), "n.c": np.ones(3)},
        jacobian={"y": {"w": block, "n.c": None}},
    )

    assert read(result)["jacobian"] == {"y": {"w": [[[0.0, 1.0]], [[2.0, 3.0]]], "n": {"c": None}}}


def test_hessian_nests_at_both_levels() -> None:
    """{source: {source: array}}, each name split at its points."""
    value = np.array(2.0)
    result = Hessian(
        targets={"y": value},
        sources={"n.a": value, "n.b": value},
        hessian={"n.a": {"n.a": value, "n.b": None}, "n.b": {"n.a": None, "n.b": None}},
    )

    assert read(result)["hessian"] == {"n": {"a": {"n": {"a": 2.0, "b": None}}, "b": {"n": {"a": None, "b": None}}}}


def test_float32_numbers_are_short() -> None:
    """0.1 in float32 is 0.1, not 0.10000000149011612."""
    value = np.float32(0.1)
    result = Gradient(targets={"y": value}, sources={"x": value}, gradient={"x": value}, dtype="float32")  # type: ignore[dict-item]

    assert read(result)["gradient"] == {"x": 0.1}


def test_difference_that_is_no_number(compared: Callable[..., Comparison]) -> None:
    """max_abs_difference follows the same rule as arrays."""
    result = compared({"y": 1}, {"x": 1}, {"y": {"x": np.nan}}, max_abs_difference=np.nan, match=False)

    assert read(result)["max_abs_difference"] == "NaN"
    assert read(result)["match"] is False
