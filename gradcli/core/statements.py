"""Assignments -> the statements of the generated function, as few as keep its memory small.

In a large graph Python's own compiler takes longer than everything else, by the number of statements and of names. So
a value that is used once, soon, is written into the expression that uses it; and a small value that is dead leaves its
name to a later one instead of being deleted. What is large lives no longer for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from sympy.core.basic import Basic

from gradcli.core.nodes import Apply, Value
from gradcli.core.shapes import size

__all__ = ["Pair", "statements"]

Pair = tuple[Any, Any]

_SMALL = 256  # entries; a dead value that is not larger may stay until its name is needed
_DEEPEST = 20  # how far expressions nest; Python's limit is 200
_MOST_WAITING = 32  # keeps the time linear


def statements(
    pairs: Sequence[Pair], outputs: Iterable[Value], wrapped: Callable[[Value], bool] | None = None
) -> list[Pair]:
    """The pairs (value, definition) and (value, None), which says that the value is dead, as pairs to be printed.

    Outputs keep their names. The text of each value that is `wrapped` stands in `each(text, mixes)`.
    """
    return _Writer(pairs, outputs, wrapped).made


class _Text(Basic):  # type: ignore[misc]
    """An expression that is printed already."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> _Text:
        self = Basic.__new__(cls)
        self.text = text
        return self  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.text,)

    def _numpycode(self, printer: object) -> str:
        return self.text


class _Waiting(NamedTuple):
    """A value that may be written into the expression that uses it; `dead` are those that die where it is computed."""

    value: Value
    text: str
    depth: int
    dead: list[Value]


class _Writer:
    """One pass over the pairs.

    Attributes:
        made: the statements so far.
        texts: by index, what stands for a value in expressions where that is not its own name.
        names: by index, the value that it took its name from.
        free: values whose names are free.
        waiting: by index, in order, at most `_MOST_WAITING`. A statement of something else ends all waiting.
    """

    def __init__(
        self, pairs: Sequence[Pair], outputs: Iterable[Value], wrapped: Callable[[Value], bool] | None
    ) -> None:
        self.made: list[Pair] = []
        self.texts: dict[int, str] = {}
        self.names: dict[int, Value] = {}
        self.free: list[Value] = []
        self.waiting: dict[int, _Waiting] = {}
        self.outputs = {v.index for v in outputs}
        self.uses = Counter([a.index for _, node in pairs if node is not None for a in node.args])
        self.wrapped = wrapped
        for k, (value, node) in enumerate(pairs):
            if node is not None:
                end = k + 1
                while end < len(pairs) and pairs[end][1] is None:
                    end += 1
                self._assign(value, node, [v for v, _ in pairs[k + 1 : end]])
        self._flush()

    def _assign(self, value: Value, node: Apply, dead: list[Value]) -> None:
        waits = self.uses[value.index] == 1 and value.index not in self.outputs and self.wrapped is None
        if waits:
            waits = all(size(v.shape) <= _SMALL for v in dead)
        inside = self._inside(node, dead) if self.waiting else []
        template = node.op.template
        if template is None:
            text = node.op.code(self._renamed(node))
        else:
            texts = self.texts
            text = template.format(*[texts.get(a.index) or a.name for a in node.args])
        if self.wrapped is not None and self.wrapped(value):
            text = f"each({text}, {node.op.mixes})"
        made = _Waiting(value, text, 1 + max([w.depth for w in inside], default=0), dead)
        if waits and made.depth < _DEEPEST:
            if len(self.waiting) == _MOST_WAITING:
                self._flush()
            self.waiting[value.index] = made
            self.texts[value.index] = text
        else:
            self._flush()
            self._emit(made)

    def _inside(self, node: Apply, dead: list[Value]) -> list[_Waiting]:
        """What is written into `node`; where the op reads an operand twice, all that waits becomes statements.

        `dead` gets what dies with those, and with what waits behind them: it may be read by them.
        """
        wanted = {a.index for a in node.args if a.index in self.waiting}
        if not wanted:
            return []
        if not node.op.reads_once:
            self._flush()
            return []
        dead[:] = [v for v in dead if v.index not in wanted]
        inside, behind = [], False
        for index, w in list(self.waiting.items()):
            behind = behind or index in wanted
            if behind:
                dead += w.dead
                w.dead.clear()
            if index in wanted:
                inside.append(self.waiting.pop(index))
        return inside

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
            (self.free if size(v.shape) <= _SMALL else gone).append(name)
        target = self.free.pop() if self.free and w.value.index not in self.outputs else w.value
        if target is w.value:
            self.texts.pop(target.index, None)
        else:
            self.names[w.value.index], self.texts[w.value.index] = target, target.name
        self.made.append((target, _Text(w.text)))
        self.made.extend([(name, None) for name in gone])
        self.free.extend(gone)

    def _renamed(self, node: Apply) -> Apply:
        """The node on operands that print as what they are called."""
        if not any(a.index in self.texts for a in node.args):
            return node
        args = [a if a.index not in self.texts else _alias(a, self.texts[a.index]) for a in node.args]
        return Apply(node.op, tuple(args), node.params)


def _alias(value: Value, name: str) -> Value:
    made = Value(value.index, value.shape, value.kind)
    made.name = name
    return made
