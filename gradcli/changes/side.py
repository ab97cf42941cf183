"""One of the two that are compared: the arrays that a result holds, by kind and names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from gradcli.errors import Fault, InputError, Place
from gradcli.language.names import did_you_mean, fold
from gradcli.results import Array, Comparison, Gradient, Hessian, Jacobian, PerExample, Result

__all__ = ["DERIVATIVES", "Derivative", "Key", "Kind", "Side", "has_zeros", "largest"]

Derivative = Literal["gradient", "jacobian", "hessian"]
Kind = Literal["value", "gradient", "jacobian", "hessian"]
Key = tuple[str, ...]
"""What an array belongs to: a target, a source, a target and a source, or two sources."""

DERIVATIVES: tuple[Derivative, ...] = ("gradient", "jacobian", "hessian")


@dataclass(frozen=True, kw_only=True)
class Side:
    """What one side says.

    Attributes:
        name: of its file, if it has one.
        arrays: by kind and key; only the kinds that it holds. None where there is no path.
        shapes: of the sources.
        points: the largest |entry| of each source whose value is known.
        weights: the output gradients that are known.
        per_example: whether the Jacobian holds only the blocks of equal leading index.
        zero: whether a source that no target depends on has zeros.
        computed: whether it was asked here what the other side holds.
    """

    name: str | None
    dtype: str
    arrays: Mapping[Kind, Mapping[Key, Array | None]]
    shapes: Mapping[str, tuple[int, ...]]
    points: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, Array] = field(default_factory=dict)
    per_example: bool = False
    zero: bool = False
    computed: bool = False

    @classmethod
    def of(cls, result: Result, *, computed: bool = False) -> Side:
        """The side that a result is."""
        arrays: dict[Kind, Mapping[Key, Array | None]] = {"value": {(n,): v for n, v in result.targets.items()}}
        if isinstance(result, Gradient | Comparison):
            arrays["gradient"] = {(n,): v for n, v in result.gradient.items()}
        if isinstance(result, Jacobian | Comparison):
            arrays["jacobian"] = _by_pair(result.jacobian)
        if isinstance(result, Hessian):
            arrays["hessian"] = _by_pair(result.hessian)
        return cls(
            name=result.file,
            dtype=result.dtype,
            arrays=arrays,
            shapes={name: np.shape(value) for name, value in result.sources.items()},
            points={name: largest(value) for name, value in result.sources.items()},
            weights=result.weights,
            per_example=isinstance(result, PerExample),
            zero=has_zeros(arrays, (note.kind for note in result.notes)),
            computed=computed,
        )

    @cached_property
    def values(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the targets."""
        return {name: np.shape(np.asarray(array)) for (name,), array in self.arrays["value"].items()}

    @property
    def derivatives(self) -> list[Derivative]:
        """The kinds of derivative that it holds."""
        return [kind for kind in DERIVATIVES if kind in self.arrays]

    def chosen(self, targets: Iterable[str] | None, sources: Iterable[str] | None) -> Side:
        """The side with only these targets and sources, where they are given; `layer` stands for all `layer.*`.

        A gradient or Hessian of other targets, too, cannot be taken apart; beside a Jacobian it is left out.

        Raises:
            InputError: there is no such name, or there are no rows.
        """
        faults: list[Fault] = []
        kept = _choose("target", targets, self.values, faults)
        by = _choose("source", sources, self.shapes, faults)
        others = [name for name in self.values if name not in kept]
        kinds = ["value", "jacobian"] if others else ["value", *DERIVATIVES]
        if others and self.derivatives and "jacobian" not in self.derivatives and not faults:
            message = f"its {self.derivatives[0]} is of the sum over all its targets, also {', '.join(others)}"
            faults.append(Fault("usage", message, "leave -t out, or make the result with the same -t"))
        if faults:
            raise InputError(*(replace(fault, place=Place(self.name)) for fault in faults))
        names = {"value": (kept,), "gradient": (by,), "jacobian": (kept, by), "hessian": (by, by)}
        arrays: dict[Kind, Mapping[Key, Array | None]] = {
            kind: {
                key: array
                for key, array in found.items()
                if all(name in chosen for name, chosen in zip(key, names[kind], strict=True))
            }
            for kind, found in self.arrays.items()
            if kind in kinds
        }
        return replace(self, arrays=arrays, shapes={name: self.shapes[name] for name in by})


def _by_pair(blocks: Mapping[str, Mapping[str, Array | None]]) -> dict[Key, Array | None]:
    return {(first, second): array for first, row in blocks.items() for second, array in row.items()}


def has_zeros(arrays: Mapping[Kind, Mapping[Key, Array | None]], notes: Iterable[object]) -> bool:
    """Whether --unconnected zero was asked for: something is unconnected, says a note, and yet nothing is None."""
    return "unconnected" in notes and all(a is not None for found in arrays.values() for a in found.values())


def largest(array: Array) -> float:
    """The largest finite |entry|, 0 where there is none."""
    size = np.abs(array)
    found = float(size.max(initial=0.0))
    return found if np.isfinite(found) else float(size[np.isfinite(size)].max(initial=0.0))


def _choose(what: str, names: Iterable[str] | None, known: Iterable[str], faults: list[Fault]) -> list[str]:
    if names is None:
        return list(known)
    chosen: list[str] = []
    for name in names:
        found = [n for n in known if fold(n) == fold(name)]
        if what == "source" and not found:
            found = [n for n in known if fold(n).startswith(f"{fold(name)}.")]
        if not found:
            guess = did_you_mean(name, known)
            hint = f"did you mean {guess!r}?" if guess else f"it has: {', '.join(list(known)[:12])}"
            faults.append(Fault("name", f"there is no {what} {name!r} in this result", hint))
        chosen += found
    return list(dict.fromkeys(chosen))
