"""What a mistake is looked for in: the numbers that somebody gave, those that are right, and what they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Protocol, TypeVar

import numpy as np

from gradcli.checks.numbers import Numbers

__all__ = ["Answer", "Guess", "explained", "resembles", "tolerance", "weighted"]

Guess = tuple[str, Numbers]
"""What the author may have done (`has the wrong sign`), and the numbers that this gives."""

_RTOL = 1e-5
_ATOL = 1e-9
_CLOSER = 0.02
_FEW_DIGITS = 2e-3  # numbers with less than three digits fit too much


class Answer(Protocol):
    """One value or derivative at one point. Arrays that are not known are left out of the mappings."""

    @property
    def kind(self) -> str:
        """value, gradient, jacobian or hessian."""

    @property
    def key(self) -> tuple[str, ...]:
        """The target; the source; the target and the source; or both sources."""

    @property
    def expected(self) -> Numbers:
        """What the author gave."""

    @property
    def got(self) -> Numbers:
        """What is right."""

    @property
    def many(self) -> bool:
        """Whether there are other points."""

    @property
    def inputs(self) -> Mapping[str, Numbers]:
        """The point."""

    @property
    def targets(self) -> Mapping[str, Numbers]:
        """The values of all targets."""

    @property
    def weights(self) -> Mapping[str, Numbers]:
        """The output gradients of the targets that have some."""

    @property
    def rows(self) -> Mapping[str, Numbers]:
        """Of a gradient: by target its rows, as (outputs, *source shape)."""

    @property
    def others(self) -> Mapping[str, Numbers]:
        """The same derivative by the other sources of the same shape."""

    @property
    def summed(self) -> Sequence[int]:
        """How many entries may have been summed."""

    @property
    def lengths(self) -> Sequence[int]:
        """Other counts: of targets, of entries, along an axis."""

    def got_at(self, point: Sequence[Numbers]) -> Numbers | None:
        """What is right at another point; None where that is not known."""

    def label(self, index: tuple[int, ...]) -> str:
        """The name of an entry: `w[0,1]`."""

    def output(self, target: str, k: int) -> str:
        """The name of the k-th output of a target: `y[0]`."""

    def rtol(self, digits: int) -> str:
        """How a relative tolerance is given: `rtol: 1.0e-3`."""

    def fits(self, made: Numbers) -> bool:
        """Whether a mistake gives what was expected, and not what is right."""


A = TypeVar("A", bound=Answer)


def weighted(e: Answer, target: str) -> Numbers:
    """The rows of a target, times its output gradient."""
    rows = e.rows[target]
    weight = np.broadcast_to(e.weights.get(target, np.ones(())), e.targets[target].shape)
    return np.asarray(rows * weight.reshape(-1, *[1] * (rows.ndim - 1)))


def tolerance(expected: Numbers, *, rtol: float = 0.0, atol: float = 0.0) -> Numbers:
    """How far numbers that a person wrote may be from those that are meant: half of the last digit, at least 1e-5."""
    size = np.abs(expected)
    written = np.minimum(_half_digit(expected), _FEW_DIGITS * size)
    return np.asarray(
        np.maximum(np.maximum(max(_RTOL, rtol) * size, written), max(_ATOL * size.max(initial=0.0), atol))
    )


def resembles(made: Numbers, expected: Numbers, got: Numbers, allowed: Numbers) -> bool:
    """Whether a mistake gives what was expected, as far as is allowed, and explains most of what is off."""
    if made.shape != expected.shape or not (np.isfinite(made).all() and np.isfinite(expected).all()):
        return False
    off = np.abs(made - expected)
    if not (off <= allowed).all():
        return False
    if made.shape != got.shape:
        return True
    # what is right fits nearly as well where the author was off by little
    return bool(off.max(initial=0.0) <= _CLOSER * np.abs(got - expected).max(initial=0.0))


def explained(mistakes: Sequence[Callable[[A], Iterator[Guess]]], first: A, *others: A) -> str | None:
    """The first mistake that gives what was expected at every one of the points; None where none does."""
    with np.errstate(all="ignore"):
        for mistake in mistakes:
            for text, made in mistake(first):
                if first.fits(made) and all(_fits_too(mistake, text, e) for e in others):
                    return text
    return None


def _fits_too(mistake: Callable[[A], Iterator[Guess]], text: str, e: A) -> bool:
    return any(other == text and e.fits(made) for other, made in mistake(e))


def _half_digit(array: Numbers) -> Numbers:
    """Half a unit of the last digit that it takes to write each number."""
    exponents = [Decimal(repr(x)).normalize().as_tuple().exponent for x in array.ravel().tolist()]
    return np.array([0.5 * 10.0**k if isinstance(k, int) and k > -300 else 0.0 for k in exponents]).reshape(array.shape)
