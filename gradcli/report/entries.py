"""The entries of named arrays as the rows or columns of a table, shortened where there are too many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np

from gradcli.report.numbers import clean, entry_labels
from gradcli.results import Array, PerExample

__all__ = ["LIMIT", "Entry", "Part", "example_view", "left_out", "parts", "plural", "whole"]

LIMIT = 12


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the array `name`: `index` counts in C order. One without value stands for the whole array."""

    name: str
    index: int
    label: str
    value: float | np.floating | None


@dataclass(frozen=True, slots=True)
class Part:
    """Entries that are shown or shortened together: those of one array, or a run of scalars (then `name` is None)."""

    name: str | None
    entries: Sequence[Entry]
    left_out: int = 0


def parts(values: Mapping[str, Array], limit: int | None) -> list[Part]:
    """The entries of `values` in order: a part for each array and for each run of scalars, each up to `limit`."""
    found: list[Part] = []
    for scalar, names in groupby(values, key=lambda name: np.ndim(values[name]) == 0):
        if scalar:
            found.append(
                _shortened(
                    None, [Entry(name, 0, clean(name), np.asarray(values[name]).flat[0]) for name in names], limit
                )
            )
        else:
            found += [_of_array(name, np.asarray(values[name]), limit) for name in names]
    return found


def example_view(result: PerExample) -> tuple[dict[str, Array], dict[str, dict[str, Array | None]]]:
    """The sources of one example, called `x[i]` as in the labels of its entries, and the blocks under these names."""
    sources: dict[str, Array] = {f"{name}[i]": np.zeros(np.shape(value)[1:]) for name, value in result.sources.items()}
    blocks = {name: {f"{source}[i]": a for source, a in row.items()} for name, row in result.jacobian.items()}
    return sources, blocks


def whole(name: str) -> Entry:
    """An entry that stands for all of the array `name`."""
    return Entry(name, 0, clean(name), None)


def _shortened(name: str | None, entries: Sequence[Entry], limit: int | None) -> Part:
    return Part(name, entries[:limit], max(0, len(entries) - (limit or len(entries))))


def _of_array(name: str, value: Array, limit: int | None) -> Part:
    labels = entry_labels(clean(name), value.shape, limit)
    numbers = islice(value.flat, len(labels))
    entries = [Entry(name, i, label, number) for i, (label, number) in enumerate(zip(labels, numbers, strict=True))]
    return Part(name, entries, value.size - len(entries))


def left_out(part: Part, word: str, *, of: bool = True) -> str:
    """`… 18 more outputs of y`; empty where nothing is left out."""
    if not part.left_out:
        return ""
    owner = f" of {clean(part.name)}" if of and part.name else ""
    return f"… {plural(part.left_out, word)}{owner}"


def plural(more: int, word: str) -> str:
    """`1 more row`, `18 more entries`."""
    ending = "" if more == 1 else "s"
    return f"{more} more {word}{ending}" if not word.endswith("y") or more == 1 else f"{more} more {word[:-1]}ies"
