"""`gradcli diff`: what changed between two files, two results, or one of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gradcli.cli.options import (
    Debug,
    Full,
    Json,
    MaxMemory,
    Precision,
    Sources,
    Targets,
    format_option,
    output_option,
    takes,
)
from gradcli.cli.present import check_shown, present, usage_error
from gradcli.cli.progress import at_work
from gradcli.cli.streams import Outcome

if TYPE_CHECKING:
    from gradcli.results import Changes

__all__ = ["HELP", "RANK", "run"]

RANK = 55

HELP = """What changed in values, derivatives and shapes: entry by entry, the worst first.

OLD and NEW are expression files, or results of grad, jacobian, compare or hessian in JSON; a file beside a result is
asked its question. The exit status is 0 if nothing changed, 1 if something did, 2 if they cannot be compared.

An entry changed where |new - old| > atol + rtol * max(|old|, |new|). By default what is only rounding is no change:
rtol is 1e-9 (float32: 1e-4), and atol is 64 times the machine precision, times the largest entry of the array (for a
gradient of the rows that it sums).

\b
Examples:
  gradcli diff old.yaml new.yaml
  gradcli grad loss.yaml --json > before.json; gradcli diff before.json loss.yaml
  git show HEAD:loss.yaml | gradcli diff - loss.yaml --rtol 1e-6
  gradcli diff old.json new.json --rtol 0 --atol 0 --quiet
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    old: Annotated[
        str | None, typer.Argument(metavar="OLD", show_default=False, help="A file or result; - is standard input.")
    ] = None
    new: Annotated[
        str | None, typer.Argument(metavar="NEW", show_default=False, help="What it has become: the same.")
    ] = None
    target: Targets = None
    source: Sources = None
    rtol: Annotated[
        float | None, typer.Option("--rtol", min=0, metavar="X", help="Relative tolerance of an entry.")
    ] = None
    atol: Annotated[
        float | None, typer.Option("--atol", min=0, metavar="X", help="Absolute tolerance of an entry.")
    ] = None
    dtype: Annotated[
        Literal["float64", "float32"] | None,
        typer.Option("--dtype", help="The precision of all computation (default: a result's, else float64)."),
    ] = None
    json: Json = False
    format: Annotated[str | None, format_option("changes")] = None
    output: Annotated[str | None, output_option("changes")] = None
    precision: Precision = None
    full: Full = False
    max_memory: MaxMemory = None
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing; the exit status says it.")] = False
    debug: Debug = False


@takes(_Call)
def run(call: _Call) -> Outcome:
    """The changes, and as status whether there are any."""
    old, new = _given(call)
    check_shown(call, "changes")
    with at_work([old, new], quiet=call.quiet):
        from gradcli.changes import diff

        result = diff(
            old,
            new,
            targets=call.target or None,
            sources=call.source or None,
            rtol=call.rtol,
            atol=call.atol,
            dtype=call.dtype,
            max_memory=call.max_memory,
        )
        status = 1 if result.changed else 0
        if call.quiet and not call.output:
            return Outcome(status=status)
        return present(call, result, status=status, full=call.full)._replace(messages=_messages(call, result))


def _given(call: _Call) -> tuple[str, str]:
    see = "see 'gradcli diff --help'"
    if not (call.old and call.new):
        raise usage_error(f"no {'NEW' if call.old else 'OLD and no NEW'} to compare", f"name two files; {see}")
    if call.old == call.new == "-":
        raise usage_error("standard input (-) can be read only once", "name a file for one of the two")
    return call.old, call.new


def _messages(call: _Call, result: Changes) -> list[str]:
    """For standard error: what was not compared, and what was written."""
    if call.quiet:
        return []
    from gradcli.report.changes import ending

    return [
        *(f"note: {note}" for note in result.notes),
        *([ending(result), f"wrote {call.output}"] * bool(call.output)),
    ]
