"""Mistakes about the function: degrees for radians, the logarithm for the function and the other way round."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from gradcli.checks.mistakes.answer import Answer, Guess, weighted
from gradcli.checks.numbers import Numbers

__all__ = ["degrees", "logarithms"]

_DEGREE = np.pi / 180


def degrees(e: Answer) -> Iterator[Guess]:
    """Angles in degrees: in the derivative, in the function, or in both."""
    order = {"value": 0, "gradient": 1, "jacobian": 1, "hessian": 2}[e.kind]
    ways = {
        "degrees for radians: it was multiplied by pi/180": _DEGREE,
        "degrees for radians: it was divided by pi/180": 1 / _DEGREE,
    }
    for text, c in ways.items():
        if order:
            yield f"has {text}", c**order * e.got
    for text, c in {"degrees": _DEGREE, "radians, turned into degrees": 1 / _DEGREE}.items():
        at = e.got_at([c * x for x in e.inputs.values()])
        if at is None:
            continue
        yield f"takes the sources as {text}, not radians: it is evaluated there", at
        if order:
            yield f"takes the sources as {text}, not radians, and has the factor for it", c**order * at


def logarithms(e: Answer) -> Iterator[Guess]:
    """The gradient of log(y) for that of y, and of exp(y) for that of y."""
    if e.kind == "value":
        yield "is the log of the value", np.log(e.got)
        yield "is the value before the log", np.exp(e.got)
    elif e.kind == "jacobian":
        y = e.targets[e.key[0]]
        y = y.reshape(y.shape + (1,) * (e.got.ndim - y.ndim))
        yield "is that of log(y), not of y: it was divided by the value", e.got / y
        yield "is that of the function before its log: it was multiplied by exp(y)", e.got * np.exp(y)
    elif e.kind == "gradient" and e.rows:
        yield "is that of log(y), not of y: the rows were divided by the values", _sum(e, lambda y: 1 / y)
        yield "is that of the function before its log: the rows were multiplied by exp(y)", _sum(e, np.exp)


def _sum(e: Answer, of: Callable[[Numbers], Numbers]) -> Numbers:
    """The sum of the rows, each times a function of its value."""
    total = np.zeros(e.got.shape)
    for name in e.rows:
        factor = np.asarray(of(e.targets[name])).reshape(-1, *[1] * e.got.ndim)
        total = total + (factor * weighted(e, name)).sum(axis=0)
    return total
