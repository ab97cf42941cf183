"""What may be a name: any Python identifier that is not a keyword, compared after NFKC as Python compares them."""

from __future__ import annotations

import difflib
import keyword
import re
import unicodedata
from collections.abc import Iterable

__all__ = ["did_you_mean", "fold", "is_name", "name_problem"]

_LONGEST_GUESS = 60
_MOST_CANDIDATES = 5_000


def fold(name: str) -> str:
    """The form under which two spellings are one name: NFKC, so the micro sign is the Greek mu."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def is_name(text: str) -> bool:
    """Whether `text` may name a value: `x1`, `λ`, `no`, `match`; not `2x`, `a b`, `lambda`."""
    return text.isidentifier() and not keyword.iskeyword(fold(text))


def name_problem(text: str) -> tuple[str, str] | None:
    """Why `text` cannot be a name, and what to do; None where it can."""
    if is_name(text):
        return None
    if keyword.iskeyword(fold(text)):
        return "a reserved word of Python", f"use another name, such as {fold(text)}_"
    return "not a name", f"use letters, digits and _, and no digit first{_example(text)}"


def _example(text: str) -> str:
    """`, such as a_b` for `a b`; nothing where no good example comes out."""
    if "." in text and all(map(is_name, text.split("."))):
        return ", or nest it: " + ": {".join(text.split(".")) + ": ..." + "}" * text.count(".")
    if not re.fullmatch(r"[\w\s/-]+", text):
        return ""
    guess = re.sub(r"\W+", "_", text).strip("_")
    guess = guess if is_name(guess) else f"_{guess}"
    return f", such as {guess}" if is_name(guess) and guess != "_" and len(guess) <= _LONGEST_GUESS else ""


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `name` is most likely a slip of; None where none is close."""
    known = {other.lower(): other for other in list(candidates)[:_MOST_CANDIDATES]}
    if len(name) > _LONGEST_GUESS:
        return None
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    return known[close[0]] if close else None
