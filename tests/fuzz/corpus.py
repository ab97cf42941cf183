"""What the fuzzer starts from: the files and expressions of the samples and of the tests, good and bad, and JSON."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from gradcli.document import load
from gradcli.errors import InputError
from tests.op_rows import ROWS
from tests.schemas import content_of

__all__ = ["corpus", "expressions", "is_good"]

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"


def corpus() -> list[str]:
    """Texts of files."""
    found = [*_samples(), *_bad_files(), *_texts_in_tests(), *_bad_expressions(), *_examples()]
    return list(dict.fromkeys([*found, *filter(None, map(_as_json, found))]))


def is_good(text: str) -> bool:
    """Whether all is well with a file but, perhaps, its expressions."""
    try:
        load(content_of(text))
    except (InputError, AssertionError, TypeError):
        return False
    return True


def expressions() -> list[str]:
    """Expressions to put in the place of others."""
    return [example.text for row in ROWS for example in row.examples]


def _samples() -> Iterator[str]:
    for path in [*sorted((ROOT / "samples").iterdir()), ROOT / "gradcli" / "document" / "example.yaml"]:
        yield path.read_text("utf-8")


def _bad_files() -> Iterator[str]:
    for name in ("bad_yaml.txt", "bad_json.txt"):
        for block in (TESTS / "document" / name).read_text("utf-8").split("#### ")[1:]:
            yield block.partition("\n")[2].partition("\n====\n")[0] + "\n"


def _texts_in_tests() -> Iterator[str]:
    """What stands in the tests and looks like a file."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "targets" in node.value:
                yield node.value


def _bad_expressions() -> Iterator[str]:
    head = "sources: {x: [1, 2, 3], w: [1, 2], W: [[1, 2, 3], [4, 5, 6]], s: 2}\ntargets:\n  y: "
    for block in (TESTS / "language" / "bad_expressions.txt").read_text("utf-8").split("\n----\n"):
        yield f"{head}{json.dumps(block.strip().partition(chr(10) + '====')[0])}\n"


def _examples() -> Iterator[str]:
    """Every function of the language, with operands that it takes."""
    for row in ROWS:
        for example in islice(row.examples, 3):
            point = {name: value.tolist() for name, value in example.draw(row).items()}
            constants = {
                name: value for name, value in example.constants.items() if isinstance(value, int | float | list)
            }
            content = {"constants": constants, "sources": point, "targets": {"y": example.text}}
            yield "".join(f"{name}: {json.dumps(part)}\n" for name, part in content.items())


def _as_json(text: str) -> str | None:
    """The same file in JSON."""
    try:
        return json.dumps(content_of(text), indent=1, ensure_ascii=False)
    except (InputError, AssertionError):
        return None
