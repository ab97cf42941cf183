"""The page of check: a heading per file with its rows, and a last line that says how it ended.

With more than a few files those in which everything is equal take a line each and come first, so that what is wrong
stands whole above the last line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from gradcli.report import ReportOptions
from gradcli.report.check_rows import CheckRows
from gradcli.report.findings import called, count, unreadable
from gradcli.report.layout import Line, Span, cells, hang, pad, wrap
from gradcli.report.numbers import clean
from gradcli.results import Checked, CheckedFile

__all__ = ["checks", "ending"]

_FEW = 3  # files that are all shown whole
_GAP = "   "


def checks(result: Checked, options: ReportOptions) -> Iterator[Line]:
    """The files that are to be shown, with a blank line between them, and the last line."""
    for i, block in enumerate(block for block in map(list, _blocks(result, options)) if block):
        yield from [()] if i else []
        yield from block


def ending(result: Checked) -> str:
    """The last line, for where there is no page."""
    return "".join(span.text for line in _last(result, sys.maxsize) for span in line)


def _blocks(result: Checked, options: ReportOptions) -> Iterator[Iterable[Line]]:
    few = len(result.files) <= _FEW
    shown = [file for file in result.files if options.passed or not file.passed]
    whole = [file for file in shown if few or not _is_plain(file)]
    rows = CheckRows.of([check for file in whole for check in file.checks], options)
    yield _headings([file for file in shown if not few and _is_plain(file)], options.width)
    for file in whole:
        if _is_single(result):
            yield _head(file, options.width)
            yield rows.lines(file.checks)
        else:
            yield [*_headings([file], options.width), *_title(file, options.width), *rows.lines(file.checks)]
    yield _last(result, options.width)


def _is_single(result: Checked) -> bool:
    return len(result.files) + result.not_checked == 1


def _is_plain(file: CheckedFile) -> bool:
    """Whether there is nothing to say but that it passed."""
    return file.passed and all(check.verdict == "equal" for check in file.checks)


def _head(file: CheckedFile, width: int) -> Iterator[Line]:
    yield Span("check", "bold"), Span(f"  {called(file)}")
    yield from _title(file, width)


def _title(file: CheckedFile, width: int) -> Iterator[Line]:
    if file.title:
        yield from wrap(clean(file.title), width)


def _headings(files: Sequence[CheckedFile], width: int) -> Iterator[Line]:
    """`passed   loss.yaml   9 checks`, one a line."""
    names = min(max((cells(called(file)) for file in files), default=0), width // 2)
    for file in files:
        lead = _status(file), Span(_GAP), Span(pad(called(file), names), "bold"), Span(_GAP)
        yield from hang(lead, [_found(file)], width)


def _status(file: CheckedFile) -> Span:
    return Span("passed", "green") if file.passed else Span("failed", "bold red")


def _found(file: CheckedFile) -> str:
    """`9 checks`, `1 of 8 checks is wrong, 2 are inconclusive`, or why nothing was checked."""
    if file.faults:
        return f"cannot be checked: {unreadable(file)}"
    verdicts = [check.verdict for check in file.checks]
    parts = [(n, verdict) for verdict in ("wrong", "inconclusive") if (n := verdicts.count(verdict))]
    texts = [f"{n} {'is' if n == 1 else 'are'} {verdict}" for n, verdict in parts]
    every = count(len(verdicts), "check")
    return ", ".join(texts).replace(" ", f" of {every} ", 1) if texts else every


def _last(result: Checked, width: int) -> Iterator[Line]:
    """`failed: 1 of 8 checks is wrong`; for several files `3 files: 2 passed, 1 failed (loss.yaml)`."""
    files = result.files
    if _is_single(result):
        return hang((_status(files[0]), Span(": ")), [_found(files[0])], width)
    passed = [file for file in files if file.passed]
    unsure = sum(not _is_plain(file) for file in passed)
    unread = [file for file in files if file.faults]
    failed = [file for file in files if not (file.passed or file.faults)]
    parts = [f"{len(passed)} passed" + (f" ({unsure} with inconclusive checks)" if unsure else "")] if passed else []
    parts += [f"{len(failed)} failed ({_names(failed)})"] if failed else []
    parts += [f"{len(unread)} cannot be checked ({_names(unread)})"] if unread else []
    parts += [f"{result.not_checked} not checked"] if result.not_checked else []
    style = "bold red" if failed or unread else "green"
    every = count(len(files) + result.not_checked, "file")
    return hang((Span(every, style), Span(": " if parts else "")), [", ".join(parts)], width)


def _names(files: Iterable[CheckedFile]) -> str:
    return ", ".join(called(file).replace(" ", "\xa0") for file in files)
