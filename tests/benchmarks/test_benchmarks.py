"""The scripts run: whether they are fast is for who runs them on a quiet machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import NAMES, main
from tests.benchmarks.harness import fitted

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "rows", "word"),
    [
        ("startup", 4, "no-op app"),
        ("compiling", 5, "plain sympy"),
        ("evaluating", 6, "by hand in NumPy"),
        ("streaming", 2, "by hand in NumPy"),
        ("growing", 5, "exponent"),
    ],
)
def test_a_benchmark_prints_its_rows(name: str, rows: int, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A line with gradcli, its yardstick and the figure for each piece of work, and README.md shows all of them."""
    main([name, "--quick", "--markdown"])

    head, *lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert head == "| work | gradcli | yardstick | figure | goal | others |"
    assert len(lines) == rows
    assert word in lines[-1]
    assert {_work(line) for line in lines} <= {_work(line) for line in README.splitlines() if line.startswith("| ")}


def _work(line: str) -> str:
    """What a line of the table is about, whatever the sizes are."""
    return re.sub(r"\d[\d,-]*", "n", line.split(" | ", maxsplit=1)[0])


def test_there_is_no_other_benchmark() -> None:
    """Each is under test above."""
    (mark,) = test_a_benchmark_prints_its_rows.pytestmark
    assert [name for name, *_ in mark.args[1]] == list(NAMES)


def test_a_table_for_the_terminal_is_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of a column stand under each other."""
    main(["growing", "--quick"])

    lines = capsys.readouterr().out.splitlines()
    head = next(line for line in lines if line.startswith("work "))
    rows = [line for line in lines if line.startswith("growth ")]
    assert len(rows) == 5
    assert all(line[head.index("gradcli") - 1] == " " != line[head.index("gradcli")] for line in rows)


def test_the_exponent_of_a_power_is_found() -> None:
    """Figures that grow with the square of the size."""
    assert fitted([1, 10, 100], [3.0, 300.0, 30_000.0]) == pytest.approx(2.0)
