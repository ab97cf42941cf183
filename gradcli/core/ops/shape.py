"""Linear ops that move, copy, drop or add up entries, each beside its adjoint.

sum <-> broadcast_to, reshape and transpose <-> themselves, slice <-> unslice. Rules count the extra leading axes of
what they are given and leave them alone.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, TypeVar

from gradcli.core.families import Linear
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Literal, Value
from gradcli.core.ops.elementwise import mul
from gradcli.core.shapes import Shape, ShapeError, kept_groups, show, size, stretched_axes

__all__ = [
    "Broadcast",
    "Cuts",
    "Sum",
    "Unary",
    "broadcast_to",
    "expand_axes",
    "reshape",
    "scaled",
    "slice_",
    "sum_",
    "transpose",
    "unslice",
]

T = TypeVar("T")


def _with(items: tuple[T, ...], k: int, item: T) -> tuple[T, ...]:
    """The items, but another one at the negative place k."""
    k += len(items)
    return (*items[:k], item, *items[k + 1 :])


class Unary(Linear):
    """A linear op of one operand: `forward` and `adjoint` build nodes for values with `lead` extra leading axes."""

    @abstractmethod
    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value: ...

    @abstractmethod
    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value: ...

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        return self.adjoint(g, node, out, ct, ct.shape[: ct.rank - out.rank])

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        return self.forward(g, node, out, t, t.shape[: t.rank - node.args[0].rank])


class Sum(Unary):
    """Adds up along axes, which are dropped. params: (negative axes,)."""

    name = "sum"

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        shape = args[0].shape
        return tuple(n for k, n in zip(range(-len(shape), 0), shape, strict=True) if k not in params[0])

    def code(self, node: Apply) -> str:
        axes = node.params[0]
        return f"{node.args[0].name}.sum(axis={axes if len(axes) > 1 else axes[0]})"

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        kept = [k for k in range(-node.args[0].rank, 0) if k not in node.params[0]]
        return {k: j - len(kept) for j, k in enumerate(kept)}

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return g.apply(self, (v,), node.params)

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        (x,) = node.args
        return broadcast_to(g, expand_axes(g, v, node.params[0]), (*lead, *x.shape))


_SUM = Sum()


def sum_(g: Graph, v: Value, axes: tuple[int, ...]) -> Value:
    """The sum along negative axes, which are dropped."""
    gone = tuple(k for k in axes if v.shape[k] == 1)
    axes = tuple(k for k in axes if v.shape[k] != 1)
    out = g.apply(_SUM, (v,), (axes,)) if axes else v
    if gone:
        kept = [n for k, n in zip(range(-v.rank, 0), v.shape, strict=True) if k not in axes and k not in gone]
        out = reshape(g, out, tuple(kept))
    return out


class Broadcast(Unary):
    """NumPy's broadcast_to. params: (shape,)."""

    name = "broadcast_to"
    keeps_kind = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        old, new = args[0].shape, params[0]
        fits = len(old) <= len(new) and all(n in (1, m) for n, m in zip(reversed(old), reversed(new), strict=False))
        if not fits:
            raise ShapeError(f"cannot broadcast {show(old)} to {show(new)}")
        return tuple(new)

    def code(self, node: Apply) -> str:
        arg = node.args[0]
        return f"broadcast_to({arg.name if arg.shape or arg.kind != 'float' else f'F({arg.name})'}, {node.params[0]})"

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        old, new = node.args[0].shape, node.params[0]
        return {k: k for k in range(-len(old), 0) if old[k] == new[k]}

    def resized(self, node: Apply, axis: int, n: int) -> tuple[Any, ...]:
        return (_with(node.params[0], axis, n),)

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        core = (1,) * (out.rank - node.args[0].rank) + node.args[0].shape
        return broadcast_to(g, reshape(g, v, (*lead, *core)), (*lead, *out.shape))

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        (x,) = node.args
        return reshape(g, sum_(g, v, tuple(stretched_axes(x.shape, out.shape))), (*lead, *x.shape))


_BROADCAST = Broadcast()


def broadcast_to(g: Graph, v: Value, shape: Shape) -> Value:
    """`v` repeated to `shape`."""
    return v if v.shape == shape else g.apply(_BROADCAST, (v,), (shape,))


class _Reshape(Unary):
    """The same entries in another shape. params: (shape,)."""

    name = "reshape"
    keeps_kind = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        if size(args[0].shape) != size(params[0]):
            raise ShapeError(
                f"cannot reshape {show(args[0].shape)} to {show(params[0])}: "
                f"{size(args[0].shape)} entries against {size(params[0])}"
            )
        return tuple(params[0])

    def code(self, node: Apply) -> str:
        (x,) = node.args
        if isinstance(x, Literal):  # a Python float alone would make a float64
            return f"reshape(F({x.name}), {node.params[0]})"
        if not x.shape:
            return f"reshape({x.name}, {node.params[0]})"
        return f"{x.name}.reshape({node.params[0]}){'' if node.params[0] else '[()]'}"

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        return kept_groups(node.args[0].shape, node.params[0])

    def resized(self, node: Apply, axis: int, n: int) -> tuple[Any, ...]:
        return (_with(node.params[0], axis, n),)

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return reshape(g, v, (*lead, *out.shape))

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return reshape(g, v, (*lead, *node.args[0].shape))


_RESHAPE = _Reshape()


def reshape(g: Graph, v: Value, shape: Shape) -> Value:
    """`v` in another shape of the same size."""
    return v if v.shape == shape else g.apply(_RESHAPE, (v,), (shape,))


def expand_axes(g: Graph, v: Value, axes: tuple[int, ...]) -> Value:
    """`v` with axes of size 1 at the negative places `axes` of the result."""
    rank = v.rank + len(axes)
    rest = iter(v.shape)
    return reshape(g, v, tuple(1 if k in axes else next(rest) for k in range(-rank, 0)))


class _Transpose(Unary):
    """params: (perm,), where axis j of the value is axis perm[j] of the operand."""

    name = "transpose"
    keeps_kind = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return tuple(args[0].shape[k] for k in params[0])

    def code(self, node: Apply) -> str:
        return f"{node.args[0].name}.transpose({node.params[0]})"

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        rank = len(node.params[0])
        return {p - rank: j - rank for j, p in enumerate(node.params[0])}

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        n = len(lead)
        return transpose(g, v, (*range(n), *[p + n for p in node.params[0]]))

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        n, perm = len(lead), node.params[0]
        return transpose(g, v, (*range(n), *[perm.index(k) + n for k in range(len(perm))]))


_TRANSPOSE = _Transpose()


def transpose(g: Graph, v: Value, perm: tuple[int, ...]) -> Value:
    """`v` with its axes in the order `perm` (counted from 0)."""
    return v if perm == tuple(range(len(perm))) else g.apply(_TRANSPOSE, (v,), (perm,))


Cuts = tuple[tuple[int, int | None, int], ...]


def _index_text(cuts: Cuts) -> str:
    return "(" + "".join(f"slice({a}, {b}, {c}), " for a, b, c in cuts) + ")"


def _python_slices(cuts: Cuts) -> tuple[slice, ...]:
    return tuple(slice(*cut) for cut in cuts)


class _Slice(Unary):
    """One (start, stop, step) per axis, normalised to the axis. params: (cuts,)."""

    name = "slice"
    keeps_kind = True
    drops: ClassVar[bool] = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return tuple(len(range(n)[cut]) for n, cut in zip(args[0].shape, _python_slices(params[0]), strict=True))

    def code(self, node: Apply) -> str:
        return f"{node.args[0].name}[{_index_text(node.params[0])}]"

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        (x,), (cuts,) = node.args, node.params
        return {k: k for k in range(-x.rank, 0) if cuts[k] == (0, x.shape[k], 1)}

    def resized(self, node: Apply, axis: int, n: int) -> tuple[Any, ...]:
        return (_with(node.params[0], axis, (0, n, 1)),)

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return slice_(g, v, (*[(0, n, 1) for n in lead], *node.params[0]))

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return unslice(g, v, (*[(0, n, 1) for n in lead], *node.params[0]), (*lead, *node.args[0].shape))


class _Unslice(Unary):
    """Zeros of a shape, with the operand at the cuts. params: (cuts, shape)."""

    name = "unslice"
    keeps_kind = True
    leaves: ClassVar[bool] = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return tuple(params[1])

    def code(self, node: Apply) -> str:
        return f"unslice({node.args[0].name}, {_index_text(node.params[0])}, {node.params[1]})"

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        cuts, shape = node.params
        return {k: k for k in range(-len(shape), 0) if cuts[k] == (0, shape[k], 1)}

    def resized(self, node: Apply, axis: int, n: int) -> tuple[Any, ...]:
        return _with(node.params[0], axis, (0, n, 1)), _with(node.params[1], axis, n)

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return unslice(g, v, (*[(0, n, 1) for n in lead], *node.params[0]), (*lead, *out.shape))

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return slice_(g, v, (*[(0, n, 1) for n in lead], *node.params[0]))


_SLICE, _UNSLICE = _Slice(), _Unslice()


def _whole(cuts: Cuts, shape: Shape) -> bool:
    return all(cut == (0, n, 1) for cut, n in zip(cuts, shape, strict=True))


def slice_(g: Graph, v: Value, cuts: Cuts) -> Value:
    """`v` cut to (start, stop, step) along each axis."""
    return v if _whole(cuts, v.shape) else g.apply(_SLICE, (v,), (cuts,))


def unslice(g: Graph, v: Value, cuts: Cuts, shape: Shape) -> Value:
    """Zeros of `shape` with `v` at `cuts`."""
    return v if _whole(cuts, shape) else g.apply(_UNSLICE, (v,), (cuts, shape))


def scaled(g: Graph, v: Value, number: float) -> Value:
    """v * number, and v itself for 1."""
    return v if number == 1 else mul(g, v, g.literal(number))
