"""The Python API: one function per question. The commands are thin on top of it.

    >>> import gradcli
    >>> gradcli.grad({"sources": {"x": 3.0}, "targets": "x * x"}).gradient["x"]
    array(6.)

`problem` is a path, `-` for standard input, a mapping with the sections of a file, or a `document.Problem`; the options
are those of `question.Options`. All raise `InputError` with everything that is wrong with the input.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from gradcli.agreement import compare_rows
from gradcli.document.problem import Problem, load
from gradcli.limits import LimitError
from gradcli.question import Options, Question, Source
from gradcli.results import Comparison, Gradient, Hessian, Jacobian, PerExample, Rows

__all__ = ["compare", "grad", "hessian", "jacobian", "per_example", "rows"]

_ROUNDING = 4096


def grad(problem: Source, **options: Unpack[Options]) -> Gradient:
    """The summed gradient: for each source d(sum of output_gradient * target) / d source, in the source's shape."""
    answer = Question.of(problem, options).ask("grad")
    return Gradient(gradient=answer.summed(), **answer.common())


def jacobian(problem: Source, **options: Unpack[Options]) -> Jacobian:
    """The rows: for each target and source an array of shape target.shape + source.shape, unweighted."""
    answer = Question.of(problem, options).ask("jacobian")
    return Jacobian(jacobian=answer.blocks(answer.targets, answer.sources), **answer.common())


def compare(problem: Source, **options: Unpack[Options]) -> Comparison:
    """Rows and gradient side by side: the gradient by reverse mode, the rows by forward mode where sizes allow."""
    loaded = problem if isinstance(problem, Problem) else load(problem)
    found = _compare(loaded, options, "compare")
    if not found.match and _orders_differ(found):
        found = _compare(loaded, options, "compare, rows backwards")
    return found


def _orders_differ(c: Comparison) -> bool:
    """Whether rows and gradient differ only by the order of multiplication in the two modes: 0 * inf, or the rounding
    left of terms that cancel. Then rows by the same mode as the gradient say more."""
    arrays = [a for sums in (c.gradient, c.row_sum) for a in sums.values() if a is not None]
    if not all(np.isfinite(a).all() for a in arrays):
        return True
    scale = max([1.0, *[float(np.abs(a).max(initial=0.0)) for a in (*arrays, *c.targets.values())]])
    return c.max_abs_difference <= _ROUNDING * float(np.finfo(c.dtype).eps) * scale


def _compare(problem: Problem, options: Options, ask: str) -> Comparison:
    answer = Question.of(problem, options).ask(ask)
    gradient, rows, common = answer.summed(), answer.blocks(answer.targets, answer.sources), answer.common()
    found = compare_rows(gradient, rows, common["weights"], common["targets"], np.dtype(answer.dtype))
    common["notes"] = (*common["notes"], *found.notes)
    return Comparison(
        gradient=gradient,
        jacobian=rows,
        row_sum=found.row_sum,
        max_abs_difference=found.max_abs_difference,
        match=found.match,
        exact=found.exact,
        **common,
    )


def hessian(problem: Source, **options: Unpack[Options]) -> Hessian:
    """The second derivatives of the weighted sum: for each pair of sources an array of shape a.shape + b.shape."""
    answer = Question.of(problem, options).ask("hessian")
    return Hessian(hessian=answer.blocks(answer.sources, answer.sources), **answer.common())


def per_example(problem: Source, **options: Unpack[Options]) -> PerExample:
    """The Jacobian of independent rows: for each target and source target.shape + source.shape[1:], the blocks of equal
    leading index."""
    from gradcli import per_example as rows

    return rows.per_example(problem, **options)


def rows(problem: Source, **options: Unpack[Options]) -> Jacobian | Rows:
    """The Jacobian; where it takes more memory than is allowed, its rows, which are computed as they are read."""
    loaded = problem if isinstance(problem, Problem) else load(problem)
    try:
        return jacobian(loaded, **options)
    except LimitError:
        pass  # what was built is let go before the rows are
    from gradcli.streaming import streamed

    return streamed(loaded, **options)
