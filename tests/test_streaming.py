"""A Jacobian that is computed some rows at a time: the same numbers, notes and refusals as the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli import InputError, streaming
from gradcli.api import rows
from gradcli.results import Array, Jacobian, Rows
from gradcli.streaming import streamed

RNG = np.random.default_rng(3)
A, X = RNG.normal(size=(7, 5)), RNG.normal(size=(4, 7))
FILES: dict[str, dict[str, Any]] = {
    "a layer": {"sources": {"A": A, "x": A[0], "b": A[:, 0]}, "targets": "tanh((A @ x + b) / 9)"},
    "rows that are coupled": {"sources": {"A": A, "x": A[0]}, "targets": "softmax(A @ x) + cumsum(A @ x)"},
    "a matrix of outputs": {"sources": {"A": A}, "constants": {"X": X}, "targets": "exp(X @ A / 9)"},
    "ones first": {"sources": {"x": A[0]}, "targets": "reshape(sin(x), (1, 1, 5))"},
    "a scalar and a constant": {"sources": {"x": A[0]}, "targets": {"y": "sum(x * x)", "z": "2", "w": "ones((3,))"}},
    "no outputs, no inputs": {"sources": {"x": A[0], "e": np.ones(0)}, "targets": ["x[5:]", "x * sum(e)"]},
    "several": {
        "sources": {"A": A, "c": 0.5},
        "let": {"h": "A @ A.T", "g": "h * c"},
        "targets": {"y": "inv(h[:5, :5] + 9 * eye(5))", "z": "g[0]", "u": "stop_gradient(A)"},
    },
}


def whole(found: Rows) -> dict[str, dict[str, Array | None]]:
    """All that is streamed, as a Jacobian has it."""
    made: dict[str, dict[str, Array | None]] = {}
    for name, value in found.targets.items():
        parts = list(found.parts(name))
        assert sum(part.count for part in parts) == value.size
        for source, point in found.sources.items():
            blocks = [b for part in parts if (b := part.blocks[source]) is not None]
            assert len(blocks) in (0, len(parts))
            shape = value.shape + point.shape
            missing = np.zeros(shape, found.dtype) if not parts else None
            made.setdefault(name, {})[source] = np.concatenate(blocks).reshape(shape) if blocks else missing
    return made


def same(found: dict[str, dict[str, Array | None]], expected: Jacobian, ulps: int = 4) -> None:
    for name, row in expected.jacobian.items():
        for source, block in row.items():
            made = found[name][source]
            if block is None or made is None:
                assert block is made or not expected.targets[name].size
                continue
            assert (made.dtype, made.shape) == (block.dtype, block.shape)
            scale = np.abs(block[np.isfinite(block)]).max(initial=0.0)
            np.testing.assert_allclose(made, block, rtol=0, atol=ulps * np.finfo(block.dtype).eps * scale)


@pytest.mark.parametrize("most", [1, 200, 700, 10**6])
@pytest.mark.parametrize("name", FILES)
def test_the_same_numbers(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the width of the window, also where the last is cut short."""
    monkeypatch.setattr(streaming, "_MOST", most)

    found = streamed(FILES[name])

    same(whole(found), gradcli.jacobian(FILES[name]))
    assert [*found.notes, *found.late] == list(gradcli.jacobian(FILES[name]).notes)


def test_the_same_bits_where_rows_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is elementwise is the same arithmetic for one row as for all."""
    monkeypatch.setattr(streaming, "_MOST", 200)
    file = {"sources": {"A": A, "x": A[0]}, "targets": "sin(A) * exp(x) / 3"}

    same(whole(streamed(file)), gradcli.jacobian(file), ulps=0)


@pytest.mark.parametrize(
    "options",
    [
        {"dtype": "float32"},
        {"at": {"c": 2.0}},
        {"sources": ["h", "c"], "targets": ["z", "y"]},
        {"unconnected": "zero"},
        {"as_written": True, "formulas": "text"},
    ],
)
def test_options(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "_MOST", 700)

    same(whole(streamed(FILES["several"], **options)), gradcli.jacobian(FILES["several"], **options), ulps=16)


# -- memory -----------------------------------------------------------------------------------------------------------

LARGE: dict[str, Any] = {
    "sources": {"x": {"shape": [300], "random": "normal", "seed": 1}},
    "constants": {"U": {"shape": [900, 2], "random": "normal", "seed": 2}},
    "targets": "sin(U @ x[:2]) * sum(x)",
}
"""The rows take 2.1 MB, all else some kilobytes."""


def test_only_what_is_too_large_is_streamed() -> None:
    assert isinstance(rows(LARGE, max_memory=10**8), Jacobian)
    assert isinstance(rows(LARGE, max_memory=10**6), Rows)


@pytest.mark.parametrize("limit", [100_000, 250_000, 1_000_000])
def test_no_more_than_the_limit(limit: int) -> None:
    """As many rows at a time as fit, and no more; the numbers are those of the whole."""
    found = rows(LARGE, max_memory=limit)
    assert isinstance(found, Rows)
    counts = [part.count for part in found.parts("y")]

    assert sum(counts) == 900
    assert 0.2 * limit < max(counts) * 300 * 8 < limit
    assert max(counts) - min(counts) < len(counts), "windows are of about the same width"
    same(whole(found), gradcli.jacobian(LARGE))


def test_a_row_of_a_matrix_may_be_too_large() -> None:
    """Then the window lies along the next axis: here 8 of the 200 columns fit."""
    file = {"sources": {"x": np.arange(50.0)}, "targets": "sin(x[:3, None] * ones(200)) * sum(x)"}

    found = rows(file, max_memory=30_000)

    assert isinstance(found, Rows)
    assert max(part.count for part in found.parts("y")) < 75
    same(whole(found), gradcli.jacobian(file))


@pytest.mark.parametrize(("limit", "what"), [(9_000, r"9\.4"), (10_000, r"37\.5"), (30_000, r"37\.5")])
def test_one_row_may_be_too_large(limit: int, what: str) -> None:
    """The refusal has the number: of the values of the targets where they are too large themselves, or of a row."""
    steep = "[sum(sin(x) * exp(x) * tanh(x) * cos(x) * sqrt(x)), sum(x)]"

    with pytest.raises(InputError, match=rf"this needs about {what} KiB of memory, more than the limit"):
        whole(rows({"sources": {"x": np.ones(300)}, "targets": steep}, max_memory=limit))  # type: ignore[arg-type]


# -- notes ------------------------------------------------------------------------------------------------------------


def test_notes_of_the_values() -> None:
    """Kinks, and who is unconnected."""
    file = {**LARGE, "sources": {"x": np.zeros(300), "z": 1.0}, "targets": "relu(U @ x[:2]) * sum(x)"}
    found = rows(file, max_memory=500_000)

    assert [note.kind for note in found.notes] == ["unconnected", "kink"]
    assert found.notes == gradcli.jacobian(file).notes


def test_what_is_not_finite_is_told_at_the_end() -> None:
    """The first entry and how many there are, as in the whole."""
    point = np.ones(300)
    point[[1, 2]] = 0.0
    file = {**LARGE, "sources": {"a": 1.0, "x": point}, "targets": {"u": "a * U[:, 0]", "y": "a * sqrt(x) + x[0]"}}
    found = rows(file, max_memory=100_000)
    assert isinstance(found, Rows)
    whole(found)

    (expected,) = [note.message for note in gradcli.jacobian(file).notes if note.kind == "nonfinite"]
    (note,) = found.late
    assert expected.startswith("the derivative of y[1] by x[1] is inf (and 1 more): ")
    assert note.message == "the derivative of y[1] by x[1] is inf (and 1 more); too large to follow back"


def test_a_target_that_is_not_finite_is_told_once() -> None:
    file = {**LARGE, "targets": "sin(U @ x[:2]) * log(0 * x[0]) * sum(x)"}
    found = rows(file, max_memory=500_000)
    assert isinstance(found, Rows)
    whole(found)

    assert [note.kind for note in (*found.notes, *found.late) if note.kind == "nonfinite"] == ["nonfinite"]
