"""The driver: vjp and jvp add nodes to the graph and return (co)tangents, so they nest to any depth.

It does what every rule would repeat: walking only what leads from a source to a target, accumulation, summing down
after broadcasting, links and masks (see `tangents`). Rules see dense arrays with extra leading axes, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial as bind

from gradcli.core.compile import numbers
from gradcli.core.elementwise import Elementwise
from gradcli.core.families import Linear, Reduction, Structural
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Literal, Value
from gradcli.core.ops.contraction import Contraction, Letters, contract, masked_contract
from gradcli.core.ops.elementwise import where
from gradcli.core.ops.shape import Broadcast, Sum, broadcast_to, reshape, scaled, sum_, transpose
from gradcli.core.shapes import Shape, stretched_axes
from gradcli.core.tangents import (
    ZERO,
    Tangent,
    Zero,
    add_tangents,
    as_float,
    as_mask,
    constant_zeros,
    full,
    full_mask,
    is_flat,
    lift,
    scale,
    sum_axes,
    unlink,
)

__all__ = ["jvp", "pull", "reached", "vjp"]

Some = Tangent | Zero


def reached(g: Graph, sources: Iterable[Value], top: int) -> bytearray:
    """Flags, up to index `top`, of the values to which a differentiable path leads from a source."""
    flags = bytearray(top + 1)
    for s in sources:
        if s.index <= top:
            flags[s.index] = 1
    for i in range(top + 1):
        node = g.definitions[i]
        if node is not None and not flags[i]:
            for k, a in enumerate(node.args):
                if flags[a.index] and node.op.differentiable(node, k):
                    flags[i] = 1
                    break
    return flags


def _accumulate(g: Graph, held: dict[int, Some], v: Value, new: Some, *, keep_mask: bool) -> None:
    old = held.get(v.index, ZERO)
    if isinstance(old, Zero):
        held[v.index] = new
    elif isinstance(new, Tangent):
        held[v.index] = add_tangents(g, old, new, keep_mask=keep_mask)


def vjp(g: Graph, seeds: Mapping[Value, Some], sources: Iterable[Value]) -> dict[Value, Some | None]:
    """The cotangent of each source: the seeds pulled back through the graph.

    None: no path leads from the source to a seeded value (unconnected). ZERO: one does, and the derivative is 0
    whatever the values are. Seeds must agree in `dims`.
    """
    wanted = list(sources)
    top = max((v.index for v in seeds), default=-1)
    flags = reached(g, wanted, top)
    held: dict[int, Some] = {v.index: s for v, s in seeds.items() if flags[v.index]}
    with g.placing():
        for i in range(top, -1, -1):
            ct = held.get(i)
            node = g.definitions[i]
            if ct is None or node is None:
                continue
            g.place, out = g.places.get(i), g.values[i]
            for k, a in enumerate(node.args):
                if flags[a.index] and node.op.differentiable(node, k):
                    new = ct if isinstance(ct, Zero) else pull(g, node, out, k, ct)
                    _accumulate(g, held, a, new, keep_mask=g.wild[a.index])
    return {s: held.get(s.index) for s in wanted}


def jvp(g: Graph, seeds: Mapping[Value, Some], targets: Iterable[Value]) -> dict[Value, Some | None]:
    """The tangent of each target: the seeds (tangents of sources) pushed forward through the graph; as `vjp`."""
    wanted = list(targets)
    needed = g.ancestors(wanted)
    flags = reached(g, seeds, needed[-1] if needed else -1)
    ahead = _ahead_wild(g, needed, flags)
    held: dict[int, Some] = {v.index: s for v, s in seeds.items()}
    with g.placing():
        for i in needed:
            node = g.definitions[i]
            if i in held or node is None or not flags[i]:
                continue
            g.place, out = g.places.get(i), g.values[i]
            for k, a in enumerate(node.args):
                if flags[a.index] and node.op.differentiable(node, k):
                    t = held[a.index]
                    new = t if isinstance(t, Zero) else _push(g, node, out, k, t, bool(ahead[i]))
                    _accumulate(g, held, out, new, keep_mask=bool(ahead[i]))
    return {t: held.get(t.index) for t in wanted}


def _ahead_wild(g: Graph, needed: Sequence[int], flags: bytearray) -> bytearray:
    """Whether something computed from each value may multiply its tangent by something infinite."""
    ahead = bytearray(len(g.values))
    for i in reversed(needed):
        node = g.definitions[i]
        if node is not None and flags[i]:
            hot = ahead[i] or not node.op.tame or any(g.wild[a.index] for a in node.args)
            if hot:
                for a in node.args:
                    ahead[a.index] = 1
    return ahead


# -- one step back -------------------------------------------------------------------------------------------------


def pull(g: Graph, node: Apply, out: Value, i: int, ct: Tangent) -> Some:
    """The cotangent of operand i from that of the value."""
    a, op = node.args[i], node.op
    wild = g.wild[a.index]
    if isinstance(op, Elementwise):
        made = scale(g, ct, op.partial(g, node, out, i), ahead_wild=wild)
        return made if isinstance(made, Zero) else _fold_to(g, made, a)
    if isinstance(op, Contraction):
        return _contracted(g, node, i, ct, node.params[2], node.params[i], a.shape, ahead_wild=wild)
    if isinstance(op, Reduction):
        spread = _expanded(g, ct, node)
        return scale(g, spread, op.partial(g, node, out), ahead_wild=wild)
    if isinstance(op, Sum):
        return _expanded(g, ct, node)
    if isinstance(op, Broadcast):
        return _fold_to(g, ct, a)
    assert isinstance(op, Structural), f"{op.name} has no rule"
    return _structural(g, node, op, out, i, ct, back=True, keep_mask=wild)


def _fold_to(g: Graph, t: Tangent, a: Value) -> Tangent:
    """Summed over the axes along which broadcasting repeated the operand `a`."""
    if a.shape == t.shape:
        return t
    axes = stretched_axes(a.shape, t.shape)
    added = range(-len(t.shape), -a.rank)
    if axes:
        t = sum_axes(g, t, axes, keepdims=True)
    return sum_axes(g, t, added, keepdims=False) if added else t


def _expanded(g: Graph, t: Tangent, node: Apply) -> Tangent:
    """A reduction's cotangent in the shape of its operand: the dropped axes come back (stored with size 1)."""
    (x,), axes = node.args, node.params[0]
    at = len(t.lead)

    def spread(v: Value) -> Value:
        if isinstance(v, Literal):
            return v
        rest = iter(v.shape[at:])
        return reshape(g, v, (*v.shape[:at], *[1 if k in axes else next(rest) for k in range(-x.rank, 0)]))

    kept = iter(t.links)
    links = tuple([None if k in axes else next(kept) for k in range(-x.rank, 0)])
    mask = None if t.mask is None else spread(t.mask)
    return t._replace(value=spread(t.value), shape=x.shape, links=links, mask=mask)


def _structural(
    g: Graph, node: Apply, op: Structural, out: Value, i: int, t: Tangent, *, back: bool, keep_mask: bool
) -> Some:
    """A structural op's rule: back from the value to operand i, or forward from operand i to the value.

    The tangent is made dense along the axes that the op mixes; along those that it carries links stay. The mask goes
    the way of the numbers: a linear rule turns ones and zeros into counts of what can be non-zero. A rule that is not
    linear mixes everything along its axes (or what `counted` says): where all of that is a structural zero the result
    is one, whatever the rule's own numbers are.
    """
    carried = op.carried(node, i)
    to = {o: k for k, o in carried.items()} if back else carried
    mixed = [k for k in range(-len(t.shape), 0) if k not in to]
    if (op.flat_vjp if back else op.flat_jvp) and is_flat(t, mixed):
        return ZERO
    t = unlink(g, t, mixed, keep_mask=keep_mask)
    rule = bind(op.vjp if back else op.jvp, g, node, out, i)
    value = rule(full(g, t))
    mask = None
    if t.mask is not None and not isinstance(op, Linear):
        counts = op.counted(g, node, _known(g, t), back=back)
        mask = _any(g, t, mixed) if counts is None else as_mask(g, counts)
        value = where(g, mask, value, g.literal(0.0))
    elif keep_mask and isinstance(op, Linear) and (t.mask is not None or (op.drops if back else op.leaves)):
        mask = as_mask(g, rule(_known(g, t)))
    shape = node.args[i].shape if back else out.shape
    links = {new: t.links[old] for old, new in to.items()}
    ordered = tuple([links.get(k) for k in range(-len(shape), 0)])
    return Tangent(value, shape, t.dims, ordered, mask if keep_mask else None, t.wild or not op.tame)


def _known(g: Graph, t: Tangent) -> Value:
    """The mask as numbers, with every axis whole: 1 where the tangent may differ from 0."""
    known = full_mask(g, t)
    return broadcast_to(g, g.literal(1.0), t.full_shape) if known is None else as_float(g, known)


def _any(g: Graph, t: Tangent, axes: Iterable[int]) -> Value:
    """Where the mask of a tangent holds anywhere along the axes (which stay, with size 1)."""
    known = _known(g, t)
    sizes = [1 if k in axes else n for k, n in zip(range(-known.rank, 0), known.shape, strict=True)]
    return as_mask(g, reshape(g, sum_(g, known, tuple(axes)), tuple(sizes)))


# -- one step forward ------------------------------------------------------------------------------------------------


def _push(g: Graph, node: Apply, out: Value, i: int, t: Tangent, ahead_wild: bool) -> Some:
    """The part of the value's tangent that comes from operand i."""
    op = node.op
    if isinstance(op, Elementwise):
        return scale(g, lift(g, t, out.shape), op.partial(g, node, out, i), ahead_wild=ahead_wild)
    if isinstance(op, Contraction):
        return _contracted(g, node, i, t, node.params[i], node.params[2], out.shape, ahead_wild=ahead_wild)
    if isinstance(op, Reduction):
        made = scale(g, t, op.partial(g, node, out), ahead_wild=ahead_wild)
        return made if isinstance(made, Zero) else sum_axes(g, made, node.params[0], keepdims=False)
    if isinstance(op, Sum):
        return sum_axes(g, t, node.params[0], keepdims=False)
    if isinstance(op, Broadcast):
        return lift(g, t, out.shape)
    assert isinstance(op, Structural), f"{op.name} has no rule"
    return _structural(g, node, op, out, i, t, back=False, keep_mask=ahead_wild)


# -- contractions ----------------------------------------------------------------------------------------------------


def _contracted(
    g: Graph, node: Apply, i: int, t: Tangent, given: Letters, wanted: Letters, shape: Shape, *, ahead_wild: bool
) -> Some:
    """The contraction of a (co)tangent, whose axes have the letters `given`, with the other factor, to `wanted`.

    Serves both directions: back from the value to operand i, and forward from operand i to the value. A linked letter
    that the result does not have is not summed: it becomes a leading axis.
    """
    other, letters = node.args[1 - i], node.params[1 - i]
    linked = {letter: k for letter, k in zip(given, t.links, strict=True) if k is not None}
    links = tuple([linked.get(letter) for letter in wanted])
    fresh = 1 + max((*given, *letters, *wanted), default=0)
    lead = {k: fresh + k for k in range(len(t.dims))}
    before = (*[lead[k] for k in t.lead], *given)
    lead |= {k: letter for letter, k in linked.items() if letter not in wanted}
    made = Tangent(t.value, shape, t.dims, links, None, t.wild or g.wild[other.index])
    after = (*[lead[k] for k in made.lead], *wanted)
    zeros = constant_zeros(g, other) if t.wild or ahead_wild else None
    if zeros is not None and not g.varying[zeros.index] and not numbers(g, zeros).any():
        return ZERO
    if len(node.args) > 2:
        zeros = node.args[3 - i] if zeros is None else zeros
    if isinstance(t.value, Literal) and not g.wild[t.value.index]:
        value = _contracted_number(g, t.value, other, letters, after)
    else:
        mine = full_mask(g, t) if g.wild[other.index] else None
        theirs = zeros if t.wild else None
        value = masked_contract(g, full(g, t), other, mine, theirs, before, letters, after)
    mask = None
    if ahead_wild and (t.mask is not None or zeros is not None):
        ones = broadcast_to(g, g.literal(1.0) if zeros is None else as_float(g, zeros), other.shape)
        mask = as_mask(g, contract(g, _known(g, t), ones, before, letters, after))
    return made._replace(value=value, mask=mask)


def _contracted_number(g: Graph, number: Literal, other: Value, letters: Letters, after: Letters) -> Value:
    """The same for a (co)tangent that is one number everywhere: only the other factor is summed and laid out."""
    summed = tuple([k - len(letters) for k, letter in enumerate(letters) if letter not in after])
    v = sum_(g, other, summed)
    left = [letter for letter in letters if letter in after]
    v = transpose(g, v, tuple([left.index(letter) for letter in after if letter in left]))
    sizes = iter(v.shape)
    return scaled(g, reshape(g, v, tuple([next(sizes) if x in left else 1 for x in after])), number.number)
