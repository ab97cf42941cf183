"""What a check has found, in words; every format of checks says the same."""

from __future__ import annotations

from collections.abc import Callable

from gradcli.report.numbers import digits
from gradcli.results import Check, Difference

__all__ = ["diagnosis", "number", "sentences"]


def diagnosis(check: Check) -> str | None:
    """All that there is to say beside the verdict, with numbers to the last digit; None for nothing."""
    return "; ".join(sentences(check, _exactly)) or None


def sentences(check: Check, difference: Callable[[Difference], str]) -> list[str]:
    """Where it is wrong, why, and a simple point where it is wrong, too; else what the verdict rests on."""
    found = []
    if check.verdict == "wrong":
        found = [
            check.worst and difference(check.worst),
            check.diagnosis,
            check.counterexample and f"already wrong at {check.counterexample}",
        ]
    return [text for text in found if text] or [text for text in [check.detail] if text]


def number(value: float | None, precision: int = 17) -> str:
    """A number, or `none` where there is no derivative."""
    return "none" if value is None else digits(value, precision)


def _exactly(found: Difference) -> str:
    return f"at {found.entry}: expected {number(found.expected)}, got {number(found.got)}"
