"""`gradcli cache`: the compiled forms that are kept for the next call."""

from __future__ import annotations

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
        return Outcome(text="nothing is kept: GRADCLI_CACHE_DIR is empty\n")
    usage = folder.clear() if call.what == "clear" else folder.usage()
    count = f"{usage.entries:,} {'entry' if usage.entries == 1 else 'entries'}, {-(-usage.bytes // 1024):,} KiB"
    return Outcome(text=f"{'removed ' if call.what == 'clear' else ''}{count}\n{folder.path}\n")
