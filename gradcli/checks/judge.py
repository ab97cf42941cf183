"""Two arrays that should be equal -> a verdict: by a tolerance, and where that fails by how much rounding there is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.checks.numbers import UNDERFLOWS, Numbers, apart, digits_of
from gradcli.results import Check, Difference
from gradcli.results.labels import entry_text

__all__ = ["ROUNDOFF", "Pair", "compare", "named"]

_EPS = float(np.finfo(np.float64).eps)
ROUNDOFF = 64 * _EPS
"""Times the sum of the sizes of the terms: how far two orders of summation may be apart."""

_TRUSTED = 1e-3  # rounding up to this part of a number leaves it worth comparing
_SMALL = 1e-8


@dataclass(frozen=True, slots=True)
class Pair:
    """What should be equal, entry by entry; `label` names an entry by its index. `tolerance` broadcasts.

    `computed`: what is expected was computed, too, so that rounding and underflow can have hit either.
    `scale`: the size of the terms that an entry is the sum of, by which a difference that is allowed is measured.
    """

    label: Callable[[tuple[int, ...]], str]
    expected: Numbers
    got: Numbers
    tolerance: Numbers | float
    computed: bool = False
    scale: Numbers | float = 0.0


def named(name: str) -> Callable[[tuple[int, ...]], str]:
    """The label of the entries of one array: `w[0,1]`."""
    return lambda index: name + entry_text(index)


def compare(
    name: str, pairs: Sequence[Pair], rounding: Callable[[], Sequence[Numbers]], *, line: int | None = None
) -> Check:
    """The check that all pairs are equal. `rounding` is asked only where the tolerance does not say so already.

    An entry that is off by no more than rounding is equal, as long as rounding leaves enough of it to compare.
    """
    with np.errstate(all="ignore"):
        offs = [apart(p.expected, p.got) for p in pairs]
        bad = [off > p.tolerance for off, p in zip(offs, pairs, strict=True)]
        noise: Sequence[Numbers | float] = [0.0] * len(pairs)
        if any(b.any() for b in bad):
            noise = [np.asarray(n) for n in rounding()]
        states = [_states(p, off, b, np.asarray(n)) for p, off, b, n in zip(pairs, offs, bad, noise, strict=True)]
        scales = [_scale(p, np.asarray(n), s) for p, n, s in zip(pairs, noise, states, strict=True)]
        relative = [np.where(off > 0, off / s, 0.0) for off, s in zip(offs, scales, strict=True)]
    largest = max((float(off.max(initial=0.0)) for off in offs), default=0.0)
    most = max((float(np.where(np.isfinite(r), r, np.inf).max(initial=0.0)) for r in relative), default=0.0)
    verdict = "wrong" if any((s == 2).any() for s in states) else "equal"
    detail = None
    if verdict == "equal" and (unsure := next((k for k, s in enumerate(states) if (s == 1).any()), None)) is not None:
        verdict, detail = "inconclusive", _unsure(pairs[unsure], states[unsure], np.asarray(noise[unsure]))
    return Check(
        name=name,
        verdict=verdict,  # type: ignore[arg-type]
        digits=digits_of(most) if pairs else None,
        max_abs_difference=largest,
        max_rel_difference=most,
        detail=detail,
        worst=_worst(pairs, relative, states) if verdict == "wrong" else None,
        line=line,
    )


def _states(p: Pair, off: Numbers, bad: Numbers, noise: Numbers) -> Numbers:
    """0 equal, 1 open, 2 wrong."""
    size = np.maximum(np.abs(p.expected), np.abs(p.got))
    finite = np.isfinite(size)
    within = off <= noise
    if p.computed:  # 0 * inf comes out as the order of the steps has it
        within |= (size < UNDERFLOWS) | ~finite
    array = np.abs(p.got[np.isfinite(p.got)]).max(initial=1.0)
    kept = (noise <= _TRUSTED * size) | (((p.expected == 0) | p.computed) & (noise <= _SMALL * array))
    kept &= finite
    return np.where(~bad, 0, np.where(within, np.where(kept, 0, 1), 2))


def _scale(p: Pair, noise: Numbers, state: Numbers) -> Numbers:
    """What a difference is measured by: the entry, and where it is allowed also what was rounded on the way to it."""
    size = np.maximum(np.abs(p.expected), np.abs(p.got))
    size = np.where(np.isfinite(size), size, 0.0)
    rounded = np.where(np.isfinite(noise), noise, 0.0) / _EPS
    return np.where(state == 0, np.maximum(np.maximum(size, rounded), p.scale), size)


def _unsure(p: Pair, state: Numbers, noise: Numbers) -> str:
    index = tuple(int(k) for k in np.argwhere(state == 1)[0])
    size = float(np.broadcast_to(noise, state.shape)[index])
    if not (np.isfinite(p.expected[index]) and np.isfinite(p.got[index])):
        return f"{p.label(index)} is not finite"
    if size == 0:
        return f"{p.label(index)} is so small that products on the way to it underflow"
    much = f"by {size:.2g}" if math.isfinite(size) else "without bound"
    return f"rounding changes {p.label(index)} {much}, more than the difference"


def _worst(pairs: Sequence[Pair], relative: Sequence[Numbers], states: Sequence[Numbers]) -> Difference:
    """The entry that is off most, among those that are wrong."""
    ranked = [np.where(s == 2, r, -1.0) for r, s in zip(relative, states, strict=True)]
    k = max(range(len(pairs)), key=lambda k: float(ranked[k].max(initial=-1.0)))
    at = tuple(int(i) for i in np.unravel_index(int(np.argmax(ranked[k])), ranked[k].shape))
    p = pairs[k]
    return Difference(p.label(at), float(p.expected[at]), float(p.got[at]))
