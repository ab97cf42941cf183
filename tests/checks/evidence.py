"""The files under evidence in this folder, and what a check says of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

import gradcli
from gradcli.results import Check, CheckedFile

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """A file, and what its check must say; the data files explain the fields."""

    id: str
    file: str
    wrong: str | None = None
    says: str | None = None
    sure: bool = False
    priority: str | None = None

    def __str__(self) -> str:
        return self.id

    @property
    def checked(self) -> CheckedFile:
        return _checked(self.file)

    @property
    def checks(self) -> dict[str, Check]:
        """The checks by name; AssertionError where the file could not be read, or two have one name."""
        found = self.checked
        assert not found.faults, found.faults
        assert len({check.name for check in found.checks}) == len(found.checks)
        return {check.name: check for check in found.checks}


def entries(name: str) -> list[Entry]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    read = [Entry(**fields) for fields in (json.loads(text) if name.endswith(".json") else yaml.safe_load(text))]
    assert len({entry.id for entry in read}) == len(read)
    return read


@cache
def _checked(text: str) -> CheckedFile:
    with TemporaryDirectory() as folder:
        path = Path(folder, "file.yaml")
        path.write_text(text, encoding="utf-8", newline="")
        return gradcli.check([path]).files[0]
