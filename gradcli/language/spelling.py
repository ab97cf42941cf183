"""What people write from habit in other languages, and how it is spelled here."""

from __future__ import annotations

import ast
import re

from gradcli.language.declare import FUNCTIONS
from gradcli.language.names import did_you_mean

__all__ = ["attribute_help", "dotted_name", "function_help", "operator_help", "syntax_help"]

# Function names of other libraries; those that are the same here need no entry.
_OTHER_NAMES = {
    "ln": "log",
    "fabs": "abs",
    "absolute": "abs",
    "sgn": "sign",
    "multiply": "*",
    "add": "+",
    "subtract": "-",
    "divide": "/",
    "true_divide": "/",
    "negative": "-",
    "reduce_sum": "sum",
    "reduce_mean": "mean",
    "reduce_max": "max",
    "reduce_min": "min",
    "reduce_prod": "prod",
    "reduce_logsumexp": "logsumexp",
    "reduce_std": "std",
    "reduce_variance": "var",
    "amax": "max",
    "amin": "min",
    "cast": "nothing: all values are floats",
    "mm": "matmul",
    "bmm": "matmul",
    "t": "x.T",
    "cat": "concatenate",
    "hstack": "concatenate(list, axis=-1)",
    "vstack": "stack",
    "inverse": "inv",
    "matrix_inverse": "inv",
    "logdet": "slogdet",
    "clamp": "clip",
    "clip_by_value": "clip",
    "gather": "take",
    "select": "where",
    "cond": "where",
    "detach": "stop_gradient",
    "swish": "silu",
    "logistic": "sigmoid",
    "expit": "sigmoid",
    "l2_loss": "0.5 * sum(square(x))",
    "squared_difference": "square(a - b)",
    "rint": "round",
    "arcsec": "arccos(1 / x)",
    "permute": "transpose",
    "view": "reshape",
    "flatten": "ravel",
    "unsqueeze": "expand_dims",
    "mean_squared_error": "mse",
    "softmax_cross_entropy_with_logits": "softmax_cross_entropy",
    "sparse_softmax_cross_entropy_with_logits": "sparse_softmax_cross_entropy",
    "sigmoid_cross_entropy_with_logits": "sigmoid_cross_entropy",
    "cross_entropy": "softmax_cross_entropy",
}
_MODULES = {"np", "numpy", "math", "tf", "tensorflow", "torch", "jnp", "jax", "sp", "sympy", "scipy", "nn", "F", "K"}
_PROPERTIES = {
    "shape": "shapes are known: write the sizes as numbers",
    "size": "write the number of entries as a number",
    "ndim": "write the number of axes as a number",
    "dtype": "all values are floats",
    "flat": "ravel(x)",
    "mT": "swapaxes(x, -1, -2)",
    "H": "x.T (values are real)",
    "real": "nothing: values are real",
}


def _functions() -> list[str]:
    return list(FUNCTIONS)


def function_help(name: str) -> str | None:
    """How an unknown function is spelled here, or which one may be meant."""
    if name in _OTHER_NAMES:
        return f"write {_OTHER_NAMES[name]}"
    if name in _functions():
        return f"write {name}"
    guess = did_you_mean(name, _functions())
    return f"did you mean '{guess}'?" if guess else "`gradcli functions` lists what there is"


def attribute_help(node: ast.Attribute, call: ast.Call | None = None) -> tuple[str, str]:
    """For `np.exp`, `x.sum()`, `x.shape`: what is wrong, and how it is spelled here."""
    owner = dotted_name(node.value)
    root = owner.split(".")[0]
    if root in _MODULES:
        found = function_help(node.attr) or ""
        return f"'{owner}.{node.attr}': functions are written without a module", _call_form(found, node.attr)
    if call is not None:
        known = node.attr in _functions()
        spelled = node.attr if known else _OTHER_NAMES.get(node.attr, "")
        if spelled == "x.T":
            return f"'.{node.attr}()': there are no methods", f"write {owner}.T"
        help = f"write {spelled}({owner}, ...)" if spelled else f"write a function: {function_help(node.attr)}"
        return f"'.{node.attr}()': there are no methods", help.replace(", ...)", ")") if not call.args else help
    if node.attr in _functions():
        return f"'.{node.attr}' is not part of the language, only .T is", f"write {node.attr}({owner})"
    help = _PROPERTIES.get(node.attr, "nested values are written as they stand in the file: layer1.w")
    return f"'.{node.attr}' is not part of the language, only .T is", help


def _call_form(help: str, name: str) -> str:
    return f"write {name}(...)" if help == f"write {name}" else help


def dotted_name(node: ast.expr) -> str:
    """`a.b.c` for nested attributes of a name; the root is `x` where it is no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "x")
    return ".".join(reversed(parts))


def operator_help(symbol: str) -> tuple[str, str]:
    """For operators that Python has and the language does not."""
    if symbol == "^":
        return "'^' is not a power here (in Python it is exclusive or)", "write ** for a power: x**2"
    return f"'{symbol}' is not part of the language", "multiply or divide by a power of two"


def syntax_help(text: str, at: int, message: str) -> tuple[str, str | None]:
    """Python's message for broken syntax, made plain, with help for the usual causes."""
    around = text[max(0, at - 12) : at + 12]
    if re.search(r"(?<![\w.])\d[\d.]*\s*[^\W\d]\w*", around) and "decimal" in message + "invalid decimal literal":
        return "a number directly before a name", "write the multiplication: 2*x"
    if "Perhaps you forgot a comma" in message:
        message = "two values side by side"
        return message, "an operator or a comma is missing between them"
    if "leading zeros" in message:
        return "a number with leading zeros", "write it without them"
    if "starred expression" in message:
        return "an expression cannot begin with '*'", None
    if re.search(r"(?<![=<>!:])=(?!=)", around) and (
        "==" in message or "assign" in message or message == "invalid syntax"
    ):
        return "'=' does not compare", "write == to compare, or define a value under let:"
    return message[:1].lower() + message[1:], None
