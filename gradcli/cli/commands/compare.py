"""`gradcli compare`: the rows, their sum, the gradient, and whether they agree."""

from __future__ import annotations

from gradcli.cli.answer import answer
from gradcli.cli.options import Call, takes
from gradcli.cli.streams import Outcome

__all__ = ["HELP", "RANK", "run"]

RANK = 30

HELP = """The rows, their sum, the gradient, and whether they agree.

The exit status is 1 if they do not.

\b
Examples:
  gradcli compare loss.yaml
  gradcli compare -e "x**2 * y" -e "cos(x) + y" --at x=2 --at y=3
  gradcli compare loss.yaml --output-gradient 'loss=[1,0,0]'
  gradcli compare loss.yaml --json | jq .match
"""


@takes(Call)
def run(call: Call) -> Outcome:
    """Rows, their sum and the gradient."""
    return answer(call, "compare")
