"""Sums of thousands of terms, parsed in pieces: how deep `ast.parse` can go differs between versions of Python.

`a + b - c` is a tree that leans left, one level per term. A long one is cut at some of its signs, each piece is parsed
on its own behind a placeholder, and the tree of what came before takes the placeholder's place.
"""

from __future__ import annotations

import ast
import re

__all__ = ["parse_pieces"]

TERMS = 500

# Tokens that matter: what may hide a sign, what a sign may follow, brackets, and what binds less than a sum.
_TOKEN = re.compile(
    r"""(?P<skip>'[^'\n]*'|"[^"\n]*"|\#[^\n]*|\s+)
      | (?P<number>(?:\d[\w.]*?|\.\d[\w]*?)(?:[eE][+-]?\d+)?(?![\w.]))
      | (?P<name>\w+)
      | (?P<open>[(\[{]) | (?P<close>[)\]}])
      | (?P<sign>[+-])
      | (?P<lower><<|>>|[<>=!:,&|^])
      | (?P<other>.)""",
    re.VERBOSE,
)
_LOWER_WORDS = {"if", "else", "and", "or", "not", "in", "is", "for", "lambda"}


def _cuts(text: str) -> list[int]:
    """The offsets of the signs at which the sum is cut; none where the text is no plain long sum."""
    if text.count("+") + text.count("-") < TERMS:
        return []
    depth, operand, signs = 0, False, []
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "skip":
            continue
        if kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
        elif depth == 0 and (kind == "lower" or token.group() in _LOWER_WORDS):
            return []
        elif depth == 0 and kind == "sign" and operand:
            signs.append(token.start())
        operand = kind in ("number", "name", "close")
    return signs[TERMS - 1 :: TERMS]


def parse_pieces(text: str) -> ast.expr | None:
    """The tree of `(text\\n)` in eval mode, with its places, made from pieces; None where the text is no long sum.

    Raises what `ast.parse` raises for a piece; the places of such an error are those of the piece.
    """
    cuts = _cuts(text)
    if not cuts:
        return None
    tree: ast.expr | None = None
    for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
        lead = "(" if tree is None else "(0"
        piece = ast.parse(f"{lead}{text[start:stop]}\n)", mode="eval").body
        _move(piece, text, start, len(lead))
        tree = piece if tree is None else _grafted(piece, tree)
    return tree


def _move(piece: ast.expr, text: str, start: int, lead: int) -> None:
    """The places of a piece as places of the whole: the first line of a piece begins inside a line of the whole."""
    before = text[:start]
    lines = before.count("\n")
    shift = len(before[before.rfind("\n") + 1 :].encode()) - lead + (1 if lines == 0 else 0)
    for node in ast.walk(piece):
        if isinstance(node, ast.expr | ast.keyword):
            if node.lineno == 1:
                node.col_offset += shift
            if node.end_lineno == 1 and node.end_col_offset is not None:
                node.end_col_offset += shift
            node.lineno += lines
            node.end_lineno = (node.end_lineno or 1) + lines


def _grafted(piece: ast.expr, tree: ast.expr) -> ast.expr:
    """The piece with `tree` in place of its placeholder, the leftmost operand; its sums begin where the whole does."""
    node = piece
    while isinstance(node, ast.BinOp):
        node.lineno, node.col_offset = tree.lineno, tree.col_offset
        if not isinstance(node.left, ast.BinOp):
            node.left = tree
            break
        node = node.left
    return piece
