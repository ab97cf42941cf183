"""Graph -> NumPy function: dead nodes dropped, values freed after their last use, printed through sympy's lambdify."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from functools import partial as bind
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.executable import Executable, namespace
from gradcli.core.graph import Graph
from gradcli.core.nodes import Literal, Value
from gradcli.core.printing import function
from gradcli.core.schedule import scheduled
from gradcli.core.statements import Step, statements

__all__ = ["compile_graph", "numbers"]

Array = NDArray[Any]
Each = Callable[[Any, bool], Any]


def compile_graph(
    g: Graph,
    inputs: Sequence[Value],
    outputs: Sequence[Value],
    dtype: str = "float64",
    *,
    each: Each | None = None,
) -> Executable:
    """A function from arrays for `inputs`, in order, to arrays for `outputs`, computed in `dtype`.

    `each(array, mixes)` is applied to every number array that is given or computed from such, for an analysis of
    rounding; what depends on no input is exact.
    """
    needed = scheduled(g, g.ancestors(outputs, inputs), inputs)
    given = {v.index for v in inputs}
    constants = [g.values[i] for i in needed if i in g.data and i not in given]
    arguments = [*inputs, *constants]
    steps = _steps(g, needed, arguments, outputs)
    replacements = statements(steps, outputs, bind(_is_moving, g) if each is not None else None)
    call = function(arguments, list(outputs), namespace(dtype, each), lambda expressions: (replacements, expressions))
    return Executable(
        text="".join(linecache.getlines(call.__code__.co_filename)),
        inputs=tuple(v.kind for v in inputs),
        data=tuple((g.data[v.index], v.kind) for v in constants),
        outputs=tuple((v.shape, v.kind) for v in outputs),
        dtype=dtype,
        each=each,
        compiled=call,
    )


def _is_moving(g: Graph, v: Value) -> bool:
    return v.kind == "float" and g.varying[v.index]


def _steps(g: Graph, needed: Sequence[int], given: Sequence[Value], outputs: Sequence[Value]) -> list[Step]:
    """The assignments, each with the values that it uses last."""
    last = g.last_uses(needed)
    taken = {v.index for v in given}
    keep = {v.index for v in outputs} | taken
    steps: list[Step] = []
    for i in needed:
        definition = g.definitions[i]
        if definition is None or i in taken:
            continue
        dead = [a for a in definition.args if last[a.index] == i and a.index not in keep and type(a) is Value]
        steps.append((g.values[i], definition, list({a.index: a for a in dead}.values()) if len(dead) > 1 else dead))
    return steps


def numbers(g: Graph, value: Value) -> Array:
    """The numbers of a value that depends on no input, known while the graph is built (float64)."""
    if isinstance(value, Literal):
        return np.asarray(value.number)
    if value.index in g.data:
        return g.data[value.index]
    found = g.known.get(value.index)
    if found is None:
        assert not g.varying[value.index], f"{value.name} depends on an input"
        given = [g.values[i] for i in g.ancestors([value]) if i in g.known]
        (found,) = compile_graph(g, given, [value])(*[g.known[v.index] for v in given])
        g.known[value.index] = found
    return found
