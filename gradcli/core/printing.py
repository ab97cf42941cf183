"""sympy's NumPy printer, and the names that generated code may use besides NumPy's own."""

from __future__ import annotations

from typing import Any

from sympy import lambdify
from sympy.printing.numpy import NumPyPrinter

__all__ = ["function"]

_SETTINGS = {"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True}


class _Printer(NumPyPrinter):  # type: ignore[misc]
    """Lets a node print itself without the walk that sympy's `doprint` makes over every expression first."""

    def doprint(self, expr: Any, assign_to: Any = None) -> str:
        own = getattr(expr, "_numpycode", None)
        return own(self) if own is not None else super().doprint(expr, assign_to)  # type: ignore[no-any-return]


def function(inputs: list[Any], outputs: Any, names: dict[str, Any], cse: Any = False) -> Any:
    """The NumPy function of sympy nodes, by sympy's lambdify. Only names that gradcli made reach the generated text;
    `names` are those that it may call; lambdify's own "numpy" would import all that NumPy has, its tests included."""
    return lambdify(inputs, outputs, modules=[names], printer=_Printer(_SETTINGS), cse=cse)
