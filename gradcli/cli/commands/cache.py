"""`gradcli cache`: the compiled forms that are kept for the next call."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from gradcli.cli.options import Debug, takes
from gradcli.cli.streams import Outcome

__all__ = ["HELP", "RANK", "run"]

RANK = 80

HELP = """What is kept of earlier calls, so that the same file is answered faster.

grad, jacobian, compare and hessian keep the NumPy code that they have made of a file. It is used again while the
expressions, shapes and constants stay the same; the point may be another. GRADCLI_CACHE_DIR is the folder, and nothing
is kept where it is empty. The folder holds at most 64 MiB, and can be removed at any time.

\b
Examples:
  gradcli cache info
  gradcli cache clear
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    what: Annotated[
        Literal["info", "clear"],
        typer.Argument(metavar="info|clear", show_default=False, help="Say what is kept, or remove it."),
    ]
    debug: Debug = False


@takes(_Call)
def run(call: _Call) -> Outcome:
    """What is kept, or was removed."""
    from gradcli.cache.folder import user_folder

    folder = user_folder()
    if folder is None:
        return Outcome(text=f"nothing is kept: {_why_not()}\n")
    usage = folder.clear() if call.what == "clear" else folder.usage()
    count = f"{usage.entries:,} {'entry' if usage.entries == 1 else 'entries'}, {-(-usage.bytes // 1024):,} KiB"
    return Outcome(text=f"{'removed ' if call.what == 'clear' else ''}{count}\n{folder.path}\n")


def _why_not() -> str:
    """Why there is no folder."""
    chosen = os.environ.get("GRADCLI_CACHE_DIR")
    if chosen == "":
        return "GRADCLI_CACHE_DIR is empty"
    if chosen is None:
        return "the system knows of no folder for it (GRADCLI_CACHE_DIR can name one)"
    return f"GRADCLI_CACHE_DIR is {chosen}, and the folder that this starts from is gone"
