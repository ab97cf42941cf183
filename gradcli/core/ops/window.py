"""A window on an axis, at a place that is known only when the program runs: window <-> unwindow."""

from __future__ import annotations

from typing import Any, ClassVar

from gradcli.core.families import names
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Value
from gradcli.core.ops.shape import Unary
from gradcli.core.shapes import Shape

__all__ = ["unwindow", "window"]


class _Along(Unary):
    """params: (negative axis, its new size). The second operand, a cut, says where the window starts."""

    keeps_kind = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        axis, size = params
        return tuple(size if k == axis else n for k, n in zip(range(-args[0].rank, 0), args[0].shape, strict=True))

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        return {k: k for k in range(-node.args[0].rank, 0) if k != node.params[0]}

    def forward(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        return g.apply(self, (v, node.args[1]), node.params)


class _Window(_Along):
    """Some entries in a row along an axis."""

    name = "window"
    drops: ClassVar[bool] = True

    def code(self, node: Apply) -> str:
        (value, start), (axis, size) = names(node), node.params
        return f"{value}[..., {start}:{start} + {size}{', :' * (-axis - 1)}]"

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        (x, start), (axis, _) = node.args, node.params
        return unwindow(g, v, axis, start, x.shape[axis])


class _Unwindow(_Along):
    """Zeros along an axis, with the operand in the window."""

    name = "unwindow"
    leaves: ClassVar[bool] = True

    def code(self, node: Apply) -> str:
        (value, start), (axis, size) = names(node), node.params
        return f"unwindow({value}, {start}, {axis}, {size})"

    def adjoint(self, g: Graph, node: Apply, out: Value, v: Value, lead: Shape) -> Value:
        (x, start), (axis, _) = node.args, node.params
        return window(g, v, axis, start, x.shape[axis])


_WINDOW, _UNWINDOW = _Window(), _Unwindow()


def window(g: Graph, v: Value, axis: int, start: Value, size: int) -> Value:
    """v[start : start + size] along a negative axis, for a scalar `start` of kind index; v itself if that is all."""
    return v if v.shape[axis] == size else g.apply(_WINDOW, (v, start), (axis, size))


def unwindow(g: Graph, v: Value, axis: int, start: Value, size: int) -> Value:
    """Zeros of this size along the axis, with v in the window that begins at `start`."""
    return v if v.shape[axis] == size else g.apply(_UNWINDOW, (v, start), (axis, size))
