"""What a table says beyond numbers: where rows cancel, which entry differs most, why there is no gradient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gradcli.report.numbers import clean, entry_labels
from gradcli.results import Array, Comparison, Note, Result

__all__ = ["Worst", "cancelling", "none_text", "reasons", "worst"]

_TINY = 1e-9


def reasons(result: Result) -> dict[str, Note]:
    """The notes that say why a source is unconnected, by source."""
    about = [note for note in result.notes if note.kind == "unconnected"]
    return {name: note for name in result.sources for note in about if note.message.startswith(_beginning(name))}


def none_text(result: Result, source: str) -> str:
    """`none (unconnected: not used)`, with the reason if a note has it."""
    note = reasons(result).get(source)
    reason = f": {clean(note.message.removeprefix(_beginning(source)))}" if note else ""
    return f"none (unconnected{reason})"


def _beginning(source: str) -> str:
    return f"{source} is unconnected: "


def cancelling(result: Comparison) -> dict[str, NDArray[np.bool_]]:
    """Per source, in its shape: whether |sum of the rows| is tiny against the sum of |rows|, which is not 0."""
    return {source: _cancelling(result, source) for source in result.sources}


def _cancelling(result: Comparison, source: str) -> NDArray[np.bool_]:
    total = result.row_sum[source]
    shape = np.shape(result.sources[source])
    if total is None:
        return np.zeros(shape, bool)
    with np.errstate(all="ignore"):
        size = sum((_row_sizes(result, target, source) for target in result.targets), np.zeros(shape))
        mask: NDArray[np.bool_] = np.asarray((size > 0) & (np.abs(total) <= _TINY * size) & np.isfinite(size))
    return mask


def _row_sizes(result: Comparison, target: str, source: str) -> Array:
    """The sum of |weight * row| over the outputs of `target`; a weight of 0 absorbs infinities."""
    rows = result.jacobian[target][source]
    shape = np.shape(result.sources[source])
    if rows is None:
        return np.zeros(shape)
    value = np.asarray(result.targets[target])
    weight = np.abs(np.broadcast_to(result.weights.get(target, np.float64(1)), value.shape)).ravel()
    matrix = np.abs(rows).reshape(value.size, result.sources[source].size)
    sizes: Array = (weight[weight > 0] @ matrix[weight > 0]).reshape(shape)
    return sizes


class Worst(NamedTuple):
    """The entry of a source where the sum of rows is farthest from the gradient."""

    label: str
    row_sum: float | np.floating | None
    gradient: float | np.floating | None


def worst(result: Comparison) -> Worst:
    """The entry with the largest difference between sum of rows and gradient."""
    found = [(_difference(result, source), source) for source in result.sources]
    (_, index), source = max(found, key=lambda item: item[0][0])
    label = [*entry_labels(source, np.shape(result.sources[source]), index + 1), source][index]
    return Worst(clean(label), _entry(result.row_sum[source], index), _entry(result.gradient[source], index))


def _difference(result: Comparison, source: str) -> tuple[float, int]:
    """The largest difference and where it is; a NaN is the largest only where the result says so."""
    left, right = result.row_sum[source], result.gradient[source]
    if left is None or right is None:
        return (0.0 if left is right else np.inf), 0
    with np.errstate(all="ignore"):
        apart = np.where(_same(left, right), 0.0, np.abs(np.subtract(left, right))).ravel()
    apart[np.isnan(apart)] = np.inf if np.isnan(result.max_abs_difference) else 0.0
    return (float(apart.max()), int(apart.argmax())) if apart.size else (0.0, 0)


def _same(left: Array, right: Array) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (left == right) | (np.isnan(left) & np.isnan(right))
    return same


def _entry(array: Array | None, index: int) -> np.floating | None:
    return None if array is None else np.asarray(array).flat[index]
