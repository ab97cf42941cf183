"""Tangents and cotangents, and the arithmetic on them that rules never see.

A (co)tangent stands for an array of shape dims + shape: for every entry of a seed (the rows of a Jacobian; `dims` is ()
for a plain gradient) one array in the shape of the value it belongs to. Two kinds of structure are kept:

- Links. An axis of the value that is linked to an axis of dims differs from zero only where the two indices are equal,
  and is stored once: the identity seed of a Jacobian has all its axes linked and is the number 1. An elementwise step
  keeps links; summing over a linked axis only sets it free (it becomes a leading axis). So no identity matrix is ever
  multiplied, a batch of independent rows stays linear in the batch, and what is off the diagonal is absent rather than
  a zero that some infinite partial could turn into NaN.
- Masks. Where the mask does not hold, the entry is a structural zero, whatever the numbers are.

Storage: a literal, or an array with one leading axis per dims axis that is not linked, in order, and then the axes of
the value; each axis whole, or of size 1 where the entries are equal along it. A mask has the same layout.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial as bind
from typing import NamedTuple

import numpy as np

from gradcli.core.compile import numbers
from gradcli.core.elementwise import ELEMENTWISE
from gradcli.core.families import Partial
from gradcli.core.graph import Graph
from gradcli.core.nodes import Literal, Value
from gradcli.core.ops.arrange import scatter
from gradcli.core.ops.elementwise import add, div, masked_mul, mul, neg, where
from gradcli.core.ops.shape import broadcast_to, reshape, scaled, sum_, transpose
from gradcli.core.shapes import Shape

__all__ = [
    "ZERO",
    "Tangent",
    "Zero",
    "add_tangents",
    "as_float",
    "as_mask",
    "constant_zeros",
    "dense",
    "full",
    "full_mask",
    "identity_seed",
    "is_flat",
    "lift",
    "plain",
    "scale",
    "sum_axes",
    "unlink",
]


class Zero:
    """Connected, and zero whatever the values are."""

    def __repr__(self) -> str:
        return "ZERO"


ZERO = Zero()


class Tangent(NamedTuple):
    """See the module's text. `shape` is the value's; `links[j]` is the dims axis of its axis j, or None.

    `wild`: a factor on the way here may have been infinite.
    """

    value: Value
    shape: Shape
    dims: Shape = ()
    links: tuple[int | None, ...] = ()
    mask: Value | None = None
    wild: bool = False

    @property
    def lead(self) -> tuple[int, ...]:
        """The dims axes that are leading axes of the storage."""
        return tuple([k for k in range(len(self.dims)) if k not in self.links])

    @property
    def full_shape(self) -> Shape:
        return tuple([self.dims[k] for k in self.lead]) + self.shape


def plain(value: Value, shape: Shape, mask: Value | None = None) -> Tangent:
    """The cotangent of a gradient: no dims. `value` has the shape, or is a literal."""
    return Tangent(value, shape, (), (None,) * len(shape), mask)


def identity_seed(g: Graph, shape: Shape) -> Tangent:
    """The seed of a Jacobian: the identity over `shape`, all of it links. Axes of size 1 have nothing to link."""
    return Tangent(g.literal(1.0), shape, shape, tuple(k if n != 1 else None for k, n in enumerate(shape)))


def full(g: Graph, t: Tangent) -> Value:
    """The storage with every axis whole."""
    return broadcast_to(g, t.value, t.full_shape)


def is_flat(t: Tangent, axes: Iterable[int]) -> bool:
    """Whether the tangent is known to be the same all along these (negative) axes of the value."""
    return all(t.links[k] is None and (isinstance(t.value, Literal) or t.value.shape[k] == 1) for k in axes)


def full_mask(g: Graph, t: Tangent) -> Value | None:
    """The mask with every axis whole; None where there is none."""
    return None if t.mask is None else broadcast_to(g, t.mask, t.full_shape)


def dense(g: Graph, t: Tangent) -> Value:
    """The array of shape dims + shape."""
    return full(g, unlink(g, t, range(-len(t.shape), 0), keep_mask=False))


def add_tangents(g: Graph, a: Tangent, b: Tangent, *, keep_mask: bool) -> Tangent:
    """The sum; it keeps the links that both have."""
    if a.links != b.links:
        differ = [j - len(a.shape) for j, (x, y) in enumerate(zip(a.links, b.links, strict=True)) if x != y]
        a, b = (unlink(g, t, differ, keep_mask=keep_mask) for t in (a, b))
    mask = None
    if a.mask is not None and b.mask is not None:
        mask = a.mask if a.mask is b.mask else ELEMENTWISE["logical_or"](g, a.mask, b.mask)
    return Tangent(add(g, a.value, b.value), a.shape, a.dims, a.links, mask, a.wild or b.wild)


# -- masks --------------------------------------------------------------------------------------------------------


def as_float(g: Graph, mask: Value) -> Value:
    """1 where the mask holds, else 0."""
    return where(g, mask, g.literal(1.0), g.literal(0.0))


def as_mask(g: Graph, counts: Value) -> Value:
    """Where something is counted."""
    return ELEMENTWISE["not_equal"](g, counts, g.literal(0.0))


def _both(g: Graph, a: Value | None, b: Value | None) -> Value | None:
    """Where both masks hold; None holds everywhere."""
    if a is None or b is None or a is b:
        return b if a is None else a
    return ELEMENTWISE["logical_and"](g, a, b)


def constant_zeros(g: Graph, factor: Value) -> Value | None:
    """The mask `factor != 0` where the factor depends on no source and has (or may have) zeros; else None."""
    if g.varying[factor.index]:
        return None if g.sourced[factor.index] else as_mask(g, factor)
    known = numbers(g, factor)
    return None if known.all() else g.constant(np.asarray(known != 0), kind="bool")


def _aligned(g: Graph, v: Value, rank: int) -> Value:
    """`v` with axes of size 1 in front, up to `rank`; literals stay."""
    extra = rank - len(v.shape)
    return v if not extra or isinstance(v, Literal) else reshape(g, v, (1,) * extra + v.shape)


# -- scaling ------------------------------------------------------------------------------------------------------


def _times(g: Graph, v: Value, factor: Value) -> Value:
    """v * factor, without the product where one of them is 1 or -1."""
    if isinstance(v, Literal) and v.number in (1, -1):
        return factor if v.number == 1 else neg(g, factor)
    if isinstance(factor, Literal) and factor.number in (1, -1):
        return v if factor.number == 1 else neg(g, v)
    return mul(g, v, factor)


def lift(g: Graph, t: Tangent, shape: Shape) -> Tangent:
    """The tangent of an operand that is broadcast to `shape`, laid out for it (stretched axes stay of size 1)."""
    extra = len(shape) - len(t.shape)
    if not extra:
        return t._replace(shape=shape) if t.shape != shape else t

    def spread(v: Value) -> Value:
        at = v.rank - len(t.shape)
        return v if isinstance(v, Literal) else reshape(g, v, v.shape[:at] + (1,) * extra + v.shape[at:])

    mask = None if t.mask is None else spread(t.mask)
    return Tangent(spread(t.value), shape, t.dims, (None,) * extra + t.links, mask, t.wild)


def scale(g: Graph, t: Tangent, p: Partial, *, ahead_wild: bool) -> Tangent | Zero:
    """The tangent times a partial, entry by entry.

    `ahead_wild`: a later factor may be infinite, so structural zeros must be kept as a mask. Where nothing can be
    infinite a mask would cost and change nothing.
    """
    if p.zero:
        return ZERO
    wild = (p.factor is not None and g.wild[p.factor.index]) or (p.divisor is not None and _may_be_zero(g, p.divisor))
    guarded = wild or t.wild or ahead_wild
    gate = p.gate
    rank = len(t.full_shape) if t.dims else len(t.shape)
    if not guarded and gate is None:
        return Tangent(_aligned(g, _scaled(g, t.value, p, None, None), rank), t.shape, t.dims, t.links)
    if guarded and p.factor is not None:
        gate = _both(g, gate, constant_zeros(g, p.factor))
    if gate is not None and not g.varying[gate.index] and not numbers(g, gate).any():
        return ZERO
    mask = t.mask
    if gate is not None and guarded:
        mask = _both(g, mask, _aligned(g, gate, rank))
    value = _scaled(g, t.value, p, mask if wild or t.wild else None, gate)
    keep = mask if ahead_wild else None
    return Tangent(_aligned(g, value, rank), t.shape, t.dims, t.links, keep, t.wild or wild)


def _may_be_zero(g: Graph, divisor: Value) -> bool:
    """Whether dividing by it may give something infinite."""
    return g.varying[divisor.index] or g.wild[divisor.index] or not numbers(g, divisor).all()


def _scaled(g: Graph, v: Value, p: Partial, mask: Value | None, gate: Value | None) -> Value:
    """v * factor / divisor where the mask (or else the gate) holds, and 0 elsewhere."""
    zero = g.literal(0.0)
    if mask is not None:
        factor = p.factor or g.literal(1.0)
        if p.divisor is not None:
            factor = div(g, factor, p.divisor)
        if isinstance(factor, Literal) and (factor.number == 1 or isinstance(v, Literal)):
            return where(g, mask, _times(g, v, factor), zero)
        return masked_mul(g, mask, v, factor)
    if p.factor is not None:
        v = _times(g, v, p.factor)
    if p.divisor is not None:
        v = div(g, v, p.divisor)
    return v if gate is None else where(g, gate, v, zero)


# -- axes ---------------------------------------------------------------------------------------------------------

Label = tuple[str, int]


def _labels(t: Tangent) -> list[Label]:
    """What each axis of the storage stands for: ("dims", k) or ("axis", j)."""
    return [("dims", k) for k in t.lead] + [("axis", j) for j in range(len(t.shape))]


def _moved(g: Graph, v: Value, labels: list[Label], wanted: list[Label]) -> Value:
    """The storage with its axes in another order; axes that are only in `wanted` have size 1."""
    if isinstance(v, Literal):
        return v
    v = transpose(g, v, tuple([labels.index(x) for x in wanted if x in labels]))
    sizes = iter(v.shape)
    return reshape(g, v, tuple([next(sizes) if x in labels else 1 for x in wanted]))


def unlink(g: Graph, t: Tangent, axes: Iterable[int], *, keep_mask: bool) -> Tangent:
    """The same tangent, dense along the given (negative) axes of the value.

    What is off the new diagonals are structural zeros; the mask says so where something ahead may be infinite.
    """
    for axis in axes:
        if t.links[axis] is not None:
            t = _unlink_one(g, t, axis + len(t.shape), keep_mask)
    return t


def _embedded(g: Graph, v: Value, labels: list[Label], wanted: list[Label], k: int, j: int, n: int) -> Value:
    """The diagonal along axis j, written into zeros over (dims k, axis j)."""
    rest = [x for x in labels if x != ("axis", j)]
    v = _moved(g, v, labels, [*rest, ("axis", j)])
    v = broadcast_to(g, v, (*v.shape[:-1], n) if v.rank else (1,) * len(rest) + (n,))
    wide = scatter(g, v, np.arange(n) * (n + 1), n * n)
    return _moved(g, reshape(g, wide, (*wide.shape[:-1], n, n)), [*rest, ("dims", k), ("axis", j)], wanted)


def _unlink_one(g: Graph, t: Tangent, j: int, keep_mask: bool) -> Tangent:
    k, n = t.links[j], t.shape[j]
    assert k is not None
    made = t._replace(links=(*t.links[:j], None, *t.links[j + 1 :]))
    wanted = _labels(made)
    embed = bind(_embedded, g, labels=_labels(t), wanted=wanted, k=k, j=j, n=n)
    mask = None
    if t.mask is not None:
        mask = as_mask(g, embed(as_float(g, t.mask)))
    elif keep_mask:
        shape = [n if x in (("dims", k), ("axis", j)) else 1 for x in wanted]
        mask = g.constant(np.eye(n, dtype=bool).reshape(shape), kind="bool")
    return made._replace(value=embed(t.value), mask=mask)


def sum_axes(g: Graph, t: Tangent, axes: Iterable[int], *, keepdims: bool) -> Tangent:
    """The sum over (negative) axes of the value, which are kept with size 1 or dropped.

    A linked axis is not summed but set free: the sum of a diagonal over its column index is the diagonal.
    """
    gone = [a + len(t.shape) for a in axes]
    made = t._replace(
        shape=tuple([1 if j in gone else n for j, n in enumerate(t.shape)]),
        links=tuple([None if j in gone else k for j, k in enumerate(t.links)]),
    )
    value, mask = (None if v is None else _summed(g, v, t, made, gone) for v in (t.value, t.mask))
    assert value is not None
    if not keepdims:
        made = made._replace(
            shape=tuple([n for j, n in enumerate(t.shape) if j not in gone]),
            links=tuple([k for j, k in enumerate(t.links) if j not in gone]),
        )
        at = len(made.lead)
        value, mask = (_without(g, v, [at + j for j in gone]) for v in (value, mask))
        assert value is not None
    return made._replace(value=value, mask=mask)


def _summed(g: Graph, v: Value, t: Tangent, made: Tangent, gone: list[int]) -> Value:
    """The storage summed over the axes `gone`, which stay with size 1; a mask is asked whether anything is left."""
    is_mask = v.kind == "bool"
    labels = _labels(t)
    loose = [j for j in gone if t.links[j] is None]
    if isinstance(v, Literal):
        return scaled(g, v, float(np.prod([t.shape[j] for j in loose])))
    stored = {j: v.shape[labels.index(("axis", j))] for j in loose}
    repeats = float(np.prod([t.shape[j] for j in loose if stored[j] != t.shape[j]]))
    axes = tuple([labels.index(("axis", j)) - v.rank for j in loose if stored[j] != 1])
    if axes:
        total = sum_(g, as_float(g, v) if is_mask else v, axes)
        shape = tuple([1 if k - v.rank in axes else n for k, n in enumerate(v.shape)])
        v = reshape(g, as_mask(g, total) if is_mask else total, shape)
    if not is_mask:
        v = scaled(g, v, repeats)
    freed = {("axis", j): ("dims", t.links[j]) for j in gone if t.links[j] is not None}
    if freed:
        v = _moved(g, v, [freed.get(x, x) for x in labels], _labels(made))  # type: ignore[misc]
    return v


def _without(g: Graph, v: Value | None, axes: list[int]) -> Value | None:
    """The storage without these axes, which have size 1."""
    if v is None or isinstance(v, Literal):
        return v
    return reshape(g, v, tuple([n for k, n in enumerate(v.shape) if k not in axes]))
