"""Descriptions of values: `{file: w.npy}`, `{shape: [3, 4], fill: 0.5}`, `{shape: [3, 4], random: normal, seed: 0}`."""

from __future__ import annotations

import math

import numpy as np

from gradcli.document.text import check_characters
from gradcli.document.tree import Mapping, Node, Scalar, Sequence, show
from gradcli.document.values import FloatArray, Values
from gradcli.errors import InputError
from gradcli.language.names import did_you_mean

__all__ = ["is_description", "read_value"]

_CHIEF = ("file", "shape", "value")
_FELLOWS = {"file": {"key"}, "shape": {"fill", "random", "seed"}, "value": set[str]()}
_ALL = {*_CHIEF, *set().union(*_FELLOWS.values())}
_RANDOM = ("normal", "uniform")


def is_description(node: Node, owner: str) -> bool:
    """Whether a mapping describes a value; any other mapping is a nested structure.

    Raises:
        InputError: it mixes the keys of a description with others.
    """
    if not isinstance(node, Mapping):
        return False
    keys = [key.text for key, _ in node.entries]
    chief = next((key for key in keys if key in _CHIEF), None)
    if chief is None:
        return False
    for key, _ in node.entries:
        if key.text not in _ALL:
            guess = did_you_mean(key.text, _FELLOWS[chief])
            hint = (
                f"did you mean {guess!r}?" if guess else f"with {chief!r} {_go(chief)}; a structure needs other names"
            )
            raise InputError(
                key.fault(
                    "unknown-key", f"{owner} mixes {chief!r}, which describes a value, with {show(key.text)}", hint
                )
            )
    return True


def _go(chief: str) -> str:
    """`go only fill, random, seed`."""
    fellows = ", ".join(key for key in ("key", "fill", "random", "seed") if key in _FELLOWS[chief])
    return f"{'go' if ',' in fellows else 'goes'} only {fellows}" if fellows else "goes no other key"


def read_value(values: Values, node: Node, owner: str, name: str) -> FloatArray:
    """The array of a value that may be a description. `owner` and `name` are as in `Values.array`.

    Raises:
        InputError: the value is wrong, or the description, or its file.
    """
    if not isinstance(node, Mapping) or not is_description(node, owner):
        return values.array(node, owner, name)
    _check_keys(node, owner)
    if (inner := node.get("value")) is not None:
        if isinstance(inner, Mapping):
            raise InputError(inner.fault("value", f"the value of {owner} is a mapping", "write a number or a list"))
        return values.array(inner, owner, name)
    if (file := node.get("file")) is not None:
        return _from_file(values, node, file, owner)
    return _from_shape(values, node, owner)


def _check_keys(node: Mapping, owner: str) -> None:
    """Only the keys that go together."""
    chief = next(key.text for key, _ in node.entries if key.text in _CHIEF)
    for key, _ in node.entries:
        if key.text != chief and key.text not in _FELLOWS[chief]:
            hint = f"with {chief!r} {_go(chief)}"
            raise InputError(key.fault("value", f"{owner}: {key.text!r} does not go with {chief!r}", hint))


def _text(node: Node, what: str, parent: Mapping) -> str:
    """The text of a key."""
    if isinstance(node, Scalar) and node.text and node.value is not None:
        return check_characters(node)
    raise InputError(_at(node, parent).fault("value", f"{what} must be a text, not {node.describe()}"))


def _at(node: Node, parent: Mapping) -> Node:
    """Where to point: at the value, or at the description where the value is empty."""
    return node if node.start < 0 or node.end > node.start else parent


def _from_file(values: Values, node: Mapping, file: Node, owner: str) -> FloatArray:
    name = _text(file, f"the file of {owner}", node)
    key_node = node.get("key")
    key = None if key_node is None else _text(key_node, f"the key of {owner}", node)
    from gradcli.document.datafiles import DataFile

    return DataFile(values, owner, name, file, key, key_node).read()


def _from_shape(values: Values, node: Mapping, owner: str) -> FloatArray:
    shape = _shape(node, owner)
    fill, random, seed = node.get("fill"), node.get("random"), node.get("seed")
    if fill is not None and seed is not None and random is None:
        raise InputError(seed.fault("value", f"{owner}: 'seed' goes with 'random', not with 'fill'", "remove it"))
    values.count(node, owner, math.prod(shape))
    if fill is not None and random is None:
        return np.full(shape, _fill(values, node, fill, owner), dtype=np.float64)
    if random is not None and fill is None:
        return _random(node, random, owner, shape)
    hint = "write {shape: [3, 4], fill: 0.5} or {shape: [3, 4], random: normal, seed: 0}"
    raise InputError(node.fault("value", f"{owner} needs one of fill and random beside its shape", hint))


def _fill(values: Values, node: Mapping, fill: Node, owner: str) -> float | FloatArray:
    if isinstance(fill, Scalar):
        return values.number(fill, f"the fill of {owner}")
    message = f"the fill of {owner} must be one number, not {fill.describe()}"
    raise InputError(_at(fill, node).fault("value", message))


def _shape(node: Mapping, owner: str) -> tuple[int, ...]:
    given = next(value for key, value in node.entries if key.text == "shape")
    sizes: list[object] = [given]
    if isinstance(given, Sequence):
        sizes = list(given.items) if given.numbers is None else list(given.numbers)
    numbers = [size.value if isinstance(size, Scalar) else size for size in sizes]
    found = [int(size) for size in numbers if type(size) is float and 0 <= size < 2**62 and size == int(size)]
    if len(found) < len(numbers) or len(found) > 32:
        hint = "a shape is a list of sizes: [3, 4]"
        raise InputError(
            _at(given, node).fault("value", f"the shape of {owner} must be whole numbers, 0 or more", hint)
        )
    return tuple(found)


def _random(node: Mapping, random: Node, owner: str, shape: tuple[int, ...]) -> FloatArray:
    kind = _text(random, f"random of {owner}", node)
    if kind not in _RANDOM:
        guess = did_you_mean(str(kind), _RANDOM)
        hint = f"did you mean {guess!r}?" if guess else "random is normal or uniform"
        raise InputError(random.fault("value", f"{owner}: unknown distribution {show(str(kind))}", hint))
    generator = np.random.default_rng(_seed(node, owner))
    return generator.standard_normal(shape) if kind == "normal" else generator.random(shape)


def _seed(node: Mapping, owner: str) -> int:
    given = node.get("seed")
    if given is None:
        raise InputError(
            node.fault(
                "value", f"{owner} is random and has no seed", "add seed: 0, so that every run has the same values"
            )
        )
    value = given.value if isinstance(given, Scalar) else None
    if type(value) is not float or not 0 <= value < 2**62 or value != int(value):
        raise InputError(_at(given, node).fault("value", f"the seed of {owner} must be a whole number, 0 or more"))
    return int(value)
