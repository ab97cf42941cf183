"""The scripts run: whether they are fast is for who runs them on a quiet machine."""

from __future__ import annotations

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.harness import fitted


@pytest.mark.parametrize(
    ("name", "rows", "word"),
    [
        ("startup", 4, "no-op app"),
        ("compiling", 5, "plain sympy"),
        ("evaluating", 6, "by hand in NumPy"),
        ("growing", 5, "exponent"),
    ],
)
def test_a_benchmark_prints_its_rows(name: str, rows: int, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A line with gradcli, its yardstick and the figure for each piece of work."""
    main([name, "--quick"])

    lines = capsys.readouterr().out.splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("work "))
    assert len(lines) == head + 1 + rows
    assert word in lines[-1]


def test_the_exponent_of_a_power_is_found() -> None:
    """Figures that grow with the square of the size."""
    assert fitted([1, 10, 100], [3.0, 300.0, 30_000.0]) == pytest.approx(2.0)
