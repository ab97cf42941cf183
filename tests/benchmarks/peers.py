"""The same work in the frameworks that are installed; those that are not are named and left out.

Each peer gets a function of its own arrays, written once for all in `Peer`'s few names, and compiles it where it can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

__all__ = ["MISSING", "Peer", "installed"]

Function = Callable[..., Any]


@dataclass(frozen=True)
class Peer:
    """A framework: what functions are written with, and how it differentiates.

    Attributes:
        array: NumPy array -> its array.
        xp: a namespace with `tanh`, `exp`, `sum`, `mean`.
        nn: a namespace with `relu`, `softplus` and `log_softmax` (over the last axis); None for what has no batches.
        gradient: a scalar function and its arrays -> a call that gives value and gradients.
        jacobian: a function of one array -> a call that gives the Jacobian.
    """

    name: str
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
        "JAX",
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
    return Peer("PyTorch", torch.from_numpy, torch, names, gradient, lambda f, x: lambda: jacobian(f)(x))


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
    return Peer("TensorFlow", tf.constant, xp, tf.nn, gradient, jacobian)


def _autograd() -> Peer:
    autograd, xp = import_module("autograd"), import_module("autograd.numpy")

    def log_softmax(z: Any) -> Any:
        shifted = z - xp.max(z, axis=-1, keepdims=True)
        return shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))

    def gradient(f: Function, args: Sequence[Any]) -> Callable[[], object]:
        made = autograd.value_and_grad(lambda given: f(*given))
        return lambda: made(list(args))

    nn = _Names(relu=lambda z: xp.maximum(z, 0), softplus=lambda z: xp.logaddexp(0, z), log_softmax=log_softmax)
    return Peer("autograd", np.asarray, xp, nn, gradient, lambda f, x: lambda: autograd.jacobian(f)(x))


def _casadi() -> Peer:
    casadi = import_module("casadi")

    def nothing(f: Function, args: Sequence[Any]) -> Callable[[], object]:
        raise NotImplementedError("batches of matrices are no work for CasADi")

    def jacobian(f: Function, x: Any) -> Callable[[], object]:
        symbol = casadi.MX.sym("x", len(x))
        made = casadi.Function("jacobian", [symbol], [casadi.jacobian(f(symbol), symbol)])
        return lambda: made(x)

    return Peer("CasADi", casadi.DM, _Names(tanh=casadi.tanh), None, nothing, jacobian)


_MAKERS = {"jax": _jax, "torch": _torch, "tensorflow": _tensorflow, "autograd": _autograd, "casadi": _casadi}
MISSING = [name for name in _MAKERS if find_spec(name) is None]


def installed() -> list[Peer]:
    """The frameworks that can be imported."""
    return [make() for name, make in _MAKERS.items() if name not in MISSING]
