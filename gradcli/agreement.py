"""Rows against gradient: the weighted sum of the rows, whether it agrees, and what the rows show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.results import Note

__all__ = ["Agreement", "compare_rows"]

Numbers = NDArray[Any]
_ULPS = 64  # |row_sum - gradient| <= 64 eps * sum |weight * row|


@dataclass(frozen=True)
class Agreement:
    """`row_sum` per source, and whether all of them agree with the gradient."""

    row_sum: dict[str, Numbers | None]
    max_abs_difference: float
    match: bool
    exact: bool
    notes: tuple[Note, ...]


def compare_rows(
    gradient: Mapping[str, Numbers | None],
    jacobian: Mapping[str, Mapping[str, Numbers | None]],
    weights: Mapping[str, Numbers],
    targets: Mapping[str, Numbers],
    dtype: np.dtype[Any],
) -> Agreement:
    """Sums the rows of each source and holds them against its gradient."""
    lost_point = any(np.isnan(value).any() for value in targets.values())
    sums: dict[str, Numbers | None] = {}
    notes: list[Note] = []
    match, exact, worst = True, True, 0.0
    for source, expected in gradient.items():
        blocks = [(rows[source], weights.get(target)) for target, rows in jacobian.items()]
        present = [(block, weight) for block, weight in blocks if block is not None]
        if expected is None or not present:
            sums[source] = None
            match = match and expected is None and not present
            continue
        with np.errstate(all="ignore"):
            terms = [_weighted(block, weight, expected.ndim) for block, weight in present]
            total = np.asarray(sum(t.sum(axis=0) for t in terms), dtype=dtype)
            size = sum(np.abs(t).sum(axis=0) for t in terms)
            undefined = _undefined(terms, lost_point)
            difference = np.abs(np.where(_same(total, expected) | undefined, 0.0, total - expected))
            fits = difference <= _ULPS * np.finfo(dtype).eps * size
            bad = ~(fits | (difference == 0))
        sums[source] = total
        match = match and not bad.any()
        exact = exact and not difference.any()
        worst = (
            max(worst, float(np.nanmax(difference, initial=0.0))) if not np.isnan(difference).any() else float("nan")
        )
        notes.extend(_notes(source, total, np.asarray(size), undefined, terms, present))
    return Agreement(sums, worst, bool(match), bool(exact), tuple(notes))


def _weighted(block: Numbers, weight: Numbers | None, rank: int) -> Numbers:
    """The rows as (outputs, *source shape), times their weights; a weight of 0 absorbs."""
    outputs = block.ndim - rank
    rows = block.reshape(math.prod(block.shape[:outputs]), *block.shape[outputs:])
    if weight is None:
        return rows
    w = weight.reshape(-1, *[1] * rank)
    return np.asarray(np.where(w == 0, np.zeros((), rows.dtype), w * rows))


def _same(a: Numbers, b: Numbers) -> Any:
    return (a == b) | (np.isnan(a) & np.isnan(b))


def _undefined(terms: list[Numbers], lost_point: bool) -> Numbers:
    """Where the sum of the rows is undefined: they hold infinities of both signs, or NaN beside infinities (0 * inf) or
    beside a target that is NaN itself (`lost_point`)."""
    lost = np.any([np.isnan(t).any(axis=0) for t in terms], axis=0)
    up = np.any([(t == np.inf).any(axis=0) for t in terms], axis=0)
    down = np.any([(t == -np.inf).any(axis=0) for t in terms], axis=0)
    return np.asarray((up & down) | (lost & (up | down | lost_point)))


def _notes(
    source: str, total: Numbers, size: Numbers, undefined: Numbers, terms: list[Numbers], present: list[Any]
) -> list[Note]:
    notes = []
    if undefined.any():
        notes.append(
            Note(
                "undefined-sum",
                f"{source}: the rows hold infinities of both signs, or NaN beside them, so their sum is undefined",
            )
        )
    if sum(len(t) for t in terms) > 1 and total.size:
        with np.errstate(all="ignore"):
            cancels = (size > 0) & np.isfinite(size) & (np.abs(total) <= 1e-9 * size)
        if cancels.any():
            where = "everywhere" if cancels.all() else f"in {int(cancels.sum())} of {cancels.size} entries"
            notes.append(Note("cancel", f"{source}: the rows cancel {where}: the gradient is 0 where the rows are not"))
    if len(present) == 1 and _diagonal(present[0][0], total):
        notes.append(Note("diagonal", f"{source}: the Jacobian is diagonal, so the sum loses nothing"))
    return notes


def _diagonal(block: Numbers, total: Numbers) -> bool:
    """Whether each output depends on its own source element alone."""
    n = total.size
    if n < 2 or block.size != n * n or block.shape != total.shape * 2:
        return False
    square = block.reshape(n, n)
    return bool(np.count_nonzero(square) == np.count_nonzero(np.diagonal(square)) and np.diagonal(square).any())
