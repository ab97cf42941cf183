"""What all questions share: the problem at its point, asking, and the parts of every result.

Neither this module nor what it loads at once needs sympy.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from functools import partial as bind
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradcli.answer import Answer
from gradcli.collecting import rare_collections
from gradcli.core.shapes import Shape
from gradcli.document.problem import Problem, load
from gradcli.errors import Fault, InputError
from gradcli.limits import refuse_large, refuse_memory
from gradcli.plan import Key, Plan, notes_of
from gradcli.results import Note
from gradcli.results.labels import entry_text
from gradcli.selection import choose

if TYPE_CHECKING:
    from gradcli.cache.folder import Folder
    from gradcli.cache.keeper import Keeper
    from gradcli.core.nodes import Value
    from gradcli.program import Program

__all__ = ["Options", "Question", "Source", "label_of"]

Source = str | os.PathLike[str] | Mapping[str, object] | Problem
Numbers = NDArray[Any]


class Options(TypedDict, total=False):
    """What every question takes besides the problem.

    targets, sources: choose by name (default: all); a source may be a let name, and `layer` stands for all `layer.*`.
    at: other values for sources. output_gradients: weights by target, a number or an array of the target's shape.
    unconnected: "none" (None) or "zero" (zeros) for a source that no target depends on.
    dtype: "float64" or "float32". as_written: do not rewrite what is written unstably.
    max_memory: refuse to use more bytes (default: a quarter of the machine's memory).
    formulas: also the derivatives as formulas, as text of the language or as "latex"; expand: without let names.
    cache: the folder in which compiled questions are kept (default: none).
    """

    targets: Iterable[str] | None
    sources: Iterable[str] | None
    at: Mapping[str, ArrayLike] | None
    output_gradients: Mapping[str, ArrayLike] | None
    unconnected: Literal["none", "zero"]
    dtype: str
    as_written: bool
    max_memory: int | None
    formulas: Literal["text", "latex"] | None
    expand: bool
    cache: Folder | None


@dataclass
class Question:
    """What all questions share: the problem at its point, asking, and the parts of every result.

    The graph is built only when it is asked for: a plan that was kept answers without it.
    """

    problem: Problem
    chosen_targets: list[str]
    chosen_sources: list[str]
    options: Options
    dtype: str

    @classmethod
    def of(cls, problem: Source, options: Options) -> Question:
        """The question about a problem; InputError with everything that is wrong with its sections or the options."""
        dtype = options.get("dtype", "float64")
        if dtype not in ("float64", "float32"):
            raise InputError(Fault("usage", f"dtype is float64 or float32, not {dtype!r}"))
        loaded = problem if isinstance(problem, Problem) else load(problem)
        loaded, targets, sources = choose(
            loaded, options.get("targets"), options.get("sources"), options.get("at"), options.get("output_gradients")
        )
        return cls(loaded, targets, sources, options, dtype)

    @cached_property
    def program(self) -> Program:
        """The graph; InputError with everything that is wrong with the expressions and the output gradients."""
        from gradcli.program import assemble

        p = assemble(
            self.problem, self.chosen_targets, self.chosen_sources, as_written=self.options.get("as_written", False)
        )
        self._check_weights(p)
        return p

    @cached_property
    def weights(self) -> dict[str, Numbers]:
        """The output gradients of the chosen targets: a scalar, or an array of the target's shape."""
        given = self.problem.output_gradients
        return {name: given[name] for name in given if name in self.chosen_targets}

    def _check_weights(self, p: Program) -> None:
        faults = [
            Fault(
                "shape",
                f"output_gradients of '{name}' has shape {weight.shape}, the target has {p.targets[name].shape}",
                "give a number, or an array of the target's shape",
                self.problem.places.get(("output_gradients", name)),
            )
            for name, weight in self.weights.items()
            if weight.shape not in ((), p.targets[name].shape)
        ]
        if faults:
            raise InputError(*faults)

    # -- asking ----------------------------------------------------------------------------------------------------

    def ask(self, name: str) -> Answer:
        """The answer to a question of `planning.ASKS`; by a plan that was kept, where there is one."""
        keeper = self._keeper(name)
        found = self._by_kept(keeper) if keeper else None
        if found is not None:
            return found
        from gradcli.planning import ASKS

        with rare_collections():
            p, ask = self.program, ASKS[name]
            result_bytes = self.refuse_large(ask.shapes(p))
            answer = self.run(ask.nodes(p, self.weights), result_bytes, of=ask.of(p))
        if keeper and not p.frozen:  # the graph does not depend on the point
            keeper.save(answer.plan)
        return answer

    def _keeper(self, name: str) -> Keeper | None:
        """None where no cache was asked for, or where the graph is needed anyway."""
        folder = self.options.get("cache")
        if folder is None or self.options.get("formulas") is not None:
            return None
        from gradcli.cache.keeper import Keeper

        as_written = self.options.get("as_written", False)
        facts = (name, self.dtype, as_written, self.chosen_targets, self.chosen_sources)
        return Keeper.of(folder, self.problem, facts)

    def _by_kept(self, keeper: Keeper) -> Answer | None:
        """None where no plan was kept, or where only the graph can say why something is not finite."""
        plan = keeper.load()
        if plan is None:
            return None
        try:
            self.refuse_memory(plan.result_bytes)
            self.refuse_memory(plan.peak_bytes)
            answer = self._carried_out(plan)
            return answer if answer.is_finite else None
        except InputError:
            raise
        except Exception:  # whatever is wrong with what was kept, it is made anew
            return None

    def run(
        self, nodes: Mapping[Key, Value | None], result_bytes: int, *, of: Mapping[str, Value] | None = None
    ) -> Answer:
        """The numbers of the nodes; of a key of two names the first is one of `of` (the targets, if not given).
        `result_bytes` is what `refuse_large` has said of them."""
        from gradcli.planning import plan_of

        plan = plan_of(self.program, nodes, result_bytes, self.dtype, self.refuse_memory)
        answer = self._carried_out(plan)
        formulas, gaps = self._formulas(nodes)
        notes = (*self._nonfinite_notes(answer, nodes, of or self.program.targets), *answer.notes, *gaps)
        return replace(answer, notes=notes, formulas=formulas)

    def _carried_out(self, plan: Plan) -> Answer:
        """What the plan finds at the point."""
        made = plan.executable(*self.problem.sources.values())
        notes = notes_of(plan.sights, made, self.problem.texts)
        return Answer(self.problem, plan, made, self.dtype, self.options.get("unconnected") == "zero", notes)

    def _nonfinite_notes(
        self, answer: Answer, nodes: Mapping[Key, Value | None], of: Mapping[str, Value]
    ) -> Iterator[Note]:
        """One note, for the first result that is not finite: targets before derivatives."""
        if answer.is_finite:
            return
        from gradcli.nonfinite import nonfinite_note

        p = self.program
        named = [(bind(_target_label, name), v, answer.targets[name]) for name, v in p.targets.items()]
        named += [
            (bind(label_of, k, of), v, a) for k, v in nodes.items() if v is not None and (a := answer[k]) is not None
        ]
        label, v, array = next(item for item in named if not np.isfinite(item[2]).all())
        yield nonfinite_note(p, label, v, array, self.dtype)

    def _formulas(self, nodes: Mapping[Key, Value | None]) -> tuple[dict[str, Any] | None, list[Note]]:
        """The formulas of the answer (of a comparison those of the rows), where they were asked for, and why there are
        none of some."""
        form = self.options.get("formulas")
        if form is None:
            return None, []
        from gradcli.formulas import formulas_of

        p, names = self.program, max((len(key) for key in nodes), default=0)
        found = formulas_of(
            p,
            {key: v for key, v in nodes.items() if len(key) == names},
            p.lets,
            expand=self.options.get("expand", False),
            latex=form == "latex",
            taken=self.problem.constants,
        )
        formulas: dict[str, Any] = {}
        for (first, *rest), text in found.formulas.items():
            if rest:
                formulas.setdefault(first, {})[rest[0]] = text
            else:
                formulas[first] = text
        return formulas, [Note("formula", gap.text) for gap in found.gaps]

    # -- limits ----------------------------------------------------------------------------------------------------

    def refuse_large(self, shapes: Iterable[Shape]) -> int:
        """The bytes of results of these shapes; LimitError where they take more than is allowed."""
        return refuse_large(shapes, np.dtype(self.dtype).itemsize, self.options.get("max_memory"))

    def refuse_memory(self, needed: int) -> None:
        """LimitError where that many bytes are more than is allowed."""
        refuse_memory(needed, self.options.get("max_memory"))


def _target_label(name: str, index: tuple[int, ...]) -> str:
    return name + entry_text(index)


def label_of(key: Key, of: Mapping[str, Value], index: tuple[int, ...]) -> str:
    """What an entry of an answer is called: `the gradient of x[0]`, `the derivative of y[0] by x[1]`."""
    if len(key) == 1:
        return f"the gradient of {key[0]}{entry_text(index)}"
    rank = of[key[0]].rank
    return f"the derivative of {key[0]}{entry_text(index[:rank])} by {key[1]}{entry_text(index[rank:])}"
