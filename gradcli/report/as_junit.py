"""JUnit XML for CI systems: a suite for each file, a test case for each check.

It keeps to the strictest schema in use, that of Jenkins' xUnit plugin, in which only a suite has an attribute for its
file and nothing has one for a line; so the text of a failure begins with both. What is inconclusive has passed, with
the reason in `system-out`: `skipped` would say that nobody looked, and would keep dashboards yellow for a kink at
which no method can ever decide. No clock is read, so the same result gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gradcli.report import ReportOptions
from gradcli.report.diagnostics import render_text
from gradcli.report.findings import called, difference, faults, gap, number, sentences, unreadable, where
from gradcli.report.numbers import clean
from gradcli.report.page import with_line
from gradcli.results import Check, Checked, CheckedFile

__all__ = ["dump", "render"]


def render(result: Checked, options: ReportOptions | None = None) -> str:
    """`result` as an XML document in UTF-8."""
    if not isinstance(result, Checked):
        raise TypeError(f"no JUnit form for {type(result).__name__}")
    root = Element("testsuites", name="gradcli check")
    root.extend(_suite(file, options or ReportOptions()) for file in result.files)
    _count(root)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def dump(result: Checked, stream: BinaryIO) -> None:
    """Writes the document to `stream`."""
    stream.write(render(result).encode())


def _suite(file: CheckedFile, options: ReportOptions) -> Element:
    suite = Element("testsuite", name=called(file))
    if file.faults:
        _unread(_case(suite, file, "can be checked"), file)
    for check in file.checks:
        case = _case(suite, file, check.name)
        if check.verdict == "wrong":
            _failure(case, file, check, options)
        elif check.verdict == "inconclusive":
            why = f"inconclusive: {clean(check.detail)}" if check.detail else "inconclusive"
            SubElement(case, "system-out").text = with_line(why, check.line)
    _count(suite)
    suite.attrib |= {"skipped": "0", "file": called(file)}
    return suite


def _count(element: Element) -> None:
    """The attributes that say how much there is in an element; nothing was measured, so there is no time in it."""
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        element.set(name, str(sum(1 for _ in element.iter(tag))))
    element.set("time", "0")


def _case(suite: Element, file: CheckedFile, name: str) -> Element:
    return SubElement(suite, "testcase", classname=called(file), name=clean(name), time="0")


def _unread(case: Element, file: CheckedFile) -> None:
    """All faults in one error, as most readers keep no second."""
    error = SubElement(case, "error", message=unreadable(file), type=file.faults[0].kind)
    error.text = "\n".join(map(clean, render_text(faults(file)).split("\n")))


def _failure(case: Element, file: CheckedFile, check: Check, options: ReportOptions) -> None:
    """In the message what a person reads first, in the text every digit."""
    said = sentences(check, partial(difference, precision=options.precision)) or [f"{check.name} is wrong"]
    failure = SubElement(case, "failure", message=clean("; ".join(said)), type=check.verdict)
    failure.text = "\n".join(f"{label}: {clean(text)}" for label, text in _facts(file, check) if text)


def _facts(file: CheckedFile, check: Check) -> Iterator[tuple[str, str | None]]:
    yield "file", where(file, check)
    yield "check", check.name
    if check.worst:
        yield "entry", check.worst.entry
        yield "expected", number(check.worst.expected)
        yield "got", number(check.worst.got)
        yield "difference", gap(check.worst)
    yield "diagnosis", check.diagnosis
    yield "counterexample", check.counterexample
    yield "detail", check.detail
