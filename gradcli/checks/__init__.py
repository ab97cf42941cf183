"""Checks that people can trust: a file's expectations, and independent ways to the same derivatives.

`check` is resolved on first use: what checks functions of NumPy (`gradcli.testing`) has no need of the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.checks.run import check

__all__ = ["check"]


def __getattr__(name: str) -> object:
    if name != "check":
        raise AttributeError(f"module 'gradcli.checks' has no attribute {name!r}")
    from gradcli.checks.run import check

    globals()[name] = check
    return check
