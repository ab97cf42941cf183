"""From a call to its outcome: check the options, ask the API one question, render the answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gradcli.cli.options import Call
from gradcli.cli.progress import progress
from gradcli.cli.streams import Outcome, is_terminal, page_width, wants_color
from gradcli.errors import Fault, InputError
from gradcli.report import SUFFIXES, ReportOptions, render, suffix_of, write

if TYPE_CHECKING:
    from gradcli.results import Result

__all__ = ["answer"]


def answer(call: Call, question: str, *, command: str | None = None) -> Outcome:
    """The outcome of asking `gradcli.api` the question (`grad`, `jacobian`, ...). Status 1 if a comparison fails.

    `command` is the subcommand where it has another name than the question.

    Raises:
        InputError: the options, the file or the point are wrong, or the output cannot be written.
    """
    _check(call, command or question)
    typed = call.file == "-" and is_terminal(sys.stdin)
    if typed:
        print("gradcli: reading an expression file from the terminal; end it with Ctrl-D", file=sys.stderr, flush=True)
    with progress(not (call.quiet or typed)):
        return _outcome(call, _result(call, question))


def _outcome(call: Call, result: Result) -> Outcome:
    status = 0 if getattr(result, "match", True) else 1
    if call.output:
        _save(result, call.output)
        return Outcome(messages=_messages(call, result, call.output), status=status)
    format_ = _format(call)
    text = render(result, format_, _report_options(call))
    messages = _messages(call, result, None) if format_ == "csv" else []
    return Outcome(text=text, messages=messages, status=status, utf8=format_ != "table")


def _check(call: Call, question: str) -> None:
    """What can be said without reading or loading anything."""
    see = f"see 'gradcli {question} --help'"
    if not call.file and not call.expr:
        raise _usage("no FILE and no expression (-e) to work on", f"write - to read standard input; {see}")
    if call.file and call.expr:
        raise _usage(f"both a file ({call.file}) and an expression (-e)", "leave one of them out")
    if call.json and call.format not in (None, "json"):
        raise _usage(f"--json and --format {call.format} contradict each other", "leave one of them out")
    if call.output:
        _check_output(call.output, call.format)


def _check_output(path: str, format_: str | None) -> None:
    suffix = suffix_of(path)
    if suffix is None:
        raise _usage(f"cannot tell the format of {path!r} from its suffix", f"end it with {', '.join(SUFFIXES)}")
    if format_ not in (None, suffix[1:]):
        raise _usage(f"--format {format_} and --output {path} contradict each other", "leave --format out")
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise InputError(Fault("output", f"cannot write {path!r}: there is no folder {os.path.dirname(path)!r}"))


def _usage(message: str, help_: str) -> InputError:
    return InputError(Fault("usage", message, help_))


def _result(call: Call, question: str) -> Result:
    pairs = {option: _pairs(option, texts) for option, texts in _valued(call).items()}
    values = _read(pairs)
    api = import_module("gradcli.api")
    result: Result = getattr(api, question)(
        _problem(call),
        targets=call.target or None,
        sources=call.source or None,
        at=values["--at"] or None,
        output_gradients=values["--output-gradient"] or None,
        unconnected=call.unconnected,
        dtype=call.dtype,
        as_written=call.as_written,
        formulas="latex" if call.latex else "text" if call.formulas or call.expand else None,
        expand=call.expand,
        max_memory=call.max_memory,
    )
    return result


def _problem(call: Call) -> Any:
    if call.file:
        return call.file
    from gradcli.document.problem import from_expressions

    return from_expressions(call.expr or [])


def _valued(call: Call) -> dict[str, Sequence[str]]:
    return {"--at": call.at or (), "--output-gradient": call.output_gradient or ()}


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise _usage(f"{option} wants NAME=VALUE, not {text!r}", f"for example {option} x=2")
        found[name.strip()] = value
    return found


def _read(pairs: dict[str, dict[str, str]]) -> dict[str, dict[str, Any]]:
    """The values of the options; the faults of all of them at once."""
    if not any(pairs.values()):
        return {option: {} for option in pairs}
    from gradcli.document.problem import read_value

    values: dict[str, dict[str, Any]] = {option: {} for option in pairs}
    faults: list[Fault] = []
    for option, texts in pairs.items():
        for name, text in texts.items():
            try:
                values[option][name] = read_value(text, f"{option} {name}")
            except InputError as error:
                faults.extend(error.faults)
    if faults:
        raise InputError(*faults)
    return values


def _format(call: Call) -> str:
    return "json" if call.json else call.format or "table"


def _report_options(call: Call) -> ReportOptions:
    return ReportOptions(
        precision=call.precision,
        full=call.full,
        width=page_width(),
        color=wants_color(sys.stdout),
        notes=not call.quiet,
    )


def _save(result: Result, path: str) -> None:
    try:
        write(result, path)
    except OSError as error:
        raise InputError(Fault("output", f"cannot write {path!r}: {error.strerror or error}")) from error


def _messages(call: Call, result: Result, path: str | None) -> list[str]:
    """For standard error: what a format has no place for, and what was written."""
    if call.quiet:
        return []
    from gradcli.report.page import messages

    suffix = suffix_of(path) if path else ".csv"
    left_out = messages(result) if suffix != ".json" else []
    return [*left_out, *([_wrote(result, path)] if path else [])]


def _wrote(result: Result, path: str) -> str:
    from gradcli.report.as_npz import arrays

    missing = [name for name, array in arrays(result).items() if array is None] if suffix_of(path) == ".npz" else []
    return f"wrote {path}" + (f" without {', '.join(missing)} (unconnected)" if missing else "")
