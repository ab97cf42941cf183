"""What a call loads: help, version and usage errors load none of the heavy packages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "sympy", "yaml", "scipy", "pydantic", "rich"}
LATE = {"glob", "importlib.metadata", "importlib.resources", "platformdirs", "tempfile", "gradcli.cache.folder"}

LOADED = """
import json, sys
from gradcli.cli import main
sys.stderr, stderr = open({devnull!r}, "w"), sys.stderr
status = main({args!r})
json.dump([status, sorted(m for m in sys.modules)], stderr)
"""


def loaded(code: str) -> tuple[int, set[str]]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    status, modules = json.loads(done.stderr)
    return status, set(modules)


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["--help"], 0),
        ([], 0),
        (["--version"], 0),
        (["compare", "--help"], 0),
        (["schema", "--help"], 0),
        (["init", "--help"], 0),
        (["grad"], 2),
        (["grad", "loss.yaml", "--no-such-option"], 2),
        (["grad", "loss.yaml", "--precision", "many"], 2),
        (["grad", "loss.yaml", "-o", "result.txt"], 2),
        (["grad", "loss.yaml", "--at", "x"], 2),
        (["check", "--help"], 0),
        (["check"], 2),
        (["check", "loss.yaml", "--format", "csv"], 2),
        (["check", "loss.yaml", "-o", "result.csv"], 2),
        (["nonsense", "--json"], 2),
        (["__init__", "loss.yaml"], 2),
    ],
)
def test_help_and_usage_errors_load_nothing_heavy(args: list[str], status: int) -> None:
    """No numpy, sympy, yaml or rich before a command needs them, nor a module for its files."""
    ended, modules = loaded(LOADED.format(devnull="/dev/null", args=args))

    assert ended == status
    assert HEAVY & modules == set()
    assert args == ["--version"] or LATE & modules == set()  # the version is that of the installed distribution


@pytest.mark.parametrize("args", [["schema"], ["schema", "--result"], ["init", "-"]])
def test_shipped_files_load_nothing_heavy(args: list[str]) -> None:
    """They are printed as they are."""
    ended, modules = loaded(
        "import io, sys\nsys.stdout = io.StringIO()\n" + LOADED.format(devnull="/dev/null", args=args)
    )

    assert ended == 0
    assert HEAVY & modules == set()


UNUSED = {"scipy", "pydantic", "rich", "sympy.combinatorics", "numpy.f2py", "numpy.ma", "numpy.random", "numpy.testing"}


@pytest.mark.parametrize("format_", ["table", "json", "csv"])
def test_an_answer_loads_what_it_needs(format_: str) -> None:
    """No rich without colour, no scipy, no pydantic, nothing of sympy and NumPy that is loaded on demand."""
    args = ["compare", "-e", "x**2", "--at", "x=2", "--format", format_]
    code = "import io, sys\nsys.stdout = io.StringIO()\n" + LOADED.format(devnull="/dev/null", args=args)

    ended, modules = loaded(code)

    assert ended == 0
    assert UNUSED & modules == set()


def test_an_answer_from_the_cache_loads_no_sympy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor readers of files that are not there, nor what finds the cache where the environment says it."""
    monkeypatch.setenv("GRADCLI_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "loss.yaml").write_text("sources: {x: 2}\ntargets: x**2\n")
    args = ["grad", str(tmp_path / "loss.yaml"), "--json"]
    code = "import io, sys\nsys.stdout = io.StringIO()\n" + LOADED.format(devnull="/dev/null", args=args)
    unused = {"sympy", "platformdirs", "gradcli.document.datafiles", "gradcli.document.json_reader"}

    (_, first), (ended, second) = loaded(code), loaded(code)

    assert ended == 0
    assert "sympy" in first
    assert (UNUSED | unused) & second == set()


EXPRESSIONS = """
import io, json, sys
sys.stdout = io.StringIO()
from gradcli.cli import main
status = main(["grad", "-e", "x**2 * y + cos(x)", "--at", "x=2", "--at", "y=3", "--no-cache"])
from gradcli.core.elementwise import ELEMENTWISE
made = {"expression", "derivatives"}
json.dump([status, sorted(name for name, op in ELEMENTWISE.items() if made & vars(op).keys())], sys.stderr)
"""


def test_an_answer_makes_the_expressions_of_what_it_uses() -> None:
    """The rows of other elementwise ops stay functions."""
    ended, ops = loaded(EXPRESSIONS)

    assert ended == 0
    assert ops == {"add", "cos", "mul", "square"}


def test_importing_gradcli_loads_nothing() -> None:
    """The package alone loads no other module of its own and nothing heavy."""
    _, modules = loaded("import json, sys, gradcli; json.dump([0, sorted(sys.modules)], sys.stderr)")

    assert HEAVY & modules == set()
    assert {name for name in modules if name.startswith("gradcli")} == {"gradcli"}


def test_public_names_are_found_on_first_use() -> None:
    """Every public name but those of the API (which is tested elsewhere) resolves; others do not."""
    import gradcli

    assert gradcli.InputError.exit_status == 2
    assert gradcli.Gradient.__name__ == "Gradient"
    assert isinstance(gradcli.__version__, str)
    assert set(gradcli.__all__) <= set(dir(gradcli))
    with pytest.raises(AttributeError, match="no attribute 'gradient'"):
        _ = gradcli.gradient  # type: ignore[attr-defined]
