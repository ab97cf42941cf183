"""The page of diff: names and shapes, the entries that changed with the worst first, and a count for each array."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from gradcli.report import ReportOptions
from gradcli.report.entries import LIMIT, plural
from gradcli.report.findings import number
from gradcli.report.layout import Column, Grid, Group, Line, Row, Span, cells, hang, pad, wrap
from gradcli.report.numbers import PRECISION, align, clean, digits, shape_text
from gradcli.results import Change, Changes, Tally

__all__ = ["changes", "ending"]

_HEADS = ("old", "new", "difference", "relative")
_GAP = "   "
_SHORT = 24  # columns that a label may always have
_PLURALS = {"entry": "entries", "array": "arrays"}
_WORDS = (("added", "added"), ("removed", "removed"), ("shape", "of another shape"))
_STYLES = {"added": "green", "removed": "red", "shape": "yellow"}


def changes(result: Changes, options: ReportOptions) -> Iterator[Line]:
    """The page; nothing where nothing changed."""
    if not result.changed:
        return
    limit = None if options.full else LIMIT
    names = list(takewhile(lambda change: change.index is None, result.changes))
    entries = list(islice(result.changes, len(names), None if limit is None else len(names) + limit))
    tallies = [tally for tally in result.arrays if tally.changed]
    left = [len(names) - len(names[:limit]), len(result.changes) - len(names) - len(entries)]
    left.append(len(tallies) - len(tallies[:limit]))
    yield from _head(result, options.width)
    for block in (
        _names(names[:limit], left[0], options.width),
        _entries(entries, left[1], options) if entries else (),
        _tallies(tallies[:limit], left[2], options.width),
    ):
        lines = list(block)
        yield from [(), *lines] if lines else []
    yield ()
    yield from _last(result, options.width)
    if any(left):
        yield from [(), (Span("--full shows what is left out (…)", "dim"),)]


def ending(result: Changes) -> str:
    """The last line, for where there is no page."""
    return "".join(span.text for line in _last(result, sys.maxsize) for span in line)


def _head(result: Changes, width: int) -> Iterator[Line]:
    """The two files beside each other, or one below the other where they are too long."""
    names = [clean(name) if name else "(no file)" for name in (result.old, result.new)]
    dtype = Span(f"  {result.dtype}", "dim")
    if cells(f"diff  {names[0]}  {names[1]}{dtype.text}") <= width:
        yield Span("diff", "bold"), Span(f"  {names[0]}  {names[1]}"), dtype
    else:
        yield Span("diff", "bold"), dtype
        yield from ((Span(f"  {word}  ", "dim"), Span(name)) for word, name in zip(("old", "new"), names, strict=True))


def _names(shown: Sequence[Change], left: int, width: int) -> Iterator[Line]:
    """`added target y2, shape (3,)`, `shape w: (2,), now (3,)`."""
    for change in shown:
        label = clean(change.label).removeprefix("shape ")
        if change.kind == "shape":
            text = f"{label}: {_shape(change.old)}, now {_shape(change.new)}"
        else:
            shape = _shape(change.old if change.new is None else change.new)
            text = f"{label}, {'shape ' if shape != 'scalar' else ''}{shape}"
        yield from wrap(text, width, f"  {change.kind} ", _STYLES[change.kind])
    if left:
        yield (Span(f"  … {left} more", "dim"),)


def _shape(shape: object) -> str:
    return shape_text(shape if isinstance(shape, tuple) else ()).replace(" ", "\xa0")


def _entries(shown: Sequence[Change], left: int, options: ReportOptions) -> Iterator[Line]:
    """A row for each entry. A label that leaves no room for the numbers stands above them."""
    numbers = [_numbers(change, options.precision or PRECISION) for change in shown]
    needs = [
        max(len(head), *map(len, align(texts))) for head, texts in zip(_HEADS, zip(*numbers, strict=True), strict=True)
    ]
    room = max(options.width - 2 - sum(len(_GAP) + width for width in needs), _SHORT)
    rows: list[tuple[Row, Sequence[str]]] = []
    for change, texts in zip(shown, numbers, strict=True):
        label = clean(change.label)
        if cells(label) > room:
            rows.append((Row(label, kind="more"), [""] * len(_HEADS)))
            label = ""
        rows.append((Row(label), texts))
    if left:
        rows.append((Row(f"… {plural(left, 'entry')}", kind="more"), [""] * len(_HEADS)))
    columns = zip(_HEADS, zip(*(texts for _, texts in rows), strict=True), strict=True)
    groups = [Group([Column(head, "", texts) for head, texts in columns])]
    return Grid([row for row, _ in rows], groups).lines(options.width)


def _numbers(change: Change, precision: int) -> tuple[str, str, str, str]:
    """With the usual digits, or as many more as it takes to tell old and new apart."""
    old, new = (None if isinstance(side, tuple) else side for side in (change.old, change.new))
    wide = precision
    while wide < 17 and number(old, wide) == number(new, wide):
        wide += 1
    apart = "" if change.difference is None else digits(change.difference, precision)
    relative = "" if change.relative is None else digits(change.relative, 2)
    return number(old, wide), number(new, wide), apart, relative


def _tallies(shown: Sequence[Tally], left: int, width: int) -> Iterator[Line]:
    """`gradient w   2 of 4 entries`."""
    labels = [clean(tally.label) for tally in shown]
    counts = [f"{tally.changed} of {tally.entries} {_word('entry', tally.entries)}" for tally in shown]
    room = width - 2 - max(map(len, counts), default=0) - len(_GAP)
    column = max((cells(label) for label in labels if cells(label) <= room), default=0)
    for label, count in zip(labels, counts, strict=True):
        yield from hang((Span(f"  {pad(label, column)}{_GAP}"),), [count.replace(" ", "\xa0")], width)
    if left:
        yield (Span(f"  … {left} more {_word('array', left)}", "dim"),)


def _last(result: Changes, width: int) -> Iterator[Line]:
    """`changed: 1 added, 9 of 18 entries in 3 of 6 arrays`."""
    names = list(takewhile(lambda change: change.index is None, result.changes))
    parts = [f"{n} {word}" for kind, word in _WORDS if (n := sum(change.kind == kind for change in names))]
    changed = [tally for tally in result.arrays if tally.changed]
    if changed:
        entries = sum(tally.entries for tally in result.arrays)
        arrays = len(result.arrays)
        counted = f"{sum(tally.changed for tally in changed)} of {entries} {_word('entry', entries)}"
        parts.append(f"{counted} in {len(changed)} of {arrays} {_word('array', arrays)}")
    if not parts:
        return iter([(Span("unchanged", "green"),)])
    return hang((Span("changed", "bold red"), Span(": ")), [", ".join(parts)], width)


def _word(word: str, n: int) -> str:
    return word if n == 1 else _PLURALS[word]
