"""How time grows with size, over three decades and more: the exponent k of time = c * size**k."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial as bind
from typing import Any

import numpy as np

from gradcli import api
from tests.benchmarks.evaluating import compiled
from tests.benchmarks.harness import Row, growth

__all__ = ["rows"]


def rows(*, quick: bool) -> Iterator[Row]:
    """Nodes, outputs and sources of a question from its text on; the batch of a Jacobian once it is compiled."""
    for work, measure, sizes in (
        ("nodes: grad, let lines", bind(_asked, api.grad, _lets), (10, 100, 1_000, 10_000)),
        ("sources: grad of a sum of scalars", bind(_asked, api.grad, _sources), (10, 100, 1_000, 10_000)),
        ("outputs: jacobian by one number", bind(_asked, api.jacobian, _outputs), (100, 1_000, 10_000, 100_000)),
        ("batch: rows of a layer, --per-example", bind(_asked, api.per_example, _batch), (10, 100, 1_000, 10_000)),
        ("batch: gradient of a layer, compiled", _evaluated, (1_000, 10_000, 100_000, 1_000_000)),
    ):
        yield growth(f"growth with {work}", measure, sizes[:2] if quick else sizes, goal=1.1)


def _asked(ask: Callable[[dict[str, Any]], object], problem: Callable[[int], dict[str, Any]], n: int) -> float:
    return _least(bind(ask, problem(n)))


def _evaluated(n: int) -> float:
    return _least(compiled(_network(n), "grad"))


def _least(work: Callable[[], object]) -> float:
    """The least of some calls: what else the machine does only adds."""
    found: list[float] = []
    while len(found) < 3 or (sum(found) < 0.5 and len(found) < 50):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def _lets(n: int) -> dict[str, Any]:
    lets = {"h0": "sin(x) * w + x", **{f"h{k}": f"sin(h{k - 1}) * w + x" for k in range(1, n)}}
    return {"sources": {"x": 0.5, "w": 0.9}, "let": lets, "targets": {"y": f"h{n - 1}"}}


def _sources(n: int) -> dict[str, Any]:
    return {
        "sources": {f"x{k}": 0.5 for k in range(n)},
        "targets": {"y": " + ".join(f"sin(x{k})" for k in range(n))},
    }


def _outputs(n: int) -> dict[str, Any]:
    t: Sequence[float] = np.linspace(0, 1, n)
    return {"constants": {"t": t}, "sources": {"w": 0.7}, "targets": {"y": "exp(-w * t) * sin(t)"}}


def _batch(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "constants": {"W": rng.standard_normal((8, 8))},
        "sources": {"X": rng.standard_normal((n, 8))},
        "targets": {"Y": "tanh(X @ W)"},
    }


def _network(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "constants": {"X": rng.standard_normal((n, 8))},
        "sources": {"W": rng.standard_normal((8, 8))},
        "targets": {"y": "sum(tanh(X @ W))"},
    }
