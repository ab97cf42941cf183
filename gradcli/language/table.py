"""The namespace of functions: lookup and listing."""

from __future__ import annotations

from gradcli.language import functions as _declared  # noqa: F401  (importing it declares them)
from gradcli.language.declare import FUNCTIONS, Function

__all__ = ["function_names", "functions", "lookup"]


def lookup(name: str) -> Function | None:
    """The function of that name or alias."""
    return FUNCTIONS.get(name)


def functions() -> list[Function]:
    """All functions, each once, by name."""
    return sorted({id(f): f for f in FUNCTIONS.values()}.values(), key=lambda f: f.name)


def function_names() -> list[str]:
    """All names, aliases included."""
    return list(FUNCTIONS)
