"""Wrong derivatives are caught, and the usual mistakes are named."""

from __future__ import annotations

import re
from typing import Any

import pytest

import gradcli
from tests.checks.evidence import Entry, entries

ENTRIES = entries("wrong.yaml")


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_is_caught(entry: Entry) -> None:
    """The expectation that is wrong, and no other."""
    assert [name for name, check in entry.checks.items() if check.verdict == "wrong"] == [entry.wrong]
    assert not entry.checked.passed


def explained(entry: Entry) -> bool:
    said = entry.checks[entry.wrong or ""].diagnosis
    if entry.says is None or said is None:
        return entry.says is said
    return re.search(rf"\b({entry.says})", said, re.IGNORECASE) is not None


def test_all_are_caught_and_most_are_explained() -> None:
    missed = [entry.id for entry in ENTRIES if entry.checks[entry.wrong or ""].verdict != "wrong"]
    unexplained = {e.id: e.checks[e.wrong or ""].diagnosis for e in ENTRIES if not explained(e)}
    assert len(ENTRIES) >= 48
    assert not missed
    assert len(unexplained) <= 0.1 * len(ENTRIES), unexplained


@pytest.mark.parametrize(
    "given", [{"value": {"y": [5.0, 1.0]}}, {"value": {"t": 7.0}}, {"hessian": {"x": {"z": [[1, 2], [4, 8]]}}}]
)
def test_what_no_mistake_explains(given: dict[str, Any]) -> None:
    """Values and second derivatives are diagnosed, too; what is simply another number gets no reason."""
    problem = {"sources": {"x": [1, 2], "z": [3, 4]}, "targets": {"y": "x * z", "t": "sum(x)"}, "expect": given}
    found = gradcli.check(problem).files[0].checks[0]

    assert (found.verdict, found.diagnosis) == ("wrong", None)
