"""Why a text is not the YAML that its author meant: PyYAML's complaints in the words of an expression file.

Most of them have one cause: an expression that begins with a character that means something to YAML.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import yaml

from gradcli.document.tree import MAX_DEPTH, File, show
from gradcli.document.yaml_lines import cut, line_end, line_start, trap, value_at, value_from
from gradcli.errors import Fault

__all__ = ["explain"]

_NO_SPACE = re.compile(r"\s*(?:- )?(?P<key>[^\s:'\"{}\[\]#,&*!|>%@`-]+):(?P<value>[^\s:].*)")


@dataclass(frozen=True, slots=True)
class _Complaint:
    """What PyYAML says: `problem` at the offset `at`, while it was reading something that began at `since`."""

    file: File
    problem: str
    context: str
    since: int
    at: int

    def fault(self, message: str, hint: str, start: int, end: int) -> Fault:
        return self.file.fault("yaml", message, hint, start, end)

    def found(self, at: int) -> str:
        return self.file.text[at : at + 1]


def explain(file: File, error: yaml.YAMLError) -> Fault:
    """The fault behind an error of PyYAML."""
    context = str(getattr(error, "context", None) or "")
    at = _offset(file, getattr(error, "problem_mark", None), 0)
    since = _offset(file, getattr(error, "context_mark", None) if context else None, at)
    complaint = _Complaint(file, str(getattr(error, "problem", None) or error), context, since, at)
    return next(fault for rule in _RULES if (fault := rule(complaint)))


def _offset(file: File, mark: yaml.Mark | None, default: int) -> int:
    """The offset of a mark; the end of the text is the end of its last line."""
    return default if mark is None else min(mark.index, len(file.text.rstrip("\n")))


def _tab(c: _Complaint) -> Fault | None:
    """A tab where YAML wants blanks."""
    if c.found(c.at) != "\t" and "tab character" not in c.problem:
        return None
    tab = c.file.text.find("\t", line_start(c.file, c.at))
    start = max(tab, line_start(c.file, c.at))
    return c.fault("a tab is used for indentation", "indent with spaces", start, start + 1)


def _too_deep(c: _Complaint) -> Fault | None:
    """More brackets than may nest; the parser gives up before it has counted them."""
    text = c.file.text[line_start(c.file, c.at) : c.at]
    if text.count("[") + text.count("{") - text.count("]") - text.count("}") <= MAX_DEPTH:
        return None
    message = f"lists and mappings nest deeper than {MAX_DEPTH} levels"
    return c.file.fault("limit", message, "flatten the file", c.at, c.at + 1)


def _open_quote(c: _Complaint) -> Fault | None:
    """A quote that is not closed."""
    if "quoted scalar" not in c.context or not ("end of stream" in c.problem or "document" in c.problem):
        return None
    hint = "close it; an expression that holds quotes is written in quotes of the other kind"
    return c.fault(f"the quote {c.found(c.since)} is not closed", hint, c.since, c.since + 1)


def _open_bracket(c: _Complaint) -> Fault | None:
    """A bracket that is not closed where it should be."""
    bracket = c.found(c.since)
    if "flow" not in c.context or bracket not in ("[", "{"):
        return None
    value = value_from(c.file, c.since)
    quoting = value.quoting if value else "write a text that holds brackets or colons in quotes"
    if "\n" in c.file.text[c.since : c.at] or c.at >= len(c.file.text.rstrip()):
        hint = f"close it with ], or {quoting}" if bracket == "[" else "close it with }"
        return c.fault(f"the bracket {bracket} is not closed", hint, c.since, c.since + 1)
    what = "list" if bracket == "[" else "mapping"
    message = f"a comma or the end of the {what} is expected here, not {show(c.found(c.at))}"
    return c.fault(message, quoting, c.at, c.at + 1)


def _colon(c: _Complaint) -> Fault | None:
    """`: ` inside a text, a key without a space after its colon, or a wrong indentation."""
    if "mapping values are not allowed" not in c.problem:
        return None
    if fault := _no_space(c, c.at):
        return fault
    value = value_at(c.file, c.at)
    if value and value.start < c.at:
        colon = c.fault("': ' inside a text begins a mapping", value.quoting, c.at, c.at + 1)
        return trap(c.file, c.at) or colon
    begin = line_start(c.file, c.at)
    start = begin + len(c.file.text[begin : c.at]) - len(c.file.text[begin : c.at].lstrip())
    hint = "indent it like the line that it belongs with"
    return c.fault("the indentation does not fit the lines above", hint, start, c.at)


def _no_space(c: _Complaint, at: int) -> Fault | None:
    """`f:x` on this line or the one above."""
    begin = line_start(c.file, at)
    for start in (line_start(c.file, max(begin - 1, 0)), begin):
        if found := _NO_SPACE.fullmatch(c.file.text[start : line_end(c.file, start)]):
            colon = start + found.start("value") - 1
            hint = f"write {found['key']}: {cut(found['value'].strip())}"
            return c.fault(f"a space is missing after '{found['key']}:'", hint, colon, colon + 1)
    return None


def _stray_text(c: _Complaint) -> Fault | None:
    """A line that is neither `key: value` nor the continuation of a text."""
    if "could not find expected ':'" not in c.problem:
        return None
    if fault := _no_space(c, c.since) or trap(c.file, c.since):
        return fault
    end = line_end(c.file, c.since)
    hint = "a line is 'key: value'; indent a line that continues the text above it"
    return c.fault(f"there is no ':' after {show(c.file.text[c.since : end].strip())}", hint, c.since, end)


def _after_value(c: _Complaint) -> Fault | None:
    """Text after a closing quote or bracket, or a wrong indentation."""
    if not any(words in c.problem for words in ("did not find expected key", "expected <block end>", "'-' indicator")):
        return None
    value = value_at(c.file, c.at)
    if value and value.start < c.at:
        if value.text[0] not in "'\"[{":
            return trap(c.file, c.at)
        what = "quote" if value.text[0] in "'\"" else "bracket"
        return c.fault(f"the text goes on after the closing {what}", value.quoting, c.at, value.end)
    if c.file.text[line_start(c.file, c.at) : c.at].strip():
        return None
    hint = "indent it like the line that it belongs with; a text that begins with a quote or bracket ends with it"
    return c.fault("this line does not fit the lines above", hint, c.at, line_end(c.file, c.at))


def _indicator(c: _Complaint) -> Fault | None:
    """A text that begins with a character that YAML takes for itself."""
    inside = any(word in c.context for word in ("block scalar", "anchor", "alias", "tag"))
    return trap(c.file, c.since if inside else c.at)


def _other(c: _Complaint) -> Fault:
    """What has no better name: PyYAML's own words."""
    hint = "write a text with characters that mean something to YAML in quotes"
    return c.fault(f"this is not valid YAML: {c.problem}", hint, c.at, c.at + 1)


_RULES: tuple[Callable[[_Complaint], Fault | None], ...] = (
    _tab,
    _too_deep,
    _open_quote,
    _open_bracket,
    _colon,
    _stray_text,
    _after_value,
    _indicator,
    _other,
)
