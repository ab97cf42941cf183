"""Each output along each direction, by extrapolated differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial as bind

import numpy as np

from gradcli.checks.differences import Judged, judge
from gradcli.checks.directions import Direction, Directions
from gradcli.checks.judge import Pair, compare
from gradcli.checks.numbers import Numbers, digits_of
from gradcli.checks.subject import Subject
from gradcli.results import Check

__all__ = ["NAME", "run"]

NAME = "differences"
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class _Column:
    """What the differences say of all outputs along one direction."""

    direction: Direction
    slope: Numbers
    judged: Judged


def run(subject: Subject, directions: Directions) -> Check:
    """The tangents by forward mode against differences of the outputs."""
    known: list[Numbers] = []

    def rounding() -> Numbers:
        if not known:
            # inside one op rounding is as large as the op's other entries make it
            spread = [np.abs(v).max(initial=0.0) * _EPS for v in subject.run(subject.targets)]
            found = subject.rounding(subject.targets)
            known.append(subject.flat([n + np.nan_to_num(s, posinf=0.0) for n, s in zip(found, spread, strict=True)]))
        return known[0]

    columns = []
    for d in directions:
        slope = subject.flat(directions.tangents(d))
        columns.append(
            _Column(d, slope, judge(bind(_outputs, subject, d), slope, d.scales, rounding, bind(_smooth, subject, d)))
        )
    label = subject.output_label
    wrong = [_wrong(c, label) for c in columns if c.judged.wrong.any()]
    if wrong and not subject.kinks:
        return compare(NAME, wrong, lambda: [np.zeros(p.got.shape) for p in wrong])
    return _summary(columns, label, subject.kinks)


def _outputs(subject: Subject, d: Direction, t: float) -> Numbers:
    """All outputs at the point moved by t along the direction."""
    return subject.flat(subject.run_frozen(subject.targets, d.moved(list(subject.program.inputs), subject.point, t)))


def _smooth(subject: Subject, d: Direction, steps: Sequence[float]) -> bool:
    names = list(subject.program.inputs)
    return subject.on_one_piece(d.moved(names, subject.point, t) for t in steps)


def _wrong(c: _Column, label: Callable[[int], str]) -> Pair:
    return Pair(
        lambda index: f"{label(index[0])} by {c.direction.label}",
        c.judged.value,
        c.slope,
        np.where(c.judged.wrong, 0.0, np.inf),
    )


def _summary(columns: list[_Column], label: Callable[[int], str], kinks: list[str]) -> Check:
    """Nothing is wrong for certain: how well all agree, and what is open; `kinks` explain better than numbers."""
    off = relative = 0.0
    for c in columns:
        with np.errstate(all="ignore"):
            delta = np.where(c.judged.agrees, np.abs(c.judged.value - c.slope), 0.0)
            scale = np.maximum(np.abs(c.judged.value), np.abs(c.slope))
            part = np.where(c.judged.agrees & (c.slope != 0), delta / scale, 0.0)
        off, relative = max(off, float(delta.max(initial=0.0))), max(relative, float(part.max(initial=0.0)))
    agree, unseen = sum(int(c.judged.agrees.sum()) for c in columns), sum(int(c.judged.unseen.sum()) for c in columns)
    one_sided = sum(int(c.judged.one_sided.sum()) for c in columns)
    reasons = [f"{label(k)} by {c.direction.label}: {r}" for c in columns for k, r in enumerate(c.judged.reasons) if r]
    reasons += [f"{label(k)} by {c.direction.label}" for c in columns for k in np.flatnonzero(c.judged.wrong).tolist()]
    if reasons and kinks:
        reasons[0] = kinks[0]
    if not reasons and not agree and unseen:
        reasons = ["the derivatives are too small beside the rounding of the values to be seen"]
    said = [f"{one_sided} from one side only"] if one_sided else []
    said += [f"{unseen} too small to be seen"] if unseen and agree else []
    if reasons:
        others = f"; the other {agree} agree" if agree else ""
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        said = [f"{reasons[0]}{more}{others}"]
    return Check(
        name=NAME,
        verdict="inconclusive" if reasons else "equal",
        digits=digits_of(relative) if agree else None,
        max_abs_difference=off if agree else None,
        max_rel_difference=relative if agree else None,
        detail=", ".join(said) or None,
    )
