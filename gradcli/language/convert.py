"""Evaluated arguments -> what a parameter takes: arrays, conditions, axes, shapes, indices.

Shapes, axes, counts and indices are part of the graph's structure, so they must be known while it is built: constants.
An index that depends on a source is taken at the point, and cuts the path.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gradcli.core.compile import compile_graph, numbers
from gradcli.core.elementwise import ELEMENTWISE
from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.elementwise import where
from gradcli.core.shapes import ShapeError, show
from gradcli.errors import Place
from gradcli.language.declare import CallError
from gradcli.language.functions.arrange import stack_values
from gradcli.language.parse import Expression

__all__ = ["Converter", "Span"]


class Span(NamedTuple):
    """Where a node of the graph comes from; looked up in the file only when it is reported."""

    expression: Expression
    node: ast.AST

    def place(self) -> Place:
        return self.expression.text.locate(*self.expression.span(self.node))

    def source(self) -> str:
        return self.expression.source(self.node)


@dataclass
class Converter:
    """`point`: the numbers of the graph's inputs, by index; `frozen`: values that were taken at the point."""

    graph: Graph
    point: Mapping[int, NDArray[Any]]
    frozen: list[tuple[Value, Any]] = field(default_factory=list)

    # -- values of the graph -------------------------------------------------------------------------------------

    def array(self, given: Any) -> Value:
        """A real array. Conditions count as 1 and 0; lists are stacked."""
        if isinstance(given, list):
            if not given:
                raise CallError("an empty list is no array", kind="shape")
            return stack_values(self.graph, [self.array(part) for part in given], 0)
        if isinstance(given, Value):
            if given.kind == "bool":
                return where(self.graph, given, self.graph.literal(1.0), self.graph.literal(0.0))
            return given
        raise CallError(f"{_describe(given)} is no number", _array_help(given), kind="value")

    def condition(self, given: Any) -> Value:
        """A condition; a number counts as whether it is not 0."""
        if isinstance(given, Value) and given.kind == "bool":
            return given
        return ELEMENTWISE["not_equal"](self.graph, self.array(given), self.graph.literal(0.0))

    # -- constants of the structure ------------------------------------------------------------------------------

    def numbers(self, given: Any, what: str, *, frozen: bool = False) -> NDArray[Any]:
        """The numbers of a constant; with `frozen` also of something that depends on a source, at the point."""
        value = self.array(given) if not (isinstance(given, Value) and given.kind == "bool") else given
        if not self.graph.varying[value.index]:
            return numbers(self.graph, value)
        if not frozen:
            raise CallError(f"{what} must be a constant, and this depends on a source")
        self.frozen.append((value, self.graph.place))
        inputs = [v for i, v in enumerate(self.graph.values) if i in self.point]
        (found,) = compile_graph(self.graph, inputs, [value])(*[self.point[v.index] for v in inputs])
        return found

    def integers(self, given: Any, what: str, *, frozen: bool = False) -> NDArray[np.intp]:
        """Whole numbers, which may be written as floats."""
        found = self.numbers(given, what, frozen=frozen)
        if not np.isfinite(found).all() or (found != np.floor(found)).any() or (np.abs(found) > 2**52).any():
            raise CallError(f"{what} must be whole numbers, got {_numbers_text(found)}", kind="value")
        return found.astype(np.intp)

    def integer(self, given: Any, what: str) -> int:
        """One whole number."""
        found = self.integers(given, what)
        if found.ndim:
            raise CallError(f"{what} must be one whole number, got shape {show(found.shape)}")
        return int(found)

    def static(self, given: Any, what: str) -> Any:
        """None, a whole number, or tuples of such."""
        if given is None:
            return None
        if isinstance(given, list | tuple):
            return tuple(self.static(part, what) for part in given)
        found = self.integers(given, what)
        return found.tolist() if not found.ndim else tuple(found.tolist())

    def argument(self, given: Any, kind: str, name: str) -> Any:
        """The argument as a parameter of that kind takes it."""
        return getattr(self, f"_{kind}")(given, name)

    # -- one kind of parameter each ------------------------------------------------------------------------------

    def _array(self, given: Any, name: str) -> Value:
        return self.array(given)

    def _condition(self, given: Any, name: str) -> Value:
        return self.condition(given)

    def _arrays(self, given: Any, name: str) -> list[Value]:
        if not isinstance(given, list | tuple) or not given:
            raise CallError(f"{name} must be a list of arrays", "write [a, b]")
        return [self.array(part) for part in given]

    def _axis(self, given: Any, name: str) -> Any:
        axis = self.static(given, name)
        if isinstance(axis, tuple) and not all(isinstance(k, int) for k in axis):
            raise CallError(f"{name} must be a whole number, a tuple of them, or None")
        return axis

    def _ints(self, given: Any, name: str) -> Any:
        found = self.static(given, name)
        if not all(isinstance(n, int) for n in (found if isinstance(found, tuple) else (found,))):
            raise CallError(f"{name} must be a whole number or a tuple of them")
        return found

    def _static(self, given: Any, name: str) -> Any:
        return self.static(given, name)

    def _shape(self, given: Any, name: str) -> tuple[int, ...]:
        shape = self.static(given, name)
        shape = (shape,) if isinstance(shape, int) else shape
        if shape is None:
            raise CallError(f"{name} must be given", "write (2, 3)")
        if not all(isinstance(n, int) for n in shape):
            raise CallError(f"{name} must be whole numbers", "write (2, 3)")
        if any(n < -1 for n in shape):
            raise ShapeError(f"a size cannot be negative: {show(shape)}")
        return tuple(shape)

    def _int(self, given: Any, name: str) -> int:
        return self.integer(given, name)

    def _number(self, given: Any, name: str) -> float:
        found = self.numbers(given, name)
        if found.ndim:
            raise CallError(f"{name} must be one number, got shape {show(found.shape)}")
        return float(found)

    def _flag(self, given: Any, name: str) -> bool:
        if isinstance(given, bool):
            return given
        if isinstance(given, Value) and not self.graph.varying[given.index]:
            return bool(self.numbers(given, name).all())
        raise CallError(f"{name} must be True or False")

    def _text(self, given: Any, name: str) -> str:
        if not isinstance(given, str):
            raise CallError(f"{name} must be a quoted text", "write einsum('ij,jk->ik', a, b)")
        return given

    def _bound(self, given: Any, name: str) -> Value | None:
        return None if given is None else self.array(given)

    def _indices(self, given: Any, name: str) -> NDArray[np.intp]:
        return self.integers(given, name, frozen=True)


def _describe(given: Any) -> str:
    if given is Ellipsis:
        return "'...'"
    if isinstance(given, str):
        return f"the text {given[:30]!r}"
    return {tuple: "a tuple", slice: "a slice"}.get(type(given), str(given))


def _array_help(given: Any) -> str | None:
    if isinstance(given, bool):
        return f"write {int(given)}"
    if isinstance(given, tuple):
        return "write an array as a list: [a, b]"
    return "text is only the spec of einsum" if isinstance(given, str) else None


def _numbers_text(found: NDArray[Any]) -> str:
    bad = found[~np.isfinite(found) | (found != np.floor(found))]
    return f"{float(bad.flat[0]) if bad.size else float(found.flat[0])!r}"
