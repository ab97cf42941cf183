"""What would take too much memory is refused with the number, from the shapes alone, whatever asks for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import gradcli
from gradcli import InputError

LARGE = {"sources": {"x": {"shape": [60_000], "fill": 1}}, "targets": "x * x"}
QUESTIONS = [gradcli.jacobian, gradcli.hessian, gradcli.compare]


@pytest.mark.parametrize("question", QUESTIONS)
def test_more_than_the_limit(question: Callable[..., object]) -> None:
    """60,000 x 60,000 doubles."""
    with pytest.raises(InputError) as raised:
        question(LARGE, max_memory=2**33)

    assert raised.value.faults[0].message == "this needs about 26.8 GiB of memory, more than the limit of 8.0 GiB"


@pytest.mark.parametrize("question", QUESTIONS)
def test_more_than_an_array_holds(question: Callable[..., object]) -> None:
    """Also where somebody allows it."""
    with pytest.raises(InputError) as raised:
        question(LARGE, max_memory=2**50)

    assert "(60000, 60000) has 3,600,000,000 entries, more than 1,000,000,000" in raised.value.faults[0].message


@pytest.mark.parametrize("expect", [{"jacobian": {"y": {"x": 0}}}, {"hessian": {"x": {"x": 0}}}])
@pytest.mark.parametrize("limit", [2**33, 2**50])
def test_a_large_expectation(expect: dict[str, object], limit: int) -> None:
    """It is named, and the file cannot be checked."""
    (file,) = gradcli.check({**LARGE, "expect": expect}, max_memory=limit).files

    assert file.faults[0].kind == "limit"
    assert file.faults[0].message.startswith(f"expected {next(iter(expect))} ")
