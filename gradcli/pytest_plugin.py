"""The plugin of pytest: `*.grad.yaml`, `*.grad.yml` and `*.grad.json` are collected as tests, one for each check.

pytest loads this module at every start, so it imports nothing of its own before there is a file to read. A file is
checked once, by the first of its tests that runs; collecting reads it and builds its graph, and computes nothing.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gradcli.errors import Fault
    from gradcli.results import Check, CheckedFile

__all__ = ["GradFile", "GradItem", "pytest_collect_file"]

_SUFFIXES = (".grad.yaml", ".grad.yml", ".grad.json")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> GradFile | None:
    """The hook of pytest."""
    return GradFile.from_parent(parent, path=file_path) if file_path.name.endswith(_SUFFIXES) else None


class GradFile(pytest.File):
    """An expression file."""

    def collect(self) -> Iterator[GradItem]:
        from gradcli.checks.run import planned
        from gradcli.errors import InputError

        try:
            with _own_warnings():
                checks = planned(self.path)
        except InputError as error:
            raise self.CollectError(_text(self._placed(error.faults))) from None
        for name, line in checks:
            yield GradItem.from_parent(self, name=name, line=line)

    @cached_property
    def checked(self) -> CheckedFile:
        """What `gradcli check` finds."""
        from gradcli.checks.run import check

        with _own_warnings():
            (file,) = check(self.path).files
        return replace(file, file=self.shown, faults=tuple(self._placed(file.faults)))

    @property
    def shown(self) -> str:
        """The name of the file, as seen from where pytest was called."""
        return os.path.relpath(self.path, self.config.invocation_params.dir)

    def _placed(self, faults: Sequence[Fault]) -> list[Fault]:
        own = os.fspath(self.path)
        return [
            replace(fault, place=replace(fault.place, file=self.shown))
            if fault.place and fault.place.file == own
            else fault
            for fault in faults
        ]


class GradItem(pytest.Item):
    """One expectation of a file, or one independent method."""

    parent: GradFile

    def __init__(self, *, line: int | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.line = line

    def runtest(self) -> None:
        """Passes what is equal or inconclusive, as `gradcli check` does; -rP shows why something is open."""
        file = self.parent.checked
        if file.faults:
            raise _Wrong(file, None)
        found = {check.name: check for check in file.checks}[self.name]
        if found.verdict == "wrong":
            raise _Wrong(file, found)
        if found.verdict == "inconclusive":
            self.add_report_section("call", "gradcli", f"inconclusive: {found.detail}\n")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, _Wrong):
            return _Report.of(excinfo.value, self.line)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, self.line and self.line - 1, f"{self.parent.name}: {self.name}"


class _Wrong(Exception):  # noqa: N818 - the check is wrong, not the program
    """A check that has not passed; None where the file cannot be checked."""

    def __init__(self, file: CheckedFile, check: Check | None) -> None:
        super().__init__(check)
        self.file, self.check = file, check


@dataclass(frozen=True, slots=True)
class _Crash:
    """What pytest puts behind the name of the test in its summary, and prints alone with --tb=line."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}: {self.message}"


@dataclass(frozen=True, slots=True)
class _Report:
    """What there is to read instead of a traceback; pytest asks for these names."""

    headline: str
    lines: tuple[str, ...]
    reprcrash: _Crash

    @classmethod
    def of(cls, wrong: _Wrong, line: int | None) -> _Report:
        from gradcli.report.findings import called, difference, faults, sentences, unreadable, where

        file, check = wrong.file, wrong.check
        if check is None:
            headline, lines = f"{called(file)}: cannot be checked", tuple(_text(faults(file)).splitlines())
            message = unreadable(file)
        else:
            headline, lines = f"{where(file, check)}: {check.name} is wrong", tuple(sentences(check, difference))
            message = "; ".join(lines)
        return cls(headline, lines, _Crash(called(file), line or 1, message or headline))

    def toterminal(self, tw: Any) -> None:
        tw.line(self.headline, red=True, bold=True)
        for text in self.lines:
            tw.line(f"  {text}")

    def __str__(self) -> str:
        return "\n".join([self.headline, *(f"  {text}" for text in self.lines)])


def _text(faults: Sequence[Fault]) -> str:
    from gradcli.report.diagnostics import render_text

    return render_text(faults)


@contextmanager
def _own_warnings() -> Iterator[None]:
    """A user's `-W error` is about their own code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
