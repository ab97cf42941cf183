"""einsum of two operands: matmul, dot, outer and tensordot are cases of it, and its derivatives are of its own kind.

Every letter stands at most once in an operand, and one that only one operand has stands in the result; the language
brings other specs to this form with sums, diagonals and products (`language.linear`).
"""

from __future__ import annotations

from typing import Any

from gradcli.core.families import Op
from gradcli.core.graph import Graph
from gradcli.core.nodes import Apply, Value
from gradcli.core.ops.elementwise import mul
from gradcli.core.shapes import Shape, ShapeError, show

__all__ = ["Contraction", "Letters", "contract", "masked_contract"]

Letters = tuple[int, ...]


class Contraction(Op):
    """params: (letters of a, letters of b, letters of the value). `masked` takes two more operands: where each of the
    two is no structural zero."""

    tame = True
    fresh = True

    def __init__(self, *, masked: bool) -> None:
        self.masked = masked
        self.name = "masked_contract" if masked else "contract"

    def shape(self, args: tuple[Value, ...], params: tuple[Any, ...]) -> Shape:
        sizes: dict[int, int] = {}
        for a, letters in zip(args[:2], params[:2], strict=True):
            for letter, n in zip(letters, a.shape, strict=True):
                if sizes.setdefault(letter, n) != n:
                    raise ShapeError(f"shapes {show(args[0].shape)} and {show(args[1].shape)} do not fit")
        return tuple(sizes[letter] for letter in params[2])

    def code(self, node: Apply) -> str:
        la, lb, lo = node.params
        a, b, *masks = [v.name for v in node.args]
        if not masks and (la, lb, lo) in _PLAIN:
            return f"({a} @ {b})"
        return f"{self.name}({', '.join([a, b, *masks, str(la), str(lb), str(lo)])})"

    def differentiable(self, node: Apply, i: int) -> bool:
        return i < 2


_PLAIN = {((0, 1), (1, 2), (0, 2)), ((0, 1), (1,), (0,)), ((0,), (0, 1), (1,)), ((0,), (0,), ())}
_CONTRACT, _MASKED = Contraction(masked=False), Contraction(masked=True)


def _canonical(la: Letters, lb: Letters, lo: Letters) -> tuple[Letters, Letters, Letters]:
    """The same letters counted from 0 in the order of appearance, so that equal contractions are one node."""
    number: dict[int, int] = {}
    for k in (*la, *lb):
        number.setdefault(k, len(number))
    return tuple(number[k] for k in la), tuple(number[k] for k in lb), tuple(number[k] for k in lo)


def contract(g: Graph, a: Value, b: Value, la: Letters, lb: Letters, lo: Letters) -> Value:
    """einsum(a, la, b, lb -> lo). A scalar operand, or two of the same letters, is a plain product."""
    if (not la or not lb or la == lb == lo) and (la or lb) == lo:
        return mul(g, a, b)
    return g.apply(_CONTRACT, (a, b), _canonical(la, lb, lo))


def masked_contract(
    g: Graph, a: Value, b: Value, ma: Value | None, mb: Value | None, la: Letters, lb: Letters, lo: Letters
) -> Value:
    """The same, where products with a structural zero (its mask does not hold) are 0 whatever the other factor is."""
    if ma is None and mb is None:
        return contract(g, a, b, la, lb, lo)
    always = _always(g)
    return g.apply(_MASKED, (a, b, ma or always, mb or always), _canonical(la, lb, lo))


def _always(g: Graph) -> Value:
    import numpy as np

    return g.constant(np.ones((), dtype=bool), kind="bool")
