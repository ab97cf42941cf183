"""Measuring: gradcli and its yardsticks in turns, in one run; medians, ratios, peak memory, and how time grows."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

__all__ = [
    "Measure",
    "Row",
    "Run",
    "against",
    "fitted",
    "gradcli",
    "growth",
    "in_turns",
    "megabytes",
    "process",
    "seconds",
    "shown",
]

Measure = Callable[[], float]


@dataclass(frozen=True)
class Row:
    """One line of the table: `figure` is what the goal bounds, in `unit` (x, s, or the exponent of a growth)."""

    work: str
    gradcli: str
    yardstick: str
    figure: float
    goal: float | None = None
    unit: str = "x"
    others: str = ""


# -- one figure -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """How a process ended: wall-clock seconds, and the largest resident size in bytes."""

    seconds: float
    bytes: int


# A small process of its own starts the one that is measured: a child counts the memory of its parent as its own.
_LAUNCHER = """
import json, os, sys, time
nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
began = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
_, status, usage = os.wait4(pid, 0)
json.dump([time.perf_counter() - began, usage.ru_maxrss, os.waitstatus_to_exitcode(status)], sys.stdout)
"""


def process(*arguments: str, status: int = 0, environment: Mapping[str, str] | None = None) -> Run:
    """Runs Python with the arguments to its end; RuntimeError where it ends with another status.

    Compiled modules are kept, as they are wherever gradcli is installed.
    """
    command = [sys.executable, "-S", "-c", _LAUNCHER, sys.executable, *arguments]
    inherited = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**inherited, **(environment or {})})
    taken, peak, ended = json.loads(done.stdout)
    if ended != status:
        raise RuntimeError(f"python {' '.join(arguments)[:200]} ended with {ended}, not {status}")
    return Run(taken, peak * (1 if sys.platform == "darwin" else 1024))


def gradcli(*arguments: str, status: int = 0, cache: Path | None = None) -> Run:
    """Runs gradcli as it was installed, without a cache or with this one."""
    kept = {"GRADCLI_CACHE_DIR": "" if cache is None else str(cache)}
    return process("-m", "gradcli", *arguments, status=status, environment=kept)


def seconds(work: Callable[[], object], *, repeat: int = 1) -> Measure:
    """The wall-clock time of one call, as the mean of `repeat` calls."""

    def measure() -> float:
        began = time.perf_counter()
        for _ in range(repeat):
            work()
        return (time.perf_counter() - began) / repeat

    return measure


# -- comparing --------------------------------------------------------------------------------------------------------


def in_turns(measures: Mapping[str, Measure], rounds: int) -> dict[str, list[float]]:
    """The figures of each, taken in turns, so that a busy machine slows all. Before several rounds, one warms up."""
    taken: dict[str, list[float]] = {name: [] for name in measures}
    warm_up = rounds > 1
    for _ in range(rounds + warm_up):
        for name, measure in measures.items():
            taken[name].append(measure())
    return {name: figures[warm_up:] for name, figures in taken.items()}


def against(
    work: str,
    gradcli: Measure,
    yardstick: tuple[str, Measure],
    *,
    goal: float | None,
    rounds: int,
    absolute: bool = False,
    others: str = "",
    show: Callable[[float], str] | None = None,
) -> Row:
    """A row with the ratio of gradcli to its yardstick, the median over the rounds; if `absolute`, with seconds."""
    name, theirs = yardstick
    show = show or shown
    taken = in_turns({"gradcli": gradcli, name: theirs}, rounds)
    ours = median(taken["gradcli"])
    figure = ours if absolute else median(a / b for a, b in zip(taken["gradcli"], taken[name], strict=True))
    theirs_shown = f"{name} {show(median(taken[name]))}"
    return Row(work, show(ours), theirs_shown, figure, goal, "s" if absolute else "x", others)


def fitted(sizes: Sequence[int], figures: Sequence[float]) -> float:
    """The exponent k of figure = c * size**k that fits best, on a logarithmic scale."""
    x, y = [math.log(n) for n in sizes], [math.log(t) for t in figures]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return slope / sum((a - mean_x) ** 2 for a in x)


def growth(work: str, measure: Callable[[int], float], sizes: Sequence[int], *, goal: float) -> Row:
    """A row with the exponent by which time grows with size."""
    figures = [measure(n) for n in sizes]
    others = ", ".join(f"{n:,}: {shown(t)}" for n, t in zip(sizes, figures, strict=True))
    return Row(work, shown(figures[-1]), "", fitted(sizes, figures), goal, "exponent", others)


def shown(figure: float) -> str:
    """Seconds for the table: `1.20 s`, `3.4 ms` or `56 us`."""
    if figure >= 1:
        return f"{figure:.2f} s"
    return f"{figure * 1e3:.3g} ms" if figure >= 1e-3 else f"{figure * 1e6:.3g} us"


def megabytes(figure: float) -> str:
    """Bytes for the table."""
    return f"{figure / 1e6:.3g} MB"
