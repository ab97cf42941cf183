"""Ctrl-C as an exception that ends the process with the status that `main` returns."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

__all__ = ["interruptible"]


class _Interrupted(KeyboardInterrupt):
    """Where KeyboardInterrupt itself leaves an `exec` of text, as SymPy has them, Python remembers it and in the end
    kills the process by the signal, even if the exception was caught. It does not do so for a subclass."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, Ctrl-C raises a subclass of KeyboardInterrupt. A handler that someone else has set stays."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise _Interrupted
