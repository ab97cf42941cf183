"""A Jacobian that is larger than the memory it may take, against rows that NumPy writes by hand: time and memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from functools import partial as bind
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.harness import Row, Run, against, gradcli, megabytes, process

__all__ = ["rows"]

FILE = """
constants:
  U: {{shape: [{outputs}, 20], random: normal, seed: 1}}
  V: {{shape: [20, {inputs}], random: normal, seed: 2}}
sources:
  x: {{shape: [{inputs}], random: normal, seed: 3}}
targets:
  y: tanh(U @ (V @ x) / 100)
"""
BY_HAND = """
import numpy as np
rng = np.random.default_rng(0)
u, v = rng.standard_normal(({outputs}, 20)), rng.standard_normal((20, {inputs}))
x = rng.standard_normal({inputs})
slope = (1 - np.tanh(u @ (v @ x) / 100) ** 2) / 100
rows = np.lib.format.open_memmap({path!r}, mode="w+", dtype=float, shape=({outputs}, {inputs}))
head = rows.offset
del rows
with open({path!r}, "r+b") as stream:
    stream.seek(head)
    for k in range(0, {outputs}, {at_once}):
        stream.write(slope[k : k + {at_once}, None] * (u[k : k + {at_once}] @ v))
"""


def rows(*, quick: bool) -> Iterator[Row]:
    """800 MB of rows within 64 MB; the memory is what a process has at most beyond that of the imports."""
    rounds = 1 if quick else 3
    outputs, inputs, limit = (100, 50, 2_000_000) if quick else (20_000, 5_000, 64_000_000)
    sizes = {"outputs": outputs, "inputs": inputs}
    with TemporaryDirectory() as name:
        folder = Path(name)
        file, made = folder / "rows.yaml", str(folder / "rows.npy")
        file.write_text(FILE.format(**sizes), encoding="utf-8")
        at_once = max(limit // (2 * 8 * inputs), 1)  # a product and what is written
        hand = BY_HAND.format(path=made, at_once=at_once, **sizes)
        ours = bind(gradcli, "jacobian", str(file), "-o", made, "--max-memory", str(limit))
        theirs = bind(process, "-c", hand)
        work = f"{outputs:,} x {inputs:,} rows to .npy within {megabytes(limit)}"
        yield against(
            f"process: {work}",
            lambda: ours().seconds,
            ("by hand in NumPy", lambda: theirs().seconds),
            goal=None,
            rounds=rounds,
        )
        yield against(
            f"memory: {work}",
            bind(_beyond, ours, "numpy, sympy, yaml"),
            ("by hand in NumPy", bind(_beyond, theirs, "numpy")),
            goal=1.3,
            rounds=rounds,
            show=megabytes,
        )


def _beyond(run: Callable[[], Run], imports: str) -> float:
    """The bytes of a process at its peak without those of its imports."""
    return float(run().bytes - _imported(imports))


@cache
def _imported(names: str) -> int:
    return process("-c", f"import {names}").bytes
