"""What the tests of the document share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradcli.document import Problem, load
from gradcli.errors import InputError
from gradcli.report.diagnostics import render_text
from tests.schemas import content_of, refusals

Reader = Callable[..., Problem]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Reads a text as the file loss.yaml (or another) of an empty current folder.

    What can be read is also what the schema allows.
    """
    monkeypatch.chdir(tmp_path)

    def reader(text: str, name: str = "loss.yaml") -> Problem:
        Path(name).write_bytes(text.encode())
        problem = load(name)
        assert refusals(content_of(Path(name).read_text("utf-8-sig"))) == []
        return problem

    return reader


@pytest.fixture
def complain(read: Reader) -> Callable[..., str]:
    """The diagnostics that a text gets."""

    def complaint(text: str, name: str = "loss.yaml") -> str:
        with pytest.raises(InputError) as caught:
            read(text, name)
        return render_text(caught.value.faults)

    return complaint
