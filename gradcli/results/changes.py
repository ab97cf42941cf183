"""What has changed between two files or results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Change", "ChangeKind", "Changes", "Tally"]

ChangeKind = Literal["added", "removed", "shape", "unconnected", "value", "gradient", "jacobian", "hessian"]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that two results do not have in common.

    Attributes:
        kind: what changed: an entry of an array; whether an array is unconnected, for which its largest entry stands;
            the shape of a target or source; or that there is one at all.
        name: of the target or source, or of two (`y/w`).
        label: what a person calls it: `jacobian y[0] by w[1]`, `source w`.
        index: of the entry, in the array of this name; None for what is no entry.
        old, new: the numbers, None where there is no path; or shapes, None where there is no such name.
        difference: new - old; None where it is not finite.
        relative: |new - old| / max(|old|, |new|).
    """

    kind: ChangeKind
    name: str
    label: str
    index: tuple[int, ...] | None
    old: float | tuple[int, ...] | None
    new: float | tuple[int, ...] | None
    difference: float | None = None
    relative: float | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of an array's entries changed; all of them where it is unconnected on one side."""

    label: str
    changed: int
    entries: int


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What changed between two sides.

    Attributes:
        old, new: the names of their files.
        dtype: the precision in which they were compared.
        changes: the worst first: names and shapes, then what is or was unconnected, then entries, by their difference
            beside the largest entry of their array.
        arrays: a tally for each array that both sides have.
        notes: what was not compared, and why.
    """

    old: str | None
    new: str | None
    dtype: str = "float64"
    changes: Sequence[Change] = ()
    arrays: tuple[Tally, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether there is any change."""
        return len(self.changes) > 0
