"""The garbage collector of a call: rare collections while it runs, and everything as before after it."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest

from gradcli.cli import main
from gradcli.collecting import rare_collections


@pytest.fixture(autouse=True)
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_collections_are_rare_inside_and_as_before_after_it() -> None:
    """Also where what is inside fails."""
    before = gc.get_threshold()

    with suppress(ZeroDivisionError), rare_collections():
        assert gc.get_threshold() == (1_000_000, *before[1:])
        _ = 1 / 0

    assert gc.get_threshold() == before


@pytest.mark.parametrize("chosen", [(0, 10, 10), (2_000_000, 10, 10)])
def test_what_someone_else_has_chosen_stays(chosen: tuple[int, int, int]) -> None:
    """Switched off stays off; rarer stays rarer."""
    gc.set_threshold(*chosen)

    with rare_collections():
        assert gc.get_threshold() == chosen


def test_a_call_leaves_the_collector_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    """A program that calls `main` keeps its own settings."""
    before = gc.get_threshold()

    assert main(["--version"]) == 0

    assert gc.get_threshold() == before
    assert capsys.readouterr().out.startswith("gradcli ")


def test_what_was_written_arrives_and_streams_are_closed_at_the_end() -> None:
    """The process ends in the ordinary way, only without a collection: exit handlers run, and files are flushed."""
    code = (
        "import atexit, sys\nfrom gradcli.cli import main\n"
        "atexit.register(print, 'handler')\nmain(['--version'])\nsys.stdout.write('unflushed ')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.splitlines()[1:] == ["unflushed handler"]
