"""`check --update`: the computed numbers written into `expect`, and everything else of the file left as it is.

Formulas stay: they are claims, and what is wrong with one a person must say. Numbers that agree within their tolerance
stay, too.
"""

from __future__ import annotations

import difflib
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gradcli.checks.claims import Claim
from gradcli.checks.expectations import RTOL, check_expected
from gradcli.checks.run import check
from gradcli.checks.subject import Numbers, Subject
from gradcli.document.edits import Edit, applied
from gradcli.document.expectations import Expectations, Expected, Formula, read_expectations
from gradcli.document.expected_values import TOLERANCES, Entries
from gradcli.document.files import os_error, read_text
from gradcli.document.problem import Problem, examine, load_text
from gradcli.document.rewrite import Change, extend, rewrite
from gradcli.document.tree import File
from gradcli.document.values import collected
from gradcli.errors import Fault, InputError, InternalError, Place
from gradcli.results import Check

__all__ = ["Update", "update"]

_LINE_END = re.compile("\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Update:
    """What a file becomes.

    Attributes:
        old, new: its text with its own line ends and byte order mark.
        written: the names of the entries that change.
        left: the checks that are wrong and that numbers cannot mend: those of formulas, and of an expected error.
    """

    file: str
    old: str
    new: str
    written: tuple[str, ...] = ()
    left: tuple[Check, ...] = ()

    def diff(self, name: str | None = None) -> str:
        """The change as a unified diff of a file called `name`; empty where there is none."""
        old, new = ([f"{line}\n" for line in text.split("\n")] for text in (self.old, self.new))
        for lines in (old, new):
            if lines[-1] == "\n":
                lines.pop()
            else:
                lines[-1] += "\\ No newline at end of file\n"
        return "".join(difflib.unified_diff(old, new, name or self.file, name or self.file))


def update(file: str | os.PathLike[str], *, seed: int = 0, max_memory: int | None = None) -> Update:
    """What `expect` of a file becomes with the numbers that are computed; nothing is written.

    A file that expects nothing gets the values of its targets and its gradient.

    Args:
        file: a path.
        seed: of the points at which formulas are checked.
        max_memory: bytes that no computation may exceed (default: a quarter of the machine's memory).

    Raises:
        InputError: the file is wrong or is no file, or a number that changes stands where it cannot be changed alone.
    """
    name = os.fspath(file)
    old = _raw_text(name)
    text = _LINE_END.sub("\n", old.removeprefix("\ufeff"))
    problem, faults = examine(name)
    expectations = read_expectations(problem)
    if expectations.error is not None:
        (found,) = check(name, seed=seed, max_memory=max_memory).files
        return Update(name, old, old, left=tuple(c for c in found.checks if c.verdict == "wrong"))
    if faults:
        raise InputError(*faults)
    made = _changes(problem, expectations, seed, max_memory)
    if not made.changes and not made.gone:
        return Update(name, old, old, left=made.left)
    if _is_empty(problem):
        edits = extend(text, made.changes)
    else:
        edits = rewrite(text, name, expectations, made.changes, made.gone)
    _confirm(problem, expectations, applied(text, edits), made)
    written = (*(change.name for change in made.changes), *(f"unconnected {source}" for source in made.gone))
    return Update(name, old, _with_line_ends(old, text, edits), written, made.left)


def _raw_text(name: str) -> str:
    """The text with its line ends and byte order mark; InputError where it is no text."""
    if name == "-":
        raise InputError(Fault("usage", "standard input cannot be updated", "name a file"))
    if os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name):
        raise InputError(Fault("file", "only a regular file can be updated", place=Place(name)))
    read_text(name, name)  # for what it says of a file that is no text
    try:
        return Path(name).read_bytes().decode()
    except OSError as error:
        raise os_error(error, name, name, None) from None


def _with_line_ends(raw: str, text: str, edits: Sequence[Edit]) -> str:
    """The edits of `text` made in `raw`, which differs in its line ends; new lines end as the first one does."""
    found = _LINE_END.search(raw)
    end = found[0] if found else "\n"
    starts = File(None, text).starts
    raw_starts = [len(raw) - len(raw.removeprefix("\ufeff")), *(m.end() for m in _LINE_END.finditer(raw))]

    def at(offset: int) -> int:
        line = bisect_right(starts, offset) - 1
        return raw_starts[line] + offset - starts[line]

    moved = [(at(start), at(stop), new.replace("\n", end)) for start, stop, new in edits]
    return applied(raw, moved)


# -- what changes ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Changes:
    """All changes of a file, the names that are no longer unconnected, and what is wrong and stays."""

    changes: list[Change]
    gone: list[str]
    left: tuple[Check, ...]


def _changes(problem: Problem, expectations: Expectations, seed: int, max_memory: int | None) -> _Changes:
    wanted = tuple(_first(problem)) if _is_empty(problem) else expectations.values
    sources = [name for e in wanted if e.kind != "value" for name in (e.key[1:] if e.kind == "jacobian" else e.key)]
    sources += [name for name, _ in expectations.unconnected]
    lets = [name for name in dict.fromkeys(sources) if name in problem.lets]
    subject = Subject.of(problem, lets=lets, seed=seed, max_memory=max_memory)
    found, left = [], []
    faults: list[Fault] = []
    for e in wanted:
        with collected(faults):
            made = None if _is_empty(problem) else check_expected(subject, e)
            if isinstance(e.content, Formula):
                left += [made] if made and made.verdict == "wrong" else []
            elif made is None or made.verdict != "equal":
                found.append(Change(e, _numbers(subject, e)))
    if faults:
        raise InputError(*faults)
    gone = [name for name, _ in expectations.unconnected if subject.gradient[name] is not None]
    return _Changes(found, gone, tuple(left))


def _is_empty(problem: Problem) -> bool:
    """Whether a file expects nothing; tolerances alone say nothing."""
    return problem.expect is None or all(key.text in TOLERANCES for key, _ in problem.expect.entries)


def _first(problem: Problem) -> Iterator[Expected]:
    """What a file that expects nothing gets."""
    for kind, names in (("value", problem.targets), ("gradient", problem.sources)):
        for name in names:
            yield Expected(kind, (name,), Place(), None, None, None)


def _numbers(subject: Subject, e: Expected) -> Numbers | None:
    node = Claim(subject, e).node
    if node is None:
        return None
    computed = subject.run([node])[0]
    if isinstance(e.content, Formula) or e.content is None:
        return computed
    if not e.content.ndim and computed.size and (computed == computed.flat[0]).all():
        computed = np.asarray(computed.flat[0])  # one number goes on to stand for all
    if e.content.shape != computed.shape:
        return computed
    rtol = RTOL if e.rtol is None else e.rtol
    with np.errstate(all="ignore"):
        close = np.isclose(computed, e.content, rtol=rtol, atol=e.atol or 0.0, equal_nan=True)
    return np.asarray(np.where(close, e.content, computed))


# -- the new text is read back ---------------------------------------------------------------------------------------


def _confirm(problem: Problem, expectations: Expectations, new: str, made: _Changes) -> None:
    """Nothing is written unless the new text says what it is to say, and all else as before."""
    name = problem.file or ""
    try:
        after = load_text(new, name)
        found = read_expectations(after)
    except InputError as error:
        raise InternalError(Fault("internal", f"the new text of {name} cannot be read: {error}")) from error
    old = {e.name: e for e in expectations.values}
    held = {e.name: _content(e.content) for e in found.values}
    wanted = {name: _content(e.content) for name, e in old.items()}
    wanted |= {change.name: _content(change.numbers) for change in made.changes}
    moved = [e for e in found.values if e.content is not None and e.name in old and _bounds(e) != _bounds(old[e.name])]
    unconnected = {source for source, _ in expectations.unconnected} - {*made.gone}
    same = held == wanted and {source for source, _ in found.unconnected} == unconnected and not moved
    if not same or _outside(after) != _outside(problem):
        raise InternalError(Fault("internal", f"the new text of {name} does not hold the numbers that it should"))


def _bounds(e: Expected) -> tuple[float | None, float | None]:
    return e.rtol, e.atol


def _content(content: Numbers | Formula | None) -> object:
    return _texts(content.entries) if isinstance(content, Formula) else _array(content)


def _texts(entries: Entries) -> object:
    return [_texts(entry) for entry in entries] if isinstance(entries, list) else entries.text


def _array(array: Numbers | None) -> object:
    """Equal for equal arrays, also where they hold NaN or -0."""
    return None if array is None else (array.shape, np.where(np.isnan(array), np.nan, array + 0.0).tobytes())


def _outside(p: Problem) -> list[object]:
    """What the other sections say."""
    arrays = [{name: _array(a) for name, a in part.items()} for part in (p.constants, p.sources, p.output_gradients)]
    return [p.title, *arrays, *({name: text.text for name, text in part.items()} for part in (p.lets, p.targets))]
