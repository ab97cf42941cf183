"""Ops that move, add up and reduce entries, on object arrays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
import sympy as sp

from gradcli.core.nodes import Apply
from gradcli.core.ops.contraction import Letters
from gradcli.formulas.algebra import ONE, ZERO, Algebra, Entries, Missing
from gradcli.formulas.rules import rule

__all__: list[str] = []

_COMPARED = 6  # sympy compares all entries of a maximum in pairs


def _zeros(shape: tuple[int, ...]) -> Entries:
    return np.full(shape, ZERO, dtype=object)


# -- moving ----------------------------------------------------------------------------------------------------------


@rule("stop_gradient")
def _same(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return args[0]


@rule("broadcast_to")
def _broadcast_to(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return np.broadcast_to(args[0], node.params[0])


@rule("reshape")
def _reshape(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return args[0].reshape(node.params[0])


@rule("transpose")
def _transpose(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return args[0].transpose(node.params[0])


def _slices(cuts: Any) -> tuple[slice, ...]:
    return tuple(slice(*cut) for cut in cuts)


@rule("slice")
def _slice(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return args[0][_slices(node.params[0])]


@rule("unslice")
def _unslice(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    out = _zeros(node.params[1])
    out[_slices(node.params[0])] = args[0]
    return out


@rule("take")
def _take(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return args[0][..., args[1]]


@rule("scatter")
def _scatter(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    x, index = args
    out = _zeros((*x.shape[:-1], node.params[0]))
    for j, k in enumerate(index):
        out[..., k] = algebra.map(lambda *e: algebra.total(e), out[..., k], x[..., j])
    return out


@rule("concatenate")
def _concatenate(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return np.concatenate(args, axis=node.params[0])


@rule("take_along")
def _take_along(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    x, index = args
    return np.take_along_axis(x, np.broadcast_to(index, (*x.shape[:-1], index.shape[-1])), -1)


@rule("put_along")
def _put_along(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    x, index = args[0], np.broadcast_to(args[1], args[0].shape)
    out = _zeros((*x.shape[:-1], node.params[1]))
    for place in np.ndindex(x.shape):
        at = (*place[:-1], int(index[place]))
        out[at] = algebra.total([out[at], x[place]])
    return out


# -- sums and products -------------------------------------------------------------------------------------------------


@rule("sum")
def _sum(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return algebra.rows(algebra.total, args[0], node.params[0])


def _spread(x: Entries, letters: Letters, wanted: Letters) -> Entries:
    """`x` with its axes in the order of `wanted`, and axes of size 1 for letters that it does not have."""
    moved = x.transpose([letters.index(k) for k in wanted if k in letters])
    sizes = iter(moved.shape)
    return moved.reshape([next(sizes) if k in letters else 1 for k in wanted])


def _contracted(algebra: Algebra, node: Apply, times: Callable[..., Any], args: list[Entries]) -> Entries:
    la, lb, lo = node.params
    every = (*lo, *[k for k in la if k not in lo])
    letters = [la, lb, la, lb]
    spread = [_spread(x, mine, every) for x, mine in zip(args, letters, strict=False)]
    products = algebra.map(times, *spread)
    return algebra.rows(algebra.total, products, range(len(lo) - len(every), 0)) if len(every) > len(lo) else products


@rule("contract")
def _contract(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return _contracted(algebra, node, algebra.times, args)


@rule("masked_contract")
def _masked_contract(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    def times(a: Any, b: Any, ma: Any, mb: Any) -> Any:
        return algebra.choose(ma, algebra.choose(mb, algebra.times(a, b), ZERO), ZERO)

    masks = [np.broadcast_to(m, x.shape) for m, x in zip(args[2:], args[:2], strict=True)]
    return _contracted(algebra, node, times, [*args[:2], *masks])


def _product(algebra: Algebra, entries: list[Any]) -> Any:
    return ZERO if ZERO in entries else algebra.apply(sp.Mul, *entries)


@rule("prod")
def _prod(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return algebra.rows(lambda entries: _product(algebra, entries), args[0], node.params[0])


def _cumulative(algebra: Algebra, node: Apply, x: Entries, step: Callable[[Any, Any], Any]) -> Entries:
    axis, backwards = node.params

    def run(entries: list[Any]) -> list[Any]:
        return list(accumulate(entries[::-1], step))[::-1] if backwards else list(accumulate(entries, step))

    return algebra.along(run, axis, x)


@rule("cumsum")
def _cumsum(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return _cumulative(algebra, node, args[0], lambda a, b: algebra.total([a, b]))


@rule("cumprod")
def _cumprod(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return _cumulative(algebra, node, args[0], algebra.times)


@rule("scan")
def _scan(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    axis, backwards = node.params

    def run(a: list[Any], b: list[Any]) -> list[Any]:
        out, s = list(b), ZERO
        for j in range(len(b) - 1, -1, -1) if backwards else range(len(b)):
            s = out[j] = algebra.total([b[j], algebra.times(a[j], s)])
        return out

    return algebra.along(run, axis, *args)


# -- functions of all entries -------------------------------------------------------------------------------------


def _extreme(function: Any) -> Callable[[Algebra, Apply, list[Entries]], Entries]:
    def value(*entries: Any) -> Any:
        small = len(entries) <= _COMPARED and all(e.is_Atom for e in entries)
        return function(*entries, evaluate=small) if len(entries) > 1 else entries[0]

    return lambda algebra, node, args: algebra.rows(lambda e: algebra.apply(value, *e), args[0], node.params[0])


rule("max")(_extreme(sp.Max))
rule("min")(_extreme(sp.Min))


def _log_sum_exp(*entries: Any) -> Any:
    return sp.log(sp.Add(*[sp.exp(e) for e in entries]))


@rule("logsumexp")
def _logsumexp(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    return algebra.rows(lambda e: algebra.apply(_log_sum_exp, *e), args[0], node.params[0])


@rule("norm2")
def _norm2(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    def norm(*entries: Any) -> Any:
        return sp.sqrt(sp.Add(*[e**2 for e in entries]))

    return algebra.rows(lambda e: algebra.apply(norm, *e), args[0], node.params[0])


def _each(algebra: Algebra, make: Callable[[list[Any], int], Any], entries: list[Any]) -> list[Any]:
    gap = next((e for e in entries if isinstance(e, Missing)), None)
    if gap is not None:
        return [gap] * len(entries)
    return [algebra.apply(lambda *e, k=k: make(list(e), k), *entries) for k in range(len(entries))]


@rule("softmax")
def _softmax(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    def share(entries: list[Any], k: int) -> Any:
        return sp.exp(entries[k]) / sp.Add(*[sp.exp(e) for e in entries]) if len(entries) > 1 else ONE

    return algebra.along(lambda e: _each(algebra, share, e), node.params[0], args[0])


@rule("log_softmax")
def _log_softmax(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    def share(entries: list[Any], k: int) -> Any:
        return entries[k] - _log_sum_exp(*entries) if len(entries) > 1 else ZERO

    return algebra.along(lambda e: _each(algebra, share, e), node.params[0], args[0])


@rule("centred")
def _centred(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    def centred(y: list[Any], t: list[Any]) -> list[Any]:
        mean = algebra.total([algebra.times(a, b) for a, b in zip(y, t, strict=True)])
        return [algebra.total([b, algebra.times(sp.S.NegativeOne, mean)]) for b in t]

    return algebra.along(centred, node.params[0], *args)


@rule("pulled")
def _pulled(algebra: Algebra, node: Apply, args: list[Entries]) -> Entries:
    def pulled(y: list[Any], t: list[Any]) -> list[Any]:
        total = algebra.times(sp.S.NegativeOne, algebra.total(t))
        return [algebra.total([b, algebra.times(a, total)]) for a, b in zip(y, t, strict=True)]

    return algebra.along(pulled, node.params[0], *args)
