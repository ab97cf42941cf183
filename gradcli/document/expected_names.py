"""The names that expectations go by: targets, and what can be differentiated by, through the structures they are in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from gradcli.document.expected_values import DESCRIBING, TOLERANCES
from gradcli.document.problem import Problem
from gradcli.document.tree import Mapping, Node, show
from gradcli.errors import Fault
from gradcli.language.names import did_you_mean, fold

__all__ = ["Names", "names_of"]

_SECTIONS = {"constants": "constant", "sources": "source", "let": "let", "targets": "target"}
_SHOWN = 12


def names_of(problem: Problem) -> dict[str, list[str]]:
    """The names of a file by what they are (`source`), also of those whose values are wrong."""
    fields: list[Iterable[str]] = [problem.constants, problem.sources, problem.lets, problem.targets]
    found: dict[str, list[str]] = {}
    for (section, what), names in zip(_SECTIONS.items(), fields, strict=True):
        placed = [name for other, name in problem.places if other == section]
        found[what] = list(dict.fromkeys([*placed, *names]))
    return found


@dataclass(frozen=True)
class Names:
    """The names that entries go by. `what` is target or source; let names can be differentiated by, like sources.

    Attributes:
        own: those of the section of targets or sources.
        known: all names, by their folded forms.
        others: what the other names of the file are, by their folded forms.
        structures: the beginnings of dotted names (`layer1`), folded.
    """

    what: str
    own: list[str]
    known: dict[str, str]
    others: dict[str, str]
    structures: set[str]

    @classmethod
    def of(cls, what: str, sections: dict[str, list[str]], taken: Iterable[str]) -> Names:
        """`sections` are the names of the file, by what they are; those of `taken` are meant."""
        known = {fold(name): name for other in taken for name in sections[other]}
        others = {fold(name): other for other, names in sections.items() for name in names}
        beginnings = {start for name in known for start in accumulate(name.split("."), "{}.{}".format)}
        return cls(what, sections[what], known, others, beginnings - set(known))

    def describes(self, node: Mapping) -> bool:
        """Whether a mapping describes one value and has no names for keys; what can be a name is one."""
        keys = [key.text for key, _ in node.entries]
        named = any(fold(key) in self.known or fold(key) in self.structures for key in keys)
        return not named and any(key in DESCRIBING for key in keys)

    def unknown(self, at: Node, name: str) -> Fault:
        """The fault of a name that is none of them."""
        other = self.others.get(fold(name))
        guess = did_you_mean(name, [*self.known.values(), *self.structures])
        if name.rpartition(".")[2] in TOLERANCES:
            hint = "a tolerance stands beside a value, {value: ..., rtol: 1e-3}, or in expect for all values"
        elif other == "constant" and self.what == "source":
            hint = "move it to sources to differentiate by it"
        elif guess and not other:
            hint = f"did you mean {guess!r}?"
        else:
            hint = f"the {self.what}s are {self.listed(self.own)}"
        is_not = f"there is no {self.what} {show(name)}"
        return at.fault("unknown-name", f"{name!r} is a {other}, not a {self.what}" if other else is_not, hint)

    def structure(self, at: Node, name: str) -> Fault:
        """The fault of a structure in the place of a name."""
        inside = [full for folded, full in self.known.items() if folded.startswith(f"{fold(name)}.")]
        hint = f"the {self.what}s in it are {self.listed(inside)}"
        return at.fault("value", f"{name!r} is a structure, not a {self.what}", hint)

    @staticmethod
    def listed(names: list[str]) -> str:
        """Names for a help text."""
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"{', '.join(names[:_SHOWN]) or 'none'}{more}"
