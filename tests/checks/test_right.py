"""Right derivatives at hard points are not called wrong, and at well-behaved points they are called equal."""

from __future__ import annotations

import pytest

from tests.checks.evidence import Entry, entries

ENTRIES = entries("right.yaml")


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_nothing_is_wrong(entry: Entry) -> None:
    allowed = {"equal"} if entry.sure else {"equal", "inconclusive"}
    assert [check for check in entry.checks.values() if check.verdict not in allowed] == []
    assert entry.checked.passed


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_what_is_open_says_why(entry: Entry) -> None:
    assert all(check.detail for check in entry.checks.values() if check.verdict == "inconclusive")


def test_there_are_enough() -> None:
    assert len(ENTRIES) >= 64
    assert sum(entry.sure for entry in ENTRIES) >= 48
