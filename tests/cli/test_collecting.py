"""The garbage collector while gradcli runs: seldom, and as before afterwards."""

from __future__ import annotations

import gc

from gradcli.collecting import rare_collections


def test_collections_are_rare_inside_and_as_before_outside() -> None:
    """Also after an exception."""
    before = gc.get_threshold()
    try:
        with rare_collections():
            inside = gc.get_threshold()
            raise ArithmeticError
    except ArithmeticError:
        pass

    assert inside[0] > 100 * before[0]
    assert gc.get_threshold() == before


def test_a_collector_that_is_switched_off_stays_off() -> None:
    """Whoever set it to 0 meant it."""
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with rare_collections():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
