"""Assignments -> the statements of the generated function, as few as keep its memory small.

In a large graph Python's own compiler takes longer than everything else, by the number of statements and of names. So
a value that is used once, soon, is written into the expression that uses it; and a small value that is dead leaves its
name to a later one instead of being deleted. What is large lives no longer for it; and a large value takes the memory
of an operand that is dead then, because fresh memory takes as long as a sum. (NumPy itself does so in `a @ b + c`, but
not where c is broadcast.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradcli.core.kernels import takes_out
from gradcli.core.nodes import Apply, Value
from gradcli.core.schedule import LARGE
from gradcli.core.shapes import size

__all__ = ["Step", "statements"]

Step = tuple[Value, Apply, list[Value]]
"""A value, its definition, and what is dead when it is there."""

Pair = tuple[Any, Any]

_SMALL = 256  # entries; a dead value that is not larger may stay until its name is needed
_DEEPEST = 20  # how far expressions nest; Python's limit is 200
_MOST_WAITING = 32  # keeps the time linear


def statements(
    steps: Sequence[Step], outputs: Iterable[Value], wrapped: Callable[[Value], bool] | None = None
) -> list[Pair]:
    """The pairs to be printed: (value, text), and (value, None) where the value is deleted.

    Outputs keep their names. The text of each value that is `wrapped` stands in `each(text, mixes)`.
    """
    return _Writer(steps, outputs, wrapped).made


class _Text:
    """An expression that is printed already. (A node of sympy's takes longer to make than to print.)"""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def _numpycode(self, printer: object) -> str:
        return self.text


class _Waiting:
    """A value that may be written into the expression that uses it; `dead` are those that die where it is computed.

    `text` has no brackets around it; `binds` says how strongly its operator binds (1: sums, 2: products, 3: no need).
    """

    __slots__ = ("binds", "dead", "depth", "text", "value")

    def __init__(self, value: Value, text: str, binds: int, depth: int, dead: list[Value]) -> None:
        self.value, self.text, self.binds, self.depth, self.dead = value, text, binds, depth, dead

    def within(self, binds: int) -> str:
        """The text as an operand of what binds that strongly. Brackets take Python's parser a quarter of its time."""
        return self.text if self.binds >= binds else f"({self.text})"


_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}
_UFUNCS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_CALL = re.compile(r"(\w+)\((?:[^()]|\([^()]*\))*\)")  # one call is all of the text


def _owned(steps: Sequence[Step]) -> set[int]:
    found: set[int] = set()
    for value, node, _ in steps:
        if node.op.fresh and value.kind == "float" and value.shape and size(value.shape) >= LARGE:
            found.add(value.index)
        elif found and not node.op.fresh:  # may look at the memory of its operands
            found.difference_update([a.index for a in node.args])
    return found


def _is_small(v: Value) -> bool:
    return not v.shape or size(v.shape) <= _SMALL


class _Writer:
    """One pass over the steps.

    Attributes:
        made: the statements so far.
        names: by index, the value whose name it has where that is not its own.
        free: values whose names are free.
        waiting: by index, in order, at most `_MOST_WAITING`. A statement of something else ends all waiting.
        owned: by index, the large values whose memory no other value shares.
    """

    def __init__(
        self, steps: Sequence[Step], outputs: Iterable[Value], wrapped: Callable[[Value], bool] | None
    ) -> None:
        self.made: list[Pair] = []
        self.names: dict[int, Value] = {}
        self.free: list[Value] = []
        self.waiting: dict[int, _Waiting] = {}
        self.outputs = {v.index for v in outputs}
        self.wrapped = wrapped
        self.owned: set[int] = set() if wrapped is not None else _owned(steps)
        uses = Counter([a.index for _, node, _ in steps for a in node.args])
        for value, node, dead in steps:
            once = uses[value.index] == 1 and value.index not in self.outputs and wrapped is None
            waits = once and value.index not in self.owned and all(map(_is_small, dead))
            self._assign(value, node, [*dead], waits=waits)
        self._flush()

    def _assign(self, value: Value, node: Apply, dead: list[Value], *, waits: bool) -> None:
        op, names, binds, depth = node.op, self.names, _BINDS.get(node.op.infix, 3), 1
        inside: dict[int, _Waiting] = {}
        if self.waiting and not self.waiting.keys().isdisjoint([a.index for a in node.args]):
            if op.reads_once:
                inside = self._taken(node, dead)
                depth += max([w.depth for w in inside.values()])
            else:
                self._flush()
        if binds < 3:
            left, right = node.args
            a = inside[left.index].within(binds) if left.index in inside else names.get(left.index, left).name
            b = inside[right.index].within(binds + 1) if right.index in inside else names.get(right.index, right).name
            text = f"{a} {op.infix} {b}"
        elif op.template is not None:
            least = 0 if op.infix == "call" else 3
            text = op.template.format(
                *[inside[a.index].within(least) if a.index in inside else names.get(a.index, a).name for a in node.args]
            )
        else:
            text = op.code(self._renamed(node))
        room = None if waits else self._room(value, node, dead)
        if room is not None:
            call = f"{_UFUNCS[op.infix]}({a}, {b})" if binds < 3 else text
            found = _CALL.fullmatch(call)
            if found and takes_out(found[1]):
                text, binds = f"{call[:-1]}, out={names.get(room.index, room).name})", 3
        if self.wrapped is not None and self.wrapped(value):
            text, binds = f"each({text}, {op.mixes})", 3
        made = _Waiting(value, text, binds, depth, dead)
        if waits and depth < _DEEPEST:
            if len(self.waiting) == _MOST_WAITING:
                self._flush()
            self.waiting[value.index] = made
        else:
            self._flush()
            self._emit(made)

    def _room(self, value: Value, node: Apply, dead: list[Value]) -> Value | None:
        """The operand that is dead once the value is there, and whose memory the value can take."""
        if not self.owned or value.kind != "float":
            return None
        gone = {v.index for v in dead} & self.owned
        return next((a for a in node.args if a.index in gone and a.shape == value.shape), None)

    def _taken(self, node: Apply, dead: list[Value]) -> dict[int, _Waiting]:
        """The operands of `node` that wait, by index: they are written into it.

        `dead` gets what dies with them, and with what waits behind them: they may read it.
        """
        wanted = {a.index for a in node.args}
        found: dict[int, _Waiting] = {}
        behind = False
        for index, w in list(self.waiting.items()):
            taken = index in wanted
            behind = behind or taken
            if behind:
                dead += w.dead
                w.dead = []
            if taken:
                found[index] = self.waiting.pop(index)
                dead.remove(w.value)
        return found

    def _flush(self) -> None:
        if self.waiting:
            waiting, self.waiting = self.waiting, {}
            for w in waiting.values():
                self._emit(w)

    def _emit(self, w: _Waiting) -> None:
        """A statement: what is dead and large is deleted, what is dead and small leaves its name."""
        gone: list[Value] = []
        for v in w.dead:
            name = self.names.pop(v.index, v)
            (self.free if _is_small(v) else gone).append(name)
        index = w.value.index
        if self.free and index not in self.outputs:
            target = self.names[index] = self.free.pop()
        else:
            target = w.value
        self.made.append((target, _Text(w.text)))
        if gone:
            self.made.extend([(name, None) for name in gone])
            self.free.extend(gone)

    def _renamed(self, node: Apply) -> Apply:
        """The node on operands that print as what they are called."""
        if not any(a.index in self.names for a in node.args):
            return node
        args = [a if a.index not in self.names else _alias(a, self.names[a.index].name) for a in node.args]
        return Apply(node.op, tuple(args), node.params)


def _alias(value: Value, name: str) -> Value:
    made = Value(value.index, value.shape, value.kind)
    made.name = name
    return made
