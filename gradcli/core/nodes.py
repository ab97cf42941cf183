"""The sympy nodes: a `Value` is a symbol with a shape, an `Apply` is an op applied to values.

Nothing is evaluated or simplified on construction: what is computed is what was written.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

from sympy import Symbol
from sympy.core.basic import Basic

from gradcli.core.shapes import Shape

__all__ = ["Apply", "Literal", "Operation", "Value"]

# A sympy symbol's assumptions take longer to set up than everything else in a node: all values share these.
_REAL = Symbol("real", real=True)


def _bare(cls: type[Basic], args: tuple[Basic, ...]) -> Any:
    """What `Basic.__new__` makes, in half of its time: there are tens of thousands of nodes."""
    self = object.__new__(cls)
    self._mhash, self._args, self._assumptions = None, args, _REAL._assumptions
    return self


class Value(Symbol):  # type: ignore[misc]
    """The result of one assignment (or an input): a real array of a static shape.

    Attributes:
        index: its place in the graph's order; an operand's index is always smaller than its user's.
        kind: "float", "bool" (a condition) or "index" (an integer array that selects).
    """

    __slots__ = ("index", "kind", "shape")

    index: int
    kind: str
    shape: Shape

    def __new__(cls, index: int, shape: Shape, kind: str = "float") -> Value:
        self = _bare(cls, ())
        self.name = f"v{index}"
        self.index, self.shape, self.kind = index, shape, kind
        self._assumptions_orig = _REAL._assumptions_orig
        self._assumptions0 = _REAL._assumptions0
        return self  # type: ignore[no-any-return]

    # One assignment is one object.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _numpycode(self, printer: object) -> str:
        return self.name  # type: ignore[no-any-return]

    @property
    def rank(self) -> int:
        return len(self.shape)


class Literal(Value):
    """A number that stands in the expression itself: a scalar that keeps every bit of its double."""

    __slots__ = ("number",)

    number: float

    def __new__(cls, index: int, number: float) -> Literal:
        self = Value.__new__(cls, index, ())
        self.number = number
        text = repr(number)  # the shortest text that reads back to the same double
        self.name = text if number >= 0 and math.copysign(1.0, number) > 0 else f"({text})"
        return self


class Operation(Protocol):
    """What nodes and the graph ask of an op; `families.Op` says what each answer means."""

    name: str
    kind: str
    keeps_kind: bool
    tame: bool
    template: str | None
    infix: str | None
    reads_once: bool
    ufunc: str | None
    fresh: bool

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape: ...
    def code(self, node: Apply) -> str: ...
    def fold(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> float | None: ...


class Apply(Basic):  # type: ignore[misc]
    """An op applied to values; `params` are its static parameters (axes, shapes), hashable."""

    __slots__ = ("args", "op", "params")  # `args` of sympy's own is a property, which takes longer to read

    args: tuple[Value, ...]
    op: Any
    params: tuple[Any, ...]

    def __new__(cls, op: Operation, args: tuple[Value, ...], params: tuple[Any, ...] = ()) -> Apply:
        self = _bare(cls, args)
        self.args, self.op, self.params = args, op, params
        return self  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.op, self.params, *self.args)

    def _numpycode(self, printer: object) -> str:
        return str(self.op.code(self))
