"""How many bytes a program needs, from the shapes alone, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import sub

from gradcli.core.graph import Graph
from gradcli.core.nodes import Literal, Value
from gradcli.core.schedule import scheduled
from gradcli.core.shapes import size

__all__ = ["peak_bytes"]

# Their values are views of their operands.
_VIEWS = {"broadcast_to", "reshape", "transpose", "slice", "identity", "named", "window"}
_REPEATS = {"broadcast_to"}


def peak_bytes(g: Graph, outputs: Sequence[Value], itemsize: int, held: Sequence[Value] = ()) -> int:
    """The most bytes that are alive at once when values are freed after their last use.

    Views count nothing, but what is given back is counted whole. What is `held` was computed before, and stays.
    """
    needed = scheduled(g, g.ancestors(outputs, held), held)
    stays = {v.index for v in held}
    kept = {v.index for v in outputs} | stays
    before = sum([_bytes(g, i, itemsize, held=True) for i in stays])
    cost = [0 if i in stays or isinstance(g.values[i], Literal) else _bytes(g, i, itemsize) for i in needed]
    at = dict(zip(needed, range(len(needed)), strict=True))
    freed = [0] * (len(needed) + 1)
    for index, user in g.last_uses(needed).items():
        if index not in kept and user not in stays:
            freed[at[user] + 1] += cost[at[index]]
    live: Iterator[int] = accumulate(map(sub, cost, freed), initial=before)
    return max(*live, sum(size(v.shape) * itemsize for v in outputs))


def _bytes(g: Graph, i: int, itemsize: int, *, held: bool = False) -> int:
    """A view that is held keeps what it is a view of, but for one that only repeats."""
    definition, value = g.definitions[i], g.values[i]
    if definition is not None and definition.op.name in (_REPEATS if held else _VIEWS):
        return 0
    return (size(value.shape) if value.shape else 1) * (1 if value.kind == "bool" else itemsize)
