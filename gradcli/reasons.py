"""Why a source is unconnected: from the graph alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradcli.core.differentiate import reached
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.plan import Cut, Spot

__all__ = ["line_of", "spot_of", "unconnected"]


def line_of(origin: Any) -> int | None:
    """The line of the file that a node comes from."""
    place = origin.place() if origin is not None else None
    return place.line if place is not None and place.file is not None else None


def spot_of(origin: Any) -> Spot:
    """The piece of an expression that a node comes from."""
    return Spot(origin.expression.text.owner, *origin.expression.span(origin.node))


def unconnected(g: Graph, name: str, source: Value, targets: Iterable[Value], frozen: list[tuple[Value, Any]]) -> Cut:
    """Why no derivative leads from the source to the targets, and where the path ends."""
    reason, origin = _reason(g, source, targets, frozen)
    return Cut(name, reason, None if origin is None else spot_of(origin))


def _reason(g: Graph, source: Value, targets: Iterable[Value], frozen: list[tuple[Value, Any]]) -> tuple[str, Any]:
    needed = g.ancestors(targets)
    top = needed[-1] if needed else -1
    flags = reached(g, [source], max(top, source.index))
    for i in needed:
        node = g.definitions[i]
        if node is None or flags[i]:
            continue
        for k, a in enumerate(node.args):
            if flags[a.index] and not node.op.differentiable(node, k):
                return _cut(node.op.name, {a.kind, node.op.kind}), g.places.get(i)
            if flags[a.index] and g.values[i].kind == "bool":
                return "used only in a condition", g.places.get(i)
    for value, origin in frozen:
        if flags[value.index] if value.index < len(flags) else reached(g, [source], value.index)[value.index]:
            return "used only as an index", origin
    return "not used", None


def _cut(name: str, kinds: set[str]) -> str:
    if name == "stop_gradient":
        return "cut by stop_gradient"
    return "used only in a condition" if "bool" in kinds else f"used only in {name}"
