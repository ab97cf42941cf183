"""The files that values may be in: .npy, .npz, .csv and .json. Headers are checked before the data is read."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from gradcli.document.csv_reader import read_csv
from gradcli.document.files import os_error, read_text
from gradcli.document.json_reader import read_json
from gradcli.document.tree import File, Node, show
from gradcli.document.values import FloatArray, Values
from gradcli.errors import InputError
from gradcli.language.names import did_you_mean

__all__ = ["DataFile"]

_TYPES = {"O": "Python objects", "U": "texts", "S": "texts", "V": "records", "M": "dates", "m": "times"}


@dataclass(frozen=True)
class DataFile:
    """A file that holds the value of `owner`.

    Attributes:
        name: the file's name as it was given; relative to the folder of `values`.
        node, key_node: where the name and the key stand, for faults.
        key: the array in a .npz file; None takes the only one.
    """

    values: Values
    owner: str
    name: str
    node: Node
    key: str | None = None
    key_node: Node | None = None

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.values.folder / self.name

    def read(self) -> FloatArray:
        """The array.

        Raises:
            InputError: there is no such file, it is not what its name says, or it is too large.
        """
        readers = {".npy": self._npy_file, ".npz": self._npz, ".csv": self._csv, ".json": self._json}
        reader = readers.get(self.path.suffix.lower())
        if reader is None:
            known = "known are .npy, .npz, .csv and .json"
            raise self._error(f"{self.owner}: the file {self.name!r} is of an unknown kind", known)
        if self.key_node is not None and reader != self._npz:
            raise InputError(self.key_node.fault("value", f"{self.owner}: 'key' is for .npz files", "remove it"))
        try:
            return reader()
        except OSError as error:
            raise os_error(error, self.path, self.name, self.node.place) from None

    def _error(self, message: str, hint: str | None = None) -> InputError:
        return InputError(self.node.fault("file", message, hint))

    def _csv(self) -> FloatArray:
        return read_csv(self.values, self._text(), self.owner, self.node)

    def _json(self) -> FloatArray:
        root, faults = read_json(self._text())
        if faults:
            raise InputError(*faults)
        return self.values.array(root, self.owner, "value")

    def _text(self) -> File:
        return File(self.name, read_text(self.path, self.name, place=self.node.place))

    def _npy_file(self) -> FloatArray:
        return self._npy(lambda: self.path.open("rb"), self.name)

    def _npz(self) -> FloatArray:
        import zipfile

        try:
            with zipfile.ZipFile(self.path) as archive:
                member = self._member([name for name in archive.namelist() if name.endswith(".npy")])
                return self._npy(lambda: archive.open(member), f"{self.name}: {member.removesuffix('.npy')}")
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise self._error(f"{self.name!r} is not a .npz file that can be read", str(error)) from None

    def _member(self, members: list[str]) -> str:
        """The name in the archive of the array that is asked for."""
        keys = [member.removesuffix(".npy") for member in members]
        key = keys[0] if self.key is None and len(keys) == 1 else self.key
        if key in keys:
            return f"{key}.npy"
        has = f"it has {', '.join(keys[:10]) or 'no arrays'}"
        if key is None:
            raise self._error(
                f"{self.owner}: {self.name!r} needs a key", f"{has}; write {{file: {self.name}, key: ...}}"
            )
        guess = did_you_mean(key, keys)
        fault = (self.key_node or self.node).fault(
            "file",
            f"{self.owner}: {self.name!r} has no array {show(key)}",
            f"did you mean {guess!r}?" if guess else has,
        )
        raise InputError(fault)

    def _npy(self, open_stream: Callable[[], IO[bytes]], name: str) -> FloatArray:
        """An array in NumPy's format: first its header alone; when type and size are right, its data."""
        try:
            with open_stream() as stream:
                shape, dtype = _header(stream)
            if dtype.kind not in "fiubc":
                raise self._error(f"{self.owner}: {name!r} holds {_TYPES.get(dtype.kind, str(dtype))}, not numbers")
            self.values.count(self.node, self.owner, math.prod(shape))
            with open_stream() as stream:
                array = npy.read_array(stream, allow_pickle=False)
            return self.values.convert(self.node, self.owner, array, copy=False)
        except (ValueError, EOFError, zlib.error, MemoryError) as error:
            reason = str(error).splitlines()[0] if str(error) else "it is cut short"
            raise self._error(f"{name!r} is not a .npy file that can be read", reason) from None


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"it has version {version[0]}.{version[1]} of the format; 1.0 and 2.0 are for numbers")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(stream)
    return shape, dtype
