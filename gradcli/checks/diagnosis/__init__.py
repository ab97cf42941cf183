"""Which usual mistake explains a wrong expectation: each is made on purpose, and what comes out is held against it."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.checks.claims import Claim
from gradcli.checks.diagnosis import paths, targets
from gradcli.checks.diagnosis.evidence import Evidence, Mistake
from gradcli.checks.mistakes import arrays, functions, sums
from gradcli.checks.mistakes.answer import explained
from gradcli.checks.subject import Numbers, Point
from gradcli.core.nodes import Value

__all__ = ["diagnose"]

# From the plainest to the most far-fetched: of several that fit the first is named.
MISTAKES: tuple[Mistake, ...] = (
    arrays.rounded,
    arrays.sign,
    arrays.transpose,
    sums.rows_and_sums,
    targets.gradient_for_hessian,
    sums.other_rows,
    targets.other_targets,
    targets.weights,
    sums.means,
    arrays.plain_factors,
    sums.other_means,
    functions.degrees,
    functions.logarithms,
    paths.held_constant,
    arrays.exchanged,
    paths.inner_derivative,
    arrays.some_signs,
    arrays.values,
    arrays.order,
    paths.terms,
    arrays.any_factor,
)


def diagnose(claim: Claim, node: Value, given: Sequence[tuple[Point, Numbers]]) -> str | None:
    """A sentence on the mistake that explains what was expected in place of `node` at each of the points; None where
    none does."""
    text = explained(MISTAKES, *[Evidence(claim, node, point, expected, len(given) > 1) for point, expected in given])
    return text and f"your {claim.noun} {text}"
