"""Graph -> NumPy function: dead nodes dropped, values freed after their last use, printed through sympy's lambdify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.graph import Graph
from gradcli.core.nodes import Literal, Value
from gradcli.core.printing import Wrapped, function

__all__ = ["compile_graph", "numbers"]

Array = NDArray[Any]


def compile_graph(
    g: Graph,
    inputs: Sequence[Value],
    outputs: Sequence[Value],
    dtype: str = "float64",
    *,
    each: Callable[[Any, bool], Any] | None = None,
) -> Callable[..., list[Array]]:
    """A function from arrays for `inputs`, in order, to arrays for `outputs`, computed in `dtype`.

    The generated text knows only names that gradcli made (`v0`, `v1`, ...). NumPy's floating-point warnings are off:
    what is not finite is reported from the results. `each(array, mixes)` is applied to every number array that is given
    or computed from such, for an analysis of rounding; what depends on no input is exact.
    """
    needed = g.ancestors(outputs)
    given = {v.index for v in inputs}
    arguments = [*inputs, *[g.values[i] for i in needed if i in g.data and i not in given]]
    replacements = _assignments(g, needed, arguments, outputs)
    if each is not None:
        replacements = [(v, Wrapped(d) if d is not None and _is_moving(g, v) else d) for v, d in replacements]
    call = function(list(arguments), list(outputs), dtype, lambda expressions: (replacements, expressions), each)
    kinds = np.dtype(dtype)
    with np.errstate(all="ignore"):
        data = [_cast(g.data[v.index], v, kinds) for v in arguments[len(inputs) :]]

    def run(*arrays: Any) -> list[Array]:
        with np.errstate(all="ignore"):
            given = [_cast(a, v, kinds) for a, v in zip(arrays, inputs, strict=True)]
            if each is not None:
                given = [each(a, False) if v.kind == "float" else a for a, v in zip(given, inputs, strict=True)]
            made = call(*given, *data)
            return [
                np.broadcast_to(np.asarray(a, dtype=kinds if v.kind == "float" else None), v.shape)
                for a, v in zip(made, outputs, strict=True)
            ]

    return run


def _is_moving(g: Graph, v: Value) -> bool:
    return v.kind == "float" and g.varying[v.index]


def _cast(array: Any, v: Value, dtype: np.dtype[Any]) -> Any:
    """The array in the dtype of the run; a scalar as a NumPy scalar, which is faster than a 0-d array."""
    return np.asarray(array, dtype=dtype if v.kind == "float" else None)[()]


def _assignments(
    g: Graph, needed: list[int], given: Sequence[Value], outputs: Sequence[Value]
) -> list[tuple[Any, Any]]:
    """(value, definition) pairs, with (value, None), which lambdify prints as `del`, after each last use."""
    last = g.last_uses(needed)
    taken = {v.index for v in given}
    keep = {v.index for v in outputs} | taken
    pairs: list[tuple[Any, Any]] = []
    for i in needed:
        definition = g.definitions[i]
        if definition is None or i in taken:
            continue
        pairs.append((g.values[i], definition))
        for a in dict.fromkeys(definition.args):
            if last[a.index] == i and a.index not in keep and not isinstance(a, Literal):
                pairs.append((a, None))
    return pairs


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
