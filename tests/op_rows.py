"""The table: one row per function of the language, and one per operator and form of index.

A row holds example expressions with operands of several shapes, a reference for the value (NumPy or SciPy), the domain
of the operands, points at kinks with the right value and derivatives, and inputs that must be refused with their whole
message. `core/test_ops.py` holds every property against every row; `test_complete.py` holds that no row is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.special as ss
from numpy.typing import NDArray

from tests.oracle import generator

Array = NDArray[Any]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]
NAN, INF = float("nan"), float("inf")


# -- domains: points without ties, and away from where a difference would cross a kink --------------------------------


def between(*bounds: float) -> Draw:
    """Entries spread over [lo, hi] (or several such intervals, in turn), no two of them equal."""
    intervals = list(zip(bounds[::2], bounds[1::2], strict=True))

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        n = int(np.prod(shape))
        cells = rng.permutation((np.arange(n) + 0.5 + rng.uniform(-0.3, 0.3, n)) / max(n, 1))
        ends = np.array([intervals[k % len(intervals)] for k in range(n)]).reshape(n, 2)
        return (ends[:, 0] + cells * (ends[:, 1] - ends[:, 0])).reshape(shape)

    return draw


def regular(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Matrices that are far from singular."""
    return rng.uniform(-1, 1, shape) + 2 * np.eye(shape[-1])[: shape[-2]]


def definite(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Symmetric positive definite matrices."""
    a = rng.uniform(-1, 1, shape)
    return a @ np.swapaxes(a, -1, -2) + 2 * np.eye(shape[-1])


ANY = between(-1.9, 2.1)
POSITIVE = between(0.4, 2.3)
OPEN_UNIT = between(-0.8, 0.8)
NOT_ZERO = between(-2.1, -0.3, 0.3, 2.1)
BETWEEN_INTEGERS = between(-1.85, -1.15, -0.85, -0.65, 0.65, 0.85, 1.15, 1.35, 2.15, 2.35)


# -- the parts of a row -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """`reference(**point)` is the value of `text`. `stack`: a further leading axis on all operands may be added."""

    text: str
    reference: Callable[..., Any]
    shapes: Mapping[str, Any]
    constants: Mapping[str, Any] = field(default_factory=dict)
    stack: bool = False

    def draw(self, row: Row, seed: str = "") -> dict[str, Array]:
        """A point in the domain: always the same one for the same seed."""
        rng = generator(f"{self.text}{sorted(self.shapes)}{seed}")
        return {
            name: (row.domains.get(name, row.domain)(rng, what) if isinstance(what, tuple) else np.asarray(what, float))
            for name, what in self.shapes.items()
        }


@dataclass(frozen=True)
class Kink:
    """The right answers at one point: the value, the gradient of its sum by each source (None: unconnected), and
    the second derivatives of the sum, in rows of all entries of all sources, where they are part of the contract."""

    text: str
    point: Mapping[str, Any]
    value: Any
    gradient: Mapping[str, Any]
    second: Any = None


@dataclass(frozen=True)
class Bad:
    """`text` with operands of these shapes is refused with this message, and with this help if one is given."""

    text: str
    message: str
    help: str | None = None
    shapes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """Attributes:

    degree: 1 where the function is linear in its operands, 2 where it is bilinear: then differences are exact.
    derivative: "d", "0" (connected, derivative 0) or "cut" (unconnected).
    domain, domains: where operands are drawn from; by name where one has its own.
    """

    name: str
    examples: tuple[Example, ...]
    degree: int | None = None
    derivative: str = "d"
    domain: Draw = ANY
    domains: Mapping[str, Draw] = field(default_factory=dict)
    kinks: tuple[Kink, ...] = ()
    bad: tuple[Bad, ...] = ()


def ex(text: str, reference: Callable[..., Any], /, *, stack: bool = False, **shapes: Any) -> Example:
    """An example; a shape draws an operand from the domain, a list gives it as it is."""
    return Example(text, reference, shapes, stack=stack)


def bad(text: str, message: str, help: str | None = None, /, **shapes: Any) -> Bad:
    return Bad(text, message, help, shapes)


def kink(text: str, point: Mapping[str, Any], value: Any, second: Any = None, /, **gradient: Any) -> Kink:
    return Kink(text, point, value, gradient, second)


def at(text: str, x: Any, value: Any, gradient: Any, second: Any = None) -> Kink:
    """A kink of a function of x alone."""
    return Kink(text, {"x": x}, value, {"x": gradient}, second)


ROWS: list[Row] = []


def row(name: str, *examples: Example, **options: Any) -> None:
    ROWS.append(Row(name, examples, **options))


def one(name: str, reference: Callable[..., Any], domain: Draw = ANY, **options: Any) -> None:
    """A row for an elementwise function of one operand."""
    text = f"{name}(x)"
    examples = (ex(text, reference, x=(), stack=True), ex(text, reference, x=(2, 3)))
    more = tuple(options.pop("more", ()))
    wrong = (bad(f"{name}()", f"{name} misses 'x'", f"it is {name}(x)"), *options.pop("bad", ()))
    if options.pop("plain", True):
        options["bad"] = wrong
    row(name, *examples, *more, domain=domain, **options)


def two(name: str, reference: Callable[..., Any], text: str | None = None, **options: Any) -> None:
    """A row for an elementwise function of x and y, over patterns of broadcasting."""
    text = text or f"{name}(x, y)"
    patterns: list[tuple[Any, Any]] = [((), ()), ((2, 3), (2, 3)), ((2, 3), (3,)), ((), (2, 2)), ((2, 1), (1, 3))]
    patterns += [((3, 1, 1), (2, 1))]
    examples = [ex(text, reference, x=a, y=b, stack=a == b) for a, b in patterns]
    wrong = (bad(f"{name}(x, y)", "shapes (2,) and (3,) do not broadcast", x=(2,), y=(3,)),) if name.isalnum() else ()
    wrong = tuple(Bad(b.text, f"{name}: {b.message}", b.help, b.shapes) for b in wrong)
    row(name, *examples, *options.pop("more", ()), bad=(*wrong, *options.pop("bad", ())), **options)


# -- operators --------------------------------------------------------------------------------------------------------


def _operator_error(symbol: str) -> Bad:
    return bad(f"x {symbol} y", f"x (2, 3) {symbol} y (2,): the shapes do not broadcast", x=(2, 3), y=(2,))


two("+", lambda x, y: x + y, "x + y", degree=1, bad=(_operator_error("+"),))
two("-", lambda x, y: x - y, "x - y", degree=1, bad=(_operator_error("-"),))
two(
    "*",
    lambda x, y: x * y,
    "x * y",
    degree=2,
    bad=(_operator_error("*"),),
    kinks=(kink("x * y", {"x": 0.0, "y": INF}, NAN, x=INF, y=0.0),),
)
two(
    "/",
    lambda x, y: x / y,
    "x / y",
    domains={"y": NOT_ZERO},
    bad=(_operator_error("/"),),
    kinks=(
        kink("x / y", {"x": 1.0, "y": 0.0}, INF, x=INF, y=-INF),
        kink("x / y", {"x": 0.0, "y": 0.0}, NAN, x=INF, y=NAN),
    ),
)
two("//", lambda x, y: x // y, "x // y", derivative="0", domains={"x": between(2.2, 2.7), "y": between(0.95, 0.99)})
two("%", lambda x, y: x % y, "x % y", domains={"x": between(4.2, 4.8), "y": between(-1.45, -1.25)})
two(
    "**",
    lambda x, y: x**y,
    "x ** y",
    domain=POSITIVE,
    more=(
        ex("x ** 2", lambda x: x**2, x=(3,), stack=True),
        ex("x ** 3", lambda x: x**3, x=(3,)),
        ex("x ** 4", lambda x: x**4, x=(3,)),
        ex("x ** -1", lambda x: x**-1.0, x=(3,)),
        ex("x ** -2", lambda x: x**-2.0, x=(3,)),
        ex("x ** 0.5", lambda x: x**0.5, x=(3,)),
        ex("x ** 1", lambda x: x, x=(3,)),
        ex("x ** 0", lambda x: np.ones(3), x=(3,)),
        ex("(-x) ** 5", lambda x: -(x**5), x=(3,)),
        ex("2 ** x", lambda x: 2**x, x=(3,)),
        ex("-x ** 2", lambda x: -(x**2), x=(3,)),
        ex("x ** [2, 3, -1]", lambda x: x ** np.array([2, 3, -1.0]), x=(3,)),
    ),
    bad=(_operator_error("**"),),
    kinks=(
        at("x**0", 0.0, 1.0, 0.0, 0.0),
        at("x**1", 0.0, 0.0, 1.0, 0.0),
        at("x**2", 0.0, 0.0, 0.0, 2.0),
        at("x**3", 0.0, 0.0, 0.0, 0.0),
        at("x**-1", 0.0, INF, -INF),
        at("x**0.5", 0.0, 0.0, INF),
    ),
)
row(
    "unary -",
    ex("-x", lambda x: -x, x=(2, 3), stack=True),
    ex("+x", lambda x: x, x=(2, 3), stack=True),
    ex("--x", lambda x: x, x=()),
    degree=1,
)
row(
    "@",
    *(
        ex("x @ y", lambda x, y: x @ y, x=a, y=b, stack=len(a) == len(b) > 1)
        for a, b in [
            ((2, 3), (3, 2)),
            ((2, 3), (3,)),
            ((3,), (3, 2)),
            ((3,), (3,)),
            ((2, 2, 3), (2, 3, 2)),
            ((2, 2, 3), (3, 2)),
            ((2, 3), (2, 3, 1)),
            ((2, 1, 2, 3), (3, 3, 2)),
            ((1, 2, 3), (2, 3, 2)),
            ((2, 2, 3), (3,)),
            ((3,), (2, 3, 2)),
        ]
    ),
    degree=2,
    bad=(
        bad("x @ y", "x (2, 3) @ y (2, 3): the inner sizes 3 and 2 differ", x=(2, 3), y=(2, 3)),
        bad(
            "x @ y",
            "x () @ y (3,): a matrix product needs at least one axis on each side; scalars multiply with *",
            x=(),
            y=(3,),
        ),
    ),
)
row(
    "comparisons",
    ex("where(x > y, 1, 0)", lambda x, y: np.where(x > y, 1.0, 0.0), x=(3,), y=(3,), stack=True),
    ex("where(x < y, 1, 0)", lambda x, y: np.where(x < y, 1.0, 0.0), x=(2, 3), y=(3,)),
    ex("where(x >= 0.5, 1, 0)", lambda x: np.where(x >= 0.5, 1.0, 0.0), x=(3,)),
    ex("where(x <= 0.5, 1, 0)", lambda x: np.where(x <= 0.5, 1.0, 0.0), x=(3,)),
    ex("where(x == x, 1, 0)", lambda x: np.ones(3), x=(3,)),
    ex("where(x != x, 1, 0)", lambda x: np.zeros(3), x=(3,)),
    ex("0.0 + (x > 0.5)", lambda x: np.where(x > 0.5, 1.0, 0.0), x=(3,)),
    ex("(-1 < x < 1) * 1", lambda x: np.where((x > -1) & (x < 1), 1.0, 0.0), x=(3,)),
    derivative="cut",
    bad=(bad("where(x > y, x, x)", "shapes (2,) and (3,) do not broadcast", x=(2,), y=(3,)),),
)
row(
    "logic",
    ex("where((x > 0) & (y > 0), 1, 0)", lambda x, y: np.where((x > 0) & (y > 0), 1.0, 0.0), x=(4,), y=(4,)),
    ex("where((x > 0) | (y > 0), 1, 0)", lambda x, y: np.where((x > 0) | (y > 0), 1.0, 0.0), x=(4,), y=(4,)),
    ex("where(x > 0 and y > 0, 1, 0)", lambda x, y: np.where((x > 0) & (y > 0), 1.0, 0.0), x=(4,), y=(4,)),
    ex("where(x > 0 or y > 0, 1, 0)", lambda x, y: np.where((x > 0) | (y > 0), 1.0, 0.0), x=(4,), y=(4,)),
    ex("where(not x > 0, 1, 0)", lambda x: np.where(x > 0, 0.0, 1.0), x=(4,)),
    ex("where(~(x > 0), 1, 0)", lambda x: np.where(x > 0, 0.0, 1.0), x=(4,)),
    derivative="cut",
)
row(
    "a if c else b",
    ex("x if x > 0 else x * x", lambda x: np.where(x > 0, x, x * x), x=(4,), stack=True),
    ex("x if x > y else y * y", lambda x, y: np.where(x > y, x, y * y), x=(2, 3), y=(3,)),
    kinks=(
        at("log(x) if x > 0 else 0", -1.0, 0.0, 0.0, 0.0),
        at("x**2 if x >= 1 else 2*x", 1.0, 1.0, 2.0, 2.0),
    ),
)
row(
    "[a, b]",
    ex("[x, y]", lambda x, y: np.stack([x, y]), x=(), y=()),
    ex("[x, 2 * y, x]", lambda x, y: np.stack([x, 2 * y, x]), x=(2,), y=(2,)),
    ex("[[x, 1], [2, y]]", lambda x, y: np.array([[x, 1], [2, y]]), x=(), y=()),
    degree=1,
    bad=(
        bad("[x, y]", "cannot stack shapes () and (2,): all entries need the same shape", x=(), y=(2,)),
        bad("sum([])", "an empty list is no array"),
    ),
)
row(
    ".T",
    ex("x.T", np.transpose, x=(2, 3)),
    ex("x.T", np.transpose, x=(3,)),
    ex("x.T", np.transpose, x=(2, 3, 1)),
    degree=1,
)
row(
    "x[i]",
    ex("x[0]", lambda x: x[0], x=(3,)),
    ex("x[-1]", lambda x: x[-1], x=(2, 3)),
    ex("x[1, -2]", lambda x: x[1, -2], x=(2, 3)),
    ex("x[..., 0]", lambda x: x[..., 0], x=(2, 3), stack=True),
    ex("x[None, 0, :, None]", lambda x: x[None, 0, :, None], x=(2, 3)),
    ex("x[:, None] * x[None, :]", lambda x: x[:, None] * x[None, :], x=(3,)),
    degree=2,
    bad=(
        bad("x[3]", "index 3 is out of range for axis 0 of x, which has shape (3,)", x=(3,)),
        bad("x[-4]", "index -4 is out of range for axis 0 of x, which has shape (3,)", x=(3,)),
        bad("x[0, 0]", "2 indices for x, which has shape (3,)", x=(3,)),
        bad("x[0.5]", "an index must be whole numbers, got 0.5", x=(3,)),
        bad("x[..., ...]", "'...' stands more than once in an index", x=(3,)),
    ),
)
row(
    "x[a:b:c]",
    ex("x[1:]", lambda x: x[1:], x=(4,)),
    ex("x[:-1]", lambda x: x[:-1], x=(4,)),
    ex("x[::2]", lambda x: x[::2], x=(5,)),
    ex("x[::-1]", lambda x: x[::-1], x=(4,)),
    ex("x[-2::-2]", lambda x: x[-2::-2], x=(5,)),
    ex("x[10:]", lambda x: x[10:], x=(3,)),
    ex("x[1:2, ::2]", lambda x: x[1:2, ::2], x=(2, 3)),
    ex("x[..., 1:]", lambda x: x[..., 1:], x=(2, 3), stack=True),
    degree=1,
    bad=(bad("x[::0]", "the step of a slice cannot be 0", x=(3,)),),
)
row(
    "x[[i, j]]",
    ex("x[[0, 0, 2]]", lambda x: x[[0, 0, 2]], x=(3,)),
    ex("x[[2, 0]]", lambda x: x[[2, 0]], x=(3, 2)),
    ex("x[:, [0, -1, 0]]", lambda x: x[:, [0, -1, 0]], x=(2, 3)),
    ex("x[[[0, 1], [1, 2]]]", lambda x: x[[[0, 1], [1, 2]]], x=(3,)),
    ex("x[[0, 1], [1, 2]]", lambda x: x[[0, 1], [1, 2]], x=(2, 3)),
    ex("x[[[0], [1]], [0, 2]]", lambda x: x[[[0], [1]], [0, 2]], x=(2, 3)),
    ex("x[1, [0, 0, 1]]", lambda x: x[1, [0, 0, 1]], x=(2, 3)),
    ex("x[[1, 0], :, [0, 1]]", lambda x: x[[1, 0], :, [0, 1]], x=(2, 1, 2)),
    ex("x[[1, 0], None]", lambda x: x[[1, 0], None], x=(3,)),
    ex("x[[2, 1], ..., 0]", lambda x: x[[2, 1], ..., 0], x=(3, 2, 2)),
    ex("x[arange(3) > 0]", lambda x: x[1:], x=(3,)),
    degree=1,
    bad=(
        bad("x[[0, 3]]", "index 3 is out of range for axis 0 of x, which has shape (3,)", x=(3,)),
        bad(
            "x[x > 0]",
            "a condition as an index would make the shape depend on the point",
            "write where(condition, x, 0)",
            x=(3,),
        ),
    ),
)
row(
    "constants",
    ex("x * pi", lambda x: x * np.pi, x=(2,)),
    ex("x + e", lambda x: x + np.e, x=(2,)),
    ex("x * 0x10 + 1_000 + .5e1", lambda x: x * 16 + 1005, x=(2,)),
    ex("minimum(x, inf)", lambda x: x, x=(2,)),
    degree=1,
    kinks=(kink("x * nan", {"x": 1.0}, NAN, x=NAN),),
)

# -- powers, exponentials, logarithms ---------------------------------------------------------------------------------

one("exp", np.exp, kinks=(at("exp(x)", 1000.0, INF, INF),))
one("expm1", np.expm1, more=(ex("expm1(x)", np.expm1, x=[1e-12, -1e-9]),))
one("exp2", np.exp2)
one(
    "log",
    np.log,
    POSITIVE,
    kinks=(at("log(x)", 0.0, -INF, INF), at("log(x)", -1.0, NAN, -1.0), at("log(x)", 1e-300, np.log(1e-300), 1e300)),
    bad=(
        bad("log(x, 2)", "log takes 1 argument, got 2", "it is log(x); for two values write log(x) / log(base)", x=()),
    ),
)
one("log1p", np.log1p, between(-0.7, 2.0), kinks=(at("log1p(x)", -1.0, -INF, INF),))
one("log2", np.log2, POSITIVE)
one("log10", np.log10, POSITIVE)
one("sqrt", np.sqrt, POSITIVE, kinks=(at("sqrt(x)", 0.0, 0.0, INF), at("sqrt(x)", -1.0, NAN, NAN)))
one("rsqrt", lambda x: 1 / np.sqrt(x), POSITIVE, kinks=(at("rsqrt(x)", 0.0, INF, -INF),))
one("cbrt", np.cbrt, NOT_ZERO, kinks=(at("cbrt(x)", 0.0, 0.0, INF),))
one("square", np.square, kinks=(at("square(x)", 0.0, 0.0, 0.0, 2.0),))
one("reciprocal", np.reciprocal, NOT_ZERO, kinks=(at("reciprocal(x)", 0.0, INF, -INF),))
two(
    "power",
    np.power,
    domain=POSITIVE,
    more=(ex("pow(x, y)", np.power, x=(2,), y=(2,)),),
    kinks=(
        kink("power(x, y)", {"x": 0.0, "y": 2.0}, 0.0, x=0.0, y=0.0),
        kink("power(x, y)", {"x": 0.0, "y": 0.5}, 0.0, x=INF, y=0.0),
        kink("power(x, y)", {"x": 0.0, "y": 0.0}, 1.0, x=0.0, y=0.0),
        kink("power(x, y)", {"x": -2.0, "y": 2.0}, 4.0, x=-4.0, y=NAN),
        kink("power(x, y)", {"x": -2.0, "y": 0.5}, NAN, x=NAN, y=NAN),
        kink("power(x, y)", {"x": 0.0, "y": 1.0}, 0.0, x=1.0, y=0.0),
        kink("power(x, y)", {"x": 2.0, "y": 0.0}, 1.0, [[0, 0.5], [0.5, np.log(2) ** 2]], x=0.0, y=np.log(2)),
        kink(
            "power(x, y)",
            {"x": 2.0, "y": 1.0},
            2.0,
            [[0, np.log(2) + 1], [np.log(2) + 1, 2 * np.log(2) ** 2]],
            x=1.0,
            y=2 * np.log(2),
        ),
    ),
)
two(
    "xlogy",
    ss.xlogy,
    domain=POSITIVE,
    kinks=(
        kink("xlogy(x, y)", {"x": 0.0, "y": 0.0}, 0.0, x=0.0, y=0.0),
        kink("xlogy(x, y)", {"x": 0.0, "y": 2.0}, 0.0, [[0, 0.5], [0.5, 0]], x=np.log(2), y=0.0),
    ),
)
two(
    "xlog1py",
    ss.xlog1py,
    domain=POSITIVE,
    kinks=(
        kink("xlog1py(x, y)", {"x": 0.0, "y": -1.0}, 0.0, x=0.0, y=0.0),
        kink("xlog1py(x, y)", {"x": 0.0, "y": 1.0}, 0.0, [[0, 0.5], [0.5, 0]], x=np.log(2), y=0.0),
    ),
)

# -- trigonometric and hyperbolic -------------------------------------------------------------------------------------

one("sin", np.sin)
one("cos", np.cos)
one("tan", np.tan, OPEN_UNIT)
one("arcsin", np.arcsin, OPEN_UNIT, kinks=(at("asin(x)", 1.0, np.pi / 2, INF), at("arcsin(x)", -1.0, -np.pi / 2, INF)))
one("arccos", np.arccos, OPEN_UNIT, kinks=(at("acos(x)", 1.0, 0.0, -INF),))
one("arctan", np.arctan, more=(ex("atan(x)", np.arctan, x=(2,)),))
row(
    "arctan2",
    *(ex("arctan2(y, x)", np.arctan2, y=a, x=b, stack=a == b) for a, b in [((), ()), ((2, 3), (2, 3)), ((2, 1), (3,))]),
    ex("atan2(y, x)", np.arctan2, y=(4,), x=(4,)),
    domain=NOT_ZERO,
    kinks=(
        kink("arctan2(y, x)", {"y": 0.0, "x": 0.0}, 0.0, y=NAN, x=NAN),
        kink("arctan2(y, x)", {"y": 1e-200, "x": 1e-200}, np.pi / 4, y=5e199, x=-5e199),
    ),
    bad=(
        bad("arctan2(x)", "arctan2 misses 'x'", "it is arctan2(y, x)", x=()),
        bad("arctan2(x, y)", "arctan2: shapes (2,) and (3,) do not broadcast", x=(2,), y=(3,)),
    ),
)
one("sinh", np.sinh)
one("cosh", np.cosh)
one("tanh", np.tanh, kinks=(at("tanh(x)", 1000.0, 1.0, 0.0, 0.0),))
one("arcsinh", np.arcsinh, more=(ex("asinh(x)", np.arcsinh, x=(2,)),), kinks=(at("arcsinh(x)", 0.0, 0.0, 1.0, 0.0),))
one("arccosh", np.arccosh, between(1.3, 3.0), kinks=(at("acosh(x)", 1.0, 0.0, INF),))
one("arctanh", np.arctanh, OPEN_UNIT, kinks=(at("atanh(x)", 1.0, INF, INF),))
two(
    "hypot",
    np.hypot,
    domain=NOT_ZERO,
    kinks=(
        kink("hypot(x, y)", {"x": 0.0, "y": 0.0}, 0.0, np.full((2, 2), NAN), x=0.0, y=0.0),
        kink("hypot(x, y)", {"x": 0.0, "y": -2.0}, 2.0, [[0.5, 0], [0, 0]], x=0.0, y=-1.0),
        kink("hypot(x, y)", {"x": 3e200, "y": 4e200}, 5e200, x=0.6, y=0.8),
    ),
)
one(
    "sinc",
    np.sinc,
    more=(ex("sinc(x)", np.sinc, x=[1e-9, 1e-4, 0.3, 2.25]),),
    kinks=(at("sinc(x)", 0.0, 1.0, 0.0, -(np.pi**2) / 3),),
)

# -- pieces -----------------------------------------------------------------------------------------------------------

one("abs", np.abs, NOT_ZERO, kinks=(at("abs(x)", 0.0, 0.0, 0.0, 0.0),))
two(
    "maximum",
    np.maximum,
    domains={"x": between(-2, 2), "y": between(-1.5, 1.7)},
    more=(ex("maximum(0, x)", lambda x: np.maximum(0, x), x=(3,)),),
    kinks=(
        kink("maximum(x, y)", {"x": 1.0, "y": 1.0}, 1.0, np.zeros((2, 2)), x=1.0, y=0.0),
        at("maximum(0, x)", 0.0, 0.0, 0.0, 0.0),
        at("maximum(x, 0)", 0.0, 0.0, 1.0, 0.0),
        at("maximum(x, nan)", 1.0, NAN, 0.0),
        at("maximum(x, x)", 1.0, 1.0, 1.0),
        at("maximum(log(x), -1)", 0.0, -1.0, 0.0),
    ),
)
two(
    "minimum",
    np.minimum,
    domains={"x": between(-2, 2), "y": between(-1.5, 1.7)},
    kinks=(
        kink("minimum(x, y)", {"x": 1.0, "y": 1.0}, 1.0, np.zeros((2, 2)), x=1.0, y=0.0),
        at("minimum(x, 0)", 0.0, 0.0, 1.0, 0.0),
    ),
)
row(
    "clip",
    ex("clip(x, -0.55, 0.55)", lambda x: np.clip(x, -0.55, 0.55), x=(2, 3), stack=True),
    ex("clip(x, None, 0.3)", lambda x: np.minimum(x, 0.3), x=(3,)),
    ex("clip(x, lo=0.3, hi=None)", lambda x: np.maximum(x, 0.3), x=(3,)),
    ex("clip(x, None, None)", lambda x: x, x=(3,)),
    ex("clip(x, a, b)", np.clip, x=(2, 3), a=[-0.9, -0.4, 0.2], b=[[0.7], [1.1]]),
    kinks=(
        at(
            "clip(x, 0, 1)",
            [-1.0, 0.0, 0.5, 1.0, 2.0],
            [0.0, 0.0, 0.5, 1.0, 1.0],
            [0.0, 1.0, 1.0, 1.0, 0.0],
            np.zeros((5, 5)),
        ),
    ),
    bad=(bad("clip(x)", "clip misses 'lo', 'hi'", "it is clip(x, lo, hi)", x=()),),
)
row(
    "where",
    ex("where(x > 0, x * y, x + y)", lambda x, y: np.where(x > 0, x * y, x + y), x=(4,), y=(4,), stack=True),
    ex("where(x > 0, x, y)", lambda x, y: np.where(x > 0, x, y), x=(2, 1), y=(3,)),
    ex("where([1, 0, 1], x, y)", lambda x, y: np.where([True, False, True], x, y), x=(3,), y=()),
    degree=2,
    kinks=(
        at("where(x > 0, log(x), 0)", [0.0, -1.0, 2.0], [0.0, 0.0, np.log(2)], [0.0, 0.0, 0.5], np.diag([0, 0, -0.25])),
        at("where(x > 0, sqrt(x), 0)", 0.0, 0.0, 0.0, 0.0),
        at("where(x > 0, sqrt(x), 0)", -1.0, 0.0, 0.0, 0.0),
        at("where(x > 0, where(x < 5, log(x), sqrt(-x)), 1/x)", [-2.0, 1.0], [-0.5, 0.0], [-0.25, 1.0]),
        kink("where(x > 0, 1, 0)", {"x": 1.0}, 1.0, x=None),
    ),
    bad=(bad("where(x > 0, x, y)", "where: shapes (2,) and (2,) and (3,) do not broadcast", x=(2,), y=(3,)),),
)
one("sign", np.sign, NOT_ZERO, derivative="0", kinks=(at("sign(x)", 0.0, 0.0, 0.0, 0.0),))
one("floor", np.floor, BETWEEN_INTEGERS, derivative="0", kinks=(at("floor(x)", 2.0, 2.0, 0.0, 0.0),))
one("ceil", np.ceil, BETWEEN_INTEGERS, derivative="0", kinks=(at("ceil(x)", 2.0, 2.0, 0.0, 0.0),))
one(
    "round",
    np.round,
    BETWEEN_INTEGERS,
    derivative="0",
    kinks=(at("round(x)", [0.5, 1.5, 2.5, -0.5], [0.0, 2.0, 2.0, -0.0], np.zeros(4), np.zeros((4, 4))),),
)
two(
    "floor_divide",
    np.floor_divide,
    derivative="0",
    domains={"x": between(2.2, 2.7), "y": between(0.95, 0.99)},
    kinks=(kink("floor_divide(x, y)", {"x": 6.0, "y": 3.0}, 2.0, np.zeros((2, 2)), x=0.0, y=0.0),),
)
two(
    "mod",
    np.mod,
    domains={"x": between(4.2, 4.8), "y": between(-1.45, -1.25)},
    kinks=(
        kink("mod(x, y)", {"x": 7.0, "y": 3.0}, 1.0, np.zeros((2, 2)), x=1.0, y=-2.0),
        kink("mod(x, y)", {"x": 6.0, "y": 3.0}, 0.0, x=1.0, y=-2.0),
        kink("mod(x, y)", {"x": -7.0, "y": 3.0}, 2.0, x=1.0, y=3.0),
    ),
)
row(
    "heaviside",
    ex("heaviside(x, 0.5)", lambda x: np.heaviside(x, 0.5), x=(2, 3), stack=True),
    ex("heaviside(x, h)", np.heaviside, x=(3,), h=(2, 1)),
    derivative="0",
    domain=NOT_ZERO,
    kinks=(kink("heaviside(x, h)", {"x": 0.0, "h": 0.5}, 0.5, x=0.0, h=0.0),),
    bad=(bad("heaviside(x)", "heaviside misses 'h0'", "it is heaviside(x, h0)", x=()),),
)
row(
    "isfinite",
    ex("where(isfinite(x), 1, 0)", lambda x: np.where(np.isfinite(x), 1.0, 0.0), x=[1.0, INF, NAN, -INF]),
    derivative="cut",
)
row(
    "isnan",
    ex("where(isnan(x), 1, 0)", lambda x: np.where(np.isnan(x), 1.0, 0.0), x=[1.0, INF, NAN]),
    derivative="cut",
)
for _name in ("argmax", "argmin"):
    _fn = getattr(np, _name)
    row(
        _name,
        ex(f"{_name}(x)", lambda x, fn=_fn: fn(x), x=(2, 3)),
        ex(f"{_name}(x, axis=0)", lambda x, fn=_fn: fn(x, axis=0), x=(2, 3)),
        ex(f"{_name}(x, axis=-1)", lambda x, fn=_fn: fn(x, axis=-1), x=(2, 3), stack=True),
        ex(f"{_name}(x)", lambda x, fn=_fn: fn(x), x=[1.0, 3.0, 3.0, 1.0]),
        derivative="cut",
        bad=(bad(f"{_name}(x, axis=2)", f"{_name}: axis 2 is out of range for 1 dimension", x=(2,)),),
    )

# -- activations ------------------------------------------------------------------------------------------------------

one(
    "sigmoid",
    ss.expit,
    more=(ex("sigmoid(x)", ss.expit, x=[-1000.0, -40.0, 40.0, 1000.0]),),
    kinks=(at("sigmoid(x)", [-1000.0, 1000.0], [0.0, 1.0], [0.0, 0.0], np.zeros((2, 2))),),
)
one(
    "log_sigmoid",
    ss.log_expit,
    kinks=(at("log_sigmoid(x)", [-1000.0, 1000.0], [-1000.0, 0.0], [1.0, 0.0], np.zeros((2, 2))),),
)
one("logit", ss.logit, between(0.2, 0.8), kinks=(at("logit(x)", 0.0, -INF, INF),))
one(
    "softplus",
    lambda x: np.logaddexp(x, 0),
    kinks=(
        at("softplus(x)", [-1000.0, 1000.0], [0.0, 1000.0], [0.0, 1.0], np.zeros((2, 2))),
        at("softplus(x)", 0.0, np.log(2), 0.5, 0.25),
    ),
)
one("relu", lambda x: np.maximum(x, 0), NOT_ZERO, kinks=(at("relu(x)", 0.0, 0.0, 0.0, 0.0),))
one(
    "relu6",
    lambda x: np.clip(x, 0, 6),
    between(-1, -0.2, 0.2, 5.8, 6.2, 8),
    kinks=(at("relu6(x)", [0.0, 6.0], [0.0, 6.0], [0.0, 0.0], np.zeros((2, 2))),),
)
row(
    "leaky_relu",
    ex("leaky_relu(x)", lambda x: np.where(x > 0, x, 0.2 * x), x=(2, 3), stack=True),
    ex("leaky_relu(x, 0.5)", lambda x: np.where(x > 0, x, 0.5 * x), x=(4,)),
    ex("leaky_relu(x, slope=s)", lambda x, s: np.where(x > 0, x, s * x), x=(4,), s=()),
    domain=NOT_ZERO,
    kinks=(at("leaky_relu(x)", 0.0, 0.0, 0.2, 0.0),),
)
row(
    "elu",
    ex("elu(x)", lambda x: np.where(x > 0, x, np.expm1(x)), x=(2, 3), stack=True),
    ex("elu(x, alpha=a)", lambda x, a: np.where(x > 0, x, a * np.expm1(x)), x=(4,), a=()),
    domain=NOT_ZERO,
    kinks=(at("elu(x)", 0.0, 0.0, 1.0), at("elu(x)", 1000.0, 1000.0, 1.0, 0.0)),
)
_SELU, _ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
one(
    "selu",
    lambda x: _SELU * np.where(x > 0, x, _ALPHA * np.expm1(x)),
    NOT_ZERO,
    kinks=(at("selu(x)", 0.0, 0.0, _SELU), at("selu(x)", 1000.0, 1000 * _SELU, _SELU, 0.0)),
)


def _gelu_by_tanh(x: Array) -> Array:
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))  # type: ignore[no-any-return]


row(
    "gelu",
    ex("gelu(x)", lambda x: x / 2 * (1 + ss.erf(x / np.sqrt(2))), x=(2, 3), stack=True),
    ex("gelu(x, approximate=True)", _gelu_by_tanh, x=(4,), stack=True),
    bad=(bad("gelu(x, approximate=x)", "approximate must be True or False", x=()),),
)
one("silu", lambda x: x * ss.expit(x), kinks=(at("silu(x)", [-1000.0, 1000.0], [0.0, 1000.0], [0.0, 1.0]),))
one("erf", ss.erf)
one(
    "erfc",
    ss.erfc,
    kinks=(
        at(
            "1e16 * erfc(x)",
            6.0,
            1e16 * ss.erfc(6.0),
            -2e16 / np.sqrt(np.pi) * np.exp(-36),
            24e16 / np.sqrt(np.pi) * np.exp(-36),
        ),
    ),
)
one("gamma", ss.gamma, POSITIVE)
one("lgamma", ss.gammaln, POSITIVE, kinks=(at("lgamma(x)", 200.0, ss.gammaln(200.0), ss.psi(200.0)),))
one("digamma", ss.psi, POSITIVE)

# -- reductions -------------------------------------------------------------------------------------------------------

_AXES: list[tuple[str, dict[str, Any]]] = [
    ("", {}),
    (", axis=0", {"axis": 0}),
    (", axis=-1", {"axis": -1}),
    (", axis=(0, 2)", {"axis": (0, 2)}),
    (", axis=(-1, 1), keepdims=True", {"axis": (1, 2), "keepdims": True}),
    (", keepdims=True", {"keepdims": True}),
]


def reduction(name: str, reference: Callable[..., Any], **options: Any) -> None:
    """A row for a function with axis and keepdims."""
    examples = [
        ex(f"{name}(x{text})", lambda x, kw=kw: reference(x, **kw), x=(2, 3, 2), stack=text == ", axis=-1")
        for text, kw in _AXES
    ]
    examples.append(ex(f"{name}(x)", reference, x=(1,)))
    more = options.pop("more", ())
    wrong = [
        bad(f"{name}(x, axis=2)", f"{name}: axis 2 is out of range for 2 dimensions", x=(2, 3)),
        bad(f"{name}(x, axis=(0, 0))", f"{name}: axis (0, 0) names an axis twice", x=(2, 3)),
        bad(f"{name}(x, axis=0.5)", "axis must be whole numbers, got 0.5", x=(2, 3)),
        bad(f"{name}(x, axis=x)", "axis must be a constant, and this depends on a source", x=(2,)),
        *options.pop("bad", ()),
    ]
    row(name, *examples, *more, bad=tuple(wrong), **options)


reduction(
    "sum",
    np.sum,
    degree=1,
    bad=(
        bad("sum(x, y, 1, 2)", "sum takes 3 arguments, got 4", x=(), y=()),
        bad("sum(x, keepdim=True)", "sum has no argument 'keepdim'", "did you mean 'keepdims'?", x=(2,)),
    ),
)
reduction("mean", np.mean, degree=1)
reduction(
    "prod",
    np.prod,
    kinks=(
        at("prod(x)", [2.0, 0.0, 4.0], 0.0, [0.0, 8.0, 0.0], [[0, 4, 0], [4, 0, 2], [0, 2, 0]]),
        at("prod(x)", [2.0, 0.0, 0.0], 0.0, [0.0, 0.0, 0.0], [[0, 0, 0], [0, 0, 2], [0, 2, 0]]),
        at("prod(x)", [0.0, 0.0, 0.0], 0.0, [0.0, 0.0, 0.0], np.zeros((3, 3))),
    ),
)
reduction(
    "max",
    np.max,
    kinks=(
        at("max(x)", [1.0, 3.0, 3.0], 3.0, [0.0, 0.5, 0.5], np.zeros((3, 3))),
        at("max(x, axis=0)", [[1.0, 2.0], [1.0, 0.0]], [1.0, 2.0], [[0.5, 1.0], [0.5, 0.0]], np.zeros((4, 4))),
    ),
    bad=(bad("max(x)", "max of no entries (shape (0,))", x=(0,)),),
)
reduction("min", np.min, kinks=(at("min(x)", [1.0, 1.0, 3.0], 1.0, [0.5, 0.5, 0.0], np.zeros((3, 3))),))
reduction(
    "logsumexp",
    ss.logsumexp,
    kinks=(
        at("logsumexp(x)", [1.0, 1.0, -INF], 1 + np.log(2), [0.5, 0.5, 0.0]),
        at("logsumexp(x)", [1000.0, 0.0], 1000.0, [1.0, 0.0], np.zeros((2, 2))),
        at("logsumexp(x)", [1000.0, 1000.0], 1000 + np.log(2), [0.5, 0.5], [[0.25, -0.25], [-0.25, 0.25]]),
        at("logsumexp(x)", [-INF, -INF], -INF, [0.0, 0.0]),
    ),
)
reduction("var", np.var, more=(ex("var(x, ddof=1)", lambda x: np.var(x, ddof=1), x=(4,)),))
reduction(
    "std",
    np.std,
    more=(ex("std(x, axis=-1, ddof=1)", lambda x: np.std(x, axis=-1, ddof=1), x=(2, 4), stack=True),),
    kinks=(
        at("std(x)", [2.0, 2.0, 2.0], 0.0, [0.0, 0.0, 0.0], np.full((3, 3), NAN)),
        at("std(x)", [2.0], 0.0, [0.0]),
    ),
)


def _norm(x: Array, order: float = 2, axis: Any = None, keepdims: bool = False) -> Array:
    a = np.abs(x)
    if order == 1:
        return a.sum(axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]
    if order == INF:
        return a.max(axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]
    return np.sqrt((a**2).sum(axis=axis, keepdims=keepdims))  # type: ignore[no-any-return]


reduction(
    "norm",
    _norm,
    domain=NOT_ZERO,
    more=(
        ex("norm(x, 1)", lambda x: _norm(x, 1), x=(2, 3)),
        ex("norm(x, inf)", lambda x: _norm(x, INF), x=(2, 3)),
        ex("norm(x, ord=1, axis=0)", lambda x: _norm(x, 1, 0), x=(2, 3)),
        ex("norm(x, ord=inf, axis=-1, keepdims=True)", lambda x: _norm(x, INF, -1, True), x=(2, 3), stack=True),
        ex("norm(x, axis=())", np.abs, x=(2, 3)),
    ),
    kinks=(
        at("norm(x)", [0.0, 0.0], 0.0, [0.0, 0.0], np.full((2, 2), NAN)),
        at("norm(x, 1)", [0.0, 2.0], 2.0, [0.0, 1.0], np.zeros((2, 2))),
        at("norm(x, inf)", [-2.0, 2.0], 2.0, [-0.5, 0.5], np.zeros((2, 2))),
        at("norm(x)", [3e200, 4e200], 5e200, [0.6, 0.8]),
        at("norm(x)", [3e-200, 4e-200], 5e-200, [0.6, 0.8]),
        at("norm(x, axis=1)", [[0.0, 0.0], [3.0, 4.0]], [0.0, 5.0], [[0.0, 0.0], [0.6, 0.8]]),
    ),
    bad=(bad("norm(x, 3)", "norm has ord 1, 2 or inf, not 3", x=(2,)),),
)


def along(name: str, reference: Callable[..., Any], **options: Any) -> None:
    """A row for a cumulative function."""
    row(
        name,
        ex(f"{name}(x)", reference, x=(3,)),
        ex(f"{name}(x)", reference, x=(2, 3)),
        ex(f"{name}(x, axis=0)", lambda x: reference(x, axis=0), x=(2, 3)),
        ex(f"{name}(x, axis=-1)", lambda x: reference(x, axis=-1), x=(2, 3), stack=True),
        ex(f"{name}(x, axis=1)", lambda x: reference(x, axis=1), x=(2, 3, 2)),
        bad=(
            bad(f"{name}(x, axis=(0, 1))", "axis must be one integer here", x=(2, 3)),
            bad(f"{name}(x, axis=2)", f"{name}: axis 2 is out of range for 2 dimensions", x=(2, 3)),
        ),
        **options,
    )


along("cumsum", np.cumsum, degree=1)
along(
    "cumprod",
    np.cumprod,
    kinks=(
        at("cumprod(x)", [2.0, 0.0, 4.0], [2.0, 0.0, 0.0], [1.0, 10.0, 0.0], [[0, 5, 0], [5, 0, 2], [0, 2, 0]]),
        at("cumprod(x)", [0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [[0, 1], [1, 0]]),
    ),
)
row(
    "sort",
    ex("sort(x)", np.sort, x=(4,)),
    ex("sort(x)", np.sort, x=(2, 3), stack=True),
    ex("sort(x, axis=0)", lambda x: np.sort(x, axis=0), x=(3, 2)),
    ex("sort(x, axis=None)", lambda x: np.sort(x, axis=None), x=(2, 3)),
    ex("sort(x, axis=1)", lambda x: np.sort(x, axis=1), x=(2, 3, 2)),
    kinks=(at("sort(x) * [1, 2, 3]", [3.0, 1.0, 1.0], [1.0, 2.0, 9.0], [3.0, 1.0, 2.0], np.zeros((3, 3))),),
    bad=(bad("sort(x, axis=(0, 1))", "axis must be one integer here", x=(2, 3)),),
)
row(
    "softmax",
    ex("softmax(x)", lambda x: ss.softmax(x, axis=-1), x=(2, 3), stack=True),
    ex("softmax(x, axis=0)", lambda x: ss.softmax(x, axis=0), x=(2, 3)),
    ex("softmax(x, axis=-2)", lambda x: ss.softmax(x, axis=-2), x=(2, 3, 2), stack=True),
    kinks=(at("softmax(x) * [1, 2]", [1000.0, 0.0], [1.0, 0.0], [0.0, 0.0], np.zeros((2, 2))),),
    bad=(bad("softmax(x, axis=1)", "softmax: axis 1 is out of range for 1 dimension", x=(3,)),),
)
row(
    "log_softmax",
    ex("log_softmax(x)", lambda x: ss.log_softmax(x, axis=-1), x=(2, 3), stack=True),
    ex("log_softmax(x, axis=0)", lambda x: ss.log_softmax(x, axis=0), x=(2, 3)),
    kinks=(at("log_softmax(x)[1]", [1000.0, 0.0], -1000.0, [-1.0, 1.0], np.zeros((2, 2))),),
    bad=(bad("log_softmax(x, axis=1)", "log_softmax: axis 1 is out of range for 1 dimension", x=(3,)),),
)

# -- linear algebra ---------------------------------------------------------------------------------------------------

row(
    "matmul",
    ex("matmul(a, b)", lambda a, b: a @ b, a=(2, 3), b=(3, 2), stack=True),
    ex("matmul(a, b)", lambda a, b: a @ b, a=(2, 2, 3), b=(3,)),
    degree=2,
    bad=(bad("matmul(a, b)", "matmul: the inner sizes 3 and 2 differ", a=(2, 3), b=(2, 3)),),
)
row(
    "dot",
    *(
        ex("dot(a, b)", np.dot, a=a, b=b)
        for a, b in [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((), (2,)), ((2, 3), (2, 3, 2))]
    ),
    degree=2,
    bad=(bad("dot(a, b)", "dot: the inner sizes 3 and 2 differ", a=(3,), b=(2,)),),
)
row(
    "vdot",
    ex("vdot(a, b)", np.vdot, a=(3,), b=(3,)),
    ex("vdot(a, b)", np.vdot, a=(2, 3), b=(3, 2)),
    degree=2,
    bad=(bad("vdot(a, b)", "vdot: the inner sizes 3 and 2 differ", a=(3,), b=(2,)),),
)
row(
    "outer",
    ex("outer(a, b)", np.outer, a=(2,), b=(3,)),
    ex("outer(a, b)", np.outer, a=(2, 2), b=(3,)),
    ex("outer(a, a)", lambda a: np.outer(a, a), a=(3,)),
    degree=2,
)
row(
    "einsum",
    *(
        ex(f"einsum('{spec}', a, b)", lambda a, b, spec=spec: np.einsum(spec, a, b), a=a, b=b)
        for spec, a, b in [
            ("ij,jk->ik", (2, 3), (3, 2)),
            ("ij,jk", (2, 3), (3, 2)),
            ("ij,kj->ki", (2, 3), (2, 3)),
            ("i,j->ij", (2,), (3,)),
            ("i,i->", (3,), (3,)),
            ("bij,bjk->bik", (2, 2, 3), (2, 3, 1)),
            ("bij,jk->bki", (2, 2, 3), (3, 2)),
            ("ij,ij->ij", (2, 3), (2, 3)),
            ("ij,i->i", (2, 3), (2,)),
            ("ij,k->k", (2, 3), (2,)),
            ("ii,i->i", (3, 3), (3,)),
            ("ij,kl->", (2, 3), (3, 2)),
            ("ijk,kj->i", (2, 3, 2), (2, 3)),
            (",ij->ji", (), (2, 3)),
        ]
    ),
    *(
        ex(f"einsum('{spec}', a)", lambda a, spec=spec: np.einsum(spec, a), a=shape)
        for spec, shape in [
            ("ii->i", (3, 3)),
            ("ii->", (3, 3)),
            ("ij->ji", (2, 3)),
            ("ij->", (2, 3)),
            ("ijk->kj", (2, 3, 2)),
            ("iij->j", (2, 2, 3)),
            ("iii->i", (2, 2, 2)),
            ("ba", (2, 3)),
        ]
    ),
    degree=2,
    bad=(
        bad("einsum('ij,jk->ik', a)", "einsum's spec 'ij,jk->ik' is for 2 operands, got 1", a=(2, 3)),
        bad(
            "einsum('ij,jk->ik', a, a)",
            "einsum: 'j' is 3 in one place and 2 in another",
            a=(2, 3),
        ),
        bad("einsum('ijk->i', a)", "einsum: 'ijk' names 3 axes, the operand has shape (2, 3)", a=(2, 3)),
        bad(
            "einsum('ij->k', a)",
            "einsum's spec 'ij->k': each letter of the result stands once in it, and in an operand",
            a=(2, 3),
        ),
        bad(
            "einsum('i...->i', a)",
            "einsum's spec 'i...->i' has something besides letters, commas and ->",
            "write it like 'ij,jk->ik'",
            a=(2, 3),
        ),
        bad("einsum(a, a)", "spec must be a quoted text", "write einsum('ij,jk->ik', a, b)", a=(2, 3)),
    ),
)
row(
    "einsum of three",
    ex("einsum('ij,jk,kl->il', a, b, c)", lambda a, b, c: a @ b @ c, a=(2, 3), b=(3, 2), c=(2, 2)),
    ex("einsum('i,ij,j->', a, b, c)", lambda a, b, c: a @ b @ c, a=(2,), b=(2, 3), c=(3,)),
    ex("einsum('i,i,i->i', a, a, a)", lambda a: a**3, a=(3,)),
)
row(
    "tensordot",
    ex("tensordot(a, b)", np.tensordot, a=(2, 2, 3), b=(2, 3, 2)),
    ex("tensordot(a, b, axes=1)", lambda a, b: np.tensordot(a, b, 1), a=(2, 3), b=(3, 2)),
    ex("tensordot(a, b, axes=0)", lambda a, b: np.tensordot(a, b, 0), a=(2,), b=(3,)),
    ex("tensordot(a, b, axes=([0, 1], [1, 0]))", lambda a, b: np.tensordot(a, b, ([0, 1], [1, 0])), a=(2, 3), b=(3, 2)),
    ex("tensordot(a, b, axes=(0, -1))", lambda a, b: np.tensordot(a, b, (0, -1)), a=(2, 3), b=(3, 2)),
    degree=2,
    bad=(
        bad("tensordot(a, b)", "tensordot: shapes (2, 3) and (3, 2) do not fit over these axes", a=(2, 3), b=(3, 2)),
        bad("tensordot(a, b, 3)", "tensordot over 3 axes of shapes (2, 3) and (3, 2)", a=(2, 3), b=(3, 2)),
    ),
)
row(
    "kron",
    ex("kron(a, b)", np.kron, a=(2, 2), b=(1, 3)),
    ex("kron(a, b)", np.kron, a=(2,), b=(3,)),
    ex("kron(a, b)", np.kron, a=(2,), b=(2, 2)),
    degree=2,
)
row(
    "trace",
    ex("trace(x)", np.trace, x=(3, 3)),
    ex("trace(x)", np.trace, x=(2, 3)),
    ex("trace(x)", np.trace, x=(2, 3, 2)),
    degree=1,
    bad=(bad("trace(x)", "trace: a matrix is needed, got shape (3,)", x=(3,)),),
)
row(
    "diag",
    ex("diag(x)", np.diag, x=(3,)),
    ex("diag(x)", np.diag, x=(3, 3)),
    ex("diag(x)", np.diag, x=(2, 3)),
    ex("diag(x)", np.diag, x=(3, 2)),
    degree=1,
    bad=(bad("diag(x)", "diag: a vector or a matrix is needed, got shape ()", x=()),),
)
row(
    "transpose",
    ex("transpose(x)", np.transpose, x=(2, 3, 1)),
    ex("transpose(x, (1, 0, 2))", lambda x: x.transpose(1, 0, 2), x=(2, 3, 2)),
    ex("transpose(x, axes=(-1, 0, 1))", lambda x: x.transpose(2, 0, 1), x=(2, 3, 2)),
    degree=1,
    bad=(
        bad("transpose(x, (0, 0))", "axes (0, 0) is no order of the 2 axes of shape (2, 3)", x=(2, 3)),
        bad("transpose(x, (0, 2))", "axes (0, 2) is no order of the 2 axes of shape (2, 3)", x=(2, 3)),
    ),
)


def _not_square(name: str) -> Bad:
    return bad(f"{name}(a)", f"{name}: a square matrix is needed in the last two axes, got shape (2, 3)", a=(2, 3))


row(
    "inv",
    ex("inv(a)", np.linalg.inv, a=(2, 2), stack=True),
    ex("inv(a)", np.linalg.inv, a=(3, 3)),
    ex("inv(a)", np.linalg.inv, a=(2, 2, 2)),
    ex("inv(a)", np.linalg.inv, a=(1, 1)),
    domain=regular,
    kinks=(
        kink("inv(a)", {"a": [[1.0, 2.0], [2.0, 4.0]]}, np.full((2, 2), NAN), a=np.full((2, 2), NAN)),
        kink(
            "inv(a)[0]",
            {"a": [[[2.0]], [[0.0]]]},
            [[0.5]],
            a=[[[-0.25]], [[0.0]]],
        ),
    ),
    bad=(_not_square("inv"),),
)
row(
    "det",
    ex("det(a)", np.linalg.det, a=(2, 2), stack=True),
    ex("det(a)", np.linalg.det, a=(3, 3)),
    ex("det(a)", np.linalg.det, a=(2, 3, 3)),
    ex("det(a)", np.linalg.det, a=(1, 1)),
    domain=regular,
    kinks=(
        kink(
            "det(a)",
            {"a": [[1.0, 2.0], [2.0, 4.0]]},
            0.0,
            [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]],
            a=[[4.0, -2.0], [-2.0, 1.0]],
        ),
        kink(
            "det(a)",
            {"a": np.zeros((2, 2))},
            0.0,
            [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]],
            a=np.zeros((2, 2)),
        ),
        kink("det(a)", {"a": np.zeros((3, 3))}, 0.0, np.zeros((9, 9)), a=np.zeros((3, 3))),
        kink("det(a)", {"a": np.diag([2.0, 3.0, 0.0])}, 0.0, a=np.diag([0.0, 0.0, 6.0])),
    ),
    bad=(_not_square("det"),),
)
row(
    "slogdet",
    ex("slogdet(a)", lambda a: np.linalg.slogdet(a)[1], a=(2, 2), stack=True),
    ex("slogdet(a)", lambda a: np.linalg.slogdet(a)[1], a=(2, 3, 3)),
    domain=regular,
    kinks=(kink("slogdet(a)", {"a": np.diag([-2.0, 3.0])}, np.log(6), a=np.diag([-0.5, 1 / 3])),),
    bad=(_not_square("slogdet"),),
)


def _solve(a: Array, b: Array) -> Array:
    return np.linalg.solve(a, b[..., None])[..., 0] if b.ndim == 1 else np.linalg.solve(a, b)


row(
    "solve",
    *(
        ex("solve(a, b)", _solve, a=a, b=b, stack=len(a) == len(b))
        for a, b in [
            ((2, 2), (2,)),
            ((2, 2), (2, 3)),
            ((2, 2, 2), (2, 2, 1)),
            ((2, 2), (2, 2, 1)),
            ((2, 2, 2), (2, 1)),
            ((2, 2, 2), (2,)),
        ]
    ),
    domains={"a": regular},
    kinks=(
        kink(
            "solve(a, b)",
            {"a": [[1.0, 2.0], [2.0, 4.0]], "b": [1.0, 1.0]},
            [NAN, NAN],
            a=np.full((2, 2), NAN),
            b=[NAN, NAN],
        ),
    ),
    bad=(
        bad("solve(a, b)", "solve: the sizes 2 and 3 differ", a=(2, 2), b=(3,)),
        bad("solve(a, b)", "solve: a square matrix is needed in the last two axes, got shape (2, 3)", a=(2, 3), b=(2,)),
        bad("solve(a, b)", "solve: b is a vector or a stack of matrices, got a scalar", a=(2, 2), b=()),
    ),
)
row(
    "cholesky",
    ex("cholesky(a)", lambda a: np.linalg.cholesky((a + np.swapaxes(a, -1, -2)) / 2), a=(2, 2), stack=True),
    ex("cholesky(a)", lambda a: np.linalg.cholesky((a + np.swapaxes(a, -1, -2)) / 2), a=(3, 3)),
    ex("cholesky(a)", lambda a: np.linalg.cholesky((a + np.swapaxes(a, -1, -2)) / 2), a=(2, 2, 2)),
    domain=definite,
    kinks=(kink("cholesky(a)", {"a": [[-4.0]]}, [[NAN]], a=[[NAN]]),),
    bad=(_not_square("cholesky"),),
)

# -- moving entries ---------------------------------------------------------------------------------------------------

row(
    "reshape",
    ex("reshape(x, (3, 2))", lambda x: x.reshape(3, 2), x=(2, 3)),
    ex("reshape(x, (2, -1))", lambda x: x.reshape(2, -1), x=(2, 3, 2)),
    ex("reshape(x, 6)", lambda x: x.reshape(6), x=(2, 3)),
    ex("reshape(x, (2, 1, 3))", lambda x: x.reshape(2, 1, 3), x=(2, 3)),
    ex("reshape(x, ())", lambda x: x.reshape(()), x=(1, 1)),
    degree=1,
    bad=(
        bad("reshape(x, (4, 2))", "reshape: cannot reshape (2, 3) to (4, 2): 6 entries against 8", x=(2, 3)),
        bad("reshape(x, (4, -1))", "reshape: cannot reshape (2, 3) to (4, -1)", x=(2, 3)),
        bad("reshape(x, (-1, -1))", "reshape: cannot reshape (2, 3) to (-1, -1)", x=(2, 3)),
        bad("reshape(x, (-2, 3))", "reshape: a size cannot be negative: (-2, 3)", x=(2, 3)),
    ),
)
row("ravel", ex("ravel(x)", np.ravel, x=(2, 3)), ex("ravel(x)", np.ravel, x=()), degree=1)
row(
    "squeeze",
    ex("squeeze(x)", np.squeeze, x=(1, 3, 1)),
    ex("squeeze(x, axis=0)", lambda x: np.squeeze(x, 0), x=(1, 3, 1)),
    ex("squeeze(x, axis=(0, -1))", lambda x: np.squeeze(x, (0, -1)), x=(1, 3, 1)),
    degree=1,
    bad=(bad("squeeze(x, 0)", "squeeze: axis 0 of shape (2, 3) is not of size 1", x=(2, 3)),),
)
row(
    "expand_dims",
    ex("expand_dims(x, 0)", lambda x: np.expand_dims(x, 0), x=(2, 3)),
    ex("expand_dims(x, -1)", lambda x: np.expand_dims(x, -1), x=(2, 3), stack=True),
    ex("expand_dims(x, (0, 2))", lambda x: np.expand_dims(x, (0, 2)), x=(2, 3)),
    degree=1,
    bad=(bad("expand_dims(x, 3)", "expand_dims: axis 3 is out of range for 2 dimensions", x=(2,)),),
)
row(
    "broadcast_to",
    ex("broadcast_to(x, (2, 3))", lambda x: np.broadcast_to(x, (2, 3)), x=(3,)),
    ex("broadcast_to(x, (2, 3))", lambda x: np.broadcast_to(x, (2, 3)), x=(2, 1)),
    ex("broadcast_to(x, (2, 2))", lambda x: np.broadcast_to(x, (2, 2)), x=()),
    ex("broadcast_to(x, 3)", lambda x: np.broadcast_to(x, 3), x=(1,)),
    degree=1,
    bad=(bad("broadcast_to(x, (2, 4))", "broadcast_to: cannot broadcast (3,) to (2, 4)", x=(3,)),),
)
row(
    "concatenate",
    ex("concatenate([x, y])", lambda x, y: np.concatenate([x, y]), x=(2,), y=(3,)),
    ex("concatenate([x, y, x], axis=1)", lambda x, y: np.concatenate([x, y, x], 1), x=(2, 1), y=(2, 2)),
    ex("concat([x, y], axis=-1)", lambda x, y: np.concatenate([x, y], -1), x=(2, 1), y=(2, 2), stack=True),
    ex("concatenate([x])", lambda x: x, x=(2,)),
    degree=1,
    bad=(
        bad("concatenate([x, y])", "concatenate: cannot join (2, 3) and (2, 2) along axis 0", x=(2, 3), y=(2, 2)),
        bad("concatenate(x)", "list must be a list of arrays", "write [a, b]", x=(2, 3)),
        bad("concatenate([x, y])", "concatenate: axis 0 is out of range for 0 dimensions", x=(), y=()),
    ),
)
row(
    "stack",
    ex("stack([x, y])", lambda x, y: np.stack([x, y]), x=(2,), y=(2,)),
    ex("stack([x, y], axis=-1)", lambda x, y: np.stack([x, y], -1), x=(2, 3), y=(2, 3), stack=True),
    ex("stack([x, y], 1)", lambda x, y: np.stack([x, y], 1), x=(2, 3), y=(2, 3)),
    degree=1,
    bad=(
        bad(
            "stack([x, y])", "stack: cannot stack shapes (2,) and (3,): all entries need the same shape", x=(2,), y=(3,)
        ),
    ),
)
row(
    "flip",
    ex("flip(x)", np.flip, x=(2, 3)),
    ex("flip(x, axis=0)", lambda x: np.flip(x, 0), x=(2, 3)),
    ex("flip(x, -1)", lambda x: np.flip(x, -1), x=(2, 3), stack=True),
    ex("flip(x, (0, 2))", lambda x: np.flip(x, (0, 2)), x=(2, 3, 2)),
    degree=1,
)
row(
    "roll",
    ex("roll(x, 1)", lambda x: np.roll(x, 1), x=(4,)),
    ex("roll(x, 2)", lambda x: np.roll(x, 2), x=(2, 3)),
    ex("roll(x, -1, axis=-1)", lambda x: np.roll(x, -1, -1), x=(2, 3), stack=True),
    ex("roll(x, (1, 2), axis=(0, 1))", lambda x: np.roll(x, (1, 2), (0, 1)), x=(2, 3)),
    ex("roll(x, 5, axis=0)", lambda x: np.roll(x, 5, 0), x=(3,)),
    degree=1,
    bad=(bad("roll(x, (1, 2), axis=0)", "roll has 2 shifts for 1 axes", x=(3,)),),
)
for _name in ("tril", "triu"):
    _fn = getattr(np, _name)
    row(
        _name,
        ex(f"{_name}(x)", lambda x, fn=_fn: fn(x), x=(3, 3), stack=True),
        ex(f"{_name}(x, 1)", lambda x, fn=_fn: fn(x, 1), x=(2, 3)),
        ex(f"{_name}(x, k=-1)", lambda x, fn=_fn: fn(x, -1), x=(2, 3, 2)),
        degree=1,
        bad=(bad(f"{_name}(x)", f"{_name}: a matrix is needed, got shape (3,)", x=(3,)),),
    )
row(
    "pad",
    ex("pad(x, 1)", lambda x: np.pad(x, 1), x=(2, 3)),
    ex("pad(x, (1, 2))", lambda x: np.pad(x, (1, 2)), x=(3,)),
    ex("pad(x, ((0, 1), (2, 0)))", lambda x: np.pad(x, ((0, 1), (2, 0))), x=(2, 3)),
    ex("pad(x, 0)", lambda x: x, x=(2,)),
    degree=1,
    bad=(
        bad(
            "pad(x, ((1, 1), (1, 1), (1, 1)))",
            "widths ((1, 1), (1, 1), (1, 1)) do not say how far to pad each of 2 axes",
            "write ((before, after), ...)",
            x=(2, 3),
        ),
        bad(
            "pad(x, -1)",
            "widths -1 do not say how far to pad each of 1 axes",
            "write ((before, after), ...)",
            x=(2,),
        ),
    ),
)
row(
    "take",
    ex("take(x, [0, 2, 0])", lambda x: np.take(x, [0, 2, 0]), x=(3,)),
    ex("take(x, [5, -1])", lambda x: np.take(x, [5, -1]), x=(2, 3)),
    ex("take(x, [[0, 1], [1, 1]], axis=0)", lambda x: np.take(x, [[0, 1], [1, 1]], 0), x=(2, 3)),
    ex("take(x, [2, 0], axis=-1)", lambda x: np.take(x, [2, 0], -1), x=(2, 3), stack=True),
    ex("take(x, 1, axis=1)", lambda x: np.take(x, 1, 1), x=(2, 3, 2)),
    degree=1,
    bad=(
        bad("take(x, [3])", "index 3 is out of range for axis 0 of shape (3,)", x=(3,)),
        bad("take(x, [0.5])", "indices must be whole numbers, got 0.5", x=(3,)),
        bad("take(x, [0], axis=(0, 1))", "axis must be one whole number here, or None", x=(3, 2)),
    ),
)
row(
    "take_along_axis",
    ex(
        "take_along_axis(x, [[0], [2]], 1)",
        lambda x: np.take_along_axis(x, np.array([[0], [2]]), 1),
        x=(2, 3),
    ),
    ex(
        "take_along_axis(x, [[1, 0, 1], [0, 0, 0], [1, 1, 0]], axis=0)",
        lambda x: np.take_along_axis(x, np.array([[1, 0, 1], [0, 0, 0], [1, 1, 0]]), 0),
        x=(2, 3),
    ),
    ex("take_along_axis(x, [[1, 1, 0]], -1)", lambda x: x[:, [1, 1, 0]], x=(2, 3)),
    degree=1,
    bad=(
        bad("take_along_axis(x, [0], 1)", "take_along_axis: indices of shape (1,) for shape (2, 3)", x=(2, 3)),
        bad("take_along_axis(x, [[3]], 1)", "index 3 is out of range for axis 1 of shape (2, 3)", x=(2, 3)),
        bad(
            "take_along_axis(x, [[0], [0], [0]], 1)",
            "take_along_axis: indices of shape (3, 1) for shape (2, 3)",
            x=(2, 3),
        ),
    ),
)
row(
    "repeat",
    ex("repeat(x, 2)", lambda x: np.repeat(x, 2), x=(2, 3)),
    ex("repeat(x, 2, axis=0)", lambda x: np.repeat(x, 2, 0), x=(2, 3)),
    ex("repeat(x, 3, axis=-1)", lambda x: np.repeat(x, 3, -1), x=(2, 3), stack=True),
    degree=1,
    bad=(bad("repeat(x, -1)", "repeat: a size cannot be negative: (3, -1)", x=(3,)),),
)
row(
    "tile",
    ex("tile(x, 2)", lambda x: np.tile(x, 2), x=(3,)),
    ex("tile(x, (2, 1, 2))", lambda x: np.tile(x, (2, 1, 2)), x=(2, 3)),
    ex("tile(x, (2,))", lambda x: np.tile(x, (2,)), x=(2, 3)),
    degree=1,
    bad=(bad("tile(x, -1)", "tile: a size cannot be negative: (3, -1)", x=(3,)),),
)
row(
    "swapaxes",
    ex("swapaxes(x, 0, 2)", lambda x: np.swapaxes(x, 0, 2), x=(2, 3, 2)),
    ex("swapaxes(x, -1, -2)", lambda x: np.swapaxes(x, -1, -2), x=(2, 3), stack=True),
    degree=1,
    bad=(bad("swapaxes(x, 0, 2)", "swapaxes: axis 2 is out of range for 2 dimensions", x=(2, 3)),),
)
row(
    "moveaxis",
    ex("moveaxis(x, 0, -1)", lambda x: np.moveaxis(x, 0, -1), x=(2, 3, 2)),
    ex("moveaxis(x, (0, 1), (-1, 0))", lambda x: np.moveaxis(x, (0, 1), (-1, 0)), x=(2, 3, 2)),
    degree=1,
    bad=(
        bad("moveaxis(x, 0, 2)", "moveaxis: axis 2 is out of range for 2 dimensions", x=(2, 3)),
        bad("moveaxis(x, (0, 1), 0)", "moveaxis has 2 sources for 1 destinations", x=(2, 3)),
    ),
)

# -- constants --------------------------------------------------------------------------------------------------------

row("zeros", ex("x + zeros((2, 3))", lambda x: x + np.zeros((2, 3)), x=(3,)), degree=1)
row("ones", ex("x * ones((2, 3))", lambda x: x + np.zeros((2, 3)), x=(3,)), degree=1)
row(
    "full",
    ex("full((2, 3), 7) * x", lambda x: np.full((2, 3), 7) * x, x=(3,)),
    ex("full((2, 3), x)", lambda x: np.full((2, 3), x), x=()),
    degree=1,
    bad=(
        bad("full(x, 1)", "shape must be a constant, and this depends on a source", x=(2,)),
        bad("full(None, x)", "shape must be given", "write (2, 3)", x=()),
    ),
)
row(
    "eye",
    ex("eye(3) @ x", lambda x: x, x=(3,)),
    ex("eye(2) * x", lambda x: np.eye(2) * x, x=(2,)),
    degree=1,
    bad=(
        bad("x * eye(2.5)", "n must be whole numbers, got 2.5", x=()),
        bad("x * eye(-1)", "eye: a size cannot be negative: (-1, -1)", x=()),
    ),
)
row(
    "arange",
    ex("x * arange(4)", lambda x: x * np.arange(4), x=()),
    ex("x * arange(1, 4)", lambda x: x * np.arange(1, 4), x=()),
    ex("x * arange(0, 1, 0.25)", lambda x: x * np.arange(0, 1, 0.25), x=()),
    ex("x * arange(3, 0, -1)", lambda x: x * np.arange(3, 0, -1), x=()),
    degree=1,
    bad=(
        bad("x * arange(0, 1, 0)", "arange needs finite bounds and a step that is not 0", x=()),
        bad("arange(x)", "a must be a constant, and this depends on a source", x=()),
    ),
)
row(
    "linspace",
    ex("x * linspace(0, 1, 4)", lambda x: x * np.linspace(0, 1, 4), x=()),
    ex("x * linspace(1, -1, 1)", lambda x: x * np.linspace(1, -1, 1), x=()),
    degree=1,
    bad=(bad("x * linspace(0, 1, -1)", "linspace: a size cannot be negative: (-1,)", x=()),),
)
row("zeros_like", ex("zeros_like(x)", np.zeros_like, x=(2, 3)), derivative="cut")
row("ones_like", ex("ones_like(x)", np.ones_like, x=(2, 3)), derivative="cut")
row(
    "one_hot",
    ex("one_hot(x, 3)", lambda x: np.eye(3)[x.astype(int)], x=[0.0, 2.0, 1.0]),
    ex("one_hot(x, 2)", lambda x: np.eye(2)[x.astype(int)], x=[[0.0, 1.0], [1.0, 1.0]]),
    derivative="cut",
    kinks=(kink("one_hot(x, 2)", {"x": [0.0, 5.0]}, [[1.0, 0.0], [0.0, 0.0]], x=None),),
)
row("stop_gradient", ex("stop_gradient(x * x)", lambda x: x * x, x=(2, 3), stack=True), derivative="cut")

# -- losses -----------------------------------------------------------------------------------------------------------


def _cross_entropy(labels: Array, logits: Array, axis: int = -1) -> Array:
    return -(labels * ss.log_softmax(logits, axis=axis)).sum(axis=axis)  # type: ignore[no-any-return]


row(
    "softmax_cross_entropy",
    ex("softmax_cross_entropy(t, z)", _cross_entropy, t=(2, 3), z=(2, 3), stack=True),
    ex("softmax_cross_entropy(t, z)", _cross_entropy, t=(3,), z=(2, 3)),
    ex("softmax_cross_entropy(t, z, axis=0)", lambda t, z: _cross_entropy(t, z, 0), t=(2, 3), z=(2, 3)),
    domains={"t": POSITIVE},
    kinks=(kink("softmax_cross_entropy(t, z)", {"t": [0.0, 1.0], "z": [1000.0, 0.0]}, 1000.0, t=[0, 1000], z=[1, -1]),),
    bad=(
        bad(
            "softmax_cross_entropy(t, z)",
            "softmax_cross_entropy: labels (2, 3) and logits (3,) do not fit",
            t=(2, 3),
            z=(3,),
        ),
    ),
)


def _sparse(z: Array, labels: list[int]) -> Array:
    return -ss.log_softmax(z, axis=-1)[np.arange(len(labels)), labels]  # type: ignore[no-any-return]


row(
    "sparse_softmax_cross_entropy",
    ex("sparse_softmax_cross_entropy([0, 2], z)", lambda z: _sparse(z, [0, 2]), z=(2, 3)),
    ex("sparse_softmax_cross_entropy(1, z)", lambda z: _sparse(z[None], [1])[0], z=(3,)),
    kinks=(kink("sparse_softmax_cross_entropy(1, z)", {"z": [1000.0, 0.0]}, 1000.0, np.zeros((2, 2)), z=[1.0, -1.0]),),
    bad=(
        bad("sparse_softmax_cross_entropy([0, 3], z)", "index 3 is out of range for the 3 classes of logits", z=(2, 3)),
        bad(
            "sparse_softmax_cross_entropy([0], z)",
            "sparse_softmax_cross_entropy: labels of shape (1,) for logits of shape (2, 3): "
            "one label per row, shape (2,), is needed",
            z=(2, 3),
        ),
        bad("sparse_softmax_cross_entropy([0.5, 1], z)", "labels must be whole numbers, got 0.5", z=(2, 3)),
    ),
)


def _sigmoid_loss(t: Array, z: Array) -> Array:
    return -t * ss.log_expit(z) - (1 - t) * ss.log_expit(-z)  # type: ignore[no-any-return]


row(
    "sigmoid_cross_entropy",
    ex("sigmoid_cross_entropy(t, z)", _sigmoid_loss, t=(2, 3), z=(2, 3), stack=True),
    ex("sigmoid_cross_entropy(t, z)", _sigmoid_loss, t=(3,), z=(2, 1)),
    domains={"t": between(0.1, 0.9)},
    kinks=(
        kink(
            "sigmoid_cross_entropy(t, z)",
            {"t": [0.0, 1.0, 0.0, 1.0], "z": [1000.0, 1000.0, -1000.0, -1000.0]},
            [1000.0, 0.0, 0.0, 1000.0],
            t=[-1000.0, -1000.0, 1000.0, 1000.0],
            z=[1.0, 0.0, 0.0, -1.0],
        ),
    ),
)
row(
    "mse",
    ex("mse(a, b)", lambda a, b: np.mean((a - b) ** 2), a=(2, 3), b=(2, 3)),
    ex("mse(a, b)", lambda a, b: np.mean((a - b) ** 2), a=(2, 3), b=(3,)),
    ex("mse(a, b)", lambda a, b: np.mean((a - b) ** 2), a=(), b=()),
    degree=2,
)
row(
    "mae",
    ex("mae(a, b)", lambda a, b: np.mean(np.abs(a - b)), a=(2, 3), b=(2, 3)),
    ex("mae(a, b)", lambda a, b: np.mean(np.abs(a - b)), a=(2, 3), b=()),
    kinks=(kink("mae(a, b)", {"a": 1.0, "b": 1.0}, 0.0, np.zeros((2, 2)), a=0.0, b=0.0),),
)


def _huber(a: Array, b: Array, delta: float = 1.0) -> Array:
    d = np.abs(a - b)
    return np.where(d <= delta, d**2 / 2, delta * (d - delta / 2))


row(
    "huber",
    ex("huber(a, b)", _huber, a=(2, 3), b=(2, 3), stack=True),
    ex("huber(a, b, delta=0.5)", lambda a, b: _huber(a, b, 0.5), a=(2, 3), b=(3,)),
    ex("huber(a, 0, d)", lambda a, d: _huber(a, np.zeros(()), d), a=(3,), d=[0.7]),
    kinks=(
        kink("huber(a, 0)", {"a": 0.0}, 0.0, 1.0, a=0.0),
        kink("huber(a, 0)", {"a": 1.0}, 0.5, a=1.0),
        kink("huber(a, 0)", {"a": -3.0}, 2.5, 0.0, a=-1.0),
    ),
)
