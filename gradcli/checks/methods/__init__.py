"""Independent methods: ways to a derivative that do not share their steps with reverse mode.

Each module has `run(subject, directions)`, which returns a check.
"""

from __future__ import annotations

from collections.abc import Callable

from gradcli.checks.directions import Directions
from gradcli.checks.methods import differences, forward_mode, rows, symmetry, taylor
from gradcli.checks.subject import Subject
from gradcli.results import Check

__all__ = ["METHODS"]

METHODS: tuple[Callable[[Subject, Directions], Check], ...] = (
    forward_mode.run,
    differences.run,
    taylor.run,
    rows.run,
    symmetry.run,
)
