"""The options that the subcommands share, each an alias, and `Call`, which holds them all."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import typer

from gradcli.cli.streams import Outcome
from gradcli.report import FORMATS, Kind, formats

__all__ = ["Call", "format_option", "output_option", "takes"]

T = TypeVar("T")

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([KMGT])(I?)B?|B)?", re.IGNORECASE)


def bytes_of(text: str) -> int:
    """The bytes of `2GiB`, `500MB` or `1000`.

    >>> bytes_of("2GiB"), bytes_of("1.5 kB"), bytes_of("1000")
    (2147483648, 1500, 1000)
    """
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise typer.BadParameter(f"{text!r} is no size; write 500MB or 2GiB")
    number, prefix, binary = found.groups()
    power = " KMGT".index(prefix.upper()) if prefix else 0
    return int(float(number) * (1024 if binary else 1000) ** power)


def format_option(kind: Kind) -> Any:
    """--format with the formats that can be printed for a kind of result."""
    names = [made.name for made in formats(kind) if made.printed]

    def read(text: str) -> str:
        if text in names:
            return text
        known = ", ".join(map(repr, names))
        if text in FORMATS and FORMATS[text].printed:
            raise typer.BadParameter(f"{text!r} is no format for {kind}, which have {known}")
        raise typer.BadParameter(f"{text!r} is not one of {known}")

    def complete(begun: str) -> Sequence[str]:
        return [name for name in names if name.startswith(begun)]

    shown = f"<{'|'.join(names)}>"
    help_ = "How to print the result."
    return typer.Option("--format", metavar=shown, parser=read, autocompletion=complete, help=help_)


def output_option(kind: Kind) -> Any:
    """--output with the suffixes of the files that a kind of result can be written to."""
    *others, last = [made.suffix for made in formats(kind) if made.suffix]
    suffixes = f"{', '.join(others)} or {last}" if others else last
    return typer.Option("-o", "--output", metavar="FILE", help=f"Write to FILE, as its suffix says: {suffixes}.")


File = Annotated[
    str | None,
    typer.Argument(metavar="FILE", show_default=False, help="The expression file (YAML or JSON); - is standard input."),
]
Targets = Annotated[
    list[str] | None,
    typer.Option("-t", "--target", metavar="NAME", help="Differentiate this target (repeatable; default: all)."),
]
Sources = Annotated[
    list[str] | None,
    typer.Option("-s", "--source", "--wrt", metavar="NAME", help="Differentiate by this source or let (repeatable)."),
]
Point = Annotated[
    list[str] | None,
    typer.Option(
        "--at", metavar="NAME=VALUE", help="Another value for a source: 2, [1,2], pi/4 or @file.npy (repeatable)."
    ),
]
Expressions = Annotated[
    list[str] | None,
    typer.Option("-e", "--expr", metavar="TEXT", help="An expression instead of FILE; its sources come from --at."),
]
Unconnected = Annotated[
    Literal["none", "zero"],
    typer.Option("--unconnected", help="What a source gets that no target depends on."),
]
OutputGradients = Annotated[
    list[str] | None,
    typer.Option("--output-gradient", metavar="NAME=VALUE", help="The weight of a target in the sum (repeatable)."),
]
DType = Annotated[Literal["float64", "float32"], typer.Option("--dtype", help="The precision of all computation.")]
Json = Annotated[bool, typer.Option("--json", help="Short for --format json; errors become JSON, too.")]
Format = Annotated[str | None, format_option("derivatives")]
Output = Annotated[str | None, output_option("derivatives")]
Precision = Annotated[
    int | None,
    typer.Option("--precision", min=1, max=17, metavar="N", help="Significant digits in tables (default: 6)."),
]
Full = Annotated[bool, typer.Option("--full", help="Show all rows and columns of large tables.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Leave out notes and messages.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")]
AsWritten = Annotated[
    bool, typer.Option("--as-written", help="Compute what is written, without rewriting unstable forms.")
]
Formulas = Annotated[bool, typer.Option("--formulas", help="Show the derivatives as formulas, too.")]
Latex = Annotated[bool, typer.Option("--latex", help="Show the formulas in LaTeX.")]
Expand = Annotated[bool, typer.Option("--expand", help="Write formulas without let names.")]
MaxMemory = Annotated[
    int | None,
    typer.Option(
        "--max-memory", parser=bytes_of, metavar="SIZE", help="Refuse results above SIZE, such as 2GiB or 500MB."
    ),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Neither use nor keep a compiled form (see 'gradcli cache --help').")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of grad, jacobian, compare or hessian, as it was typed."""

    file: File = None
    target: Targets = None
    source: Sources = None
    at: Point = None
    expr: Expressions = None
    unconnected: Unconnected = "none"
    output_gradient: OutputGradients = None
    dtype: DType = "float64"
    json: Json = False
    format: Format = None
    output: Output = None
    precision: Precision = None
    full: Full = False
    formulas: Formulas = False
    latex: Latex = False
    expand: Expand = False
    as_written: AsWritten = False
    max_memory: MaxMemory = None
    no_cache: NoCache = False
    quiet: Quiet = False
    debug: Debug = False


def takes(kind: type[T]) -> Callable[[Callable[[T], Outcome]], Callable[..., Outcome]]:
    """Turns a function of one dataclass into one that takes its fields by name; `signed` makes it one for Typer."""

    def decorate(run: Callable[[T], Outcome]) -> Callable[..., Outcome]:
        def command(**values: Any) -> Outcome:
            return run(kind(**values))

        command.kind = kind  # type: ignore[attr-defined]
        return command

    return decorate


def signed(command: Any) -> Callable[..., Outcome]:
    """A function that `takes` has made, with a parameter for each field. Reading the types takes time, so this is done
    only for the command that runs."""
    hints = get_type_hints(command.kind, include_extras=True)
    parameters = inspect.signature(command.kind).parameters.values()
    command.__signature__ = inspect.Signature([p.replace(annotation=hints[p.name]) for p in parameters])
    command.__annotations__ = hints
    return command  # type: ignore[no-any-return]
