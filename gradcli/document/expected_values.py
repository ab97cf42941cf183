"""The value of one expectation: numbers, or a formula, whose texts are kept for whoever knows the names of the file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from gradcli.document.describe import read_value
from gradcli.document.formulas import expression, listed
from gradcli.document.scalars import is_decimal
from gradcli.document.text import text_of
from gradcli.document.tree import Array, Broken, Mapping, Node, Scalar, Sequence, show
from gradcli.document.values import FloatArray, Values, collected
from gradcli.errors import Fault, InputError
from gradcli.language.names import did_you_mean
from gradcli.language.source import Text

__all__ = ["DESCRIBING", "TOLERANCES", "Entries", "Formula", "pointed", "read_expected", "read_tolerance"]

TOLERANCES = ("rtol", "atol")
DESCRIBING = ("value", "file", "shape")
"""The keys of which a description has one."""

Entries = Text | list["Entries"]
Lengths = tuple[int | None, ...]
"""The shape of formulas, as far as lists and numbers tell it; None stands for what a text may add."""

_NUMBERS = ("nan", "inf", "-inf")
_ALLOWED = "write a number, a formula, lists of them, or {value: ..., rtol: 1e-3}"
_NULL = "null alone means that there is no path; write 0 where an entry has no derivative"
_MAX_DIMENSIONS = 32
_MAX_FAULTS = 5


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression, or nested lists of them; a number that stands among formulas is a text, too."""

    entries: Entries


def pointed(node: Node, key: Node) -> Node:
    """What a fault points at: a value, or its key where nothing is written."""
    return node if node.start < 0 or node.end > node.start else key


def read_tolerance(key: Scalar, node: Node, owner: str | None = None) -> float:
    """The number at `rtol` or `atol`, of one expectation (its `owner`) or of all.

    Raises:
        InputError: it is not a finite number of 0 or more.
    """
    if isinstance(node, Broken):
        raise InputError()  # reported where it broke
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(node, Array) and node.value.ndim == 0 and node.value.dtype.kind in "fiu":
        value = float(node.value)
    if type(value) is float and 0 <= value < math.inf:
        return value
    what = f"{key.text} of {owner}" if owner else key.text
    message = f"{what} must be a finite number, 0 or more, not {node.describe()}"
    raise InputError(pointed(node, key).fault("value", message, f"write {key.text}: 1e-6"))


def read_expected(values: Values, node: Node, owner: str, name: str) -> tuple[FloatArray | Formula, dict[str, float]]:
    """What is expected (null apart), and the tolerances beside it. `owner` and `name` are as in `Values.array`.

    Raises:
        InputError: with all that is wrong.
    """
    if not isinstance(node, Mapping):
        return _content(values, node, owner, name), {}
    content: FloatArray | Formula | None = None
    tolerances: dict[str, float] = {}
    faults: list[Fault] = []
    for key, value in node.entries:
        if key.text in TOLERANCES:
            with collected(faults):
                tolerances[key.text] = read_tolerance(key, value, owner)
    with collected(faults):
        content = _described(values, node, owner, name)
    if faults or content is None:
        raise InputError(*faults)
    return content, tolerances


def _described(values: Values, node: Mapping, owner: str, name: str) -> FloatArray | Formula:
    """The content of a description, its tolerances left aside."""
    bare = replace(node, entries=[(key, value) for key, value in node.entries if key.text not in TOLERANCES])
    keys = [key for key, _ in bare.entries]
    if not any(key.text in DESCRIBING for key in keys):
        raise InputError(_no_description(node, keys, owner))
    for key in keys:
        if guess := did_you_mean(key.text, TOLERANCES):
            message = f"{owner}: unknown key {show(key.text)}"
            raise InputError(key.fault("unknown-key", message, f"did you mean {guess!r}?"))
    inner = bare.get("value")
    if len(keys) > 1 or inner is None or isinstance(inner, Mapping):
        return read_value(values, bare, owner, name)
    if isinstance(inner, Scalar) and inner.value is None:
        raise InputError(pointed(inner, keys[0]).fault("value", f"the value of {owner} is missing", _NULL))
    return _content(values, inner, owner, name)


def _no_description(node: Mapping, keys: list[Scalar], owner: str) -> Fault:
    guesses = ((key, did_you_mean(key.text, DESCRIBING)) for key in keys)
    for key, guess in guesses:
        if guess:
            return key.fault("unknown-key", f"{owner}: unknown key {show(key.text)}", f"did you mean {guess!r}?")
    if node.entries and not keys:
        return node.fault("value", f"{owner} has a tolerance, and no value", "write {value: ..., rtol: 1e-3}")
    return node.fault("value", f"{owner} is a mapping, not a number or a formula", _ALLOWED)


def _content(values: Values, node: Node, owner: str, name: str) -> FloatArray | Formula:
    if not _has_text(node):
        return values.array(node, owner, name)
    entries, _ = _Formulas(values, owner).read(node, name, 0)
    return Formula(entries)


def _has_text(node: Node) -> bool:
    """Whether there is a text that is no number; a null in a list counts, for what is said against it."""
    if isinstance(node, Sequence):
        return any(_has_text(item) for item in node.items)
    if not isinstance(node, Scalar):
        return False
    return node.value is None or (isinstance(node.value, str) and not _is_number(node.value.strip()))


def _is_number(text: str) -> bool:
    return not text or text in _NUMBERS or is_decimal(text)


@dataclass
class _Formulas:
    """Reads formulas, and lists in which there are some."""

    values: Values
    owner: str

    def read(self, node: Node, name: str, depth: int) -> tuple[Entries, Lengths]:
        """The texts, and their shape as far as it is known before the texts are."""
        owner = f"{self.owner}, entry {name}" if depth else self.owner
        size = len(node) if isinstance(node, Sequence) else node.value.size if isinstance(node, Array) else 1
        if not size:
            raise InputError(node.fault("shape", f"{owner} is an empty list", "remove it, or write its entries"))
        if isinstance(node, Sequence):
            return self.stack(node, name, depth)
        self.values.count(node, self.owner, size)
        if isinstance(node, Array):
            array = self.values.convert(node, owner, node.value)
            return _texts(node, array.tolist(), owner), array.shape
        text = expression(node, node, owner, "value", lambda key, missing: _NULL)
        return text, () if _is_number(text.text.strip()) else (None,)

    def stack(self, node: Sequence, name: str, depth: int) -> tuple[Entries, Lengths]:
        """A list of formulas, whose entries must not be of different lengths."""
        if depth == _MAX_DIMENSIONS:
            raise InputError(node.fault("shape", f"{self.owner} has more than {_MAX_DIMENSIONS} dimensions"))
        faults: list[Fault] = []
        entries: list[Entries] = []
        known: tuple[int, Lengths] | None = None
        for index, (_, item) in enumerate(listed(node)):
            with collected(faults):
                entry, lengths = self.read(item, f"{name}[{index}]", depth + 1)
                entries.append(entry)
                known = known or ((index, lengths) if lengths[:1] != (None,) else None)
                if known and not _agree(known[1], lengths):
                    raise InputError(self.ragged(item, name, (index, lengths), known))
        if faults or len(entries) < len(node):
            raise InputError(*faults[:_MAX_FAULTS])
        return entries, (len(entries), *(known[1] if known else (None,)))

    def ragged(self, item: Node, name: str, this: tuple[int, Lengths], other: tuple[int, Lengths]) -> Fault:
        sizes = ", and ".join(f"{name}[{index}] is {_size(lengths)}" for index, lengths in (this, other))
        return item.fault("shape", f"{self.owner} is ragged: {sizes}", "all entries of a list have the same length")


def _texts(node: Array, value: Any, owner: str) -> Entries:
    if isinstance(value, list):
        return [_texts(node, part, owner) for part in value]
    return text_of(Scalar(node.file, path=node.path, text=repr(value), value=value), owner)


def _agree(one: Iterable[int | None], other: Iterable[int | None]) -> bool:
    """Whether two shapes may be the same."""
    for m, n in zip_longest(one, other, fillvalue=-1):
        if m is None or n is None:
            return True
        if m != n:
            return False
    return True


def _size(lengths: Lengths) -> str:
    known = [length for length in lengths if length is not None]
    if len(known) > 1:
        return f"of shape ({', '.join(map(str, known))})"
    return f"a list of {known[0]}" if known else "a number"
