"""Python's garbage collector, called less often.

sympy and a graph are hundreds of thousands of objects that all live until the answer is there. By default the collector
looks at all of them again and again, and once more when the process ends: a third of the time, to find nothing.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["end_without_collection", "rare_collections"]

_ALLOCATIONS = 1_000_000  # between two collections of what is young; the default is 700


@contextmanager
def rare_collections() -> Iterator[None]:
    """Inside (also as a decorator) collections are rare; cycles of garbage still go."""
    before = gc.get_threshold()
    if not 0 < before[0] < _ALLOCATIONS:  # switched off, or set by someone who knows better
        yield
        return
    gc.set_threshold(_ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def end_without_collection() -> None:
    """Leaves it to the operating system to take back what is alive when the process ends."""
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
