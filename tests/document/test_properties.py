"""What holds for any input: values survive the file, and nothing but InputError comes out."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gradcli.document import load
from gradcli.document.load import parse
from gradcli.document.model import read_content
from gradcli.document.text import text_of
from gradcli.document.tree import File, Mapping, Scalar
from gradcli.errors import InputError
from gradcli.report.diagnostics import render_json, render_text

ARRAYS = hnp.arrays(
    np.float64, hnp.array_shapes(min_dims=0, max_dims=3, max_side=4), elements=st.floats(allow_nan=False)
)
FAST = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

SEEDS = [
    "title: t\nconstants: {k: [1, 2]}\nsources:\n  w: [[0.1, 0.0], [0.5, 0.51]]\n  l: {a: pi/4}\n"
    "let:\n  t: k @ w\ntargets:\n  f: sum(t)\n",
    "sources: &s {x: {shape: [2], fill: 0.5}, y: *s}\n"
    "targets:\n  - |\n    x\n    + 1\n  - 'a''b'\noutput_gradients: {y1: 2}\n",
    '{"sources": {"x": [1, -2e5, "pi"], "n": {"a": null}}, "targets": {"f": "x\\n + 1"}, "expect": {"rtol": 1e-6}}',
]
PIECES = st.sampled_from(
    [
        *"{}[]:,-?&*!|>'\"%@`#\n\t \\~<=.0e+\x00\ufeff\u2028λ",
        "\n  ",
        ": ",
        " #",
        "- ",
        "<<: ",
        "!!x ",
        "---\n",
        "NaN",
        "1e999",
        "true",
    ]
)


def read(text: str) -> tuple[dict[str, NDArray[np.float64]], tuple[object, ...]]:
    root, faults = parse(File("a.yaml", text))
    content = read_content(root, Path("/nonexistent"))
    return content.sources, (*faults, *content.faults)


def as_words(value: object) -> object:
    """Infinities as the texts that stand for them in both formats."""
    if isinstance(value, list):
        return [as_words(entry) for entry in value]
    return {float("inf"): "inf", float("-inf"): "-inf"}.get(value, value) if isinstance(value, float) else value


@FAST
@given(ARRAYS)
def test_values_survive_json_and_yaml(array: NDArray[np.float64]) -> None:
    """Every bit of an array comes back, from JSON, from YAML's flow and from its block form."""
    value = json.dumps(as_words(array.tolist()))
    block = "".join(f"\n    - {json.dumps(as_words(row))}" for row in array.tolist()) if array.ndim else f" {value}"
    for text in (
        f'{{"sources": {{"x": {value}}}, "targets": "x"}}',
        f"sources:\n  x: {value}\ntargets: x\n",
        f"sources:\n  x:{block}\ntargets: x\n",
    ):
        sources, faults = read(text)
        assert not faults
        np.testing.assert_array_equal(sources["x"], array, strict=True)


@settings(FAST, max_examples=400)
@given(
    st.sampled_from(SEEDS), st.lists(st.tuples(st.integers(0, 250), st.integers(0, 3), PIECES), min_size=1, max_size=4)
)
def test_nothing_but_input_errors(seed: str, edits: list[tuple[int, int, str]]) -> None:
    """A file that is damaged anywhere is read or refused, with places that exist and can be shown."""
    for at, removed, piece in edits:
        seed = seed[: at % len(seed)] + piece + seed[at % len(seed) + removed :]
    try:
        _, faults = read(seed)
    except InputError as error:
        faults = error.faults
        assert faults
    shown = render_text(faults), render_json(faults)  # type: ignore[arg-type]
    assert shown[1].count("\n") == 0


@settings(FAST, max_examples=200)
@given(st.binary(max_size=60))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Also what is no text at all."""
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    with suppress(InputError):
        load(path)


@FAST
@given(
    st.text(
        st.characters(
            codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\u2028\u2029\ufeff\ufffe\uffff"
        ),
        min_size=1,
    )
)
def test_places_in_texts(text: str) -> None:
    """Each dark character of a JSON string, and of the same string in YAML, is found where it stands."""
    for written in (json.dumps(text), json.dumps(text, ensure_ascii=False), "'" + text.replace("'", "''") + "'"):
        file = File("a", '{"a": ' + written + "}" if written[0] == '"' else f"a: {written}\n")
        root, _ = parse(file)
        assert isinstance(root, Mapping)
        node = root.entries[0][1]
        assert isinstance(node, Scalar)
        found = text_of(node, "a")
        for index, character in enumerate(found.text):
            place = found.locate(index, 1)
            shown = (place.source or "")[(place.column or 1) - 1]
            assert shown == character or shown in '\\"' or character.isspace()
