"""Results to text and files. One module per format, loaded when it is used.

A text format is a module with `render(result, options) -> str`; a file format is a module with
`dump(result, stream)`, which writes bytes. Adding one is a module and a line in `FORMATS` or `SUFFIXES`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.results import Result

__all__ = ["FORMATS", "SUFFIXES", "ReportOptions", "render", "suffix_of", "write"]

FORMATS: Mapping[str, str] = {"table": "as_table", "json": "as_json", "csv": "as_csv"}
SUFFIXES: Mapping[str, str] = {".json": "as_json", ".csv": "as_csv", ".npz": "as_npz"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """How to show a result.

    Attributes:
        precision: significant digits in tables; None for the usual six.
        full: show every row and column, however many there are.
        width: the columns of the terminal.
        color: whether tables may use ANSI colours.
        notes: whether tables end with the notes.
        nest: whether JSON nests dotted names (`layer1.w`) as objects.
    """

    precision: int | None = None
    full: bool = False
    width: int = 80
    color: bool = False
    notes: bool = True
    nest: bool = True


def render(result: Result, format: str, options: ReportOptions | None = None) -> str:
    """`result` as the text of one of `FORMATS`, ending with a newline."""
    text: str = _module(FORMATS[format]).render(result, options or ReportOptions())
    return text


def suffix_of(path: str) -> str | None:
    """The suffix of `path` if `write` knows it."""
    suffix = PurePath(path).suffix.lower()
    return suffix if suffix in SUFFIXES else None


def write(result: Result, path: str) -> None:
    """Writes `result` to `path` in the format of its suffix, whole or not at all.

    Raises:
        OSError: the file cannot be written.
        KeyError: the suffix is none of `SUFFIXES`.
    """
    dump = _module(SUFFIXES[PurePath(path).suffix.lower()]).dump
    target = os.path.realpath(path)  # a symbolic link stays one
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        with open(temporary, "xb") as stream:
            dump(result, stream)
        with suppress(FileNotFoundError):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        _remove(temporary)
        raise


def _module(name: str) -> Any:
    return import_module(f"gradcli.report.{name}")


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.remove(path)
