"""Checked syntax -> nodes of the graph. An explicit stack takes the place of recursion, so depth costs nothing."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from gradcli.core.elementwise import ELEMENTWISE
from gradcli.core.graph import Graph
from gradcli.core.nodes import Literal, Value
from gradcli.core.ops.elementwise import neg, power_of, where
from gradcli.core.ops.elementwise import power as power_op
from gradcli.core.shapes import ShapeError, show
from gradcli.errors import InputError
from gradcli.language.arguments import PAIRWISE, bind_arguments
from gradcli.language.convert import Converter, Span
from gradcli.language.declare import CallError
from gradcli.language.functions.linear import matmul, transpose
from gradcli.language.indexing import apply_index
from gradcli.language.names import did_you_mean, fold
from gradcli.language.parse import Expression
from gradcli.language.spelling import dotted_name, function_help
from gradcli.language.syntax import parts_of
from gradcli.language.table import lookup

__all__ = ["CONSTANTS", "Builder"]

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}

_BINARY = {
    ast.Add: ("add", "+"),
    ast.Sub: ("sub", "-"),
    ast.Mult: ("mul", "*"),
    ast.Div: ("div", "/"),
    ast.FloorDiv: ("floor_divide", "//"),
    ast.Mod: ("mod", "%"),
    ast.Pow: ("power", "**"),
    ast.MatMult: ("matmul", "@"),
    ast.BitAnd: ("logical_and", "&"),
    ast.BitOr: ("logical_or", "|"),
}
_COMPARE = {
    ast.Gt: "greater",
    ast.Lt: "less",
    ast.GtE: "greater_equal",
    ast.LtE: "less_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}


@dataclass
class Builder:
    """Builds expressions into one graph.

    Attributes:
        names: what each name of the file (after NFKC) stands for.
        converter: turns arguments into what parameters take; knows the point, for indices that depend on a source.
    """

    graph: Graph
    names: Mapping[str, Value]
    converter: Converter

    def build(self, x: Expression) -> Value:
        """The value of an expression; InputError at the part that does not fit."""
        done: list[Any] = []
        work: list[tuple[ast.AST, int]] = [(x.root, -1)]  # how many parts are done; -1: not looked at yet
        with self.graph.placing():
            while work:
                node, count = work.pop()
                if count < 0:
                    children = parts_of(node)
                    if children:
                        work.append((node, len(children)))
                        work.extend([(child, -1) for child in reversed(children)])
                        continue
                parts = done[len(done) - count :] if count > 0 else []
                del done[len(done) - len(parts) :]
                done.append(self._at(x, node, _COMBINE[type(node)], parts))
            value: Value = self._at(x, x.root, Builder._whole, done)
        return value

    def _at(self, x: Expression, node: ast.AST, make: Callable[..., Any], parts: list[Any]) -> Any:
        """Makes `node` of its parts, with its place; what does not fit becomes an error there."""
        self.graph.place = Span(x, node)
        try:
            return make(self, x, node, parts)
        except CallError as e:
            raise InputError(x.fault(node, e.kind, str(e), e.help)) from None
        except ShapeError as e:
            raise InputError(x.fault(node, "shape", f"{_call_name(node)}{e}")) from None
        except MemoryError:
            raise InputError(x.fault(node, "limit", "not enough memory for this value")) from None

    def _whole(self, x: Expression, node: ast.AST, parts: list[Any]) -> Value:
        return self.converter.array(parts[0])

    # -- one kind of syntax each ---------------------------------------------------------------------------------

    def _constant(self, x: Expression, node: ast.Constant, parts: list[Any]) -> Any:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            return node.value  # None, True, text, ...: only as arguments; `Converter.array` refuses them
        return self.graph.literal(float(node.value))

    def _name(self, x: Expression, node: ast.expr, parts: list[Any]) -> Value:
        name = fold(dotted_name(node))
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return self.graph.literal(CONSTANTS[name])
        raise InputError(x.fault(node, *unknown_name(name, x.text.owner, list(self.names))))

    def _binary(self, x: Expression, node: ast.BinOp, parts: list[Any]) -> Value:
        name, symbol = _BINARY[type(node.op)]
        if name in ("logical_and", "logical_or"):
            a, b = (self.converter.condition(p) for p in parts)
        else:
            a, b = (self.converter.array(p) for p in parts)
        try:
            if name == "matmul":
                return matmul(self.graph, a, b)
            if name == "power":
                return _power(self.graph, a, b)
            return ELEMENTWISE[name](self.graph, a, b)
        except ShapeError as e:
            left, right = (_short(x.source(side)) for side in (node.left, node.right))
            shapes = f"{left} {show(a.shape)} {symbol} {right} {show(b.shape)}"
            reason = str(e) if name == "matmul" else "the shapes do not broadcast"
            raise InputError(x.fault(node, "shape", f"{shapes}: {reason}")) from None

    def _unary(self, x: Expression, node: ast.UnaryOp, parts: list[Any]) -> Value:
        if isinstance(node.op, ast.Invert | ast.Not):
            return ELEMENTWISE["logical_not"](self.graph, self.converter.condition(parts[0]))
        value = self.converter.array(parts[0])
        return neg(self.graph, value) if isinstance(node.op, ast.USub) else value

    def _compare(self, x: Expression, node: ast.Compare, parts: list[Any]) -> Value:
        values = [self.converter.array(p) for p in parts]
        steps = [
            ELEMENTWISE[_COMPARE[type(op)]](self.graph, a, b)
            for op, a, b in zip(node.ops, values[:-1], values[1:], strict=True)
        ]
        return self._joined("logical_and", steps)

    def _bool(self, x: Expression, node: ast.BoolOp, parts: list[Any]) -> Value:
        name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        return self._joined(name, [self.converter.condition(p) for p in parts])

    def _joined(self, name: str, conditions: list[Value]) -> Value:
        first, *rest = conditions
        for condition in rest:
            first = ELEMENTWISE[name](self.graph, first, condition)
        return first

    def _if(self, x: Expression, node: ast.IfExp, parts: list[Any]) -> Value:
        condition, a, b = parts
        return where(self.graph, self.converter.condition(condition), self.converter.array(a), self.converter.array(b))

    def _attribute(self, x: Expression, node: ast.Attribute, parts: list[Any]) -> Value:
        if fold(dotted_name(node)) in self.names:
            return self._name(x, node, parts)
        return transpose(self.graph, self.converter.array(parts[0]))

    def _call(self, x: Expression, node: ast.Call, parts: list[Any]) -> Value:
        name = node.func.id  # type: ignore[attr-defined]  # anything else was refused with the syntax
        f = lookup(name)
        if f is None:
            raise InputError(x.fault(node.func, *self._unknown_function(name)))
        positional = parts[: len(node.args)]
        named = {k.arg or "": p for k, p in zip(node.keywords, parts[len(node.args) :], strict=True)}
        arguments = bind_arguments(f, positional, named, self.converter)
        try:
            return f.build(self.graph, *arguments)  # type: ignore[no-any-return]
        except ShapeError as e:
            if len(positional) > 1 and name in PAIRWISE:
                raise CallError(f"{name}: {e}", f"for two values write {PAIRWISE[name]}", kind="shape") from None
            raise

    def _unknown_function(self, name: str) -> tuple[str, str, str | None]:
        if fold(name) in self.names or name in CONSTANTS:
            return "syntax", f"'{name}' is a value, not a function", f"multiply with *: {name} * (...)"
        return "name", f"unknown function '{name}'", function_help(name)

    def _subscript(self, x: Expression, node: ast.Subscript, parts: list[Any]) -> Value:
        value, index = parts
        return apply_index(self.converter, self.converter.array(value), index, _short(x.source(node.value)))

    def _list(self, x: Expression, node: ast.List, parts: list[Any]) -> list[Any]:
        return parts

    def _tuple(self, x: Expression, node: ast.Tuple, parts: list[Any]) -> tuple[Any, ...]:
        return tuple(parts)

    def _slice(self, x: Expression, node: ast.Slice, parts: list[Any]) -> slice:
        given = iter(parts)
        bounds = [None if p is None else next(given) for p in (node.lower, node.upper, node.step)]
        return slice(*[None if b is None else self.converter.integer(b, "a slice bound") for b in bounds])


_COMBINE: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Constant: Builder._constant,
    ast.Name: Builder._name,
    ast.BinOp: Builder._binary,
    ast.UnaryOp: Builder._unary,
    ast.Compare: Builder._compare,
    ast.BoolOp: Builder._bool,
    ast.IfExp: Builder._if,
    ast.Attribute: Builder._attribute,
    ast.Call: Builder._call,
    ast.Subscript: Builder._subscript,
    ast.List: Builder._list,
    ast.Tuple: Builder._tuple,
    ast.Slice: Builder._slice,
}


def _power(g: Graph, base: Value, exponent: Value) -> Value:
    """base ** exponent; a square is the op for squares."""
    if isinstance(exponent, Literal) and exponent.number == 2:
        return power_of(g, base, 2.0)
    return power_op(g, base, exponent)


def unknown_name(name: str, owner: str, names: list[str], labels: Collection[str] = ()) -> tuple[str, str, str | None]:
    """Kind, message and help for a name that nothing defines; `labels` are the names of targets."""
    if lookup(name) is not None:
        return "name", f"'{name}' in {owner} is a function and needs arguments", f"write {name}(...)"
    if name in labels:
        return "name", f"'{name}' in {owner} is a target, and expressions cannot use targets", "move it to let"
    guess = did_you_mean(name, [*names, *CONSTANTS])
    help = f"did you mean '{guess}'?" if guess else "define it under sources, constants or let"
    return "name", f"unknown name '{name}' in {owner}", help


def _call_name(node: ast.AST) -> str:
    """`solve: ` in front of a message about a call."""
    return f"{node.func.id}: " if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _short(text: str, limit: int = 40) -> str:
    """A sub-expression for a message, on one line."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."
