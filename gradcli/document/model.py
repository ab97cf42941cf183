"""The sections of an expression file, checked key by key; every problem is kept, so that all are reported at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gradcli.document.describe import is_description, read_value
from gradcli.document.formulas import expression, listed
from gradcli.document.text import check_characters
from gradcli.document.tree import Broken, Mapping, Node, Scalar, Sequence, show
from gradcli.document.values import FloatArray, Values, collected
from gradcli.errors import Fault, InputError, Place
from gradcli.language.names import did_you_mean, fold, name_problem
from gradcli.language.source import Text

__all__ = ["EXPECT_KEYS", "SECTIONS", "Content", "read_content"]

SECTIONS = ("title", "constants", "sources", "let", "targets", "output_gradients", "expect")
EXPECT_KEYS = ("value", "gradient", "jacobian", "hessian", "unconnected", "error", "rtol", "atol")

_ONE = {
    "constants": "constant",
    "sources": "source",
    "let": "let",
    "targets": "target",
    "output_gradients": "output gradient",
}


@dataclass
class Content:
    """What a file says. The names of values are dotted where they are nested, and in the order of the file."""

    title: str | None = None
    constants: dict[str, FloatArray] = field(default_factory=dict)
    sources: dict[str, FloatArray] = field(default_factory=dict)
    lets: dict[str, Text] = field(default_factory=dict)
    targets: dict[str, Text] = field(default_factory=dict)
    output_gradients: dict[str, FloatArray] = field(default_factory=dict)
    expect: Mapping | None = None
    places: dict[tuple[str, str], Place] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def read_content(root: Node, folder: Path) -> Content:
    """What the tree of a file means; what is wrong with it is in `faults`. Data files are relative to `folder`."""
    model = _Model(folder)
    model.read(root)
    return model.content


class _Model:
    def __init__(self, folder: Path) -> None:
        self.content = Content()
        self.faults = self.content.faults
        self.values = Values(folder)
        self.defined: dict[str, tuple[str, Node]] = {}
        self.structures: dict[str, tuple[str, Node]] = {}
        self.guessed: set[str | None] = set()

    def read(self, root: Node) -> None:
        if not isinstance(root, Mapping):
            self.not_a_file(root)
            return
        sections = dict(self.sections(root))
        readers: dict[str, Callable[[Node], None]] = {
            "title": self.title,
            "constants": lambda node: self.section("constants", node, self.content.constants),
            "sources": lambda node: self.section("sources", node, self.content.sources),
            "let": self.lets,
            "targets": self.targets,
            "output_gradients": self.output_gradients,
            "expect": self.expect,
        }
        for name in sorted(sections, key="output_gradients".__eq__):  # last: it needs the names of the targets
            if not isinstance(sections[name], Broken):
                with collected(self.faults):
                    readers[name](sections[name])
        if "targets" not in sections and "targets" not in self.guessed:
            place = Place(root.file.name, path=None if root.file.name else "targets")
            hint = "say what to differentiate: targets: {y: x**2}"
            self.faults.append(Fault("missing-key", "the section 'targets' is missing", hint, place))

    def not_a_file(self, root: Node) -> None:
        if not isinstance(root, Broken):
            hint = "it begins with a section, such as targets:"
            self.faults.append(root.fault("value", f"the file holds {root.describe()}, not sections", hint))

    def sections(self, root: Mapping) -> Iterator[tuple[str, Node]]:
        for key, node in root.entries:
            if key.text in SECTIONS:
                yield key.text, node
            else:
                self.faults.append(self.unknown(key, SECTIONS, "the sections are"))

    def unknown(self, key: Scalar, known: tuple[str, ...], are: str) -> Fault:
        guess = did_you_mean(key.text, known)
        self.guessed.add(guess)
        hint = f"did you mean {guess!r}?" if guess else f"{are} {', '.join(known)}"
        return key.fault("unknown-key", f"unknown key {show(key.text)}", hint)

    def title(self, node: Node) -> None:
        if not isinstance(node, Scalar) or node.value is None:
            raise InputError(
                node.fault("value", f"the title must be a text, not {node.describe()}", "write it in quotes")
            )
        self.content.title = check_characters(node).strip()

    # ---- names

    def entries(self, section: str, node: Node, prefix: str = "") -> Iterator[tuple[Scalar, Node, str]]:
        """The entries of a section (or structure) whose keys are names; the others are reported."""
        if isinstance(node, Scalar) and node.value is None:
            return
        if not isinstance(node, Mapping):
            example = "xentropy: [1.0, 1.0]" if section == "output_gradients" else "x: 2"
            hint = f"write one line for each {_ONE[section]}, such as {example}"
            raise InputError(node.fault("value", f"{section} must be a mapping of names, not {node.describe()}", hint))
        for key, value in node.entries:
            if fault := _name_fault(key, section):
                self.faults.append(fault)
            else:
                yield key, value, prefix + key.text

    def define(self, section: str, key: Scalar, name: str) -> bool:
        """Take a name for a value; False where the name, or a part of it, is taken."""
        folded = fold(name)
        other = self.defined.get(folded) or self.structures.get(folded)
        if other is None:
            self.defined[folded] = (section, key)
            self.content.places[section, name] = key.place
            return True
        self.duplicate(section, key, name, other)
        return False

    def duplicate(self, section: str, key: Scalar, name: str, other: tuple[str, Node]) -> None:
        where = f" at line {other[1].line}" if other[1].line else ""
        spelled = "" if getattr(other[1], "text", key.text) == key.text else f" as {other[1].text!r}"  # type: ignore[attr-defined]
        message = f"{name!r} is defined twice: it is already a {_ONE[other[0]]}{where}{spelled}"
        self.faults.append(key.fault("duplicate-name", message, "use another name for one of them"))

    # ---- values

    def section(self, section: str, node: Node, into: dict[str, FloatArray], prefix: str = "") -> None:
        """The values of constants or sources, and of the structures in them."""
        for key, value, name in self.entries(section, node, prefix):
            with collected(self.faults):
                if isinstance(value, Mapping) and not is_description(value, f"{_ONE[section]} {name!r}"):
                    self.structure(section, key, value, name, into)
                elif self.define(section, key, name):
                    into[name] = self.value(value, key, f"{_ONE[section]} {name!r}", name)

    def structure(self, section: str, key: Scalar, value: Mapping, name: str, into: dict[str, FloatArray]) -> None:
        if other := self.defined.get(fold(name)):
            self.duplicate(section, key, name, other)
            return
        if not value.entries:
            message = f"{_ONE[section]} {name!r} is an empty mapping"
            raise InputError(value.fault("value", message, "give it a value"))
        self.structures.setdefault(fold(name), (section, key))
        self.section(section, value, into, f"{name}.")

    def value(self, node: Node, key: Scalar, owner: str, name: str) -> FloatArray:
        """The array of a value; where it is missing, the fault is at its key."""
        if isinstance(node, Scalar) and node.value is None:
            raise InputError(key.fault("value", f"{owner} has no value", _null_help(key, node)))
        return read_value(self.values, node, owner, name)

    # ---- formulas

    def lets(self, node: Node) -> None:
        for key, value, name in self.entries("let", node):
            if self.define("let", key, name):
                with collected(self.faults):
                    self.content.lets[name] = expression(value, key, f"let {name!r}", "let-type", _null_help)

    def targets(self, node: Node) -> None:
        if isinstance(node, Sequence) or (isinstance(node, Scalar) and node.value is not None):
            for name, item in listed(node):
                with collected(self.faults):
                    self.target(name, item, item)
        else:
            seen: dict[str, tuple[str, Node]] = {}
            for key, value, name in self.entries("targets", node):
                if other := seen.get(fold(name)):
                    self.duplicate("targets", key, name, other)
                    continue
                seen[fold(name)] = ("targets", key)
                with collected(self.faults):
                    self.target(name, key, value)
        if _is_empty(node):
            raise InputError(
                node.fault("value", "there are no targets", "say what to differentiate: targets: {y: x**2}")
            )

    def target(self, name: str, key: Node, node: Node) -> None:
        self.content.places["targets", name] = key.place
        self.content.targets[name] = expression(node, key, f"target {name!r}", "target-type", _null_help)

    def output_gradients(self, node: Node) -> None:
        folded = {fold(name): name for (section, name) in self.content.places if section == "targets"}
        for key, value, given in self.entries("output_gradients", node):
            name = folded.get(fold(given))
            if name is None:
                self.faults.append(_no_target(key, list(folded.values())))
                continue
            self.content.places["output_gradients", name] = key.place
            with collected(self.faults):
                self.content.output_gradients[name] = self.value(value, key, f"output gradient {name!r}", name)

    def expect(self, node: Node) -> None:
        if isinstance(node, Scalar) and node.value is None:
            return
        if not isinstance(node, Mapping):
            hint = f"its keys are {', '.join(EXPECT_KEYS)}"
            raise InputError(node.fault("value", f"expect must be a mapping, not {node.describe()}", hint))
        for key, _ in node.entries:
            if key.text not in EXPECT_KEYS:
                self.faults.append(self.unknown(key, EXPECT_KEYS, "the keys of expect are"))
        self.content.expect = node


def _is_empty(node: Node) -> bool:
    if isinstance(node, Scalar):
        return node.value is None
    return not (node.entries if isinstance(node, Mapping) else len(node) if isinstance(node, Sequence) else 1)


def _name_fault(key: Scalar, section: str) -> Fault | None:
    """Why a key is not a name."""
    shown = show(key.text)
    if not isinstance(key.value, str):
        what = "nothing" if key.value is None else "true or false" if isinstance(key.value, bool) else "a number"
        message = f"{shown} in {section} is {what}, not a name"
        return key.fault("name", message, "a name begins with a letter: x1")
    if problem := name_problem(key.text):
        return key.fault("name", f"{shown} in {section} is {problem[0]}", f"{problem[1]}")
    return None


def _null_help(key: Node, node: Node) -> str:
    """What to do about a value that is missing; a `#` may have made a comment of it."""
    place = key.place
    rest = (place.source or "")[(place.column or 1) - 1 :]
    before, mark, comment = rest.partition("#")
    if mark and before.rstrip().endswith(":"):
        return f'# begins a comment; write text that begins with it in quotes: {before.strip()} "#{comment.strip()}"'
    return "write a value after its name, or remove the line"


def _no_target(key: Scalar, targets: list[str]) -> Fault:
    guess = did_you_mean(key.text, targets)
    hint = f"did you mean {guess!r}?" if guess else f"the targets are {', '.join(targets)}" if targets else None
    return key.fault("unknown-name", f"output_gradients: there is no target {show(key.text)}", hint)
