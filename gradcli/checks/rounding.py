"""How much rounding there is in numbers: they are computed again with every step moved in its last digit.

Monte Carlo arithmetic (D. Stott Parker, 1997) sees what no bound from the result alone can: (1e16 + x) - 1e16 is off by
2, whatever its value is. It also moves the point, so that a derivative that changes at a kink within rounding shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.checks.numbers import Numbers
from gradcli.core.compile import compile_graph
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value

__all__ = ["rounding"]

_RUNS = 6
_SAFETY = 4.0
_EPS = float(np.finfo(np.float64).eps)


def rounding(
    g: Graph, inputs: Sequence[Value], outputs: Sequence[Value], point: Sequence[Numbers], *, seed: int = 0
) -> list[Numbers]:
    """For each output an estimate of the rounding errors in it, entry by entry; inf where rounding makes it infinite or
    NaN, or the other way round."""
    random = np.random.default_rng(seed)

    def moved(a: Any, mixes: bool) -> Any:
        by = _EPS * random.uniform(-1, 1, np.shape(a))
        if mixes and np.size(a):
            return a + by * np.where(a == 0, 0.0, np.abs(a).max(axis=(-2, -1), keepdims=True))
        return a * (1 + by)

    exact = compile_graph(g, inputs, outputs)(*point)
    run = compile_graph(g, inputs, outputs, each=moved)
    spread = [np.zeros(v.shape) for v in outputs]
    for _ in range(_RUNS):
        with np.errstate(all="ignore"):
            for k, (a, b) in enumerate(zip(run(*point), exact, strict=True)):
                same = (a == b) | (np.isnan(a) & np.isnan(b))
                d = np.where(same, 0.0, np.abs(np.asarray(a) - b))
                spread[k] = np.maximum(spread[k], np.where(np.isnan(d), np.inf, d))
    return [_SAFETY * s for s in spread]
