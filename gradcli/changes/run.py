"""`diff`: both sides are read, the files among them are asked, and the answers are compared."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any

from gradcli.changes.asked import Asking, faults_of
from gradcli.changes.compare import compare
from gradcli.changes.saved import is_result, read_result
from gradcli.changes.side import Side
from gradcli.document.files import read_text
from gradcli.document.json_reader import read_json
from gradcli.document.problem import Problem, load, load_text
from gradcli.document.tree import File
from gradcli.document.values import collected
from gradcli.errors import Fault, InputError, Place
from gradcli.results import Changes, Result

__all__ = ["Source", "diff"]

Source = str | os.PathLike[str] | Mapping[str, object] | Problem | Result


def diff(
    old: Source,
    new: Source,
    *,
    targets: Iterable[str] | None = None,
    sources: Iterable[str] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    dtype: str | None = None,
    max_memory: int | None = None,
) -> Changes:
    """What changed from `old` to `new` in values, derivatives and shapes, entry by entry, the worst first.

    Each is an expression file, a result of grad, jacobian, compare or hessian in JSON, standard input (`-`), a mapping
    with the content of one of these, or a result. Two files are compared in value, gradient and, where it is not too
    large, Jacobian. A file beside a result is asked its question, for its targets and sources and in its dtype.

    Args:
        targets, sources: choose by name (default: all).
        rtol, atol: an entry changed where |new - old| > atol + rtol * max(|old|, |new|). By default what is rounding
            is no change: rtol is 1e-9 (float32: 1e-4), and atol 64 eps times the largest entry of the array, or for a
            gradient of the rows that it sums; of a file also 4 eps times |target| / max(1, |source|), as a derivative
            may be 0 but for rounding everywhere. 0 and 0 compare to the last bit.
        dtype: in which files are computed.
        max_memory: bytes that no computation may exceed (default: a quarter of the machine's memory).

    Raises:
        InputError: with all that is wrong with both, or why they cannot be compared.
    """
    _check(rtol, atol)
    given = {"targets": _listed(targets), "sources": _listed(sources), "dtype": dtype, "max_memory": max_memory}
    options = {name: value for name, value in given.items() if value is not None}
    sides, notes = _answered((old, new), options)
    found = compare(*sides, rtol=rtol, atol=atol)
    return replace(found, notes=(*notes, *found.notes))


def _check(rtol: float | None, atol: float | None) -> None:
    wrong = [n for n, x in (("rtol", rtol), ("atol", atol)) if x is not None and not (x >= 0 and math.isfinite(x))]
    if wrong:
        raise InputError(*(Fault("usage", f"{name} must be a finite number, 0 or more") for name in wrong))


def _answered(sources: tuple[Source, Source], options: dict[str, Any]) -> tuple[tuple[Side, Side], list[str]]:
    """Both sides, and what had to be left out; InputError with the faults of both."""
    faults: tuple[list[Fault], list[Fault]] = ([], [])
    opened: list[Side | Problem | None] = [None, None]
    for i, source in enumerate(sources):
        with _of(source, faults[i]):
            opened[i] = _opened(source, options)
    sides: list[Side] = []
    notes: list[str] = []
    for i, (source, one, other) in enumerate(zip(sources, opened, reversed(opened), strict=True)):
        if isinstance(one, Problem):
            asking = Asking.like(other, options) if isinstance(other, Side) else Asking(options=options)
            with _of(source, faults[i]):
                if any(faults):
                    faults_of(one, asking)
                else:
                    side, note = asking.answer(one)
                    sides.append(side)
                    notes += [note] if note and not notes else []
        elif one is not None:
            sides.append(one)
    if any(faults):
        raise InputError(*dict.fromkeys(chain(*faults)))
    old, new = sides
    return (old, new), notes


@contextmanager
def _of(source: Source, faults: list[Fault]) -> Iterator[None]:
    """Keeps the faults of one side; among those of two each says whose it is."""
    found: list[Fault] = []
    with collected(found):
        yield
    name = _name(source)
    for fault in found:
        place = fault.place or Place()
        faults.append(fault if place.file or not name else replace(fault, place=replace(place, file=name)))


def _listed(names: Iterable[str] | None) -> list[str] | None:
    return None if names is None else list(names)


def _opened(source: Source, options: dict[str, Any]) -> Side | Problem:
    """A result as a side; of a file the problem."""
    found = _read(source)
    return found.chosen(options.get("targets"), options.get("sources")) if isinstance(found, Side) else found


def _read(source: Source) -> Side | Problem:
    if isinstance(source, Problem):
        return source
    if isinstance(source, Result):
        return Side.of(source)
    if isinstance(source, Mapping):
        return read_result(source, None) if is_result(source) else load(source)
    name = _name(source) or ""
    text = read_text(source, name)  # once, as it may be a pipe
    if text.lstrip().startswith("{"):
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            read_json(File(name, text))  # says what is wrong, and where
        else:
            if is_result(content):
                return read_result(content, name)
    return load_text(text, name)


def _name(source: Source) -> str | None:
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else os.fspath(source)
    return source.file if isinstance(source, Problem | Result) else None
