"""The namespace of functions: lookup and listing."""

from __future__ import annotations

from gradcli.errors import Fault, InputError
from gradcli.language import functions as _declared  # noqa: F401  (importing it declares them)
from gradcli.language.declare import FUNCTIONS, Function
from gradcli.language.spelling import function_help

__all__ = ["catalogue", "function_names", "functions", "lookup"]


def lookup(name: str) -> Function | None:
    """The function of that name or alias."""
    return FUNCTIONS.get(name)


def functions() -> list[Function]:
    """All functions, each once, by name."""
    return sorted({id(f): f for f in FUNCTIONS.values()}.values(), key=lambda f: f.name)


def catalogue(name: str | None = None) -> list[dict[str, object]]:
    """What `gradcli functions` shows of each function, or of the one that is named; InputError if there is none."""
    found = functions() if name is None else [f for f in [lookup(name)] if f is not None]
    if not found:
        raise InputError(Fault("name", f"there is no function '{name}'", function_help(name or "")))
    return [
        {
            "name": f.name,
            "signature": f.signature,
            "doc": f.doc,
            "derivative": f.derivative,
            "aliases": list(f.aliases),
            "special": list(f.special),
            "extra": f.extra,
        }
        for f in found
    ]


def function_names() -> list[str]:
    """All names, aliases included."""
    return list(FUNCTIONS)
