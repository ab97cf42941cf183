"""One expectation of a file -> its check: numbers at the file's point, formulas at other points, too, and by proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradcli.checks.claims import Claim
from gradcli.checks.diagnosis import diagnose
from gradcli.checks.judge import Pair, compare
from gradcli.checks.points import points_of, simplest, text_of
from gradcli.checks.proof import proved
from gradcli.checks.subject import Numbers, Point, Subject
from gradcli.core.nodes import Value
from gradcli.core.ops.shape import broadcast_to
from gradcli.core.shapes import ShapeError, show
from gradcli.document.expectations import Expected, Formula
from gradcli.errors import Fault, InputError
from gradcli.language.source import Text
from gradcli.reasons import unconnected_reason
from gradcli.results import Check, Difference

__all__ = ["check_expected", "check_unconnected"]

_RTOL = 1e-6
_POINTS = 12


def check_expected(subject: Subject, expected: Expected) -> Check:
    """The check of one expectation.

    Raises:
        InputError: a formula is wrong.
    """
    claim = Claim(subject, expected)
    if expected.content is None:
        return _check_none(claim)
    formula = _built(claim, expected.content) if isinstance(expected.content, Formula) else None
    numbers = subject.run([formula])[0] if formula is not None else np.asarray(expected.content, dtype=float)
    if numbers.shape not in ((), claim.shape):
        return _wrong_shape(claim, numbers)
    if claim.node is None:
        return _check_unconnected_numbers(claim, numbers)
    if formula is None or not subject.program.graph.varying[formula.index]:
        return _check_numbers(claim, claim.node, numbers)
    return _FormulaCheck(claim, claim.node, broadcast_to(subject.program.graph, formula, claim.shape)).run()


def check_unconnected(subject: Subject, name: str, line: int | None) -> Check:
    """That no path leads from a source to the targets."""
    if subject.gradient[name] is None:
        return Check(name=f"unconnected {name}", verdict="equal", line=line, detail=_reason(subject, name))
    return Check(
        name=f"unconnected {name}",
        verdict="wrong",
        line=line,
        diagnosis=_connected(subject, name),
    )


def _reason(subject: Subject, name: str) -> str:
    p = subject.program
    reason, line = unconnected_reason(p.graph, p.sources[name], p.targets.values(), p.frozen)
    return f"{reason}, line {line}" if line else reason


def _connected(subject: Subject, name: str) -> str:
    node = subject.gradient[name]
    flat = node is not None and not subject.run([node])[0].any()
    what = "its derivative is 0 here, which is not the same as none" if flat else "its derivative is not 0"
    return f"a path leads from {name} to the targets: {what}"


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
        diagnosis=_connected(claim.subject, claim.key[-1]),
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


def _tolerance(e: Expected, numbers: Numbers) -> Numbers:
    with np.errstate(all="ignore"):
        size = np.where(np.isfinite(numbers), np.abs(numbers), 0.0)
    return np.asarray((_RTOL if e.rtol is None else e.rtol) * size + (e.atol or 0.0))


def _check_numbers(claim: Claim, node: Value, numbers: Numbers) -> Check:
    e = claim.expected
    expected = np.broadcast_to(numbers, claim.shape)
    pair = Pair(claim.label, expected, claim.subject.run([node])[0], _tolerance(e, expected))

    def rounding() -> list[Numbers]:
        # who gives an absolute tolerance has said how much rounding there may be
        return [np.zeros(claim.shape)] if e.atol is not None else claim.subject.rounding([node])

    found = compare(e.name, [pair], rounding, line=e.place.line)
    if found.verdict == "wrong":
        found = replace(found, diagnosis=diagnose(claim, node, [(claim.subject.point, expected)]))
    return found


# -- formulas --------------------------------------------------------------------------------------------------------


def _built(claim: Claim, formula: Formula) -> Value:
    """The node of a formula; lists of texts are stacked."""
    p, e = claim.subject.program, claim.expected

    def value(entries: Any) -> Any:
        return p.build(entries) if isinstance(entries, Text) else [value(part) for part in entries]

    made = value(formula.entries)
    try:
        return p.builder.converter.array(made)
    except ShapeError as error:
        raise InputError(Fault("shape", f"expected {e.name}: {error}", place=e.place)) from None


@dataclass(frozen=True)
class _FormulaCheck:
    """A formula against the derivative, at the file's point and at seeded others."""

    claim: Claim
    node: Value
    formula: Value

    @property
    def nodes(self) -> list[Value]:
        return [self.formula, self.node]

    def run(self) -> Check:
        e, subject = self.claim.expected, self.claim.subject
        checks: list[Check] = []
        for point in self.points():
            found = self.at(point)
            if found.verdict == "wrong":
                return self.wrong(found, point)
            checks.append(found)
        counted = [c for c in checks if c.verdict == "equal"]
        if not counted:
            return checks[0]
        worst = min(counted, key=lambda c: c.digits or 0.0)
        if proved(subject.program, self.formula, self.node):
            return replace(worst, detail="proved")
        more = "" if checks[0].verdict == "equal" else f"; at the file's point {checks[0].detail}"
        count = f"{len(counted)} points" if len(counted) > 1 else "1 point"
        return replace(worst, detail=count + more, name=e.name)

    def points(self) -> Iterator[Point]:
        yield self.claim.subject.point
        yield from points_of(self.claim.subject, _POINTS, self.nodes)

    def at(self, point: Point) -> Check:
        """The check at one point."""
        subject, e = self.claim.subject, self.claim.expected
        expected, got = subject.run(self.nodes, point)
        pair = Pair(self.claim.label, expected, got, _tolerance(e, expected))

        def rounding() -> list[Numbers]:
            return [np.asarray(sum(subject.rounding(self.nodes, point)))]

        return compare(e.name, [pair], rounding, line=e.place.line)

    def wrong(self, found: Check, point: Point) -> Check:
        """With the mistake that explains it, and the simplest point at which it shows."""
        subject = self.claim.subject
        shown = simplest(point, self.is_wrong())
        evidence = [point, *points_of(subject, 3, self.nodes)]
        said = diagnose(self.claim, self.node, [(x, subject.run(self.nodes, x)[0]) for x in evidence])
        text = text_of(subject.program.inputs, shown)
        return replace(found, diagnosis=said, counterexample=text)

    def is_wrong(self) -> Callable[[Point], bool]:
        def wrong(point: Point) -> bool:
            expected, got = self.claim.subject.run(self.nodes, point)
            finite = bool(np.isfinite(expected).all() and np.isfinite(got).all())
            return finite and self.at(point).verdict == "wrong"

        return wrong
