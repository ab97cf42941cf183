"""Assertions on gradients and Jacobians that you wrote yourself, of any function of NumPy.

They hold each entry against extrapolated differences that estimate their own error, as `gradcli check` does, and name
the usual mistake that explains a wrong one. What a kink, a jump or rounding leaves open passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.testing.arguments import Refusal
from gradcli.testing.verify import failure

__all__ = ["assert_gradient", "assert_jacobian"]

Derivative = Callable[..., Any] | Any
"""What the author gives: arrays, or a function that returns them."""


def assert_gradient(
    fun: Callable[..., Any],
    grad: Derivative,
    x: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
) -> None:
    """Passes where `grad` is the gradient of the sum of all outputs of `fun` at `x`, in the shape of `x`.

    Args:
        fun: takes arrays or scalars; returns a number or an array of numbers, the same for the same input. It gets
            float64 copies that it may write into.
        grad: the gradient in the form of `x`, or a function that returns it and is called like `fun`. A function is
            also held at two seeded points near `x` where `fun` is finite. None in place of one of several arguments
            says that it is not differentiated: `fun` gets it as it is.
        x: the point: an array or scalar; a tuple for several positional arguments; a mapping for keyword arguments.
        rtol, atol: a difference up to atol + rtol * |grad| passes, too.
        seed: of the random directions, the points nearby, and of the entries that are checked one by one where there
            are more than 200.

    Raises:
        AssertionError: `grad` is wrong or has another shape.
        TypeError: something is not made of real numbers, or `grad` has not the form of `x`.
        ValueError: two calls at the same point differ, `fun` returns another shape near `x`, or only NaN at `x`.

    >>> import numpy as np
    >>> from gradcli.testing import assert_gradient
    >>> def loss(w):
    ...     return np.mean(w**2)
    >>> assert_gradient(loss, lambda w: 2 * w / w.size, [1.0, 2.0, 3.0])
    >>> assert_gradient(loss, [2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    Traceback (most recent call last):
        ...
    AssertionError: the gradient of loss is wrong in 3 of 3 entries, by differences
      at w[0]: expected 2, got 0.666667, difference 1.3
      your gradient of w was multiplied by 3
    """
    __tracebackhide__ = True
    try:
        found = failure("gradient", fun, grad, x, rtol=rtol, atol=atol, seed=seed)
    except Refusal as refusal:
        raise refusal.error from None
    if found:
        raise AssertionError(found)


def assert_jacobian(
    fun: Callable[..., Any],
    jacobian: Derivative,
    x: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
) -> None:
    """Passes where `jacobian` holds the derivative of each output of `fun` by each entry of `x`.

    Its shape is that of the output followed by that of `x`. All else is as for `assert_gradient`.

    >>> from gradcli.testing import assert_jacobian
    >>> def rotated(x, y):
    ...     return [x - y, x + y]
    >>> assert_jacobian(rotated, ([1, 1], [-1, 1]), (0.5, 2.0))
    >>> assert_jacobian(rotated, ([1, 1], [1, -1]), (0.5, 2.0))
    Traceback (most recent call last):
        ...
    AssertionError: the Jacobian of rotated is wrong in 2 of 4 entries, by differences
      at rotated[0] by y: expected 1, got -1, difference 2
      your Jacobian of rotated by y has the wrong sign everywhere
    """
    __tracebackhide__ = True
    try:
        found = failure("jacobian", fun, jacobian, x, rtol=rtol, atol=atol, seed=seed)
    except Refusal as refusal:
        raise refusal.error from None
    if found:
        raise AssertionError(found)
