"""The erf and gamma families: elementwise rows whose kernels are SciPy's (the extra `special`)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from gradcli.core.elementwise import ELEMENTWISE, Special, call, f, row, x, y

__all__ = ["SPECIAL"]

_POLES = Special(lambda: (x <= 0) & sp.Eq(x, sp.floor(x)), "a pole")
_before = set(ELEMENTWISE)


def _slope() -> Any:
    return 2 / sp.sqrt(sp.pi) * sp.exp(-(x**2))


erf = row("erf", lambda: sp.erf(x), _slope, tame=True, doc="error function")
erfc = row("erfc", lambda: sp.erfc(x), lambda: -_slope(), tame=True, doc="1 - erf(x), accurate for large x")
gamma = row("gamma", lambda: sp.gamma(x), lambda: f * call("digamma")(x), doc="gamma function", outside=_POLES)
lgamma = row("lgamma", lambda: sp.loggamma(x), lambda: call("digamma")(x), doc="log of abs(gamma(x))", outside=_POLES)
digamma = row(
    "digamma", lambda: sp.digamma(x), lambda: call("polygamma")(1, x), doc="derivative of lgamma", outside=_POLES
)
polygamma = row("polygamma", lambda: sp.polygamma(x, y), lambda: (0, call("polygamma")(x + 1, y)), args="x y")

SPECIAL = frozenset(set(ELEMENTWISE) - _before)
