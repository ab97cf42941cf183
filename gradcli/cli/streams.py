"""Standard output and error: who may have colour, how wide the page is, and how to end when the reader has gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, TextIO

from gradcli.errors import Fault, InputError

__all__ = ["Outcome", "deliver", "is_terminal", "page_width", "silence", "wants_color"]


class Outcome(NamedTuple):
    """What a command ends with: all of standard output, the lines for standard error, the exit status.

    `utf8` is for data (JSON, CSV), which has one encoding everywhere; a table has the terminal's. `utf8_messages` is
    for errors in JSON.
    """

    text: str = ""
    messages: Sequence[str] = ()
    status: int = 0
    utf8: bool = False
    utf8_messages: bool = False


def deliver(outcome: Outcome) -> int:
    """Writes `outcome` and returns its status. A reader that has gone (`| head`) is no error.

    Raises:
        InputError: standard output cannot be written, for example because the disk is full.
    """
    if outcome.text:
        _write_out(outcome)
    if outcome.messages and sys.stderr is not None:
        with suppress(OSError):
            _set_encoding(sys.stderr, utf8=outcome.utf8_messages)
            sys.stderr.write("".join(f"{message}\n" for message in outcome.messages))
            sys.stderr.flush()
    return outcome.status


def _write_out(outcome: Outcome) -> None:
    if sys.stdout is None:
        raise InputError(Fault("output", "cannot write to standard output: it is closed"))
    _set_encoding(sys.stdout, utf8=outcome.utf8)
    try:
        sys.stdout.write(outcome.text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
    except OSError as error:
        silence(sys.stdout)
        raise InputError(Fault("output", f"cannot write to standard output: {error.strerror}")) from error


def _set_encoding(stream: TextIO, *, utf8: bool) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure and utf8:
        reconfigure(encoding="utf-8", newline="\n")
    elif reconfigure:
        reconfigure(errors="backslashreplace")


def silence(stream: TextIO | None) -> None:
    """Points `stream` at nowhere, so that what is still in its buffer raises nothing when the interpreter ends."""
    with suppress(AttributeError, OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())  # type: ignore[union-attr]


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sits at `stream`."""
    return stream is not None and not stream.closed and stream.isatty()


def wants_color(stream: TextIO | None) -> bool:
    """NO_COLOR, then FORCE_COLOR (each if not empty), then whether `stream` is a terminal that can."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def page_width() -> int:
    """COLUMNS, else the width of the terminal, else 80."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    with suppress(AttributeError, OSError, ValueError):
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    return 80
