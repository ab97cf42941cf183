"""`gradcli check --update` and `--dry-run`: new numbers for what files expect, written or shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from errno import EACCES
from typing import TYPE_CHECKING, Protocol

from gradcli.cli.failures import with_faults
from gradcli.cli.files import find
from gradcli.cli.present import Shown, usage_error
from gradcli.cli.progress import at_work
from gradcli.cli.streams import Outcome
from gradcli.errors import Fault, InputError, Place

if TYPE_CHECKING:
    from gradcli.checks.update import Update
    from gradcli.results import Check

__all__ = ["Updating", "updated"]

_SHOWN = 12


class Updating(Shown, Protocol):
    """The options of a call that updates."""

    @property
    def dry_run(self) -> bool: ...
    @property
    def fail_fast(self) -> bool: ...
    @property
    def seed(self) -> int: ...
    @property
    def max_memory(self) -> int | None: ...
    @property
    def exit_zero(self) -> bool: ...


def updated(call: Updating, given: Sequence[str]) -> Outcome:
    """All files with new numbers, or with --dry-run the difference that they would make.

    All are computed before the first is written. Status 2 if one cannot be updated, which keeps none of the others
    from it; 1 if something stays wrong that numbers cannot mend, and with --dry-run if there is a difference.

    Raises:
        InputError: of kind usage.
    """
    _refuse(call, given)
    files = find(given)
    made: list[Update] = []
    faults: list[Fault] = []
    with at_work(files, quiet=call.quiet):
        from gradcli.checks.update import update

        for file in files:
            try:
                made.append(update(file, seed=call.seed, max_memory=call.max_memory))
            except InputError as error:
                faults += _placed(error, file)
    messages: list[str] = []
    for each in made:
        try:
            messages += _done(each, dry_run=call.dry_run)
        except InputError as error:
            faults += error.faults
    text = "".join(each.diff(_safe(each.file)) for each in made) if call.dry_run else ""
    wrong = any(each.left or (call.dry_run and each.written) for each in made)
    status = 1 if wrong and not call.exit_zero else 0
    outcome = Outcome(text=text, messages=[] if call.quiet else messages, status=status, utf8=True)
    return with_faults(outcome, faults, 2, in_json=False) if faults else outcome


def _refuse(call: Updating, given: Sequence[str]) -> None:
    option = "--dry-run" if call.dry_run else "--update"
    others = {
        "--json": call.json,
        "--format": call.format,
        "--output": call.output,
        "--precision": call.precision,
        "--fail-fast": call.fail_fast,
    }
    if used := [name for name, value in others.items() if value]:
        raise usage_error(f"{used[0]} does not go with {option}, which checks nothing", "leave one of them out")
    if "-" in given:
        raise usage_error("standard input (-) cannot be updated", "name a file")


def _placed(error: InputError, file: str) -> list[Fault]:
    """The faults, each with its file."""
    places = [fault.place or Place() for fault in error.faults]
    named = [place if place.file else replace(place, file=file) for place in places]
    return [replace(fault, place=place) for fault, place in zip(error.faults, named, strict=True)]


def _done(update: Update, *, dry_run: bool) -> list[str]:
    """Writes the file, unless that is not wanted; what there is to say about it."""
    file = _safe(update.file)
    said = [f"{file} is up to date"] if not (update.written or update.left) else []
    if update.written:
        if not dry_run:
            _write(update)
        more = f" and {len(update.written) - _SHOWN} more" if len(update.written) > _SHOWN else ""
        names = f"{', '.join(update.written[:_SHOWN])}{more}"
        said.append(f"{'would update' if dry_run else 'updated'} {file}: {names}")
    return said + [f"{file}: {_left(check)}" for check in update.left]


def _write(update: Update) -> None:
    from gradcli.report import write_whole

    try:
        if not os.access(update.file, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
        write_whole(update.file, lambda stream: stream.write(update.new.encode()))
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise InputError(Fault("output", reason, "nothing of it has changed", Place(update.file))) from error


def _left(check: Check) -> str:
    from gradcli.report import findings

    what = "the expected error" if check.name == "error" else f"formula of {check.name}"
    line = f" at line {check.line}" if check.line else ""
    return _safe(f"{what}{line} is wrong and was left: {'; '.join(findings.sentences(check, findings.difference))}")


def _safe(text: str) -> str:
    from gradcli.report.escape import CONTROL

    return CONTROL.sub(lambda found: repr(found[0])[1:-1], text)
