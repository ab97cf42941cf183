"""Independent methods: ways to a derivative that do not share their steps with reverse mode.

Each module has `run(subject, directions)`, which returns the check that is called `NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gradcli.checks.directions import Directions
from gradcli.checks.methods import differences, forward_mode, rows, symmetry, taylor
from gradcli.checks.subject import Subject
from gradcli.results import Check

__all__ = ["METHODS"]

METHODS: Mapping[str, Callable[[Subject, Directions], Check]] = {
    method.NAME: method.run for method in (forward_mode, differences, taylor, rows, symmetry)
}
