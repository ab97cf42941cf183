"""What the tests of formulas share: the formulas of a problem, and their values read back through the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gradcli.core.compile import compile_graph
from gradcli.derive import gradient_nodes, hessian_nodes, jacobian_nodes
from gradcli.document.problem import Problem, load
from gradcli.formulas import Formulas, formulas_of
from gradcli.program import Program, assemble


@dataclass(frozen=True)
class Asked:
    """A question and its formulas."""

    problem: Problem
    program: Program
    nodes: Mapping[Any, Any]
    found: Formulas

    def __getitem__(self, key: Any) -> Any:
        return self.found.formulas[key]

    @property
    def gaps(self) -> list[str]:
        return [gap.text for gap in self.found.gaps]

    def numbers(self) -> dict[Any, Any]:
        """The numeric answers at the point."""
        keys = [key for key, node in self.nodes.items() if node is not None]
        inputs = list(self.program.inputs.values())
        made = compile_graph(self.program.graph, inputs, [self.nodes[k] for k in keys])(*self.program.point)
        return dict(zip(keys, made, strict=True))

    def read_back(self) -> Iterator[tuple[Any, float, float]]:
        """(where, value of the formula, numeric value) for each formula, computed by the language from its text."""
        places = [(key, place) for key, array in self.numbers().items() for place in np.ndindex(array.shape)]
        texts = {f"t{k}": text_at(self[key], place) for k, (key, place) in enumerate(places)}
        if not any(text is not None for text in texts.values()):
            return
        again = load(
            {
                "sources": dict(self.problem.sources),
                "let": {name: text.text for name, text in self.problem.lets.items()},
                "targets": {name: text for name, text in texts.items() if text is not None},
            }
        )
        program = assemble(again, list(again.targets), [], as_written=True)
        values = compile_graph(program.graph, list(program.inputs.values()), list(program.targets.values()))
        numbers = dict(zip(again.targets, values(*program.point), strict=True))
        answers = self.numbers()
        for k, (key, place) in enumerate(places):
            if texts[f"t{k}"] is not None:
                yield (key, place, texts[f"t{k}"]), float(numbers[f"t{k}"]), float(answers[key][place])


def text_at(nested: Any, place: tuple[int, ...]) -> Any:
    for k in place:
        nested = None if nested is None else nested[k]
    return nested


def _ask(
    target: str,
    sources: Mapping[str, Any],
    *,
    what: str = "gradient",
    lets: Mapping[str, str] | None = None,
    by: list[str] | None = None,
    **options: Any,
) -> Asked:
    problem = load({"sources": dict(sources), "let": dict(lets or {}), "targets": target})
    program = assemble(problem, list(problem.targets), by or list(problem.sources))
    g, targets, chosen = program.graph, program.targets, program.sources
    nodes: Mapping[Any, Any]
    if what == "gradient":
        nodes = gradient_nodes(g, targets, chosen, {})
    elif what == "hessian":
        nodes = hessian_nodes(g, targets, chosen, {})
    else:
        nodes = {
            (name, source): node
            for name, value in targets.items()
            for source, node in jacobian_nodes(g, value, chosen, forward=what == "forward").items()
        }
    return Asked(problem, program, nodes, formulas_of(program, nodes, program.lets, **options))


@pytest.fixture
def ask() -> Callable[..., Asked]:
    """`ask(target, sources, what="gradient", lets=None, by=None, **options)`: a problem and the formulas of it."""
    return _ask
