"""The files that are meant by the arguments of a command: files, folders, and patterns that no shell has expanded."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from glob import iglob
from pathlib import PurePath
from typing import NoReturn

from gradcli.errors import Fault, InputError

__all__ = ["find"]

_SUFFIXES = (".yaml", ".yml", ".json")
_MARKED = tuple(f".grad{suffix}" for suffix in _SUFFIXES)
_MOST = 64 * 2**20  # bytes that are looked at, as many as an expression file may have

_WILD = re.compile(r"[*?]|\[.+\]", re.DOTALL)
_YAML_KEY = re.compile(rb"""(?:\A(?:\xef\xbb\xbf)?|[\r\n])(["']?)targets\1[ \t]*:(?=\s|\Z)""")
_JSON_PART = re.compile(rb'"(?P<key>[^"\\]*(?:\\.[^"\\]*)*)"(?P<colon>\s*:)?|[{}\[\]]', re.DOTALL)


def find(given: Iterable[str]) -> list[str]:
    """The files in the order of the arguments, each once; those of a folder or pattern are sorted.

    - A folder stands for the expression files in it at any depth: all named `*.grad.yaml` (or .yml, .json), and those
      of the other .yaml, .yml and .json files that have the key `targets`.
    - A pattern stands for what it matches, as in a shell; `**` is any depth.
    - In both, hidden folders, caches, node_modules and virtual environments are passed over, unless they are named.
    - `-`, and what does not exist, stays as it is.

    Raises:
        InputError: of kind usage, where a folder or pattern stands for no file; of kind file, for an unreadable folder.
    """
    found: dict[tuple[str, ...], str] = {}
    for argument in given:
        for path in _meant(argument):
            found.setdefault(_identity(path), path)
    return list(found.values())


def _meant(argument: str) -> list[str]:
    if os.path.isdir(argument):
        paths, what = _in_folder(argument), f"there are no expression files in {argument!r}"
        help_ = "expression files are named *.grad.yaml, or have the key targets"
    elif _WILD.search(argument) and not os.path.lexists(argument):
        paths, what = _matched(argument), f"no file matches {argument!r}"
        help_ = "in a pattern * stands for any name and **/ for any folders"
    else:
        return [argument]
    return sorted(paths, key=lambda path: PurePath(path).parts) or _nothing(what, help_)


def _nothing(message: str, help_: str) -> NoReturn:
    raise InputError(Fault("usage", message, help_))


def _identity(path: str) -> tuple[str, ...]:
    """Equal for two names of a file, if they also mean the same folder: its data files are looked for in there."""
    return ("-",) if path == "-" else (os.path.realpath(path), os.path.realpath(os.path.dirname(path)))


# -- folders and patterns --------------------------------------------------------------------------------------------


def _in_folder(folder: str) -> Iterator[str]:
    for top, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = [name for name in folders if not _is_passed_over(os.path.join(top, name))]
        paths = (os.path.join(top, name) for name in names if not name.startswith("."))
        yield from (_shown(path, folder) for path in paths if _is_expression_file(path))


def _unreadable(error: OSError) -> NoReturn:
    reason = error.strerror or str(error)
    message = f"the folder {error.filename!r} cannot be read: {reason[:1].lower()}{reason[1:]}"
    raise InputError(Fault("file", message, "check its permissions, or name the files"))


def _shown(path: str, folder: str) -> str:
    """Below the folder as it was given; in the one where we are, the name alone."""
    return path.removeprefix("./") if folder in (".", "./") else path


def _matched(pattern: str) -> Iterator[str]:
    named = set(PurePath(pattern).parts)
    for path in iglob(pattern, recursive=True):
        is_folder = os.path.isdir(path)
        way = [*([PurePath(path)] if is_folder else []), *PurePath(path).parents]
        if not any(_is_passed_over(str(folder)) for folder in way if folder.name and folder.name not in named):
            yield from _in_folder(path) if is_folder else [path]


def _is_passed_over(folder: str) -> bool:
    name = os.path.basename(folder)
    return (
        name.startswith(".")
        or name in ("__pycache__", "node_modules")
        or os.path.isfile(os.path.join(folder, "pyvenv.cfg"))
        or os.path.isdir(os.path.join(folder, "conda-meta"))
    )


# -- expression files ------------------------------------------------------------------------------------------------


def _is_expression_file(path: str) -> bool:
    name = path.lower()
    if name.endswith(_MARKED):
        return os.path.isfile(path) or os.path.islink(path)
    return name.endswith(_SUFFIXES) and os.path.isfile(path) and _has_targets(path)


def _has_targets(path: str) -> bool:
    """Whether a text has the key on its top level. Nothing is parsed, as most of what lies about is not ours."""
    try:
        with open(path, "rb") as stream:
            data = stream.read(_MOST)
    except OSError:
        return True  # nobody can tell, and a check that says so is better than one that passes
    if b"targets" not in data:
        return False
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _is_key_of_json(data)
    return _YAML_KEY.search(data) is not None


def _is_key_of_json(data: bytes) -> bool:
    depth = 0
    for part in _JSON_PART.finditer(data):
        if part["key"] is None:
            depth += 1 if part[0] in b"{[" else -1
        elif depth == 1 and part["colon"] and part["key"] == b"targets":
            return True
    return False
