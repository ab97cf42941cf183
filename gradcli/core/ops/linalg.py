"""Linear algebra on the last two axes, stacked over the others. Rules after Giles, "Collected matrix derivative
results for forward and reverse mode algorithmic differentiation" (2008)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gradcli.core.families import Partial, Reduction, Structural, names
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Value
from gradcli.core.ops.contraction import contract
from gradcli.core.ops.elementwise import add, mul, neg, sub
from gradcli.core.ops.shape import expand_axes, reshape, sum_, transpose
from gradcli.core.shapes import Shape, ShapeError, show, size

__all__ = ["cholesky", "det", "inv", "logabsdet", "logdet", "matmul_stacked", "solve", "square_matrices"]

_MATRIX: tuple[int, int] = (-2, -1)


def transposed(g: Graph, v: Value) -> Value:
    """The last two axes swapped."""
    n = v.rank
    return transpose(g, v, (*range(n - 2), n - 1, n - 2))


def matmul_stacked(g: Graph, a: Value, b: Value) -> Value:
    """a @ b over stacks: leading axes are aligned from the right, and one operand may have more of them."""
    rank = max(a.rank, b.rank)
    stack = tuple(range(rank - 2))
    la = (*stack[rank - a.rank :], 100, 101)
    lb = (*stack[rank - b.rank :], 101, 102)
    return contract(g, a, b, la, lb, (*stack, 100, 102))


def square_matrices(shape: Shape) -> None:
    """ShapeError unless the last two axes are of one size."""
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ShapeError(f"a square matrix is needed in the last two axes, got shape {show(shape)}")


class _OnMatrices(Structural):
    """Carries the stack and mixes the matrix."""

    mixes = True

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        square_matrices(args[0].shape)
        return args[0].shape

    def code(self, node: Apply) -> str:
        return f"{self.name}({', '.join(names(node))})"

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        return {k: k for k in range(-node.args[0].rank, -2)}


class _Inv(_OnMatrices):
    """d(A^-1) = -A^-1 dA A^-1."""

    name = "inv"

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        t = transposed(g, out)
        return neg(g, matmul_stacked(g, matmul_stacked(g, t, ct), t))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        return neg(g, matmul_stacked(g, matmul_stacked(g, out, t), out))


class _Solve(_OnMatrices):
    """A x = b for a stack of matrices b. Extra leading axes become columns, so A is factored once."""

    name = "solve"

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        a, b = args
        square_matrices(a.shape)
        if a.shape[:-1] != b.shape[:-1]:
            raise ShapeError(f"shapes {show(a.shape)} and {show(b.shape)} do not fit")
        return b.shape

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        back = _solve_columns(g, transposed(g, node.args[0]), ct)
        return back if i == 1 else neg(g, matmul_stacked(g, back, transposed(g, out)))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        source = t if i == 1 else neg(g, matmul_stacked(g, t, out))
        return _solve_columns(g, node.args[0], source)


def _solve_columns(g: Graph, a: Value, b: Value) -> Value:
    """solve(a, b) where b may have extra leading axes."""
    extra = b.rank - a.rank
    if not extra:
        return solve(g, a, b)
    rank, stack = b.rank, tuple(range(extra, b.rank - 1))
    perm = (*stack, *range(extra), rank - 1)
    moved = transpose(g, b, perm)
    head = moved.shape[: len(stack)]
    wide = reshape(g, moved, (*head, size(moved.shape[len(stack) :])))
    solved = reshape(g, solve(g, a, wide), moved.shape)
    return transpose(g, solved, tuple(perm.index(k) for k in range(rank)))


inv, solve = _Inv(), _Solve()


class _OfMatrix(Reduction):
    """A number per matrix: a reduction over the last two axes."""

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        square_matrices(args[0].shape)
        return args[0].shape[:-2]

    def code(self, node: Apply) -> str:
        return f"{self.name}({node.args[0].name})"


class _LogAbsDet(_OfMatrix):
    """log |det A|: the partials are A^-T."""

    name = "logabsdet"

    def partial(self, g: Graph, node: Apply, out: Value) -> Partial:
        return Partial(transposed(g, inv(g, node.args[0])))


class _LogDet(_LogAbsDet):
    """log(det A): as log |det A|, and NaN where the determinant is negative."""

    name = "logdet"


class _Det(_OfMatrix):
    """det A: the partials are the cofactors, which exist for singular matrices too."""

    name = "det"

    def partial(self, g: Graph, node: Apply, out: Value) -> Partial:
        return Partial(cofactor(g, node.args[0]))


class _Cofactor(_OnMatrices):
    """The matrix of cofactors: the gradient of det. Its derivative is the (symmetric) Hessian of det."""

    name = "cofactor"

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        return g.apply(_COFACTOR_CHANGE, (node.args[0], ct))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        return self.vjp(g, node, out, i, t)


class _CofactorChange(_OnMatrices):
    """The derivative of the cofactors of A in the direction E (which may have extra leading axes), exact for singular
    matrices. Its own derivative by A, the third of det, goes through the inverse."""

    name = "cofactor_change"

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        return args[1].shape

    def carried(self, node: Apply, i: int) -> dict[int, int]:
        return {k: k for k in range(-node.args[i].rank, -2)}

    def _by_inverse(self, g: Graph, node: Apply) -> Value:
        """det(A) (tr(A^-1 E) A^-T - A^-T E^T A^-T)."""
        a, e = node.args
        t = transposed(g, inv(g, a))
        trace = expand_axes(g, sum_(g, mul(g, t, e), _MATRIX), _MATRIX)
        inner = sub(g, mul(g, trace, t), matmul_stacked(g, matmul_stacked(g, t, transposed(g, e)), t))
        return mul(g, expand_axes(g, det(g, a, params=(_MATRIX,)), _MATRIX), inner)

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        a = node.args[0]
        if i == 1:
            return g.apply(self, (a, ct))
        from gradcli.core.differentiate import vjp
        from gradcli.core.tangents import Tangent, full, plain

        lead = ct.shape[: ct.rank - out.rank]
        assert not lead or out.rank == a.rank, "the third derivative of det takes one direction at a time"
        made = vjp(g, {self._by_inverse(g, node): plain(ct, ct.shape)}, [a])[a]
        assert isinstance(made, Tangent)
        return full(g, made)

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        return self.vjp(g, node, out, i, t)


cofactor, _COFACTOR_CHANGE = _Cofactor(), _CofactorChange()
det, logabsdet, logdet = _Det(), _LogAbsDet(), _LogDet()


class _Cholesky(_OnMatrices):
    """A = L L^T for symmetric A: dL = L P(L^-1 dA L^-T), where P takes the lower triangle and halves the diagonal."""

    name = "cholesky"
    _half: ClassVar[float] = 0.5

    def _lower(self, g: Graph, v: Value) -> Value:
        n = v.shape[-1]
        weights = np.tril(np.ones((n, n))) - self._half * np.eye(n)
        return mul(g, v, g.constant(weights))

    def vjp(self, g: Graph, node: Apply, out: Value, i: int, ct: Value) -> Value:
        back = transposed(g, inv(g, out))
        middle = self._lower(g, matmul_stacked(g, transposed(g, out), ct))
        whole = matmul_stacked(g, matmul_stacked(g, back, middle), transposed(g, back))
        return mul(g, g.literal(self._half), add(g, whole, transposed(g, whole)))

    def jvp(self, g: Graph, node: Apply, out: Value, i: int, t: Value) -> Value:
        inverse = inv(g, out)
        middle = matmul_stacked(g, matmul_stacked(g, inverse, t), transposed(g, inverse))
        return matmul_stacked(g, out, self._lower(g, middle))


cholesky = _Cholesky()
