"""A file, standard input or a Python mapping -> a tree with places. What the tree means is the model's business."""

from __future__ import annotations

import os
from collections.abc import Mapping as AnyMapping
from pathlib import Path

from gradcli.document.files import read_text
from gradcli.document.tree import File, Node
from gradcli.errors import Fault, InputError, Place

__all__ = ["Tree", "load_tree", "parse"]

Tree = tuple[Node, list[Fault]]
"""A tree, and the faults of the text that did not keep it from being read."""


def load_tree(source: str | os.PathLike[str] | AnyMapping[str, object]) -> tuple[Tree, str | None, Path]:
    """The tree of a source, its file's name (`<stdin>` for `-`), and the folder that its own files are relative to.

    Raises:
        InputError: it cannot be read, is not YAML or JSON, or breaks a bound.
    """
    if isinstance(source, AnyMapping):
        from gradcli.document.python_reader import read_python

        return (read_python(source), []), None, Path()
    given = os.fspath(source)
    name = "<stdin>" if given == "-" else given
    folder = Path() if given == "-" else Path(given).parent
    return parse(File(name, read_text(given, name))), name, folder


def parse(file: File) -> Tree:
    """The tree of a text: JSON where it begins with `{`, else YAML."""
    if file.text.lstrip(" \t\n").startswith("{"):
        from gradcli.document.json_reader import read_json

        return read_json(file)
    from gradcli.document.yaml_reader import read_yaml

    root, faults = read_yaml(file)
    if root is None:
        fault = Fault("file", "the file holds nothing but comments", "it needs at least targets", Place(file.name))
        raise InputError(*faults, fault)
    return root, faults
