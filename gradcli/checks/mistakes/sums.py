"""Mistakes about the sum over outputs: a row for the sum and the sum for a row, rows of other outputs, a mean."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from gradcli.checks.mistakes.answer import Answer, Guess

__all__ = ["means", "other_means", "other_rows", "rows_and_sums"]

_MOST_SHOWN_ROWS = 1000


def rows_and_sums(e: Answer) -> Iterator[Guess]:
    """A row where the sum was asked for, and the other way round."""
    if e.kind == "gradient":
        yield from _rows_for_sum(e)
    elif e.kind == "jacobian":
        yield from _sum_for_rows(e)
    elif e.kind == "hessian":
        yield from _diagonal_only(e)
    elif e.got.ndim:
        yield "is the sum of its entries", np.asarray(e.got.sum())
        yield "is the mean of its entries", np.asarray(e.got.mean())


def _rows_for_sum(e: Answer) -> Iterator[Guess]:
    if sum(y.size for y in e.targets.values()) >= 2:
        for name, rows in e.rows.items():
            shape = e.targets[name].shape
            if not shape:
                continue
            yield f"is the Jacobian of {name}: the gradient is the sum of its rows", rows.reshape(shape + e.got.shape)
            whole = "weighted sum" if name in e.weights else "sum"
            for k in range(min(len(rows), _MOST_SHOWN_ROWS)):
                yield f"is the row of {e.output(name, k)} alone, not the {whole} of all rows", rows[k]
    if e.got.ndim:
        yield "is summed over its entries: the gradient has an entry for each", np.asarray(e.got.sum())


def _sum_for_rows(e: Answer) -> Iterator[Guess]:
    name = e.key[0]
    shape = e.targets[name].shape
    if not shape:
        return
    total = e.got.sum(axis=tuple(range(len(shape))))
    yield "is the sum of its rows, which is the gradient", total
    yield "has the sum of all rows in every row", np.broadcast_to(total, e.got.shape)
    count = math.prod(shape)
    yield (
        f"has the mean of all rows in every row: the sum divided by {count}",
        np.broadcast_to(total / count, e.got.shape),
    )
    rows = e.got.reshape(count, *e.got.shape[len(shape) :])
    for k in range(min(count, _MOST_SHOWN_ROWS)):
        yield f"is the row of {e.output(name, k)} alone", rows[k]
    yield from _diagonal_only(e)


def _diagonal_only(e: Answer) -> Iterator[Guess]:
    """Only the derivatives of each output by its own entry."""
    half = e.got.shape[: e.got.ndim // 2]
    if half and half + half == e.got.shape:
        n = math.prod(half)
        diagonal = np.diag(e.got.reshape(n, n))
        yield "has only its diagonal: the mixed terms are missing", np.diag(diagonal).reshape(e.got.shape)
        yield "is only the diagonal", diagonal.reshape(half)


def other_rows(e: Answer) -> Iterator[Guess]:
    """The rows of a Jacobian in another order."""
    if e.kind != "jacobian" or not e.targets[e.key[0]].shape or e.got.shape != e.expected.shape:
        return
    name = e.key[0]
    count = e.targets[name].size
    if not 2 <= count <= _MOST_SHOWN_ROWS:
        return
    got, given = e.got.reshape(count, -1), e.expected.reshape(count, -1)
    places = [int(np.argmin(np.abs(got - row).max(axis=1))) for row in given]
    moved = next((k for k, place in enumerate(places) if place != k and not np.allclose(got[k], got[place])), None)
    if moved is None:
        return
    yield (
        f"has rows of other outputs: the row of {e.output(name, moved)} is that of {e.output(name, places[moved])}",
        got[places].reshape(e.got.shape),
    )


def means(e: Answer) -> Iterator[Guess]:
    """Divided by a number of outputs or of entries that are summed, or multiplied by it."""
    yield from _means(e, e.summed)


def other_means(e: Answer) -> Iterator[Guess]:
    """The same for numbers of entries that nothing sums over."""
    yield from _means(e, e.lengths)


def _means(e: Answer, counts: Sequence[int]) -> Iterator[Guess]:
    what = "that" if e.kind != "value" else "the value"
    for n in counts:
        yield f"is {what} of the mean: it was divided by {n}", e.got / n
        yield f"is {what} of the sum: it was multiplied by {n}", e.got * n
