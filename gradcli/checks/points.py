"""Other points of a file's domain: seeded, near and far, and the simplest one at which something is still wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from gradcli.checks.subject import Numbers, Point, Subject
from gradcli.core.nodes import Value
from gradcli.results.labels import entry_text

__all__ = ["is_inside", "points_of", "simplest", "text_of"]

_TRIES = 48
_MOST_TRIALS = 300
_SHOWN = 6


def points_of(subject: Subject, count: int, finite: Sequence[Value] = ()) -> Iterator[list[Numbers]]:
    """Up to `count` points at which all targets and the nodes of `finite` are finite, inside every domain.

    A source that is a symmetric matrix stays one: a formula may count on it.
    """
    random = subject.random()
    symmetric = [_is_symmetric(x) for x in subject.point]
    found = 0
    for k in range(_TRIES):
        drawn = [_SPREADS[k % len(_SPREADS)](x, random) for x in subject.point]
        point = [(x + x.T) / 2 if keeps else x for x, keeps in zip(drawn, symmetric, strict=True)]
        if is_inside(subject, point, finite):
            found += 1
            yield point
        if found == count:
            return


def is_inside(subject: Subject, point: Point, finite: Sequence[Value] = ()) -> bool:
    """Whether all targets and the nodes of `finite` are finite at a point, and no function is outside its domain."""
    nodes = [*subject.targets, *finite]
    values = subject.run([*nodes, *subject.outside], point)
    inside, beyond = values[: len(nodes)], values[len(nodes) :]
    return all(np.isfinite(v).all() for v in inside) and not any(b.any() for b in beyond)


def _is_symmetric(x: Numbers) -> bool:
    return x.ndim == 2 and len(x) > 1 and x.shape[0] == x.shape[1] and bool((x == x.T).all())


def _near(x: Numbers, random: np.random.Generator) -> Numbers:
    """Within 30 % of the file's point."""
    u = random.uniform(-0.3, 0.3, x.shape)
    return np.where(x != 0, x * (1 + u), u)


def _positive(x: Numbers, random: np.random.Generator) -> Numbers:
    return random.uniform(0.1, 2.0, x.shape)


def _inside_one(x: Numbers, random: np.random.Generator) -> Numbers:
    return random.uniform(-0.9, 0.9, x.shape)


def _anywhere(x: Numbers, random: np.random.Generator) -> Numbers:
    return 1.5 * random.standard_normal(x.shape)


def _stretched(x: Numbers, random: np.random.Generator) -> Numbers:
    """Of the same sign, up to three times as large."""
    u = random.uniform(0.3, 3.0, x.shape)
    return np.where(x != 0, x * u, random.standard_normal(x.shape))


_SPREADS: tuple[Callable[[Numbers, np.random.Generator], Numbers], ...] = (
    _near,
    _anywhere,
    _positive,
    _stretched,
    _inside_one,
)


def simplest(start: Point, wrong: Callable[[Point], bool]) -> list[Numbers]:
    """A point like `start`, with as many 0, 1 and short numbers as possible, at which it is still wrong."""
    point = [np.array(x, dtype=float) for x in start]
    trials = 0

    def tried(k: int, simpler: Numbers) -> bool:
        nonlocal point, trials
        trials += 1
        changed = [*point[:k], simpler, *point[k + 1 :]]
        if trials > _MOST_TRIALS or np.array_equal(simpler, point[k]) or not wrong(changed):
            return False
        point = changed
        return True

    for k, array in enumerate(start):
        if not any(tried(k, simpler(point[k])) for simpler in _SIMPLER):
            for i in range(array.size):
                any(tried(k, _with_entry(point[k], i, simpler)) for simpler in _SIMPLER)
    return point


_SIMPLER: tuple[Callable[[Numbers], Numbers], ...] = (
    np.zeros_like,
    np.ones_like,
    lambda x: np.full_like(x, 2.0),
    lambda x: np.round(x) + 0.0,  # no -0
    lambda x: np.round(x, 1) + 0.0,
)


def _with_entry(array: Numbers, i: int, simpler: Callable[[Numbers], Numbers]) -> Numbers:
    """The array with one entry made simpler."""
    changed = array.copy()
    changed.flat[i] = simpler(array.flat[i : i + 1])[0] if array.ndim else simpler(array)
    return changed


def text_of(names: Mapping[str, object], point: Point) -> str:
    """`x1 = 1, w[0] = 0.5, all of b = 0`; of many entries the first."""
    parts = []
    for name, x in zip(names, point, strict=True):
        if x.size > 1 and (x == x.flat[0]).all():
            parts.append(f"all of {name} = {float(x.flat[0]):.6g}")
            continue
        parts += [f"{name}{entry_text(tuple(i))} = {float(x[tuple(i)]):.6g}" for i in np.ndindex(x.shape)]
    more = f" and {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else ""
    return ", ".join(parts[:_SHOWN]) + more
