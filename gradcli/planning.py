"""A question -> its plan: the nodes that answer it, compiled, with all that a reader may have to hear of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from gradcli.core.compile import compile_graph
from gradcli.core.memory import peak_bytes
from gradcli.core.nodes import Value
from gradcli.core.shapes import Shape, size
from gradcli.derive import gradient_nodes, hessian_nodes, jacobian_nodes, rows_forward
from gradcli.plan import Key, Plan
from gradcli.program import Program
from gradcli.reasons import unconnected
from gradcli.watch import watched

__all__ = ["ASKS", "Ask", "Nodes", "Weights", "plan_of"]

Nodes = dict[Key, Value | None]
Weights = Mapping[str, np.ndarray]

# compare takes its rows from the other mode than the gradient unless that needs far more work.
_FORWARD_ROWS = 4096
_FORWARD_FACTOR = 16


@dataclass(frozen=True, slots=True)
class Ask:
    """One question.

    Attributes:
        nodes: what answers it.
        shapes: of a large answer, which may be refused before it is built.
        of: what the first of two names in a key is one of.
    """

    nodes: Callable[[Program, Weights], Nodes]
    shapes: Callable[[Program], list[Shape]]
    of: Callable[[Program], Mapping[str, Value]] = lambda p: p.targets


def plan_of(
    p: Program, nodes: Mapping[Key, Value | None], result_bytes: int, dtype: str, refuse: Callable[[int], None]
) -> Plan:
    """The plan for nodes by (source,), (target, source) or a pair of sources; `refuse` is asked with the bytes that it
    will need before anything is compiled."""
    found = watched(p)
    asked = [*p.targets.values(), *p.sources.values(), *nodes.values(), *[w.condition for w in found]]
    outputs = list(dict.fromkeys(v for v in asked if v is not None))
    places = {v: k for k, v in enumerate(outputs)}
    itemsize = np.dtype(dtype).itemsize
    needed = peak_bytes(p.graph, outputs, itemsize)
    refuse(needed)
    reached = {key[-1] for key, v in nodes.items() if v is not None}
    return Plan(
        executable=compile_graph(p.graph, list(p.inputs.values()), outputs, dtype),
        answer={key: None if v is None else places[v] for key, v in nodes.items()},
        targets={name: places[v] for name, v in p.targets.items()},
        sources={name: places[v] for name, v in p.sources.items()},
        cuts=tuple(
            unconnected(p.graph, name, source, p.targets.values(), p.frozen)
            for name, source in p.sources.items()
            if name not in reached
        ),
        sights=tuple(w.sight(places[w.condition]) for w in found),
        result_bytes=result_bytes,
        peak_bytes=needed,
    )


# -- the questions -----------------------------------------------------------------------------------------------------


def _gradient(p: Program, weights: Weights) -> Nodes:
    return {(name,): v for name, v in gradient_nodes(p.graph, p.targets, p.sources, weights).items()}


def _rows(p: Program, forward: Callable[[Value], bool]) -> Nodes:
    """All rows; `forward(target)` chooses the mode."""
    found: Nodes = {}
    for name, target in p.targets.items():
        blocks = jacobian_nodes(p.graph, target, p.sources, forward=forward(target))
        found.update({(name, source): v for source, v in blocks.items()})
    return found


def _jacobian(p: Program, weights: Weights) -> Nodes:
    return _rows(p, lambda target: rows_forward(target, list(p.sources.values())))


def _compare(p: Program, weights: Weights) -> Nodes:
    inputs = sum(size(s.shape) for s in p.sources.values())
    rows = _rows(p, lambda target: inputs <= max(_FORWARD_ROWS, _FORWARD_FACTOR * size(target.shape)))
    return {**rows, **_gradient(p, weights)}


def _compare_backwards(p: Program, weights: Weights) -> Nodes:
    return {**_rows(p, lambda target: False), **_gradient(p, weights)}


def _hessian(p: Program, weights: Weights) -> Nodes:
    return dict(hessian_nodes(p.graph, p.targets, p.sources, weights).items())


def _row_shapes(p: Program) -> list[Shape]:
    return [t.shape + s.shape for t in p.targets.values() for s in p.sources.values()]


def _pair_shapes(p: Program) -> list[Shape]:
    return [a.shape + b.shape for a in p.sources.values() for b in p.sources.values()]


ASKS = {
    "grad": Ask(_gradient, lambda p: []),
    "jacobian": Ask(_jacobian, _row_shapes),
    "compare": Ask(_compare, _row_shapes),
    "compare, rows backwards": Ask(_compare_backwards, _row_shapes),
    "hessian": Ask(_hessian, _pair_shapes, lambda p: p.sources),
}
"""By name; `compare` computes its rows by the other mode than the gradient, where sizes allow it."""
