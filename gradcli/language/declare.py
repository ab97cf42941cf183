"""How a function of the language is declared: a decorated Python function that builds nodes.

Its parameters are its signature; the name of a parameter says what kind of argument it takes (`axis`, `shape`,
`keepdims`, ...), everything else is an array. One line of doc and, where it is not plainly differentiable, the
derivative column of the catalogue complete the declaration.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from gradcli.errors import Fault, InternalError

__all__ = ["FUNCTIONS", "CallError", "Function", "Number", "Parameter", "function"]


class CallError(ValueError):
    """An argument does not do; the text says why and what would. The caller knows where it stands."""

    def __init__(self, message: str, help: str | None = None, kind: str = "argument") -> None:
        super().__init__(message)
        self.help = help
        self.kind = kind


# What kind of argument a parameter takes, by its name. Everything else is an array.
_KINDS = {
    "c": "condition",
    "axis": "axis",
    "one_axis": "int",
    "a_axis": "int",
    "b_axis": "int",
    "axes": "static",
    "source": "ints",
    "destination": "ints",
    "shape": "shape",
    "reps": "ints",
    "widths": "static",
    "shift": "ints",
    "keepdims": "flag",
    "approximate": "flag",
    "ddof": "number",
    "ord": "number",
    "k": "int",
    "n": "int",
    "depth": "int",
    "indices": "indices",
    "classes": "indices",
    "list": "arrays",
    "spec": "text",
    "a_number": "number",
    "b_number": "number",
    "step": "number",
    "lo": "bound",
    "hi": "bound",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: the name that users write, its kind and its default (`inspect.Parameter.empty`: required)."""

    name: str
    kind: str
    default: Any
    variadic: bool = False

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty and not self.variadic


@dataclass(frozen=True)
class Function:
    """A function of the language.

    Attributes:
        build: makes its node, from the graph and the arguments.
        derive, describe: `derivative` and `special`, or how to find them when the catalogue asks.
        renamed: parameters that users write by another name than `build` has.
        extra: the optional dependency that it needs.
    """

    name: str
    build: Callable[..., Any]
    doc: str
    derive: Callable[[], str] | str = "d"
    aliases: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)
    extra: str | None = None
    describe: Callable[[], tuple[str, ...]] | tuple[str, ...] = ()

    @property
    def derivative(self) -> str:
        """d (differentiable almost everywhere), 0 (connected, derivative 0) or cut (no path)."""
        return self.derive() if callable(self.derive) else self.derive

    @property
    def special(self) -> tuple[str, ...]:
        """What is taken at its kinks and outside its domain."""
        return self.describe() if callable(self.describe) else self.describe

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters after the graph."""
        _, *rest = inspect.signature(self.build).parameters.values()
        return tuple(
            Parameter(
                self.renamed.get(p.name, p.name),
                _KINDS.get(p.name, "array"),
                p.default,
                p.kind is inspect.Parameter.VAR_POSITIONAL,
            )
            for p in rest
        )

    @cached_property
    def only_arrays(self) -> int:
        """How many arguments it takes where all are arrays, in the order of the parameters; else -1."""
        plain = all(p.kind == "array" and not p.variadic for p in self.parameters)
        return len(self.parameters) if plain else -1

    @property
    def signature(self) -> str:
        """As users write it: `softmax(x, axis=-1)`."""
        parts = [
            ("..." if p.variadic else p.name) if p.variadic or p.required else f"{p.name}={p.default}"
            for p in self.parameters
        ]
        return f"{self.name}({', '.join(parts)})"


Number = Any  # a Value whose default is written as the number that it stands for
Build = TypeVar("Build", bound=Callable[..., Any])
FUNCTIONS: dict[str, Function] = {}


def register(f: Function) -> Function:
    """Adds a function, under its name and its aliases."""
    for name in (f.name, *f.aliases):
        if name in FUNCTIONS:
            raise InternalError(Fault("internal", f"{name} is declared twice"))
        FUNCTIONS[name] = f
    return f


def function(
    doc: str,
    *,
    derivative: str = "d",
    aliases: tuple[str, ...] = (),
    special: tuple[str, ...] = (),
    **renamed: str,
) -> Callable[[Build], Build]:
    """Declares the decorated builder as a function of the language. `renamed` maps a parameter to what users write
    where the two differ (`one_axis="axis"`: a single axis)."""

    def declare(build: Build) -> Build:
        register(Function(build.__name__, build, doc, derivative, aliases, renamed, describe=special))
        return build

    return declare
