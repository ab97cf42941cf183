"""The functions of the language as they were agreed on: name, signature and derivative.

Derivative: "d" differentiable almost everywhere; "0" connected, with derivative 0; "cut" no path. "constant" depends on
no array (or only through an operand that it repeats).
"""

from __future__ import annotations

__all__ = ["ALIASES", "EXTRA", "FUNCTIONS"]


def _each(names: str, parameters: str, derivative: str) -> dict[str, tuple[str, str]]:
    return {name: (f"{name}({parameters})", derivative) for name in names.split()}


# name -> (signature, derivative)
FUNCTIONS: dict[str, tuple[str, str]] = {
    **_each("exp expm1 exp2 log log1p log2 log10 sqrt rsqrt cbrt square reciprocal", "x", "d"),
    **_each("sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh sinc", "x", "d"),
    **_each("arctan2", "y, x", "d"),
    **_each("hypot power xlogy xlog1py maximum minimum mod", "x, y", "d"),
    **_each("abs", "x", "d"),
    **_each("clip", "x, lo, hi", "d"),
    **_each("where", "c, a, b", "d"),
    **_each("sign floor ceil round", "x", "0"),
    **_each("floor_divide", "x, y", "0"),
    **_each("heaviside", "x, h0", "0"),
    **_each("isfinite isnan", "x", "cut"),
    **_each("argmax argmin", "x, axis=None", "cut"),
    **_each("sigmoid log_sigmoid logit softplus relu relu6 selu silu", "x", "d"),
    **_each("leaky_relu", "x, slope=0.2", "d"),
    **_each("elu", "x, alpha=1.0", "d"),
    **_each("gelu", "x, approximate=False", "d"),
    **_each("erf erfc gamma lgamma digamma", "x", "d"),
    **_each("sum mean prod max min logsumexp", "x, axis=None, keepdims=False", "d"),
    **_each("var std", "x, axis=None, keepdims=False, ddof=0", "d"),
    **_each("norm", "x, ord=2, axis=None, keepdims=False", "d"),
    **_each("cumsum cumprod", "x, axis=None", "d"),
    **_each("sort softmax log_softmax", "x, axis=-1", "d"),
    **_each("matmul dot vdot outer kron", "a, b", "d"),
    **_each("solve", "A, b", "d"),
    **_each("einsum", "spec, ...", "d"),
    **_each("tensordot", "a, b, axes=2", "d"),
    **_each("trace diag", "x", "d"),
    **_each("transpose", "x, axes=None", "d"),
    **_each("inv det slogdet cholesky", "a", "d"),
    **_each("reshape broadcast_to", "x, shape", "d"),
    **_each("ravel", "x", "d"),
    **_each("squeeze flip", "x, axis=None", "d"),
    **_each("expand_dims", "x, axis", "d"),
    **_each("concatenate stack", "list, axis=0", "d"),
    **_each("roll", "x, shift, axis=None", "d"),
    **_each("tril triu", "x, k=0", "d"),
    **_each("pad", "x, widths", "d"),
    **_each("take", "x, indices, axis=None", "d"),
    **_each("take_along_axis", "x, indices, axis", "d"),
    **_each("repeat", "x, n, axis=None", "d"),
    **_each("tile", "x, reps", "d"),
    **_each("swapaxes", "x, a, b", "d"),
    **_each("moveaxis", "x, source, destination", "d"),
    **_each("zeros ones", "shape", "constant"),
    **_each("full", "shape, v", "constant"),
    **_each("eye", "n", "constant"),
    **_each("arange", "a, b=None, step=1", "constant"),
    **_each("linspace", "a, b, n", "constant"),
    **_each("zeros_like ones_like", "x", "cut"),
    **_each("one_hot", "labels, depth", "cut"),
    **_each("stop_gradient", "x", "cut"),
    **_each("softmax_cross_entropy", "labels, logits, axis=-1", "d"),
    **_each("sparse_softmax_cross_entropy sigmoid_cross_entropy", "labels, logits", "d"),
    **_each("mse mae", "a, b", "d"),
    **_each("huber", "a, b, delta=1.0", "d"),
}
ALIASES = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "pow": "power",
    "concat": "concatenate",
}
# Those that need SciPy, the extra `special`.
EXTRA = {"erf", "erfc", "gamma", "lgamma", "digamma"}
