"""`gradcli check`: files against what they expect, and their derivatives against independent methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from gradcli.cli.failures import with_faults
from gradcli.cli.options import Debug, Json, MaxMemory, Precision, format_option, output_option, takes
from gradcli.cli.present import check_shown, present, usage_error, wants_json
from gradcli.cli.progress import at_work
from gradcli.cli.streams import Outcome
from gradcli.errors import Fault

if TYPE_CHECKING:
    from gradcli.results import Checked

__all__ = ["HELP", "RANK", "run"]

RANK = 50

HELP = """Whether files keep what they expect, and whether independent methods find the same derivatives.

What a file expects stands in its section `expect`. The exit status is 1 if something is wrong, 2 if a file cannot be
read; what is inconclusive passes. A folder stands for the files in it, at any depth, that are named *.grad.yaml or have
the key targets; a pattern in quotes may have ** for any depth.

--update writes the computed numbers where those of a file differ by more than their tolerance, and nothing else.
Formulas are left, and the exit status is 1 if one is wrong. With --dry-run it is also 1 if something would be written.

\b
Examples:
  gradcli check loss.yaml
  gradcli check *.yaml --quiet
  gradcli check models/ 'losses/**/*.yaml' --fail-fast
  gradcli check models/ --output report.xml
  gradcli check loss.yaml --json | jq .passed
  gradcli check loss.yaml --update --dry-run
  cat loss.yaml | gradcli check - --seed 7
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", show_default=False, help="Files, folders, patterns; - is standard input."),
    ] = None
    json: Json = False
    format: Annotated[str | None, format_option("checks")] = None
    output: Annotated[str | None, output_option("checks")] = None
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Of the random points and directions.")] = 0
    precision: Precision = None
    max_memory: MaxMemory = None
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Show only files that have not passed, and the last line.")
    ] = False
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first file that has not passed.")] = False
    exit_zero: Annotated[
        bool,
        typer.Option("--exit-zero", help="End with 0 also if something is wrong, but not if a file cannot be read."),
    ] = False
    update: Annotated[bool, typer.Option("--update", help="Write the computed numbers into expect.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what --update would write, and write nothing.")] = (
        False
    )
    debug: Debug = False


@takes(_Call)
def run(call: _Call) -> Outcome:
    """The verdicts on all files, also if some cannot be read."""
    given = _given(call)
    if call.update or call.dry_run:
        from gradcli.cli.updating import updated

        return updated(call, given)
    check_shown(call, "checks")
    from gradcli.cli.files import find

    files = find(given)
    with at_work(files, quiet=call.quiet):
        from gradcli.checks import check

        result = check(files, seed=call.seed, max_memory=call.max_memory, fail_fast=call.fail_fast)
        outcome = present(call, result, status=0 if result.passed or call.exit_zero else 1)
    faults = _faults(result)
    if call.output and not call.quiet and not (faults and wants_json(call)):
        from gradcli.report.checks import ending

        outcome = outcome._replace(messages=[ending(result), f"wrote {call.output}"])
    return with_faults(outcome, faults, 2, in_json=wants_json(call)) if faults else outcome


def _given(call: _Call) -> Sequence[str]:
    if not call.files:
        raise usage_error("no FILE to check", "write - to read standard input; see 'gradcli check --help'")
    if call.files.count("-") > 1:
        raise usage_error("standard input (-) can be read only once", "leave one - out")
    return call.files


def _faults(result: Checked) -> list[Fault]:
    from gradcli.report import findings

    return [fault for file in result.files for fault in findings.faults(file)]
