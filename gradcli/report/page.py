"""What stands around a table: the head, the rule that is followed, shapes, target values, the verdict, the notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from gradcli.report import ReportOptions
from gradcli.report.entries import LIMIT
from gradcli.report.layout import Line, Span, cells, pad, wrap
from gradcli.report.marks import reasons, worst
from gradcli.report.numbers import align, clean, digits, shape_text
from gradcli.results import Array, Comparison, Gradient, Hessian, Jacobian, Note, PerExample, Result, Rows

__all__ = ["command", "head", "messages", "notes", "targets", "verdict", "with_line"]

_COMMANDS = {
    Gradient: "grad",
    Jacobian: "jacobian",
    PerExample: "jacobian",
    Comparison: "compare",
    Hessian: "hessian",
}


def command(result: Result) -> str:
    """The subcommand that `result` answers."""
    return _COMMANDS[type(result)]


def head(result: Result, options: ReportOptions) -> Iterator[Line]:
    """Command, file and dtype; the title; the rule in words; the shapes, unless all are scalars."""
    file = [Span(f"  {clean(result.file)}")] if result.file else []
    yield Span(command(result), "bold"), *file, Span(f"  {result.dtype}", "dim")
    if result.title:
        yield from wrap(clean(result.title), options.width)
    yield from wrap(_rule(result), options.width)
    if any(result.shapes.values()):
        yield from wrap(f"{_shapes(result.targets)} by {_shapes(result.sources)}", options.width, "shapes: ", "dim")


def _rule(result: Result) -> str:
    if isinstance(result, PerExample):
        rows = f"each row holds the derivatives of one output ({_names(result.targets)})"
        return f"jacobian per example: {rows} by its own example i of the sources"
    if isinstance(result, Jacobian):
        return f"jacobian: each row holds the derivatives of one output ({_names(result.targets)}) by the sources"
    total = _total(result)
    if isinstance(result, Hessian):
        return f"hessian = the second derivatives of {total}"
    return f"gradient = {total}, in each source's shape"


def _total(result: Result) -> str:
    names = _names(result.targets)
    count = sum(np.size(value) for value in result.targets.values())
    if count == 1 and not result.weights:
        return names if isinstance(result, Hessian) else f"d {names} / d source"
    weighted = "weighted " if result.weights else ""
    if len(result.targets) == 1:
        return f"the {weighted}sum over the {count} output{'s' * (count != 1)} of {names}"
    return f"the {weighted}sum over all {f'{count} ' * (count != len(result.targets))}outputs ({names})"


def _names(names: Iterable[str]) -> str:
    return _shortened([clean(name) for name in names])


def _shapes(values: Mapping[str, Array]) -> str:
    texts = (f"{clean(name)} {shape_text(np.shape(value))}" for name, value in values.items())
    return _shortened([text.replace(" ", "\xa0") for text in texts])


def _shortened(texts: list[str]) -> str:
    more = len(texts) - LIMIT
    return ", ".join([*texts[:LIMIT], *([f"… {more} more"] if more > 0 else [])])


def targets(result: Result, options: ReportOptions) -> Iterator[Line]:
    """The value of each target, one a line, with its weight."""
    width = max((cells(clean(name)) for name in result.targets), default=0)
    scalars = {
        name: digits(np.asarray(v)[()], options.precision) for name, v in result.targets.items() if np.ndim(v) == 0
    }
    aligned = dict(zip(scalars, align(list(scalars.values())), strict=True))
    for name, value in result.targets.items():
        text = aligned[name].rstrip() if name in aligned else _array(value, options)
        weight = result.weights.get(name)
        extra = "" if weight is None else f", weight {_array(weight, options)}"
        yield from wrap(text + extra, options.width, f"  {pad(clean(name), width)} = ", "bold")


def _array(value: Array, options: ReportOptions) -> str:
    array = np.asarray(value)
    if array.size > LIMIT and not options.full:
        return _summary(array, options)
    return _bracketed(array, options)


def _bracketed(array: Array, options: ReportOptions) -> str:
    if array.ndim == 0:
        return digits(array[()], options.precision)
    return f"[{', '.join(_bracketed(part, options) for part in array)}]"


def _summary(array: Array, options: ReportOptions) -> str:
    finite = array[np.isfinite(array)]
    low_high = [digits(bound, options.precision) for bound in (finite.min(), finite.max())] if finite.size else []
    between = f" from {low_high[0]} to {low_high[1]}" if low_high else ""
    rest = array.size - finite.size
    return f"{finite.size} numbers{between}" + (f", {rest} not finite" if rest else "")


def verdict(result: Comparison) -> Line:
    """Whether the sum of the rows and the gradient agree, and where not."""
    if result.match:
        how = "to the last digit" if result.exact else f"within {digits(result.max_abs_difference, 2)}"
        return Span("agree: "), Span("yes", "bold green"), Span(f", {how}")
    found = worst(result)
    where = f", worst at {found.label}: sum of rows {_whole(found.row_sum)}, gradient {_whole(found.gradient)}"
    where += f", difference {digits(result.max_abs_difference, 2)}"
    return Span("agree: "), Span("NO", "bold red"), Span(where)


def _whole(number: float | np.floating | None) -> str:
    return "none" if number is None else digits(number, 17)


def notes(result: Result, options: ReportOptions) -> Iterator[Line]:
    """The notes, one a paragraph, but not those that the table itself shows."""
    shown = reasons(result).values() if isinstance(result, Gradient | Hessian) else ()
    for note in (note for note in result.notes if note not in shown):
        yield from wrap(note_text(note), options.width, "note: ", "yellow")


def note_text(note: Note) -> str:
    """The message of a note, with its line in the file."""
    return with_line(clean(note.message), note.line)


def with_line(text: str, line: int | None) -> str:
    """`text` with the line of the file that it is about, unless it says so."""
    return text if line is None or re.search(rf"\bline {line}\b", text) else f"{text} (line {line})"


def messages(result: Result) -> list[str]:
    """Verdict and notes as plain lines, for formats that have no place for them."""
    late = result.late if isinstance(result, Rows) else ()
    lines = [f"note: {note_text(note)}" for note in (*result.notes, *late)]
    if isinstance(result, Comparison):
        lines.insert(0, "".join(span.text for span in verdict(result)))
    return lines
