"""The checks are tested with wrong rules: each must be caught, in both modes and at second order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.core import differentiate
from gradcli.core.families import Cut, Op, Partial
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Literal, Value
from gradcli.core.ops.elementwise import ELEMENTWISE
from tests import oracle
from tests.oracle import Subject, close, generator

CHECKS: dict[str, Callable[[Subject], None]] = {
    "reverse": lambda s: oracle.check_differences(s, forward=False),
    "forward": lambda s: oracle.check_differences(s, forward=True),
    "modes": oracle.check_modes,
    "inner product": oracle.check_inner_product,
    "second order": oracle.check_second_order,
}
Patch = pytest.MonkeyPatch


def subject(text: str, **shapes: tuple[int, ...]) -> Subject:
    """Positive entries; square matrices are far from singular."""
    rng = generator(text)
    point = {name: rng.uniform(0.6, 1.9, shape) for name, shape in shapes.items()}
    return Subject(text, {n: a + 3 * np.eye(len(a)) if a.shape in {(2, 2), (3, 3)} else a for n, a in point.items()})


def caught_by(s: Subject) -> set[str]:
    """The checks that complain."""
    found = set()
    for name, check in CHECKS.items():
        try:
            check(s)
        except AssertionError:
            found.add(name)
    return found


def op_of(text: str, name: str, **shapes: tuple[int, ...]) -> Op:
    """The op `name` in the graph of an expression."""
    graph = subject(text, **shapes).graph
    return next(node.op for node in graph.definitions if node is not None and node.op.name == name)


def times(g: Graph, v: Value, number: float) -> Value:
    return ELEMENTWISE["mul"](g, v, g.literal(number))


_CUT = Cut("frozen", lambda node: node.args[0].name, kind="float", shape=lambda args, params: args[0].shape)


def frozen(g: Graph, v: Value) -> Value:
    """The right number, through which no derivative passes."""
    return v if isinstance(v, Literal) else g.apply(_CUT, (v,))


# -- partials, which both modes share ---------------------------------------------------------------------------------


def scaled_partial(number: float) -> Any:
    """Every partial times a number."""

    def wrong(right: Any) -> Any:
        def partial(g: Graph, node: Apply, out: Value, *i: int) -> Partial:
            p = right(g, node, out, *i)
            factor = g.literal(number) if p.factor is None else times(g, p.factor, number)
            return p._replace(factor=factor)

        return partial

    return wrong


def swapped_operands(right: Any) -> Any:
    """The partial of the other operand."""
    return lambda g, node, out, i: right(g, node, out, 1 - i)


def frozen_partial(right: Any) -> Any:
    """Right at first order; as a constant it has no second."""

    def partial(g: Graph, node: Apply, out: Value, *i: int) -> Partial:
        p = right(g, node, out, *i)
        factor, divisor = (None if v is None else frozen(g, v) for v in (p.factor, p.divisor))
        return p._replace(factor=factor, divisor=divisor)

    return partial


def without_gate(right: Any) -> Any:
    """The branch that is not taken counts too."""
    return lambda g, node, out, i: right(g, node, out, i)._replace(gate=None)


FIRST = {"reverse", "forward"}  # the gradient is wrong, and its own derivative is right
BOTH = {"reverse", "forward", "second order"}
# expression, op, wrong rule, shapes, checks that must complain
PARTIALS = [
    ("sin(x)", "sin", scaled_partial(-1.0), {"x": (3,)}, FIRST),
    ("sin(x)", "sin", scaled_partial(1.001), {"x": (3,)}, FIRST),
    ("sin(x)", "sin", frozen_partial, {"x": (3,)}, {"second order"}),
    ("x / y", "div", swapped_operands, {"x": (3,), "y": (3,)}, BOTH),
    ("x / y", "div", scaled_partial(1.001), {"x": (3,), "y": (1,)}, BOTH),
    ("x / y", "div", frozen_partial, {"x": (3,), "y": (3,)}, {"second order"}),
    ("x * y", "mul", swapped_operands, {"x": (2, 2), "y": (2, 2)}, BOTH),
    ("exp(x - y)", "sub", scaled_partial(-1.0), {"x": (3,), "y": ()}, FIRST),
    ("tanh(x)", "tanh", frozen_partial, {"x": (3,)}, {"second order"}),
    ("maximum(x, y)", "maximum", swapped_operands, {"x": (4,), "y": (4,)}, FIRST),
    ("maximum(x, y)", "maximum", without_gate, {"x": (4,), "y": (4,)}, FIRST),
    ("where(x > 1, x * x, exp(x))", "where", without_gate, {"x": (4,)}, FIRST),
    ("norm(x)", "norm2", scaled_partial(1.001), {"x": (3,)}, BOTH),
    ("norm(x)", "norm2", frozen_partial, {"x": (3,)}, {"second order"}),
    ("logsumexp(x, axis=0)", "logsumexp", scaled_partial(1.001), {"x": (3, 2)}, BOTH),
    ("prod(x)", "prod", frozen_partial, {"x": (3,)}, {"second order"}),
    ("det(x)", "det", scaled_partial(-1.0), {"x": (2, 2)}, FIRST),
]


@pytest.mark.parametrize(("text", "name", "wrong", "shapes", "expected"), PARTIALS)
def test_wrong_partial(
    monkeypatch: Patch, text: str, name: str, wrong: Any, shapes: dict[str, tuple[int, ...]], expected: set[str]
) -> None:
    assert caught_by(subject(text, **shapes)) == set()
    op = op_of(text, name, **shapes)
    monkeypatch.setattr(op, "partial", wrong(op.partial))  # type: ignore[attr-defined]
    assert caught_by(subject(text, **shapes)) >= expected


# -- rules of structural ops, one per mode ----------------------------------------------------------------------------


def scaled_rule(number: float) -> Any:
    return lambda right: lambda g, node, out, i, t: times(g, right(g, node, out, i, t), number)


def transposed_operand(right: Any) -> Any:
    """The rule applied to the transposed (co)tangent."""

    def wrong(g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        from gradcli.core.ops.shape import transpose

        n = t.rank
        return right(g, node, out, i, transpose(g, t, (*range(n - 2), n - 1, n - 2)))  # type: ignore[no-any-return]

    return wrong


def frozen_value(right: Any) -> Any:
    """Right at first order, but the value in the rule is a constant."""
    return lambda g, node, out, i, t: right(g, node, frozen(g, out), i, t)


def first_operand_only(right: Any) -> Any:
    """The rule of operand 0 for all of them."""
    return lambda g, node, out, i, t: right(g, node, out, 0, t)


def not_reversed(right: Any) -> Any:
    """The adjoint of a sum from the front is one from the end."""
    return lambda g, node, out, i, t: g.apply(node.op, (t,), node.params)


BACK = {"reverse", "modes", "inner product"}
AHEAD = {"forward", "modes", "inner product"}
# expression, op, mode, wrong rule, shapes, checks that must complain
RULES = [
    ("inv(x)", "inv", "vjp", scaled_rule(-1.0), {"x": (2, 2)}, BACK),
    ("inv(x)", "inv", "jvp", scaled_rule(-1.0), {"x": (2, 2)}, AHEAD),
    ("inv(x)", "inv", "vjp", scaled_rule(1.001), {"x": (2, 2)}, BACK),
    ("inv(x)", "inv", "jvp", scaled_rule(1.001), {"x": (2, 2)}, AHEAD | {"second order"}),
    ("inv(x)", "inv", "vjp", transposed_operand, {"x": (2, 2)}, BACK),
    ("inv(x)", "inv", "jvp", transposed_operand, {"x": (2, 2)}, AHEAD),
    ("inv(x)", "inv", "vjp", frozen_value, {"x": (2, 2)}, {"second order"}),
    ("inv(x)", "inv", "jvp", frozen_value, {"x": (2, 2)}, {"second order"}),
    ("solve(x, y)", "solve", "vjp", scaled_rule(1.001), {"x": (2, 2), "y": (2,)}, BACK),
    ("solve(x, y)", "solve", "jvp", frozen_value, {"x": (2, 2), "y": (2,)}, {"second order"}),
    ("softmax(x)", "softmax", "vjp", frozen_value, {"x": (3,)}, {"second order"}),
    ("softmax(x)", "softmax", "jvp", scaled_rule(1.001), {"x": (3,)}, {"forward"}),
    ("log_softmax(x)", "log_softmax", "vjp", scaled_rule(1.001), {"x": (2, 3)}, BACK),
    ("cumprod(x)", "cumprod", "jvp", frozen_value, {"x": (3,)}, {"second order"}),
    ("exp(x.T) * y", "transpose", "vjp", scaled_rule(-1.0), {"x": (2, 2), "y": (2, 2)}, BACK),
    ("exp(x.T) * y", "transpose", "vjp", transposed_operand, {"x": (2, 2), "y": (2, 2)}, BACK),
    ("exp(x[1:])", "slice", "vjp", scaled_rule(1.001), {"x": (3,)}, BACK),
    ("exp(x[1:])", "slice", "jvp", scaled_rule(1.001), {"x": (3,)}, AHEAD),
    ("x[[0, 0, 2]]", "take", "vjp", scaled_rule(0.5), {"x": (3,)}, BACK),
    ("exp(concatenate([x, y]))", "concatenate", "vjp", first_operand_only, {"x": (2,), "y": (2,)}, BACK),
    ("exp(concatenate([x, y]))", "concatenate", "jvp", first_operand_only, {"x": (2,), "y": (2,)}, AHEAD),
    ("cumsum(x)", "cumsum", "vjp", not_reversed, {"x": (3,)}, BACK),
]


@pytest.mark.parametrize(("text", "name", "mode", "wrong", "shapes", "expected"), RULES)
def test_wrong_rule(
    monkeypatch: Patch,
    text: str,
    name: str,
    mode: str,
    wrong: Any,
    shapes: dict[str, tuple[int, ...]],
    expected: set[str],
) -> None:
    assert caught_by(subject(text, **shapes)) == set()
    op = op_of(text, name, **shapes)
    monkeypatch.setattr(op, mode, wrong(getattr(op, mode)))
    assert caught_by(subject(text, **shapes)) >= expected


# -- what the driver does ---------------------------------------------------------------------------------------------


def test_a_mean_instead_of_a_sum_after_broadcasting(monkeypatch: Patch) -> None:
    """Missing copies of an operand that broadcasting repeated."""
    right = differentiate._fold_to

    def wrong(g: Graph, t: Any, a: Value) -> Any:
        made = right(g, t, a)
        return made if made.shape == t.shape else made._replace(value=times(g, made.value, 0.5))

    monkeypatch.setattr(differentiate, "_fold_to", wrong)
    assert caught_by(subject("x * y", x=(2, 3), y=(3,))) >= BACK
    assert caught_by(subject("exp(x * y)", x=(), y=(2,))) >= BACK


def test_a_transposed_factor(monkeypatch: Patch) -> None:
    """A contraction with the other factor transposed: square, so that the shapes fit."""
    right = differentiate._contracted

    def wrong(g: Graph, node: Apply, i: int, t: Any, given: Any, wanted: Any, shape: Any, **options: Any) -> Any:
        la, lb, lo = node.params[:3]
        flipped = Apply(node.op, node.args, (la, lb[::-1], lo) if i == 0 else (la[::-1], lb, lo))
        return right(g, flipped, i, t, given, wanted, shape, **options)

    monkeypatch.setattr(differentiate, "_contracted", wrong)
    assert caught_by(subject("x @ y", x=(3, 3), y=(3, 3))) >= {"reverse", "forward"}


def test_a_lost_path(monkeypatch: Patch) -> None:
    """A value that is used twice, whose second use overwrites the first."""

    def wrong(g: Graph, held: Any, v: Value, new: Any, *, keep_mask: bool) -> None:
        held[v.index] = new

    monkeypatch.setattr(differentiate, "_accumulate", wrong)
    assert caught_by(subject("x * x + x * y", x=(2,), y=(2,))) >= {"reverse", "forward"}


# -- the parts of the oracle ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (None, 0.0),
        (0.0, None),
        ([1.0], 1.0),
        ([1.0, 2.0], [1.0, 2.0000001]),
        (np.nan, 1.0),
        (1.0, np.nan),
        (np.inf, -np.inf),
        ([np.inf, 1.0], [np.nan, 1.0]),
        (1e300, np.inf),
    ],
)
def test_close_refuses(actual: Any, expected: Any) -> None:
    with pytest.raises(AssertionError):
        close(actual, expected, "these")


@pytest.mark.parametrize("x", [None, 0.0, [1.0, np.nan, -np.inf], np.zeros((0, 3)), [1e300, 1.0]])
def test_close_accepts(x: Any) -> None:
    close(x, x, "these")


def test_close_says_what_differs() -> None:
    with pytest.raises(AssertionError) as caught:
        close(np.array([1.0, 2.0]), np.array([1.0, 3.0]), "f: rows")
    assert str(caught.value) == "f: rows: got\n[1. 2.]\nexpected\n[1. 3.]\nthey differ by 1, more than 3e-10"


def test_exact_differences() -> None:
    """With a step of 1 a bilinear function leaves no error but rounding; five points do not need it."""
    s = subject("x @ y", x=(2, 3), y=(3, 2))
    u = s.direction
    expected = u["x"] @ s.point["y"] + s.point["x"] @ u["y"]
    (exact,) = s.differences([s.target], exact=True)
    assert np.abs(exact - expected).max() < 1e-14
    (near,) = s.differences([s.target])
    assert 1e-16 < np.abs(near - expected).max() < 1e-11


def test_five_points() -> None:
    """The error of the stencil is that of the fifth derivative: nothing for a polynomial of degree 4."""
    s = Subject("x**4 - 3 * x**3", {"x": np.array(1.5)})
    (found,) = s.differences([s.target])
    assert abs(found - (4 * 1.5**3 - 9 * 1.5**2) * s.direction["x"]) < 1e-11


def test_directions_are_fixed() -> None:
    """The same expression gets the same direction in every run, and no entry of it is small."""
    first, second = (subject("x * y", x=(2, 3), y=(3,)).direction for _ in range(2))
    assert all(np.array_equal(first[n], second[n]) for n in first)
    assert min(np.abs(u).min() for u in first.values()) > 0.1
