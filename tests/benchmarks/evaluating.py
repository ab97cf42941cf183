"""What the machine computes, once a question is compiled, beside the same written by hand in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.executable import Executable
from gradcli.planning import ASKS, plan_of
from gradcli.question import Question
from tests.benchmarks.harness import Row, against, seconds

__all__ = ["compiled", "logistic", "mlp", "rows"]

Array = NDArray[Any]


def compiled(problem: dict[str, Any], ask: str) -> Callable[[], list[Array]]:
    """The answer to a question of `planning.ASKS`, as often as it is called."""
    question = Question.of(problem, {})
    p = question.program
    nodes = ASKS[ask].nodes(p, question.weights)
    executable: Executable = plan_of(p, nodes, 0, question.dtype, lambda needed: None).executable
    given = list(question.problem.sources.values())
    return lambda: executable(*given)


def mlp(batch: int, widths: tuple[int, ...]) -> tuple[dict[str, Any], Callable[[], list[Array]]]:
    """Layers with relu and the mean cross-entropy: as a problem, and by hand."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((batch, widths[0]))
    labels = np.eye(widths[-1])[rng.integers(widths[-1], size=batch)]
    weights = [rng.standard_normal((a, b)) / np.sqrt(a) for a, b in zip(widths[:-1], widths[1:], strict=True)]
    biases = [rng.standard_normal(b) for b in widths[1:]]
    layers = len(weights)
    lets = {f"h{k + 1}": f"relu(h{k} @ w{k} + b{k})" for k in range(layers - 1)}
    lets["logits"] = f"h{layers - 1} @ w{layers - 1} + b{layers - 1}"
    problem = {
        "constants": {"h0": x, "labels": labels},
        "sources": {f"w{k}": w for k, w in enumerate(weights)} | {f"b{k}": b for k, b in enumerate(biases)},
        "let": lets,
        "targets": {"loss": "-mean(sum(labels * log_softmax(logits), axis=1))"},
    }

    def by_hand() -> list[Array]:
        values = [x]
        for w, b in zip(weights[:-1], biases[:-1], strict=True):
            values.append(np.maximum(values[-1] @ w + b, 0))
        logits = values[-1] @ weights[-1] + biases[-1]
        shifted = logits - logits.max(axis=1, keepdims=True)
        exps = np.exp(shifted)
        sums = exps.sum(axis=1, keepdims=True)
        loss = -(labels * (shifted - np.log(sums))).sum() / batch
        back = (exps / sums - labels) / batch
        by_w, by_b = [], []
        for k in reversed(range(layers)):
            by_w.append(values[k].T @ back)
            by_b.append(back.sum(axis=0))
            if k:
                back = (back @ weights[k].T) * (values[k] > 0)
        return [loss, *by_w, *by_b]

    return problem, by_hand


def logistic(samples: int, features: int) -> tuple[dict[str, Any], Callable[[], list[Array]]]:
    """The mean logistic loss of labels 0 and 1: as a problem, and by hand."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((samples, features)), rng.standard_normal(features)
    y = (rng.random(samples) < 0.5).astype(float)
    problem = {
        "constants": {"X": x, "y": y},
        "sources": {"w": w},
        "let": {"z": "X @ w"},
        "targets": {"loss": "mean(softplus(z) - y * z)"},
    }

    def by_hand() -> list[Array]:
        z = x @ w
        decay = np.exp(-np.abs(z))
        loss = (np.maximum(z, 0) + np.log1p(decay) - y * z).mean()
        sigmoid = np.where(z >= 0, 1, decay) / (1 + decay)
        return [loss, x.T @ ((sigmoid - y) / samples)]

    return problem, by_hand


def _dense(n: int) -> tuple[dict[str, Any], Callable[[], list[Array]]]:
    rng = np.random.default_rng(0)
    a, b, x = rng.standard_normal((n, n)) / n, rng.standard_normal(n), rng.standard_normal(n)
    problem = {"constants": {"A": a, "b": b}, "sources": {"x": x}, "targets": {"y": "tanh(A @ x + b)"}}

    def by_hand() -> list[Array]:
        y = np.tanh(a @ x + b)
        return [y, (1 - y * y)[:, None] * a]

    return problem, by_hand


def rows(*, quick: bool) -> Iterator[Row]:
    """A network, a logistic loss and a dense Jacobian."""
    rounds = 1 if quick else 15
    network = (8, (4, 8, 8, 3)) if quick else (1024, (256, 512, 512, 10))
    samples, features, n = (50, 5, 20) if quick else (200_000, 100, 1000)
    for work, (problem, by_hand), ask, goal in (
        (f"gradient: MLP {'-'.join(map(str, network[1]))}, batch {network[0]}", mlp(*network), "grad", 1.1),
        (f"gradient: logistic loss {samples:,} x {features}", logistic(samples, features), "grad", 1.1),
        (f"Jacobian: tanh(A @ x + b), {n} x {n}", _dense(n), "jacobian", 2.0),
    ):
        ours = compiled(problem, ask)
        yield against(work, seconds(ours), ("by hand in NumPy", seconds(by_hand)), goal=goal, rounds=rounds)
