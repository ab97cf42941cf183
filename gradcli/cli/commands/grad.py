"""`gradcli grad`: the summed gradient of each source."""

from __future__ import annotations

from gradcli.cli.answer import answer
from gradcli.cli.options import Call, takes
from gradcli.cli.streams import Outcome

__all__ = ["HELP", "RANK", "run"]

RANK = 10

HELP = """The summed gradient of each source, in its own shape.

The gradient of the sum over all outputs of the chosen targets, as tf.gradients and GradientTape.gradient have it.

\b
Examples:
  gradcli grad loss.yaml
  gradcli grad loss.yaml -s w --at 'w=[1,2]'
  gradcli grad -e "x**2 + sin(y)" --at x=2 --at y=pi/4
  cat loss.yaml | gradcli grad - --json | jq .gradient
"""


@takes(Call)
def run(call: Call) -> Outcome:
    """The summed gradient."""
    return answer(call, "grad")
