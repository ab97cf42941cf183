"""What the tests share: `run` calls the command line inside the process, `run_process` as a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pytest

from gradcli.results import Array, Comparison
from tests.schemas import result_refusals


@pytest.fixture(autouse=True, scope="session")
def _cache_folder() -> Iterator[None]:
    """Plans are kept in a folder of the tests, or in that of GRADCLI_CACHE_DIR, which may hold those of another run."""
    with TemporaryDirectory() as folder, patch.dict(os.environ, {"GRADCLI_CACHE_DIR": folder, **os.environ}):
        yield


@dataclass(frozen=True)
class Ran:
    """How a call of gradcli ended."""

    stdout: str
    stderr: str
    status: int


class Stream(io.TextIOWrapper):
    """A standard stream in memory; `terminal` is what it says of itself."""

    def __init__(self, content: bytes = b"", *, terminal: bool = False, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(content), encoding=encoding, newline="")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    @property
    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode("utf-8", "surrogateescape")  # type: ignore[attr-defined]


def _run(
    *args: str,
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
    columns: int = 80,
    terminal: bool = False,
    encoding: str = "utf-8",
) -> Ran:
    from gradcli.cli import main

    streams = {
        "stdin": Stream((stdin or "").encode(), terminal=stdin is None and terminal),
        "stdout": Stream(terminal=terminal, encoding=encoding),
        "stderr": Stream(terminal=terminal),
    }
    with (
        patch.dict(os.environ, {**_kept(), "COLUMNS": str(columns), **(env or {})}, clear=True),
        patch.multiple(sys, **streams),
    ):
        status = main(args)
    ran = Ran(streams["stdout"].text, streams["stderr"].text, status)
    if "--json" in args:
        _check_json(ran)
    return ran


def _kept(*more: str) -> dict[str, str]:
    """What is left of the environment."""
    return {name: os.environ[name] for name in ("GRADCLI_CACHE_DIR", *more) if name in os.environ}


def _check_json(ran: Ran) -> None:
    """Whatever a test asks for, the schema allows the answer."""
    for text in (ran.stdout, ran.stderr):
        if text.startswith("{") and len(text) < 50_000:
            assert result_refusals(text) == []


def _run_process(*args: str, stdin: str = "", env: Mapping[str, str] | None = None, columns: int = 80) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "gradcli", *args],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
        env={**_kept("PATH"), "COLUMNS": str(columns), **(env or {})},
    )
    return Ran(done.stdout, done.stderr, done.returncode)


@pytest.fixture
def run() -> Callable[..., Ran]:
    """`run(*args, stdin=None, env=None, columns=80, terminal=False)` in this process, with an empty environment."""
    return _run


@pytest.fixture
def run_process() -> Callable[..., Ran]:
    """`run_process(*args, stdin="", env=None, columns=80)`: a new interpreter, as a user has it."""
    return _run_process


def _compared(
    targets: Mapping[str, object],
    sources: Mapping[str, object],
    jacobian: Mapping[str, Mapping[str, object]],
    *,
    weights: Mapping[str, object] | None = None,
    **facts: object,
) -> Comparison:
    values, point, weight = _arrays(targets), _arrays(sources), _arrays(weights or {})
    blocks = {
        target: {s: None if b is None else np.asarray(b) for s, b in row.items()} for target, row in jacobian.items()
    }
    sums = {source: _sum_of_rows(values, weight, {t: row[source] for t, row in blocks.items()}) for source in point}
    known = {"gradient": sums, "row_sum": sums, "max_abs_difference": 0.0, "match": True, "exact": True}
    return Comparison(targets=values, sources=point, jacobian=blocks, weights=weight, **{**known, **facts})  # type: ignore[arg-type]


def _arrays(values: Mapping[str, object]) -> dict[str, Array]:
    return {name: np.asarray(value, float) for name, value in values.items()}


def _sum_of_rows(
    values: Mapping[str, Array], weights: Mapping[str, Array], blocks: Mapping[str, Array | None]
) -> Array | None:
    rows = [
        np.tensordot(np.broadcast_to(weights.get(t, np.ones(())), values[t].shape), block, values[t].ndim)
        for t, block in blocks.items()
        if block is not None
    ]
    return np.asarray(sum(rows)) if rows else None


@pytest.fixture
def compared() -> Callable[..., Comparison]:
    """`compared(targets, sources, jacobian, weights=None, **facts)`: a comparison whose sums follow from its rows."""
    return _compared


@pytest.fixture
def two_scalars() -> Comparison:
    """y1 = x1**2 * x2 and y2 = cos(x1) + x2 + 1.325 at (2, 3)."""
    rows = {"y1": {"x1": 12.0, "x2": 4.0}, "y2": {"x1": -0.4161468365471424, "x2": 1.0}}
    return _compared({"y1": 12, "y2": 3.909}, {"x1": 2, "x2": 3}, rows, file="samples/two_targets.yaml")
