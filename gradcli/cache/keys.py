"""The key of a question: a digest of all that its plan depends on, and of nothing else.

The point is no part of it, nor are the lines of the file. Constants are, with every bit: what a graph looks like
depends on them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import numpy as np

from gradcli.cache.digest import hexdigest
from gradcli.document.problem import Problem

__all__ = ["key_of"]

_MOST_BYTES = 32 << 20  # of constants: hashing more takes longer than it can save
_CODE = ("core", "core/ops", "language", "language/functions", "cache", ".")


def key_of(problem: Problem, facts: tuple[object, ...]) -> str | None:
    """The key; `facts` is what the question asks for. None where nothing is to be kept: the constants are large, or it
    cannot be seen which code this is (in a zip file, for example)."""
    arrays = {
        (kind, name): array
        for kind, given in (("constant", problem.constants), ("weight", problem.output_gradients))
        for name, array in given.items()
    }
    if sum(array.nbytes for array in arrays.values()) > _MOST_BYTES:
        return None
    try:
        versions = tuple(_versions())
    except OSError:
        return None
    content = (
        facts,
        versions,
        [(name, text.text) for name, text in problem.lets.items()],
        [(name, text.text) for name, text in problem.targets.items()],
        [(name, array.shape) for name, array in problem.sources.items()],
        [(*name, array.shape) for name, array in arrays.items()],
    )
    text = repr(content).encode("utf-8", "surrogatepass")
    return hexdigest(text, *[array.tobytes() for array in arrays.values()], size=20)


def _versions() -> Iterator[str]:
    """What makes plans: gradcli's own code, sympy's printer, NumPy, Python. Files by size and time, as versions are not
    told apart while gradcli is worked on. OSError where there are none."""
    from importlib.util import find_spec

    home = os.path.dirname(os.path.dirname(__file__))
    yield f"{sys.version} {np.__version__} {home}"
    for folder in _CODE:
        with os.scandir(os.path.join(home, folder)) as entries:
            files = sorted((entry.name, entry.stat()) for entry in entries if entry.name.endswith(".py"))
        if not files:
            raise FileNotFoundError(folder)
        yield " ".join(f"{name} {status.st_size} {status.st_mtime_ns}" for name, status in files)
    spec = find_spec("sympy")
    release = os.path.join(os.path.dirname(spec.origin), "release.py") if spec and spec.origin else __file__
    with open(release, encoding="utf-8") as stream:  # releases are often as long, and may have one time
        yield stream.read()
