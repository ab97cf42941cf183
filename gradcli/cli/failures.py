"""Everything that can go wrong, as an outcome: one form for a person, one line of JSON with --json."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from gradcli.cli.streams import Outcome, wants_color
from gradcli.errors import Fault, GradcliError, InternalError

__all__ = ["INTERRUPTED", "expected", "internal", "interrupted", "out_of_memory", "usage", "with_faults"]

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 and the number of the signal."""

_GUESS = re.compile(r"(.+)\. Did you mean (.+)\?")


def expected(error: GradcliError, arguments: Sequence[str]) -> Outcome:
    """Faults that gradcli raised on purpose."""
    if isinstance(error, InternalError):
        return internal(error, arguments)
    return _faults(error.faults, error.exit_status, arguments)


def usage(error: Exception, arguments: Sequence[str]) -> Outcome | None:
    """A call that the parser refused; None if `error` is something else."""
    import typer

    # The root of the parser's errors has had three names and is exported by no version of Typer: it is what
    # BadParameter, which every version exports, inherits directly below Exception.
    if not isinstance(error, typer.BadParameter.__mro__[-4]):
        return None
    message, guess = _without_guess(error)
    help_ = f"{guess}see '{_command(error, arguments)} --help'"
    return _faults([Fault("usage", message[:1].lower() + message[1:], help_)], 2, arguments)


def _without_guess(error: Any) -> tuple[str, str]:
    """The parser's message, and its suggestion as the beginning of a help text."""
    message = str(error.format_message())
    if found := _GUESS.fullmatch(message):
        return found[1], f"did you mean {found[2]}? "
    if options := getattr(error, "possibilities", None):
        return str(error.message), f"did you mean '{options[0]}'? "
    return message.rstrip("."), ""


def _command(error: Any, arguments: Sequence[str]) -> str:
    if context := getattr(error, "ctx", None):
        return str(context.command_path)
    return "gradcli" if arguments[0].startswith("-") else f"gradcli {arguments[0]}"


def out_of_memory(arguments: Sequence[str]) -> Outcome:
    """The machine has no more memory."""
    help_ = "choose fewer targets (-t) or sources (-s), or --dtype float32"
    return _faults([Fault("memory", "out of memory", help_)], 2, arguments)


def interrupted(arguments: Sequence[str]) -> Outcome:
    """Somebody pressed Ctrl-C."""
    if _wants_json(arguments):
        return with_faults(Outcome(), [Fault("interrupted", "interrupted")], INTERRUPTED, in_json=True)
    return Outcome(messages=["gradcli: interrupted"], status=INTERRUPTED)


def internal(error: Exception, arguments: Sequence[str]) -> Outcome:
    """A fault of gradcli itself."""
    text = f"internal error: {type(error).__name__}: {' '.join(str(error).split())[:500]}".rstrip(": ")
    how = f"please report this line, the file and what --debug shows{_where_to_report()}"
    traceback = _traceback(error, arguments)
    if _wants_json(arguments):
        return with_faults(Outcome(messages=traceback), [Fault("internal", text, how)], 3, in_json=True)
    return Outcome(messages=[*traceback, f"gradcli: {text} ({how})"], status=3)


def _faults(faults: Sequence[Fault], status: int, arguments: Sequence[str]) -> Outcome:
    return with_faults(Outcome(), faults, status, in_json=_wants_json(arguments))


def with_faults(outcome: Outcome, faults: Sequence[Fault], status: int, *, in_json: bool) -> Outcome:
    """`outcome` with faults as the end of what it says on standard error, and their status."""
    from gradcli.report.diagnostics import render_json, render_text

    said = render_json(faults) if in_json else render_text(faults, color=wants_color(sys.stderr))
    return outcome._replace(messages=[*outcome.messages, said], status=status, utf8_messages=in_json)


def _wants_json(arguments: Sequence[str]) -> bool:
    """Read from the words themselves, as the parser may be what failed."""
    return "--json" in arguments or "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


def _traceback(error: Exception, arguments: Sequence[str]) -> list[str]:
    if "--debug" not in arguments:
        return []
    import traceback

    return ["".join(traceback.format_exception(error)).rstrip()]


def _where_to_report() -> str:
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        links = metadata("gradcli").get_all("Project-URL") or []
    except PackageNotFoundError:
        links = []
    found = [link.split(",", 1)[1].strip() for link in links if link.lower().startswith("issues,")]
    return f" at {found[0]}" if found else ""
