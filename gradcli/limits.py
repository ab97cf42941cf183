"""What takes too much memory is refused before it costs anything."""

from __future__ import annotations

import os
from collections.abc import Iterable

from gradcli.core.shapes import Shape, ShapeError, bounded, size
from gradcli.errors import Fault, InputError

__all__ = ["LimitError", "allowed_bytes", "refuse_large", "refuse_memory"]


class LimitError(InputError):
    """What was asked for takes more memory than is allowed."""


def refuse_large(shapes: Iterable[Shape], itemsize: int, limit: int | None) -> int:
    """The bytes of results of these shapes; LimitError where they are more than `limit`, or one of them is larger than
    an array can be."""
    shapes = list(shapes)
    needed = sum(size(shape) for shape in shapes) * itemsize
    refuse_memory(needed, limit)
    try:
        for shape in shapes:
            bounded(shape)
    except ShapeError as error:
        raise LimitError(Fault("limit", str(error), "choose fewer targets (-t) or sources (-s)")) from None
    return needed


def refuse_memory(needed: int, limit: int | None) -> None:
    """LimitError where more bytes are needed than `limit` (default: a quarter of the machine's memory)."""
    allowed = allowed_bytes(limit)
    if needed > allowed:
        raise LimitError(
            Fault(
                "limit",
                f"this needs about {_text(needed)} of memory, more than the limit of {_text(allowed)}",
                "choose fewer targets (-t) or sources (-s), or raise the limit with --max-memory",
            )
        )


def allowed_bytes(limit: int | None) -> int:
    """`limit`, or a quarter of the machine's memory."""
    return limit if limit is not None else _quarter_of_memory()


def _quarter_of_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, ValueError, OSError):
        return 2 * 1024**3


def _text(n: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1024
    return f"{n:.1f} TiB"
