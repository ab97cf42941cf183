"""Where a NaN or an infinity comes from: followed back to the first node that made one out of finite operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.compile import compile_graph
from gradcli.core.elementwise import Elementwise
from gradcli.core.nodes import Apply, Literal, Value
from gradcli.core.shapes import size
from gradcli.program import Program
from gradcli.reasons import line_of
from gradcli.results import Note
from gradcli.results.labels import entry_text

__all__ = ["nonfinite_note", "only_found"]

_MOST_BYTES = 1 << 28  # following back keeps every intermediate value
Index = tuple[int, ...]
Numbers = Mapping[Value, NDArray[Any]]


def nonfinite_note(
    program: Program, label: Callable[[Index], str], result: Value, array: NDArray[Any], dtype: str
) -> Note:
    """The note for a result that holds something that is not finite; `label` names an entry of it."""
    bad = np.argwhere(~np.isfinite(array))
    index = tuple(int(k) for k in bad[0])
    head = _head(label(index), array[index], len(bad))
    g = program.graph
    needed = [g.values[i] for i in g.ancestors([result]) if not isinstance(g.values[i], Literal)]
    if sum(size(v.shape) for v in needed) * 8 > _MOST_BYTES:
        return only_found(label(index), array[index], len(bad))
    arrays = compile_graph(g, list(program.inputs.values()), needed, dtype)(*program.point)
    values = dict(zip(needed, arrays, strict=True))
    culprit, at = _follow(program, values, result, index)
    reason, line = _explain(program, values, culprit, at)
    return Note("nonfinite", f"{head}: {reason}", line)


def only_found(what: str, number: Any, count: int) -> Note:
    """The note for a result in which `count` entries are not finite, the first of them called `what`."""
    return Note("nonfinite", f"{_head(what, number, count)}; too large to follow back")


def _head(what: str, number: Any, count: int) -> str:
    more = f" (and {count - 1} more)" if count > 1 else ""
    return f"{what} is {_word(number)}{more}"


def _word(x: Any) -> str:
    return "NaN" if np.isnan(x) else "inf" if x > 0 else "-inf"


def _follow(program: Program, values: Numbers, v: Value, index: Index) -> tuple[Value, Index]:
    """The value furthest back that is not finite at `index` while what it is made of is."""
    while (node := program.graph.definition(v)) is not None:
        for k, a in enumerate(node.args):
            counts = a.kind == "float" and not isinstance(a, Literal) and _counts(node, k, values, index)
            at = _bad_entry(node, a, index, values) if counts else None
            if at is not None:
                v, index = a, at
                break
        else:
            break
    return v, index


def _number(values: Numbers, v: Value) -> NDArray[Any]:
    return np.asarray(v.number) if isinstance(v, Literal) else values[v]


def _counts(node: Apply, k: int, values: Numbers, index: Index) -> bool:
    """Whether operand k reaches the value at this entry: a branch that where does not take is no cause."""
    if node.op.name != "where" or k == 0:
        return True
    condition = np.broadcast_to(_number(values, node.args[0]), np.broadcast_shapes(*[a.shape for a in node.args]))
    return bool(condition[index]) == (k == 1)


def _bad_entry(node: Apply, a: Value, index: Index, values: Numbers) -> Index | None:
    """An entry of operand `a` that is not finite: the one that this entry is made of, where the op is elementwise."""
    array = _number(values, a)
    if isinstance(node.op, Elementwise):
        at = tuple(0 if n == 1 else k for n, k in zip(a.shape, index[len(index) - a.rank :], strict=True))
        return None if np.isfinite(array[at]) else at
    bad = np.argwhere(~np.isfinite(array))
    return tuple(int(k) for k in bad[0]) if len(bad) else None


def _explain(program: Program, values: Numbers, v: Value, index: Index) -> tuple[str, int | None]:
    """What made it, in the user's words, and the line."""
    g = program.graph
    for name, source in program.inputs.items():
        if source is v:
            return f"source {name} holds it", None
    origin = g.places.get(v.index)
    if origin is None:
        return "a constant holds it" if g.definition(v) is None else "it comes from the output gradients", None
    line = line_of(origin)
    where = f", line {line}," if line else ""
    text = " ".join(origin.source().split())[:60]
    derived = v.index >= program.size
    primal = _primal(program, origin) if derived else v
    inputs = "" if primal is None else _operands(program, values, primal, index)
    what = f"the derivative of {text}" if derived else text
    return f"{what}{where} is {_word(_number(values, v)[index])}{inputs}", line


def _primal(program: Program, origin: Any) -> Value | None:
    """The node that the user's text stands for."""
    g = program.graph
    return next((g.values[i] for i in range(program.size - 1, -1, -1) if g.places.get(i) == origin), None)


def _operands(program: Program, values: Numbers, v: Value, index: Index) -> str:
    """` at x[0] = 0`: the operands of an elementwise node at the entry."""
    node = program.graph.definition(v)
    if node is None or not isinstance(node.op, Elementwise):
        return ""
    names = {source: name for name, source in program.inputs.items()}
    shown: dict[str, None] = {}
    for a in node.args:
        if a.kind != "float" or isinstance(a, Literal) or a not in values or len(index) < a.rank:
            continue
        origin = program.graph.places.get(a.index)
        name = names.get(a) or (" ".join(origin.source().split())[:30] if origin is not None else None)
        at = tuple(0 if n == 1 else k for n, k in zip(a.shape, index[len(index) - a.rank :], strict=True))
        if name is not None and all(k < n for k, n in zip(at, a.shape, strict=True)):
            name = name if not at or name.isidentifier() else f"({name})"
            shown[f"{name}{entry_text(at)} = {float(values[a][at]):g}"] = None
    return f" at {', '.join(shown)}" if shown else ""
