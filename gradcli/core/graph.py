"""The program as data: one assignment per node, in topological order, hash-consed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.core.nodes import Apply, Literal, Operation, Value
from gradcli.core.shapes import Shape, bounded

__all__ = ["Graph"]


class Graph:
    """Assignments `value := op(values)` in the order of their making, which is a topological order.

    The same op on the same values with the same parameters is one node. `varying` says which values depend on an
    input (a constant's numbers are known while the graph is built, and so are its zeros), `sourced` which depend on
    one that holds numbers, not only on one that selects some; `wild` which may hold, or pass on, something that is not
    finite although the inputs are. Nodes carry the `place` that is set when they are made: where they come from, in
    whatever form the maker of the graph has it.
    """

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.definitions: list[Apply | None] = []
        self.data: dict[int, NDArray[Any]] = {}
        self.known: dict[int, NDArray[Any]] = {}
        self.place: Any = None
        self.places: dict[int, Any] = {}
        self.varying: list[bool] = []
        self.sourced: list[bool] = []
        self.wild: list[bool] = []
        self._memo: dict[tuple[Any, ...], Value] = {}
        self._asked: tuple[tuple[int, ...], tuple[int, ...]] | None = (
            None  # the last question to `ancestors`, with its answers
        )
        self._needed: list[int] = []
        self._last: dict[int, int] | None = None

    # -- making ------------------------------------------------------------------------------------------------

    def input(self, shape: Shape, kind: str = "float") -> Value:
        """A value that is given when the program runs."""
        value = Value(len(self.values), shape, kind)
        return self._append(value, None, varying=True, sourced=kind != "index", wild=False)

    def constant(self, array: NDArray[Any], kind: str = "float") -> Value:
        """An array that is known now; small equal ones are one node. A scalar becomes a literal."""
        array = np.asarray(array)
        if array.ndim == 0 and kind == "float":
            return self.literal(float(array))
        key = ("constant", kind, array.shape, array.tobytes() if array.size <= 4096 else id(array))
        found = self._memo.get(key)
        if found is None:
            wild = kind == "float" and not bool(np.isfinite(array).all())
            found = self._append(Value(len(self.values), array.shape, kind), None, wild=wild)
            self.data[found.index] = array
            self._memo[key] = found
        return found

    def literal(self, number: float) -> Literal:
        """A number written in the expression."""
        same = number != 0 and number - number == 0  # else equal numbers may differ, or not be equal to themselves
        key = ("literal", number if same else repr(number))
        found = self._memo.get(key)
        if found is None:
            finite = number - number == 0
            found = self._append(Literal(len(self.values), number), None, wild=not finite)
            self._memo[key] = found
        assert isinstance(found, Literal)
        return found

    def apply(self, op: Operation, args: tuple[Value, ...], params: tuple[Any, ...] = ()) -> Value:
        """The value of `op` on `args`; the op's shape rule raises ShapeError where they do not fit."""
        key = (op, params, args)
        found = self._memo.get(key)
        if found is None:
            folded = op.fold(args, params) if isinstance(args[0], Literal) else None
            if folded is not None:
                return self.literal(folded)
            kind = args[0].kind if op.keeps_kind else op.kind
            shape = op.shape(args, params)
            value = Value(len(self.values), bounded(shape) if shape else shape, kind)
            varying = sourced = False
            wild = not op.tame
            for a in args:
                varying = varying or self.varying[a.index]
                sourced = sourced or self.sourced[a.index]
                wild = wild or self.wild[a.index]
            found = self._append(value, Apply(op, args, params), varying=varying, sourced=sourced, wild=wild)
            self._memo[key] = found
        return found

    def _append(
        self, value: Value, definition: Apply | None, *, varying: bool = False, sourced: bool = False, wild: bool
    ) -> Value:
        self.values.append(value)
        self.definitions.append(definition)
        self.varying.append(varying)
        self.sourced.append(sourced)
        self.wild.append(wild)
        if self.place is not None:
            self.places[value.index] = self.place
        return value

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Inside, `place` may be set for one node after the other; then it is again what it was."""
        before = self.place
        try:
            yield
        finally:
            self.place = before

    # -- reading -----------------------------------------------------------------------------------------------

    def definition(self, value: Value) -> Apply | None:
        return self.definitions[value.index]

    def ancestors(self, outputs: Iterable[Value], given: Iterable[Value] = ()) -> Sequence[int]:
        """The indices of everything that `outputs` are computed from, themselves included, ascending; of what is
        `given`, nothing further back."""
        wanted = tuple([v.index for v in outputs])
        stop = tuple([v.index for v in given if self.definitions[v.index] is not None])
        if (wanted, stop) == self._asked:  # nodes are only ever added, so the answer stays
            return self._needed
        top = max(wanted, default=-1)
        needed = bytearray(top + 1)
        for i in wanted:
            needed[i] = 1
        ends = set(stop)
        for i in range(top, -1, -1):
            if needed[i] and i not in ends and (definition := self.definitions[i]) is not None:
                for a in definition.args:
                    needed[a.index] = 1
        self._asked, self._last = (wanted, stop), None
        self._needed = [i for i, flag in enumerate(needed) if flag]
        return self._needed

    def last_uses(self, needed: Iterable[int]) -> dict[int, int]:
        """For each value the index of the last of `needed`, in their order, that is computed from it."""
        if needed is self._needed and self._last is not None:
            return self._last
        last: dict[int, int] = {}
        for i in needed:
            definition = self.definitions[i]
            if definition is not None:
                for a in definition.args:
                    last[a.index] = i
        if needed is self._needed:
            self._last = last
        return last

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        """One line per assignment, with the shapes; for failing tests and for reading."""
        lines = []
        for value, definition in zip(self.values, self.definitions, strict=True):
            if isinstance(value, Literal):
                continue
            if definition is None:
                what = "constant" if value.index in self.data else "input"
            else:
                parts = [a.name for a in definition.args] + [repr(p) for p in definition.params]
                what = f"{definition.op.name}({', '.join(parts)})"
            lines.append(f"{value.name}: {value.kind}{list(value.shape)} = {what}")
        return "\n".join(lines)

    def verify(self) -> None:
        """Raises AssertionError where the graph breaks its own rules: order, shapes, one definition each."""
        for i, (value, definition) in enumerate(zip(self.values, self.definitions, strict=True)):
            assert value.index == i, f"{value.name} stands at {i}"
            if definition is not None:
                assert all(a.index < i for a in definition.args), f"{value.name} is used before it is made"
                assert all(self.values[a.index] is a for a in definition.args), f"{value.name} uses a foreign value"
                shape = definition.op.shape(definition.args, definition.params)
                assert shape == value.shape, f"{value.name} has {value.shape}, its op gives {shape}"
