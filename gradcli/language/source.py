"""A piece of the user's text that remembers where each of its characters stands in the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gradcli.errors import Fault, InputError, Place

__all__ = ["Text", "plain_text"]


class Text(NamedTuple):
    """`text` as the parser reads it; `owner` names it in messages (`target 'loss'`).

    `locate(offset, length)` gives the place in the file of `length` characters of `text` from `offset` on.
    """

    text: str
    owner: str
    locate: Callable[[int, int], Place]

    def fault(
        self, kind: str, message: str, help: str | None = None, *, at: int = 0, length: int | None = None
    ) -> Fault:
        """A fault at `length` characters from `at` on; without a length at the rest of the text."""
        size = len(self.text) - at if length is None else length
        return Fault(kind, message, help, self.locate(at, max(size, 1)))

    def error(
        self, kind: str, message: str, help: str | None = None, *, at: int = 0, length: int | None = None
    ) -> InputError:
        """The same as `fault`, ready to be raised."""
        return InputError(self.fault(kind, message, help, at=at, length=length))


def plain_text(text: str, owner: str, file: str | None = None) -> Text:
    """Text that does not come from a file (an option, the Python API): places are lines of the text itself."""

    def locate(offset: int, length: int) -> Place:
        before = text[:offset]
        start = before.rfind("\n") + 1
        line = text[start:].split("\n", 1)[0]
        return Place(
            file, before.count("\n") + 1, offset - start + 1, min(length, max(1, len(line) - (offset - start))), line
        )

    return Text(text, owner, locate)
