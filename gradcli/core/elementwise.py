"""What an elementwise op is: value and partials are sympy expressions in x, y (operands) and f (the value).

A partial is 0, 1, -1 or an expression; `Piecewise((d, condition), (0, True))` is a gate: where the condition does not
hold the derivative is a structural zero, which also an infinite factor upstream does not change. Partials that are not
given are sympy's own derivative of the value. Conventions at kinks are TensorFlow's.

A row holds functions that make its expressions: sympy takes long to make them, and a call needs few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from gradcli.core.executable import namespace
from gradcli.core.families import ONE, ZERO_PARTIAL, Op, Partial, Watch, literal_numbers, names
from gradcli.core.graph import Graph
from gradcli.core.lower import Program, compile_expression, register_head
from gradcli.core.nodes import Apply, Value
from gradcli.core.printing import function
from gradcli.core.shapes import Shape, broadcast

__all__ = ["ELEMENTWISE", "Code", "Elementwise", "Formula", "Special", "c", "call", "f", "gate", "row", "x", "y"]

x, y, f = sp.symbols("x y f", real=True)
c = sp.Symbol("c")
_OPERANDS = {"x": x, "y": y, "c": c}

_INFIX = {f"({{0}} {symbol} {{1}})" for symbol in "+-*/"}

Code = str | Callable[[Apply], str]
Formula = Callable[[], Any]
ELEMENTWISE: dict[str, Elementwise] = {}


@dataclass(frozen=True, slots=True)
class Special:
    """Where the derivative is a convention (a kink) or does not exist (outside the domain): a condition on x, y, f.

    `text` says what is taken there, `sides` the derivatives from the left and from the right.
    """

    condition: Callable[[], Any]
    text: str
    sides: tuple[str, str] | None = None


class Elementwise(Op):
    """value[i] = expression(operands[i]), with NumPy's broadcasting.

    Attributes:
        operands: the names of the operands, in order.
        value: makes the value as a sympy expression.
        partials: makes the partial, or a tuple of one per operand; None for sympy's.
        doc: one line for the catalogue; None for ops that only derivatives use.
        code: NumPy text of the kernel in {0}, {1}; without it, the function of NumPy or of `kernels` of the op's name.
        kink, outside: where the derivative is a convention, and where the function is not defined.
    """

    def __init__(
        self,
        name: str,
        value: Formula,
        partials: Formula | None = None,
        *,
        args: str = "x",
        code: Code | None = None,
        tame: bool = False,
        kind: str = "float",
        doc: str | None = None,
        kink: Special | None = None,
        outside: Special | None = None,
    ) -> None:
        self.name, self.doc = name, doc
        self._value, self._partials = value, partials
        self.kink, self.outside = kink, outside
        self.operands = tuple(args.split())
        self.tame, self.kind = tame, kind
        self.watches = kink is not None or outside is not None
        call = f"{name}({', '.join(f'{{{k}}}' for k in range(len(self.operands)))})"
        text = self._code = code or call
        if isinstance(text, str) and type(self).code is Elementwise.code:
            self.template = text
            self.infix = "call" if text == call else text[5] if text in _INFIX else None
            self.fresh = text != "{0}"
            self.reads_once = all(text.count(f"{{{k}}}") == 1 for k in range(len(self.operands)))

    @property
    def symbols(self) -> list[Any]:
        return [_OPERANDS[a] for a in self.operands]

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        first = args[0].shape
        for a in args:
            if a.shape != first:
                return broadcast(*[a.shape for a in args])
        return first

    def code(self, node: Apply) -> str:
        return self._code(node) if callable(self._code) else self._code.format(*names(node))

    def fold(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> float | None:
        numbers = literal_numbers(args) if self.kind == "float" else None
        if numbers is None:
            return None
        with np.errstate(all="ignore"):
            return float(self._function(*[np.float64(n) for n in numbers]))

    @cached_property
    def _function(self) -> Any:
        inputs = tuple(Value(k, ()) for k in range(len(self.operands)))
        return function(list(inputs), Apply(self, inputs), namespace("float64"))

    @cached_property
    def expression(self) -> Any:
        """The value as a sympy expression in x, y; also what a formula shows."""
        return self._value()

    @cached_property
    def derivatives(self) -> list[Any]:
        """The partials as sympy expressions (or 0, 1, -1), one per operand."""
        if self._partials is None:
            return [sp.diff(self.expression, s) for s in self.symbols]
        made = self._partials()
        return list(made) if isinstance(made, tuple) else [made]

    @cached_property
    def steps(self) -> bool:
        """Whether the value is constant in pieces: all partials are 0."""
        return all(p == 0 for p in self.derivatives)

    @cached_property
    def _programs(self) -> list[Partial | _Rule]:
        return [_Rule.of(p, [*self.symbols, f]) for p in self.derivatives]

    def partial(self, g: Graph, node: Apply, out: Value, i: int) -> Partial:
        """d value / d operand i as nodes."""
        rule = self._programs[i]
        return rule if isinstance(rule, Partial) else rule.build(g, [*node.args, out])

    @cached_property
    def _watched(self) -> list[tuple[str, Special, Program]]:
        return [
            (kind, special, compile_expression(special.condition(), [*self.symbols, f]))
            for kind, special in (("kink", self.kink), ("domain", self.outside))
            if special is not None
        ]

    def watch(self, g: Graph, node: Apply, out: Value) -> list[Watch]:
        return [
            Watch(kind, program.build(g, [*node.args, out]), special.text, special.sides)
            for kind, special, program in self._watched
        ]


class _Rule:
    """A partial, compiled: programs for factor, divisor and gate."""

    def __init__(self, factor: Program | None, divisor: Program | None, gate: Program | None) -> None:
        self.parts = (factor, divisor, gate)

    @classmethod
    def of(cls, partial: Any, symbols: list[Any]) -> Partial | _Rule:
        if partial == 0:
            return ZERO_PARTIAL
        if partial == 1:
            return ONE
        gate = None
        if isinstance(partial, sp.Piecewise) and len(partial.args) == 2:
            (first, condition), (second, _) = partial.args
            if 0 in (first, second):
                gate = compile_expression(condition if second == 0 else sp.Not(condition), symbols)
                partial = first if second == 0 else second
        over = [t for t in sp.Mul.make_args(partial) if t.is_Pow and t.exp.is_number and t.exp.is_negative]
        divisor = sp.Mul(*[sp.Pow(t.base, -t.exp) for t in over])
        factor = sp.Mul(*[t for t in sp.Mul.make_args(partial) if t not in over])
        return cls(
            None if factor == 1 else compile_expression(factor, symbols),
            None if divisor == 1 else compile_expression(divisor, symbols),
            gate,
        )

    def build(self, g: Graph, operands: list[Value]) -> Partial:
        factor, divisor, gate = (None if p is None else p.build(g, operands) for p in self.parts)
        return Partial(factor, divisor, gate)


def row(name: str, *formulas: Formula, head: Any = None, **options: Any) -> Elementwise:
    """Declares an elementwise op; `head` is the sympy function that stands for it in partials."""
    op = ELEMENTWISE[name] = Elementwise(name, *formulas, **options)
    register_head(name, op)
    if head is not None:
        register_head(head, op)
    return op


def call(name: str) -> Callable[..., Any]:
    """A function of the language inside a partial."""
    return sp.Function(name)  # type: ignore[no-any-return]


def gate(value: Any, condition: Any) -> Any:
    """A partial that is a structural zero where the condition does not hold."""
    return sp.Piecewise((value, condition), (0, True))
