"""What a person waits for before anything is computed, against Typer apps of as many commands that do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from gradcli.cli import commands
from tests.benchmarks.harness import Row, against, process

__all__ = ["rows"]

SAMPLE = str(Path(__file__).parents[2] / "samples" / "two_targets.yaml")
COMMANDS = len(list(Path(commands.__path__[0]).glob("[!_]*.py")))
NOTHING = f"""
import typer

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
for k in range({COMMANDS}):
    @app.command("command" + str(k))
    def run(file: str) -> None: ...
app()
"""


def rows(*, quick: bool) -> Iterator[Row]:
    """A small gradient, the help and a usage error."""
    rounds = 1 if quick else 15
    with TemporaryDirectory() as folder:
        light, heavy = Path(folder, "light.py"), Path(folder, "heavy.py")
        light.write_text(NOTHING, encoding="utf-8")
        heavy.write_text("import numpy, sympy, yaml" + NOTHING, encoding="utf-8")

        def ours(*arguments: str, status: int = 0) -> float:
            return process("-m", "gradcli", *arguments, status=status).seconds

        yield against(
            "process: a small gradient",
            lambda: ours("grad", SAMPLE, "--json"),
            ("no-op app importing numpy, sympy, yaml", lambda: process(str(heavy), "command1", "file").seconds),
            goal=1.15,
            rounds=rounds,
        )
        yield against(
            "process: --help",
            lambda: ours("--help"),
            ("no-op app --help", lambda: process(str(light), "--help").seconds),
            goal=1.2,
            rounds=rounds,
        )
        yield against(
            "process: a usage error",
            lambda: ours("grad", status=2),
            ("no-op app, run", lambda: process(str(light), "command1", "file").seconds),
            goal=1.2,
            rounds=rounds,
        )
