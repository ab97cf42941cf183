"""Every property against every row of the table."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.core.tangents import identity_seed
from gradcli.derive import hessian_nodes, jacobian_nodes
from tests import oracle
from tests.op_rows import ROWS, Example, Row
from tests.oracle import Subject, close

Case = tuple[Row, Example]


def name_of(row: Row, text: str, shapes: Any) -> str:
    """`softmax: softmax(x) x(2,3)`: readable, and the same in every run."""
    sizes = " ".join(
        f"{n}{str(np.shape(s) if not isinstance(s, tuple) else s).replace(' ', '')}" for n, s in shapes.items()
    )
    return f"{row.name}: {text} {sizes}"


CASES = {name_of(r, e.text, e.shapes): (r, e) for r in ROWS for e in r.examples}
CONNECTED = [key for key, (r, _) in CASES.items() if r.derivative != "cut"]
KINKS = {name_of(r, k.text, {n: k.point[n] for n in k.point}) + f" at {k.point}": (r, k) for r in ROWS for k in r.kinks}
BAD = {name_of(r, b.text, b.shapes): (r, b) for r in ROWS for b in r.bad}

every = pytest.mark.parametrize("key", CASES)
connected = pytest.mark.parametrize("key", CONNECTED)


@cache
def subject(key: str) -> Subject:
    row, example = CASES[key]
    return Subject(example.text, example.draw(row))


def exact(key: str) -> bool:
    return CASES[key][0].degree is not None


@every
def test_value(key: str) -> None:
    """Against NumPy, at the point as the dtype holds it."""
    row, example = CASES[key]
    s = subject(key)
    for dtype in ("float64", "float32"):
        point = {name: a.astype(dtype).astype(float) for name, a in example.draw(row).items()}
        (found,) = s.compiled([s.target], dtype)(point)
        assert found.dtype == dtype
        with np.errstate(all="ignore"):
            close(found, np.asarray(example.reference(*point.values()), float), example.text, dtype)


@every
def test_dtype_and_precision(key: str) -> None:
    """In float32 all of gradient, rows and Hessian are float32, and near the float64 answers."""
    s = subject(key)
    point = {name: a.astype("float32") for name, a in s.point.items()}
    nodes: dict[str, Any] = {f"gradient by {n}": v for n, v in s.gradient_nodes(s.weight).items()}
    for mode in ("reverse", "forward"):
        rows = jacobian_nodes(s.graph, s.target, s.sources, forward=mode == "forward")
        nodes |= {f"{mode} rows by {n}": v for n, v in rows.items()}
    blocks = hessian_nodes(s.graph, {"y": s.target}, s.sources, {"y": s.weight})
    nodes |= {f"hessian by {pair}": v for pair, v in blocks.items()}
    fine = s.compiled(list(nodes.values()))(point)
    rough = s.compiled(list(nodes.values()), "float32")(point)
    for what, expected, found in zip(nodes, fine, rough, strict=True):
        assert found is None or found.dtype == "float32", what
        close(found, expected, f"{s.text}: {what}", "float32")


@every
def test_path(key: str) -> None:
    """Whether a path leads from the sources, in each mode: a cut has none, a derivative that is 0 has one."""
    s, row = subject(key), CASES[key][0]
    for found in (s.gradient(), s.rows(forward=False), s.rows(forward=True)):
        for name, block in found.items():
            assert (block is None) == (row.derivative == "cut"), f"{s.text} by {name}: {block}"
            if row.derivative == "0":
                assert not np.any(block), f"{s.text} by {name}: {block}"


@connected
def test_reverse_against_differences(key: str) -> None:
    oracle.check_differences(subject(key), forward=False, exact=exact(key))


@connected
def test_forward_against_differences(key: str) -> None:
    oracle.check_differences(subject(key), forward=True, exact=exact(key))


@connected
def test_forward_against_reverse(key: str) -> None:
    oracle.check_modes(subject(key))


@connected
def test_inner_product(key: str) -> None:
    oracle.check_inner_product(subject(key))


@connected
def test_rows_sum_to_the_gradient(key: str) -> None:
    for dtype in ("float64", "float32"):
        oracle.check_rows_sum(subject(key), dtype)


@connected
def test_two_seeds_at_once(key: str) -> None:
    oracle.check_seeds(subject(key))


@connected
def test_second_order(key: str) -> None:
    oracle.check_second_order(subject(key), exact=exact(key))


@pytest.mark.parametrize("key", [key for key, (_, e) in CASES.items() if e.stack])
def test_leading_axis(key: str) -> None:
    """Operands with a further leading axis: the values and the gradients are those of the parts."""
    row, example = CASES[key]
    points = [example.draw(row, seed) for seed in ("", "other", "third")]
    parts = [Subject(example.text, p) for p in points]
    whole = Subject(example.text, {n: np.stack([p[n] for p in points]) for n in points[0]})
    close(whole.value, np.stack([p.value for p in parts]), f"{example.text}: value")
    ones = [p.gradient() for p in parts]
    for name, found in whole.gradient().items():
        expected = None if ones[0][name] is None else np.stack([g[name] for g in ones])
        close(found, expected, f"{example.text}: gradient by {name}")
    rows = [p.rows(forward=False) for p in parts]
    for forward in (False, True):
        for name, block in whole.rows(forward=forward).items():
            if block is not None:
                at = parts[0].target.rank + 1
                for i in range(3):
                    for j in range(3):
                        part = np.take(np.take(block, j, axis=at), i, axis=0)
                        expected = rows[i][name] if i == j else np.zeros_like(part)
                        close(part, expected, f"{example.text}: rows of part {i} by part {j} of {name}")


@pytest.mark.parametrize(
    "key", [key for key in CONNECTED if CASES[key][0].degree == 1 and len(CASES[key][1].shapes) == 1]
)
def test_adjoint(key: str) -> None:
    """A linear function and its vjp are adjoint: the rows do not depend on the point, and J^T is the vjp."""
    s = subject(key)
    elsewhere = Subject(s.text, {n: a + 1.0 for n, a in s.point.items()})
    (name,) = s.sources
    rows = s.rows(forward=True)[name]
    close(elsewhere.rows(forward=False)[name], rows, f"{s.text}: the rows at another point")
    axes = s.target.rank
    close(s.gradient(s.weight)[name], np.tensordot(s.weight, rows, axes), f"{s.text}: J^T v")
    assert not any(np.any(block) for block in s.hessian(s.weight).values())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("key", KINKS)
def test_kink(key: str, dtype: str) -> None:
    """The value and the gradient in each mode are those of the contract."""
    _, k = KINKS[key]
    if dtype == "float32" and any(np.any(np.abs(v) > 1e38) | np.any(_tiny(v)) for v in k.point.values()):
        return  # the point is no float32
    s = Subject(k.text, k.point)
    (value,) = s.compiled([s.target], dtype)(s.point)
    close(value, np.asarray(k.value, float), k.text, dtype)
    summed = tuple(range(s.target.rank))
    gradients = {"gradient": s.gradient(dtype=dtype)}
    for mode in ("reverse", "forward"):
        rows = s.rows(forward=mode == "forward", dtype=dtype)
        gradients[mode] = {n: None if b is None else b.sum(axis=summed) for n, b in rows.items()}
    for mode, found in gradients.items():
        for name, slope in k.gradient.items():
            expected = None if slope is None else np.asarray(slope, float)
            close(found[name], expected, f"{k.text}: {mode} by {name}", dtype)


def _tiny(v: Any) -> Any:
    a = np.abs(np.asarray(v, float))
    return (a > 0) & (a < 1e-30)


@pytest.mark.parametrize("key", [key for key, (_, k) in KINKS.items() if k.second is not None])
def test_kink_second_order(key: str) -> None:
    """The second derivatives of the sum, in both orders."""
    _, k = KINKS[key]
    s = Subject(k.text, k.point)
    sizes = {n: a.size for n, a in s.point.items()}
    for which, found in (("hessian", s.hessian()), ("reverse over reverse", s.hessian_by_reverse())):
        rows = [
            np.concatenate(
                [
                    np.zeros((sizes[a], sizes[b])) if found[a, b] is None else found[a, b].reshape(sizes[a], sizes[b])
                    for b in s.sources
                ],
                axis=1,
            )
            for a in s.sources
        ]
        total = sum(sizes.values())
        close(np.concatenate(rows), np.reshape(np.asarray(k.second, float), (total, total)), f"{k.text}: {which}")


@pytest.mark.parametrize("key", BAD)
def test_bad_input(key: str) -> None:
    """The whole message, and the help where one is named."""
    _, b = BAD[key]
    point = Example(b.text, np.zeros, b.shapes).draw(Row("", ()))
    with pytest.raises(gradcli.InputError) as caught:
        Subject(b.text, point)
    assert str(caught.value) == b.message
    if b.help is not None:
        assert caught.value.faults[0].help == b.help


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_compare(row: Row, dtype: str) -> None:
    """Through the API: rows and gradient agree."""
    example = row.examples[0]
    problem = {"sources": example.draw(row) or {"unused": 1.0}, "targets": example.text}
    assert gradcli.compare(problem, dtype=dtype).match


def test_identity_seed_is_a_number() -> None:
    """What rows start from: nothing is stored."""
    s = Subject("x + 1", {"x": np.zeros(5)})
    seed = identity_seed(s.graph, (5,))
    assert (seed.value.shape, seed.links, seed.dims) == ((), (0,), (5,))


def test_names_are_unique() -> None:
    """Ids are readable only if no two cases share one."""
    assert len(CASES) == sum(len(r.examples) for r in ROWS)
    assert len(BAD) == sum(len(r.bad) for r in ROWS)
    assert len(KINKS) == sum(len(r.kinks) for r in ROWS)
