"""Reverse mode along each direction against forward mode: every row where there is room, else the gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gradcli.checks.directions import Direction, Directions
from gradcli.checks.judge import ROUNDOFF, Pair, compare
from gradcli.checks.subject import Numbers, Subject
from gradcli.results import Check

__all__ = ["NAME", "run"]

NAME = "forward mode"


def run(subject: Subject, directions: Directions) -> Check:
    """The rows, or the gradient, times each direction against the targets' tangents."""
    chosen = list(directions)
    tangents = [directions.tangents(d) for d in chosen]
    if subject.rows is not None:
        return _by_row(subject, directions, chosen, tangents)
    terms = [subject.weighted(t) for t in tangents]
    products = [subject.along(d.by_source) for d in chosen]
    with np.errstate(all="ignore"):
        size = np.array([np.abs(t).sum() + np.abs(p).sum() for t, p in zip(terms, products, strict=True)])
        pair = Pair(
            lambda index: chosen[index[0]].label,
            np.array([t.sum() for t in terms]),
            np.array([p.sum() for p in products]),
            np.where(np.isfinite(size), ROUNDOFF * size, 0.0),
            computed=True,
            scale=np.where(np.isfinite(size), size, 0.0),
        )

    def rounding() -> list[Numbers]:
        own = subject.rounding_of_gradient
        forward = [float(np.abs(subject.weighted(directions.rounding(d))).sum()) for d in chosen]
        return [np.array([f + _times(own, d) for f, d in zip(forward, chosen, strict=True)])]

    return compare(NAME, [pair], rounding)


def _times(spread: dict[str, Numbers], d: Direction) -> float:
    """Rounding errors times a direction."""
    return sum(float((spread[name][v != 0] * np.abs(v[v != 0])).sum()) for name, v in d.by_source.items())


def _by_row(
    subject: Subject, directions: Directions, chosen: Sequence[Direction], tangents: Sequence[Sequence[Numbers]]
) -> Check:
    """Every output along every direction."""
    label = subject.output_label
    pairs = []
    for d, found in zip(chosen, tangents, strict=True):
        terms = _rows_along(subject.rows or {}, d, subject.outputs)
        forward = np.concatenate([np.ravel(t) for t in found])
        with np.errstate(all="ignore"):
            size = np.abs(terms).sum(axis=1) + np.abs(forward)
            tolerance = np.where(np.isfinite(size), ROUNDOFF * size, 0.0)
            scale = tolerance / ROUNDOFF
            pairs.append(Pair(_label(label, d), forward, terms.sum(axis=1), tolerance, computed=True, scale=scale))

    def rounding() -> list[Numbers]:
        spread = subject.rounding_of_rows
        return [
            np.abs(_rows_along(spread, d, subject.outputs)).sum(axis=1)
            + np.concatenate([np.ravel(n) for n in directions.rounding(d)])
            for d in chosen
        ]

    return compare(NAME, pairs, rounding)


def _label(output: Callable[[int], str], d: Direction) -> Callable[[tuple[int, ...]], str]:
    return lambda index: f"{output(index[0])} by {d.label}"


def _rows_along(rows: dict[str, Numbers], d: Direction, outputs: int) -> Numbers:
    """The rows times a direction, as (outputs, terms); what does not move counts nothing."""
    with np.errstate(all="ignore"):
        parts = [
            np.where(np.ravel(v) == 0, 0.0, rows[name].reshape(outputs, v.size) * np.ravel(v))
            for name, v in d.by_source.items()
            if name in rows
        ]
    return np.concatenate(parts, axis=1) if parts else np.zeros((outputs, 0))
