"""The arguments of a call, held against the signature of the function."""

from __future__ import annotations

from typing import Any

from gradcli.language.convert import Converter
from gradcli.language.declare import CallError, Function, Parameter
from gradcli.language.names import did_you_mean

__all__ = ["PAIRWISE", "bind_arguments"]

# What people mean who give two values to a function of one.
PAIRWISE = {"max": "maximum(a, b)", "min": "minimum(a, b)", "sum": "a + b", "log": "log(x) / log(base)"}


def bind_arguments(f: Function, positional: list[Any], named: dict[str, Any], convert: Converter) -> list[Any]:
    """The arguments in the order of the parameters, each as its parameter takes it; CallError where they do not fit."""
    if not named and len(positional) == f.only_arrays:
        return [convert.array(given) for given in positional]
    parameters = f.parameters
    variadic = parameters[-1] if parameters and parameters[-1].variadic else None
    plain = parameters[:-1] if variadic else parameters
    extra = positional[len(plain) :]
    if extra and not variadic:
        raise CallError(
            f"{f.name} takes {len(plain)} argument{'s' * (len(plain) != 1)}, got {len(positional)}",
            _too_many_help(f.signature, f.name, extra),
        )
    given: dict[str, Any] = dict(zip((p.name for p in plain), positional, strict=False))
    for name, value in named.items():
        if name not in [p.name for p in plain]:
            guess = did_you_mean(name, [p.name for p in plain])
            raise CallError(
                f"{f.name} has no argument '{name}'", f"did you mean '{guess}'?" if guess else f"it is {f.signature}"
            )
        if name in given:
            raise CallError(f"{f.name} got '{name}' twice", f"it is {f.signature}")
        given[name] = value
    missing = [p.name for p in plain if p.required and p.name not in given]
    if missing or (variadic and not extra):
        raise CallError(f"{f.name} misses {', '.join(repr(m) for m in missing) or 'operands'}", f"it is {f.signature}")
    try:
        out = [
            convert.argument(given[p.name], p.kind, p.name) if p.name in given else _default(p, convert) for p in plain
        ]
    except CallError as e:
        if len(positional) > 1 and f.name in PAIRWISE and e.help is None:
            e.help = f"for two values write {PAIRWISE[f.name]}"
        raise
    if variadic:
        out += [convert.argument(v, variadic.kind, variadic.name) for v in extra]
    return out


def _default(p: Parameter, convert: Converter) -> Any:
    """What the parameter takes where nothing is given; a number where an array is wanted stands for itself."""
    return convert.graph.literal(float(p.default)) if p.kind == "array" else p.default


def _too_many_help(signature: str, name: str, extra: list[Any]) -> str:
    return f"it is {signature}; for two values write {PAIRWISE[name]}" if name in PAIRWISE else f"it is {signature}"
