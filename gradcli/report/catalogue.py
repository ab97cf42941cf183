"""The catalogue of functions as a table, as a page about one function, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

__all__ = ["as_json", "as_table", "as_text"]

Entry = Mapping[str, Any]
_WORDS = {
    "d": "d: differentiable almost everywhere",
    "0": "0: connected, and 0 everywhere",
    "cut": "cut: no derivative passes",
}


def as_json(entries: Sequence[Entry]) -> str:
    """One object with the entries under "functions"."""
    content = {"schema_version": 1, "command": "functions", "functions": list(entries)}
    return json.dumps(content, ensure_ascii=False) + "\n"


def as_table(entries: Sequence[Entry], width: int) -> str:
    """A line for each function: signature, derivative, what it is; long ones go on below."""
    column = min(max(len(e["signature"]) for e in entries), 34)
    lines = [*wrap("derivative: d = differentiable, 0 = connected but 0 everywhere, cut = no path", width), ""]
    for entry in entries:
        lines += _row(entry, column, width)
    return "".join(f"{line}\n" for line in [*lines, "", "gradcli functions NAME says more about one"])


def _row(entry: Entry, column: int, width: int) -> list[str]:
    signature = entry["signature"]
    extra = f" (extra `{entry['extra']}`)" if entry["extra"] else ""
    indent = " " * (column + 9)
    doc = wrap(entry["doc"] + extra, max(width - len(indent), 24)) or [""]
    first = f"  {signature:<{column}}  {entry['derivative']:<3}  "
    lead = [f"  {signature}", f"  {'':<{column}}  {entry['derivative']:<3}  {doc[0]}"]
    head = [first + doc[0]] if len(signature) <= column else lead
    return [line.rstrip() for line in [*head, *[indent + part for part in doc[1:]]]]


def as_text(entry: Entry) -> str:
    """All that there is to say about one function."""
    lines = [entry["signature"], f"  {entry['doc']}", f"  derivative {_WORDS[entry['derivative']]}"]
    lines += [f"  {text}" for text in entry["special"]]
    if entry["aliases"]:
        lines.append(f"  also called {', '.join(entry['aliases'])}")
    if entry["extra"]:
        lines.append(f"  needs the extra `{entry['extra']}`: pip install 'gradcli[{entry['extra']}]'")
    return "".join(f"{line}\n" for line in lines)
