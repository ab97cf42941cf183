"""What a plain YAML scalar means: the core schema of YAML 1.2, no other. `yes` is text, `1e-3` a number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

__all__ = ["is_decimal", "resolve", "row_of_numbers"]

_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_CONSTANTS: dict[str, float | bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in (".inf", ".Inf", ".INF")), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_BASES = ((re.compile(r"0x[0-9a-fA-F]+"), 16), (re.compile(r"0o[0-7]+"), 8))
_NUMBER_CHARACTERS = re.compile(r"[-+.0-9eE,]*")
"""Of these characters Python's `float` reads exactly what the core schema calls a number."""


def is_decimal(text: str) -> bool:
    """Whether `text` is a decimal number, with or without a point and an exponent."""
    return _DECIMAL.fullmatch(text) is not None


def resolve(text: str) -> float | bool | str | None:
    """The value of a plain scalar. A number too large for a double is infinite; its text shows that it has digits."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if is_decimal(text):
        return float(text)
    for pattern, base in _BASES:
        if pattern.fullmatch(text):
            return _large(int(text[2:], base))
    return text


def _large(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def row_of_numbers(texts: Iterable[str]) -> list[float] | None:
    """The numbers of a list of plain scalars, fast; None where one of them is not a finite decimal number."""
    texts = list(texts)
    if not _NUMBER_CHARACTERS.fullmatch(",".join(texts)):
        return None
    try:
        numbers = list(map(float, texts))
    except ValueError:
        return None
    return None if math.inf in numbers or -math.inf in numbers else numbers
