"""A NumPy function as plain data: the text that was printed for a graph, and all that it needs to run. No sympy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core import kernels
from gradcli.core.shapes import Shape

__all__ = ["Executable", "namespace"]

Array = NDArray[Any]
Each = Callable[[Any, bool], Any]


@dataclass(frozen=True)
class Executable:
    """Calling it with an array for each input gives an array for each output, computed in `dtype`.

    Attributes:
        text: Python source that defines one function of the inputs and then the data; it knows only names that gradcli
            made (`v0`, `v1`, ...), those of `namespace` and NumPy's.
        inputs: the kind of each input: "float", "bool" or "index".
        data: the arrays that are known already, with their kinds.
        outputs: the shape and the kind of each output.
        each: applied to every number array that is given or computed from such, for an analysis of rounding.
    """

    text: str
    inputs: tuple[str, ...]
    data: tuple[tuple[Array, str], ...]
    outputs: tuple[tuple[Shape, str], ...]
    dtype: str = "float64"
    each: Each | None = None
    compiled: Callable[..., Sequence[Any]] | None = field(default=None, compare=False, repr=False)

    def __call__(self, *arrays: Any) -> list[Array]:
        """NumPy's floating-point warnings are off: what is not finite is reported from the results."""
        dtype = np.dtype(self.dtype)
        with np.errstate(all="ignore"):
            given = [_cast(a, kind, dtype) for a, kind in zip(arrays, self.inputs, strict=True)]
            if self.each is not None:
                given = [
                    self.each(a, False) if kind == "float" else a for a, kind in zip(given, self.inputs, strict=True)
                ]
            made = self._function(*given, *self._data)
            return [
                np.broadcast_to(np.asarray(a, dtype=dtype if kind == "float" else None), shape)
                for a, (shape, kind) in zip(made, self.outputs, strict=True)
            ]

    @cached_property
    def _data(self) -> list[Any]:
        with np.errstate(all="ignore"):
            return [_cast(a, kind, np.dtype(self.dtype)) for a, kind in self.data]

    @cached_property
    def _function(self) -> Callable[..., Sequence[Any]]:
        return self.compiled or _defined(self.text, namespace(self.dtype, self.each))


def _cast(array: Any, kind: str, dtype: np.dtype[Any]) -> Any:
    """The array in the dtype of the run; a scalar as a NumPy scalar, which is faster than a 0-d array."""
    return np.asarray(array, dtype=dtype if kind == "float" else None)[()]


def namespace(dtype: str, each: Each | None = None) -> dict[str, Any]:
    """The names that generated text may use: NumPy's, and gradcli's own."""
    own = {**kernels.NAMES, "F": np.dtype(dtype).type, "each": each}
    return {**vars(np), **vars(np.linalg), "numpy": np, **own}


def _defined(text: str, names: dict[str, Any]) -> Callable[..., Sequence[Any]]:
    made: dict[str, Any] = {}
    exec(compile(text, "<gradcli>", "exec"), names, made)  # noqa: S102 - printed by gradcli, never by a user
    (function,) = made.values()
    return function  # type: ignore[no-any-return]
