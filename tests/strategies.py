"""Strategies: shapes that broadcast, axes, slices and indices, and whole expressions of smooth functions.

Expressions come with a point in the domain of all of their parts: every function in them is smooth on the whole range
that its operand can have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from gradcli.core.shapes import Shape

__all__ = ["Drawn", "axes", "expressions", "index_text", "points", "shapes", "shapes_that_broadcast", "slices"]

Array = NDArray[Any]
SIZES = st.integers(1, 3)


def shapes(min_rank: int = 0, max_rank: int = 3) -> st.SearchStrategy[Shape]:
    return st.lists(SIZES, min_size=min_rank, max_size=max_rank).map(tuple)


@st.composite
def shapes_that_broadcast(draw: st.DrawFn, count: int = 2, min_rank: int = 0) -> list[Shape]:
    """Shapes that fit together: each is a whole shape with leading axes left out and some axes of size 1."""
    whole = draw(shapes(min_rank))
    found = []
    for _ in range(count):
        start = draw(st.integers(0, len(whole)))
        found.append(tuple(draw(st.sampled_from([1, n])) for n in whole[start:]))
    return found


def points(shape: Shape, low: float = 0.5, high: float = 1.5) -> st.SearchStrategy[Array]:
    """Entries in [low, high], spread by a seed, no two of them near each other."""

    def make(seed: int) -> Array:
        rng = np.random.default_rng(seed)
        n = int(np.prod(shape))
        cells = rng.permutation(n) + rng.uniform(0.2, 0.8, n)
        return (low + (high - low) * cells / max(n, 1)).reshape(shape)

    return st.integers(0, 2**32 - 1).map(make)


@st.composite
def axes(draw: st.DrawFn, rank: int) -> int | tuple[int, ...] | None:
    """None, one axis counted from either end, or a tuple of different axes."""
    if rank == 0:
        return None
    one = st.integers(-rank, rank - 1)
    several = st.lists(one, min_size=1, max_size=rank, unique_by=lambda k: k % rank).map(tuple)
    return draw(st.one_of(st.none(), one, several))


@st.composite
def slices(draw: st.DrawFn, size: int) -> str:
    """A slice of an axis, with bounds beyond the ends, negative ones, and steps in both directions."""
    bound = st.one_of(st.just(""), st.integers(-size - 1, size + 1).map(str))
    step = draw(st.sampled_from(["", "1", "2", "-1", "-2", "3"]))
    return f"{draw(bound)}:{draw(bound)}" + (f":{step}" if step else "")


@st.composite
def index_text(draw: st.DrawFn, shape: Shape) -> str:
    """What stands in brackets: integers, slices, `...`, None and lists of integers, at most one list."""
    kinds = draw(st.permutations(["list"] + ["int", "slice", "slice", "whole"] * 2))
    items: list[str] = []
    for n, kind in zip(shape, kinds, strict=False):
        if draw(st.integers(0, 7)) == 0:
            items.append("None")
        if kind == "int":
            items.append(str(draw(st.integers(-n, n - 1))))
        elif kind == "slice":
            items.append(draw(slices(n)))
        elif kind == "list":
            items.append(str(draw(st.lists(st.integers(-n, n - 1), min_size=1, max_size=4))))
        else:
            items.append(":")
    if draw(st.booleans()):
        items = [*items[: draw(st.integers(0, len(items)))], "..."]
    return ", ".join(items)


# -- expressions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """An expression, and the shapes of the names in it."""

    text: str
    names: dict[str, Shape]


# Smooth everywhere, and of moderate size for operands of moderate size.
_SMOOTH = ["sin", "cos", "tanh", "arctan", "sigmoid", "softplus", "log_sigmoid", "arcsinh", "erf", "gelu", "silu"]
_SMOOTH += ["sinc"]
# Positive and smooth everywhere: what may be divided by, and what log, sqrt and powers may be taken of.
_POSITIVE = ["(1 + ({0}) ** 2)", "exp(sin({0}))", "(2 + cos({0}))", "softplus({0})", "cosh(tanh({0}))"]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> Drawn:
    """A random tree over up to three named arrays whose shapes broadcast."""
    found = dict(zip("xyz", draw(shapes_that_broadcast(3, 1)), strict=True))
    return Drawn(_tree(draw, found, depth)[0], found)


def _tree(draw: st.DrawFn, names: dict[str, Shape], depth: int) -> tuple[str, Shape]:
    """An expression and its shape."""
    kinds = ["unary", "binary", "positive", "reduce", "structure", "kink"]
    kind = draw(st.sampled_from(kinds)) if depth else "name"
    if kind == "name":
        name = draw(st.sampled_from(sorted(names)))
        return name, names[name]
    text, shape = _tree(draw, names, depth - 1)
    if kind == "unary":
        return f"{draw(st.sampled_from(_SMOOTH))}({text})", shape
    if kind == "positive":
        inside = draw(st.sampled_from(_POSITIVE)).format(text)
        outside = draw(st.sampled_from(["log({0})", "sqrt({0})", "1 / {0}", "{0} ** 1.5", "rsqrt({0})", "{0} ** -2"]))
        return outside.format(inside), shape
    if kind == "kink":
        return f"where(({text}) > 0.37, ({text}) ** 2, 0.37 * ({text}))", shape
    if kind == "reduce":
        return _reduced(draw, text, shape)
    if kind == "structure":
        return _moved(draw, text, shape)
    other, theirs = _tree(draw, names, depth - 1)
    try:
        made = np.broadcast_shapes(shape, theirs)
    except ValueError:
        return f"sin({text})", shape
    form = draw(st.sampled_from(["({0}) + ({1})", "({0}) - ({1})", "({0}) * ({1})", "({0}) / (2 + cos({1}))"]))
    return form.format(text, other), made


def _reduced(draw: st.DrawFn, text: str, shape: Shape) -> tuple[str, Shape]:
    name = draw(st.sampled_from(["sum", "mean", "logsumexp", "prod", "var"]))
    axis, keep = draw(axes(len(shape))), draw(st.booleans())
    with np.errstate(all="ignore"):
        made = np.sum(np.zeros(shape), axis=axis, keepdims=keep).shape
    return f"{name}(tanh({text}), axis={axis}, keepdims={keep})", made


def _moved(draw: st.DrawFn, text: str, shape: Shape) -> tuple[str, Shape]:
    """A function that moves entries, or works along an axis."""
    if not shape:
        return f"({text})[None]", (1,)
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    forms = ["cumsum({0}, axis={1})", "softmax({0}, axis={1})", "flip({0}, axis={1})", "roll({0}, 1, axis={1})"]
    forms += ["log_softmax({0}, axis={1})", "cumprod(cos({0}), axis={1})"]
    kind = draw(st.sampled_from([*forms, "T", "join", "index"]))
    if kind == "T":
        return f"({text}).T", shape[::-1]
    if kind == "join":
        made = list(shape)
        made[axis] *= 2
        return f"concatenate([{text}, sin({text})], axis={axis})", tuple(made)
    if kind == "index":
        index = draw(index_text(shape))
        made_shape = np.zeros(shape)[_evaluated(index)].shape
        return (f"({text})[{index}]", made_shape) if 0 not in made_shape else (text, shape)
    return kind.format(text, axis), shape


def _evaluated(index: str) -> Any:
    """The index as Python has it; the text comes from `index_text`."""
    return eval(f"np.s_[{index}]", {"np": np})  # noqa: S307
