"""A tree made from pieces is the tree of the whole, with the same places."""

from __future__ import annotations

import ast

import pytest

from gradcli.language import long_sums

TERMS = [
    "x",
    "2*y[0, 1]",
    "sin(a + b, k=1)",
    "1e-5*z",
    "(p\n - q)",
    "λ.T",
    "f('+', \"-\") # +",
    "-w",
    "3.5E+2",
    "t**-2",
]


def _sum(n: int) -> str:
    signs = ["+", " - ", "\n+ ", "+ "]
    text = TERMS[0]
    for k in range(1, n):
        text += ("\n" if "#" in text.rsplit("\n", 1)[-1] else "") + signs[k % len(signs)] + TERMS[k % len(TERMS)]
    return text


@pytest.mark.parametrize("n", [8, 30, 95, 200])
def test_pieces_make_the_same_tree(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_sums, "TERMS", 7)
    text = _sum(n)
    made = long_sums.parse_pieces(text)
    assert made is not None
    whole = ast.parse(f"({text}\n)", mode="eval").body
    assert ast.dump(made, include_attributes=True) == ast.dump(whole, include_attributes=True)


@pytest.mark.parametrize(
    "text",
    ["x" + " + x" * 400, "a > b" + " + x" * 600, "a if b else c" + " + x" * 600, "(x" + " + x" * 600 + ")"],
)
def test_what_is_no_long_sum_is_left_alone(text: str) -> None:
    assert long_sums.parse_pieces(text) is None
