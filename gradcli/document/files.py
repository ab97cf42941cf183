"""The bytes of a file -> its text: size, encoding and line ends, and a clear fault for all that may be wrong."""

from __future__ import annotations

import difflib
import os
import sys
from pathlib import Path
from typing import BinaryIO

from gradcli.errors import Fault, InputError, Place

__all__ = ["MAX_BYTES", "os_error", "read_text"]

MAX_BYTES = 64 * 2**20
"""How large a text file may be."""

_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def read_text(path: str | os.PathLike[str], name: str, *, place: Place | None = None) -> str:
    """The text of a file, or of standard input for `-`, with `\\n` for line ends and without a byte order mark.

    Raises:
        InputError: of kind file, at `place` (or at the file itself).
    """
    data = _read(path, name, place)
    text = _decode(data, name, place)
    if not text.strip():
        hint = "gradcli init writes an example to start from" if place is None else None
        raise _error(f"{_called(name, place)} is empty", hint, name, place)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read(path: str | os.PathLike[str], name: str, place: Place | None) -> bytes:
    try:
        if path == "-":
            data = _standard_input().read(MAX_BYTES + 1)
        else:
            with open(path, "rb") as stream:
                data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise os_error(error, path, name, place) from None
    if len(data) > MAX_BYTES:
        hint = "put large arrays into .npy files: {file: w.npy}"
        raise _error(f"{_called(name, place)} is larger than {MAX_BYTES // 2**20} MiB", hint, name, place)
    return data


def _standard_input() -> BinaryIO:
    if sys.stdin is None or sys.stdin.closed:
        raise OSError("standard input is closed")
    return sys.stdin.buffer


def os_error(error: Exception, path: str | os.PathLike[str], name: str, place: Place | None) -> InputError:
    """The fault behind an error of the operating system."""
    called = _called(name, place)
    if isinstance(error, FileNotFoundError):
        return _error(f"{called} does not exist", _neighbour(Path(path)), name, place)
    if isinstance(error, IsADirectoryError):
        return _error(f"{called} is a directory", "name a file in it", name, place)
    if isinstance(error, PermissionError):
        return _error(f"{called} may not be read", "check its permissions", name, place)
    reason = getattr(error, "strerror", None) or str(error)
    return _error(f"{called} cannot be read: {reason[:1].lower()}{reason[1:]}", None, name, place)


def _neighbour(path: Path) -> str | None:
    """The file of the same folder that was probably meant."""
    try:
        names = [entry.name for entry in os.scandir(path.parent) if entry.is_file()][:5_000]
    except (OSError, ValueError):
        return f"there is no folder {str(path.parent)!r} either"
    close = difflib.get_close_matches(path.name, names, n=1, cutoff=0.7)
    return f"did you mean {str(path.with_name(close[0]))!r}?" if close else None


def _decode(data: bytes, name: str, place: Place | None) -> str:
    called = _called(name, place)
    if encoding := _MARKS.get(data[:2]):
        raise _error(f"{called} is in {encoding}, not in UTF-8", "save it as UTF-8", name, place)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"0x{data[error.start]:02x} at byte {error.start:,}"
        where = place or Place(name, line)
        raise _error(f"{called} is not UTF-8: {byte}, line {line}", "save it as UTF-8", name, where) from None


def _called(name: str, place: Place | None) -> str:
    """The file in a sentence: the place names the expression file, the sentence any other."""
    return "the file" if place is None else repr(name)


def _error(message: str, hint: str | None, name: str, place: Place | None) -> InputError:
    return InputError(Fault("file", message, hint, place or Place(name)))
