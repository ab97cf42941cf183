"""`gradcli jacobian`: the rows, one per output."""

from __future__ import annotations

from gradcli.cli.answer import answer
from gradcli.cli.options import Call, takes
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
"""


@takes(Call)
def run(call: Call) -> Outcome:
    """The rows, one per output."""
    return answer(call, "jacobian")
