"""Expression files of any size, written for the benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["chain_of_lets", "long_sum", "nested_chain"]


def _write(folder: Path, name: str, lets: Sequence[str], target: str) -> str:
    path = folder / name
    lines = ["sources: {x: 0.5, w: 0.9}", "let:", *[f"  h{k}: {text}" for k, text in enumerate(lets)]]
    path.write_text("\n".join([*lines, f"targets: {target}", ""]), encoding="utf-8")
    return str(path)


def chain_of_lets(folder: Path, n: int) -> str:
    """n let lines, each used by the next."""
    lets = ["sin(x) * w + x", *[f"h{k} * w + x" for k in range(n - 1)]]
    return _write(folder, f"lets-{n}.yaml", lets, f"h{n - 1}")


def nested_chain(folder: Path, steps: int, per_let: int) -> str:
    """`steps` times (sin, mul, add), each on the value of the one before; `per_let` of them nest in one let line."""
    lets, before = [], "x"
    for k in range(-(-steps // per_let)):
        lets.append("sin(" * per_let + before + ") * w + x" * per_let)
        before = f"h{k}"
    return _write(folder, f"chain-{steps}-{per_let}.yaml", lets, before)


def long_sum(folder: Path, n: int) -> str:
    """One target that is a sum of n terms."""
    return _write(folder, f"sum-{n}.yaml", ["x"], " + ".join(f"{k}.5 * sin(w)" for k in range(n)))
