"""A question, made ready to run: the NumPy function, what each of its outputs is, and what there is to say of them.

A plan is plain data that holds no graph, so that it can outlive the process (`gradcli.cache`). It does not know the
point, and places in the file are held as places in the texts, which may have moved to other lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gradcli.core.executable import Executable
from gradcli.language.source import Text
from gradcli.results import Note
from gradcli.results.labels import entry_text

__all__ = ["Cut", "Key", "Plan", "Sight", "Spot", "Texts", "notes_of"]

Key = tuple[str, ...]
Numbers = NDArray[Any]
Texts = Mapping[str, Text]
"""The expressions of a problem by their owner: `let 'h'`, `target 'y'`."""


class Spot(NamedTuple):
    """A piece of an expression."""

    owner: str
    offset: int
    length: int

    def line(self, texts: Texts) -> int | None:
        """Its line in the file; None where the text comes from no file."""
        place = texts[self.owner].locate(self.offset, self.length)
        return place.line if place.file is not None else None

    def source(self, texts: Texts) -> str:
        """As the user wrote it, in one line."""
        return " ".join(texts[self.owner].text[self.offset : self.offset + self.length].split())


class Cut(NamedTuple):
    """Why no path leads from a source to the targets, and where it ends."""

    source: str
    reason: str
    spot: Spot | None

    def text(self, texts: Texts) -> str:
        """`used only in a condition, line 7`."""
        line = self.line(texts)
        return f"{self.reason}, line {line}" if line else self.reason

    def line(self, texts: Texts) -> int | None:
        return self.spot.line(texts) if self.spot else None

    def note(self, texts: Texts) -> Note:
        return Note("unconnected", f"{self.source} is unconnected: {self.text(texts)}", self.line(texts))


class Sight(NamedTuple):
    """A condition that is computed along with the answer, as the reader should hear of it where it holds.

    Attributes:
        kind: "kink" or "domain".
        text: what was taken; `sides` are the derivatives from the left and the right.
        spot: the piece of an expression that it is about.
        output: which output of the plan it is.
    """

    kind: str
    text: str
    sides: tuple[str, str] | None
    spot: Spot
    output: int

    def note(self, holds: Numbers, texts: Texts) -> Note:
        line = self.spot.line(texts)
        where = f", line {line}," if line else ""
        state = "is at a kink" if self.kind == "kink" else "is outside its domain"
        text = self.text
        if self.sides and not holds.ndim:
            left, right = self.sides
            text += f" (from the left {left}, from the right {right})"
        what = _short(self.spot.source(texts))
        return Note(self.kind, f"{what}{where} {state}{_entries(holds)}: {text}", line)


class Plan(NamedTuple):
    """What is to be run, and what is said of it.

    Attributes:
        executable: takes the values of the file's sources, in their order.
        answer: by key the output that holds it; None where there is no path.
        targets, sources: by name the output that holds the value.
        cuts: a reason for each source that nothing differentiable leads from.
        sights: what is watched.
        result_bytes: what the answer takes; `peak_bytes`: the most that is alive at once.
    """

    executable: Executable
    answer: Mapping[Key, int | None]
    targets: Mapping[str, int]
    sources: Mapping[str, int]
    cuts: tuple[Cut, ...]
    sights: tuple[Sight, ...]
    result_bytes: int
    peak_bytes: int


def notes_of(sights: Sequence[Sight], made: Sequence[Numbers], texts: Texts) -> list[Note]:
    """A note for each sight that holds somewhere, in the order of the file; equal ones once."""
    notes = {sight.note(made[sight.output], texts): None for sight in sights if made[sight.output].any()}
    return sorted(notes, key=lambda n: n.line or 0)


def _entries(holds: Numbers) -> str:
    """` in entry [0,1]`, ` in 3 entries, first [0]`; nothing for a scalar."""
    if not holds.ndim:
        return ""
    places = np.argwhere(holds)
    first = entry_text(tuple(places[0]))
    return f" in entry {first}" if len(places) == 1 else f" in {len(places)} entries, first {first}"


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
