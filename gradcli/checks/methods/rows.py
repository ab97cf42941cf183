"""The rows by reverse mode, weighted and summed, against the gradient; where there are too many, in parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gradcli.agreement import Agreement, compare_rows
from gradcli.checks.directions import Directions
from gradcli.checks.judge import ROUNDOFF, Pair, compare, named
from gradcli.checks.subject import Numbers, Subject
from gradcli.core.nodes import Value
from gradcli.derive import gradient_nodes
from gradcli.results import Check

__all__ = ["NAME", "run"]

NAME = "rows"
_PARTS = 4


def run(subject: Subject, directions: Directions) -> Check:
    """By the rule of `compare`, and where that fails by how much rounding there is."""
    if subject.rows is None:
        return _in_parts(subject)
    gradient = subject.gradient_numbers
    found = _summed(subject, subject.rows)
    undefined = next((n.message for n in found.notes if n.kind == "undefined-sum"), None)
    if undefined is not None:
        return Check(name=NAME, verdict="inconclusive", detail=undefined)

    def rounding() -> list[Numbers]:
        sums = _summed(subject, subject.rounding_of_rows).row_sum
        return [subject.rounding_of_gradient[n] + np.abs(_zeros(sums[n], g)) for n, g in gradient.items()]

    tolerance = np.inf if found.match else 0.0
    sizes = _summed(subject, {name: np.abs(rows) for name, rows in subject.rows.items()}).row_sum
    pairs = [
        Pair(named(n), _zeros(found.row_sum[n], g), g, tolerance, computed=True, scale=np.abs(_zeros(sizes[n], g)))
        for n, g in gradient.items()
    ]
    return compare(NAME, pairs, rounding)


def _summed(subject: Subject, rows: Mapping[str, Numbers]) -> Agreement:
    """The rows of all targets as those of one."""
    ones = [np.ones(v.shape) for v in subject.targets]
    weights, values = subject.weighted(ones), subject.flat(subject.run(subject.targets))
    block: dict[str, Numbers | None] = {name: rows.get(name) for name in subject.sources}
    return compare_rows(subject.gradient_numbers, {"": block}, {"": weights}, {"": values}, np.dtype(np.float64))


def _zeros(array: Numbers | None, like: Numbers) -> Numbers:
    return np.zeros(like.shape) if array is None else array


def _in_parts(subject: Subject) -> Check:
    """The outputs dealt out at random: the gradients of the parts add up to that of the whole."""
    p, random = subject.program, subject.random()
    dealt = {name: random.integers(_PARTS, size=t.shape) for name, t in p.targets.items()}
    nodes: list[list[Value]] = [[] for _ in subject.sources]
    for k in range(_PARTS):
        weights = {
            n: np.where(dealt[n] == k, np.broadcast_to(subject.weights.get(n, np.ones(())), t.shape), 0.0)
            for n, t in p.targets.items()
        }
        found = gradient_nodes(p.graph, p.targets, subject.sources, weights)
        for own, v in zip(nodes, found.values(), strict=True):
            own.extend([] if v is None else [v])
    pairs = []
    for (name, g), own in zip(subject.gradient_numbers.items(), nodes, strict=True):
        parts = subject.run(own)
        with np.errstate(all="ignore"):
            size = np.asarray(sum(np.abs(part) for part in parts))
            tolerance = np.where(np.isfinite(size), ROUNDOFF * size, 0.0)
            pairs.append(Pair(named(name), np.asarray(sum(parts)), g, tolerance, computed=True))

    def rounding() -> list[Numbers]:
        mine = subject.rounding_of_gradient
        return [np.asarray(mine[n] + sum(subject.rounding(own))) for n, own in zip(mine, nodes, strict=True)]

    found_ = compare(NAME, pairs, rounding)
    return replace(found_, detail=found_.detail or f"{subject.outputs:,} rows, in {_PARTS} parts")
