"""Writing files: the format by suffix, whole or not at all, the same bytes for the same result."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gradcli.report import as_json, suffix_of, write
from gradcli.results import Comparison, Gradient, Hessian, Jacobian


def test_npz_of_grad(tmp_path: Path) -> None:
    """One array per source; unconnected ones are left out; names that NumPy's own writer cannot store are stored."""
    arrays = {"layer1.w": np.ones((2, 2)), "file": np.array(0.1), "λ": np.zeros(0), "c": None}
    point = {name: np.zeros(1) for name in arrays}
    write(Gradient(targets={"y": np.ones(1)}, sources=point, gradient=arrays), str(tmp_path / "g.npz"))

    with np.load(tmp_path / "g.npz", allow_pickle=False) as read:
        assert list(read) == ["layer1.w", "file", "λ"]
        assert read["file"].shape == ()
        np.testing.assert_array_equal(read["layer1.w"], np.ones((2, 2)))


def test_npz_of_pairs(tmp_path: Path, two_scalars: Comparison) -> None:
    """One array per target and source, or pair of sources; a comparison has the gradient, too."""
    block = np.ones((2, 3), np.float32)
    point = {"w": np.ones(3)}
    path = tmp_path / "r.npz"

    write(Jacobian(targets={"y": np.ones(2)}, sources=point, jacobian={"y": {"w": block}}), str(path))
    with np.load(path) as read:
        assert {name: (read[name].shape, read[name].dtype) for name in read} == {"y/w": ((2, 3), np.float32)}

    write(Hessian(targets={"y": np.ones(2)}, sources=point, hessian={"w": {"w": np.eye(3)}}), str(path))
    with np.load(path) as read:
        assert list(read) == ["w/w"]

    write(two_scalars, str(path))
    with np.load(path) as read:
        assert list(read) == ["x1", "x2", "y1/x1", "y1/x2", "y2/x1", "y2/x2"]


@pytest.mark.parametrize("suffix", [".json", ".csv", ".npz", ".JSON"])
def test_same_result_same_bytes(tmp_path: Path, two_scalars: Comparison, suffix: str) -> None:
    """No time of day in a file, and no other file beside it."""
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    write(two_scalars, str(first))
    write(two_scalars, str(second))

    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first, second]


def test_a_file_is_replaced_whole_or_not_at_all(
    tmp_path: Path, two_scalars: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stood in the file stays when writing fails; a symbolic link stays a link, and permissions stay."""
    path, link = tmp_path / "r.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    write(two_scalars, str(link))
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["match"] is True

    def fail(*args: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(as_json, "render", fail)
    with pytest.raises(OSError, match="disk full"):
        write(two_scalars, str(path))
    assert json.loads(path.read_text())["match"] is True
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_suffixes() -> None:
    """Known suffixes, whatever their case."""
    assert [suffix_of(path) for path in ["a.json", "b/c.NPZ", "x.csv", "y.txt", "npz", ".npz"]] == [
        ".json", ".npz", ".csv", None, None, None,
    ]  # fmt: skip
