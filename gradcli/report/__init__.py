"""Results to text and files. One module per format, loaded when it is used.

A format that can be printed is a module `as_<name>` with `render(result, options) -> str`; one that can be a file has
`dump(result, stream)`, which writes bytes. Adding one is a module and a line in `FORMATS`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple

if TYPE_CHECKING:
    from gradcli.results import Changes, Checked, Result

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "Format",
    "Kind",
    "ReportOptions",
    "formats",
    "render",
    "suffix_of",
    "write",
    "write_whole",
]

Kind = Literal["derivatives", "checks", "changes"]
"""The kinds of result: `Result` with all that inherits from it, `Checked`, and `Changes`."""


class Format(NamedTuple):
    """A way to show results.

    Attributes:
        name: what --format calls it.
        shows: the kinds of result that it is for.
        suffix: of the files in this format; None where there are none.
        printed: whether it is text, which standard output can have.
        notes: whether it has a place for the notes of a result.
    """

    name: str
    shows: tuple[Kind, ...]
    suffix: str | None = None
    printed: bool = True
    notes: bool = True


FORMATS: Mapping[str, Format] = {
    made.name: made
    for made in (
        Format("table", ("derivatives", "checks", "changes")),
        Format("json", ("derivatives", "checks", "changes"), ".json"),
        Format("csv", ("derivatives",), ".csv", notes=False),
        Format("npz", ("derivatives",), ".npz", printed=False, notes=False),
        Format("npy", ("derivatives",), ".npy", printed=False, notes=False),
        Format("junit", ("checks",), ".xml"),
        Format("github", ("checks",)),
    )
}
SUFFIXES: Mapping[str, Format] = {made.suffix: made for made in FORMATS.values() if made.suffix}


class ReportOptions(NamedTuple):
    """How to show a result.

    Attributes:
        precision: significant digits where a person reads; None for the usual six.
        full: show every row and column, however many there are.
        width: the columns of the terminal.
        color: whether tables may use ANSI colours.
        notes: whether tables end with the notes.
        passed: whether tables of checks show the files that have passed.
        nest: whether JSON nests dotted names (`layer1.w`) as objects.
    """

    precision: int | None = None
    full: bool = False
    width: int = 80
    color: bool = False
    notes: bool = True
    passed: bool = True
    nest: bool = True


def formats(kind: Kind) -> list[Format]:
    """The formats for results of a kind."""
    return [made for made in FORMATS.values() if kind in made.shows]


def render(result: Result | Checked | Changes, format: str, options: ReportOptions | None = None) -> str:
    """`result` as the text of one of `FORMATS`, ending with a newline."""
    text: str = _module(FORMATS[format]).render(result, options or ReportOptions())
    return text


def suffix_of(path: str) -> str | None:
    """The suffix of `path` if `write` knows it."""
    suffix = PurePath(path).suffix.lower()
    return suffix if suffix in SUFFIXES else None


def write(result: Result | Checked | Changes, path: str) -> None:
    """Writes `result` to `path` in the format of its suffix, whole or not at all.

    Raises:
        OSError: the file cannot be written.
        KeyError: the suffix is none of `SUFFIXES`.
    """
    dump = _module(SUFFIXES[PurePath(path).suffix.lower()]).dump
    write_whole(path, lambda stream: dump(result, stream))


def write_whole(path: str, fill: Callable[[BinaryIO], object]) -> None:
    """Writes a file with what `fill` puts into a stream, whole or not at all; its permissions stay.

    Raises:
        OSError: the file cannot be written.
    """
    target = os.path.realpath(path)  # a symbolic link stays one
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        with open(temporary, "xb") as stream:
            fill(stream)
        with suppress(FileNotFoundError):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        _remove(temporary)
        raise


def _module(chosen: Format) -> Any:
    return import_module(f"gradcli.report.as_{chosen.name}")


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.remove(path)
