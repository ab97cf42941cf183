"""A place inside an expression is a place in the file, however the expression is written."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gradcli.document import Problem

Reader = Callable[..., Problem]

YAML = {
    "plain": ("targets:\n  f: x @ wieghts - y\n", (2, 10)),
    "plain over lines": ("targets:\n  f: x @\n     wieghts - y\n", (3, 6)),
    "single quotes": ("targets:\n  f: 'x @ wieghts'\n", (2, 11)),
    "single quotes with a quote": ("targets:\n  f: 'einsum(''i'', x) + wieghts'\n", (2, 26)),
    "single quotes over lines": ("targets:\n  f: 'x @\n\n    wieghts'\n", (4, 5)),
    "double quotes": ('targets:\n  f: "x @ wieghts"\n', (2, 11)),
    "double quotes with escapes": ('targets:\n  f: "einsum(\\"i\\", x)\\t+ \\x77ieghts"\n', (2, 27)),
    "double quotes over lines": ('targets:\n  f: "x @ \\\n    wieghts"\n', (3, 5)),
    "literal block": ("targets:\n  f: |  # why\n    x @\n      wieghts\n", (4, 7)),
    "folded block": ("targets:\n  f: >-\n    x @\n\n    wieghts\n", (5, 5)),
    "non-ASCII": ("targets:\n  φ: λ𝒳 @ wieghts\n", (2, 11)),
    "anchor": ("targets:\n  f: &t x @ wieghts\n  g: *t\n", (2, 13)),
    "list": ("targets: [x, wieghts]\n", (1, 14)),
    "CRLF": ("targets:\r\n  f: |\r\n    x\r\n    @ wieghts\r\n", (4, 7)),
}
JSON = {
    "simple": ('{"targets":\n {"f": "x @ wieghts"}}', (2, 13)),
    "with escapes": ('{"targets": "\\"\\u03bb\\n + wieghts"}', (1, 27)),
    "a pair of surrogates: the string": ('{"targets": "\\ud835\\udcb3 + wieghts"}', (1, 13)),
}


@pytest.mark.parametrize(("text", "place"), [*YAML.values(), *JSON.values()], ids=[*YAML, *JSON])
def test_locate(text: str, place: tuple[int, int], read: Reader) -> None:
    """The word `wieghts` is found where it stands."""
    target = next(t for t in read(text).targets.values() if "wieghts" in t.text)
    found = target.locate(target.text.index("wieghts"), len("wieghts"))
    assert (found.line, found.column) == place
    assert found.source == text.replace("\r", "").split("\n")[place[0] - 1]


def test_the_end_of_a_text(read: Reader) -> None:
    """An expression that ends too early points after its last character."""
    target = read("targets:\n  f: x +\n").targets["f"]
    assert (target.locate(3, 1).column, target.locate(2, 1).column) == (9, 8)


def test_a_run_over_lines_ends_with_its_first_line(read: Reader) -> None:
    """A caret run stays on one line."""
    target = read("targets:\n  f: |\n    x +\n    y\n").targets["f"]
    place = target.locate(0, 7)
    assert (place.line, place.column, place.length) == (3, 5, 3)
