"""What an op must declare. A new op picks a family; the driver (`differentiate`) does everything else.

- Elementwise: value and partials as sympy expressions. Kernel, VJP and JVP follow.
- Structural: moves, reduces or mixes along some axes. Says which axes it only carries; its rules work on operands
  with any number of extra leading axes.
- Contraction: bilinear; the VJP and JVP of an einsum are einsums.
- Reduction: a function of all entries along axes, with one partial per entry.
An operand can be a cut: no derivative passes through it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Literal, Value
from gradcli.core.shapes import Shape

__all__ = ["ONE", "ZERO_PARTIAL", "Cut", "Linear", "Op", "Partial", "Reduction", "Structural", "Watch", "names"]


def names(node: Apply) -> list[str]:
    """The names of the operands in the generated code."""
    return [a.name for a in node.args]


class Partial(NamedTuple):
    """d output / d operand, entry by entry: factor / divisor where `gate` holds, and a structural zero elsewhere.

    None stands for 1 (factor, divisor) or always (gate); `zero` is a derivative that is 0 whatever the values are.
    """

    factor: Value | None = None
    divisor: Value | None = None
    gate: Value | None = None
    zero: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """A condition on the point that a reader should hear of: `kind` is "kink" or "domain".

    `condition` is a bool value; `text` says what was taken; `sides` are the derivatives from the left and the right.
    """

    kind: str
    condition: Value
    text: str
    sides: tuple[str, str] | None = None


ONE = Partial()
ZERO_PARTIAL = Partial(zero=True)


class Op(ABC):
    """One operation: shape rule, kernel text, and (in its family) its derivative.

    Attributes:
        name: unique; what the graph prints.
        kind: the kind of its value ("float", "bool", "index").
        keeps_kind: the value is of its first operand's kind (entries are only moved).
        tame: finite operands of ordinary size give finite values and finite partials.
        mixes: the rounding in every entry of a matrix is that of its largest one.
        template: the kernel's text in {0}, {1} for the operands, where that is all there is to say.
        infix: +, -, * or / where the template is `({0} + {1})`; "call" where it is `name({0}, {1})`.
        reads_once: the template has each operand once.
        fresh: the value never shares memory with an operand.
        watches: `watch` may have something to say.
    """

    name: str
    kind: str = "float"
    keeps_kind: bool = False
    tame: bool = False
    mixes: bool = False
    template: str | None = None
    infix: str | None = None
    reads_once: bool = False
    fresh: bool = False
    watches: bool = False

    def __init_subclass__(cls) -> None:
        cls.watches = cls.watch is not Op.watch

    @abstractmethod
    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        """The shape of the value; ShapeError where the operands do not fit."""

    @abstractmethod
    def code(self, node: Apply) -> str:
        """NumPy text that computes the value from the names of the operands."""

    def differentiable(self, node: Apply, i: int) -> bool:
        """Whether a path leads through operand `i`."""
        return bool(node.args[i].kind == "float")

    def fold(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> float | None:
        """The value where all operands are literals and the op can say so now; else None."""
        return None

    def watch(self, g: Graph, node: Apply, out: Value) -> list[Watch]:
        """What may be special about the point: kinks, and operands outside the domain."""
        return []

    def __call__(self, graph: Graph, *args: Value, params: tuple[Any, ...] = ()) -> Value:
        return graph.apply(self, args, params)

    def __repr__(self) -> str:
        return self.name


class Cut(Op):
    """No derivative passes: conditions, indices, stop_gradient."""

    tame = True

    def __init__(self, name: str, code: Callable[[Apply], str], *, kind: str, shape: Callable[..., Shape]) -> None:
        self.name, self.kind, self._code, self._shape = name, kind, code, shape

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return self._shape(args, params)

    def code(self, node: Apply) -> str:
        return self._code(node)

    def differentiable(self, node: Apply, i: int) -> bool:
        return False


class Structural(Op):
    """Mixes entries along some axes and only carries the others.

    `vjp` and `jvp` receive a cotangent (tangent) with any number of extra leading axes, dense along the axes that are
    not carried, and return one with the same leading axes. They may use only ops that come before them.

    `drops` (VJP) and `leaves` (JVP) say that some entries of the result get nothing at all: structural zeros.
    `flat_vjp` and `flat_jvp` say that a cotangent (tangent) that is the same all along the mixed axes becomes exactly
    0, where the sum that the rule computes is only 0 up to rounding.
    """

    drops: ClassVar[bool] = False
    leaves: ClassVar[bool] = False
    flat_vjp: ClassVar[bool] = False
    flat_jvp: ClassVar[bool] = False

    @abstractmethod
    def carried(self, node: Apply, i: int) -> dict[int, int]:
        """{axis of operand i: axis of the value}, negative, for axes along which the op works entry by entry."""

    def counted(self, g: Graph, node: Apply, counts: Value, *, back: bool) -> Value | None:
        """For an op that mixes only part of what lies along its axes: how many of the entries with `counts` each entry
        of the result is made of, back (VJP) or forward (JVP). None: of all along the axes."""
        return None

    def resized(self, node: Apply, axis: int, n: int) -> tuple[Any, ...]:
        """The params for operands whose entries along `axis` of the value, which is carried, are only some: n."""
        return node.params

    @abstractmethod
    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value: ...

    @abstractmethod
    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value: ...


class Linear(Structural):
    """A structural op that is linear in its operand with coefficients that are not negative.

    So the same rules, applied to a mask, say where a result can differ from a structural zero.
    """

    tame = True


class Reduction(Op):
    """A function of all entries along `params[0]` (negative axes), which are dropped; one partial per entry."""

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        shape = args[0].shape
        return tuple(n for k, n in zip(range(-len(shape), 0), shape, strict=True) if k not in params[0])

    @abstractmethod
    def partial(self, g: Graph, node: Apply, out: Value) -> Partial:
        """d out / d entry, in the operand's shape."""


def literal_numbers(args: tuple[Value, ...]) -> list[float] | None:
    """The numbers of the operands where all of them are literals."""
    out = []
    for a in args:
        if not isinstance(a, Literal):
            return None
        out.append(a.number)
    return out
