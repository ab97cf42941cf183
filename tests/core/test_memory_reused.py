"""Every function where memory is used again as often as it can be: the same numbers to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli
from gradcli.core import schedule, statements
from tests.op_rows import ROWS, Example, Row

CASES = [(r, e) for r in ROWS for e in r.examples[:2]]


def _numbers(row: Row, example: Example) -> list[bytes]:
    problem = {"sources": example.draw(row), "targets": {"t": example.text}}
    found = gradcli.compare(problem, unconnected="zero")
    blocks = [*found.targets.values(), *found.gradient.values(), *found.jacobian["t"].values()]
    return [np.asarray(block).tobytes() for block in blocks]


@pytest.mark.parametrize(("row", "example"), CASES, ids=[f"{r.name}: {e.text} {e.shapes}" for r, e in CASES])
def test_the_same_numbers(row: Row, example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the value, the gradient and the rows."""
    expected = _numbers(row, example)

    monkeypatch.setattr(statements, "LARGE", 1)
    monkeypatch.setattr(statements, "_SMALL", 0)
    monkeypatch.setattr(schedule, "LARGE", 1)

    assert _numbers(row, example) == expected
