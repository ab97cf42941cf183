"""The shipped JSON Schemas as validators, and an expression file as an editor with YAML 1.2 sees it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator

from gradcli.document.load import parse
from gradcli.document.tree import File, Mapping, Node, Scalar, Sequence


@cache
def validator(name: str) -> Draft202012Validator:
    """`document/schema.json` or `report/result_schema.json`."""
    schema = json.loads((files("gradcli") / name).read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def refusals(content: object) -> list[str]:
    """What the schema of the expression file says against a content."""
    return [f"{error.json_path}: {error.message}" for error in validator("document/schema.json").iter_errors(content)]


def result_refusals(text: str) -> list[str]:
    """What the schema of the results says against a line of JSON."""
    found = validator("report/result_schema.json").iter_errors(json.loads(text))
    return [f"{error.json_path}: {error.message}" for error in found]


def content_of(text: str) -> Any:
    """The mappings, lists, texts and numbers of a file."""
    return _plain(parse(File("a.yaml", text))[0])


def _plain(node: Node) -> Any:
    if isinstance(node, Mapping):
        return {key.text: _plain(value) for key, value in node.entries}
    if isinstance(node, Sequence):
        return list(map(_plain, node.items)) if node.numbers is None else node.numbers
    assert isinstance(node, Scalar)
    return node.value
