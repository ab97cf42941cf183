"""Linear algebra on the last two axes, for matrices small enough to be written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from gradcli.core.nodes import Apply
from gradcli.formulas.algebra import ONE, ZERO, Algebra, Entries, Missing
from gradcli.formulas.rules import rule

__all__: list[str] = []

_LARGEST = 3


def _stacked(algebra: Algebra, make: Callable[..., Entries], shape: tuple[int, ...], *stacks: Entries) -> Entries:
    """`make` on each matrix of the stacks, which are broadcast; the last axes of the value are what it returns."""
    heads = [x.shape[:-2] for x in stacks]
    n = stacks[0].shape[-1]
    out = np.empty(shape, object)
    whole = [np.broadcast_to(x, np.broadcast_shapes(*heads) + x.shape[-2:]) for x in stacks]
    for place in np.ndindex(np.broadcast_shapes(*heads)):
        matrices = [x[place] for x in whole]
        gap = next((e for m in matrices for e in m.flat if isinstance(e, Missing)), None)
        if n > _LARGEST:
            gap = Missing(f"a matrix of {n} rows is too large to be written out")
        made = gap or make(*matrices)
        out[place] = made if gap else algebra.map(lambda e: algebra.apply(_itself, e), np.asarray(made, object))
    return out


def _itself(e: Any) -> Any:
    return e


def _minor(m: Entries, i: int, j: int) -> Any:
    return _det(np.delete(np.delete(m, i, 0), j, 1))


def _det(m: Entries) -> Any:
    if not len(m):
        return ONE
    return sp.Add(*[(-1) ** j * m[0, j] * _minor(m, 0, j) for j in range(len(m)) if m[0, j] != ZERO])


def _cofactor(m: Entries) -> Entries:
    out = np.empty(m.shape, object)
    for i, j in np.ndindex(m.shape):
        out[i, j] = (-1) ** (i + j) * _minor(m, i, j)
    return out


def _inv(m: Entries) -> Entries:
    return _cofactor(m).T / _det(m)  # type: ignore[no-any-return]


def _cofactor_change(m: Entries, e: Entries) -> Entries:
    """Cofactors are of degree n - 1 in the entries: constant, linear, quadratic."""
    if len(m) == 1:
        return np.full((1, 1), ZERO)
    if len(m) == 2:
        return _cofactor(e)
    both = [[sp.expand(x) for x in row] for row in _cofactor(m + e) - _cofactor(m) - _cofactor(e)]
    return np.array(both, object)


def _cholesky(m: Entries) -> Entries:
    n = len(m)
    out = np.full((n, n), ZERO)
    for i in range(n):
        for j in range(i + 1):
            rest = m[i, j] - sp.Add(*[out[i, k] * out[j, k] for k in range(j)])
            out[i, j] = sp.sqrt(rest) if i == j else rest / out[j, j]
    return out


def _rule(name: str, make: Callable[..., Entries]) -> None:
    """A rule whose value has the shape of its last operand."""
    rule(name)(lambda algebra, node, args: _stacked(algebra, make, args[-1].shape, *args))


_rule("inv", _inv)
_rule("cofactor", _cofactor)
_rule("cofactor_change", _cofactor_change)
_rule("cholesky", _cholesky)
_rule("solve", lambda m, b: _inv(m) @ b)


@rule("det")
def _determinant(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return _stacked(algebra, _det, args[0].shape[:-2], args[0])


@rule("logabsdet")
def _logabsdet(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return _stacked(algebra, lambda m: sp.log(sp.Abs(_det(m))), args[0].shape[:-2], args[0])


@rule("logdet")
def _logdet(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return _stacked(algebra, lambda m: sp.log(_det(m)), args[0].shape[:-2], args[0])
