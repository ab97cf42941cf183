"""npz: one array per source (`w`, `layer1.w`) or pair (`xentropy/w`). Unconnected ones are left out.

Written by hand rather than by `numpy.savez`, which cannot store an array named `file` and stamps the time of day:
the same result gives the same bytes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from typing import BinaryIO

import numpy as np

from gradcli.results import Array, Comparison, Gradient, Hessian, Jacobian, Result

__all__ = ["arrays", "dump"]

_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def dump(result: Result, stream: BinaryIO) -> None:
    """Writes the arrays of `result` to `stream` for `numpy.load`."""
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays(result).items():
            if array is not None:
                _store(archive, name, np.asarray(array))


def arrays(result: Result) -> dict[str, Array | None]:
    """The arrays by their names in the file; None for those that are left out."""
    if isinstance(result, Gradient):
        return dict(result.gradient)
    if isinstance(result, Jacobian):
        return dict(_pairs(result.jacobian))
    if isinstance(result, Comparison):
        return {**result.gradient, **dict(_pairs(result.jacobian))}
    if isinstance(result, Hessian):
        return dict(_pairs(result.hessian))
    raise TypeError(f"no npz form for {type(result).__name__}")


def _pairs(blocks: Mapping[str, Mapping[str, Array | None]]) -> Iterator[tuple[str, Array | None]]:
    return ((f"{row}/{column}", array) for row, line in blocks.items() for column, array in line.items())


def _store(archive: zipfile.ZipFile, name: str, array: Array) -> None:
    entry = zipfile.ZipInfo(f"{name}.npy", _LONG_AGO)
    with archive.open(entry, "w", force_zip64=True) as member:
        np.lib.format.write_array(member, array, allow_pickle=False)
