"""The values of a file -> float arrays: numbers, nested lists, constant expressions and descriptions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gradcli.document.scalars import is_decimal
from gradcli.document.text import check_characters, text_of
from gradcli.document.tree import Array, Mapping, Node, Scalar, Sequence, show
from gradcli.errors import Fault, InputError
from gradcli.language import constant

__all__ = ["MAX_ELEMENTS", "FloatArray", "Values", "collected", "plain_number"]

FloatArray = NDArray[np.float64]

MAX_ELEMENTS = 100_000_000
"""How many numbers all values of a file may hold together (800 MB)."""

_MAX_DIMENSIONS = 32
_MAX_FAULTS = 5
_WORDS = ("nan", "inf", "-inf")
_ALLOWED = "a value is a number, nested lists of numbers, a constant expression such as pi/4, or {file: w.npy}"
_LOOKALIKES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"[-+]?\d[\d_]*_[\d_]*(\.[\d_]*)?([eE][-+]?\d+)?"), "write the digits without _"),
    (re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?"), "write the digits without commas"),
    (re.compile(r"[-+]?\d+,\d+"), "write a point for the decimal comma, or [a, b] for two numbers"),
    (re.compile(r"\d+(:\d+)+(\.\d*)?"), "write a time as one number"),
    (re.compile(r"\d{4}-\d{1,2}-\d{1,2}([Tt ].*)?"), "write a date as one number"),
    (re.compile(r"(?i)y|n|yes|no|on|off|true|false"), "write 1 or 0"),
)


@dataclass
class Values:
    """Reads the values of one file; its descriptions' files are relative to `folder`.

    Raises (all methods):
        InputError: with every problem that the value has, up to five.
    """

    folder: Path
    left: int = field(default_factory=lambda: MAX_ELEMENTS)

    def array(self, node: Node, owner: str, name: str) -> FloatArray:
        """The array of a value. `owner` (`source 'w'`) stands in messages, `name` (`w`) before an entry's index."""
        if isinstance(node, Scalar):
            return np.asarray(self.number(node, owner), dtype=np.float64)
        if isinstance(node, Sequence):
            self.count(node, owner, _numbers_in(node))
            return self.stack(node, owner, name, 1)
        if isinstance(node, Array):
            self.count(node, owner, node.value.size)
            return self.convert(node, owner, node.value)
        if isinstance(node, Mapping):
            raise InputError(node.fault("value", f"{owner} is a mapping, not a number", _ALLOWED))
        raise InputError()  # a broken node, reported where it broke

    def count(self, node: Node, owner: str, size: int) -> None:
        """Refuse a value of `size` numbers where the file's values would become too large."""
        if size > self.left:
            total = f"{size:,} numbers" + (" beside other values" if size <= MAX_ELEMENTS else "")
            message = f"{owner} has {total}, and a file may have {MAX_ELEMENTS:,}"
            raise InputError(node.fault("limit", message, "use a smaller shape, or a part of the data"))
        self.left -= size

    def convert(
        self, node: Node, owner: str, value: np.ndarray[tuple[int, ...], np.dtype[np.generic]], *, copy: bool = True
    ) -> FloatArray:
        """An array of any real type as floats in C order; without `copy` the same one where it is that already."""
        if value.dtype.kind == "c":
            raise InputError(node.fault("value", f"{owner} is complex", "only real numbers are supported"))
        if value.dtype.kind not in "fiub":
            raise InputError(node.fault("value", f"{owner} has entries of type {value.dtype}, not numbers", _ALLOWED))
        if value.ndim > _MAX_DIMENSIONS:
            raise InputError(
                node.fault("shape", f"{owner} has {value.ndim} dimensions; {_MAX_DIMENSIONS} are possible")
            )
        return np.array(value, dtype=np.float64, order="C", copy=copy or None)

    def number(self, scalar: Scalar, owner: str) -> float | FloatArray:
        """The value of one number or constant expression."""
        return self.constant(scalar, owner) if isinstance(scalar.value, str) else plain_number(scalar, owner)

    def constant(self, scalar: Scalar, owner: str) -> FloatArray:
        """The value of a text: a constant expression, or the fault that it is none."""
        text = check_characters(scalar).strip()
        message = f"{owner} is not a number: {show(text)}"
        for pattern, hint in _LOOKALIKES:
            if pattern.fullmatch(text):
                raise InputError(scalar.fault("value", message, hint))
        if not text:
            raise InputError(scalar.fault("value", f"{owner} is an empty text", _ALLOWED))
        if text in _WORDS or is_decimal(text):
            return np.asarray(plain_number(replace(scalar, value=float(text)), owner))
        try:
            return np.asarray(constant(text_of(scalar, owner)), dtype=np.float64)
        except InputError as error:
            raise InputError(*[_as_value(fault, message) for fault in error.faults]) from None

    def stack(self, node: Sequence, owner: str, name: str, depth: int) -> FloatArray:
        """The array of nested lists."""
        if depth > _MAX_DIMENSIONS:
            raise InputError(node.fault("shape", f"{owner} has more than {_MAX_DIMENSIONS} dimensions"))
        if node.numbers is not None:
            return np.array(node.numbers, dtype=np.float64)
        if (matrix := _matrix(node)) is not None:
            return matrix
        faults: list[Fault] = []
        parts: list[FloatArray] = []
        for index, item in enumerate(node.items):
            with collected(faults):
                parts.append(self.entry(item, f"{owner}, entry", f"{name}[{index}]", depth))
                if parts[-1].shape != parts[0].shape:
                    raise InputError(
                        _ragged(
                            item, owner, f"{name}[{index}] is {_size(parts[-1])}, and {name}[0] is {_size(parts[0])}"
                        )
                    )
            if len(faults) >= _MAX_FAULTS:
                break
        if faults or len(parts) < len(node.items):
            raise InputError(*faults[:_MAX_FAULTS])
        return np.stack(parts) if parts else np.zeros((0,))

    def entry(self, node: Node, owner: str, name: str, depth: int) -> FloatArray:
        """One entry of a list."""
        if isinstance(node, Sequence):
            return self.stack(node, owner.removesuffix(", entry"), name, depth + 1)
        if isinstance(node, Mapping):
            raise InputError(
                node.fault("value", f"{owner} {name} is a mapping, not a number", "a list holds numbers and lists")
            )
        return self.array(node, f"{owner} {name}", name)


def plain_number(scalar: Scalar, owner: str) -> float:
    """The value of a scalar that is no text.

    Raises:
        InputError: there is nothing, true or false, or a number too large for a double.
    """
    if scalar.value is None:
        raise InputError(scalar.fault("value", f"{owner} has no value", _ALLOWED))
    if isinstance(scalar.value, (bool, str)):
        hint = f"write {int(scalar.value)}" if isinstance(scalar.value, bool) else None
        raise InputError(scalar.fault("value", f"{owner} is {scalar.text}, not a number", hint))
    if math.isinf(scalar.value) and any(map(str.isdigit, scalar.text)):
        message = f"{owner}: {show(scalar.text)} is too large for a double (about 1.8e308)"
        raise InputError(scalar.fault("value", message, "write inf for infinity"))
    return scalar.value


@contextmanager
def collected(faults: list[Fault]) -> Iterator[None]:
    """Add the faults of an InputError inside to `faults`, and go on."""
    try:
        yield
    except InputError as error:
        faults.extend(error.faults)


def _numbers_in(node: Sequence) -> int:
    """How many numbers nested lists hold."""
    if node.numbers is not None:
        return len(node.numbers)
    return sum(_numbers_in(item) if isinstance(item, Sequence) else 1 for item in node.items)


def _matrix(node: Sequence) -> FloatArray | None:
    """Rows of numbers, all of one length, at once; None where it is something else."""
    rows = [item.numbers for item in node.items if isinstance(item, Sequence) and item.numbers is not None]
    if not rows or len(rows) != len(node.items) or len(set(map(len, rows))) != 1:
        return None
    return np.array(rows, dtype=np.float64)


def _ragged(item: Node, owner: str, sizes: str) -> Fault:
    return item.fault("shape", f"{owner} is ragged: {sizes}", "all entries of a list have the same length")


def _size(part: FloatArray) -> str:
    if part.ndim == 0:
        return "a number"
    if part.ndim == 1:
        return f"a list of {part.size}"
    return f"of shape {part.shape}"


def _as_value(fault: Fault, message: str) -> Fault:
    """A fault of the language about a text that should have been a value: the reason becomes the help."""
    if fault.kind == "name":
        return Fault("value", message, f"{fault.message}; {_ALLOWED}", fault.place)
    return Fault("value", message, "; ".join(filter(None, (fault.message, fault.help))), fault.place)
