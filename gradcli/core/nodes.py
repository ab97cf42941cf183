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

# What sympy's own constructors set up for each node is the same for all of them, and stands in the classes: a graph has
# tens of thousands of nodes, and a symbol's assumptions alone take longer than everything else.
_REAL = Symbol("real", real=True)


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

    _args = ()
    _assumptions = _REAL._assumptions
    _assumptions_orig = _REAL._assumptions_orig
    _assumptions0 = _REAL._assumptions0

    def __new__(cls, index: int, shape: Shape, kind: str = "float") -> Value:
        self = object.__new__(cls)
        self.name = f"v{index}"
        self.index, self.shape, self.kind = index, shape, kind
        return self

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
    fresh: bool
    watches: bool

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape: ...
    def code(self, node: Apply) -> str: ...
    def fold(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> float | None: ...


class Apply(Basic):  # type: ignore[misc]
    """An op applied to values; `params` are its static parameters (axes, shapes), hashable."""

    __slots__ = ("op", "params")

    args: tuple[Value, ...] = Basic._args  # the slot itself: sympy's property takes longer to read
    op: Any
    params: tuple[Any, ...]

    def __new__(cls, op: Operation, args: tuple[Value, ...], params: tuple[Any, ...] = ()) -> Apply:
        self = object.__new__(cls)
        self._args, self.op, self.params = args, op, params
        return self

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _numpycode(self, printer: object) -> str:
        return str(self.op.code(self))
