"""Mistakes about the sum over outputs: a row for the sum and the sum for a row, rows of other outputs, a mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from gradcli.checks.mistakes.answer import Answer, Guess

__all__ = ["means", "other_rows", "rows_for_sum", "sum_for_rows"]

_MOST_SHOWN_ROWS = 1000


def rows_for_sum(e: Answer) -> Iterator[Guess]:
    """Of a gradient: a row where the sum was asked for."""
    if sum(y.size for y in e.targets.values()) < 2:
        if e.got.ndim:
            yield "is summed over its entries: the gradient has an entry for each", np.asarray(e.got.sum())
        return
    for name, rows in e.rows.items():
        shape = e.targets[name].shape
        if shape:
            yield f"is the Jacobian of {name}: the gradient is the sum of its rows", rows.reshape(shape + e.got.shape)
            for k in range(min(len(rows), _MOST_SHOWN_ROWS)):
                yield f"is the row of {e.output(name, k)} alone, not the sum of all rows", rows[k]
    if e.got.ndim:
        yield "is summed over its entries: the gradient has an entry for each", np.asarray(e.got.sum())


def sum_for_rows(e: Answer) -> Iterator[Guess]:
    """Of a Jacobian: the sum, or one of the rows, where all were asked for."""
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
        yield (
            f"has the row of {e.output(name, k)} in every row",
            np.broadcast_to(rows[k], (count, *rows[k].shape)).reshape(e.got.shape),
        )


def other_rows(e: Answer) -> Iterator[Guess]:
    """The rows of a Jacobian in another order."""
    if e.kind != "jacobian" or e.got.shape != e.expected.shape:
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


def means(e: Answer, counts: Iterable[int]) -> Iterator[Guess]:
    """Divided by a number of entries, or multiplied by it: the mean for the sum and the sum for the mean."""
    what = "that" if e.kind != "value" else "the value"
    for n in counts:
        yield f"is {what} of the mean: it was divided by {n}", e.got / n
        yield f"is {what} of the sum: it was multiplied by {n}", e.got * n
