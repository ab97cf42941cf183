"""What a question is answered with: frozen dataclasses that hold NumPy arrays. Imports NumPy and `errors` only.

What checks and comparisons of files have found is resolved on first use: making a dataclass takes time at every start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from gradcli.results.derivatives import (
    Array,
    Comparison,
    Gradient,
    Hessian,
    Jacobian,
    Note,
    Part,
    PerExample,
    Result,
    Rows,
)

if TYPE_CHECKING:
    from gradcli.results.changes import Change, ChangeKind, Changes, Tally
    from gradcli.results.checks import Check, Checked, CheckedFile, Difference, Verdict

__all__ = [
    "Array",
    "Change",
    "ChangeKind",
    "Changes",
    "Check",
    "Checked",
    "CheckedFile",
    "Comparison",
    "Difference",
    "Gradient",
    "Hessian",
    "Jacobian",
    "Note",
    "Part",
    "PerExample",
    "Result",
    "Rows",
    "Tally",
    "Verdict",
]

_HOME = {
    **dict.fromkeys(("Check", "Checked", "CheckedFile", "Difference", "Verdict"), "gradcli.results.checks"),
    **dict.fromkeys(("Change", "ChangeKind", "Changes", "Tally"), "gradcli.results.changes"),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'gradcli.results' has no attribute {name!r}")
    value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
