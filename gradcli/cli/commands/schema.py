"""`gradcli schema`: the JSON Schemas of the expression file and of the results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from gradcli.cli.options import Debug, takes
from gradcli.cli.streams import Outcome

__all__ = ["HELP", "RANK", "run"]

RANK = 70

HELP = """The JSON Schema of the expression file, or of the results.

An editor with a YAML language server completes and checks a file that begins with the line
`# yaml-language-server: $schema=gradcli.schema.json`.

\b
Examples:
  gradcli schema > gradcli.schema.json
  gradcli schema --result
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    result: Annotated[bool, typer.Option("--result", help="The schema of what --json prints, errors included.")] = False
    debug: Debug = False


@takes(_Call)
def run(call: _Call) -> Outcome:
    """The schema as it ships, draft 2020-12."""
    from importlib.resources import files

    file = files("gradcli") / ("report/result_schema.json" if call.result else "document/schema.json")
    return Outcome(text=file.read_text("utf-8"), utf8=True)
