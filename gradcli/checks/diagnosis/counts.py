"""The numbers by which a sum in a file may have been divided, or a mean multiplied."""

from __future__ import annotations

from gradcli.checks.claims import Claim
from gradcli.core.families import Reduction
from gradcli.core.ops.shape import Sum
from gradcli.core.shapes import size

__all__ = ["lengths", "summed"]


def summed(claim: Claim) -> list[int]:
    """How many outputs the author may have summed, and how many entries the file sums in one step."""
    p = claim.subject.program
    own = {claim.key[0]: p.targets[claim.key[0]]} if claim.kind in ("value", "jacobian") else p.targets
    found = [size(v.shape) for v in own.values()]
    found.append(sum(found))
    for i in p.graph.ancestors(own.values()):
        node = p.graph.definitions[i]
        if node is not None and i < p.size and isinstance(node.op, Sum | Reduction):
            found.append(_entries(size(node.args[0].shape), size(p.graph.values[i].shape)))
    return [n for n in dict.fromkeys(found) if n > 1]


def lengths(claim: Claim) -> list[int]:
    """How many targets there are, and the sizes of sources and constants."""
    p = claim.subject.program
    found = [len(p.targets)] if claim.kind == "gradient" else []
    found += [n for v in p.sources.values() for n in (size(v.shape), *v.shape)]
    found += [n for data in claim.subject.problem.constants.values() for n in data.shape[:1]]
    return [n for n in dict.fromkeys(found) if n > 1]


def _entries(before: int, after: int) -> int:
    """How many entries of the operand make one of the value."""
    return before // after if after and before % after == 0 else 1
