"""The shipped JSON Schema says what the reader says: the same keys, and the same files are right or wrong by structure.

That everything which the other tests read is right by the schema is part of the fixture `read`.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.document import describe, expected_error, expected_values, load, model
from gradcli.document.expectations import read_expectations
from gradcli.document.load import parse
from gradcli.document.model import read_content
from gradcli.document.problem import examine
from gradcli.document.tree import File
from gradcli.errors import InputError
from gradcli.language.names import is_name
from tests.schemas import content_of, refusals, validator

ROOT = Path(__file__).parents[2]
SCHEMA: dict[str, Any] = validator("document/schema.json").schema
DEFS = SCHEMA["$defs"]

STRUCTURE = {"unknown-key", "missing-key", "name", "target-type", "let-type"}
"""The kinds of faults that are a matter of structure. Of the kind value some are (a boolean), some not (`1_000`)."""


WORDS = ["x", "l", "w", "l.w", "t", "y", "value", "shape", "fill", "rtol", "atol", "kind", "message", "line"]
SCALARS = st.sampled_from(["x", "2*x", "3", "", " ", "t", "shape", 1.0, -1.0, 0.0, 2.5, None, True, False])
CONTENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=2)
)
BY_SOURCE = st.dictionaries(st.sampled_from(["x", "t", "l.w", "l"]), CONTENTS, max_size=2)
EXPECT = st.one_of(
    st.dictionaries(st.sampled_from(model.EXPECT_KEYS), CONTENTS, max_size=2),
    st.fixed_dictionaries({"value": st.fixed_dictionaries({"y": CONTENTS}) | CONTENTS, "gradient": BY_SOURCE}),
    st.fixed_dictionaries({"jacobian": st.fixed_dictionaries({"y": BY_SOURCE}), "atol": SCALARS}),
    st.fixed_dictionaries({"hessian": st.dictionaries(st.sampled_from(["x", "l.w"]), BY_SOURCE, max_size=2)}),
)


def bad_files() -> list[str]:
    folder = Path(__file__).parent
    blocks = [b for name in ("bad_yaml.txt", "bad_json.txt") for b in (folder / name).read_text("utf-8").split("#### ")]
    return [block.partition("\n")[2].split("\n====\n")[0] for block in blocks if block]


def faults_of(text: str) -> set[str]:
    """The kinds of faults that the reader finds in a text, once it is a tree."""
    return {fault.kind for fault in read_content(parse(File("a.yaml", text))[0], Path()).faults}


def expected(section: str) -> object:
    """An `expect` section, as YAML, in a file that has what it is about."""
    names = "sources: {x: 3, l: {w: [1, 2]}}, let: {t: x}, targets: {y: t, z: x}"
    return content_of(f"# YAML\n{{{names}, expect: {section}}}")


def says_no(content: Any) -> bool:
    """Whether the reader refuses the expectations of a content."""
    try:
        problem, faults = examine(content)
        read_expectations(problem)
    except InputError:
        return True
    return bool(faults)


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


def test_expectations_are_those_of_the_reader() -> None:
    """The keys that describe what is expected, with the tolerances, and those of an error."""
    described = DEFS["expected_description"]
    by_names = DEFS["by_names"]["not"]["anyOf"]

    assert set(described["properties"]) == describe._ALL | set(expected_values.TOLERANCES)
    assert [form["required"][0] for form in described["oneOf"]] == list(expected_values.DESCRIBING)
    assert [form["required"][0] for form in by_names] == list(expected_values.DESCRIBING)
    assert set(expected_values.DESCRIBING) == set(describe._CHIEF)
    assert tuple(SCHEMA["properties"]["expect"]["properties"]["error"]["properties"]) == expected_error.ERROR_KEYS


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
    for name, key in SCHEMA["properties"]["expect"]["properties"].items():
        assert key["examples"]
        for example in key["examples"]:
            assert refusals({"targets": "x", "expect": {name: example}}) == []
    for example in DEFS["expected"]["examples"]:
        assert refusals({"targets": "x", "expect": {"gradient": {"x": example}}}) == []


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


RIGHT = [
    "{}",
    "{value: {y: 3, z: x}, rtol: 0, atol: 1e-9}",
    "{gradient: {x: null, l: {w: [x, 1]}, t: {value: 1, atol: 0}}}",
    "{gradient: {l.w: {shape: [2], random: normal, seed: 0, rtol: 1}}}",
    "{jacobian: {y: {x: {value: x}, l: {w: [1, 2]}}}}",
    "{hessian: {x: {x: 1}, l: {w: {l: {w: null}, x: [x, x]}}, l.w: {t: 1}}}",
    "{unconnected: x}",
    "{unconnected: [x, l.w]}",
    "{unconnected: {x: true, l: {w: true}}}",
    "{error: shape, rtol: 1}",
    "{error: {kind: shape, message: [a, b], line: 3}}",
]


@pytest.mark.parametrize("section", RIGHT)
def test_right_expectations(section: str) -> None:
    """The reader and the schema allow each of these."""
    assert not says_no(expected(section))
    assert refusals(expected(section)) == []


@settings(max_examples=500, deadline=None)
@given(EXPECT)
def test_what_the_reader_allows_the_schema_allows(section: dict[str, object]) -> None:
    """Any section is read or refused with an InputError; the schema refuses none that is read."""
    content = {"sources": {"x": 3, "l": {"w": [1, 2]}}, "let": {"t": "x"}, "targets": {"y": "t"}, "expect": section}

    assert says_no(content) or refusals(content) == []


@pytest.mark.parametrize(
    "section",
    [
        "{value: {y: null}}",
        "{value: {y: true}}",
        "{value: {y: {}}}",
        "{value: {y: {rtol: 1}}}",
        "{value: {y: {value: null}}}",
        "{value: {y: {value: 1, rtol: -1}}}",
        "{value: {y: {value: 1, rtol: '1'}}}",
        "{value: {y: {value: 1, file: w.npy}}}",
        "{value: {y: {value: 1, fill: 1}}}",
        "{value: {y: {value: {a: 1}}}}",
        "{gradient: {x: ' '}}",
        "{gradient: {x: [null]}}",
        "{gradient: {x: [{value: 1}]}}",
        "{gradient: {x: {file: w.npy, key: a}}}",
        "{gradient: {x: {file: w.txt}}}",
        "{gradient: {x: {shape: [2], rtol: 1}}}",
        "{gradient: {x: {shape: [2], fill: 0, seed: 0}}}",
        "{gradient: {x: {shape: [2], random: normal, atol: 1}}}",
        "{gradient: {x: {value: 1, rtoll: 1}}}",
        "{gradient: {1x: 1}}",
        "{jacobian: 1}",
        "{jacobian: {y: 1}}",
        "{jacobian: {y: null}}",
        "{jacobian: null}",
        "{hessian: [1]}",
        "{hessian: {x: x}}",
        "{unconnected: null}",
        "{unconnected: [1]}",
        "{unconnected: {x: false}}",
        "{unconnected: {l: {w: 1}}}",
        "{error: ''}",
        "{error: [shape]}",
        "{error: {}}",
        "{error: {kinds: a}}",
        "{error: {message: []}}",
        "{error: {line: 0}}",
        "{error: shape, gradient: {x: 1}}",
        "{rtol: -1}",
        "{atol: '1'}",
        "{atol: .inf}",
    ],
)
def test_wrong_expectations(section: str) -> None:
    """The reader and the schema refuse each of these."""
    assert says_no(expected(section))
    assert refusals(expected(section)) != []
