"""npy: the one array of a result that has one, as `numpy.save` writes it (in C order).

Its entries are written a piece at a time: rows that are computed while they are read are never held together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import BinaryIO, NoReturn

import numpy as np

from gradcli.errors import Fault, InputError
from gradcli.report.as_npz import arrays
from gradcli.results import Array, Comparison, Result, Rows

__all__ = ["dump"]

_PIECE = 1 << 16  # entries


def dump(result: Result | Rows, stream: BinaryIO) -> None:
    """Writes the array of `result` to `stream` for `numpy.load`.

    Raises:
        InputError: of kind output, where there are several arrays, or none because the source is unconnected.
    """
    if isinstance(result, Rows):
        _dump_rows(result, stream)
        return
    found = arrays(result)
    name = _only(list(found), result)
    array = found[name]
    if array is None:
        _refuse_none(name)
    _put_header(stream, array.shape, array.dtype)
    _put(stream, array)


def _dump_rows(result: Rows, stream: BinaryIO) -> None:
    _only([f"{target}/{source}" for target in result.targets for source in result.sources], result)
    ((target, value),) = result.targets.items()
    ((source, point),) = result.sources.items()
    _put_header(stream, value.shape + point.shape, np.dtype(result.dtype))
    for part in result.parts(target):
        array = part.blocks[source]
        if array is None:
            _refuse_none(f"{target}/{source}")
        _put(stream, array)
        del part, array  # before the next is computed


def _only(names: Sequence[str], result: Result) -> str:
    if len(names) == 1:
        return names[0]
    shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    several = "write .npz" if isinstance(result, Comparison) else "choose one with -t and -s, or write .npz or .csv"
    raise InputError(Fault("output", f"a .npy file holds one array, and there are {len(names)}: {shown}", several))


def _refuse_none(name: str) -> NoReturn:
    message = f"there is no array to write: {name} is unconnected"
    raise InputError(Fault("output", message, "--unconnected zero writes zeros"))


def _put_header(stream: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[np.floating]) -> None:
    descr = np.lib.format.dtype_to_descr(dtype)
    facts = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, facts)


def _put(stream: BinaryIO, array: Array) -> None:
    flags: Iterable[str] = ("external_loop", "buffered", "zerosize_ok")
    for piece in np.nditer(array, flags=flags, buffersize=_PIECE, order="C"):  # type: ignore[call-overload]
        stream.write(piece.tobytes())
