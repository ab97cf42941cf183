"""Imports point down: no module of gradcli imports one that stands above it, and there is no cycle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import gradcli

ROOT = Path(gradcli.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# From the bottom to the top. A layer may import any layer below it, unless MAY says less.
LAYERS = [
    "errors",
    "results",
    "core",
    "language",
    "document",
    "api",
    "checks",
    "report",
    "testing",
    "pytest_plugin",
    "cli",
]
MAY = {
    "errors": {"errors"},
    "results": {"results", "errors"},
    "report": {"report", "results", "errors"},
    "testing": {"testing", "report", "checks", "results", "errors"},
}
EVERYWHERE = {"gradcli", "__main__"}  # the lazy names of the package and `python -m gradcli`


def module_of(path: Path) -> str:
    parts = ["gradcli", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def layer_of(module: str) -> str:
    """The package below gradcli; modules between document and api (program, derive, ...) make one layer with api."""
    name = module.split(".")[1] if "." in module else module
    return name if name in LAYERS or name in EVERYWHERE else "api"


def runtime_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those below `if TYPE_CHECKING:`."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            yield node
            yield from runtime_nodes(node)


def imports(module: str, *, top_level: bool = False) -> set[str]:
    """The modules of gradcli that `module` imports anywhere, or only when it is loaded."""
    path = MODULES[module]
    tree = ast.parse(path.read_text("utf-8"))
    nodes = tree.body if top_level else runtime_nodes(tree)
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= set(imported_from(node, module, path))
    return {name for name in found if name in MODULES and name != module}


def imported_from(node: ast.ImportFrom, module: str, path: Path) -> Iterator[str]:
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    base = package[: len(package) - node.level + 1] if node.level else []
    source = ".".join([*base, *([node.module] if node.module else [])])
    for alias in node.names:
        submodule = f"{source}.{alias.name}"
        yield submodule if submodule in MODULES else source


@pytest.mark.parametrize("module", [name for name in MODULES if layer_of(name) not in EVERYWHERE])
def test_no_import_points_up(module: str) -> None:
    """Each module imports only from its own layer and those below."""
    layer = layer_of(module)
    allowed = MAY.get(layer, set(LAYERS[: LAYERS.index(layer) + 1]))

    found = {layer_of(name) for name in imports(module)} - {"gradcli"}

    assert found <= allowed, f"{module} imports from {sorted(found - allowed)}"


def test_only_the_command_line_imports_the_package_itself() -> None:
    """`import gradcli` inside gradcli is for the version that the command line shows."""
    assert {layer_of(module) for module in MODULES if "gradcli" in imports(module)} <= {"cli"}


def test_no_import_cycles() -> None:
    """Modules can be put in an order in which each is loaded after what it imports."""
    graph = {module: imports(module, top_level=True) for module in MODULES}

    order = list(TopologicalSorter(graph).static_order())  # raises CycleError

    assert set(order) == set(MODULES)


def test_only_tables_and_progress_import_rich() -> None:
    """rich is loaded by two modules."""
    users = {
        module for module, path in MODULES.items() if "import rich" in (text := path.read_text()) or "from rich" in text
    }

    assert users == {"gradcli.cli.progress", "gradcli.report.as_table"}
