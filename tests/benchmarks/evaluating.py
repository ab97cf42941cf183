"""What the machine computes, once a question is compiled, beside the same written by hand in NumPy."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial as bind
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.executable import Executable
from gradcli.planning import ASKS, plan_of
from gradcli.question import Question
from tests.benchmarks.harness import Row, against, in_turns, megabytes, seconds
from tests.benchmarks.peers import INSTALLED, MATRICES, Peer, alone, beside, peer_of

__all__ = ["compiled", "dense", "elementwise", "logistic", "mlp", "print_seconds", "rows"]

Array = NDArray[Any]
HAND = "by hand in NumPy"

Work = tuple[dict[str, Any], Callable[[], list[Array]], Callable[[Peer], Callable[[], object]]]
"""A problem; the same by hand; and how a peer does it."""


def compiled(problem: dict[str, Any], ask: str) -> Callable[[], list[Array]]:
    """The answer to a question of `planning.ASKS`, as often as it is called."""
    question = Question.of(problem, {})
    p = question.program
    nodes = ASKS[ask].nodes(p, question.weights)
    executable: Executable = plan_of(p, nodes, 0, question.dtype, lambda needed: None).executable
    given = list(question.problem.sources.values())
    return lambda: executable(*given)


def mlp(batch: int, widths: tuple[int, ...]) -> Work:
    """Layers with relu and the mean cross-entropy: as a problem, and by hand."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((batch, widths[0]))
    labels = np.eye(widths[-1])[rng.integers(widths[-1], size=batch)]
    weights = [rng.standard_normal((a, b)) / np.sqrt(a) for a, b in pairwise(widths)]
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

    def by(peer: Peer) -> Callable[[], object]:
        given, wanted = peer.array(x), peer.array(labels)

        def loss(*parameters: Any) -> Any:
            h = given
            for k in range(layers - 1):
                h = peer.nn.relu(h @ parameters[k] + parameters[layers + k])
            z = h @ parameters[layers - 1] + parameters[-1]
            return -peer.xp.sum(wanted * peer.nn.log_softmax(z)) / batch

        return peer.gradient(loss, [peer.array(a) for a in (*weights, *biases)])

    return problem, by_hand, by


def logistic(samples: int, features: int) -> Work:
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

    def by(peer: Peer) -> Callable[[], object]:
        given, wanted = peer.array(x), peer.array(y)

        def loss(parameters: Any) -> Any:
            z = (given @ parameters[:, None])[:, 0]
            return peer.xp.mean(peer.nn.softplus(z) - wanted * z)

        return peer.gradient(loss, [peer.array(w)])

    return problem, by_hand, by


def dense(n: int) -> Work:
    rng = np.random.default_rng(0)
    a, b, x = rng.standard_normal((n, n)) / n, rng.standard_normal(n), rng.standard_normal(n)
    problem = {"constants": {"A": a, "b": b}, "sources": {"x": x}, "targets": {"y": "tanh(A @ x + b)"}}

    def by_hand() -> list[Array]:
        y = np.tanh(a @ x + b)
        return [y, (1 - y * y)[:, None] * a]

    def by(peer: Peer) -> Callable[[], object]:
        matrix, offset = peer.array(a), peer.array(b[:, None])
        return peer.jacobian(lambda column: peer.xp.tanh(matrix @ column + offset), peer.array(x[:, None]))

    return problem, by_hand, by


def elementwise(n: int) -> Work:
    x = np.random.default_rng(0).standard_normal(n)
    problem = {"sources": {"x": x}, "targets": {"s": "sum(exp(-square(x)) * tanh(x) / (1 + square(x)))"}}

    def by_hand() -> list[Array]:
        square, tanh = x * x, np.tanh(x)
        decay, below = np.exp(-square), 1 + square
        value = decay * tanh / below
        return [value.sum(), (decay * (1 - tanh * tanh) - 2 * x * value * (below + 1)) / below]

    def by(peer: Peer) -> Callable[[], object]:
        def total(z: Any) -> Any:
            return peer.xp.sum(peer.xp.exp(-z * z) * peer.xp.tanh(z) / (1 + z * z))

        return peer.gradient(total, [peer.array(x)])

    return problem, by_hand, by


def peak(work: Callable[[], object]) -> float:
    """The most bytes that are allocated at once during a call, beyond those before it."""
    work()  # what is made once
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return float(most)


def rows(*, quick: bool) -> Iterator[Row]:
    """A network, a logistic loss, an elementwise function and a dense Jacobian: their time, and the memory of two."""
    rounds = 1 if quick else 15
    batch, widths = (8, (4, 8, 8, 3)) if quick else (1024, (256, 512, 512, 10))
    samples, features, entries, n = (50, 5, 20, 20) if quick else (200_000, 100, 1_000_000, 1000)
    network = (f"gradient: MLP {'-'.join(map(str, widths))}, batch {batch}", mlp, (batch, widths))
    regression = (f"gradient: logistic loss {samples:,} x {features}", logistic, (samples, features))
    for work, made, sizes, ask, goal in (
        (*network, "grad", 1.1),
        (*regression, "grad", 1.1),
        (f"gradient: exp, tanh and quotient of {entries:,}", elementwise, (entries,), "grad", None),
        (f"Jacobian: tanh(A @ x + b), {n:,} x {n:,}", dense, (n,), "jacobian", 2.0),
    ):
        problem, by_hand, _ = made(*sizes)
        others = beside(bind(_by_peer, made, sizes, rounds), MATRICES if ask == "grad" else INSTALLED)
        ours, hand = seconds(compiled(problem, ask)), (HAND, seconds(by_hand))
        yield against(work, ours, hand, goal=goal, rounds=rounds, others=others)
    for work, made, sizes in (network, regression):
        problem, by_hand, _ = made(*sizes)
        ours = bind(peak, compiled(problem, "grad"))
        yield against(f"memory: {work}", ours, (HAND, bind(peak, by_hand)), goal=1.3, rounds=1, show=megabytes)


def _by_peer(made: Callable[..., Work], sizes: tuple[Any, ...], rounds: int, module: str) -> float:
    """The median seconds of a framework, in a process of its own."""
    call = f"evaluating.print_seconds(evaluating.{made.__name__}(*{sizes}), {rounds}, {module!r})"
    _, printed = alone(f"from tests.benchmarks import evaluating; {call}")
    return float(printed.split()[-1])


def print_seconds(work: Work, rounds: int, module: str) -> None:
    """Prints the median seconds in which a framework does a piece of work."""
    _, _, by = work
    print(median(in_turns({module: seconds(by(peer_of(module)))}, rounds)[module]))
