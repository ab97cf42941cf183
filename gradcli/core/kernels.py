"""What generated code calls besides NumPy: plain functions of arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NAMES", "takes_out"]

Array = NDArray[Any]
NAMES: dict[str, Callable[..., Any]] = {}


def _kernel(fn: Callable[..., Any]) -> Callable[..., Any]:
    NAMES[fn.__name__] = fn
    return fn


@_kernel
def softplus(x: Array) -> Any:
    """log(1 + exp(x)) without overflow, and with all digits for x far below 0."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


@_kernel
def kept(condition: Array, x: Array, out: Array | None = None) -> Any:
    """x where the condition holds, else 0, also for infinite x. Masking its bits takes a tenth of np.where's time."""
    if not (isinstance(condition, np.ndarray) and isinstance(x, np.ndarray) and x.dtype in _BITS):
        return np.where(condition, x, 0.0)
    bits = _BITS[x.dtype]
    all_or_none = np.negative(condition.view(np.int8))
    room = None if out is None or out.dtype != x.dtype else out.view(bits)
    return np.bitwise_and(x.view(bits), all_or_none, out=room).view(x.dtype)


_BITS = {np.dtype(f): np.dtype(i) for f, i in ((np.float64, np.int64), (np.float32, np.int32))}


def takes_out(name: str) -> bool:
    """Whether generated code may say where a function is to write: also into an operand, entry by entry."""
    own = NAMES.get(name, getattr(np, name, None))
    return own is kept or (isinstance(own, np.ufunc) and own.signature is None and own.nout == 1)


@_kernel
def tip_ratio(x: Array, n: Array) -> Any:
    """x / n, and 0 where n is 0."""
    return np.where(n == 0, 0.0, x / n)


@_kernel
def sinc_derivative(x: Array, n: float) -> Any:
    """The n-th derivative of sin(pi x) / (pi x).

    With u = pi x: the Taylor series near 0, else the recurrence u S_n = sin(u + n pi / 2) - n S_(n-1), which is stable
    for |u| > n.
    """
    order = int(n)
    u = np.pi * np.asarray(x)
    far = np.where(np.abs(u) > order + 1, u, np.inf)
    s = np.sin(far) / far
    for k in range(1, order + 1):
        s = (np.sin(far + k * np.pi / 2) - k * s) / far
    near = np.where(np.abs(u) > order + 1, 0.0, u)
    total, term = np.zeros_like(near), np.ones_like(near)
    for j in range(order + 40):  # the k-th derivative at 0 is cos(k pi / 2) / (k + 1)
        k = order + j
        total = total + term * ((1 - k % 4) if k % 2 == 0 else 0) / (k + 1)
        term = term * near / (j + 1)
    return (np.pi**order * np.where(np.abs(u) > order + 1, s, total)).astype(u.dtype)[()]


# -- contraction -------------------------------------------------------------------------------------------------

Letters = tuple[int, ...]


@lru_cache(maxsize=4096)
def _plan(la: Letters, lb: Letters, lo: Letters) -> tuple[Any, ...]:
    """How to do an einsum of two operands by one matmul: axes of each operand in the order batch, free, summed."""
    batch = [k for k in lo if k in la and k in lb]
    summed = [k for k in la if k in lb and k not in lo]
    free_a = [k for k in lo if k in la and k not in lb]
    free_b = [k for k in lo if k in lb and k not in la]
    order_a = tuple(la.index(k) for k in batch + free_a + summed)
    order_b = tuple(lb.index(k) for k in batch + summed + free_b)
    made = batch + free_a + free_b
    back = tuple(made.index(k) for k in lo)
    return (
        *[None if order == tuple(range(len(order))) else order for order in (order_a, order_b, back)],
        len(batch),
        len(free_a),
        len(free_b),
        len(summed),
    )


def _spread(a: Array, letters: Letters, lo: Letters) -> Array:
    """`a` with its axes in the order of `lo`, and axes of size 1 for letters that it does not have."""
    a = a.transpose([letters.index(k) for k in lo if k in letters])
    sizes = iter(a.shape)
    return a.reshape([next(sizes) if k in letters else 1 for k in lo])


@_kernel
def contract(a: Array, b: Array, la: Letters, lb: Letters, lo: Letters) -> Any:
    """einsum(a, la, b, lb, lo), by a matmul, or by a product where nothing is summed."""
    pa, pb, back, batch, free_a, free_b, summed = _plan(la, lb, lo)
    if not summed:
        return _spread(a, la, lo) * _spread(b, lb, lo)
    a = a if pa is None else a.transpose(pa)
    b = b if pb is None else b.transpose(pb)
    head, shape_a, shape_b = a.shape[:batch], a.shape[batch : batch + free_a], b.shape[batch + summed :]
    if summed > 1 or free_a > 1 or free_b > 1:
        inner = b.shape[batch : batch + summed]
        k = int(np.prod(inner))
        a = a.reshape(*head, *([int(np.prod(shape_a))] if free_a else []), k)
        b = b.reshape(*head, k, *([int(np.prod(shape_b))] if free_b else []))
    out = _product(a, b, free_a, free_b, batch)
    if free_a > 1 or free_b > 1:
        out = out.reshape(head + shape_a + shape_b)
    return out if back is None else out.transpose(back)


def _product(a: Array, b: Array, free_a: int, free_b: int, batch: int) -> Any:
    """matmul of stacks, where an operand without free axes is a stack of vectors."""
    if not batch:
        return np.matmul(a, b)
    if free_a and free_b:
        return np.matmul(a, b)
    if free_a:
        return np.matmul(a, b[..., None])[..., 0]
    if free_b:
        return np.matmul(a[..., None, :], b)[..., 0, :]
    return np.einsum("...k,...k->...", a, b)


@_kernel
def masked_contract(a: Array, b: Array, ma: Array, mb: Array, la: Letters, lb: Letters, lo: Letters) -> Any:
    """The same, where products of an entry whose mask does not hold are 0, whatever the other factor is.

    The masks stand for entries that are 0 already, so only something infinite on the other side makes a difference,
    and only then is the product spelled out.
    """
    out = contract(a, b, la, lb, lo)
    if np.isfinite(out).all():
        return out
    every = (*lo, *[k for k in la if k in lb and k not in lo])
    keep = np.logical_and(
        _spread(np.broadcast_to(ma, np.shape(a)), la, every), _spread(np.broadcast_to(mb, np.shape(b)), lb, every)
    )
    terms = np.where(keep, _spread(a, la, every) * _spread(b, lb, every), 0.0)
    return terms.sum(axis=tuple(range(len(lo), len(every)))).astype(out.dtype)


# -- moving entries ------------------------------------------------------------------------------------------------


@_kernel
def unslice(x: Array, index: tuple[slice, ...], shape: tuple[int, ...]) -> Array:
    """Zeros of `shape` with `x` at `index`."""
    out = np.zeros(shape, dtype=x.dtype)
    out[index] = x
    return out


@_kernel
def unwindow(x: Array, start: int, axis: int, n: int) -> Array:
    """Zeros of size n along a negative axis, with `x` from `start` on."""
    shape, index = list(x.shape), [slice(None)] * x.ndim
    shape[axis], index[axis] = n, slice(start, start + x.shape[axis])
    out: Array = unslice(x, tuple(index), tuple(shape))
    return out


@_kernel
def scatter(x: Array, index: Array, n: int) -> Array:
    """Zeros of length n along the last axis, with the entries of `x` added at `index`."""
    out = np.zeros((*x.shape[:-1], n), dtype=x.dtype)
    if len(index) == len(np.unique(index)):
        out[..., index] = x
    else:
        np.add.at(out, (..., index), x)  # type: ignore[arg-type]
    return out


@_kernel
def take_along(x: Array, index: Array) -> Array:
    """take_along_axis on the last axis; `index` may have fewer leading axes."""
    return np.take_along_axis(x, np.broadcast_to(index, (*x.shape[:-1], index.shape[-1])), -1)


@_kernel
def put_along(x: Array, index: Array, n: int) -> Array:
    """Its adjoint: zeros of length n along the last axis, with the entries added at `index`."""
    flat = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    places = np.broadcast_to(index, x.shape).reshape(flat.shape)
    out = np.zeros((len(flat), n), dtype=x.dtype)
    np.add.at(out, (np.arange(len(flat))[:, None], places), flat)
    return out.reshape(*x.shape[:-1], n)


# -- reductions ---------------------------------------------------------------------------------------------------


def _largest(x: Array, axis: Any) -> Array:
    """The largest entry along axis; there may be none."""
    m: Array = np.amax(x, axis=axis, keepdims=True, initial=-np.inf)
    return m


def _peak(x: Array, axis: Any) -> Array:
    """The largest entry along axis, and 0 where that is infinite, so that x - peak has no inf - inf."""
    m = _largest(x, axis)
    return np.where(np.isfinite(m), m, np.zeros((), m.dtype))


def _log_of_sum(shifted: Array, axis: Any) -> Any:
    """log(sum(exp(shifted))), where the largest entry is 0: counted from there, small others keep their digits."""
    top = shifted == 0
    others = np.where(top, np.zeros((), shifted.dtype), np.exp(shifted)).sum(axis=axis, keepdims=True)
    return np.log1p(others + (np.count_nonzero(top, axis=axis, keepdims=True) - 1).astype(shifted.dtype))


@_kernel
def logsumexp(x: Array, axis: Any) -> Any:
    """log(sum(exp(x))) without overflow."""
    m = _peak(x, axis)
    return np.squeeze(_log_of_sum(x - m, axis) + m, axis=axis)


@_kernel
def softmax(x: Array, axis: int) -> Any:
    """exp(x) / sum(exp(x)) without overflow."""
    e = np.exp(x - _largest(x, axis))
    return e / e.sum(axis=axis, keepdims=True)


@_kernel
def log_softmax(x: Array, axis: int) -> Any:
    """log(softmax(x)) without overflow."""
    shifted = x - _largest(x, axis)
    return shifted - _log_of_sum(shifted, axis)


def _heaviest(y: Array, axis: int) -> Array:
    return np.expand_dims(np.argmax(y, axis=axis), axis)


@_kernel
def centred(y: Array, t: Array, axis: int) -> Any:
    """t - sum(y * t) for weights y that sum to 1: counted from the t of the heaviest weight, so that nothing cancels
    where that weight is nearly 1."""
    if not t.size:
        return t
    d = t - np.take_along_axis(t, _heaviest(y, axis), axis)
    return d - (y * d).sum(axis=axis, keepdims=True)


@_kernel
def pulled(y: Array, t: Array, axis: int) -> Any:
    """t - y * sum(t), whose sum is 0: the heaviest entry, where the difference cancels, is made of the others."""
    if not t.size:
        return t
    out = t - y * t.sum(axis=axis, keepdims=True)
    at = _heaviest(y, axis)
    rest = out.copy()
    np.put_along_axis(rest, at, 0.0, axis)
    np.put_along_axis(out, at, -rest.sum(axis=axis, keepdims=True), axis)
    return out


@_kernel
def norm2(x: Array, axis: Any) -> Any:
    """sqrt(sum(x * x)), scaled only where the squares overflow or vanish."""
    out = np.sqrt(np.square(x).sum(axis=axis))
    small = np.sqrt(np.finfo(x.dtype).tiny) * 1e8
    if np.all((out > small) & (out < np.inf)):
        return out
    m = np.abs(x).max(axis=axis, keepdims=True, initial=0.0)
    usable = np.isfinite(m) & (m > 0)
    m = np.where(usable, m, np.ones((), m.dtype))
    return np.sqrt(np.square(x / m).sum(axis=axis)) * np.squeeze(m, axis=axis)


@_kernel
def scan(a: Array, b: Array, axis: int, backwards: bool) -> Any:
    """s_j = b_j + a_j s_(j-1) along `axis`, from the end if `backwards`."""
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    out = np.empty_like(b)
    steps = range(len(b) - 1, -1, -1) if backwards else range(len(b))
    s = np.zeros(b.shape[1:], dtype=b.dtype)
    for j in steps:
        s = b[j] + a[j] * s
        out[j] = s
    return np.moveaxis(out, 0, axis)


# -- linear algebra -------------------------------------------------------------------------------------------------


def _each(solver: Callable[..., Any], *stacks: Array) -> Any:
    """A LAPACK routine on a stack; where it finds a matrix singular (or not positive definite), that one is NaN."""
    try:
        return solver(*stacks)
    except np.linalg.LinAlgError:
        if stacks[0].ndim == 2:
            return np.full_like(stacks[-1], np.nan)
        return np.stack([_each(solver, *parts) for parts in zip(*stacks, strict=True)])


@_kernel
def inv(a: Array) -> Any:
    """The inverse of each matrix; NaN where there is none."""
    return _each(np.linalg.inv, a)


@_kernel
def solve(a: Array, b: Array) -> Any:
    """The solution of a x = b for each pair; NaN where a is singular."""
    return _each(np.linalg.solve, a, b)


@_kernel
def cholesky(a: Array) -> Any:
    """The lower factor of each matrix; NaN where it is not positive definite."""
    return _each(np.linalg.cholesky, a)


@_kernel
def logabsdet(a: Array) -> Any:
    """log |det a|, which does not overflow where det does."""
    return np.linalg.slogdet(a)[1]


@_kernel
def logdet(a: Array) -> Any:
    """log(det a): NaN where det is negative."""
    sign, size = np.linalg.slogdet(a)
    return np.where(sign < 0, np.full((), np.nan, size.dtype), size)[()]


def _rotated(a: Array) -> tuple[Array, Array, Array, Array]:
    """u, s, v^T of a = u s v^T, and the sign det(u) det(v)."""
    if not np.isfinite(a).all():
        nan = np.full(a.shape, np.nan, a.dtype)
        return nan, nan[..., 0], nan, nan[..., 0, 0]
    u, s, vt = np.linalg.svd(a)
    return u, s, vt, np.round(np.linalg.det(u) * np.linalg.det(vt))


def _product_without(s: Array, *left_out: Array) -> Array:
    """The product of s along the last axis without the positions that are left out."""
    product: Array = np.where(reduce(np.logical_or, left_out), np.ones((), s.dtype), s).prod(axis=-1)
    return product


def _cross_rows(a: Array, b: Array) -> Array:
    """The rows (a1 x b2, a2 x b0, a0 x b1): for b = a the cofactors of 3 x 3 matrices."""
    pairs = ((1, 2), (2, 0), (0, 1))
    return np.stack([np.cross(a[..., i, :], b[..., j, :]) for i, j in pairs], axis=-2)


def _turned(a: Array) -> Array:
    """The cofactors of 2 x 2 matrices."""
    turned: Array = np.flip(a, (-2, -1)) * np.array([[1, -1], [-1, 1]], dtype=a.dtype)
    return turned


@_kernel
def cofactor(a: Array) -> Any:
    """The cofactors of each matrix: small ones by their polynomials, others through the singular values, which is
    exact in the limit of singular matrices."""
    if a.shape[-1] <= 3:
        return [np.ones_like, _turned, lambda m: _cross_rows(m, m)][a.shape[-1] - 1](a)
    u, s, vt, sign = _rotated(a)
    n = s.shape[-1]
    p = _product_without(s[..., None, :], np.eye(n, dtype=bool))
    return sign[..., None, None] * ((u * p[..., None, :]) @ vt)


@_kernel
def cofactor_change(a: Array, e: Array) -> Any:
    """The derivative of cofactor(a) in the direction e. In the basis of the singular vectors it needs only products of
    all singular values but two."""
    if a.shape[-1] <= 3:
        changes = [np.zeros_like, _turned, lambda d: _cross_rows(d, a) + _cross_rows(a, d)]
        return changes[a.shape[-1] - 1](e)
    u, s, vt, sign = _rotated(a)
    n = s.shape[-1]
    eye = np.eye(n, dtype=bool)
    p = np.where(eye, np.zeros((), s.dtype), _product_without(s[..., None, None, :], eye[:, None, :], eye[None, :, :]))
    inner = np.swapaxes(u, -1, -2) @ e @ np.swapaxes(vt, -1, -2)
    diagonal = np.diagonal(inner, axis1=-2, axis2=-1)
    change = -p * np.swapaxes(inner, -1, -2) + eye * (p @ diagonal[..., None])
    return sign[..., None, None] * (u @ change @ vt)


# -- special functions: SciPy's, loaded on the first use ------------------------------------------------------------


def _special(name: str, scipy_name: str) -> None:
    def kernel(*operands: Any) -> Any:
        import scipy.special

        return getattr(scipy.special, scipy_name)(*operands)

    NAMES[name] = kernel


for _name, _theirs in {"erf": "erf", "erfc": "erfc", "gamma": "gamma", "lgamma": "gammaln", "digamma": "psi"}.items():
    _special(_name, _theirs)


@_kernel
def polygamma(n: float, x: Array) -> Any:
    """The n-th derivative of digamma."""
    import scipy.special

    return scipy.special.polygamma(int(n), x).astype(np.asarray(x).dtype)[()]
