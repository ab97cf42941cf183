"""Text -> checked syntax. Read by `ast.parse`, then held against a whitelist; nothing is ever evaluated by Python.

The text stands in brackets while it is parsed, so that it may run over several lines and begin anywhere.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gradcli.errors import Fault, InputError
from gradcli.language.long_sums import parse_pieces
from gradcli.language.names import fold
from gradcli.language.source import Text
from gradcli.language.spelling import attribute_help, dotted_name, operator_help, syntax_help
from gradcli.language.syntax import parts_of

__all__ = ["Expression", "parse"]

MAX_LENGTH = 500_000
MAX_NESTING = 200
MAX_UNARY = 100
_RECURSION_LIMIT = 10_000  # carries sums of 20,000 terms; more can exhaust the C stack

_ALLOWED = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.Constant,
    ast.List,
    ast.Tuple,
    ast.Subscript,
    ast.Slice,
    ast.Attribute,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.expr_context,
)
_REFUSED = {
    ast.Lambda: "a function of one's own (lambda)",
    ast.ListComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.Dict: "a mapping",
    ast.Set: "a set",
    ast.JoinedStr: "a formatted string",
    ast.Starred: "unpacking with *",
    ast.NamedExpr: "an assignment (:=)",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}


@dataclass(frozen=True)
class Expression:
    """Checked syntax with the text it comes from."""

    text: Text
    root: ast.expr
    starts: tuple[tuple[int, str], ...]  # per line: offset of its first character in the text, and the line

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Offset and length of a node in the text. `ast` counts UTF-8 bytes, we count characters."""
        start = self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        end = self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return start, max(1, end - start)

    @cached_property
    def references(self) -> list[tuple[str, ast.expr]]:
        """The names that the expression uses as values, after NFKC, with their nodes."""
        found: list[tuple[str, ast.expr]] = []
        work: list[ast.AST] = [self.root]
        while work:
            node = work.pop()
            if isinstance(node, ast.Name):
                found.append((fold(node.id), node))
            elif isinstance(node, ast.Attribute) and node.attr != "T":
                found.append((fold(dotted_name(node)), node))
            else:
                work.extend(parts_of(node))
        return found

    def _offset(self, lineno: int, column: int) -> int:
        offset, line = self.starts[min(lineno - 1, len(self.starts) - 1)]
        if not line.isascii():
            column = len(line.encode()[:column].decode(errors="replace"))
        return offset + column - (1 if lineno == 1 else 0)  # the bracket in front

    def source(self, node: ast.AST) -> str:
        """The node as the user wrote it."""
        start, length = self.span(node)
        return self.text.text[start : start + length]

    def fault(self, node: ast.AST, kind: str, message: str, help: str | None = None) -> Fault:
        start, length = self.span(node)
        return self.text.fault(kind, message, help, at=start, length=length)


def parse(text: Text, dotted: Collection[str] = ()) -> Expression:
    """The checked syntax of one expression; InputError with everything that is wrong with it.

    `dotted`: the nested names (`layer1.w`) that attribute syntax may spell.
    """
    _check_bounds(text)
    _check_brackets(text)
    source = f"({text.text}\n)"
    try:
        with _recursion_limit(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python finds odd (`1 is 2`) is an error here, with a place
            root = _tree(text.text, source)
    except SyntaxError as e:
        raise _syntax_error(text, e) from None
    except (RecursionError, MemoryError):
        raise text.error(
            "limit", f"the {text.owner} nests too deep to be read", "split it with let: intermediate: ...", length=1
        ) from None
    except ValueError as e:
        raise text.error("syntax", f"cannot read the {text.owner}: {e}") from None
    starts, offset = [], 0
    for number, line in enumerate(source.split("\n")):
        starts.append((offset, line))
        offset += len(line) + 1 - (1 if number == 0 else 0)
    expression = Expression(text, root, tuple(starts))
    faults = [] if _is_plain(root) else list(_check_nodes(expression, dotted))
    if faults:
        raise InputError(*faults)
    return expression


def _tree(text: str, source: str) -> ast.expr:
    try:
        pieces = parse_pieces(text)
    except SyntaxError:
        pieces = None  # the whole text has the right place of the error
    return ast.parse(source, mode="eval").body if pieces is None else pieces


@contextmanager
def _recursion_limit() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _check_bounds(text: Text) -> None:
    s = text.text
    if not s.strip():
        raise text.error("syntax", f"the {text.owner} is empty", "write an expression such as x**2")
    if len(s) > MAX_LENGTH:
        raise text.error(
            "limit",
            f"the {text.owner} has {len(s):,} characters, more than {MAX_LENGTH:,}",
            "split it with let",
            length=1,
        )
    if "\0" in s:
        raise text.error("syntax", f"the {text.owner} has a null character", at=s.index("\0"), length=1)
    if len(s) <= MAX_UNARY:  # too short for what follows
        return
    if chain := re.search(rf"(?:(?:[-+~]|\bnot\b)\s*){{{MAX_UNARY + 1},}}", s):
        raise text.error("limit", f"more than {MAX_UNARY} signs in a row", at=chain.start(), length=1)
    if tower := re.search(rf"(?:\*\*[^*/+,()\[\]<>=&|@%-]*){{{MAX_NESTING},}}", s):
        raise text.error("limit", f"more than {MAX_NESTING} powers of powers", at=tower.start(), length=2)


_SKIP = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|#[^\n]*|[()\[\]]")
_PAIRS = {")": "(", "]": "["}


def _check_brackets(text: Text) -> None:
    """The brackets around the text must not pair with brackets in it."""
    open_: list[tuple[str, int]] = []
    for match in _SKIP.finditer(text.text):
        c, at = match.group(), match.start()
        if c in "([":
            open_.append((c, at))
            if len(open_) > MAX_NESTING - 10:  # Python's own limit is 200
                raise text.error(
                    "limit",
                    f"brackets nest more than {MAX_NESTING - 10} deep in the {text.owner}",
                    "split it with let: intermediate: ...",
                    at=at,
                    length=1,
                )
        elif c in ")]":
            if not open_ or open_[-1][0] != _PAIRS[c]:
                raise text.error("syntax", f"'{c}' has no '{_PAIRS[c]}' before it", at=at, length=1)
            open_.pop()
    if open_:
        c, at = open_[-1]
        raise text.error("syntax", f"'{c}' is never closed", at=at, length=1)


def _syntax_error(text: Text, e: SyntaxError) -> InputError:
    """Python's complaint, in the words of this language and at its place."""
    lines = text.text.split("\n")
    if (e.lineno or 1) > len(lines):  # only the closing bracket is left
        at = len(text.text.rstrip()) - 1
        return text.error(
            "syntax", f"the {text.owner} ends too early", "something is missing at its end", at=at, length=1
        )
    line = min(max((e.lineno or 1) - 1, 0), len(lines) - 1)
    column = (e.offset or 1) - 1 - (1 if line == 0 else 0)
    at = sum(len(x) + 1 for x in lines[:line]) + min(max(column, 0), len(lines[line]))
    at = min(at, max(0, len(text.text.rstrip()) - 1))
    message, help = syntax_help(text.text, at, e.msg or "invalid syntax")
    return text.error("syntax", f"{message} in {text.owner}", help, at=at, length=1)


_PLAIN = {ast.Name, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.List, ast.Tuple, ast.Subscript, ast.Slice}


def _is_plain(root: ast.expr) -> bool:
    """Whether nothing has to be looked at closely, which is the usual case and said in a fraction of the time."""
    work: list[Any] = [root]
    while work:
        node = work.pop()
        kind = type(node)
        if kind is ast.BinOp:
            plain = type(node.op) not in _REFUSED
        elif kind is ast.Call:
            plain = type(node.func) is ast.Name and all(k.arg is not None for k in node.keywords)
        elif kind is ast.Compare:
            plain = not any(type(op) in _REFUSED for op in node.ops)
        elif kind is ast.Constant:
            plain = type(node.value) is float or (type(node.value) is int and node.value.bit_length() < 1000)
        else:
            plain = kind in _PLAIN
        if not plain:
            return False
        work.extend(parts_of(node))
    return True


def _check_nodes(x: Expression, dotted: Collection[str]) -> Iterator[Fault]:
    skip: set[int] = set()
    for node in ast.walk(x.root):
        if id(node) in skip:
            continue
        if isinstance(node, ast.Compare):
            for op in node.ops:
                if type(op) in _REFUSED:
                    yield x.fault(node, "syntax", f"'{_REFUSED[type(op)]}' is not part of the language")
        elif isinstance(node, ast.BinOp) and type(node.op) in _REFUSED:
            yield x.fault(node, "syntax", *operator_help(_REFUSED[type(node.op)]))
        elif type(node) in _REFUSED and isinstance(node, ast.expr):
            skip.update(id(child) for child in ast.walk(node))
            yield x.fault(node, "syntax", f"{_REFUSED[type(node)]} is not part of the language")
        elif isinstance(node, ast.Attribute):
            if dotted_name(node) in dotted:
                skip.update(id(child) for child in ast.walk(node))
            elif node.attr != "T":
                skip.update(id(child) for child in ast.walk(node))
                message, help = attribute_help(node)
                yield x.fault(node, "syntax", message, help)
        elif isinstance(node, ast.Call):
            fault, dead = _check_call(x, node)
            skip.update(dead)
            if fault:
                yield fault
        elif isinstance(node, ast.Constant):
            yield from _check_constant(x, node)
        elif not isinstance(node, (*_ALLOWED, *_REFUSED)):
            yield x.fault(node, "syntax", f"{type(node).__name__} is not part of the language")


def _check_call(x: Expression, node: ast.Call) -> tuple[Fault | None, set[int]]:
    """A call must name its function; `x.sum()` and `np.exp(x)` get their right spelling."""
    if isinstance(node.func, ast.Attribute):
        message, help = attribute_help(node.func, node)
        return x.fault(node.func, "syntax", message, help), {id(child) for child in ast.walk(node.func)}
    if not isinstance(node.func, ast.Name):
        return x.fault(node, "syntax", f"'{x.source(node.func)[:40]}' is not a function", "multiply with *"), set()
    for keyword in node.keywords:
        if keyword.arg is None:
            return x.fault(keyword.value, "syntax", "unpacking with ** is not part of the language"), set()
    return None, set()


def _check_constant(x: Expression, node: ast.Constant) -> Iterator[Fault]:
    if isinstance(node.value, complex):
        yield x.fault(node, "value", "complex numbers are not supported", "gradcli computes with real numbers")
    elif isinstance(node.value, bytes):
        yield x.fault(node, "syntax", "bytes are not part of the language")
    elif isinstance(node.value, int):
        try:
            float(node.value)
        except OverflowError:
            yield x.fault(node, "value", "the integer is larger than every floating-point number", "write it as 1e300")
