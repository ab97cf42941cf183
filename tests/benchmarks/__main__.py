"""`python -m tests.benchmarks [NAME...] [--quick]` measures gradcli beside its yardsticks and prints a table.

Run it from the root of the repository, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from importlib import import_module

from tests.benchmarks.harness import Row
from tests.benchmarks.peers import MISSING

NAMES = ("startup", "compiling", "evaluating", "growing")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the chosen benchmarks, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; without any, all of them")
    parser.add_argument("--quick", action="store_true", help="small work, once: shows that the scripts run")
    given = parser.parse_args(arguments)
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}")
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    if MISSING:
        print(f"not installed, left out: {', '.join(MISSING)}\n")
    print(_line("work", "gradcli", "yardstick", "figure", "goal", "others"))
    for name in given.names or NAMES:
        for row in import_module(f"tests.benchmarks.{name}").rows(quick=given.quick):
            print(_shown(row), flush=True)


def _shown(row: Row) -> str:
    goal = "" if row.goal is None else f"{row.goal:g} {'ok' if row.figure <= row.goal else 'MISSED'}"
    return _line(row.work, row.gradcli, row.yardstick, f"{row.figure:.2f} {row.unit}", goal, row.others)


def _line(*cells: str) -> str:
    widths = (52, 9, 50, 14, 12, 0)
    return "  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


if __name__ == "__main__":
    main(sys.argv[1:])
