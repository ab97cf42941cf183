"""A Jacobian that is larger than memory, computed some rows at a time.

Rows are taken in windows along one axis of the target: one graph, whose inputs say where the window is, is compiled
once and run for each. As many rows are taken at once as the limit of memory allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial as bind
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from gradcli.core.compile import compile_graph
from gradcli.core.differentiate import reached
from gradcli.core.graph import Graph
from gradcli.core.memory import peak_bytes
from gradcli.core.nodes import Value
from gradcli.core.rows import rows_of
from gradcli.core.shapes import size
from gradcli.derive import jacobian_nodes, rows_forward
from gradcli.limits import allowed_bytes
from gradcli.nonfinite import only_found
from gradcli.program import Program
from gradcli.question import Options, Question, Source, label_of
from gradcli.results import Note, Part, Rows

__all__ = ["streamed"]

_MOST = 1 << 26
"""The bytes of rows that are computed at once: with more nothing gets faster, and a person waits for a sign of life."""

Numbers = NDArray[Any]


def streamed(problem: Source, **options: Unpack[Options]) -> Rows:
    """The rows of the Jacobian by each chosen target and source; none of them is computed before it is read.

    Raises:
        LimitError: the values of the targets take more memory than is allowed; while the rows are read, one row does.
    """
    options["formulas"] = None
    q = Question.of(problem, options)
    p = q.program
    top = max((t.index for t in p.targets.values()), default=-1)
    paths = {name: reached(p.graph, [s], top) for name, s in p.sources.items()}
    # Only the notes and the values are asked for here: a target stands for its rows by each source that it depends on.
    answer = q.run({(t, s): v if paths[s][v.index] else None for t, v in p.targets.items() for s in p.sources}, 0)
    held = sum(a.nbytes for a in answer.targets.values())
    late: list[Note] = []
    told = late if answer.is_finite else []  # one note is enough
    return Rows(parts=lambda name: _parts(q, name, held, told), late=late, **answer.common())


def _parts(q: Question, name: str, held: int, late: list[Note]) -> Iterator[Part]:
    """The rows of one target; at the end a note, if there is none, on the first that is not finite."""
    target, sources = q.program.targets[name], q.program.sources
    bad: dict[str, _Bad] = {}
    done = 0
    for count, made in _computed(q, target, held):
        for source in made:
            if not np.isfinite(made[source]).all():
                bad[source] = _Bad.of(made[source], done * size(sources[source].shape), bad.get(source))
        zeros = q.options.get("unconnected") == "zero"
        yield Part(count, {s: made.get(s, _zeros(q, count, v) if zeros else None) for s, v in sources.items()})
        del made
        done += count
    first = next((source for source in sources if source in bad), None)
    if first is not None and not late:
        index = np.unravel_index(bad[first].place, target.shape + sources[first].shape)
        label = label_of((name, first), q.program.targets, tuple(int(k) for k in index))
        late.append(only_found(label, bad[first].number, bad[first].count))


def _zeros(q: Question, count: int, source: Value) -> Numbers:
    return np.broadcast_to(np.zeros((), q.dtype), (count, *source.shape))


@dataclass(frozen=True, slots=True)
class _Bad:
    """What is not finite: the place of the first in the whole block, its number, and how many there are."""

    place: int
    number: Any
    count: int

    @classmethod
    def of(cls, array: Numbers, before: int, known: _Bad | None) -> _Bad:
        flags = ~np.isfinite(array)
        count = int(np.count_nonzero(flags))
        if known is not None:
            return replace(known, count=known.count + count)
        first = int(np.argmax(flags))
        return cls(before + first, array.flat[first], count)


# -- windows -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Window:
    """The rows of a window: one index along the axes before `axis`, `width` along it, and all along those behind.

    Attributes:
        starts: the inputs that say where it is, one for each axis up to `axis`.
        nodes: the rows by each source that is connected.
        held: what does not depend on the place, and is computed once.
        peak_bytes: the most that is alive at once.
    """

    axis: int
    width: int
    starts: list[Value]
    nodes: Mapping[str, Value]
    held: list[Value]
    peak_bytes: int


def _computed(q: Question, target: Value, held_bytes: int) -> Iterator[tuple[int, dict[str, Numbers]]]:
    """The rows by connected source, and how many."""
    p, dtype = q.program, q.dtype
    if not size(target.shape):
        return
    w = _chosen(q, target, held_bytes)
    if not w.nodes:
        yield size(target.shape), {}
        return
    given = list(p.inputs.values())
    numbers = [np.asarray(a, dtype) for a in q.problem.sources.values()]
    numbers += compile_graph(p.graph, given, w.held, dtype)(*numbers) if w.held else []
    run = compile_graph(p.graph, [*w.starts, *given, *w.held], list(w.nodes.values()), dtype)
    n = target.shape[w.axis] if target.rank else 1
    unit = size(target.shape[w.axis + 1 :])
    for lead in np.ndindex(target.shape[: max(w.axis, 0)]):
        for at in range(0, n, w.width):
            start = min(at, n - w.width)
            places = (*lead, start) if w.starts else ()
            made = dict(zip(w.nodes, run(*map(np.asarray, places), *numbers), strict=True))
            done = (at - start) * unit
            count = w.width * unit - done
            yield count, {s: a.reshape(w.width * unit, *p.sources[s].shape)[done:] for s, a in made.items()}
            del made


def _chosen(q: Question, target: Value, held_bytes: int) -> _Window:
    """The largest window that is allowed, along the first axis that allows one.

    Raises:
        LimitError: not even one row is.
    """
    p, itemsize = q.program, np.dtype(q.dtype).itemsize
    limit = allowed_bytes(q.options.get("max_memory")) - held_bytes
    columns = sum(size(s.shape) for s in p.sources.values())
    for axis in [k for k, n in enumerate(target.shape) if n > 1] or [target.rank - 1]:
        n = target.shape[axis] if target.rank else 1
        most = min(n, max(1, _MOST // max(1, size(target.shape[axis + 1 :]) * columns * itemsize)))
        found = _widest(bind(_window, p, target, axis, itemsize=itemsize), most, limit)
        if found.peak_bytes <= limit:
            even = -(-n // -(-n // found.width))  # as many windows, of about the same width
            return found if even == found.width else _window(p, target, axis, even, itemsize=itemsize)
    q.refuse_memory(found.peak_bytes + held_bytes)
    raise AssertionError("what is not allowed is refused")


def _widest(made: Callable[[int], _Window], most: int, limit: int) -> _Window:
    """The window of at most `most` that stays within the limit, or one of 1 that does not."""
    width = most
    if most > 4:  # what is needed grows with the width, most often in proportion
        low, high = made(2).peak_bytes, made(4).peak_bytes
        width = max(1, min(most, 2 + 2 * (limit - low) // max(1, high - low)))
    found = made(width)
    while found.peak_bytes > limit and width > 1:
        width //= 2
        found = made(width)
    return found


def _window(p: Program, target: Value, axis: int, width: int, *, itemsize: int) -> _Window:
    g, part, starts = p.graph, target, []
    for k in range(axis + 1):
        starts.append(g.input((), "index"))
        part = rows_of(g, part, k - target.rank, starts[-1], width if k == axis else 1, p.sources.values())
    sources = list(p.sources.values())
    found = jacobian_nodes(g, part, p.sources, forward=rows_forward(part, sources))
    nodes = {name: v for name, v in found.items() if v is not None}
    outputs = list(nodes.values())
    held = _before(g, outputs, starts)
    given = [g.values[i] for i in g.ancestors(outputs) if g.definitions[i] is None]
    first, then = peak_bytes(g, held, itemsize, given), peak_bytes(g, outputs, itemsize, [*given, *held])
    return _Window(axis, width, starts, nodes, held, max(first, then))


def _before(g: Graph, outputs: Sequence[Value], starts: Sequence[Value]) -> list[Value]:
    """What is computed from no start, and is needed by something that is, or is an output itself."""
    needed = g.ancestors(outputs)
    moves = {v.index for v in starts}
    asked = dict.fromkeys(outputs)
    for i in needed:
        node = g.definitions[i]
        if node is not None and any(a.index in moves for a in node.args):
            moves.add(i)
            asked |= dict.fromkeys(node.args)
    return [v for v in asked if v.index not in moves and g.definition(v) is not None]
