"""A sign of life on the terminal for work that takes longer than a second."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass

from gradcli.cli.streams import is_terminal

__all__ = ["DELAY", "Work", "at_work", "progress"]

DELAY = 1.0
"""The seconds of work before anything is shown."""
_PAUSE = 0.1


@dataclass(slots=True)
class Work:
    """How far it is: `done` of `total`, or nobody knows (None)."""

    total: int | None = None
    done: int = 0


def at_work(files: Sequence[str], *, quiet: bool) -> AbstractContextManager[Work]:
    """Around reading files and computing: `progress`, unless `-` is to be typed at a terminal, which is told so."""
    typed = "-" in files and is_terminal(sys.stdin)
    if typed:
        print("gradcli: reading an expression file from the terminal; end it with Ctrl-D", file=sys.stderr, flush=True)
    return progress(not (quiet or typed))


@contextmanager
def progress(wanted: bool = True) -> Iterator[Work]:
    """A bar with the elapsed time on standard error while the block runs; only where a person can see it. The block may
    say how far it is."""
    work = Work()
    if not (wanted and is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"):
        yield work
        return
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(work, done, DELAY), daemon=True)
    thread.start()
    try:
        yield work
    finally:
        done.set()
        thread.join()


def _show(work: Work, done: threading.Event, delay: float) -> None:
    if not done.wait(delay):
        with suppress(Exception):  # a terminal that has gone is no reason to end the work
            _draw(work, done, delay)


def _draw(work: Work, done: threading.Event, began: float) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    texts = TextColumn("gradcli is working"), TextColumn("{task.fields[share]}")
    columns = texts[0], BarColumn(bar_width=20), texts[1], TimeElapsedColumn()
    # The streams stay as they are: what the command writes must not pass through rich.
    bar = Progress(
        *columns, console=Console(file=sys.stderr), transient=True, redirect_stdout=False, redirect_stderr=False
    )
    with bar:
        task = bar.add_task("", total=None, share="")
        bar.tasks[0].start_time = bar.get_time() - began
        while not done.wait(_PAUSE):
            share = f"{100 * work.done // work.total}%" if work.total else ""
            bar.update(task, total=work.total, completed=work.done, share=share)
