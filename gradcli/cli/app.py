"""The Typer app: `--version`, and one subcommand for each module of `gradcli.cli.commands`.

A command module has `RANK` (its place in the help), `HELP` (what the help says, examples first) and `run`, a function
that Typer can read and that returns an `Outcome`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated

import typer

from gradcli.cli import commands

__all__ = ["app"]

HELP = """See, check and trust a derivative: the summed gradient next to the Jacobian rows that it sums.

\b
Examples:
  gradcli compare loss.yaml
  gradcli grad loss.yaml -s w --json
  gradcli grad -e "x**2 * y" --at x=2 --at y=3
"""

app = typer.Typer(
    name="gradcli",
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        import gradcli

        typer.echo(f"gradcli {gradcli.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None: ...


def _modules() -> Iterator[ModuleType]:
    for module in iter_modules(commands.__path__):
        yield import_module(f"{commands.__name__}.{module.name}")


for _module in sorted(_modules(), key=lambda module: (module.RANK, module.__name__)):
    app.command(_module.__name__.rpartition(".")[2], help=_module.HELP)(_module.run)
