"""Tables for a person. The only module that imports rich, and only when colour is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from gradcli.report import ReportOptions, page, rows
from gradcli.report.changes import changes
from gradcli.report.checks import checks
from gradcli.report.formulas import formulas
from gradcli.report.gradients import gradient
from gradcli.report.layout import Line, Span
from gradcli.results import Changes, Checked, Comparison, Gradient, Hessian, Jacobian, PerExample, Result

__all__ = ["render"]


def render(result: Result | Checked | Changes, options: ReportOptions) -> str:
    """`result` as a table that is at most `options.width` wide, unless a single column is wider."""
    lines = list(_lines(result, options))
    return _colored(lines) if options.color else "".join(f"{_plain(line)}\n" for line in lines)


def _lines(result: Result | Checked | Changes, options: ReportOptions) -> Iterator[Line]:
    if isinstance(result, Checked):
        return checks(result, options)
    return changes(result, options) if isinstance(result, Changes) else _page(result, options)


def _page(result: Result, options: ReportOptions) -> Iterator[Line]:
    body = list(_body(result, options))
    yield from page.head(result, options)
    yield ()
    yield from body
    if isinstance(result, Comparison):
        yield page.verdict(result)
    if result.formulas is not None:
        yield from _after_blank(formulas(result, options))
    if any(span.text.lstrip().startswith("… ") for line in body for span in line):
        yield from [(), (Span("--full shows what is left out (…)", "dim"),)]
    if options.notes:
        yield from _after_blank(page.notes(result, options))


def _body(result: Result, options: ReportOptions) -> Iterable[Line]:
    if isinstance(result, Gradient):
        return chain(page.targets(result, options), _after_blank(gradient(result, options)))
    if isinstance(result, PerExample):
        return rows.per_example(result, options)
    if isinstance(result, Jacobian):
        return rows.jacobian(result, options)
    if isinstance(result, Comparison):
        return rows.comparison(result, options)
    if isinstance(result, Hessian):
        return chain(page.targets(result, options), _after_blank(rows.hessian(result, options)))
    raise TypeError(f"no table for {type(result).__name__}")


def _after_blank(lines: Iterable[Line]) -> Iterator[Line]:
    for i, line in enumerate(lines):
        yield from [()] if i == 0 else []
        yield line


def _plain(line: Line) -> str:
    return "".join(span.text for span in line).rstrip()


def _colored(lines: Iterable[Line]) -> str:
    from rich.color import ColorSystem
    from rich.style import Style

    def paint(line: Line) -> str:
        length = len(_plain(line))
        parts = []
        for text, style in line:
            kept, length = text[:length], length - len(text[:length])
            parts.append(Style.parse(style).render(kept, color_system=ColorSystem.STANDARD) if kept else "")
        return "".join(parts) + "\n"

    return "".join(map(paint, lines))
