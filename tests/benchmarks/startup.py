"""What a person waits for before anything is computed, against Typer apps of as many commands that do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial as bind
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from gradcli.cli import commands
from tests.benchmarks.harness import Measure, Row, against, gradcli, process
from tests.benchmarks.peers import SMALL, alone, beside

__all__ = ["rows"]

SAMPLE = str(Path(__file__).parents[2] / "samples" / "two_targets.yaml")
COMMANDS = sorted(path.stem for path in Path(commands.__path__[0]).glob("[!_]*.py"))
NOTHING = f"""
import typer

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
for name in {COMMANDS}:
    @app.command(name)
    def run(
        file: str = "", json: bool = False, at: str = "", output: str = "", dtype: str = "float64"
    ) -> None: ...
app()
"""
IMPORTS = ("", "numpy, yaml", "numpy, sympy, yaml")


def rows(*, quick: bool) -> Iterator[Row]:
    """A small gradient for the first time and again, the help and a usage error."""
    rounds = 1 if quick else 25
    with TemporaryDirectory() as folder:
        kept = Path(folder, "kept")
        scripts = {}
        for names in IMPORTS:
            scripts[names] = Path(folder, f"nothing{len(scripts)}.py")
            scripts[names].write_text((f"import {names}\n" if names else "") + NOTHING, encoding="utf-8")

        def ours(*arguments: str, status: int = 0, cache: Path | None = None) -> float:
            return gradcli(*arguments, status=status, cache=cache).seconds

        def theirs(names: str, *arguments: str) -> tuple[str, Measure]:
            return (
                f"no-op app, importing {names}" if names else "no-op app",
                lambda: process(str(scripts[names]), *arguments).seconds,
            )

        grad = bind(ours, "grad", SAMPLE, "--json")
        again = bind(grad, cache=kept)
        again()
        others = beside(lambda module: median(alone(SMALL[module])[0] for _ in range(3)), SMALL)
        for work, measure, yardstick, goal, beside_it in (
            ("process: a small gradient", grad, theirs("numpy, sympy, yaml", "grad"), 1.15, others),
            ("process: a small gradient, cached", again, theirs("numpy, yaml", "grad"), 1.3, ""),
            ("process: --help", bind(ours, "--help"), theirs("", "--help"), 1.2, ""),
            ("process: a usage error", bind(ours, "grad", status=2), theirs("", "grad"), 1.2, ""),
        ):
            yield against(work, measure, yardstick, goal=goal, rounds=rounds, others=beside_it)
