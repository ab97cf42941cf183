"""`check`: every file's expectations, then the independent methods."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gradcli.checks.directions import Directions
from gradcli.checks.expectations import check_expected, check_unconnected
from gradcli.checks.methods import METHODS
from gradcli.checks.subject import Subject
from gradcli.document.expectations import Expectations, ExpectedError, read_expectations
from gradcli.document.problem import Problem, examine, in_order
from gradcli.document.values import collected
from gradcli.errors import Fault, InputError
from gradcli.results import Check, Checked, CheckedFile

__all__ = ["check", "planned"]

Source = str | os.PathLike[str] | Mapping[str, object]


def check(
    files: Source | Iterable[Source], *, seed: int = 0, max_memory: int | None = None, fail_fast: bool = False
) -> Checked:
    """Checks files, one after the other; what is wrong with a file is part of its result, and raises nothing.

    Args:
        files: one or more paths (`-` is standard input), or mappings with the sections of a file.
        seed: of the random points and directions.
        max_memory: bytes that no computation may exceed (default: a quarter of the machine's memory).
        fail_fast: whether to stop after the first file that has not passed.
    """
    given = [files] if isinstance(files, str | os.PathLike | Mapping) else list(files)
    found: list[CheckedFile] = []
    for source in given:
        found.append(_check_file(source, seed, max_memory))
        if fail_fast and not found[-1].passed:
            break
    return Checked(files=tuple(found), not_checked=len(given) - len(found))


def _check_file(source: Source, seed: int, max_memory: int | None) -> CheckedFile:
    name = None if isinstance(source, Mapping) else "<stdin>" if source == "-" else os.fspath(source)
    try:
        problem, faults, expectations = _read(source)
    except InputError as error:
        return CheckedFile(file=name, faults=error.faults)
    title = problem.title
    if expectations.error is not None:
        return CheckedFile(file=name, title=title, checks=(_check_error(expectations.error, problem, faults),))
    if faults:
        return CheckedFile(file=name, title=title, faults=tuple(faults))
    try:
        checks = _checks(problem, expectations, seed, max_memory)
    except InputError as error:
        return CheckedFile(file=name, title=title, faults=error.faults)
    return CheckedFile(file=name, title=title, checks=tuple(checks))


def _read(source: Source) -> tuple[Problem, list[Fault], Expectations]:
    """What a file holds, what is wrong with it, and what it expects; InputError with all of it where that is open."""
    problem, faults = examine(source)
    try:
        return problem, faults, read_expectations(problem)
    except InputError as error:
        raise InputError(*in_order([*faults, *error.faults])) from None


def planned(source: Source) -> list[tuple[str, int | None]]:
    """The checks that a file gets, by name and line, without computing any.

    Raises:
        InputError: the file cannot be checked.
    """
    problem, faults, expectations = _read(source)
    if expectations.error is not None:
        return [("error", expectations.error.place.line)]
    if faults:
        raise InputError(*faults)
    checks = [(expected.name, expected.place.line) for expected in expectations.values]
    checks += [(f"unconnected {name}", place.line) for name, place in expectations.unconnected]
    subject = Subject.of(problem)
    return checks + [(name, None) for name in METHODS if subject.sources]


def _check_error(expected: ExpectedError, problem: Problem, faults: list[Fault]) -> Check:
    """Whether the file is wrong as it should be."""
    found = faults or _faults_of(problem)
    line = expected.place.line
    if expected.matches(found):
        return Check(name="error", verdict="equal", line=line, detail=found[0].message)
    got = _described(found[0]) if found else "the file has no error"
    return Check(name="error", verdict="wrong", line=line, diagnosis=got)


def _described(fault: Fault) -> str:
    where = f", line {fault.place.line}" if fault.place and fault.place.line else ""
    return f"the error is of kind {fault.kind}{where}: {fault.message}"


def _faults_of(problem: Problem) -> list[Fault]:
    """What only shows when the file is computed."""
    try:
        subject = Subject.of(problem)
        subject.run([*subject.targets, *[v for v in subject.gradient.values() if v is not None]])
    except InputError as error:
        return list(error.faults)
    return []


def _checks(problem: Problem, expectations: Expectations, seed: int, max_memory: int | None) -> list[Check]:
    lets = [name for name in dict.fromkeys(_sources(expectations)) if name in problem.lets]
    subject = Subject.of(problem, lets=lets, seed=seed, max_memory=max_memory)
    faults: list[Fault] = []
    checks: list[Check] = []
    for expected in expectations.values:
        with collected(faults):
            checks.append(check_expected(subject, expected))
    if faults:
        raise InputError(*faults)
    checks += [check_unconnected(subject, name, place.line) for name, place in expectations.unconnected]
    if subject.sources:
        plain = subject if not lets else Subject.of(problem, seed=seed, max_memory=max_memory)
        directions = Directions(plain)
        checks += [_certain(plain, method(plain, directions)) for method in METHODS.values()]
    return checks


def _certain(subject: Subject, check: Check) -> Check:
    """Two ways to one derivative may lose it to underflow apart, and then neither is wrong."""
    if check.verdict != "wrong" or not subject.is_extreme:
        return check
    why = "the point has entries so large or small that steps on the way overflow or underflow"
    return replace(check, verdict="inconclusive", detail=why, worst=None)


def _sources(expectations: Expectations) -> Iterator[str]:
    """What is to be differentiated by."""
    for e in expectations.values:
        yield from () if e.kind == "value" else e.key[1:] if e.kind == "jacobian" else e.key
    yield from (name for name, _ in expectations.unconnected)
