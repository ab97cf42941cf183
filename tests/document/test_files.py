"""Files that cannot be read, and the files that values are in."""

from __future__ import annotations

import io
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gradcli.document import Problem, files, load, values
from gradcli.document.datafiles import DataFile
from gradcli.document.tree import File, Scalar
from gradcli.errors import InputError

Reader = Callable[..., Problem]
WITH_FILE = "sources:\n  w: {{file: {}}}\ntargets: w\n"


def message(name: str) -> str:
    with pytest.raises(InputError) as caught:
        load(name)
    [fault] = caught.value.faults
    assert fault.kind == "file"
    return f"{fault.message}; {fault.help}"


def test_missing_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file is compared with its neighbours, a directory is called one."""
    monkeypatch.chdir(tmp_path)
    Path("loss.yaml").touch()
    assert message("los.yaml") == "the file does not exist; did you mean 'loss.yaml'?"
    assert message("no/loss.yaml") == "the file does not exist; there is no folder 'no' either"
    assert message(".") == "the file is a directory; name a file in it"
    assert message("a\0b").startswith("the file cannot be read: embedded null byte")


def test_unreadable_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permissions, size and encoding."""
    path = tmp_path / "loss.yaml"
    path.write_bytes(b"title: a\ntargets: \xff\n")
    assert message(str(path)) == "the file is not UTF-8: 0xff at byte 18, line 2; save it as UTF-8"
    path.write_bytes("targets: x".encode("utf-16"))
    assert message(str(path)) == "the file is in UTF-16, not in UTF-8; save it as UTF-8"
    monkeypatch.setattr(files, "MAX_BYTES", 4)
    assert "is larger than" in message(str(path))
    monkeypatch.setattr("builtins.open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    assert message(str(path)) == "the file may not be read; check its permissions"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is standard input, and called <stdin>."""
    monkeypatch.setattr(
        sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"targets: [x]\nsources: {x: 1}\n"), closed=False)
    )
    problem = load("-")
    assert (problem.file, problem.places["sources", "x"].file) == ("<stdin>", "<stdin>")


def test_data_files(read: Reader, tmp_path: Path) -> None:
    """Each kind of file gives its array, relative to the expression file."""
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save("w.npy", matrix.astype(">f4"))
    np.savez("one.npz", a=matrix)
    np.savez_compressed("two.npz", a=matrix, b=matrix > 2)
    Path("m.csv").write_text("0,1,2\r\n3,4,5\r\n")
    Path("v.csv").write_text("1\n2\n\n")
    Path("m.json").write_text("[[0, 1, 2], [3, 4, 5]]")
    for name in ("w.npy", "one.npz", "two.npz, key: a", "m.csv", "m.json"):
        np.testing.assert_array_equal(read(WITH_FILE.format(name)).sources["w"], matrix)
    assert read(WITH_FILE.format("two.npz, key: b")).sources["w"].tolist() == [[0, 0, 0], [1, 1, 1]]
    assert read(WITH_FILE.format("v.csv")).sources["w"].tolist() == [1, 2]


def npy(shape: str, descr: str = "'<f8'") -> bytes:
    """The header of a .npy file without its data."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()


@pytest.mark.parametrize(
    ("name", "content", "answer"),
    [
        ("w.npy", npy("(10**9, 10**9)"), "'w.npy' is not a .npy file that can be read"),
        (
            "w.npy",
            npy("(1000000000, 1000)"),
            "source 'w' has 1,000,000,000,000 numbers, and a file may have 100,000,000",
        ),
        ("w.npy", npy("(3,)"), "'w.npy' is not a .npy file that can be read"),
        ("w.npy", npy("(3,)", "'|O'"), "source 'w': 'w.npy' holds Python objects, not numbers"),
        ("w.npy", npy("(3,)", "'<U4'"), "source 'w': 'w.npy' holds texts, not numbers"),
        ("w.npy", npy("(1,)", "'<c16'") + bytes(16), "source 'w' is complex"),
        ("w.npy", b"hello", "'w.npy' is not a .npy file that can be read"),
        ("w.npy", b"", "'w.npy' is not a .npy file that can be read"),
        ("w.npz", b"hello", "'w.npz' is not a .npz file that can be read"),
        ("w.csv", b"", "'w.csv' is empty"),
        ("w.json", b"\xff", "'w.json' is not UTF-8: 0xff at byte 0, line 1"),
    ],
)
def test_bad_data_files(name: str, content: bytes, answer: str, complain: Callable[..., str], tmp_path: Path) -> None:
    """A data file that is not what it says is refused at its name, before its data is read."""
    Path(name).write_bytes(content)
    line = complain(WITH_FILE.format(name)).split("\n")[0]
    assert line.split(": ", 2)[2] == answer
    assert line.startswith("error: loss.yaml:2:")


@pytest.mark.parametrize(
    ("name", "content", "answer"),
    [
        ("w.csv", "a,b\n1,2\n", "error: w.csv:1:1: source 'w' is not a number here: 'a'"),
        ("w.csv", "1,2\n3,x\n", "error: w.csv:2:3: source 'w' is not a number here: 'x'"),
        ("w.csv", "1,2\n3\n", "error: w.csv:2:1: source 'w' is ragged: this row has 1 columns, and the first has 2"),
        ("w.csv", "1,2\n3,\n", "error: w.csv:2:3: source 'w' is not a number here: ''"),
        (
            "w.json",
            "[1,\n [2]]",
            "error: w.json:2:2: source 'w' is ragged: value[1] is a list of 1, and value[0] is a number",
        ),
        ("w.json", "[1, 2", "error: w.json:1:1: the text ends before the list that begins here is closed"),
    ],
)
def test_bad_text_in_data_files(
    name: str, content: str, answer: str, complain: Callable[..., str], tmp_path: Path
) -> None:
    """A problem inside of a data file is located there."""
    Path(name).write_text(content)
    assert complain(WITH_FILE.format(name)).split("\n")[0] == answer


def test_keys_of_npz(complain: Callable[..., str]) -> None:
    """The key is needed where there are several arrays, and compared with what there is."""
    np.savez("w.npz", alpha=1, beta=2)
    assert "help: it has alpha, beta; write {file: w.npz, key: ...}" in complain(WITH_FILE.format("w.npz"))
    assert "help: did you mean 'alpha'?" in complain(WITH_FILE.format("w.npz, key: alpa"))


def test_a_zip_bomb_is_refused(complain: Callable[..., str]) -> None:
    """The header inside of the archive is checked before anything is unpacked."""
    with zipfile.ZipFile("w.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", npy("(1000000000,)") + bytes(1000))
    assert "has 1,000,000,000 numbers" in complain(WITH_FILE.format("w.npz"))


def test_elements_are_counted_over_the_whole_file(
    complain: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many values that are small alone are refused together."""
    monkeypatch.setattr(values, "MAX_ELEMENTS", 10)
    assert "source 'b' has 6 numbers beside other values" in complain(
        "sources:\n  a: {shape: 6, fill: 0}\n  b: {shape: 6, fill: 0}\ntargets: a\n"
    )


def test_a_large_array_is_there_once(tmp_path: Path) -> None:
    """Reading a .npy file of floats takes hardly more memory than its numbers do."""
    np.save(tmp_path / "w.npy", np.arange(1e6))
    source = DataFile(values.Values(tmp_path), "source 'w'", "w.npy", Scalar(File(None)))

    tracemalloc.start()
    try:
        found = source.read()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert found.nbytes == 8_000_000
    assert most < 1.2 * found.nbytes
