"""gradcli: the gradient that sums over all outputs, and the Jacobian whose rows it sums.

The public names are resolved on first use, so that `import gradcli` loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.api import compare, grad, hessian, jacobian
    from gradcli.changes import diff
    from gradcli.checks import check
    from gradcli.errors import InputError
    from gradcli.results import Change, Changes, Check, Checked, Comparison, Gradient, Hessian, Jacobian, Note

    __version__: str

__all__ = [
    "Change",
    "Changes",
    "Check",
    "Checked",
    "Comparison",
    "Gradient",
    "Hessian",
    "InputError",
    "Jacobian",
    "Note",
    "__version__",
    "check",
    "compare",
    "diff",
    "grad",
    "hessian",
    "jacobian",
]

_HOME = {
    **dict.fromkeys(("compare", "grad", "hessian", "jacobian"), "gradcli.api"),
    **dict.fromkeys(
        ("Change", "Changes", "Check", "Checked", "Comparison", "Gradient", "Hessian", "Jacobian", "Note"),
        "gradcli.results",
    ),
    "check": "gradcli.checks",
    "diff": "gradcli.changes",
    "InputError": "gradcli.errors",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name not in _HOME:
        raise AttributeError(f"module 'gradcli' has no attribute {name!r}")
    value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gradcli")
    except PackageNotFoundError:  # a source tree that was never installed
        return "unknown"
