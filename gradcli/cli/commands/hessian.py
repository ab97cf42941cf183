"""`gradcli hessian`: the second derivatives of the sum of all outputs."""

from __future__ import annotations

from gradcli.cli.answer import answer
from gradcli.cli.options import Call, takes
from gradcli.cli.streams import Outcome

__all__ = ["HELP", "RANK", "run"]

RANK = 40

HELP = """The second derivatives of the summed outputs, for each pair of sources.

\b
Examples:
  gradcli hessian loss.yaml
  gradcli hessian loss.yaml -s w -s b
  gradcli hessian -e "x**2 * y" --at x=2 --at y=3 --json
"""


@takes(Call)
def run(call: Call) -> Outcome:
    """The second derivatives."""
    return answer(call, "hessian")
