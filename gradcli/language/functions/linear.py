"""Products, traces and linear algebra under NumPy's names; all products are contractions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.core.graph import Graph
from gradcli.core.nodes import Value
from gradcli.core.ops import linalg
from gradcli.core.ops.arrange import scatter, take
from gradcli.core.ops.contraction import Letters, contract
from gradcli.core.ops.elementwise import add, mul
from gradcli.core.ops.shape import broadcast_to, reshape, sum_
from gradcli.core.ops.shape import transpose as transpose_op
from gradcli.core.shapes import ShapeError, broadcast, normal_axes, show, size
from gradcli.language.declare import CallError, function


def diagonal(g: Graph, x: Value, a: int, b: int) -> Value:
    """The diagonal over the axes a and b (from 0), as the last axis."""
    rest = [k for k in range(x.rank) if k not in (a, b)]
    moved = transpose_op(g, x, (*rest, a, b))
    rows, columns = x.shape[a], x.shape[b]
    flat = reshape(g, moved, (*moved.shape[:-2], rows * columns))
    return take(g, flat, np.arange(min(rows, columns)) * (columns + 1))


def einsum_pair(g: Graph, a: Value, la: Letters, b: Value, lb: Letters, lo: Letters) -> Value:
    """einsum of two operands with letters that do not repeat within one: first what only one of them has is summed."""

    def alone(v: Value, mine: Letters, others: Letters) -> tuple[Value, Letters]:
        gone = [k for k in mine if k not in others and k not in lo]
        v = sum_(g, v, tuple(mine.index(k) - len(mine) for k in gone))
        return v, tuple(k for k in mine if k not in gone)

    a, la = alone(a, la, lb)
    b, lb = alone(b, lb, la)
    if la and lb:
        return contract(g, a, b, la, lb, lo)
    v, letters = (a, la) if la else (b, lb)
    return mul(g, transpose_op(g, v, tuple(letters.index(k) for k in lo)), b if la else a)


def _one_of_each(g: Graph, v: Value, letters: Letters) -> tuple[Value, Letters]:
    """A letter that repeats within an operand takes its diagonal."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            v = diagonal(g, v, first, second)
            letters = (*[k for j, k in enumerate(letters) if j not in (first, second)], letter)
    return v, letters


def einsum_letters(g: Graph, operands: list[tuple[Value, Letters]], lo: Letters) -> Value:
    """einsum of any number of operands, from the left."""
    parts = [_one_of_each(g, v, letters) for v, letters in operands]
    v, letters = parts[0]
    for k, (other, theirs) in enumerate(parts[1:], start=2):
        later = set(lo).union(*[ls for _, ls in parts[k:]])
        both = tuple(x for x in dict.fromkeys((*letters, *theirs)) if x in later)
        out = lo if k == len(parts) else both
        v, letters = einsum_pair(g, v, letters, other, theirs, out), out
    gone = tuple(letters.index(x) - len(letters) for x in letters if x not in lo)
    v, left = sum_(g, v, gone), tuple(x for x in letters if x in lo)
    return transpose_op(g, v, tuple(left.index(x) for x in lo))


def _read_spec(spec: str, count: int) -> tuple[list[str], str]:
    text = spec.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    parts = inputs.split(",")
    if not all(p.isalpha() or p == "" for p in [*parts, output]):
        raise CallError(
            f"einsum's spec {spec!r} has something besides letters, commas and ->", "write it like 'ij,jk->ik'"
        )
    if len(parts) != count:
        raise CallError(f"einsum's spec {spec!r} is for {len(parts)} operands, got {count}")
    if not arrow:
        output = "".join(sorted(k for k in set(inputs) - {","} if inputs.count(k) == 1))
    if len(set(output)) != len(output) or not set(output) <= set("".join(parts)):
        raise CallError(f"einsum's spec {spec!r}: each letter of the result stands once in it, and in an operand")
    return parts, output


@function("sum of products over the letters that the result does not have")
def einsum(g: Graph, spec: str, *operands: Value) -> Value:
    parts, output = _read_spec(spec, len(operands))
    sizes: dict[str, int] = {}
    for part, v in zip(parts, operands, strict=True):
        if len(part) != v.rank:
            raise CallError(
                f"einsum: {part!r} names {len(part)} axes, the operand has shape {show(v.shape)}", kind="shape"
            )
        for letter, n in zip(part, v.shape, strict=True):
            if sizes.setdefault(letter, n) != n:
                raise CallError(f"einsum: {letter!r} is {sizes[letter]} in one place and {n} in another", kind="shape")
    named = [(v, tuple(map(ord, part))) for part, v in zip(parts, operands, strict=True)]
    return einsum_letters(g, named, tuple(map(ord, output)))


def _fit(a: Value, b: Value, n: int, m: int) -> None:
    if n != m:
        raise ShapeError(f"the inner sizes {n} and {m} differ")


@function("matrix product a @ b, stacked over leading axes; vectors as in NumPy")
def matmul(g: Graph, a: Value, b: Value) -> Value:
    if not a.rank or not b.rank:
        raise ShapeError("a matrix product needs at least one axis on each side; scalars multiply with *")
    _fit(a, b, a.shape[-1], b.shape[-2] if b.rank > 1 else b.shape[0])
    stack = broadcast(a.shape[:-2], b.shape[:-2])
    first = 1000  # letters of the stack; a stretched axis is dropped from its operand
    inner, row, column = 1, 2, 3

    def lettered(v: Value, last: Letters) -> tuple[Value, Letters]:
        head, core = v.shape[: v.rank - len(last)], v.shape[v.rank - len(last) :]
        offset = len(stack) - len(head)
        keep = [k for k, n in enumerate(head) if n == stack[k + offset]]
        v = reshape(g, v, tuple(head[k] for k in keep) + core)
        return v, (*[first + k + offset for k in keep], *last)

    va, la = lettered(a, (row, inner) if a.rank > 1 else (inner,))
    vb, lb = lettered(b, (inner, column) if b.rank > 1 else (inner,))
    lo = (*range(first, first + len(stack)), *((row,) if a.rank > 1 else ()), *((column,) if b.rank > 1 else ()))
    return contract(g, va, vb, la, lb, lo)


@function("NumPy's dot: the sum over the last axis of a and the last but one of b")
def dot(g: Graph, a: Value, b: Value) -> Value:
    if not a.rank or not b.rank:
        return mul(g, a, b)
    _fit(a, b, a.shape[-1], b.shape[-2] if b.rank > 1 else b.shape[0])
    la = tuple(range(a.rank))
    inner = la[-1]
    others = tuple(range(100, 100 + b.rank - 1))
    lb = (*others[:-1], inner, *others[-1:]) if b.rank > 1 else (inner,)
    return contract(g, a, b, la, lb, (*la[:-1], *others))


def _flat(g: Graph, v: Value) -> Value:
    return reshape(g, v, (size(v.shape),))


@function("sum of the products of all entries of two arrays of equal size")
def vdot(g: Graph, a: Value, b: Value) -> Value:
    return dot(g, _flat(g, a), _flat(g, b))


@function("all products a[i] * b[j] of the flattened operands")
def outer(g: Graph, a: Value, b: Value) -> Value:
    return contract(g, _flat(g, a), _flat(g, b), (0,), (1,), (0, 1))


@function("sum over pairs of axes: the last `axes` of a with the first of b, or two lists")
def tensordot(g: Graph, a: Value, b: Value, axes: Any = 2) -> Value:
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.rank, b.rank):
            raise CallError(f"tensordot over {axes} axes of shapes {show(a.shape)} and {show(b.shape)}", kind="shape")
        left, right = tuple(range(a.rank - axes, a.rank)), tuple(range(axes))
    else:
        left, right = (tuple(p) if isinstance(p, list | tuple) else (p,) for p in axes)
    left = tuple(normal_axes(k, a.rank)[0] + a.rank for k in left)
    right = tuple(normal_axes(k, b.rank)[0] + b.rank for k in right)
    if [a.shape[k] for k in left] != [b.shape[k] for k in right]:
        raise CallError(
            f"tensordot: shapes {show(a.shape)} and {show(b.shape)} do not fit over these axes", kind="shape"
        )
    la = tuple(range(a.rank))
    lb = tuple(left[right.index(k)] if k in right else 100 + k for k in range(b.rank))
    lo = (*[k for k in la if k not in left], *[k for k in lb if k >= 100])
    return einsum_pair(g, a, la, b, lb, lo)


@function("Kronecker product")
def kron(g: Graph, a: Value, b: Value) -> Value:
    rank = max(a.rank, b.rank, 1)
    a, b = (reshape(g, v, (1,) * (rank - v.rank) + v.shape) for v in (a, b))
    la, lb = tuple(range(rank)), tuple(range(100, 100 + rank))
    product = contract(g, a, b, la, lb, tuple(k for pair in zip(la, lb, strict=True) for k in pair))
    return reshape(g, product, tuple(n * m for n, m in zip(a.shape, b.shape, strict=True)))


@function("sum of the diagonal over the first two axes")
def trace(g: Graph, x: Value) -> Value:
    if x.rank < 2:
        raise ShapeError(f"a matrix is needed, got shape {show(x.shape)}")
    return sum_(g, diagonal(g, x, 0, 1), (-1,))


@function("the diagonal of a matrix, or the diagonal matrix of a vector")
def diag(g: Graph, x: Value) -> Value:
    if x.rank == 2:
        return diagonal(g, x, 0, 1)
    if x.rank != 1:
        raise ShapeError(f"a vector or a matrix is needed, got shape {show(x.shape)}")
    (n,) = x.shape
    return reshape(g, scatter(g, x, np.arange(n) * (n + 1), n * n), (n, n))


@function("axes in another order (None: reversed)")
def transpose(g: Graph, x: Value, axes: Any = None) -> Value:
    if axes is None:
        return transpose_op(g, x, tuple(reversed(range(x.rank))))
    if not isinstance(axes, tuple) or not all(isinstance(k, int) for k in axes):
        raise CallError(f"axes must be an order of the axes, got {axes}", "write (1, 0)")
    order = tuple(k % x.rank if x.rank else k for k in axes)
    if sorted(order) != list(range(x.rank)):
        raise CallError(f"axes {tuple(axes)} is no order of the {x.rank} axes of shape {show(x.shape)}", kind="shape")
    return transpose_op(g, x, order)


@function("inverse of each matrix of a stack")
def inv(g: Graph, a: Value) -> Value:
    return linalg.inv(g, a)


@function("determinant of each matrix of a stack; its derivative, the cofactors, exists for singular ones too")
def det(g: Graph, a: Value) -> Value:
    return linalg.det(g, a, params=((-2, -1),))


@function("log of the absolute value of the determinant, without overflow")
def slogdet(g: Graph, a: Value) -> Value:
    return linalg.logabsdet(g, a, params=((-2, -1),))


@function("x with A @ x = b; b is a vector or a stack of matrices", a="A")
def solve(g: Graph, a: Value, b: Value) -> Value:
    if not b.rank:
        raise ShapeError("b is a vector or a stack of matrices, got a scalar")
    vector = b.rank == 1
    if vector:
        b = reshape(g, b, (*b.shape, 1))
    linalg.square_matrices(a.shape)
    if a.shape[-1] != b.shape[-2]:
        raise ShapeError(f"the sizes {a.shape[-1]} and {b.shape[-2]} differ")
    stack = broadcast(a.shape[:-2], b.shape[:-2])
    x = linalg.solve(g, broadcast_to(g, a, stack + a.shape[-2:]), broadcast_to(g, b, stack + b.shape[-2:]))
    return reshape(g, x, x.shape[:-1]) if vector else x


@function("lower factor L of a symmetric positive definite matrix (its symmetric part is taken), a = L @ L.T")
def cholesky(g: Graph, a: Value) -> Value:
    linalg.square_matrices(a.shape)
    return linalg.cholesky(g, mul(g, add(g, a, linalg.transposed(g, a)), g.literal(0.5)))
