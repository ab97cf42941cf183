"""`gradcli functions`: the functions of the expression language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from gradcli.cli.options import Debug, Json, takes
from gradcli.cli.streams import Outcome, page_width

__all__ = ["HELP", "RANK", "run"]

RANK = 60

HELP = """The functions of the expression language, or one of them.

The derivative is d (differentiable almost everywhere), 0 (connected, but 0 everywhere) or cut (no path leads through).

\b
Examples:
  gradcli functions
  gradcli functions relu
  gradcli functions --json
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    name: Annotated[str | None, typer.Argument(metavar="NAME", show_default=False, help="Only this function.")] = None
    json: Json = False
    debug: Debug = False


@takes(_Call)
def run(call: _Call) -> Outcome:
    """The catalogue, from the code."""
    from gradcli.language.table import catalogue
    from gradcli.report.catalogue import as_json, as_table, as_text

    entries = catalogue(call.name)
    if call.json:
        return Outcome(text=as_json(entries), utf8=True)
    return Outcome(text=as_table(entries, page_width()) if call.name is None else as_text(entries[0]))
