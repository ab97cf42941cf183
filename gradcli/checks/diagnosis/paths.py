"""Mistakes about the chain rule: a path held constant, and an inner derivative forgotten."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.checks.claims import Claim
from gradcli.checks.diagnosis.evidence import Evidence
from gradcli.checks.mistakes.answer import Guess
from gradcli.core.differentiate import pull, reached, vjp
from gradcli.core.nodes import Value
from gradcli.core.tangents import Tangent

__all__ = ["held_constant", "inner_derivative", "terms"]

_MOST_LETS = 40
_MOST_PATHS = 80
_MOST_STEPS = 2000  # of the graph; in larger ones every path is a small part


def held_constant(e: Evidence) -> Iterator[Guess]:
    """The derivative without what comes through one let, or through one operand of one step."""
    if e.claim.kind not in ("gradient", "jacobian"):
        return
    found = _paths(e.claim)
    for (text, only, _), through in zip(found, e.run([node for _, _, node in found]), strict=True):
        if through.any():
            yield f"misses a term: {text} was held constant", e.got - through
            if only:
                yield f"has only the term through {only}", through


def terms(e: Evidence) -> Iterator[Guess]:
    """One of the terms with the wrong sign, or a factor of 2."""
    if e.claim.kind not in ("gradient", "jacobian"):
        return
    found = _paths(e.claim)
    for (text, _, _), through in zip(found, e.run([node for _, _, node in found]), strict=True):
        if through.any():
            yield f"has the wrong sign in the term through {text}", e.got - 2 * through
            yield f"has twice the term through {text}", e.got + through
            yield f"has half of the term through {text}", e.got - through / 2
            for n in dict.fromkeys(k for k in e.claim.source.shape + e.got.shape[:1] if k > 2):
                yield f"has the term through {text} divided by {n}", e.got + through * (1 / n - 1)
                yield f"has the term through {text} multiplied by {n}", e.got + through * (n - 1)


def _paths(claim: Claim) -> list[tuple[str, str, Value]]:
    """What could be held constant, in words; what else would be left; and the derivative through it."""
    p, g = claim.subject.program, claim.subject.program.graph
    if p.size > _MOST_STEPS:
        return []
    seeds, found = claim.seeds(), []
    inner = {name: v for name, v in list(p.lets.items())[:_MOST_LETS] if v is not claim.source}
    for name, v in inner.items():
        (through,) = (
            claim.pulled({v: t}, [claim.source]) if isinstance(t := vjp(g, seeds, [v])[v], Tangent) else (None,)
        )
        if through is not None:
            found.append((f"let {name}", f"let {name}", through))
    top = max(v.index for v in seeds)
    flags = reached(g, [claim.source], top)
    seen = _as_written(claim)
    for i in range(min(top + 1, p.size)):
        node, origin = g.definitions[i], g.places.get(i)
        if node is None or not flags[i] or origin is None or len(found) >= _MOST_PATHS:
            continue
        ct = vjp(g, seeds, [g.values[i]])[g.values[i]]
        for k, a in enumerate(node.args):
            if not isinstance(ct, Tangent) or not flags[a.index] or not node.op.differentiable(node, k):
                continue
            if a.index not in seen:  # a step inside a function, which no text stands for
                continue
            pulled = pull(g, node, g.values[i], k, ct)
            if isinstance(pulled, Tangent):
                (through,) = claim.pulled({a: pulled}, [claim.source])
                if through is not None:
                    found.append((f"{_text(claim, a)} in {_short(origin.source())}", "", through))
    return found


def _as_written(claim: Claim) -> set[int]:
    """The values that the text of the file names or computes: sources, lets, and the last step of each expression."""
    p = claim.subject.program
    last: dict[tuple[int, int], int] = {}
    for i in range(p.size):
        if (origin := p.graph.places.get(i)) is not None:
            last[id(origin.expression), id(origin.node)] = i
    return {*last.values(), *[v.index for v in (*p.inputs.values(), *p.lets.values())]}


def _text(claim: Claim, v: Value) -> str:
    """The user's text for a value."""
    p = claim.subject.program
    for name, named in {**p.lets, **p.inputs}.items():
        if named is v:
            return name
    origin = p.graph.places.get(v.index)
    return _short(origin.source()) if origin is not None else "a part"


def _short(text: str, limit: int = 40) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def inner_derivative(e: Evidence) -> Iterator[Guess]:
    """The derivative by something of the source's shape that is computed from it: the chain rule was not finished."""
    if e.claim.kind not in ("gradient", "jacobian"):
        return
    claim, g, p = e.claim, e.claim.subject.program.graph, e.claim.subject.program
    seeds = claim.seeds()
    top = max(v.index for v in seeds)
    if p.size > _MOST_STEPS:
        return
    flags = reached(g, [claim.source], top)
    seen = _as_written(claim)
    inner = [
        g.values[i]
        for i in range(min(top, p.size - 1))
        if flags[i] and g.values[i].shape == claim.source.shape and g.values[i] is not claim.source and i in seen
    ][:_MOST_PATHS]
    found = [(v, node) for v, node in zip(inner, claim.pulled(seeds, inner), strict=True) if node is not None]
    for (v, _), made in zip(found, e.run([node for _, node in found]), strict=True):
        text = _text(claim, v)
        yield f"is that by {text}: the inner derivative, of {text} by {claim.key[-1]}, is missing", made
