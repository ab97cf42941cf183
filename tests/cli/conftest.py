"""A stand-in for the API, so that the command line is tested without a graph."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from gradcli.results import Comparison, Gradient, Hessian, Jacobian, Note


class FakeApi(ModuleType):
    """Answers every question with `answers[question]`, or raises it, and keeps what it was asked."""

    def __init__(self, answers: dict[str, Any]) -> None:
        super().__init__("gradcli.api")
        self.answers = answers
        self.calls: list[tuple[str, Any, dict[str, Any]]] = []
        for question in answers:
            setattr(self, question, self._ask(question))

    def _ask(self, question: str) -> Callable[..., Any]:
        def ask(problem: object, **options: object) -> object:
            self.calls.append((question, problem, options))
            answer = self.answers[question]
            if isinstance(answer, BaseException):
                raise answer
            return answer

        return ask


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch, two_scalars: Comparison) -> FakeApi:
    """`gradcli.api`, which answers with small results; set `api.answers[question]` for others."""
    facts: dict[str, Any] = {"targets": two_scalars.targets, "sources": two_scalars.sources}
    notes = (Note("kink", "abs at 0: 0 was taken", 4),)
    block = {"x1": np.array(1.0), "x2": np.array(2.0)}
    answers = {
        "grad": Gradient(gradient={"x1": np.array(11.5), "x2": None}, notes=notes, **facts),
        "jacobian": Jacobian(jacobian=two_scalars.jacobian, **facts),
        "compare": two_scalars,
        "hessian": Hessian(hessian={"x1": block, "x2": block}, **facts),
    }
    fake = FakeApi(answers)
    monkeypatch.setitem(sys.modules, "gradcli.api", fake)
    return fake


def _without_reader(*command: str, **options: Any) -> tuple[int, str]:
    with subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        error = process.stderr.read()
        return process.wait(timeout=60), error


@pytest.fixture
def without_reader() -> Callable[..., tuple[int, str]]:
    """`without_reader(*arguments of python, **options of Popen)`: status and standard error where nobody reads."""
    return _without_reader
