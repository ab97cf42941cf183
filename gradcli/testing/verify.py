"""A derivative held at the point and near it, and what there is to say where it is wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.checks.numbers import Numbers
from gradcli.report.findings import difference
from gradcli.report.numbers import shape_text
from gradcli.results import Difference
from gradcli.testing.arguments import Refusal
from gradcli.testing.author import Author
from gradcli.testing.diagnosis import Measured, Sampled, explanation
from gradcli.testing.hold import Given, Held, Wrong, agrees, hold
from gradcli.testing.local import Local

__all__ = ["failure"]

__tracebackhide__ = True

_NEAR = 2
_TRIES = 6
_MOST_NEAR = 16  # entries that are checked one by one near the point
_BLOCKS_NEAR = 8
_FEW = 20  # entries up to which a mistake must explain what is wrong at all points


def failure(
    kind: str,
    fun: Callable[..., Any],
    derivative: Any,
    x: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
) -> str | None:
    """What is wrong with a derivative, in words; None where nothing is. `kind` is gradient or jacobian.

    Raises:
        Refusal: nothing can be checked.
    """
    with _quiet():
        author = Author(kind, fun, derivative, x, rtol, atol)
        f = author.function
        if f.value.size and np.isnan(f.value).all():
            raise Refusal(ValueError(f"{f.name} is NaN at the point: there is no derivative to check"))
        return _Verification(author, seed).failure()


@contextmanager
def _quiet() -> Iterator[None]:
    """Off its domain a function may warn as it likes."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@dataclass(frozen=True)
class _Place:
    """A point, with what the author gives there."""

    local: Local
    arrays: dict[str, Numbers]
    given: Given


@dataclass
class _Verification:
    author: Author
    seed: int

    def failure(self) -> str | None:
        """At the point; and where the derivative is a function, near it."""
        author, f = self.author, self.author.function
        local = Local(f, f.start)
        for name, array in author.arrays.items():
            if array.shape != author.shape(name):
                return self._wrong_shape(local, name, array)
        here = _Place(local, author.arrays, author.given(author.arrays, f.start))
        held = hold(local, here.given, self._random())
        if held.wrong:
            return self._text(here, held, f"{author.title} is wrong")
        for place in self._near():
            held = hold(place.local, place.given, self._random(), most=_MOST_NEAR, blocks=_BLOCKS_NEAR)
            if held.wrong:
                where = f"where {f.described(place.local.row)}"
                return self._text(
                    place, held, f"{author.title} is right at the point, and near it, {where}, it is wrong"
                )
        return None

    def _random(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def _near(self) -> Iterator[_Place]:
        """Points within 30 % at which function and derivative are known. A symmetric matrix stays one."""
        if not self.author.is_function:
            return
        f, random, found = self.author.function, self._random(), 0
        for _ in range(_TRIES):
            by = random.uniform(-0.3, 0.3, f.start.shape)
            moved = f.arrays(np.where(f.start != 0, f.start * (1 + by), by))
            row = np.concatenate([_alike(moved[name], x).ravel() for name, x in f.arrays(f.start).items()])
            local = Local(f, row)
            arrays = self.author.arrays_at(row) if np.isfinite(local.here).all() else None
            if arrays is not None:
                found += 1
                yield _Place(local, arrays, self.author.given(arrays, row))
            if found == _NEAR:
                return

    # -- in words --------------------------------------------------------------------------------------------------

    def _wrong_shape(self, local: Local, name: str, array: Numbers) -> str:
        author = self.author
        right = author.shape(name)
        text = f"the shape is {shape_text(array.shape)}, and that of the {author.noun(name)} is {shape_text(right)}"
        measured = Measured(author.kind, name, local, array.astype(float), computed=author.is_function)
        said = explanation(measured) if measured.is_affordable else None
        if said is None and array.T.shape == right and self._holds(local, name, array.T):
            said = "is transposed"
        return "\n  ".join([f"{author.title} is wrong", text, *self._sentence(name, said)])

    def _sentence(self, name: str, said: str | None) -> list[str]:
        return [f"your {self.author.noun(name)} {said}"] if said else []

    def _text(self, place: _Place, held: Held, title: str) -> str:
        worst = max(held.wrong, key=lambda w: round(w.relative, 6))
        f = self.author.function
        names = [name for name in f.shapes if worst.column is not None and worst.column in f.columns(name)]
        said = [line for name in names for line in self._sentence(name, self._mistake(place, held, name))]
        found = Difference(self._label(worst), worst.expected, worst.got)
        return "\n  ".join([f"{title}{_extent(held, worst, place.given.matrix.size)}", difference(found), *said])

    def _label(self, w: Wrong) -> str:
        f = self.author.function
        source = "a random direction" if w.column is None else f.column(w.column)
        return source if self.author.kind == "gradient" else f"{f.output(w.row)} by {source}"

    # -- mistakes --------------------------------------------------------------------------------------------------

    def _mistake(self, place: _Place, held: Held, name: str) -> str | None:
        """What explains the derivative by an argument."""
        author, local = self.author, place.local
        how = place.given.single, author.is_function
        near = list(self._near()) if local.row.size <= _FEW else []
        others = [p for p in near if not np.array_equal(p.local.row, local.row)]
        measured = [
            Measured(author.kind, name, p.local, p.arrays[name].astype(float), bool(others), *how)
            for p in (place, *others)
        ]
        said = explanation(*measured) if measured[0].is_affordable else None
        if said is None and (sampled := self._sampled(place, held, name)).is_wrong:
            said = explanation(sampled)
        array = place.arrays[name]
        if said is None and array.ndim > 1 and array.T.shape == array.shape and self._holds(local, name, array.T):
            return "is transposed"
        return said

    def _sampled(self, place: _Place, held: Held, name: str) -> Sampled:
        """The entries that were checked one by one and are not open."""
        f, gradient = self.author.function, self.author.kind == "gradient"
        columns = [k for k in f.columns(name).tolist() if k in held.single]
        slopes = {k: held.single[k] for k in columns}
        known = [(row, k) for k, s in slopes.items() for row in np.flatnonzero(s.agrees | s.wrong).tolist()]
        got = [slopes[k].value[row] if slopes[k].wrong[row] else slopes[k].expected[row] for row, k in known]
        return Sampled(
            expected=np.array([slopes[k].expected[row] for row, k in known], dtype=float),
            got=np.array(got, dtype=float),
            labels=[self._label(Wrong(row, k, 0.0, 0.0)) for row, k in known],
            summed=[n for n in [f.value.size] if n > 1],
            lengths=f.lengths,
            inputs={name: np.array([place.local.row[k] for _, k in known])} if gradient else {},
            single=place.given.single,
            computed=self.author.is_function,
        )

    def _holds(self, local: Local, name: str, array: Numbers) -> bool:
        """Whether another derivative by one argument is right, as far as two directions tell."""
        f = self.author.function
        arrays = {n: np.zeros(self.author.shape(n)) for n in f.shapes} | {name: array}
        given = Given(self.author.matrix(arrays), self.author.kind == "gradient")
        return agrees(local, given, f.columns(name), self._random())


def _extent(held: Held, worst: Wrong, size: int) -> str:
    """How much of a derivative is wrong, and how that was found."""
    if worst.column is None:
        return ", by differences along a random direction"
    if worst.column not in held.single:
        return f" in at least 1 of {size} entries, by differences along random directions"
    checked = "" if held.checked == size else "checked "
    return f" in {len(held.wrong)} of {held.checked} {checked}entries, by differences"


def _alike(moved: Numbers, x: Numbers) -> Numbers:
    symmetric = x.ndim == 2 and x.shape[0] == x.shape[1] and bool((x == x.T).all())
    return (moved + moved.T) / 2 if symmetric else moved
