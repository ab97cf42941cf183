"""From a result to an outcome: the options that say in which format it is shown, and whether a file takes it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

from gradcli.cli.streams import Outcome, page_width, wants_color
from gradcli.errors import Fault, InputError
from gradcli.report import FORMATS, SUFFIXES, Format, Kind, ReportOptions, formats, render, suffix_of, write

if TYPE_CHECKING:
    from gradcli.results import Changes, Checked, Result

__all__ = ["Shown", "check_shown", "chosen_format", "present", "usage_error", "wants_json"]


class Shown(Protocol):
    """The options of every call whose result can be shown in several formats."""

    @property
    def json(self) -> bool: ...
    @property
    def format(self) -> str | None: ...
    @property
    def output(self) -> str | None: ...
    @property
    def precision(self) -> int | None: ...
    @property
    def quiet(self) -> bool: ...


def check_shown(call: Shown, kind: Kind) -> None:
    """Refuses options that contradict each other or do not fit the kind of result, before anything is loaded.

    Raises:
        InputError: of kind usage, or output where there is no such folder.
    """
    if call.json and call.format not in (None, "json"):
        raise usage_error(f"--json and --format {call.format} contradict each other", "leave one of them out")
    if call.output:
        _check_output(call.output, call.format, kind)


def _check_output(path: str, format_: str | None, kind: Kind) -> None:
    suffix = suffix_of(path)
    known = [made.suffix for made in formats(kind) if made.suffix]
    if suffix not in known:
        what = (
            f"{kind} cannot be written as {suffix}" if suffix else f"cannot tell the format of {path!r} from its suffix"
        )
        raise usage_error(what, f"end it with {', '.join(known)}")
    if format_ not in (None, SUFFIXES[suffix].name):
        raise usage_error(f"--format {format_} and --output {path} contradict each other", "leave --format out")
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise InputError(Fault("output", f"cannot write {path!r}: there is no folder {os.path.dirname(path)!r}"))


def usage_error(message: str, help_: str) -> InputError:
    """The call is wrong."""
    return InputError(Fault("usage", message, help_))


def chosen_format(call: Shown) -> Format:
    """The format of what the call ends with."""
    if call.output:
        return SUFFIXES[suffix_of(call.output) or ""]
    return FORMATS["json" if call.json else call.format or "table"]


def wants_json(call: Shown) -> bool:
    """Whether errors are JSON, too."""
    return call.json or call.format == "json"


def present(call: Shown, result: Result | Checked | Changes, *, status: int, full: bool = False) -> Outcome:
    """`result` as standard output, or in the file of --output; nothing on standard error yet.

    Raises:
        InputError: the file cannot be written.
    """
    if call.output:
        _save(result, call.output)
        return Outcome(status=status)
    options = ReportOptions(
        precision=call.precision,
        full=full,
        width=page_width(),
        color=wants_color(sys.stdout),
        notes=not call.quiet,
        passed=not call.quiet,
    )
    name = chosen_format(call).name
    return Outcome(text=render(result, name, options), status=status, utf8=name != "table")


def _save(result: Result | Checked | Changes, path: str) -> None:
    try:
        write(result, path)
    except OSError as error:
        raise InputError(Fault("output", f"cannot write {path!r}: {error.strerror or error}")) from error
