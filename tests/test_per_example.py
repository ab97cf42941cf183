"""--per-example: the blocks of equal leading index, and an error where rows are coupled."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli
from gradcli.api import per_example
from gradcli.core.differentiate import vjp
from gradcli.core.shapes import size
from gradcli.core.tangents import Tangent, identity_seed
from gradcli.document.problem import load
from gradcli.program import assemble

X = np.array([[0.1, 0.2], [0.3, -0.4], [1.5, 1.0]])
W = [[1.0, 2.0, 0.5], [3.0, 4.0, -1.0]]


def _problem(text: str, **more: object) -> dict[str, object]:
    return {"sources": {"X": X, **more}, "constants": {"W": W}, "targets": text}


APART = [
    "tanh(X @ W)",
    "softmax(X @ W, axis=-1)",
    "sum(X**2, axis=1)",
    "einsum('ni,nj->nij', X, X)",
    "reshape(X @ W, (3, 1, 3)) * X[:, :1, None]",
    "norm(X, axis=1, keepdims=True) * X",
    "sparse_softmax_cross_entropy([0, 1, 2], X @ W)",
    "where(X > 0, X * 2, 1.0)",
    "X[:, ::-1].T.T",
    "floor(X)",
    "X[[0, 1, 2]]",
    "concatenate([X[:1], X[1:]])",
]


@pytest.mark.parametrize("text", APART)
def test_blocks_are_those_of_the_whole_jacobian(text: str) -> None:
    problem = _problem(text)
    whole = gradcli.jacobian(problem).jacobian["y"]["X"]
    blocks = per_example(problem).jacobian["y"]["X"]
    rank = whole.ndim - 2
    own = np.stack([whole[i].take(i, axis=rank - 1) for i in range(3)])
    np.testing.assert_allclose(blocks, own, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X - mean(X, axis=0)", "the rows are coupled: y[0] depends on X[1]"),
        ("cumsum(X, axis=0)", "the rows are coupled: y[1] depends on X[0]"),
        ("flip(X, axis=0)", "the rows are coupled: y[0] depends on X[2]"),
    ],
)
def test_coupled_rows_are_an_error(text: str, message: str) -> None:
    with pytest.raises(gradcli.InputError) as e:
        per_example(_problem(text))
    assert e.value.faults[0].message == message


def test_sizes_must_fit() -> None:
    with pytest.raises(gradcli.InputError) as e:
        per_example(_problem("sum(X)"))
    assert e.value.faults[0].message == "--per-example needs one row of 'X' (3, 2) for each row of 'y' ()"


def test_unconnected_and_zero() -> None:
    problem = _problem("X * 2", z=[1.0, 2.0, 3.0])
    assert per_example(problem).jacobian["y"]["z"] is None
    np.testing.assert_array_equal(per_example(problem, unconnected="zero").jacobian["y"]["z"], np.zeros((3, 2)))


def test_storage_stays_linear_in_the_batch() -> None:
    for n in (10, 1000):
        program = assemble(
            load({"sources": {"X": np.ones((n, 2))}, "constants": {"W": W}, "targets": "tanh(X @ W)"}), ["y"], ["X"]
        )
        g, target, source = program.graph, program.targets["y"], program.sources["X"]
        found = vjp(g, {target: identity_seed(g, target.shape)}, [source])[source]
        assert isinstance(found, Tangent)
        assert size(found.full_shape) == n * 3 * 2
        assert max(size(v.shape) for v in g.values) <= n * 6
