"""The Typer app: `--version`, and one subcommand for each module of `gradcli.cli.commands`.

A command module has `RANK` (its place in the help), `HELP` (what the help says, examples first) and `run`, a function
that `options.takes` has made. A call reads the options of its own command alone; where none is named there is a list of
all, with their first lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Annotated

import typer

from gradcli.cli.options import signed

__all__ = ["app_for"]

HELP = """See, check and trust a derivative: the summed gradient next to the Jacobian rows that it sums.

\b
Examples:
  gradcli compare loss.yaml
  gradcli grad loss.yaml -s w --json
  gradcli grad -e "x**2 * y" --at x=2 --at y=3
"""

_COMMANDS = "gradcli.cli.commands"
_COMPLETE = "_GRADCLI_COMPLETE"  # Typer's variable for the completion of a shell


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The app that can carry out a call with these arguments."""
    app = typer.Typer(
        name="gradcli",
        help=HELP,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    whole = [arguments[0]] if arguments and _is_command(arguments[0]) else []
    complete = _COMPLETE in os.environ
    for module in sorted(_modules(whole), key=lambda module: (module.RANK, module.__name__)):
        name = module.__name__.rpartition(".")[2]
        app.command(name, help=module.HELP)(signed(module.run) if whole or complete else _unread)
    return app


def _is_command(name: str) -> bool:
    return name.isidentifier() and not name.startswith("_") and find_spec(f"{_COMMANDS}.{name}") is not None


def _modules(names: Sequence[str]) -> Iterator[ModuleType]:
    """Those of these commands, or of all."""
    if not names:
        from pkgutil import iter_modules

        names = [module.name for module in iter_modules(import_module(_COMMANDS).__path__)]
    yield from (import_module(f"{_COMMANDS}.{name}") for name in names)


def _unread() -> None:
    """Stands for a command that is only listed."""


def _show_version(wanted: bool) -> None:
    if wanted:
        import gradcli

        typer.echo(f"gradcli {gradcli.__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None: ...
