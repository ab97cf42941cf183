"""Other numbers for what a file expects, as edits of its text: which value stands where, in which of its many forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.document.edits import Edit, Edits
from gradcli.document.expectations import Expectations, Expected, Formula
from gradcli.document.expected_values import TOLERANCES
from gradcli.document.spots import Alias, Entries, Entry, Items, Leaf, Spot, is_json, read_spots, walk
from gradcli.document.tree import File
from gradcli.document.values import FloatArray
from gradcli.errors import Fault, InputError

__all__ = ["Change", "extend", "rewrite"]


@dataclass(frozen=True, slots=True)
class Change:
    """What an entry is to hold: numbers, of which those that stay are equal to the old ones, or None for null."""

    expected: Expected
    numbers: FloatArray | None

    @property
    def name(self) -> str:
        """`gradient w`."""
        return self.expected.name


def rewrite(
    text: str, name: str, expectations: Expectations, changes: Sequence[Change], gone: Sequence[str]
) -> list[Edit]:
    """The edits of a text that make the changes, and take the names `gone` out of `unconnected`.

    Raises:
        InputError: a value cannot be changed alone: an alias shares it, or it stands in a file of its own.
    """
    edits = Edits(text, read_spots(text), is_json(text))
    section = _Section(File(name, text), edits, expectations)
    section.change(changes)
    section.remove(gone)
    section.keep_aliases()
    return edits.made


def extend(text: str, changes: Sequence[Change]) -> list[Edit]:
    """The edits of a text that add values and gradients to `expect`, which is made where there is none."""
    edits = Edits(text, read_spots(text), is_json(text))
    content: dict[str, dict[str, FloatArray | None]] = {}
    for change in changes:
        content.setdefault(change.expected.kind, {})[change.expected.key[0]] = change.numbers
    edits.add(content)
    return edits.made


class _Section:
    """The entries of `expect` by the places of their keys."""

    def __init__(self, file: File, edits: Edits, expectations: Expectations) -> None:
        self.file = file
        self.edits = edits
        expect = edits.spots.root.get("expect")
        self.section = expect.value if expect else None
        self.entries = {entry.key.start: entry for entry in _inner(self.section)}
        self.count = Counter(e.place for e in expectations.values)
        self.following: set[int] = set()
        self.of_value = {id(entry.value): (entry, e) for e in expectations.values if (entry := self.at(e))}

    def at(self, e: Expected) -> Entry | None:
        """The entry of an expectation; None where it is in what an alias stands for."""
        return self.entries.get(self.file.starts[(e.place.line or 1) - 1] + (e.place.column or 1) - 1)

    def change(self, changes: Sequence[Change]) -> None:
        """All new values; an alias of one of them that is to hold the same numbers just follows."""
        entries = [self.alone(change.expected) for change in changes]
        new = {id(entry.value): change.numbers for entry, change in zip(entries, changes, strict=True)}
        for entry, change in zip(entries, changes, strict=True):
            target = id(entry.value.target) if isinstance(entry.value, Alias) else 0
            if target in new and _same(new[target], change.numbers):
                self.following.add(id(entry.value))
            else:
                self.put(entry, change.expected, change.numbers)

    def alone(self, e: Expected) -> Entry:
        """The entry of an expectation that no other one shares."""
        entry = self.at(e)
        if entry is None or self.count[e.place] > 1:
            message = f"the numbers of {e.name} change, and an alias shares them with others"
            raise InputError(Fault("value", message, "write them out instead of the alias", e.place))
        return entry

    # -- one value -------------------------------------------------------------------------------------------------

    def put(self, entry: Entry, e: Expected, numbers: FloatArray | None) -> None:
        """Another value for an entry, in the form of the old one where that can hold it."""
        spot, old = entry.value, None if isinstance(e.content, Formula) else e.content
        if numbers is None:
            self.edits.replace(entry, "null")
        elif isinstance(spot, Entries):
            self.put_described(spot, entry, e, numbers)
        elif isinstance(spot, Items) and old is not None and old.shape == numbers.shape:
            self.edits.numbers(spot, old, numbers)
        elif isinstance(spot, Leaf) and spot.start < spot.end and not numbers.ndim:
            self.edits.number(spot, float(numbers.flat[0]))
        else:
            self.edits.replace(entry, self.edits.array_text(numbers, self.edits.column(spot.start)))

    def put_described(self, spot: Entries, entry: Entry, e: Expected, numbers: FloatArray) -> None:
        """Numbers for `{value: ..., rtol: ...}` or `{shape: ..., fill: ...}`; tolerances stay."""
        if spot.get("file"):
            message = f"the numbers of {e.name} change, and they are read from another file"
            raise InputError(Fault("value", message, "write that file anew, or write the numbers here", e.place))
        fill = spot.get("fill")
        if value := spot.get("value"):
            self.put(value, e, numbers)
        elif fill and isinstance(fill.value, Leaf) and np.shape(e.content) == numbers.shape and _is_constant(numbers):  # type: ignore[arg-type]
            self.edits.number(fill.value, float(numbers.flat[0]))
        else:
            self.edits.replace(entry, self.described(spot, numbers))

    def described(self, spot: Entries, numbers: FloatArray) -> str:
        """Numbers with the tolerances of a description."""
        value, text = self.edits.key("value"), self.edits.array_text(numbers, self.edits.column(spot.start))
        beside = [o for o in spot.entries if o.key.text in TOLERANCES]
        kept = [f"{self.edits.key(o.key.text)}: {self.file.text[o.value.start : o.value.end]}" for o in beside]
        return f"{{{', '.join([f'{value}: {text}', *kept])}}}" if kept else text

    def remove(self, gone: Sequence[str]) -> None:
        """Names that have a path out of `unconnected`."""
        holder = self.section.get("unconnected") if isinstance(self.section, Entries) else None
        if gone and holder:
            self.edits.remove(holder, gone)

    # -- aliases ---------------------------------------------------------------------------------------------------

    def keep_aliases(self) -> None:
        """What repeats numbers that change, and is not to change, gets them written out as they were."""
        followers = [spot for spot in walk(self.edits.spots.root) if isinstance(spot, Alias)]
        for alias in followers:
            if not self.edits.touches(alias.target) or self.edits.touches(alias) or id(alias) in self.following:
                continue
            entry, e = self.of_value.get(id(alias), (None, None))
            if entry is None or e is None or e.content is None or isinstance(e.content, Formula):
                message = "this alias repeats numbers that change"
                raise InputError(
                    self.file.fault("value", message, "write them out instead of the alias", alias.start, alias.end)
                )
            self.edits.replace(entry, self.edits.array_text(e.content, self.edits.column(alias.start)))


def _inner(spot: Spot | None) -> Iterator[Entry]:
    """All entries in mappings; what an alias stands for is not in it."""
    for entry in spot.entries if isinstance(spot, Entries) else ():
        yield entry
        yield from _inner(entry.value)


def _same(one: FloatArray | None, other: FloatArray | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other, equal_nan=True)


def _is_constant(array: FloatArray) -> bool:
    return bool(array.size) and bool((array == array.flat[0]).all())
