"""Mistakes in the numbers as such: signs, factors, transposes, the order of entries, something else given."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.checks.mistakes.answer import Answer, Guess

_ROUNDED = 5e-3

__all__ = ["any_factor", "exchanged", "order", "plain_factors", "rounded", "sign", "some_signs", "transpose", "values"]


def sign(e: Answer) -> Iterator[Guess]:
    """The negative."""
    yield "has the wrong sign everywhere", -e.got


def rounded(e: Answer) -> Iterator[Guess]:
    """The right numbers with few digits: every entry is near."""
    if e.got.shape == e.expected.shape and np.isfinite(e.got).all() and e.got.size:
        off = np.abs(e.expected - e.got)
        near = float(np.where(e.got != 0, off / np.abs(e.got), np.where(off > 0, np.inf, 0.0)).max())
        if 0 < near < _ROUNDED:
            digits = int(-np.log10(near))
            hint = f"if they were rounded, give {e.rtol(digits) if digits else 'an rtol'}"
            yield f"has {_count(digits, 'right digit')}: {hint}", e.expected


def _count(n: int, word: str) -> str:
    return f"{n} {word}{'' if n == 1 else 's'}"


def some_signs(e: Answer) -> Iterator[Guess]:
    """The sizes are right, and not all of the signs."""
    if e.got.shape != e.expected.shape or e.got.ndim == 0:
        return
    flipped = (np.sign(e.got) == -np.sign(e.expected)) & (e.got != 0)
    if flipped.any() and not flipped.all():
        index = tuple(int(k) for k in np.argwhere(flipped)[0])
        count = int(flipped.sum())
        where = f"at {e.label(index)}" + (f" and {count - 1} more entries" if count > 1 else "")
        yield f"has the wrong sign {where}", np.where(flipped, -e.got, e.got)


def transpose(e: Answer) -> Iterator[Guess]:
    """Of a matrix, or of the axes that belong together."""
    n = e.got.ndim
    if n < 2:
        return
    yield "is transposed", e.got.T
    if e.kind == "jacobian":
        m = e.targets[e.key[0]].ndim
        axes = range(n)
        yield (
            "has the axes of the source before those of the target: transpose it",
            e.got.transpose(*axes[m:], *axes[:m]),
        )
        if n - m >= 2:
            yield "has the axes of the source transposed", e.got.transpose(*axes[:m], *axes[m:][::-1])
        if m >= 2:
            yield "has the axes of the target transposed", e.got.transpose(*axes[:m][::-1], *axes[m:])


def plain_factors(e: Answer) -> Iterator[Guess]:
    """Small factors, with the right sign and with the wrong one."""
    for c in (2, 3, 4):
        yield f"was multiplied by {c}", c * e.got
        yield f"was divided by {c}", e.got / c
        yield f"has the wrong sign and was multiplied by {c}", -c * e.got
        yield f"has the wrong sign and was divided by {c}", e.got / -c


def any_factor(e: Answer) -> Iterator[Guess]:
    """One factor for all entries, where there are entries or points enough to tell."""
    known = (e.got != 0) & np.isfinite(e.got) if e.got.shape == e.expected.shape else np.zeros(0, dtype=bool)
    if known.sum() < 2 and not (e.many and known.any()):
        return
    c = float(np.median(e.expected[known] / e.got[known]))
    if c != 0:
        yield f"was multiplied by {c:.6g} everywhere", c * e.got


def exchanged(e: Answer) -> Iterator[Guess]:
    """The derivative by another source."""
    for name, made in e.others.items():
        yield f"is that by {name}: the two were exchanged", made


def values(e: Answer) -> Iterator[Guess]:
    """The value of the target, the point, or nothing in place of the derivative."""
    if e.kind == "value":
        return
    for name, value in e.targets.items():
        yield f"is the value of {name}", value
    for name, x in e.inputs.items():
        yield f"is the value of {name}", x
    yield "is 0, as if nothing depended on it", np.zeros(e.got.shape)


def order(e: Answer) -> Iterator[Guess]:
    """The right entries in the wrong places."""
    if e.got.size < 3 or e.got.shape != e.expected.shape:
        return
    by_size = np.empty(e.got.size)
    by_size[np.argsort(e.expected, axis=None, kind="stable")] = np.sort(e.got, axis=None)
    yield "has the right entries in another order", by_size.reshape(e.got.shape)
    for axis in range(e.got.ndim):
        for by in (1, -1):
            moved = np.roll(e.got, by, axis)
            moved[(slice(None),) * axis + (0 if by > 0 else -1,)] = 0
            yield "is off by one: the entries stand one place too far", moved
