"""The rows of a file's checks: name, verdict, and what there is to say, wrapped in a column of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from gradcli.report import ReportOptions
from gradcli.report.findings import difference, sentences
from gradcli.report.layout import Line, Span, cells, hang, pad
from gradcli.report.numbers import clean
from gradcli.report.page import with_line
from gradcli.results import Check

__all__ = ["CheckRows"]

_GAP = "   "
_SHORT = 24  # columns that a name may always have
_VERDICTS = {"equal": ("equal", "green"), "wrong": ("WRONG", "bold red"), "inconclusive": ("inconclusive", "yellow")}


@dataclass(frozen=True, slots=True)
class CheckRows:
    """The widths of the columns, which are the same for all files of a page."""

    name: int
    verdict: int
    agreement: int
    options: ReportOptions

    @classmethod
    def of(cls, checks: Sequence[Check], options: ReportOptions) -> CheckRows:
        """Columns for all the checks; a name that takes more than a third of the page gets a line of its own."""
        names = [cells(clean(check.name)) for check in checks]
        most = max(_SHORT, options.width // 3)
        return cls(
            name=max((width for width in names if width <= most), default=0),
            verdict=max((len(_VERDICTS[check.verdict][0]) for check in checks), default=0),
            agreement=max((len(_agreement(check)) for check in checks), default=0),
            options=options,
        )

    def lines(self, checks: Sequence[Check]) -> Iterator[Line]:
        """The rows."""
        for check in checks:
            name, (word, style) = clean(check.name), _VERDICTS[check.verdict]
            if cells(name) > self.name:
                yield (Span(f"  {name}"),)
                name = ""
            blank = " " * (self.verdict - len(word)) + _GAP
            lead = Span(f"  {pad(name, self.name)}{_GAP}"), Span(word, style), Span(blank)
            yield from hang(lead, self._texts(check), self.options.width)

    def _texts(self, check: Check) -> list[str]:
        said = [clean(text) for text in sentences(check, partial(difference, precision=self.options.precision))]
        if check.verdict == "equal":
            agreement = _agreement(check)
            aligned = agreement.rjust(self.agreement if agreement else 0).replace(" ", "\xa0")
            return [", ".join(text for text in [aligned, *said] if text)]
        if check.verdict == "wrong" and check.detail and clean(check.detail) not in said:
            said.append(clean(check.detail))
        first, *others = said or [""]
        return [text.replace(" = ", "\xa0=\xa0") for text in (with_line(first, check.line).strip(), *others)]


def _agreement(check: Check) -> str:
    return f"{int(check.digits)} digits" if check.verdict == "equal" and check.digits is not None else ""
