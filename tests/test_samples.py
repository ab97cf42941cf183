"""The samples say what their comments say; the numbers are worked out here with NumPy alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gradcli

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "samples"
GOLDEN = json.loads((ROOT / "tests" / "golden" / "golden.json").read_text("utf-8"))["tensorflow"]["float64"]

Array = NDArray[np.float64]


def sample(name: str) -> str:
    return str(SAMPLES / f"{name}.yaml")


def close(actual: Any, expected: Any) -> None:
    """Equal shapes, and entries that differ by rounding at most."""
    assert np.shape(actual) == np.shape(expected)
    np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.stem)
@pytest.mark.parametrize("command", ["grad", "jacobian", "compare", "hessian"])
def test_every_command_answers(run: Callable[..., Any], path: Path, command: str) -> None:
    """No sample has a fault, and rows and gradient agree in all of them."""
    ran = run(command, str(path), "--json")

    assert (ran.stderr, ran.status) == ("", 0)
    assert json.loads(ran.stdout)["command"] == command


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.stem)
def test_comments_name_commands_that_run(run: Callable[..., Any], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a sample tells its reader to type works."""
    monkeypatch.chdir(ROOT)
    for line in path.read_text("utf-8").splitlines():
        words = line.removeprefix("#").split("  ")
        for command in (text for text in map(str.strip, words) if text.startswith("gradcli ")):
            assert run(*command.replace("'p=[0, 0, 1]'", "p=[0,0,1]").split()[1:]).status == 0, command


def test_two_targets() -> None:
    """[dy1/dx1 + dy2/dx1, dy1/dx2 + dy2/dx2] for y1 = x1**2 * x2 and y2 = cos(x1) + x2 at (2, 3)."""
    found = gradcli.compare(sample("two_targets"))

    close([found.jacobian[y][x] for y in ("y1", "y2") for x in ("x1", "x2")], [12.0, 4.0, -np.sin(2.0), 1.0])
    close([found.gradient["x1"], found.gradient["x2"]], [12.0 - np.sin(2.0), 5.0])
    assert found.match


def test_square() -> None:
    """d(x * x)/dx at 3.0 is 6.0, and the second derivative 2.0."""
    assert gradcli.grad(sample("square")).gradient["x"] == 6.0
    assert gradcli.hessian(sample("square")).hessian["x"]["x"] == 2.0


def test_xentropy_is_twice_its_mean() -> None:
    """Two losses: the gradient of their sum is exactly twice the gradient of their mean."""
    total = gradcli.grad(sample("xentropy"), targets=["xentropy"])
    mean = gradcli.grad(sample("xentropy"), targets=["loss"])

    for source in ("w", "b"):
        assert np.array_equal(total.gradient[source], 2 * mean.gradient[source])


def test_xentropy() -> None:
    """Against softmax minus one-hot, worked out by hand."""
    inputs = np.array([[0.1, 0.0], [0.5, 0.51]])
    powers = np.exp(inputs @ inputs)
    p = powers / powers.sum(axis=1, keepdims=True)
    found = gradcli.grad(sample("xentropy"), targets=["xentropy"])

    close(found.targets["xentropy"], -np.log(p[[0, 1], [0, 1]]))
    close(found.gradient["w"], inputs.T @ (p - np.eye(2)))
    close(found.gradient["b"], (p - np.eye(2)).sum(axis=0))


def log_softmax_rows() -> tuple[Array, Array, Array]:
    """X, Y and dW/dZ for W = log(softmax(X @ Y)) over axis 0: the identity minus the softmax in every row."""
    x = np.array([[0.1, -0.2, 0.3, 0.4], [0.5, 0.6, -0.7, 0.8]])
    y = np.array([[1.0], [-2.0], [0.5], [3.0]])
    powers = np.exp(x @ y).ravel()
    return x, y, np.eye(2) - powers / powers.sum()


def test_log_softmax_jacobian() -> None:
    """Shape (2, 1, 2, 4) by X; the two rows sum to the gradient, whose shape is (2, 4)."""
    x, y, by_z = log_softmax_rows()
    found = gradcli.compare(sample("log_softmax"))

    close(found.jacobian["W"]["X"], by_z[:, None, :, None] * y.ravel())
    close(found.jacobian["W"]["Y"], (by_z @ x)[:, None, :, None])
    close(found.gradient["X"], by_z.sum(axis=0)[:, None] * y.ravel())
    close(found.gradient["X"], found.jacobian["W"]["X"][0, 0] + found.jacobian["W"]["X"][1, 0])
    assert found.match


def test_log_softmax_is_what_tensorflow_computes() -> None:
    """The golden values of the same work."""
    expected = {key: entry["value"] for key, entry in GOLDEN["b_logsoftmax"].items()}
    found = gradcli.compare(sample("log_softmax"))

    close(found.targets["W"], expected["W"])
    close(found.gradient["X"], expected["grad_W[X,Y]"][0])
    close(found.gradient["Y"], expected["grad_W[X,Y]"][1])
    close(found.jacobian["W"]["X"], expected["jacobian_W_X"])
    close(found.jacobian["W"]["Y"], expected["jacobian_W_Y"])


def test_log_softmax_hessian() -> None:
    """Shape (2, 4, 2, 4) by X and X: -2 p0 p1 on the diagonal of Z's two entries, + beside it, times y y'."""
    _, y, by_z = log_softmax_rows()
    p = 1 - np.diagonal(by_z)
    by_z_twice = -2 * (np.diag(p) - np.outer(p, p))

    found = gradcli.hessian(sample("log_softmax"), sources=["X"]).hessian["X"]["X"]

    close(found, np.einsum("ij,k,l->ikjl", by_z_twice, y.ravel(), y.ravel()))


def test_unconnected() -> None:
    """Three sources without a path, each with its reason and line; one with a path and the derivative 0."""
    found = gradcli.grad(sample("unconnected"))

    assert {name: None if g is None else float(g) for name, g in found.gradient.items()} == {
        "x": 12.0,
        "unused": None,
        "gate": None,
        "frozen": None,
        "floored": 0.0,
    }
    assert [(note.kind, note.message) for note in found.notes] == [
        ("unconnected", "unused is unconnected: not used"),
        ("unconnected", "gate is unconnected: used only in a condition, line 12"),
        ("unconnected", "frozen is unconnected: cut by stop_gradient, line 13"),
    ]


def network() -> dict[str, Array]:
    """The gradient of the network's loss, by hand."""
    inputs = np.array([[0.5, -1.0], [1.5, 2.0], [-0.3, 0.8]])
    w1, b1 = np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]), np.array([0.0, 0.1, -0.1])
    w2 = np.array([[0.2, -0.1], [-0.3, 0.4], [0.5, 0.6]])
    hidden = np.tanh(inputs @ w1 + b1)
    powers = np.exp(hidden @ w2)
    logits = (powers / powers.sum(axis=1, keepdims=True) - np.eye(2)[[0, 1, 1]]) / 3
    before = (logits @ w2.T) * (1 - hidden**2)
    return {
        "layer1.w": inputs.T @ before,
        "layer1.b": before.sum(axis=0),
        "layer2.w": hidden.T @ logits,
        "layer2.b": logits.sum(axis=0),
        "logits": logits,
    }


def test_network() -> None:
    """Nested sources and an intermediate one, against backpropagation by hand."""
    expected = network()
    found = gradcli.grad(sample("network"), sources=list(expected)).gradient

    assert list(found) == list(expected)
    for source, gradient in expected.items():
        close(found[source], gradient)


def test_network_keeps_its_nesting(run: Callable[..., Any]) -> None:
    """In JSON, layer1 is an object of its own; `-s layer1` chooses all of it."""
    gradient = json.loads(run("grad", sample("network"), "-s", "layer1", "--json").stdout)["gradient"]

    assert {name: list(part) for name, part in gradient.items()} == {"layer1": ["w", "b"]}


@pytest.mark.parametrize("row", [0, 1, 2])
def test_weights_pick_a_row(row: int) -> None:
    """An output gradient of 1 at one entry gives that row of p_i (delta_ij - p_j); the file picks row 0."""
    powers = np.exp([1.0, 2.0, 3.0])
    p = powers / powers.sum()
    weights = {} if row == 0 else {"output_gradients": {"p": np.eye(3)[row]}}

    close(gradcli.grad(sample("weights"), **weights).gradient["z"], p[row] * (np.eye(3)[row] - p))
