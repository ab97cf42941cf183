"""From a file to its first gradient, as a process: graphs of tens of thousands of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial as bind
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import files
from tests.benchmarks.harness import Row, against, gradcli, process
from tests.benchmarks.peers import CHAIN, alone, beside

__all__ = ["rows"]

SYMPY = """
import sympy
x, w = sympy.symbols("x w")
y = x
for _ in range({steps}):
    y = sympy.sin(y) * w + x
sympy.lambdify((x, w), [y.diff(x), y.diff(w)], cse=True)(0.5, 0.9)
"""


def rows(*, quick: bool) -> Iterator[Row]:
    """A chain, let lines, a long sum; and plain sympy on a chain that it can still do."""
    rounds = 1 if quick else 3
    steps, lets, terms, short = (100, 100, 100, 5) if quick else (10_000, 5_000, 5_000, 30)
    with TemporaryDirectory() as name:
        folder = Path(name)
        bare = ("bare imports", lambda: process("-c", "import numpy, sympy, yaml").seconds)
        others = beside(lambda module: alone(CHAIN[module].format(steps=steps))[0], CHAIN)
        for work, path, goal, beside_it in (
            (f"file to gradient: {steps:,} x (sin, mul, add)", files.nested_chain(folder, steps, 50), 1.5, others),
            (f"the same in {steps:,} let lines", files.nested_chain(folder, steps, 1), None, ""),
            (f"file to gradient: {lets:,} let lines", files.chain_of_lets(folder, lets), 1.5, ""),
            (f"file to gradient: a sum of {terms:,} terms", files.long_sum(folder, terms), None, ""),
        ):
            ours = bind(_gradient, path)
            yield against(work, ours, bare, goal=goal, absolute=True, rounds=rounds, others=beside_it)
        yield against(
            f"file to gradient: {short} x (sin, mul, add)",
            bind(_gradient, files.nested_chain(folder, short, 1)),
            ("plain sympy", lambda: process("-c", SYMPY.format(steps=short)).seconds),
            goal=1.0,
            rounds=rounds,
        )


def _gradient(path: str) -> float:
    return gradcli("grad", path, "--json").seconds
