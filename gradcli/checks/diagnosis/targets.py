"""Mistakes about what a file differentiates: the gradient for the Hessian, one of several targets, output gradients."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.checks.diagnosis.evidence import Evidence
from gradcli.checks.mistakes.answer import Guess, weighted
from gradcli.derive import jacobian_nodes

__all__ = ["gradient_for_hessian", "other_targets", "weights"]


def gradient_for_hessian(e: Evidence) -> Iterator[Guess]:
    """The first derivative where the second was asked for."""
    node = e.claim.subject.gradient[e.key[0]] if e.kind == "hessian" else None
    if node is not None:
        yield f"is the gradient of {e.key[0]}", e.run([node])[0]


def other_targets(e: Evidence) -> Iterator[Guess]:
    """Of several targets only one, or another one."""
    p = e.claim.subject.program
    if len(p.targets) < 2:
        return
    if e.kind == "gradient":
        for name in e.rows:
            yield f"is that of target {name} alone, not of all targets", weighted(e, name).sum(axis=0)
        for name in e.rows:
            part = weighted(e, name).sum(axis=0)
            yield f"leaves target {name} out", e.got - part
            yield f"has the wrong sign for target {name}", e.got - 2 * part
    elif e.kind == "jacobian":
        target, source = e.key
        for name in [name for name in p.targets if name != target]:
            node = jacobian_nodes(p.graph, p.targets[name], {source: e.claim.source}, forward=False)[source]
            if node is not None:
                yield f"is that of another target, {name}", e.run([node])[0]
    elif e.kind == "value":
        for name, value in e.targets.items():
            if name != e.key[0]:
                yield f"is that of another target, {name}", value


def weights(e: Evidence) -> Iterator[Guess]:
    """Output gradients left out, or put in where they do not belong."""
    if e.kind == "gradient" and e.weights:
        node = e.claim.unweighted()[e.key[0]]
        if node is not None:
            yield "leaves the output gradients (weights) out", e.run([node])[0]
    elif e.kind == "jacobian" and e.key[0] in e.weights:
        w = np.broadcast_to(e.weights[e.key[0]], e.targets[e.key[0]].shape)
        made = w.reshape(w.shape + (1,) * (e.got.ndim - w.ndim)) * e.got
        yield "has the output gradients (weights) in it: the rows are unweighted", made
