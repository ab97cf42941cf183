"""What a mistake is looked for in: the numbers that somebody gave, those that are right, and what they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np

from gradcli.checks.numbers import Numbers

__all__ = ["Answer", "Guess", "explained", "resembles"]

Guess = tuple[str, Numbers]
"""What the author may have done (`has the wrong sign`), and the numbers that this gives."""

_CLOSER = 0.02


class Answer(Protocol):
    """One value or derivative at one point. Arrays that are not known are left out of the mappings."""

    @property
    def kind(self) -> str:
        """value, gradient, jacobian or hessian."""

    @property
    def key(self) -> tuple[str, ...]:
        """The target, the source, the target and the source, or both sources."""

    @property
    def expected(self) -> Numbers:
        """What the author gave."""

    @property
    def got(self) -> Numbers:
        """What is right."""

    @property
    def inputs(self) -> Mapping[str, Numbers]:
        """The point."""

    @property
    def targets(self) -> Mapping[str, Numbers]:
        """The values of all targets."""

    @property
    def rows(self) -> Mapping[str, Numbers]:
        """Of a gradient: by target its rows, as (outputs, *source shape)."""

    @property
    def others(self) -> Mapping[str, Numbers]:
        """The same derivative by the other sources of the same shape."""

    def weight(self, target: str) -> Numbers:
        """Of a gradient: what the rows of a target are multiplied by before they are summed."""

    def got_at(self, point: Sequence[Numbers]) -> Numbers | None:
        """What is right at another point; None where that is not known."""

    def label(self, index: tuple[int, ...]) -> str:
        """The name of an entry: `w[0,1]`."""

    def output(self, target: str, k: int) -> str:
        """The name of the k-th output of a target: `y[0]`."""

    def fits(self, made: Numbers) -> bool:
        """Whether a mistake gives what was expected, and not what is right."""


A = TypeVar("A", bound=Answer)


def resembles(made: Numbers, expected: Numbers, got: Numbers, *, rtol: float, atol: float) -> bool:
    """Whether a mistake gives what was expected within the tolerances, and explains most of what is off."""
    if made.shape != expected.shape or not np.isfinite(made).all():
        return False
    if not np.allclose(expected, made, rtol=rtol, atol=atol):
        return False
    if made.shape != got.shape:
        return True
    # what is right fits nearly as well where the author was off by little
    with np.errstate(all="ignore"):
        return bool(np.abs(made - expected).max() <= _CLOSER * np.abs(got - expected).max())


def explained(mistakes: Sequence[Callable[[A], Iterator[Guess]]], first: A, *others: A) -> str | None:
    """The first mistake that gives what was expected at every one of the points; None where none does."""
    for mistake in mistakes:
        for text, made in mistake(first):
            if first.fits(made) and all(_fits_too(mistake, text, e) for e in others):
                return text
    return None


def _fits_too(mistake: Callable[[A], Iterator[Guess]], text: str, e: A) -> bool:
    return any(other == text and e.fits(made) for other, made in mistake(e))
