"""`check --update`: the computed numbers written into `expect`, and everything else of the file left as it is.

Only the text of the section is made anew, by ruamel.yaml, which keeps comments, order and quoting. Formulas stay: they
are claims, and what is wrong with one a person must say. Entries that agree within their tolerance stay, too.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np

from gradcli.checks.claims import Claim
from gradcli.checks.expectations import check_expected
from gradcli.checks.subject import Numbers, Subject
from gradcli.document.expectations import Expectations, Expected, Formula, read_expectations
from gradcli.document.files import read_text
from gradcli.document.problem import Problem, load, load_text
from gradcli.errors import Fault, InputError, InternalError, Place

__all__ = ["Update", "update"]


@dataclass(frozen=True, slots=True)
class Update:
    """What a file becomes: `written` and `left` name the entries that changed, and the formulas that are wrong."""

    file: str
    old: str
    new: str
    written: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def diff(self) -> str:
        """The change as a unified diff; empty where there is none."""
        old, new = (text.splitlines() for text in (self.old, self.new))
        lines = difflib.unified_diff(old, new, self.file, f"{self.file} (updated)", lineterm="")
        return "".join(f"{line}\n" for line in lines)


def update(file: str | os.PathLike[str], *, max_memory: int | None = None) -> Update:
    """What `expect` of a file becomes with the numbers that are computed; nothing is written.

    A file without `expect` gets the values of its targets and its gradient.

    Raises:
        InputError: the file is wrong, is no file, or expects an error; or ruamel.yaml is missing.
    """
    name = os.fspath(file)
    if name == "-":
        raise InputError(Fault("usage", "standard input cannot be updated", "name a file"))
    problem = load(name)
    expectations = read_expectations(problem)
    if expectations.error is not None:
        raise InputError(
            Fault("usage", "a file that expects an error has no numbers to update", place=expectations.error.place)
        )
    old = read_text(name, name)
    changes, left = _changes(problem, expectations, max_memory)
    if not changes:
        return Update(name, old, old, (), left)
    new = _json(old, changes) if old.lstrip().startswith("{") else _yaml(old, changes, problem)
    _confirm(name, new, changes)
    return Update(name, old, new, tuple(change.name for change in changes), left)


@dataclass(frozen=True, slots=True)
class _Change:
    """A new value for the entry at a path under `expect`; `numbers` None stands for null, `gone` for no entry."""

    name: str
    path: tuple[str, ...]
    numbers: Numbers | None = None
    gone: bool = False


def _changes(
    problem: Problem, expectations: Expectations, max_memory: int | None
) -> tuple[list[_Change], tuple[str, ...]]:
    wanted = expectations.values or (() if problem.expect is not None else tuple(_first(problem)))
    lets = [name for e in wanted for name in e.key if name in problem.lets]
    subject = Subject.of(problem, lets=dict.fromkeys(lets), max_memory=max_memory)
    changes, left = [], []
    for e in wanted:
        if problem.expect is not None and check_expected(subject, e).verdict == "equal":
            continue
        if isinstance(e.content, Formula):
            left.append(e.name)
            continue
        node = Claim(subject, e).node
        changes.append(_Change(e.name, (e.kind, *e.key), None if node is None else subject.run([node])[0]))
    connected = [name for name, _ in expectations.unconnected if subject.gradient[name] is not None]
    changes += [_Change(f"unconnected {name}", ("unconnected", name), gone=True) for name in connected]
    return changes, tuple(left)


def _first(problem: Problem) -> Iterator[Expected]:
    """What a file without `expect` gets."""
    for kind, names in (("value", problem.targets), ("gradient", problem.sources)):
        for name in names:
            yield Expected(kind, (name,), Place(), None, None, None)


# -- the new text ----------------------------------------------------------------------------------------------------


def _json(old: str, changes: list[_Change]) -> str:
    content = json.loads(old)
    _apply(content.setdefault("expect", {}), changes, _plain)
    indent = re.match(r"\{\s*?\n([ \t]+)", old)
    return json.dumps(content, indent=indent[1] if indent else None, ensure_ascii=False) + ("\n" * old.endswith("\n"))


def _plain(array: Numbers) -> Any:
    """Lists for JSON, where NaN and infinities are texts."""
    if array.ndim:
        return [_plain(part) for part in array]
    return float(array) if np.isfinite(array) else str(float(array))


def _yaml(old: str, changes: list[_Change], problem: Problem) -> str:
    """The lines of the section made anew, and all others as they are."""
    yaml = _round_trip()
    begin, end = _lines_of(yaml, old)
    lines = old.splitlines(keepends=True)
    section = "".join(lines[begin:end])
    content = yaml.load(section) if problem.expect is not None else {"expect": None}
    if content["expect"] is None:
        content["expect"] = {}
    _apply(content["expect"], changes, _flow)
    out = StringIO()
    yaml.dump(content, out)
    before = "".join(lines[:begin])
    return f"{before}{'' if before.endswith(chr(10)) or not before else chr(10)}{out.getvalue()}{''.join(lines[end:])}"


def _round_trip() -> Any:
    try:
        from ruamel.yaml import YAML
    except ImportError:
        help_ = "pip install 'gradcli[update]'"
        raise InputError(Fault("missing", "--update needs ruamel.yaml, which is not installed", help_)) from None
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1 << 16
    yaml.representer.add_representer(type(None), lambda r, _: r.represent_scalar("tag:yaml.org,2002:null", "null"))
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _lines_of(yaml: Any, text: str) -> tuple[int, int]:
    """The lines of the section `expect`, up to the next key; at the end of the text where there is none."""
    content = yaml.load(text)
    last = text.count("\n") + (not text.endswith("\n"))
    if "expect" not in content:
        return last, last
    begin = content.lc.key("expect")[0]
    return begin, min((content.lc.key(key)[0] for key in content if content.lc.key(key)[0] > begin), default=last)


def _flow(array: Numbers) -> Any:
    """Lists that are written in brackets."""
    from ruamel.yaml.comments import CommentedSeq

    if not array.ndim:
        return float(array)
    made = CommentedSeq([_flow(part) for part in array])
    made.fa.set_flow_style()
    return made


def _apply(expect: Any, changes: list[_Change], make: Any) -> None:
    for change in changes:
        if change.gone:
            _remove(expect, change.path[1])
        else:
            _put(expect, change.path, change.numbers, make)


def _put(at: Any, path: tuple[str, ...], numbers: Numbers | None, make: Any) -> None:
    """The new value at a path; names may be dotted, nested, or left out where there is only one."""
    key, rest = path[0], path[1:]
    inner = at.get(key) if isinstance(at, Mapping) else None
    if rest and inner is not None and not _names(inner, rest[0]):
        rest = ()  # `gradient: 6.0`
    if not rest:
        _set(at, key, numbers, make)
        return
    if inner is None:
        inner = at[key] = type(at)()
    _put(inner, _spelled(inner, rest), numbers, make)


def _names(inner: Any, name: str) -> bool:
    return isinstance(inner, Mapping) and (not inner or name in inner or name.partition(".")[0] in inner)


def _spelled(inner: Mapping[str, Any], path: tuple[str, ...]) -> tuple[str, ...]:
    """The path as the section nests it: `layer1.w` is one key, or two."""
    name, *rest = path
    first, dot, last = name.partition(".")
    return path if name in inner or not dot or first not in inner else (first, last, *rest)


def _set(at: MutableMapping[str, Any], key: str, numbers: Numbers | None, make: Any) -> None:
    old = at.get(key)
    if isinstance(old, Mapping) and "value" in old:  # with tolerances of its own
        _set(old, "value", numbers, make) if isinstance(old, MutableMapping) else None
    elif isinstance(old, Mapping) and "file" in old:
        help_ = "write the file with `gradcli grad -o`, or give the numbers themselves"
        raise InputError(Fault("usage", f"expected {key} is read from {old['file']}, which is not updated", help_))
    elif numbers is not None and isinstance(old, list) and np.shape(old) == numbers.shape:
        _fill(old, numbers, make)
    else:
        at[key] = None if numbers is None else make(numbers)


def _fill(old: list[Any], numbers: Numbers, make: Any) -> None:
    """Entry by entry, so that the list keeps its form and its comments."""
    for k, part in enumerate(numbers):
        if part.ndim:
            _fill(old[k], part, make)
        else:
            old[k] = make(part)


def _remove(expect: Any, name: str) -> None:
    """A name out of `unconnected`, and the key where it was the last."""
    given = expect["unconnected"]
    if isinstance(given, list | Mapping) and len(given) > 1:
        given.remove(name) if isinstance(given, list) else expect["unconnected"].pop(name)
    else:
        del expect["unconnected"]


def _confirm(file: str, new: str, changes: list[_Change]) -> None:
    """The new text is read back before anything is written: it must hold exactly these numbers."""
    found = read_expectations(load_text(new, file))
    values = {e.name: e.content for e in found.values}
    unconnected = {name for name, _ in found.unconnected}
    for change in changes:
        content = values.get(change.name)
        held = content is None if change.numbers is None else _same(content, change.numbers)
        if change.path[1] in unconnected if change.gone else not held:
            raise InternalError(Fault("internal", f"the new text of {file} does not hold the numbers of {change.name}"))


def _same(content: Any, numbers: Numbers) -> bool:
    return not isinstance(content, Formula) and np.array_equal(content, numbers, equal_nan=True)
