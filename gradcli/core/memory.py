"""How many bytes a program needs, from the shapes alone, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

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
    needed = scheduled(g, g.ancestors(outputs, held))
    stays = {v.index for v in held}
    kept = {v.index for v in outputs} | stays
    dies: dict[int, list[int]] = {}
    for index, user in g.last_uses(needed).items():
        if index not in kept and not isinstance(g.values[index], Literal):
            dies.setdefault(user, []).append(index)
    cost: dict[int, int] = {}
    live = peak = sum([_bytes(g, i, itemsize, held=True) for i in stays])
    for i in needed:
        if i in stays or isinstance(g.values[i], Literal):
            continue
        cost[i] = _bytes(g, i, itemsize)
        live += cost[i]
        peak = max(peak, live)
        if i in dies:
            live -= sum([cost[k] for k in dies[i]])
    return max(peak, sum(size(v.shape) * itemsize for v in outputs))


def _bytes(g: Graph, i: int, itemsize: int, *, held: bool = False) -> int:
    """A view that is held keeps what it is a view of, but for one that only repeats."""
    definition, value = g.definitions[i], g.values[i]
    if definition is not None and definition.op.name in (_REPEATS if held else _VIEWS):
        return 0
    return (size(value.shape) if value.shape else 1) * (1 if value.kind == "bool" else itemsize)
