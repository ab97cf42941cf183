"""The Jacobian of independent rows: for each example the block of its own output by its own input.

TensorFlow's batch_jacobian, but rows that are coupled are an error instead of a wrong number.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from gradcli.core.differentiate import vjp
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.shape import broadcast_to, transpose
from gradcli.core.tangents import Tangent, Zero, dense, full, identity_seed, unlink
from gradcli.errors import Fault, InputError
from gradcli.question import Options, Question, Source
from gradcli.results import PerExample

__all__ = ["per_example"]

Numbers = NDArray[Any]


def per_example(problem: Source, **options: Unpack[Options]) -> PerExample:
    """For each target and source an array of shape target.shape + source.shape[1:]: the blocks of equal leading index.

    Raises:
        InputError: also where a leading size differs, or where one example's output depends on another's input.
    """
    q = Question.of(problem, options)
    p = q.program
    _check_sizes(q)
    nodes: dict[tuple[str, ...], Value | None] = {}
    whole: set[tuple[str, ...]] = set()
    for name, target in p.targets.items():
        found = vjp(p.graph, {target: identity_seed(p.graph, target.shape)}, p.sources.values())
        for source, s in p.sources.items():
            nodes[name, source], apart = _blocks(p.graph, found[s], target, s)
            if not apart:
                whole.add((name, source))
    answer = q.run(nodes, q.refuse_large(v.shape for v in nodes.values() if v is not None))
    blocks = {key: _diagonal_blocks(key, answer[key], p.targets[key[0]].rank) for key in whole}
    rows = {
        name: {
            source: blocks[key]
            if (key := (name, source)) in whole
            else answer.filled(answer[key], t.shape + s.shape[1:])
            for source, s in p.sources.items()
        }
        for name, t in p.targets.items()
    }
    return PerExample(jacobian=rows, **answer.common())


def _check_sizes(q: Question) -> None:
    faults = []
    for name, target in q.program.targets.items():
        for source, s in q.program.sources.items():
            if not target.rank or not s.rank or target.shape[0] != s.shape[0]:
                faults.append(
                    Fault(
                        "shape",
                        f"--per-example needs one row of '{source}' {s.shape} for each row of '{name}' {target.shape}",
                        "choose targets with -t and sources with -s that share their leading size",
                        q.problem.places.get(("targets", name)),
                    )
                )
    if faults:
        raise InputError(*faults)


def _blocks(g: Graph, t: Tangent | Zero | None, target: Value, source: Value) -> tuple[Value | None, bool]:
    """The blocks, and True; or where the graph does not keep the examples apart the whole Jacobian, and False."""
    if t is None:
        return None, True
    if isinstance(t, Zero):
        return broadcast_to(g, g.literal(0.0), target.shape + source.shape[1:]), True
    if t.links[0] != 0:
        return dense(g, t), False
    t = unlink(g, t, range(-source.rank + 1, 0), keep_mask=False)
    rest = target.rank - 1  # the storage is (target axes but the first, examples, source axes but the first)
    order = (rest, *range(rest), *range(rest + 1, rest + source.rank))
    return transpose(g, full(g, t), order), True


def _diagonal_blocks(key: tuple[str, ...], array: Numbers | None, rank: int) -> Numbers | None:
    """The blocks of equal leading index of a whole Jacobian whose other blocks are all 0."""
    if array is None:
        return None
    moved = np.moveaxis(array, rank, 1)
    n = len(moved)
    touched = (moved != 0).reshape(n, n, -1).any(axis=2)
    crossed = np.argwhere(touched & ~np.eye(n, dtype=bool))
    if len(crossed):
        i, j = crossed[0]
        raise InputError(
            Fault(
                "coupled",
                f"the rows are coupled: {key[0]}[{i}] depends on {key[1]}[{j}]",
                "without --per-example the Jacobian shows all blocks",
            )
        )
    return np.asarray(moved[np.arange(n), np.arange(n)])
