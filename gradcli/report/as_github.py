"""GitHub workflow commands: an error annotation for each wrong check and each fault, then a last line.

GitHub shows ten errors of a step and puts them beside the lines of a pull request; the log shows the messages alone,
so each begins with its place. There are no notices: what is inconclusive has passed, and the last line counts it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

from gradcli.errors import Fault, Place
from gradcli.report import ReportOptions
from gradcli.report.checks import ending
from gradcli.report.diagnostics import headline
from gradcli.report.escape import CONTROL
from gradcli.report.findings import difference, faults, sentences, where
from gradcli.report.numbers import clean
from gradcli.results import Check, Checked, CheckedFile

__all__ = ["render"]

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(result: Checked, options: ReportOptions | None = None) -> str:
    """`result` as lines that a runner of GitHub Actions understands."""
    if not isinstance(result, Checked):
        raise TypeError(f"no workflow commands for {type(result).__name__}")
    lines = [line for file in result.files for line in _lines(file, options or ReportOptions())]
    return "".join(f"{line}\n" for line in [*lines, ending(result)])


def _lines(file: CheckedFile, options: ReportOptions) -> Iterator[str]:
    yield from map(_fault, faults(file))
    yield from (_wrong(file, check, options) for check in file.checks if check.verdict == "wrong")


def _fault(fault: Fault) -> str:
    help_ = [f"help: {fault.help}"] if fault.help else []
    return _error(fault.place or Place(), "gradcli cannot check this file", [headline(fault), *help_])


def _wrong(file: CheckedFile, check: Check, options: ReportOptions) -> str:
    said = sentences(check, partial(difference, precision=options.precision))
    first = ": ".join([where(file, check), check.name, *said[:1]])
    return _error(Place(file.file, check.line), f"{check.name} is wrong", [first, *said[1:]])


def _error(place: Place, title: str, message: list[str]) -> str:
    properties = {
        "file": _path(place.file),
        "line": place.line,
        "col": place.column if place.line else None,
        "title": clean(title),
    }
    given = ",".join(f"{key}={str(value).translate(_PROPERTY)}" for key, value in properties.items() if value)
    said = "\n".join(map(clean, message)).translate(_DATA)
    return f"::error {given}::{said}"


def _path(file: str | None) -> str | None:
    """Relative to the repository in a runner of GitHub, also where a step works in a folder of it."""
    if not file or file == "<stdin>":
        return None
    root = os.environ.get("GITHUB_WORKSPACE")
    inside = os.path.relpath(file, root) if root else ".."
    path = file if inside.startswith("..") else inside
    return CONTROL.sub(lambda found: found[0] if found[0] in "\r\n" else ascii(found[0])[1:-1], path)
