"""npy: the one array of a result, as NumPy writes it; or which arrays there are, and what to do."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest

from gradcli.errors import InputError
from gradcli.report import as_csv, as_npy
from gradcli.results import Comparison, Gradient, Hessian, Jacobian, Note, Part, Result, Rows

POINT = {"x": np.arange(3.0)}


def written(result: Result) -> bytes:
    stream = io.BytesIO()
    as_npy.dump(result, stream)
    return stream.getvalue()


def saved(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", [(), (3,), (0, 3), (2, 1, 3), (300, 400)])
def test_the_bytes_of_numpy_save(shape: tuple[int, ...], dtype: str) -> None:
    array = np.arange(np.prod(shape), dtype=dtype).reshape(shape)

    assert written(Gradient(targets={}, sources={"x": array}, gradient={"x": array})) == saved(array)


def test_any_layout_is_written_in_c_order() -> None:
    """What was transposed or repeated in memory has the bytes of the same numbers in order."""
    for array in (np.arange(6.0).reshape(2, 3).T, np.broadcast_to(np.arange(3.0), (4, 3)), np.arange(9.0)[::2]):
        found = written(Hessian(targets={}, sources=POINT, hessian={"x": {"x": array}}))
        assert found == saved(np.ascontiguousarray(array))


def rows(*blocks: np.ndarray | None, late: list[Note] | None = None) -> Rows:
    def parts(name: str) -> Iterator[Part]:
        assert name == "y"
        yield from (Part(2, {"x": block}) for block in blocks)

    return Rows(targets={"y": np.zeros((2, len(blocks)))}, sources=POINT, parts=parts, late=late or [])


def test_rows_that_are_computed_while_they_are_read() -> None:
    """The same file as from the whole, also as CSV."""
    whole = np.arange(12.0).reshape(4, 3)
    made = rows(whole[:2], whole[2:])

    assert written(made) == saved(whole.reshape(2, 2, 3))
    stream = io.BytesIO()
    as_csv.dump(made, stream)
    expected = Jacobian(targets=made.targets, sources=POINT, jacobian={"y": {"x": whole.reshape(2, 2, 3)}})
    assert stream.getvalue().decode() == as_csv.render(expected)


MANY = {f"x{k}": np.zeros(2) for k in range(5)}


@pytest.mark.parametrize(
    ("result", "message", "help_"),
    [
        (
            Gradient(targets={}, sources=MANY, gradient=MANY),
            "a .npy file holds one array, and there are 5: x0, x1, x2, x3, ...",
            "choose one with -t and -s, or write .npz or .csv",
        ),
        (
            Jacobian(targets={}, sources=POINT, jacobian={"y": dict(POINT), "z": dict(POINT)}),
            "a .npy file holds one array, and there are 2: y/x, z/x",
            "choose one with -t and -s, or write .npz or .csv",
        ),
        (
            Rows(targets={"y": np.zeros(2), "z": np.zeros(2)}, sources=POINT, parts=lambda name: iter(())),
            "a .npy file holds one array, and there are 2: y/x, z/x",
            "choose one with -t and -s, or write .npz or .csv",
        ),
        (
            Gradient(targets={}, sources=POINT, gradient={"x": None}),
            "there is no array to write: x is unconnected",
            "--unconnected zero writes zeros",
        ),
        (rows(None), "there is no array to write: y/x is unconnected", "--unconnected zero writes zeros"),
    ],
)
def test_no_array_or_several(result: Result, message: str, help_: str) -> None:
    with pytest.raises(InputError) as raised:
        written(result)

    (fault,) = raised.value.faults
    assert (fault.kind, fault.message, fault.help) == ("output", message, help_)


def test_a_comparison_has_several(two_scalars: Comparison) -> None:
    with pytest.raises(InputError) as raised:
        written(two_scalars)

    assert raised.value.faults[0].help == "write .npz"
