"""`gradcli init`: an example to start from."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import typer

from gradcli.cli.options import Debug, Quiet, takes
from gradcli.cli.streams import Outcome
from gradcli.errors import Fault, InputError

__all__ = ["HELP", "RANK", "run"]

RANK = 80

HELP = """Write a commented example that runs.

A file that exists is never overwritten.

\b
Examples:
  gradcli init
  gradcli init loss.yaml
  gradcli init - | gradcli compare -
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - is standard output.")] = "expression.yaml"
    quiet: Quiet = False
    debug: Debug = False


@takes(_Call)
def run(call: _Call) -> Outcome:
    """The example, in a new file or on standard output."""
    from importlib.resources import files

    text = (files("gradcli") / "document/example.yaml").read_text("utf-8")
    if call.file == "-":
        return Outcome(text=text, utf8=True)
    _write(call.file, text)
    return Outcome(messages=[] if call.quiet else [f"wrote {call.file}; try: gradcli compare {call.file}"])


def _write(path: str, text: str) -> None:
    """Writes a new file, whole or not at all."""
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as stream:
            try:
                stream.write(text)
                stream.flush()
            except BaseException:
                with suppress(OSError):
                    os.remove(path)
                raise
    except FileExistsError:
        hint = "choose another name, such as gradcli init other.yaml, or - to print the example"
        raise InputError(Fault("output", f"{path!r} exists already", hint)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(Fault("output", f"cannot write {path!r}: {reason}")) from error
