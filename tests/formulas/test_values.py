"""Each formula, read back through the language at a random point, gives the number of the numeric derivative."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradcli.language.table import function_names, functions

# One expression or more for each function of the language, with the range of the point where it is not (0.2, 0.9).
ONE = """
exp(x) expm1(x) exp2(x) log(x) log1p(x) log2(x) log10(x) sqrt(x) rsqrt(x) cbrt(x) cbrt(-x) square(x) reciprocal(x)
sin(x) cos(x) tan(x) arcsin(x) arccos(x) arctan(x) arctan2(x,y) sinh(x) cosh(x) tanh(x) arcsinh(x) arccosh(1+x)
arctanh(x) hypot(x,y) sinc(x) power(x,y) x**y x**3 x**-1.5 2**x xlogy(x,y) xlog1py(x,y) abs(x-0.5)*x
maximum(x,y)*x minimum(x,y)*x max(x)*y min(x)*y clip(x,0.3,0.5)*x clip(x,None,0.5)*y where(x>0.5,x*y,x/y)
sign(x-0.5)*x floor(3*x)*x ceil(3*x)*x round(3*x)*x floor_divide(y,x)*x heaviside(x-0.5,0.5)*x mod(y,x) (x+y)%0.3
sigmoid(x)*y log_sigmoid(x)*y logit(x)*y softplus(x)*y relu(x-0.5)*y relu6(9*x) leaky_relu(x-0.5) elu(x-0.5,y)
selu(x-0.5) gelu(x-0.5) gelu(x,approximate=True) silu(x) erf(x)*y erfc(x)*y gamma(x) lgamma(x)*y digamma(x)*y
sigmoid_cross_entropy(x,y) mse(x,y) mae(x,y) huber(x,y,0.3) stop_gradient(x)*x full((2,),x*y)
zeros_like(x)*y+ones_like(x)*y (x>0.3)*y+(x<0.3)*y x*y/(x+y) exp(-(x-y)**2/2)/sqrt(2*pi) sin(x)**2+cos(x)**2
x/3+0.1*y 1e-5*x*y 123456789.123*x**2 e**x*pi (x<y)*x if(0.2<x<0.6)else(y) log(1+exp(x)) (x+y)**7
""".replace("if(", "if (").replace(")else(", ") else (")
MANY = """
sum(v)*v[0] mean(v**2) prod(v) max(v)*v[1] min(v)*v[1] logsumexp(v) var(v) std(v) norm(v) norm(v,1) norm(v,inf)
cumsum(v)*v cumprod(v)*v softmax(v)[1] log_softmax(v)*v matmul(v,v) dot(v,v) vdot(v,v) outer(v,v)[0] v@v
einsum('i,i->',v,v) tensordot(v,v,1) kron(v,v)[:3] trace(outer(v,v)) diag(outer(v,v)) diag(v)[0]
transpose(outer(v,v))[0] sum(reshape(v,(3,1))@reshape(v,(1,3))) ravel(v)*v squeeze(reshape(v,(1,3)))*v
expand_dims(v,0)*v broadcast_to(v*v,(2,3)) concatenate([v,v*v]) stack([v,v*v]) flip(v)*v roll(v,1)*v
tril(outer(v,v)) triu(outer(v,v)) pad(v*v,1) take(v,[0,0,2])*v take_along_axis(v,[2,2],0)**2 repeat(v*v,2)
tile(v*v,2) swapaxes(outer(v,v),0,1)[0] moveaxis(outer(v,v),0,1)[0] zeros(3)*v+ones(3)*v eye(3)@v arange(3)*v*v
linspace(0,1,3)*v*v one_hot([0,1,2],3)@v*v v[::-1]*v v[[0,2]]**2 softmax_cross_entropy([0,1,0],v)
sparse_softmax_cross_entropy([1],[v]) sum(sigmoid(v))*v[0] where(norm(v)>1,v/norm(v),v)
"""
CURVED = """sum(v)*v[0] prod(v) max(v)*v[1] logsumexp(v) var(v) std(v) norm(v) cumprod(v) softmax(v)[1]
log_softmax(v)*v einsum('i,i->',v,v) sum(tril(outer(v,v))) take(v,[0,0,2])**3 tile(v*v,2)
sigmoid(v)*v where(v>0.5,v**3,v) where(norm(v)>1,v/norm(v),v)"""
SQUARE = """inv(A) det(A) slogdet(A) solve(A,A[0]) cholesky(A) log(det(A)) A@A A.T*A trace(A@A) sum(A,axis=0)**2
logsumexp(A,axis=1) softmax(A,axis=0)[0]"""
NOT_CONTINUED = {"sort", "argmax", "argmin", "isfinite", "isnan"}


def point(seed: str) -> dict[str, object]:
    rng = np.random.default_rng(sum(map(ord, seed)))
    return {"x": rng.uniform(0.2, 0.9), "y": rng.uniform(0.2, 0.9)}


def check(asked: object) -> int:
    count = 0
    for where, formula, number in asked.read_back():  # type: ignore[attr-defined]
        assert math.isclose(formula, number, rel_tol=1e-12, abs_tol=1e-14), where
        count += 1
    return count


def words(text: str) -> list[str]:
    """The expressions, which stand apart by spaces outside of `if` and `else`."""
    out: list[str] = []
    for word in text.split():
        joined = out and (out[-1].endswith((" if", " else")) or word in ("if", "else"))
        if joined:
            out[-1] += f" {word}"
        else:
            out.append(word)
    return out


@pytest.mark.parametrize(
    ("target", "what"), [*[(t, "gradient") for t in words(ONE)], *[(t, "hessian") for t in words(ONE)[::2]]]
)
def test_functions_of_numbers(ask, target, what):
    asked = ask(target, point(target), what=what, max_length=2000)

    assert check(asked) or all(node is None for node in asked.nodes.values()) or "gamma" in target
    assert not asked.gaps or "gamma" in target


@pytest.mark.parametrize("what", ["gradient", "forward"])
@pytest.mark.parametrize("target", words(MANY))
def test_functions_of_vectors(ask, target, what):
    values = np.random.default_rng(len(target)).uniform(0.2, 0.9, 3)
    asked = ask(target, {"v": values}, what=what)

    assert not asked.gaps
    assert check(asked) >= 3


@pytest.mark.parametrize("target", words(CURVED))
def test_second_derivatives_of_vectors(ask, target):
    values = np.random.default_rng(len(target)).uniform(0.2, 0.9, 3)
    asked = ask(target, {"v": values}, what="hessian", max_length=6000)

    assert not asked.gaps
    assert check(asked) >= 9


@pytest.mark.parametrize("target", words(SQUARE))
def test_functions_of_matrices(ask, target):
    A = np.array([[2.0, 0.5], [0.7, 3.0]])
    asked = ask(target, {"A": A}, max_length=800)

    assert not asked.gaps
    assert check(asked) >= 4


def test_three_rows(ask):
    """The derivative of det is written out, its second derivative too; what is long is left out."""
    A = np.array([[2.0, 0.5, 0.1], [0.7, 3.0, 0.3], [0.2, 0.4, 1.5]])

    assert check(ask("det(A)", {"A": A})) == 9
    assert check(ask("det(A)", {"A": A}, what="hessian", max_entries=81)) == 81
    assert check(ask("sum(inv(A)[0])", {"A": A}, max_length=2000)) == 9


def test_stacks_of_matrices(ask):
    A = np.array([[[2.0, 0.5], [0.7, 3.0]], [[1.0, 0.2], [0.1, 1.5]]])

    assert check(ask("det(A)", {"A": A})) == 8
    assert check(ask("sum(inv(A)@A**2)", {"A": A}, max_length=2000)) == 8


def test_every_function_is_in_the_table():
    """A new function of the language needs a row above, or a reason why it has no formula."""
    text = ONE + MANY + SQUARE
    missing = {f.name for f in functions() if f"{f.name}(" not in text} - NOT_CONTINUED

    assert not missing
    assert set(function_names()) >= NOT_CONTINUED
