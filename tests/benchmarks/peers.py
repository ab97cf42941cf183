"""The same work in the frameworks that are installed; those that are not are named and left out.

Each peer gets a function of its own arrays, written once for all in `Peer`'s few names, and compiles it where it can.
Each runs in a process of its own: their threads would slow what is measured beside them, and together they crash.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.harness import shown

__all__ = ["CHAIN", "INSTALLED", "MATRICES", "MISSING", "SMALL", "Peer", "alone", "beside", "peer_of"]

LIMIT = 100
"""The seconds that a framework may take."""

_ROOT = Path(__file__).parents[2]

Function = Callable[..., Any]


@dataclass(frozen=True)
class Peer:
    """A framework: what functions are written with, and how it differentiates.

    Attributes:
        array: NumPy array -> its array.
        xp: a namespace with `tanh`, `exp`, `sum`, `mean`.
        nn: a namespace with `relu`, `softplus` and `log_softmax` (over the last axis).
        gradient: a scalar function and its arrays -> a call that gives value and gradients.
        jacobian: a function of one array -> a call that gives the Jacobian.
    """

    array: Function
    xp: Any
    nn: Any
    gradient: Callable[[Function, Sequence[Any]], Callable[[], object]]
    jacobian: Callable[[Function, Any], Callable[[], object]]


class _Names:
    def __init__(self, **functions: Function) -> None:
        self.__dict__.update(functions)


def _jax() -> Peer:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)

    def run(f: Function, *args: Any) -> Callable[[], object]:
        made = jax.jit(f)
        return lambda: jax.block_until_ready(made(*args))

    return Peer(
        jax.numpy.asarray,
        jax.numpy,
        jax.nn,
        lambda f, args: run(jax.value_and_grad(f, argnums=tuple(range(len(args)))), *args),
        lambda f, x: run(jax.jacrev(f), x),
    )


def _torch() -> Peer:
    torch = import_module("torch")

    def gradient(f: Function, args: Sequence[Any]) -> Callable[[], object]:
        leaves = [a.requires_grad_() for a in args]
        return lambda: torch.autograd.grad(f(*leaves), leaves)

    nn = torch.nn.functional
    names = _Names(relu=nn.relu, softplus=nn.softplus, log_softmax=lambda z: nn.log_softmax(z, dim=-1))
    jacobian = torch.func.jacrev
    return Peer(torch.from_numpy, torch, names, gradient, lambda f, x: lambda: jacobian(f)(x))


def _tensorflow() -> Peer:
    tf = import_module("tensorflow")

    def gradient(f: Function, args: Sequence[Any]) -> Callable[[], object]:
        variables = [tf.Variable(a) for a in args]

        @tf.function  # type: ignore[untyped-decorator]
        def run() -> Any:
            with tf.GradientTape() as tape:
                value = f(*variables)
            return value, tape.gradient(value, variables)

        return run

    def jacobian(f: Function, x: Any) -> Callable[[], object]:
        variable = tf.Variable(x)

        @tf.function  # type: ignore[untyped-decorator]
        def run() -> Any:
            with tf.GradientTape() as tape:
                value = f(variable)
            return tape.jacobian(value, variable)

        return run

    xp = _Names(tanh=tf.tanh, exp=tf.exp, sum=tf.reduce_sum, mean=tf.reduce_mean)
    return Peer(tf.constant, xp, tf.nn, gradient, jacobian)


def _autograd() -> Peer:
    autograd, xp = import_module("autograd"), import_module("autograd.numpy")

    def log_softmax(z: Any) -> Any:
        shifted = z - xp.max(z, axis=-1, keepdims=True)
        return shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))

    def gradient(f: Function, args: Sequence[Any]) -> Callable[[], object]:
        made = autograd.value_and_grad(lambda given: f(*given))
        return lambda: made(list(args))

    nn = _Names(relu=lambda z: xp.maximum(z, 0), softplus=lambda z: xp.logaddexp(0, z), log_softmax=log_softmax)
    return Peer(np.asarray, xp, nn, gradient, lambda f, x: lambda: autograd.jacobian(f)(x))


def _casadi() -> Peer:
    casadi = import_module("casadi")

    def nothing(f: Function, args: Sequence[Any]) -> Callable[[], object]:
        raise NotImplementedError("batches of matrices are no work for CasADi")

    def jacobian(f: Function, x: Any) -> Callable[[], object]:
        symbol = casadi.MX.sym("x", *x.shape)
        made = casadi.Function("jacobian", [symbol], [casadi.jacobian(f(symbol), symbol)])
        return lambda: made(x)

    return Peer(casadi.DM, _Names(tanh=casadi.tanh), None, nothing, jacobian)


_MAKERS = {"jax": _jax, "torch": _torch, "tensorflow": _tensorflow, "autograd": _autograd, "casadi": _casadi}
INSTALLED = [name for name in _MAKERS if find_spec(name) is not None]
MATRICES = [name for name in INSTALLED if name != "casadi"]
"""Those that differentiate batches of matrices."""
MISSING = [name for name in _MAKERS if name not in INSTALLED]


def peer_of(module: str) -> Peer:
    """The framework whose module this is; it is imported."""
    return _MAKERS[module]()


def alone(script: str) -> tuple[float, str]:
    """The seconds of a process that runs this Python text, and what it prints.

    Raises:
        CalledProcessError: it fails.
        TimeoutExpired: it takes more than `LIMIT` seconds.
    """
    began = time.perf_counter()
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=_ROOT, timeout=LIMIT)
    return time.perf_counter() - began, done.stdout


def beside(measure: Callable[[str], float], modules: Iterable[str]) -> str:
    """The seconds that `measure` has for each of the frameworks that are installed, for the table."""
    return ", ".join(f"{module} {_figure(measure, module)}" for module in modules if module in INSTALLED)


def _figure(measure: Callable[[str], float], module: str) -> str:
    try:
        return shown(measure(module))
    except subprocess.CalledProcessError:  # a deep graph overflows the stack of some
        return "fails"
    except subprocess.TimeoutExpired:
        return f"over {LIMIT} s"


# -- whole processes --------------------------------------------------------------------------------------------------

SMALL = {
    "jax": "import jax; print(jax.grad(lambda x: jax.numpy.sin(x) * x)(0.5))",
    "torch": """
import torch
x = torch.tensor(0.5, requires_grad=True)
print(torch.autograd.grad(torch.sin(x) * x, x))
""",
    "tensorflow": """
import tensorflow as tf
x = tf.Variable(0.5)
with tf.GradientTape() as tape:
    y = tf.sin(x) * x
print(tape.gradient(y, x))
""",
    "autograd": "import autograd; print(autograd.grad(lambda x: autograd.numpy.sin(x) * x)(0.5))",
    "casadi": """
import casadi
x = casadi.SX.sym("x")
print(casadi.Function("f", [x], [casadi.gradient(casadi.sin(x) * x, x)])(0.5))
""",
}
"""A small gradient."""

CHAIN = {
    "jax": """
import jax
def f(x, w):
    y = x
    for _ in range({steps}):
        y = jax.numpy.sin(y) * w + x
    return y
print(jax.jit(jax.grad(f, (0, 1)))(0.5, 0.9))
""",
    "torch": """
import torch
x, w = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.5, 0.9))
y = x
for _ in range({steps}):
    y = torch.sin(y) * w + x
print(torch.autograd.grad(y, (x, w)))
""",
    "tensorflow": """
import tensorflow as tf
x, w = (tf.Variable(v, dtype=tf.float64) for v in (0.5, 0.9))
@tf.function
def run():
    with tf.GradientTape() as tape:
        y = x
        for _ in range({steps}):
            y = tf.sin(y) * w + x
    return tape.gradient(y, (x, w))
print(run())
""",
    "autograd": """
import autograd
def f(x, w):
    y = x
    for _ in range({steps}):
        y = autograd.numpy.sin(y) * w + x
    return y
print(autograd.grad(f, (0, 1))(0.5, 0.9))
""",
    "casadi": """
import casadi
x, w = casadi.SX.sym("x"), casadi.SX.sym("w")
y = x
for _ in range({steps}):
    y = casadi.sin(y) * w + x
print(casadi.Function("f", [x, w], [casadi.gradient(y, casadi.vertcat(x, w))])(0.5, 0.9))
""",
}
"""The gradient of `steps` times (sin, mul, add), from nothing to the numbers."""
