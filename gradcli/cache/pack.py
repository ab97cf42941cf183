"""Plans as bytes: a digest, then JSON. Arrays of the file are named and not copied.

The digest is of the key, too: what is whole, but stands where the answer to another question belongs, is not used.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.cache.digest import hexdigest
from gradcli.core.executable import Executable
from gradcli.document.problem import Problem
from gradcli.plan import Cut, Plan, Sight, Spot

__all__ = ["pack", "unpack"]

Array = NDArray[Any]


def pack(plan: Plan, problem: Problem, key: str) -> bytes:
    """The bytes of a plan for the problem, to be kept under the key."""
    run = plan.executable
    names = {id(array): [kind, name] for kind, arrays in _arrays(problem).items() for name, array in arrays.items()}
    content = {
        "text": run.text,
        "inputs": run.inputs,
        "data": [[names.get(id(array)) or _written(array), kind] for array, kind in run.data],
        "outputs": run.outputs,
        "dtype": run.dtype,
        "answer": [[list(key), k] for key, k in plan.answer.items()],
        "targets": list(plan.targets.items()),
        "sources": list(plan.sources.items()),
        "cuts": [[cut.source, cut.reason, _spot(cut.spot)] for cut in plan.cuts],
        "sights": [[s.kind, s.text, s.sides, _spot(s.spot), s.output] for s in plan.sights],
        "bytes": [plan.result_bytes, plan.peak_bytes],
    }
    payload = json.dumps(content, separators=(",", ":")).encode()
    return _digest(payload, key) + payload


def unpack(data: bytes, problem: Problem, key: str) -> Plan:
    """The plan; ValueError, KeyError, IndexError or TypeError where the bytes are not those of one with this key."""
    digest, payload = data[:_DIGEST], data[_DIGEST:]
    if digest != _digest(payload, key):
        raise ValueError("damaged")
    content = json.loads(payload)
    arrays = _arrays(problem)
    result_bytes, peak_bytes = content["bytes"]
    return Plan(
        executable=Executable(
            text=content["text"],
            inputs=tuple(content["inputs"]),
            data=tuple((_read(given, arrays), kind) for given, kind in content["data"]),
            outputs=tuple((tuple(shape), kind) for shape, kind in content["outputs"]),
            dtype=content["dtype"],
        ),
        answer={tuple(key): k for key, k in content["answer"]},
        targets=dict(content["targets"]),
        sources=dict(content["sources"]),
        cuts=tuple(Cut(source, reason, spot and Spot(*spot)) for source, reason, spot in content["cuts"]),
        sights=tuple(
            Sight(kind, text, sides and tuple(sides), Spot(*spot), output)
            for kind, text, sides, spot, output in content["sights"]
        ),
        result_bytes=result_bytes,
        peak_bytes=peak_bytes,
    )


_DIGEST = 32


def _digest(payload: bytes, key: str) -> bytes:
    return hexdigest(key.encode(), payload, size=_DIGEST // 2).encode()


def _arrays(problem: Problem) -> dict[str, Mapping[str, Array]]:
    return {"constants": problem.constants, "output_gradients": problem.output_gradients}


def _spot(spot: Spot | None) -> list[Any] | None:
    return None if spot is None else [spot.owner, spot.offset, spot.length]


def _written(array: Array) -> dict[str, Any]:
    return {"dtype": array.dtype.str, "shape": array.shape, "data": b64encode(array.tobytes()).decode()}


def _read(given: Any, arrays: Mapping[str, Mapping[str, Array]]) -> Array:
    if isinstance(given, list):
        kind, name = given
        return arrays[kind][name]
    return np.frombuffer(b64decode(given["data"]), dtype=given["dtype"]).reshape(given["shape"])
