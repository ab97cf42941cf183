"""Bounds on work. Units come first, because they end at the same place on every machine; time is the last resort."""

from __future__ import annotations

import time

__all__ = ["Budget", "Clock"]


class Clock:
    """A bound on wall-clock time, asked between steps."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return time.monotonic() >= self._end


class Budget:
    """A number of units of work, to be spent before the clock is over."""

    def __init__(self, units: float, clock: Clock) -> None:
        self._left, self._clock = units, clock

    def spend(self, units: float) -> bool:
        """Whether there is enough left for this; takes it."""
        if units > self._left or self._clock.over:
            return False
        self._left -= units
        return True
