"""A problem -> its graph: constants, sources, lets in the order of their dependence, targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops.elementwise import named
from gradcli.core.rewrite import rewrite
from gradcli.document.problem import Problem
from gradcli.errors import Fault, InputError
from gradcli.language.build import CONSTANTS, Builder, unknown_name
from gradcli.language.convert import Converter
from gradcli.language.names import fold
from gradcli.language.parse import Expression, parse
from gradcli.language.source import Text

__all__ = ["Program", "assemble"]


@dataclass(frozen=True)
class Program:
    """The graph of a problem.

    Attributes:
        inputs: the value of each source of the file, in the order of the file; `point` has their numbers.
        sources: what was asked to be differentiated by: file sources and let names.
        targets: the value of each target that was asked for.
        lets: the value of each let name.
        frozen: values that serve as an index and were taken at the point, with where.
        size: how many values the graph has before anything is differentiated.
        builder: builds more texts into the graph; it knows the names of the file.
    """

    graph: Graph
    inputs: dict[str, Value]
    point: list[NDArray[Any]]
    sources: dict[str, Value]
    targets: dict[str, Value]
    lets: dict[str, Value]
    frozen: list[tuple[Value, Any]]
    size: int
    builder: Builder

    def build(self, text: Text, *, as_written: bool = False) -> Value:
        """The value of one more expression, in the names of the file; InputError where it is wrong."""
        faults: list[Fault] = []
        made = _parsed({text.owner: text}, set(self.builder.names), set(map(fold, self.targets)), faults)
        if faults:
            raise InputError(*faults)
        value = self.builder.build(made[text.owner])
        return value if as_written else rewrite(self.graph, [value]).get(value, value)


def assemble(problem: Problem, targets: Iterable[str], sources: Iterable[str], *, as_written: bool = False) -> Program:
    """The program for some of the targets and sources (names that exist); InputError with all that is wrong.

    What is written unstably is rewritten unless `as_written`.
    """
    g = Graph()
    names: dict[str, Value] = {}
    inputs: dict[str, Value] = {}
    for name, array in problem.sources.items():
        inputs[name] = names[fold(name)] = g.input(array.shape)
    for name, array in problem.constants.items():
        names[fold(name)] = g.constant(array)
    point = list(problem.sources.values())
    converter = Converter(g, {v.index: a for v, a in zip(inputs.values(), point, strict=True)})
    builder = Builder(g, names, converter)
    faults: list[Fault] = []
    known = {*names, *map(fold, problem.lets)}
    labels = set(map(fold, problem.targets))
    lets = _parsed(problem.lets, known, labels, faults)
    texts = _parsed(problem.targets, known, labels, faults)
    wanted = set(sources)
    dead = set(map(fold, problem.lets)) - set(map(fold, lets))  # what does not parse is reported once
    for name in _ordered(lets, faults):
        value = _built(builder, lets[name], dead, faults)
        if value is None:
            dead.add(fold(name))
            continue
        if name in wanted:
            value = named(g, value, params=(name,))
        names[fold(name)] = value
    made = {name: _built(builder, x, dead, faults) for name, x in texts.items()}
    if faults:
        raise InputError(*sorted(faults, key=_in_order))
    chosen_sources = {name: names[fold(name)] for name in sources}
    chosen_targets = {name: value for name in targets if (value := made[name]) is not None}
    named_lets = {name: names[fold(name)] for name in lets}
    if not as_written:
        new = rewrite(g, chosen_targets.values())
        chosen_sources, chosen_targets, named_lets = (
            {name: new.get(v, v) for name, v in values.items()}
            for values in (chosen_sources, chosen_targets, named_lets)
        )
    return Program(
        g,
        inputs,
        point,
        chosen_sources,
        chosen_targets,
        named_lets,
        converter.frozen,
        len(g),
        builder,
    )


def _in_order(fault: Fault) -> tuple[int, int]:
    place = fault.place
    return (place.line or 0, place.column or 0) if place else (0, 0)


def _parsed(texts: Mapping[str, Text], known: set[str], labels: set[str], faults: list[Fault]) -> dict[str, Expression]:
    """The syntax of each text, its names checked; what is wrong goes to `faults`."""
    dotted = {name for name in known if "." in name}
    out = {}
    for name, text in texts.items():
        try:
            x = parse(text, dotted)
        except InputError as e:
            faults.extend(e.faults)
            continue
        unknown = [n for n in x.references if n[0] not in known and n[0] not in CONSTANTS]
        faults.extend(x.fault(node, *unknown_name(n, text.owner, sorted(known), labels)) for n, node in unknown)
        if not unknown:
            out[name] = x
    return out


def _ordered(lets: Mapping[str, Expression], faults: list[Fault]) -> list[str]:
    """The lets, each after those it uses. Lets that use each other in a circle are faults and left out."""
    by_fold = {fold(name): name for name in lets}
    uses = {name: [by_fold[n] for n, _ in x.references if n in by_fold] for name, x in lets.items()}
    order: list[str] = []
    state: dict[str, int] = {}  # 1: on the path, 2: done
    for root in lets:
        work = [(root, iter(uses[root]))] if root not in state else []
        state.setdefault(root, 1)
        while work:
            name, rest = work[-1]
            used = next(rest, None)
            if used is None:
                work.pop()
                state[name] = 2
                order.append(name)
            elif used not in state:
                state[used] = 1
                work.append((used, iter(uses[used])))
            elif state[used] == 1:
                path = [n for n, _ in work]
                circle = [*path[path.index(used) :], used]
                faults.append(_circle(lets, circle))
    return order


def _circle(lets: Mapping[str, Expression], circle: list[str]) -> Fault:
    shown = circle if len(circle) <= 8 else [*circle[:4], "...", *circle[-3:]]
    x = lets[circle[0]]
    return x.text.fault("cycle", f"let names are defined by each other: {' -> '.join(shown)}", "break the circle")


def _built(builder: Builder, x: Expression, dead: set[str], faults: list[Fault]) -> Value | None:
    """The value of an expression; None where it, or something that it uses, is wrong."""
    if any(n in dead for n, _ in x.references):
        return None
    missing = [node for n, node in x.references if n not in builder.names and n not in CONSTANTS]
    if missing:  # a let inside a circle, which is reported already
        return None
    try:
        return builder.build(x)
    except InputError as e:
        faults.extend(e.faults)
        return None
