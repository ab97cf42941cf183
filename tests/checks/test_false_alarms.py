"""Nothing that is right is called wrong: every function at ordinary and at special points, and whole expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradcli
from gradcli.results import Check
from tests.op_rows import ROWS
from tests.oracle import generator
from tests.strategies import Drawn, expressions, points

EXAMPLES = [(row, example) for row in ROWS for example in row.examples]
SPECIAL = [0.0, 1.0, -1.0, 2.0, 0.5, 1e-8, -1e-8, 1e8, 1e-3, 1e150, 1e-150, 1e-300, 1 + 1e-9, np.pi, 700.0, -700.0]
SPECIAL += [30.0, 0.1 + 0.2, 1e16]


def wrong(targets: Any, sources: Any, constants: Any = None) -> list[Check]:
    """The checks that complain; nothing where the file is refused."""
    content = {"sources": sources, "targets": targets, "constants": constants or {}}
    return [check for check in gradcli.check(content).files[0].checks if check.verdict == "wrong"]


@pytest.mark.parametrize(("row", "example"), EXAMPLES, ids=[example.text for _, example in EXAMPLES])
def test_functions(row: Any, example: Any) -> None:
    """At a point in the domain, with some entries replaced by special numbers, and with all entries equal."""
    point, random = example.draw(row), generator(example.text)
    some = {
        n: np.where(random.uniform(size=v.shape) < 0.6, random.choice(SPECIAL, v.shape), v) for n, v in point.items()
    }
    same = {n: np.full(v.shape, random.choice(SPECIAL)) for n, v in point.items()}

    for sources in (point, some, same):
        assert wrong(example.text, sources, example.constants) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(expressions(), st.data())
def test_expressions(drawn: Drawn, data: st.DataObject) -> None:
    """Random trees over arrays that broadcast."""
    sources = {name: data.draw(points(shape)) for name, shape in drawn.names.items()}

    assert wrong(drawn.text, sources) == []
