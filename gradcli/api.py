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
from gradcli.core.shapes import size
from gradcli.derive import gradient_nodes, hessian_nodes, rows_forward
from gradcli.document.problem import Problem, load
from gradcli.per_example import per_example
from gradcli.question import Options, Question, Source
from gradcli.results import Comparison, Gradient, Hessian, Jacobian

__all__ = ["compare", "grad", "hessian", "jacobian", "per_example"]

# compare takes its rows from the other mode than the gradient unless that needs far more work.
_FORWARD_ROWS = 4096
_FORWARD_FACTOR = 16
_ROUNDING = 4096


def grad(problem: Source, **options: Unpack[Options]) -> Gradient:
    """The summed gradient: for each source d(sum of output_gradient * target) / d source, in the source's shape."""
    q = Question.of(problem, options)
    p = q.program
    nodes = {(name,): v for name, v in gradient_nodes(p.graph, p.targets, p.sources, q.weights).items()}
    answer = q.run(nodes)
    q.write_formulas(nodes)
    gradient = {name: q.filled(answer[name,], s.shape) for name, s in p.sources.items()}
    return Gradient(gradient=gradient, **q.common(answer))


def jacobian(problem: Source, **options: Unpack[Options]) -> Jacobian:
    """The rows: for each target and source an array of shape target.shape + source.shape, unweighted."""
    q = Question.of(problem, options)
    rows = q.rows(lambda target: rows_forward(target, list(q.program.sources.values())))
    answer = q.run(rows)
    q.write_formulas(rows)
    return Jacobian(jacobian=q.rows_of(answer), **q.common(answer))


def compare(problem: Source, **options: Unpack[Options]) -> Comparison:
    """Rows and gradient side by side: the gradient by reverse mode, the rows by forward mode where sizes allow."""
    loaded = problem if isinstance(problem, Problem) else load(problem)
    found = _compare(loaded, options, forward=True)
    if not found.match and _orders_differ(found):
        found = _compare(loaded, options, forward=False)
    return found


def _orders_differ(c: Comparison) -> bool:
    """Whether rows and gradient differ only by the order of multiplication in the two modes: 0 * inf, or the rounding
    left of terms that cancel. Then rows by the same mode as the gradient say more."""
    arrays = [a for sums in (c.gradient, c.row_sum) for a in sums.values() if a is not None]
    if not all(np.isfinite(a).all() for a in arrays):
        return True
    scale = max([1.0, *[float(np.abs(a).max(initial=0.0)) for a in (*arrays, *c.targets.values())]])
    return c.max_abs_difference <= _ROUNDING * float(np.finfo(c.dtype).eps) * scale


def _compare(problem: Problem, options: Options, *, forward: bool) -> Comparison:
    q = Question.of(problem, options)
    p = q.program
    inputs = sum(size(s.shape) for s in p.sources.values())
    rows = q.rows(lambda target: forward and inputs <= max(_FORWARD_ROWS, _FORWARD_FACTOR * size(target.shape)))
    summed = gradient_nodes(p.graph, p.targets, p.sources, q.weights)
    answer = q.run({**rows, **{(name,): v for name, v in summed.items()}})
    q.write_formulas(rows)
    gradient = {name: q.filled(answer[name,], s.shape) for name, s in p.sources.items()}
    blocks = q.rows_of(answer)
    common = q.common(answer)
    found = compare_rows(gradient, blocks, common["weights"], common["targets"], np.dtype(q.dtype))
    common["notes"] = (*common["notes"], *found.notes)
    return Comparison(
        gradient=gradient,
        jacobian=blocks,
        row_sum=found.row_sum,
        max_abs_difference=found.max_abs_difference,
        match=found.match,
        exact=found.exact,
        **common,
    )


def hessian(problem: Source, **options: Unpack[Options]) -> Hessian:
    """The second derivatives of the weighted sum: for each pair of sources an array of shape a.shape + b.shape."""
    q = Question.of(problem, options)
    p = q.program
    shapes = {name: s.shape for name, s in p.sources.items()}
    q.refuse_large([a + b for a in shapes.values() for b in shapes.values()])
    nodes = hessian_nodes(p.graph, p.targets, p.sources, q.weights)
    answer = q.run(nodes, of=p.sources)
    q.write_formulas(nodes)
    blocks = {a: {b: q.filled(answer[a, b], shapes[a] + shapes[b]) for b in shapes} for a in shapes}
    return Hessian(hessian=blocks, **q.common(answer))
