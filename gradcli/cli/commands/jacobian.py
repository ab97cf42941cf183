"""`gradcli jacobian`: the rows, one per output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from gradcli.cli.answer import answer
from gradcli.cli.options import Call, takes
from gradcli.cli.rows import advised, is_written_by_rows
from gradcli.cli.streams import Outcome

__all__ = ["HELP", "RANK", "run"]

RANK = 20

HELP = """The rows: one per output, nothing summed.

\b
Examples:
  gradcli jacobian loss.yaml
  gradcli jacobian loss.yaml -t loss -s w --full
  gradcli jacobian -e "[x*y, x+y]" --at x=2 --at y=3 --format csv
  gradcli jacobian loss.yaml -o rows.npz
  gradcli jacobian large.yaml -t y -s x -o rows.npy --max-memory 500MB
  gradcli jacobian batch.yaml -s X --per-example
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call(Call):
    per_example: Annotated[
        bool, typer.Option("--per-example", help="Only each example's own block; an error where rows are coupled.")
    ] = False


@takes(_Call)
def run(call: _Call) -> Outcome:
    """The rows, one per output."""
    if call.per_example:
        return answer(call, "per_example", command="jacobian")
    if is_written_by_rows(call.output):
        return answer(call, "rows", command="jacobian")
    with advised():
        return answer(call, "jacobian")
