"""The numeric cases from the forums and trackers of other tools, with their right values: none is called wrong."""

from __future__ import annotations

import pytest

from tests.checks.evidence import Entry, entries

ENTRIES = entries("cases.json")


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_nothing_is_wrong(entry: Entry) -> None:
    assert [check for check in entry.checks.values() if check.verdict == "wrong"] == []
    assert entry.checked.passed
    assert all(check.detail for check in entry.checks.values() if check.verdict == "inconclusive")
