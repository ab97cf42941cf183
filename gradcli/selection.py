"""Which targets and sources, at which point: -t, -s, --at and --output-gradient applied to a problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from gradcli.document.problem import Problem, with_point
from gradcli.errors import Fault, InputError
from gradcli.language.names import did_you_mean, fold

__all__ = ["choose"]


def choose(
    problem: Problem,
    targets: Iterable[str] | None,
    sources: Iterable[str] | None,
    at: Mapping[str, ArrayLike] | None,
    output_gradients: Mapping[str, ArrayLike] | None,
) -> tuple[Problem, list[str], list[str]]:
    """The problem at its point, and the names of the chosen targets and sources; InputError for unknown ones.

    No sources are an error, unless an empty list asks for none.
    """
    if at:
        point = {name: np.asarray(value, dtype=np.float64) for name, value in at.items()}
        problem = with_point(problem, point, new_sources=not problem.sources and problem.file is None)
    faults: list[Fault] = []
    asked = None if sources is None else list(sources)
    chosen_targets = _targets(problem, targets, faults)
    chosen_sources = _sources(problem, asked, faults)
    if output_gradients:
        weights = {name: np.asarray(value, dtype=np.float64) for name, value in output_gradients.items()}
        unknown = [name for name in weights if name not in problem.targets]
        faults.extend(_unknown("target", name, list(problem.targets)) for name in unknown)
        problem = replace(problem, output_gradients={**problem.output_gradients, **weights})
    if faults:
        raise InputError(*faults)
    if not chosen_sources and asked != []:
        raise InputError(
            Fault("sources", "there is nothing to differentiate by", "add sources: to the file, or name a let with -s")
        )
    return problem, chosen_targets, chosen_sources


def _unknown(what: str, name: str, known: list[str]) -> Fault:
    guess = did_you_mean(name, known)
    help = f"did you mean '{guess}'?" if guess else f"there are: {', '.join(known[:12])}" if known else None
    return Fault("name", f"there is no {what} '{name}'", help)


def _targets(problem: Problem, targets: Iterable[str] | None, faults: list[Fault]) -> list[str]:
    if targets is None:
        return list(problem.targets)
    by_fold = {fold(name): name for name in problem.targets}
    chosen = []
    for name in targets:
        if fold(name) in by_fold:
            chosen.append(by_fold[fold(name)])
        else:
            faults.append(_unknown("target", name, list(problem.targets)))
    return list(dict.fromkeys(chosen))


def _sources(problem: Problem, sources: Iterable[str] | None, faults: list[Fault]) -> list[str]:
    """Sources, let names, and `layer` for all `layer.*`."""
    if sources is None:
        return list(problem.sources)
    by_fold = {fold(name): name for name in (*problem.sources, *problem.lets)}
    chosen: list[str] = []
    for name in sources:
        group = [s for s in problem.sources if fold(s).startswith(f"{fold(name)}.")]
        if fold(name) in by_fold:
            chosen.append(by_fold[fold(name)])
        elif group:
            chosen.extend(group)
        else:
            faults.append(_unknown("source", name, list(by_fold.values())))
    return list(dict.fromkeys(chosen))
