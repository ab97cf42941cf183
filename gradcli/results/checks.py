"""What checks have found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradcli.errors import Fault

__all__ = ["Check", "Checked", "CheckedFile", "Difference", "Verdict"]

Verdict = Literal["equal", "wrong", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The entry in which two values differ most: its label (`w[0,1]`), what was expected, and what there is; None where
    there is no path."""

    entry: str
    expected: float | None
    got: float | None


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check and its verdict.

    Attributes:
        name: what was checked: `gradient w`, `jacobian y/w`, `differences`.
        verdict: wrong only where it is certain; inconclusive where rounding or a kink leaves it open.
        digits: to how many significant digits both agree in the worst entry, at most 16; None where nothing was
            compared.
        max_abs_difference, max_rel_difference: over all entries; None where nothing was compared.
        detail: what the verdict rests on (`proved`, `12 points`, `order 2.00`), or why it is inconclusive.
        worst: where the two differ most, if the check is wrong.
        counterexample: a simple point where a formula is wrong: `x1 = 1, x2 = 0`.
        diagnosis: the usual mistake that explains the difference, as a sentence.
        line: the line of the file that it is about.
    """

    name: str
    verdict: Verdict
    digits: float | None = None
    max_abs_difference: float | None = None
    max_rel_difference: float | None = None
    detail: str | None = None
    worst: Difference | None = None
    counterexample: str | None = None
    diagnosis: str | None = None
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class CheckedFile:
    """The checks of one file, in order: its expectations, then the independent methods.

    `faults` is what made the file unreadable; then there are no checks, and it has not passed.
    """

    file: str | None
    title: str | None = None
    checks: tuple[Check, ...] = ()
    faults: tuple[Fault, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the file could be read and nothing in it is wrong; what is inconclusive passes."""
        return not self.faults and all(check.verdict != "wrong" for check in self.checks)


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a check found, by file.

    `not_checked` is how many files are left out because one before them has not passed (`fail_fast`).
    """

    files: tuple[CheckedFile, ...]
    not_checked: int = 0

    @property
    def passed(self) -> bool:
        """Whether every file that was checked has passed."""
        return all(file.passed for file in self.files)
