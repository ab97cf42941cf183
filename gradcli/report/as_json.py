"""JSON: one object on one line, valid for strict parsers. Keys and their order are fixed by schema version 1."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from gradcli.report import ReportOptions
from gradcli.report.escape import json_line
from gradcli.report.numbers import exact
from gradcli.results import Array, Comparison, Gradient, Hessian, Jacobian, Result

if TYPE_CHECKING:
    from gradcli.results import Change, Changes, Check, Checked

__all__ = ["dump", "render"]

_BATCH = 10_000


def render(result: Result | Checked | Changes, options: ReportOptions) -> str:
    """`result` as a line of JSON."""
    if not isinstance(result, Result):
        return _other(result)
    content = {
        "schema_version": 1,
        **_answer(result, nest=options.nest),
        **({} if result.formulas is None else {"formulas": _formulas(result, nest=options.nest)}),
        "shapes": {name: list(shape) for name, shape in result.shapes.items()},
        "dtype": result.dtype,
        "notes": [asdict(note) for note in result.notes],
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def dump(result: Result | Checked | Changes, stream: BinaryIO) -> None:
    """Writes the line of JSON to `stream`, in UTF-8."""
    stream.write(render(result, ReportOptions()).encode())


def _other(result: Checked | Changes) -> str:
    from gradcli.results import Checked

    if isinstance(result, Checked):
        return json_line({"schema_version": 1, **_checked(result)}) + "\n"
    return _changes(result)


def _answer(result: Result, *, nest: bool) -> dict[str, Any]:
    by_source = partial(_by_source, nest=nest)
    targets = {name: exact(value) for name, value in result.targets.items()}
    if isinstance(result, Gradient):
        return {"command": "grad", "targets": targets, "gradient": by_source(result.gradient)}
    if isinstance(result, Jacobian):
        return {"command": "jacobian", "targets": targets, "jacobian": _each(result.jacobian, by_source)}
    if isinstance(result, Comparison):
        return {
            "command": "compare",
            "targets": targets,
            "gradient": by_source(result.gradient),
            "jacobian": _each(result.jacobian, by_source),
            "row_sum": by_source(result.row_sum),
            "max_abs_difference": exact(result.max_abs_difference),
            "match": bool(result.match),
        }
    if isinstance(result, Hessian):
        pairs = _each(result.hessian, by_source)
        return {"command": "hessian", "targets": targets, "hessian": _nested(pairs) if nest else pairs}
    raise TypeError(f"no JSON form for {type(result).__name__}")


def _formulas(result: Result, *, nest: bool) -> dict[str, Any]:
    """In the nesting of the answer."""
    found = dict(result.formulas or {})
    if not isinstance(result, Gradient):
        found = {name: _nested(row) if nest else row for name, row in found.items()}
    return _nested(found) if nest and isinstance(result, Gradient | Hessian) else found


def _each(rows: Mapping[str, Mapping[str, Array | None]], convert: Any) -> dict[str, Any]:
    return {name: convert(row) for name, row in rows.items()}


def _by_source(arrays: Mapping[str, Array | None], *, nest: bool) -> dict[str, Any]:
    values = {name: None if array is None else exact(array) for name, array in arrays.items()}
    return _nested(values) if nest else values


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """{"layer1.w": 1} as {"layer1": {"w": 1}}."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *folders, leaf = name.split(".")
        branch = tree
        for folder in folders:
            branch = branch.setdefault(folder, {})
        branch[leaf] = value
    return tree


def _checked(result: Checked) -> dict[str, Any]:
    from gradcli.report.findings import diagnosis

    files = [
        {"file": file.file, "passed": file.passed, "checks": [_check(check, diagnosis(check)) for check in file.checks]}
        for file in result.files
    ]
    return {"command": "check", "files": files, "passed": result.passed}


def _check(check: Check, diagnosis: str | None) -> dict[str, Any]:
    return {
        "name": check.name,
        "verdict": check.verdict,
        "digits": None if check.digits is None else round(float(check.digits), 1),
        "max_abs_difference": _number(check.max_abs_difference),
        "max_rel_difference": _number(check.max_rel_difference),
        "diagnosis": diagnosis,
        "line": check.line,
    }


def _number(number: float | None) -> Any:
    return None if number is None else exact(number)


def _changes(result: Changes) -> str:
    """In pieces, as there may be a million changes."""
    head = {"schema_version": 1, "command": "diff", "old": result.old, "new": result.new}
    pieces = [json_line(head)[:-1], ', "changes": [']
    listed = iter(result.changes)
    while batch := [_change(change) for change in islice(listed, _BATCH)]:
        pieces += [", " if len(pieces) > 2 else "", json_line(batch)[1:-1]]
    return "".join([*pieces, f'], "changed": {json_line(result.changed)}}}\n'])


def _change(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "name": change.name,
        "index": change.index,
        "old": _side(change.old),
        "new": _side(change.new),
        "difference": change.difference,
        "relative": change.relative,
    }


def _side(side: float | tuple[int, ...] | None) -> Any:
    return exact(side) if isinstance(side, float) and not math.isfinite(side) else side
