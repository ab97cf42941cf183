"""One expectation of a file -> its check: numbers at the file's point, formulas at other points, too, and by proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradcli.checks.claims import Claim
from gradcli.checks.diagnosis import diagnose
from gradcli.checks.judge import Pair, compare
from gradcli.checks.points import is_inside, points_of, simplest, text_of
from gradcli.checks.proof import proved
from gradcli.checks.subject import Numbers, Point, Subject
from gradcli.core.nodes import Value
from gradcli.core.ops.shape import broadcast_to
from gradcli.core.shapes import ShapeError, show
from gradcli.document.expectations import Expected, Formula
from gradcli.errors import Fault, InputError
from gradcli.language.source import Text
from gradcli.reasons import unconnected
from gradcli.results import Check, Difference

__all__ = ["RTOL", "check_expected", "check_unconnected"]

RTOL = 1e-6
"""How close numbers must be where a file says nothing else."""

_FORMULA_RTOL = 1e-10  # a formula has all its digits; what rounding does to them is allowed besides
_POINTS = 12


def check_expected(subject: Subject, expected: Expected) -> Check:
    """The check of one expectation.

    Raises:
        InputError: a formula is wrong.
    """
    claim = Claim(subject, expected)
    if expected.content is None:
        return _check_none(claim)
    formula, varies = _built(claim, expected.content) if isinstance(expected.content, Formula) else (None, np.zeros(()))
    numbers = subject.run([formula])[0] if formula is not None else np.asarray(expected.content, dtype=float)
    if numbers.shape not in ((), claim.shape):
        return _wrong_shape(claim, numbers)
    if claim.node is None:
        return _check_unconnected_numbers(claim, numbers)
    if formula is None or not subject.program.graph.varying[formula.index]:
        return _check_numbers(claim, claim.node, numbers)
    wide = broadcast_to(subject.program.graph, formula, claim.shape)
    return _FormulaCheck(claim, claim.node, wide, varies).run()


def check_unconnected(subject: Subject, name: str, line: int | None) -> Check:
    """That no path leads from a source to the targets."""
    node = subject.gradient[name]
    if node is None:
        return Check(name=f"unconnected {name}", verdict="equal", line=line, detail=_reason(subject, name))
    return Check(
        name=f"unconnected {name}",
        verdict="wrong",
        line=line,
        diagnosis=_connected(name, "the targets", subject.run([node])[0]),
    )


def _reason(subject: Subject, name: str) -> str:
    p = subject.program
    return unconnected(p.graph, name, p.sources[name], p.targets.values(), p.frozen).text(subject.problem.texts)


def _connected(source: str, to: str, derivative: Numbers) -> str:
    what = "not 0" if derivative.any() else "0 here, which is not the same as none"
    return f"a path leads from {source} to {to}: its derivative is {what}"


# -- no path ---------------------------------------------------------------------------------------------------------


def _check_none(claim: Claim) -> Check:
    """`null` was expected."""
    e = claim.expected
    if claim.node is None:
        return Check(name=e.name, verdict="equal", line=e.place.line, detail=_reason(claim.subject, claim.key[-1]))
    got = claim.subject.run([claim.node])[0]
    most = _largest(got)
    return Check(
        name=e.name,
        verdict="wrong",
        line=e.place.line,
        worst=Difference(claim.label(most), None, float(got[most])) if got.size else None,
        diagnosis=_connected(claim.key[-1], claim.key[0] if claim.kind == "jacobian" else "the targets", got),
    )


def _check_unconnected_numbers(claim: Claim, numbers: Numbers) -> Check:
    """Numbers were expected where there is no path: zeros are what `--unconnected zero` gives."""
    e, reason = claim.expected, f"unconnected: {_reason(claim.subject, claim.key[-1])}"
    if not numbers.any():
        return Check(name=e.name, verdict="equal", line=e.place.line, detail=f"{reason}; counts as 0")
    most = _largest(numbers)
    return Check(
        name=e.name,
        verdict="wrong",
        line=e.place.line,
        worst=Difference(claim.label(most), float(numbers[most]), None),
        diagnosis=f"{claim.key[-1]} is {reason}",
    )


def _largest(array: Numbers) -> tuple[int, ...]:
    """The place of the largest entry."""
    return tuple(int(k) for k in np.unravel_index(int(np.argmax(np.abs(array))), array.shape)) if array.size else ()


# -- numbers ---------------------------------------------------------------------------------------------------------


def _wrong_shape(claim: Claim, numbers: Numbers) -> Check:
    e = claim.expected
    text = f"the shape is {show(numbers.shape)}, and that of the {claim.noun} is {show(claim.shape)}"
    found = None if claim.node is None else diagnose(claim, claim.node, [(claim.subject.point, numbers)])
    return Check(name=e.name, verdict="wrong", line=e.place.line, diagnosis=f"{text}; {found}" if found else text)


def _tolerance(e: Expected, numbers: Numbers, rtol: float = RTOL) -> Numbers:
    with np.errstate(all="ignore"):
        size = np.where(np.isfinite(numbers), np.abs(numbers), 0.0)
    return np.asarray((rtol if e.rtol is None else e.rtol) * size + (e.atol or 0.0))


def _check_numbers(claim: Claim, node: Value, numbers: Numbers) -> Check:
    e, subject = claim.expected, claim.subject
    expected = np.broadcast_to(numbers, claim.shape)
    got = subject.run([node])[0]
    pair = Pair(claim.label, expected, got, _tolerance(e, expected))

    def rounding() -> list[Numbers]:
        # who gives an absolute tolerance has said how much rounding there may be
        return [np.zeros(claim.shape)] if e.atol is not None else subject.rounding([node])

    found = compare(e.name, [pair], rounding, line=e.place.line)
    if found.verdict != "wrong":
        return found
    if lost := subject.lost(node, subject.point):
        return _lost(found, lost)
    given = [numbers] if numbers.shape == claim.shape else [numbers, expected]
    said = (diagnose(claim, node, [(subject.point, array)]) for array in given)
    return replace(found, diagnosis=next(filter(None, said), None))


def _lost(found: Check, why: str) -> Check:
    """What gradcli itself cannot compute cannot be called wrong."""
    return replace(found, verdict="inconclusive", detail=why, worst=None)


# -- formulas --------------------------------------------------------------------------------------------------------


def _built(claim: Claim, formula: Formula) -> tuple[Value, Numbers]:
    """The node of a formula, and where it depends on a source; lists of texts are stacked. A number among formulas is
    meant at the file's point."""
    p, e = claim.subject.program, claim.expected
    g = p.graph

    def value(entries: Any) -> tuple[Any, Any]:
        if isinstance(entries, Text):
            made = p.build(entries)
            moves = g.literal(float(g.varying[made.index]))
            return made, broadcast_to(g, moves, made.shape)
        parts = [value(part) for part in entries]
        return [made for made, _ in parts], [moves for _, moves in parts]

    made, moves = value(formula.entries)
    try:
        array, varies = (p.builder.converter.array(part) for part in (made, moves))
    except ShapeError as error:
        raise InputError(Fault("shape", f"expected {e.name}: {error}", place=e.place)) from None
    return array, claim.subject.run([varies])[0] != 0


@dataclass(frozen=True)
class _FormulaCheck:
    """A formula against the derivative, at the file's point and at seeded others."""

    claim: Claim
    node: Value
    formula: Value
    varies: Numbers

    @property
    def nodes(self) -> list[Value]:
        return [self.formula, self.node]

    def run(self) -> Check:
        subject = self.claim.subject
        checks: list[Check] = []
        for point in self.points():
            found = self.at(point)
            if found.verdict == "wrong":
                return self.wrong(found, point, here=not checks)
            checks.append(found)
        counted = [c for c in checks if c.verdict == "equal"]
        if not counted:
            return checks[0]
        worst = min(counted, key=lambda c: c.digits or 0.0)
        more = "" if checks[0].verdict == "equal" else f"; at the file's point {checks[0].detail}"
        if proved(subject.program, self.formula, self.node):
            return replace(worst, detail="proved" + more)
        count = f"{len(counted)} points" if len(counted) > 1 else "1 point"
        return replace(worst, detail=count + more)

    def points(self) -> Iterator[Point]:
        yield self.claim.subject.point
        yield from points_of(self.claim.subject, _POINTS, self.nodes)

    def at(self, point: Point) -> Check:
        """The check at one point."""
        subject, e = self.claim.subject, self.claim.expected
        expected, got = subject.run(self.nodes, point)
        if point is not subject.point:
            expected = np.where(self.varies, expected, got)
        pair = Pair(self.claim.label, expected, got, _tolerance(e, expected, _FORMULA_RTOL))

        def rounding() -> list[Numbers]:
            return [np.asarray(sum(subject.rounding(self.nodes, point)))]

        found = compare(e.name, [pair], rounding, line=e.place.line)
        if found.verdict == "wrong" and np.isnan(expected).any() and not np.isnan(got).any():
            return _lost(found, "the formula is NaN")
        lost = subject.lost(self.node, point) if found.verdict == "wrong" else ""
        return _lost(found, lost) if lost else found

    def wrong(self, found: Check, point: Point, *, here: bool) -> Check:
        """With the mistake that explains it, and the simplest point at which it shows."""
        subject = self.claim.subject
        shown = simplest(point, self.is_wrong())
        evidence = [point, *points_of(subject, 3, self.nodes)]
        said = diagnose(self.claim, self.node, [(x, subject.run(self.nodes, x)[0]) for x in evidence])
        text = text_of(subject.program.inputs, shown)
        if here:
            return replace(found, diagnosis=said, counterexample=text)
        found = self.at(shown)
        worst = found.worst and replace(found.worst, entry=f"{found.worst.entry}, where {text}")
        return replace(found, diagnosis=said, worst=worst, detail="right at the file's point")

    def is_wrong(self) -> Callable[[Point], bool]:
        return lambda x: is_inside(self.claim.subject, x, self.nodes) and self.at(x).verdict == "wrong"
