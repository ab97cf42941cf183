"""From a call to its outcome: check the options, ask the API one question, render the answer."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gradcli.cli.options import Call
from gradcli.cli.present import check_shown, chosen_format, present, usage_error
from gradcli.cli.progress import at_work
from gradcli.cli.rows import counted
from gradcli.cli.streams import Outcome
from gradcli.errors import Fault, InputError

if TYPE_CHECKING:
    from gradcli.cache.folder import Folder
    from gradcli.results import Result

__all__ = ["answer"]


def answer(call: Call, question: str, *, command: str | None = None) -> Outcome:
    """The outcome of asking `gradcli.api` the question (`grad`, `jacobian`, ...). Status 1 if a comparison fails.

    `command` is the subcommand where it has another name than the question.

    Raises:
        InputError: the options, the file or the point are wrong, or the output cannot be written.
    """
    _check(call, command or question)
    with at_work([call.file or ""], quiet=call.quiet) as work:
        result = _result(call, question)
        if question == "rows":
            result = counted(result, work)
        status = 0 if getattr(result, "match", True) else 1
        return present(call, result, status=status, full=call.full)._replace(messages=_messages(call, result))


def _check(call: Call, question: str) -> None:
    """What can be said without reading or loading anything."""
    see = f"see 'gradcli {question} --help'"
    if not call.file and not call.expr:
        raise usage_error("no FILE and no expression (-e) to work on", f"write - to read standard input; {see}")
    if call.file and call.expr:
        raise usage_error(f"both a file ({call.file}) and an expression (-e)", "leave one of them out")
    check_shown(call, "derivatives")


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
        cache=_cache(call),
    )
    return result


def _cache(call: Call) -> Folder | None:
    if call.no_cache:
        return None
    from gradcli.cache.folder import user_folder

    return user_folder()


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
            raise usage_error(f"{option} wants NAME=VALUE, not {text!r}", f"for example {option} x=2")
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


def _messages(call: Call, result: Result) -> list[str]:
    """For standard error: what a format has no place for, and what was written."""
    if call.quiet:
        return []
    wrote = [_wrote(call, result)] if call.output else []
    if chosen_format(call).notes:
        return wrote
    from gradcli.report.page import messages

    return [*messages(result), *wrote]


def _wrote(call: Call, result: Result) -> str:
    missing = []
    if chosen_format(call).name == "npz":
        from gradcli.report.as_npz import arrays

        missing = [name for name, array in arrays(result).items() if array is None]
    return f"wrote {call.output}" + (f" without {', '.join(missing)} (unconnected)" if missing else "")
