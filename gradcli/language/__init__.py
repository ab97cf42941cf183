"""The language: text -> nodes of a graph. Nothing of it is ever evaluated by Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcli.language.source import Text

__all__ = ["constant"]


def constant(text: Text) -> NDArray[np.float64]:
    """The value of a constant expression (`pi/4`, `[1, sqrt(2)]`): numbers, functions, pi, e, inf and nan."""
    from gradcli.core.compile import numbers
    from gradcli.core.graph import Graph
    from gradcli.language.build import Builder
    from gradcli.language.convert import Converter
    from gradcli.language.parse import parse

    graph = Graph()
    value = Builder(graph, {}, Converter(graph, {})).build(parse(text))
    found: Any = numbers(graph, value)
    return np.array(found, dtype=np.float64)
