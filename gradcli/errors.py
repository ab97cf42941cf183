"""What can go wrong, as values: a fault has a kind, a message, a place and a help text.

Raised anywhere, rendered in one place (`gradcli.report.diagnostics`). This module imports nothing but the
standard library, so every other module may import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["Fault", "GradcliError", "InputError", "InternalError", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A run of characters in a file: 1-based `line` and `column`, both counted in characters.

    `source` is the text of that line, for the caret; `path` (`targets.loss`) stands in where no line is known.
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None
    length: int = 1
    source: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with the input: `kind` is a stable word for programs, `help` says what to do."""

    kind: str
    message: str
    help: str | None = None
    place: Place | None = None


class GradcliError(Exception):
    """Base of all errors that gradcli raises on purpose; `exit_status` is what the command line ends with."""

    exit_status: ClassVar[int] = 2

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(f.message for f in faults))
        self.faults = faults


class InputError(GradcliError):
    """The file, an option or the call is wrong. Holds all the faults that were found, in the order of the file."""


class InternalError(GradcliError):
    """gradcli itself is wrong."""

    exit_status: ClassVar[int] = 3
