"""The point of a function of the user's own: one argument, several positional ones, or keywords."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.checks.numbers import Numbers

__all__ = ["Arguments", "Refusal", "kind_of", "name_of", "numbers"]

__tracebackhide__ = True  # of pytest: a failed assertion shows the caller's lines

_REAL = "biuf"


class Refusal(Exception):  # noqa: N818 - it carries the error that the caller sees
    """Why nothing can be checked: a TypeError or ValueError."""

    def __init__(self, error: TypeError | ValueError) -> None:
        super().__init__(error)
        self.error = error


def name_of(fun: Callable[..., Any]) -> str:
    """What messages call a function."""
    inner = getattr(fun, "func", fun)  # functools.partial
    name = getattr(inner, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else "fun"


def kind_of(value: object) -> str:
    """`an array of str`, `a Circle`: what was found in place of numbers."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return f"an array of {value.dtype.name}"
    return "None" if value is None else f"of type {type(value).__name__}"


def numbers(value: Any, what: str) -> Numbers:
    """As an array of real numbers; TypeError, which names `what`, for anything else."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):  # nested lists of several lengths
        raise Refusal(TypeError(f"{what} must be an array of real numbers: the lists in it differ in length")) from None
    if array.dtype.kind == "c":
        raise Refusal(TypeError(f"{what} is complex: derivatives are of real numbers only"))
    if array.dtype.kind not in _REAL:
        shown = kind_of(array if isinstance(value, list | tuple) else value)
        raise Refusal(TypeError(f"{what} must be a number or an array of real numbers, and is {shown}"))
    return array


@dataclass(frozen=True)
class Arguments:
    """The arguments by name, as they were given.

    Attributes:
        form: `one`, `positional` or `keyword`.
        given: all of them.
        moved: the names of those that are differentiated by.
    """

    form: str
    given: Mapping[str, Any]
    moved: tuple[str, ...]

    @classmethod
    def of(cls, fun: Callable[..., Any], x: Any) -> Arguments:
        """All of them are to be differentiated by."""
        if isinstance(x, Mapping):
            form, given = "keyword", dict(x)
        elif isinstance(x, tuple):
            form, given = "positional", dict(zip(_names(fun, len(x)), x, strict=True))
        else:
            form, given = "one", dict(zip(_names(fun, 1), [x], strict=True))
        if not given:
            raise Refusal(ValueError("x is empty: there is nothing to differentiate by"))
        return cls(form, given, tuple(given))

    def only(self, names: set[str]) -> Arguments:
        """Only these are differentiated by."""
        return replace(self, moved=tuple(name for name in self.moved if name in names))

    @property
    def real(self) -> set[str]:
        """The names of those that are made of numbers; of a single one no other is possible."""
        return {name for name, v in self.given.items() if self.form == "one" or _is_real(v)}

    @property
    def has_integers(self) -> bool:
        """Whether one of several is made of integers, which may be no numbers to differentiate by."""
        return self.form != "one" and any(_is_integer(v) for v in self.given.values())

    @property
    def arrays(self) -> dict[str, Numbers]:
        """Those that are differentiated by, as float64."""
        return {name: numbers(self.given[name], name).astype(np.float64) for name in self.moved}

    @cached_property
    def _scalars(self) -> set[str]:
        return {n for n in self.moved if not isinstance(self.given[n], np.ndarray) and np.ndim(self.given[n]) == 0}

    def call(self, fun: Callable[..., Any], arrays: Mapping[str, Numbers]) -> Any:
        """fun at other arrays, which it may keep. A scalar stays one."""
        values = {name: _copied(value) for name, value in self.given.items()}
        for name, array in arrays.items():
            values[name] = array[()] if name in self._scalars else array
        return fun(**values) if self.form == "keyword" else fun(*values.values())

    def split(self, given: Any, what: str) -> dict[str, Numbers | None]:
        """A derivative by each argument from what has the form of the arguments; TypeError where it has not."""
        names = list(self.given)
        if self.form == "one":
            return {names[0]: numbers(given, what)}
        if self.form == "keyword":
            if not isinstance(given, Mapping) or set(given) != set(names):
                found = f"has the keys {', '.join(map(str, given))}" if isinstance(given, Mapping) else _found(given)
                raise Refusal(TypeError(f"{what} must be a mapping with the keys {', '.join(names)}, and {found}"))
            by_name = {name: given[name] for name in names}
        else:
            if not isinstance(given, tuple | list) or len(given) != len(names):
                found = f"has {len(given)}" if isinstance(given, tuple | list) else _found(given)
                each = f"a derivative by each argument ({', '.join(names)})"
                raise Refusal(TypeError(f"{what} must be a tuple with {each}, and {found}"))
            by_name = dict(zip(names, given, strict=True))
        if all(v is None for v in by_name.values()):
            raise Refusal(TypeError(f"{what} is None for every argument: there is nothing to check"))
        return {name: None if v is None else numbers(v, f"{what} by {name}") for name, v in by_name.items()}


def _is_real(value: object) -> bool:
    try:
        return np.asarray(value).dtype.kind in _REAL
    except (TypeError, ValueError):
        return False


def _is_integer(value: object) -> bool:
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, int | np.integer) or (isinstance(value, np.ndarray) and value.dtype.kind in "iub")


def _found(given: object) -> str:
    return f"is {kind_of(given)}"


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _names(fun: Callable[..., Any], count: int) -> list[str]:
    """Those in the signature; without one `x`, or `argument 1`."""
    try:
        parameters = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in parameters if p.kind in positional][:count]
    if count == 1:
        return names or ["x"]
    return names + [f"argument {k + 1}" for k in range(len(names), count)]
