"""The expressions of a file as texts: of targets and of let. What an expression means is the language's business."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradcli.document.scalars import is_decimal
from gradcli.document.text import check_characters, text_of
from gradcli.document.tree import Array, Broken, Mapping, Node, Scalar, Sequence
from gradcli.document.values import plain_number
from gradcli.document.yaml_lines import quoted
from gradcli.errors import InputError
from gradcli.language.source import Text

__all__ = ["expression", "listed"]

NullHelp = Callable[[Node, Node], str]


def expression(node: Node, key: Node, owner: str, kind: str, null_help: NullHelp) -> Text:
    """The text of a target or let. A bare number is a constant expression.

    Raises:
        InputError: of this kind where it is a list or mapping; of kind value where there is nothing.
    """
    if isinstance(node, Broken):
        raise InputError()  # reported where it broke
    if not isinstance(node, Scalar):
        raise InputError(node.fault(kind, f"{owner} is {node.describe()}, not an expression", _quote_it(node, key)))
    if node.value is None:
        raise InputError(key.fault("value", f"{owner} has no expression", null_help(key, node)))
    if isinstance(node.value, str):
        if not check_characters(node).strip():
            raise InputError(node.fault("value", f"{owner} is an empty text", "write an expression, such as x**2"))
        return text_of(node, owner)
    number = plain_number(node, owner)
    written = is_decimal(node.text) and not node.text.lstrip("+-").startswith("0")
    return text_of(node, owner, node.text if written else repr(number))


def _quote_it(node: Node, key: Node) -> str:
    """How to write a list or mapping as an expression: the whole value in quotes."""
    if isinstance(node, Array):
        return "an expression is a text; give values as constants or sources"
    text = node.file.text[node.start : node.end] if node.start >= 0 else ""
    if isinstance(node, (Sequence, Mapping)) and text[:1] in ("[", "{") and "\n" not in text:
        name = f"{key.text}: " if isinstance(key, Scalar) else ""
        return f"write the expression in quotes: {name}{quoted(text)}"
    return "an expression is a text; write it in quotes"


def listed(node: Node) -> Iterator[tuple[str, Node]]:
    """The targets of one expression or a list of them, named y, or y1, y2, ..."""
    if not isinstance(node, Sequence):
        yield "y", node
        return
    items: list[Node] = list(node.items)
    if node.numbers is not None:
        items = [Scalar(node.file, node.start, node.end, node.path, repr(number), number) for number in node.numbers]
    for index, item in enumerate(items, start=1):
        yield f"y{index}", item
