"""What the entries of results are called."""

from __future__ import annotations

from typing import Any

__all__ = ["entry_text"]


def entry_text(index: tuple[Any, ...]) -> str:
    """`[0,1]`; nothing for a scalar."""
    return f"[{','.join(str(int(k)) for k in index)}]" if index else ""
