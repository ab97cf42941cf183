"""A Jacobian that may be larger than memory: which files it can be written to, and how far that is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from gradcli.cli.progress import Work
from gradcli.report import suffix_of

if TYPE_CHECKING:
    from gradcli.results import Part, Result

__all__ = ["advised", "counted", "is_written_by_rows"]


def is_written_by_rows(path: str | None) -> bool:
    """Whether the format of the file does not need all rows at once."""
    return path is not None and suffix_of(path) in (".csv", ".npy")


@contextmanager
def advised() -> Iterator[None]:
    """Inside, an answer that is refused for its size comes with the advice to write it by rows."""
    from gradcli.errors import InputError

    try:
        yield
    except InputError as error:
        from gradcli.limits import LimitError

        if not isinstance(error, LimitError):
            raise
        help_ = "write it row by row with -o rows.npy or -o rows.csv, or "
        raise LimitError(*[replace(f, help=help_ + (f.help or "")) for f in error.faults]) from None


def counted(result: Result, work: Work) -> Result:
    """The result; if it is computed while it is read, `work` is told how far that is."""
    from gradcli.results import Rows

    if not isinstance(result, Rows):
        return result
    work.total = sum(value.size for value in result.targets.values())
    parts = result.parts

    def told(name: str) -> Iterator[Part]:
        for part in parts(name):
            yield part
            work.done += part.count
            del part  # before the next is computed

    return replace(result, parts=told)
