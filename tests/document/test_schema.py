"""The shipped JSON Schema says what the reader says: the same keys, and the same files are right or wrong by structure.

That everything which the other tests read is right by the schema is part of the fixture `read`.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.document import describe, load, model
from gradcli.document.load import parse
from gradcli.document.model import read_content
from gradcli.document.tree import File
from gradcli.errors import InputError
from gradcli.language.names import is_name
from tests.schemas import content_of, refusals, validator

ROOT = Path(__file__).parents[2]
SCHEMA: dict[str, Any] = validator("document/schema.json").schema
DEFS = SCHEMA["$defs"]

STRUCTURE = {"unknown-key", "missing-key", "name", "target-type", "let-type"}
"""The kinds of faults that are a matter of structure. Of the kind value some are (a boolean), some not (`1_000`)."""


def bad_files() -> list[str]:
    folder = Path(__file__).parent
    blocks = [b for name in ("bad_yaml.txt", "bad_json.txt") for b in (folder / name).read_text("utf-8").split("#### ")]
    return [block.partition("\n")[2].split("\n====\n")[0] for block in blocks if block]


def faults_of(text: str) -> set[str]:
    """The kinds of faults that the reader finds in a text, once it is a tree."""
    return {fault.kind for fault in read_content(parse(File("a.yaml", text))[0], Path()).faults}


def verdicts(text: str) -> tuple[set[str], list[str]] | None:
    """What the reader and what the schema say; None where the text is no tree."""
    try:
        return faults_of(text), refusals(content_of(text))
    except (InputError, AssertionError):
        return None


def test_sections_and_keys_are_those_of_the_reader() -> None:
    """The names of sections and of the keys of expect, in the reader's order."""
    assert tuple(SCHEMA["properties"]) == model.SECTIONS
    assert tuple(SCHEMA["properties"]["expect"]["properties"]) == model.EXPECT_KEYS


def test_descriptions_are_those_of_the_reader() -> None:
    """Which keys describe a value, which go together, and the distributions."""
    forms = [DEFS[form["$ref"].rpartition("/")[2]]["properties"] for form in DEFS["description"]["oneOf"]]
    chiefs = [branch["required"][0] for branch in DEFS["value_or_structure"]["if"]["anyOf"] if "required" in branch]
    together = {chief: {key for form in forms if chief in form for key in form} - {chief} for chief in chiefs}

    assert tuple(chiefs) == describe._CHIEF
    assert together == describe._FELLOWS
    assert tuple(DEFS["random"]["properties"]["random"]["enum"]) == describe._RANDOM


def test_reserved_words_are_those_of_python() -> None:
    """The pattern of a name spells them out."""
    words = re.search(r"\(\?:(.*?)\)\$", DEFS["name"]["pattern"])

    assert words
    assert words[1].split("|") == sorted(keyword.kwlist)


@given(st.text(st.characters(max_codepoint=127, exclude_characters="\n"), max_size=8) | st.sampled_from(keyword.kwlist))
def test_names_in_ascii(name: str) -> None:
    """The pattern allows exactly the names."""
    assert bool(re.search(DEFS["name"]["pattern"], name)) == is_name(name)


@pytest.mark.parametrize("name", ["λ", "größe", "x₁", "数", "𝛼", "match", "no"])
def test_names_beyond_ascii(name: str) -> None:
    """Letters of all scripts are allowed."""
    assert re.search(DEFS["name"]["pattern"], name)


@pytest.mark.parametrize(
    "path", [*sorted((ROOT / "samples").iterdir()), ROOT / "gradcli" / "document" / "example.yaml"]
)
def test_samples(path: Path) -> None:
    """Each is right."""
    assert refusals(content_of(path.read_text("utf-8"))) == []


def test_examples_in_the_schema() -> None:
    """What an editor offers is right."""
    for content in SCHEMA["examples"]:
        assert refusals(content) == []
        load(content)
    for name, section in SCHEMA["properties"].items():
        for example in section.get("examples", []):
            assert refusals({"targets": "x", name: example}) == []


def test_bad_files_are_bad_by_the_schema() -> None:
    """Of the files in bad_yaml.txt and bad_json.txt those that are wrong by structure; at least 15."""
    found = {text: verdict for text in bad_files() if (verdict := verdicts(text))}
    structural = {text: said for text, (kinds, said) in found.items() if kinds & STRUCTURE}

    assert [text for text, said in structural.items() if not said] == []
    assert len(structural) >= 15


@pytest.mark.parametrize(
    "file",
    [
        "{targets: x, soruces: {x: 1}}",
        "{sources: {x: 1}}",
        "[targets]",
        "{targets: }",
        "{targets: []}",
        "{targets: {}}",
        "{targets: ' '}",
        "{targets: [[x]]}",
        "{targets: {f: [x]}}",
        "{targets: {f: true}}",
        "{targets: {f: }}",
        "{targets: {2f: x}}",
        "{targets: {lambda: x}}",
        "{targets: x, title: }",
        "{targets: x, let: {a b: x}}",
        "{targets: x, let: {a: {b: x}}}",
        "{targets: x, let: [x]}",
        "{targets: x, sources: {x: true}}",
        "{targets: x, sources: {x: }}",
        "{targets: x, sources: {x: {}}}",
        "{targets: x, sources: {x: [1, [null]]}}",
        "{targets: x, sources: {x: [{value: 1}]}}",
        "{targets: x, sources: {x: {file: w.txt}}}",
        "{targets: x, sources: {x: {file: w.npy, key: a}}}",
        "{targets: x, sources: {x: {file: w.npz, keys: a}}}",
        "{targets: x, sources: {x: {value: {a: 1}}}}",
        "{targets: x, sources: {x: {value: 1, w: 2}}}",
        "{targets: x, sources: {x: {shape: [2]}}}",
        "{targets: x, sources: {x: {shape: [-1], fill: 0}}}",
        "{targets: x, sources: {x: {shape: [1.5], fill: 0}}}",
        "{targets: x, sources: {x: {shape: ['2'], fill: 0}}}",
        "{targets: x, sources: {x: {shape: [2], fill: [0]}}}",
        "{targets: x, sources: {x: {shape: [2], fill: 0, random: normal, seed: 0}}}",
        "{targets: x, sources: {x: {shape: [2], random: normal}}}",
        "{targets: x, sources: {x: {shape: [2], random: gauss, seed: 0}}}",
        "{targets: x, sources: {x: {shape: [2], random: normal, seed: -1}}}",
        "{targets: x, sources: {x: {l: {w: {shape: [2]}}}}}",
        "{targets: x, output_gradients: {y: {a: 1}}}",
        "{targets: x, expect: {values: 1}}",
        "{targets: x, expect: [1]}",
    ],
)
def test_wrong_for_both(file: str) -> None:
    """The reader and the schema refuse each of these."""
    text = f"# YAML\n{file}"

    assert faults_of(text)
    assert refusals(content_of(text)) != []
