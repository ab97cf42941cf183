"""Rows of a value computed alone: the same numbers and derivatives as those rows of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from gradcli.core.compile import compile_graph
from gradcli.core.rows import rows_of
from gradcli.derive import jacobian_nodes
from tests.op_rows import ROWS
from tests.oracle import Subject, close

CASES = {
    f"{row.name}: {example.text} {dict(example.shapes)}": (row, example) for row in ROWS for example in row.examples
}


def windows(shape: tuple[int, ...]) -> Iterator[tuple[int, int, list[int]]]:
    """Axes, sizes, and the places where a window of that size may start."""
    for axis, n in enumerate(shape):
        for width in {1, 2, n - 1} if n > 1 else ():
            if 0 < width < n:
                yield axis - len(shape), width, sorted({0, (n - width) // 2, n - width})


def check(s: Subject) -> int:
    """Value and Jacobian of every window against the same rows of the whole; how many were looked at."""
    g, looked = s.graph, 0
    wholes = [s.target, *jacobian_nodes(g, s.target, s.sources, forward=False).values()]
    expected = s.compiled(wholes)(s.point)
    for axis, width, starts in windows(s.target.shape):
        start = g.input((), "index")
        part = rows_of(g, s.target, axis, start, width, s.sources.values())
        for forward in (False, True):
            nodes = [part, *jacobian_nodes(g, part, s.sources, forward=forward).values()]
            run = compile_graph(g, [start, *s.inputs.values()], [v for v in nodes if v is not None])
            for at in starts:
                made = iter(run(np.asarray(at), *[s.point[n] for n in s.inputs]))
                cut = (slice(None),) * (axis + s.target.rank) + (slice(at, at + width),)
                for node, whole in zip(nodes, expected, strict=True):
                    found = None if node is None else next(made)
                    what = f"{s.text}: rows {at} to {at + width} along {axis}, {forward=}"
                    close(found, None if whole is None else whole[cut], what)
                    looked += 1
    g.verify()
    return looked


@pytest.mark.parametrize("key", CASES)
def test_rows_of_every_function(key: str) -> None:
    row, example = CASES[key]
    s = Subject(example.text, example.draw(row))
    assert check(s) or max(s.target.shape, default=1) < 2


RNG = np.random.default_rng(7)
A, B, C = RNG.normal(size=(5, 4)), RNG.normal(size=(3, 5)), RNG.normal(size=(3, 4, 2))
COMPOSED: dict[str, tuple[str, Mapping[str, Any]]] = {
    "a layer": ("tanh(A @ x + b)", {"A": A, "x": A[0], "b": A[:, 0]}),
    "two layers of a batch": ("tanh(softmax(X @ A) @ B.T)", {"X": C[..., 0].T @ A[:3], "A": A.T, "B": B}),
    "a product of three": ("B @ A @ x", {"A": A, "x": A[0], "B": B}),
    "a transposed product": ("(A.T @ B.T).T[1:] * 2", {"A": A, "B": B}),
    "sums and means": ("sum(C * x, axis=(0, 2)) - mean(C, axis=0)[:, 1]", {"C": C, "x": C[0]}),
    "reshaped": ("reshape(exp(C), (3, 8)) @ reshape(C, (8, 3))", {"C": C}),
    "broadcast": ("A[:, None] * B.T[:, :, None] + x", {"A": A, "B": B, "x": A[0]}),
    "pieces": ("where(A > 0, maximum(A, x), relu(A) * stop_gradient(A))", {"A": A, "x": A[0]}),
    "joined": ("concatenate([A, sin(A)], axis=1) @ concatenate([x, x * x])", {"A": A, "x": A[0]}),
    "scans": ("cumsum(A, axis=1) * cumprod(A, axis=0) + A[::-1]", {"A": A}),
    "labels": ("take(A, [0, 4, 4, 1], axis=0) * sparse_softmax_cross_entropy([0, 3, 1, 1], A[:4])[:, None]", {"A": A}),
    "solved": ("solve(A.T @ A + eye(4), x)", {"A": A, "x": A[0]}),
    "a stack of matrices": ("det(einsum('bij,bik->bjk', C, C)) * max(C, axis=(1, 2))", {"C": C}),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_rows_of_compositions(name: str) -> None:
    text, point = COMPOSED[name]
    assert check(Subject(text, point)) > 0


def test_rows_by_an_intermediate() -> None:
    """The rows are picked from a let name that is a source, not from what it is made of."""
    s = Subject("sin(h) * x", {"x": A[0]}, lets={"h": "x * x"}, sources=["h", "x"])
    assert check(s) > 0


def test_zeros_of_a_constant_absorb_in_rows() -> None:
    """0 * inf is 0 where the zero stands in a constant, also in a part of it that is picked when the program runs."""
    s = Subject("(2 * K) @ sqrt(x) + K * 3 @ sqrt(x)", {"x": [0.0, 1.0]}, {"K": [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]})
    (whole,) = s.numbers(jacobian_nodes(s.graph, s.target, s.sources, forward=False)).values()
    assert whole.tolist() == [[0, 2.5], [np.inf, 0], [0, 0]]
    assert check(s) > 0


@pytest.mark.parametrize("text", ["tanh(A @ x + b)", "relu((A @ x)[:, None] @ x[None, :2])", "logsumexp(A * x, 1)"])
def test_rows_cost_rows(text: str) -> None:
    """Nothing with all the rows is computed for two of them, nor for their Jacobian by x."""
    s = Subject(text, {"A": A, "x": A[0], "b": A[:, 0]}, sources=["x"])
    g = s.graph
    part = rows_of(g, s.target, -s.target.rank, g.input((), "index"), 2, s.sources.values())
    (rows,) = jacobian_nodes(g, part, s.sources, forward=False).values()

    made = [g.values[i] for i in g.ancestors([part, rows]) if g.definitions[i] is not None]

    assert part.shape == (2, *s.target.shape[1:])
    assert [v for v in made if 5 in v.shape] == []
