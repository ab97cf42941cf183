"""Kinks and domains: conditions on the point that a reader should hear of, computed along with the answer.

Only functions that the user wrote are watched, only where a derivative passes through them, and not in entries that a
`where` does not take.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gradcli.core.differentiate import reached
from gradcli.core.elementwise import ELEMENTWISE, Elementwise
from gradcli.core.families import Watch
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.plan import Sight
from gradcli.program import Program
from gradcli.reasons import spot_of

__all__ = ["Watched", "watched"]


@dataclass(frozen=True, slots=True)
class Watched:
    """A watched condition, where it matters, with the piece of the user's text that it is about."""

    watch: Watch
    condition: Value
    origin: Any

    def sight(self, output: int) -> Sight:
        """As a part of a plan whose output is the condition."""
        return Sight(self.watch.kind, self.watch.text, self.watch.sides, spot_of(self.origin), output)


def watched(program: Program) -> list[Watched]:
    """The conditions to compute with the answer."""
    g = program.graph
    needed = g.ancestors(program.targets.values())
    if not any(node is not None and node.op.watches for node in [g.definitions[i] for i in needed]):
        return []
    flags = reached(g, program.sources.values(), needed[-1])
    live = _liveness(g, program.targets.values(), needed)
    found = []
    for i in needed:
        node, origin = g.definitions[i], g.places.get(i)
        if node is None or origin is None or not flags[i] or i not in live:
            continue
        for watch in node.op.watch(g, node, g.values[i]):
            condition = watch.condition if live[i] is None else _and(g, watch.condition, live[i])
            found.append(Watched(watch, condition, origin))
    return found


def _and(g: Graph, a: Value, b: Value | None) -> Value:
    return a if b is None else ELEMENTWISE["logical_and"](g, a, b)


def _liveness(g: Graph, targets: Iterable[Value], needed: Sequence[int]) -> dict[int, Value | None]:
    """For each value that something differentiable is computed from: where it is (None: everywhere)."""
    live: dict[int, Value | None] = {t.index: None for t in targets}
    for i in reversed(needed):
        node = g.definitions[i]
        if node is None or i not in live:
            continue
        for k, a in enumerate(node.args):
            if not node.op.differentiable(node, k):
                continue
            here = live[i]
            if node.op.name == "where" and k > 0:
                gate = node.args[0] if k == 1 else ELEMENTWISE["logical_not"](g, node.args[0])
                here = _and(g, gate, here)
            if not isinstance(node.op, Elementwise) or a.shape != g.values[i].shape:
                here = None
            if a.index in live and here is not None and live[a.index] is not None:
                live[a.index] = ELEMENTWISE["logical_or"](g, live[a.index], here)  # type: ignore[arg-type]
            elif a.index in live or here is None:
                live[a.index] = None
            else:
                live[a.index] = here
    return live
