"""The questions in terms of the graph: seeds, modes, and the nodes that answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.differentiate import jvp, vjp
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.shape import broadcast_to, transpose
from gradcli.core.shapes import Shape, size
from gradcli.core.tangents import ZERO, Tangent, Zero, add_tangents, dense, identity_seed, plain

__all__ = ["gradient_nodes", "gradient_seeds", "hessian_nodes", "jacobian_nodes", "rows_forward"]

# A node for each answer; None where there is no path from the source.
Answer = Value | None


def _seed(g: Graph, target: Value, weight: NDArray[Any] | None) -> Tangent | Zero:
    """The cotangent of a target: its output gradient. A weight of 0 is a structural zero."""
    if weight is None:
        return plain(g.literal(1.0), target.shape)
    if not weight.any():
        return ZERO
    if weight.ndim == 0 or (weight == weight.flat[0]).all():
        return plain(g.literal(float(weight.flat[0])), target.shape)
    mask = None if weight.all() else g.constant(np.asarray(weight != 0), kind="bool")
    return plain(g.constant(weight), target.shape, mask)


def gradient_seeds(
    g: Graph, targets: Mapping[str, Value], weights: Mapping[str, NDArray[Any]]
) -> dict[Value, Tangent | Zero]:
    """Seeds by node: targets that are the same node add up."""
    seeds: dict[Value, Tangent | Zero] = {}
    for name, target in targets.items():
        new = _seed(g, target, weights.get(name))
        old = seeds.get(target, ZERO)
        if isinstance(old, Tangent) and isinstance(new, Tangent):
            new = add_tangents(g, old, new, keep_mask=True)
        seeds[target] = old if isinstance(new, Zero) else new
    return seeds


def _zeros(g: Graph, shape: Shape) -> Value:
    return broadcast_to(g, g.literal(0.0), shape)


def gradient_nodes(
    g: Graph, targets: Mapping[str, Value], sources: Mapping[str, Value], weights: Mapping[str, NDArray[Any]]
) -> dict[str, Answer]:
    """d(sum of weight * target) / d source, in the source's shape: one vjp for all."""
    found = vjp(g, gradient_seeds(g, targets, weights), sources.values())
    return {name: _dense(g, found[s], s.shape) for name, s in sources.items()}


def _dense(g: Graph, t: Tangent | Zero | None, shape: Shape) -> Answer:
    if t is None:
        return None
    return _zeros(g, shape) if isinstance(t, Zero) else dense(g, t)


def rows_forward(target: Value, sources: Sequence[Value]) -> bool:
    """Whether forward mode has fewer rows: one per source element instead of one per output element."""
    return sum(size(s.shape) for s in sources) < size(target.shape)


def jacobian_nodes(g: Graph, target: Value, sources: Mapping[str, Value], *, forward: bool) -> dict[str, Answer]:
    """d target / d source of shape target.shape + source.shape, by the mode that was asked for."""
    if not forward:
        found = vjp(g, {target: identity_seed(g, target.shape)}, sources.values())
        return {name: _dense(g, found[s], target.shape + s.shape) for name, s in sources.items()}
    return {name: _column_block(g, target, s) for name, s in sources.items()}


def _column_block(g: Graph, target: Value, source: Value) -> Answer:
    """One block by forward mode, with the source's axes moved behind the target's."""
    found = jvp(g, {source: identity_seed(g, source.shape)}, [target])[target]
    return _block(g, found, target.shape, source.shape)


def _block(g: Graph, found: Tangent | Zero | None, of: Shape, by: Shape) -> Answer:
    """A tangent with dims `by` of a value of shape `of`, as an array of shape of + by."""
    if not isinstance(found, Tangent):
        return _dense(g, found, of + by)
    n, m = len(by), len(of)
    return transpose(g, dense(g, found), (*range(n, n + m), *range(n)))


def hessian_nodes(
    g: Graph, targets: Mapping[str, Value], sources: Mapping[str, Value], weights: Mapping[str, NDArray[Any]]
) -> dict[tuple[str, str], Answer]:
    """The second derivatives of the weighted sum: forward mode over the gradient graph, each pair of sources once.

    Of a pair, the gradient by the later value is differentiated by the earlier one: where one is computed from the
    other (a let name as a source), that is the derivative that exists.
    """
    gradients = gradient_nodes(g, targets, sources, weights)
    order = sorted(sources, key=lambda name: sources[name].index)
    blocks: dict[tuple[str, str], Answer] = {}
    for k, b in enumerate(order):
        later = {a: node for a in order[k:] if (node := gradients[a]) is not None}
        seeds = {sources[b]: identity_seed(g, sources[b].shape)}
        found = jvp(g, seeds, later.values()) if gradients[b] is not None else {}
        for a in order[k:]:
            blocks[a, b] = None
            if gradients[b] is not None and a in later:
                blocks[a, b] = _block(g, found[later[a]] or ZERO, sources[a].shape, sources[b].shape)
            blocks[b, a] = blocks[a, b] if a == b else _swapped(g, blocks[a, b], len(sources[a].shape))
    return blocks


def _swapped(g: Graph, block: Answer, n: int) -> Answer:
    """A block of shape a + b as one of shape b + a; `n` is the rank of a."""
    if block is None:
        return None
    return transpose(g, block, (*range(n, block.rank), *range(n)))
