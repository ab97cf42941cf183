"""The error that a file must give, as a file of tests for the author's own mistakes states it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gradcli.document.expected_values import pointed
from gradcli.document.formulas import listed
from gradcli.document.text import check_characters
from gradcli.document.tree import Broken, Mapping, Node, Scalar, Sequence, show
from gradcli.document.values import collected
from gradcli.errors import Fault, InputError, Place
from gradcli.language.names import did_you_mean

__all__ = ["ERROR_KEYS", "ExpectedError", "read_error"]

ERROR_KEYS = ("kind", "message", "line")


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """What one of the faults of a file must say.

    Attributes:
        kind: its kind (`shape`); None where any will do.
        message: each is a part of its message or its help, or is its kind.
        line: the line that it is about; None where any will do.
        place: where it stands that this is expected.
    """

    kind: str | None
    message: tuple[str, ...]
    line: int | None
    place: Place

    def matches(self, faults: Iterable[Fault]) -> bool:
        """Whether one of the faults is all that was expected."""
        return any(self._fits(fault) for fault in faults)

    def _fits(self, fault: Fault) -> bool:
        line = fault.place.line if fault.place else None
        said = [text.casefold() for text in (fault.message, fault.help or "")]
        return (
            self.kind in (None, fault.kind)
            and self.line in (None, line)
            and all(text == fault.kind or any(text.casefold() in part for part in said) for text in self.message)
        )


def read_error(key: Scalar, node: Node) -> ExpectedError:
    """What stands at `error`: a text, or a mapping with kind, message and line.

    Raises:
        InputError: with all that is wrong.
    """
    if not isinstance(node, Mapping):
        return ExpectedError(None, (_text(key, node, "a mapping of kind, message and line"),), None, key.place)
    kind: str | None = None
    message: tuple[str, ...] = ()
    line: int | None = None
    faults: list[Fault] = []
    if not node.entries:
        faults.append(node.fault("value", "error is an empty mapping", "write a part of the message"))
    for name, value in node.entries:
        with collected(faults):
            if name.text == "kind":
                kind = _text(name, value)
            elif name.text == "message":
                message = _texts(name, value)
            elif name.text == "line":
                line = _line(name, value)
            else:
                raise InputError(_unknown(name))
    if faults:
        raise InputError(*faults)
    return ExpectedError(kind, message, line, key.place)


def _unknown(key: Scalar) -> Fault:
    guess = did_you_mean(key.text, ERROR_KEYS)
    hint = f"did you mean {guess!r}?" if guess else f"the keys of error are {', '.join(ERROR_KEYS)}"
    return key.fault("unknown-key", f"unknown key {show(key.text)}", hint)


def _texts(key: Scalar, node: Node) -> tuple[str, ...]:
    if not isinstance(node, Sequence):
        return (_text(key, node, "a list of texts"),)
    if not len(node):
        raise InputError(node.fault("value", f"{key.text} is an empty list", "write a part of the message"))
    texts: list[str] = []
    faults: list[Fault] = []
    for _, item in listed(node):
        with collected(faults):
            texts.append(_text(key, item))
    if faults:
        raise InputError(*faults)
    return tuple(texts)


def _text(key: Scalar, node: Node, other: str | None = None) -> str:
    """A text that says something: an empty one is part of every message."""
    if isinstance(node, Broken):
        raise InputError()  # reported where it broke
    if isinstance(node, Scalar) and isinstance(node.value, str):
        if text := check_characters(node).strip():
            return text
        raise InputError(node.fault("value", f"{key.text} is an empty text", "write a part of the message"))
    what = f"a text or {other}" if other else "a text"
    hint = "such as kind: shape" if key.text == "kind" else "write a part of the message"
    if isinstance(node, Scalar) and node.text.strip() and node.value is not None:
        hint = "write it in quotes"
    raise InputError(pointed(node, key).fault("value", f"{key.text} must be {what}, not {node.describe()}", hint))


def _line(key: Scalar, node: Node) -> int:
    if isinstance(node, Broken):
        raise InputError()
    value = node.value if isinstance(node, Scalar) else None
    if type(value) is float and 1 <= value < 2**53 and value == int(value):
        return int(value)
    message = f"line must be the number of a line, not {node.describe()}"
    raise InputError(pointed(node, key).fault("value", message, "the first line is 1"))
