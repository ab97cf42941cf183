"""An expression file, read and checked: what to differentiate, by what, and at which point."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from collections.abc import Mapping as AnyMapping
from collections.abc import Sequence as AnySequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gradcli.document import describe
from gradcli.document.load import load_tree, parse
from gradcli.document.model import Content, read_content
from gradcli.document.tree import File, Mapping, Scalar
from gradcli.document.values import FloatArray, Values
from gradcli.errors import Fault, InputError, Place
from gradcli.language.names import did_you_mean, fold, name_problem
from gradcli.language.source import Text, plain_text

__all__ = ["Problem", "examine", "from_expressions", "in_order", "load", "load_text", "read_value", "with_point"]


@dataclass
class Problem:
    """What a file asks.

    Attributes:
        file: its name as it was given; `<stdin>` for `-`, None where there is no file.
        constants, sources: float64 arrays, 0-d for scalars, in the order of the file; nested ones by dotted name.
        lets, targets: expressions that know their places.
        output_gradients: by target, a scalar or an array whose shape is yet to be checked against the target's.
        expect: the section as it stands; only its keys have been checked (`document.expectations` reads the rest).
        places: where each name is defined, by section and name: `("sources", "layer1.w")`.
    """

    file: str | None = None
    title: str | None = None
    constants: dict[str, FloatArray] = field(default_factory=dict)
    sources: dict[str, FloatArray] = field(default_factory=dict)
    lets: dict[str, Text] = field(default_factory=dict)
    targets: dict[str, Text] = field(default_factory=dict)
    output_gradients: dict[str, FloatArray] = field(default_factory=dict)
    expect: Mapping | None = None
    places: dict[tuple[str, str], Place] = field(default_factory=dict)

    @property
    def texts(self) -> dict[str, Text]:
        """The expressions by their owner: `let 'h'`, `target 'y'`."""
        return {text.owner: text for text in (*self.lets.values(), *self.targets.values())}


def load(source: str | os.PathLike[str] | AnyMapping[str, object]) -> Problem:
    """The problem in a file, in standard input (`-`), or in a mapping with the same sections.

    Raises:
        InputError: with all problems of the file, in its order.
    """
    problem, faults = examine(source)
    _raise_all(faults)
    return problem


def examine(source: str | os.PathLike[str] | AnyMapping[str, object]) -> tuple[Problem, list[Fault]]:
    """What could be read of a problem, and all that is wrong with it: a check may expect that something is.

    Raises:
        InputError: the file cannot be opened, or is not YAML or JSON at all.
    """
    (root, faults), name, folder = load_tree(source)
    content = read_content(root, folder)
    return _problem(content, name), in_order([*faults, *content.faults])


def load_text(text: str, name: str) -> Problem:
    """The problem in a text, as if it stood in the file `name`; InputError as for `load`."""
    root, faults = parse(File(name, text))
    content = read_content(root, Path(name).parent)
    _raise_all([*faults, *content.faults])
    return _problem(content, name)


def _raise_all(faults: list[Fault]) -> None:
    if faults:
        raise InputError(*in_order(faults))


def in_order(faults: Iterable[Fault]) -> list[Fault]:
    """The faults in the order of the file; those without a line come last."""
    return sorted(faults, key=_order)


def _order(fault: Fault) -> tuple[float, int]:
    place = fault.place or Place()
    return place.line or math.inf, place.column or 0


def _problem(content: Content, name: str | None) -> Problem:
    return Problem(
        file=name,
        title=content.title,
        constants=content.constants,
        sources=content.sources,
        lets=content.lets,
        targets=content.targets,
        output_gradients=content.output_gradients,
        expect=content.expect,
        places=content.places,
    )


def from_expressions(texts: AnySequence[str]) -> Problem:
    """Targets y, or y1, y2, ..., from the command line; the sources come with `with_point`."""
    names = ["y"] if len(texts) == 1 else [f"y{number}" for number in range(1, len(texts) + 1)]
    blank = [name for name, text in zip(names, texts, strict=True) if not text.strip()]
    if blank:
        raise InputError(
            *[
                Fault("value", f"target {name!r} is an empty text", "write an expression, such as x**2")
                for name in blank
            ]
        )
    return Problem(
        targets={name: plain_text(text, f"target {name!r}") for name, text in zip(names, texts, strict=True)}
    )


def read_value(text: str, owner: str) -> FloatArray:
    """The value of an option: a number, a list in brackets, a constant expression, or `@file.npy`.

    Raises:
        InputError: at the text; `owner` (`--at x`) says whose it is.
    """
    text = text.strip()
    file = File(None, text)
    whole = Scalar(file, 0, len(text), "", text, text)
    values = Values(Path())
    if text.startswith("@"):
        from gradcli.document.datafiles import DataFile

        return DataFile(values, owner, text[1:], whole).read()
    from gradcli.document.yaml_reader import read_yaml

    if text.startswith(("[", "{")):
        root, faults = read_yaml(file)
        _raise_all(faults)
        if root is not None:
            return describe.read_value(values, root, owner, owner.rsplit(maxsplit=1)[-1])
    root = read_yaml(file)[0] if _is_one_word(text) else whole
    return values.array(root if isinstance(root, Scalar) else whole, owner, owner)


def _is_one_word(text: str) -> bool:
    """A number in YAML's forms (`.inf`, `0o17`), which is no expression."""
    return text.replace(".", "").replace("+", "").replace("-", "").isalnum() and text.isascii()


def with_point(problem: Problem, at: AnyMapping[str, object], *, new_sources: bool = False) -> Problem:
    """The problem at another point: other values, also of other shapes, for its sources.

    `new_sources` allows names that the problem does not have yet (with `-e` there is no file that defines them).

    Raises:
        InputError: a name is no source, or a value is no array of numbers; all of them at once.
    """
    from gradcli.document.python_reader import read_python

    known = {fold(name): name for name in problem.sources}
    sources = dict(problem.sources)
    faults: list[Fault] = []
    for given, value in at.items():
        name = known.get(fold(given))
        fault = None if name is not None else _new_name_fault(problem, given, new_sources)
        if fault is not None:
            faults.append(fault)
            continue
        try:
            node = read_python(value, f"at.{given}")
            sources[name or given] = describe.read_value(Values(Path()), node, f"source {given!r}", given)
        except InputError as error:
            faults.extend(error.faults)
    _raise_all(faults)
    return replace(problem, sources=sources)


def _new_name_fault(problem: Problem, name: str, new_sources: bool) -> Fault | None:
    """Why there can be no value for a name that is no source."""
    place = Place(path=f"at.{name}")
    for what, section in (("constant", problem.constants), ("let", problem.lets)):
        if fold(name) in map(fold, section):
            hint = "move it to sources to differentiate by it or to change its value"
            return Fault("unknown-name", f"{name!r} is a {what}, not a source", hint, place)
    if not new_sources:
        guess = did_you_mean(name, problem.sources)
        hint = f"did you mean {guess!r}?" if guess else f"the sources are {', '.join(problem.sources) or 'none'}"
        return Fault("unknown-name", f"there is no source {name!r}", hint, place)
    for part in name.split("."):
        if wrong := name_problem(part):
            return Fault("name", f"{part!r} is {wrong[0]}", wrong[1], place)
    return None
