"""`python -m tests.benchmarks [NAME...] [--quick] [--markdown]` measures gradcli beside its yardsticks, as a table.

Times are medians over rounds in which all take turns, so that a busy machine slows all; what counts is the ratio.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from tests.benchmarks.harness import Row
from tests.benchmarks.peers import MISSING

NAMES = ("startup", "compiling", "evaluating", "streaming", "growing")
HEAD = ("work", "gradcli", "yardstick", "figure", "goal", "others")


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a line for each piece of work as soon as it is measured."""
    parser = argparse.ArgumentParser("python -m tests.benchmarks", description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; default: all")
    parser.add_argument("--quick", action="store_true", help="small sizes, one round: to see that the scripts run")
    parser.add_argument("--markdown", action="store_true", help="the table in Markdown")
    given = parser.parse_args(arguments)
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}")
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    if MISSING:
        print(f"not installed, left out: {', '.join(MISSING)}\n")
    line = _markdown if given.markdown else _aligned
    print(line(HEAD))
    if given.markdown:
        print("|---" * len(HEAD) + "|")
    for name in given.names or NAMES:
        for row in import_module(f"tests.benchmarks.{name}").rows(quick=given.quick):
            _print(row, line)


def _print(row: Row, line: Callable[[Sequence[str]], str]) -> None:
    goal = "" if row.goal is None else f"{row.goal:g} {'ok' if row.figure <= row.goal else 'MISSED'}"
    print(line((row.work, row.gradcli, row.yardstick, f"{row.figure:.2f} {row.unit}", goal, row.others)), flush=True)


def _aligned(cells: Sequence[str]) -> str:
    widths = (52, 9, 50, 14, 12, 0)
    return "  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def _markdown(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(sys.argv[1:])
