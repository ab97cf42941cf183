"""The derivatives as formulas, each beside its number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gradcli.report import ReportOptions
from gradcli.report.entries import LIMIT, plural
from gradcli.report.layout import Line, Span, cells, pad, wrap
from gradcli.report.numbers import clean, digits, entry_labels
from gradcli.results import Array, Gradient, Hessian, Result

__all__ = ["formulas"]


def formulas(result: Result, options: ReportOptions) -> Iterator[Line]:
    """`x1   2*x1*x2 = 12`, one a line; long formulas go on below."""
    found = [(label, text, number) for label, text, number in _entries(result) if text is not None]
    if not found:
        return
    yield (Span("  formulas", "bold"),)
    shown = found if options.full else found[:LIMIT]
    width = max(cells(label) for label, _, _ in shown)
    for label, text, number in shown:
        value = f"= {digits(number, options.precision)}".replace(" ", "\xa0")
        yield from wrap(f"{text} {value}", options.width, f"  {pad(label, width)}   ", "bold")
    if len(found) > len(shown):
        yield (Span(f"  … {plural(len(found) - len(shown), 'formula')}", "dim"),)


def _entries(result: Result) -> Iterator[tuple[str, Any, Any]]:
    texts: Mapping[str, Any] = result.formulas or {}
    shapes = {name: np.shape(value) for name, value in result.sources.items()}
    if isinstance(result, Gradient):
        for name, nested in texts.items():
            yield from zip(entry_labels(clean(name), shapes[name]), *_flat(nested, result.gradient[name]), strict=False)
        return
    blocks: Mapping[str, Mapping[str, Array | None]] = (
        result.hessian if isinstance(result, Hessian) else result.jacobian  # type: ignore[attr-defined]
    )
    rows = shapes if isinstance(result, Hessian) else {name: np.shape(v) for name, v in result.targets.items()}
    for name, row in texts.items():
        for source, nested in row.items():
            labels = [
                f"{a} by {b}"
                for a in entry_labels(clean(name), rows[name])
                for b in entry_labels(clean(source), shapes[source])
            ]
            yield from zip(labels, *_flat(nested, blocks[name][source]), strict=False)


def _flat(nested: Any, numbers: Array | None) -> tuple[list[Any], list[Any]]:
    """The texts and the numbers as flat lists; nothing where there is no formula at all."""
    if nested is None or numbers is None:
        return [], []
    return np.asarray(nested, dtype=object).ravel().tolist(), np.ravel(numbers).tolist()
