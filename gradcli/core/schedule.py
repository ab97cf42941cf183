"""The order of the assignments, so that large values die early."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradcli.core.graph import Graph
from gradcli.core.nodes import Literal, Value
from gradcli.core.shapes import size

__all__ = ["LARGE", "scheduled"]

LARGE = 8192  # entries; below, memory is cheap


def scheduled(g: Graph, needed: Sequence[int], given: Iterable[Value] = ()) -> Sequence[int]:
    """`needed`, ascending, in an order to compute them in; what is `given` is not computed, and keeps its place.

    A condition on a large value that nothing else needs any more (whether a kink was met, where a branch was taken) is
    computed as soon as it can be: it takes an eighth of the memory of the value, which then may die.
    """
    conditions = [i for i in needed if g.values[i].kind == "bool" and _is_large(g.values[i])]
    if not conditions:
        return needed
    there = {v.index for v in given}
    last = g.last_uses([i for i in needed if g.values[i].kind != "bool"])
    anchors: dict[int, int] = {}
    behind: dict[int, list[int]] = {}
    for i in conditions:
        definition = None if i in there else g.definitions[i]
        args = [] if definition is None else [a for a in definition.args if not isinstance(a, Literal)]
        if any(a.index in anchors or (_is_made(g, a) and last.get(a.index, -1) < i) for a in args):
            anchor = anchors[i] = max(anchors.get(a.index, a.index) for a in args)
            behind.setdefault(anchor, []).append(i)
    return [k for i in needed if i not in anchors for k in (i, *behind.get(i, ()))]


def _is_made(g: Graph, v: Value) -> bool:
    return _is_large(v) and g.definitions[v.index] is not None


def _is_large(v: Value) -> bool:
    return bool(v.shape) and size(v.shape) >= LARGE
