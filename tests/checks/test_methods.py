"""The independent methods, tested with wrong rules: each must be called wrong, and no right one at a hard point."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.checks.directions import Directions
from gradcli.checks.methods import METHODS
from gradcli.checks.subject import Subject
from gradcli.document.problem import load
from gradcli.results import Check
from tests.core.test_oracle import PARTIALS, RULES, op_of
from tests.core.test_oracle import subject as example
from tests.oracle import generator

Patch = pytest.MonkeyPatch


def checks_of(targets: Any, **sources: Any) -> dict[str, Check]:
    """What all methods say of an expression at a point."""
    subject = Subject.of(load({"sources": sources, "targets": targets}))
    # other weights than 1, so that no row is lost in a sum that cancels
    subject.weights["y"] = generator("weights").uniform(0.5, 2.0, subject.targets[0].shape)
    directions = Directions(subject)
    return {check.name: check for check in (method(subject, directions) for method in METHODS.values())}


def verdicts(targets: Any, **sources: Any) -> dict[str, str]:
    return {name: check.verdict for name, check in checks_of(targets, **sources).items()}


@pytest.mark.parametrize(("text", "name", "wrong", "shapes", "expected"), PARTIALS)
def test_wrong_partials_are_called_wrong(
    monkeypatch: Patch, text: str, name: str, wrong: Any, shapes: dict[str, tuple[int, ...]], expected: set[str]
) -> None:
    point = example(text, **shapes).point
    assert set(verdicts(text, **point).values()) == {"equal"}
    op = op_of(text, name, **shapes)
    monkeypatch.setattr(op, "partial", wrong(op.partial))  # type: ignore[attr-defined]

    found = verdicts(text, **point)

    assert "wrong" in found.values(), found


# no answer takes forward mode twice, so a JVP whose own derivative is wrong changes nothing
USED = [row for row in RULES if not (row[2] == "jvp" and row[5] == {"second order"})]


@pytest.mark.parametrize(("text", "name", "mode", "wrong", "shapes", "expected"), USED)
def test_wrong_rules_are_called_wrong(
    monkeypatch: Patch,
    text: str,
    name: str,
    mode: str,
    wrong: Any,
    shapes: dict[str, tuple[int, ...]],
    expected: set[str],
) -> None:
    point = example(text, **shapes).point
    assert set(verdicts(text, **point).values()) == {"equal"}
    op = op_of(text, name, **shapes)
    monkeypatch.setattr(op, mode, wrong(getattr(op, mode)))

    found = verdicts(text, **point)

    assert "wrong" in found.values(), found
