"""Mistakes about the sum over outputs: a row for the sum and the sum for a row, a mean, other targets, weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.checks.diagnosis.evidence import Evidence, Guess
from gradcli.checks.subject import Numbers
from gradcli.core.families import Reduction
from gradcli.core.ops.shape import Sum
from gradcli.core.shapes import entry_text, size
from gradcli.derive import gradient_nodes, jacobian_nodes

__all__ = ["means", "other_means", "other_rows", "other_targets", "rows_and_sums", "weights"]

_MOST_SHOWN_ROWS = 1000


def rows_and_sums(e: Evidence) -> Iterator[Guess]:
    """A row where the sum was asked for, and the other way round."""
    if e.claim.kind == "gradient":
        yield from _rows_for_sum(e)
    elif e.claim.kind == "jacobian":
        yield from _sum_for_rows(e)
    elif e.claim.kind == "hessian":
        yield from _diagonal_only(e)
        yield f"is the gradient of {e.claim.key[0]}", _gradient(e, e.claim.key[0])
    elif e.got.ndim:
        yield "is the sum of its entries", np.asarray(e.got.sum())
        yield "is the mean of its entries", np.asarray(e.got.mean())


def _rows_for_sum(e: Evidence) -> Iterator[Guess]:
    p = e.claim.subject.program
    if sum(size(t.shape) for t in p.targets.values()) < 2:
        if e.got.ndim:
            yield "is summed over its entries: the gradient has an entry for each", np.asarray(e.got.sum())
        return
    for name, rows in e.rows.items():
        shape = p.targets[name].shape
        if shape:
            yield f"is the Jacobian of {name}: the gradient is the sum of its rows", rows.reshape(shape + e.got.shape)
            for k in range(min(len(rows), _MOST_SHOWN_ROWS)):
                index = entry_text(tuple(np.unravel_index(k, shape)))
                whole = "weighted sum" if name in e.claim.subject.weights else "sum"
                yield f"is the row of {name}{index} alone, not the {whole} of all rows", rows[k]
    if e.got.ndim:
        yield "is summed over its entries: the gradient has an entry for each", np.asarray(e.got.sum())


def _sum_for_rows(e: Evidence) -> Iterator[Guess]:
    shape = e.target_shape
    if not shape:
        return
    total = e.got.sum(axis=tuple(range(len(shape))))
    yield "is the sum of its rows, which is the gradient", total
    yield "has the sum of all rows in every row", np.broadcast_to(total, e.got.shape)
    count = size(shape)
    yield (
        f"has the mean of all rows in every row: the sum divided by {count}",
        np.broadcast_to(total / count, e.got.shape),
    )
    rows = e.got.reshape(count, *e.got.shape[len(shape) :])
    for k in range(min(count, _MOST_SHOWN_ROWS)):
        index = entry_text(tuple(np.unravel_index(k, shape)))
        yield f"is the row of {e.claim.key[0]}{index} alone", rows[k]
    yield from _diagonal_only(e)


def _diagonal_only(e: Evidence) -> Iterator[Guess]:
    """Only the derivatives of each output by its own entry."""
    diagonal = _diagonal(e.got)
    if diagonal.shape == e.got.shape:
        half = e.got.shape[: e.got.ndim // 2]
        n = size(half)
        yield "has only its diagonal: the mixed terms are missing", diagonal
        yield "is only the diagonal", np.diag(diagonal.reshape(n, n)).reshape(half)


def _diagonal(block: Numbers) -> Numbers:
    half = block.ndim // 2
    if block.ndim % 2 or block.shape[:half] != block.shape[half:] or not half:
        return np.full((0,), np.nan)
    n = size(block.shape[:half])
    return np.asarray(np.diag(np.diag(block.reshape(n, n)))).reshape(block.shape)


def _gradient(e: Evidence, name: str) -> Numbers:
    node = e.claim.subject.gradient[name]
    return np.full((0,), np.nan) if node is None else e.run([node])[0]


def other_rows(e: Evidence) -> Iterator[Guess]:
    """The rows of a Jacobian in another order."""
    if e.claim.kind != "jacobian" or not e.target_shape or e.got.shape != e.expected.shape:
        return
    count = size(e.target_shape)
    if not 2 <= count <= _MOST_SHOWN_ROWS:
        return
    got, given = e.got.reshape(count, -1), e.expected.reshape(count, -1)
    places = [int(np.argmin(np.abs(got - row).max(axis=1))) for row in given]
    moved = next((k for k, place in enumerate(places) if place != k and not np.allclose(got[k], got[place])), None)
    if moved is None:
        return
    name = e.claim.key[0]
    here, there = (entry_text(tuple(np.unravel_index(k, e.target_shape))) for k in (moved, places[moved]))
    yield (
        f"has rows of other outputs: the row of {name}{here} is that of {name}{there}",
        got[places].reshape(e.got.shape),
    )


def other_targets(e: Evidence) -> Iterator[Guess]:
    """Of several targets only one, or another one."""
    p, claim = e.claim.subject.program, e.claim
    if len(p.targets) < 2:
        return
    if claim.kind == "gradient":
        for name, rows in e.rows.items():
            terms = rows * e.weight(name)
            yield f"is that of target {name} alone, not of all targets", terms.sum(axis=0)
        for name, rows in e.rows.items():
            part = (rows * e.weight(name)).sum(axis=0)
            yield f"leaves target {name} out", e.got - part
            yield f"has the wrong sign for target {name}", e.got - 2 * part
    elif claim.kind == "jacobian":
        for name, target in p.targets.items():
            if name != claim.key[0]:
                source = claim.key[1]
                node = jacobian_nodes(p.graph, target, {source: claim.source}, forward=False)[source]
                if node is not None:
                    yield f"is that of another target, {name}", e.run([node])[0]
    elif claim.kind == "value":
        for name, value in e.targets.items():
            if name != claim.key[0]:
                yield f"is that of another target, {name}", value


def weights(e: Evidence) -> Iterator[Guess]:
    """Output gradients left out, or put in where they do not belong."""
    subject, claim = e.claim.subject, e.claim
    if not subject.weights:
        return
    p = subject.program
    if claim.kind == "gradient":
        node = gradient_nodes(p.graph, p.targets, p.sources, {})[claim.key[0]]
        if node is not None:
            yield "leaves the output gradients (weights) out", e.run([node])[0]
    elif claim.kind == "jacobian" and claim.key[0] in subject.weights:
        w = np.broadcast_to(subject.weights[claim.key[0]], e.target_shape)
        weighted = w.reshape(w.shape + (1,) * (e.got.ndim - w.ndim)) * e.got
        yield "has the output gradients (weights) in it: the rows are unweighted", weighted


def means(e: Evidence) -> Iterator[Guess]:
    """Divided by a number of outputs or of entries that the file sums, or multiplied by it."""
    yield from _means(e, _summed_counts(e))


def other_means(e: Evidence) -> Iterator[Guess]:
    """The same for numbers of entries that nothing sums over."""
    yield from _means(e, _other_counts(e))


def _means(e: Evidence, counts: Iterator[int]) -> Iterator[Guess]:
    what = "that" if e.claim.kind != "value" else "the value"
    for n in counts:
        yield f"is {what} of the mean: it was divided by {n}", e.got / n
        yield f"is {what} of the sum: it was multiplied by {n}", e.got * n


def _summed_counts(e: Evidence) -> Iterator[int]:
    """How many outputs the author may have summed, and how many entries the file sums in one step."""
    p, claim = e.claim.subject.program, e.claim
    own = {claim.key[0]: p.targets[claim.key[0]]} if claim.kind in ("value", "jacobian") else p.targets
    found = [size(v.shape) for v in own.values()]
    found.append(sum(found))
    for i in p.graph.ancestors(own.values()):
        node = p.graph.definitions[i]
        if node is not None and i < p.size and isinstance(node.op, Sum | Reduction):
            found.append(_summed(size(node.args[0].shape), size(p.graph.values[i].shape)))
    yield from dict.fromkeys(n for n in found if n > 1)


def _other_counts(e: Evidence) -> Iterator[int]:
    """How many targets there are, and the sizes of sources and constants."""
    p = e.claim.subject.program
    found = [len(p.targets)] if e.claim.kind == "gradient" else []
    found += [n for v in p.sources.values() for n in (size(v.shape), *v.shape)]
    found += [n for data in e.claim.subject.problem.constants.values() for n in data.shape[:1]]
    yield from dict.fromkeys(n for n in found if n > 1)


def _summed(before: int, after: int) -> int:
    """How many entries of the operand make one of the value."""
    return before // after if after and before % after == 0 else 1
