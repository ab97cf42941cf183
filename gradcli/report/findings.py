"""What a check has found, in words; every format of checks says the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from gradcli.errors import Fault, Place
from gradcli.report.numbers import PRECISION, clean, digits
from gradcli.report.page import with_line
from gradcli.results import Check, CheckedFile, Difference

__all__ = ["called", "count", "diagnosis", "difference", "faults", "gap", "number", "sentences", "unreadable", "where"]


def diagnosis(check: Check) -> str | None:
    """All that there is to say beside the verdict, with numbers to the last digit; None for nothing."""
    return "; ".join(sentences(check, _exactly)) or None


def sentences(check: Check, worst: Callable[[Difference], str]) -> list[str]:
    """Where it is wrong, why, and a simple point where it is wrong, too; else what the verdict rests on."""
    found = []
    if check.verdict == "wrong":
        found = [
            check.worst and worst(check.worst),
            check.diagnosis,
            check.counterexample and f"already wrong at {check.counterexample}",
        ]
    return [text for text in found if text] or [text for text in [check.detail] if text]


def number(value: float | None, precision: int = 17) -> str:
    """A number, or `none` where there is no derivative."""
    return "none" if value is None else digits(value, precision)


def difference(found: Difference, precision: int | None = None) -> str:
    """With the usual digits, or as many more as it takes to tell the numbers apart."""
    precision = precision or PRECISION
    while precision < 17 and number(found.expected, precision) == number(found.got, precision):
        precision += 1
    text = f"at {found.entry}: expected {number(found.expected, precision)}, got {number(found.got, precision)}"
    apart = gap(found)
    return text if apart is None else f"{text}, difference {apart}"


def gap(found: Difference) -> str | None:
    """How far the two are apart; None where that is no number."""
    if found.expected is None or found.got is None:
        return None
    apart = abs(found.expected - found.got)
    return digits(apart, 2) if math.isfinite(apart) else None


def _exactly(found: Difference) -> str:
    return f"at {found.entry}: expected {number(found.expected)}, got {number(found.got)}"


# -- files -----------------------------------------------------------------------------------------------------------


def called(file: CheckedFile) -> str:
    """The name of a file."""
    return clean(file.file) if file.file else "(no file)"


def where(file: CheckedFile, check: Check) -> str:
    """The place of a check: `loss.yaml:14`."""
    return f"{called(file)}:{check.line}" if check.line else called(file)


def faults(file: CheckedFile) -> list[Fault]:
    """Why a file cannot be checked; each says which file it is about, as it may stand among those of others."""
    return [_placed(fault, file.file) for fault in file.faults]


def _placed(fault: Fault, name: str | None) -> Fault:
    place = fault.place or Place()
    return fault if place.file else replace(fault, place=replace(place, file=name))


def unreadable(file: CheckedFile) -> str:
    """The first fault of a file, and how many more there are."""
    first, more = file.faults[0], len(file.faults) - 1
    text = with_line(clean(first.message), first.place.line if first.place else None)
    return text + (f", and {count(more, 'more error')}" if more else "")


def count(n: int, word: str) -> str:
    """`no files`, `1 file`, `2 files`."""
    return f"{n or 'no'} {word}{'s' * (n != 1)}"
