"""The section `expect` of a file: what a check must find, entry by entry, as numbers, formulas, null or an error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gradcli.document.expected_error import ExpectedError, read_error
from gradcli.document.expected_names import Names, names_of
from gradcli.document.expected_values import TOLERANCES, Formula, pointed, read_expected, read_tolerance
from gradcli.document.problem import Problem, in_order
from gradcli.document.tree import Broken, Mapping, Node, Scalar, Sequence
from gradcli.document.values import FloatArray, Values, collected
from gradcli.errors import Fault, InputError, Place
from gradcli.language.names import fold

__all__ = ["Expectations", "Expected", "ExpectedError", "Formula", "read_expectations"]


@dataclass(frozen=True, slots=True)
class Expected:
    """One value or derivative that the author of the file has worked out.

    Attributes:
        kind: "value", "gradient", "jacobian" or "hessian".
        key: the target, the source, the target and the source, or both sources, spelled as where they are defined.
        place: that of its key.
        content: numbers or a formula; None where there must be no path.
        rtol, atol: its own tolerances, or those of the file, or None.
    """

    kind: str
    key: tuple[str, ...]
    place: Place
    content: FloatArray | Formula | None
    rtol: float | None
    atol: float | None

    @property
    def name(self) -> str:
        """`gradient w`, `jacobian y/w`."""
        return f"{self.kind} {'/'.join(self.key)}"


@dataclass(frozen=True, slots=True)
class Expectations:
    """What a file expects, in its order; where it is an error, there are no values."""

    values: tuple[Expected, ...] = ()
    unconnected: tuple[tuple[str, Place], ...] = ()
    error: ExpectedError | None = None


def read_expectations(problem: Problem) -> Expectations:
    """What a problem expects; nothing where its file does not say. Data files are relative to the problem's file.

    Names are those that the file defines, also where their values are wrong: a file is blamed for that elsewhere.

    Raises:
        InputError: with all that is wrong in the section.
    """
    if problem.expect is None:
        return Expectations()
    reader = _Reader(problem)
    found = reader.read(problem.expect)
    if reader.faults:
        raise InputError(*in_order(reader.faults))
    return found


class _Reader:
    """Reads the keys of the section; everything that is wrong is kept in `faults`."""

    def __init__(self, problem: Problem) -> None:
        names = names_of(problem)
        self.faults: list[Fault] = []
        self.targets = Names.of("target", names, ["target"])
        self.sources = Names.of("source", names, ["source", "let"])
        self.numbers = Values(Path(problem.file or "").parent)
        self.tolerances: dict[str, float] = {}
        self.values: list[Expected] = []
        self.unconnected: list[tuple[str, Place]] = []
        self.seen: dict[tuple[str, ...], Scalar] = {}
        self.error: ExpectedError | None = None

    def read(self, expect: Mapping) -> Expectations:
        """All keys; the tolerances first, which hold for the others."""
        with_error = expect.get("error") is not None
        for key, node in sorted(expect.entries, key=lambda entry: entry[0].text not in TOLERANCES):
            with collected(self.faults):
                if key.text in TOLERANCES:
                    self.tolerances[key.text] = read_tolerance(key, node)
                elif key.text == "error":
                    self.error = read_error(key, node)
                elif with_error and key.text in ("value", "gradient", "jacobian", "hessian", "unconnected"):
                    raise InputError(_beside_error(key))
                else:
                    self.key(key, node)
        return Expectations(tuple(self.values), tuple(self.unconnected), self.error)

    def key(self, key: Scalar, node: Node) -> None:
        match key.text:
            case "value":
                self.single("value", self.targets, key, node)
            case "gradient":
                self.single("gradient", self.sources, key, node)
            case "jacobian":
                self.double("jacobian", self.targets, key, node)
            case "hessian":
                self.double("hessian", self.sources, key, node)
            case "unconnected":
                self.none(key, node)

    def single(self, kind: str, names: Names, key: Scalar, node: Node) -> None:
        """Entries by one name, which may be left out where there is only one."""
        direct = not isinstance(node, Mapping) or names.describes(node)
        if direct and len(names.own) == 1:
            self.add(kind, (names.own[0],), key, node)
            return
        for name, at, value in self.entries(names, self.mapping(names, kind, key, node)):
            self.add(kind, (name,), at, value)

    def double(self, kind: str, names: Names, key: Scalar, node: Node) -> None:
        """Entries by two names, the second of which is a source."""
        for first, outer, row in self.entries(names, self.mapping(names, kind, key, node)):
            with collected(self.faults):
                of = f"{kind} {'of' if kind == 'jacobian' else 'by'} {first!r}"
                for second, at, value in self.entries(self.sources, self.mapping(self.sources, of, outer, row)):
                    self.add(kind, (first, second), at, value)

    def mapping(self, names: Names, what: str, key: Scalar, node: Node) -> Mapping:
        """A node that must be a mapping of names."""
        if isinstance(node, Broken):
            raise InputError()  # reported where it broke
        if isinstance(node, Mapping) and not names.describes(node):
            return node
        shown = "a description" if isinstance(node, Mapping) else node.describe()
        example = ", ".join(f"{name}: ..." for name in names.own[:3])
        hint = f"name them: {key.text}: {{{example}}}" if example else f"the file has no {names.what}s"
        message = f"{what} must be a mapping of {names.what}s, not {shown}"
        raise InputError(pointed(node, key).fault("value", message, hint))

    def entries(self, names: Names, node: Mapping, prefix: str = "") -> Iterator[tuple[str, Scalar, Node]]:
        """The names in a mapping, each with its key and its value; also those in the structures in it."""
        for key, value in node.entries:
            given = prefix + key.text
            if (name := names.known.get(fold(given))) is not None:
                yield name, key, value
            elif fold(given) not in names.structures:
                self.faults.append(names.unknown(key, given))
            elif isinstance(value, Mapping):
                yield from self.entries(names, value, f"{given}.")
            elif not isinstance(value, Broken):
                self.faults.append(names.structure(key, given))

    def add(self, kind: str, key: tuple[str, ...], at: Scalar, node: Node) -> None:
        """One entry."""
        name = "/".join(key)
        null = isinstance(node, Scalar) and node.value is None
        with collected(self.faults):
            self.once(kind, key, at)
            if null and kind == "value":
                message = f"expected value {name!r} is null, and a target always has a value"
                raise InputError(pointed(node, at).fault("value", message, "write a number or a formula"))
            owner = f"expected {kind} {name!r}"
            content, own = (None, {}) if null else read_expected(self.numbers, node, owner, name)
            rtol, atol = (own.get(word, self.tolerances.get(word)) for word in TOLERANCES)
            self.values.append(Expected(kind, key, at.place, content, rtol, atol))

    def once(self, kind: str, key: tuple[str, ...], at: Scalar) -> None:
        """An entry that is there already is refused: one of the two would not be checked."""
        if first := self.seen.get((kind, *key)):
            lines = f" at line {at.line}" if first.line == at.line else f", at lines {first.line} and {at.line}"
            message = f"{kind} {'/'.join(key)!r} is given twice{lines if at.line else ''}"
            raise InputError(at.fault("duplicate-name", message, "keep one of them"))
        self.seen[kind, *key] = at

    # ---- no path

    def none(self, key: Scalar, node: Node) -> None:
        """`unconnected`: a name, a list of names, or a mapping of names to true."""
        if isinstance(node, Mapping):
            for name, at, value in self.entries(self.sources, node):
                if isinstance(value, Scalar) and value.value is True:
                    self.add_none(name, at)
                elif not isinstance(value, Broken):
                    message = f"unconnected {name!r} must be true, not {value.describe()}"
                    fault = pointed(value, at).fault("value", message, "remove it where there is a path")
                    self.faults.append(fault)
            return
        items = node.items if isinstance(node, Sequence) and node.numbers is None else [node]
        for item in items:
            with collected(self.faults):
                self.add_none(*self.name_in(key, item))

    def name_in(self, key: Scalar, node: Node) -> tuple[str, Scalar]:
        """A source, and the text that names it."""
        if isinstance(node, Broken):
            raise InputError()
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            message = f"unconnected must be a source, or a list of sources, not {node.describe()}"
            raise InputError(pointed(node, key).fault("value", message, "such as unconnected: [a, b]"))
        name = node.text.strip()
        if found := self.sources.known.get(fold(name)):
            return found, node
        structure = fold(name) in self.sources.structures
        raise InputError(self.sources.structure(node, name) if structure else self.sources.unknown(node, name))

    def add_none(self, name: str, at: Scalar) -> None:
        with collected(self.faults):
            self.once("unconnected", (name,), at)
            self.unconnected.append((name, at.place))


def _beside_error(key: Scalar) -> Fault:
    message = f"{key.text!r} does not go with 'error': a file that is wrong has no values"
    return key.fault("value", message, "remove one of the two")
