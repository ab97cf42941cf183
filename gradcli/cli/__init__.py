"""The command line. `main` is the error boundary: every way out of gradcli ends here, with its exit status.

Exit statuses: 0 done; 1 a comparison or check failed; 2 the input or the call is wrong; 3 a fault of gradcli; 130
interrupted. Nothing here or below loads numpy, sympy, rich or yaml before a command needs them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gradcli.cli import failures
from gradcli.cli.interruption import interruptible
from gradcli.cli.streams import Outcome, deliver, silence
from gradcli.collecting import end_without_collection, rare_collections
from gradcli.errors import GradcliError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs gradcli with `arguments` (those of the process by default) and returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    end_without_collection()
    with interruptible(), rare_collections():
        return _main(given)


def _main(given: list[str]) -> int:
    try:
        return deliver(_outcome(given or ["--help"]))
    except KeyboardInterrupt:
        return deliver(failures.interrupted(given))
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # Typer would end with 1, which means a mismatch here
            silence(sys.stdout)
            return 0
        raise
    except GradcliError as error:
        return deliver(failures.expected(error, given))
    except MemoryError:
        return deliver(failures.out_of_memory(given))
    except Exception as error:
        return deliver(failures.usage(error, given) or failures.internal(error, given))


def _outcome(arguments: list[str]) -> Outcome:
    from typer.main import get_command

    from gradcli.cli.app import app_for

    result = get_command(app_for(arguments)).main(arguments, prog_name="gradcli", standalone_mode=False)
    if result == failures.INTERRUPTED:  # Typer makes a status of KeyboardInterrupt
        raise KeyboardInterrupt
    if isinstance(result, Outcome):
        return result
    return Outcome(status=2 if result else 0)  # Typer's own way out, which would be 1 for a shell that it does not know
