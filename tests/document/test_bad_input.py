"""Every problem that a file can have, as a user sees it: bad_yaml.txt and bad_json.txt hold input and answer.

Each case is a line `#### name`, the file, a line `====` and the whole of the diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml


def cases(name: str) -> list[object]:
    blocks = (Path(__file__).parent / name).read_text(encoding="utf-8").split("#### ")[1:]
    split = [(block.partition("\n")[0], *block.partition("\n")[2].split("\n====\n")) for block in blocks]
    return [pytest.param(text, answer.strip("\n"), id=title) for title, text, answer in split]


@pytest.mark.parametrize(("text", "answer"), cases("bad_yaml.txt"))
def test_bad_yaml(text: str, answer: str, complain: Callable[..., str]) -> None:
    """A YAML file is answered with exactly these words, places and carets."""
    assert complain(f"{text}\n") == answer


@pytest.mark.parametrize(("text", "answer"), cases("bad_json.txt"))
def test_bad_json(text: str, answer: str, complain: Callable[..., str]) -> None:
    """A JSON file is answered with exactly these words, places and carets."""
    assert complain(text, "loss.json") == answer


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("targets: x\x01", "error: loss.yaml:1:11: the character U+0001 cannot be used in a file"),
        ("targets: x\u2028y", "error: loss.yaml:1:11: the character U+2028 cannot be used in a file"),
        ("\ufefftargets: \ufeffx", "error: loss.yaml:1:10: the character U+FEFF cannot be used in a file"),
        ("targets:\r\n  f: [x]\r\n", "error: loss.yaml:2:6: target 'f' is a list, not an expression"),
        ("targets: " + "[" * 900, "error: loss.yaml:1:109: lists and mappings nest deeper than 100 levels"),
        (
            "\n".join(" " * n + "a:" for n in range(200)),
            "error: loss.yaml:101:101: lists and mappings nest deeper than 100 levels",
        ),
        ("", "error: loss.yaml: the file is empty"),
        ("# nothing\n", "error: loss.yaml: the file holds nothing but comments"),
    ],
    ids=["control", "line separator", "second BOM", "CRLF", "flow depth", "block depth", "empty", "comments"],
)
def test_bad_characters_and_depth(text: str, message: str, complain: Callable[..., str]) -> None:
    """What cannot be written down well in the tables."""
    assert complain(text).split("\n")[0] == message


def test_depth_beyond_the_limit_of_libyaml(complain: Callable[..., str]) -> None:
    """Whether libyaml counts (from 0.2.6 on) or gradcli does: one message, and no crash."""
    assert "lists and mappings nest deeper than 100 levels" in complain("targets: " + "[" * 5000)


def test_alias_bomb(complain: Callable[..., str]) -> None:
    """Aliases that stand for 10**9 values are refused before they cost anything."""
    rows = [
        f"{name}: &{name} [{', '.join(['*' + before] * 10)}]"
        for before, name in zip("abcdefghi", "bcdefghij", strict=True)
    ]
    assert "the aliases of this file stand for more than 1,000,000 values" in complain(
        "a: &a [1, 1]\n" + "\n".join(rows)
    )


def test_alias_depth(complain: Callable[..., str]) -> None:
    """Each alias one level deeper than the last adds up."""
    rows = [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 200)]
    assert "aliases nest deeper than 100 levels" in complain("a0: &a0 [1]\n" + "\n".join(rows))


def test_a_huge_number(complain: Callable[..., str]) -> None:
    """A literal of 8000 digits is refused with its place, and shown in part."""
    text = '{"sources": {"x": ' + "9" * 8000 + '}, "targets": "x"}'
    assert complain(text).startswith(
        "error: loss.yaml:1:19: source 'x': '9999999999999999999999999999999999999...' is too large"
    )


def test_without_the_c_loader(complain: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyYAML was built without libyaml its own parser serves, with the same words for the common traps."""
    monkeypatch.setattr("gradcli.document.yaml_reader._Loader", yaml.SafeLoader)
    for value in ("> 3", "- x", "%x", "`x`", "*x + 1", "[x, 1] + x", "x[0: 2]", "{{x}}"):
        first, *_, last = complain(f"sources:\n  x: 2\ntargets:\n  f: {value}\n").split("\n")
        assert first.startswith("error: loss.yaml:4:")
        assert "quotes" in last or "template" in last
