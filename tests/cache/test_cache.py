"""Answers by plans that were kept: the same as without, whatever the point, the lines and the state of the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import gradcli
from gradcli import question
from gradcli.cache.folder import Folder
from gradcli.report import render
from gradcli.results import Result
from tests.op_rows import ROWS, Row

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / "samples").glob("*.yaml"))
QUESTIONS = ["grad", "jacobian", "compare", "hessian"]
LINES = """\
sources:
  x: [0.0, 4.0]
  n: 2.0
let:
  s: sqrt(x)
targets:
  y: where(n > 1, s, 0)
  z: relu(x) * stop_gradient(n)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(str(tmp_path / "plans"))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the questions for which a graph was built."""
    found: list[str] = []
    program = question.Question.program.func

    def told(self: question.Question) -> Any:
        found.append(",".join(self.chosen_targets))
        return program(self)

    told_once = type(question.Question.program)(told)
    told_once.__set_name__(question.Question, "program")
    monkeypatch.setattr(question.Question, "program", told_once)
    return found


def asked(name: str, problem: Any, **options: Any) -> str:
    """All of the answer, to the last digit."""
    result: Result = getattr(gradcli, name)(problem, **options)
    return render(result, "json") + render(result, "table")


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_answer_is_the_same(folder: Folder, built: list[str], sample: Path, name: str, dtype: str) -> None:
    """Without, with an empty, and with a filled cache; the last builds no graph."""
    plain = asked(name, str(sample), dtype=dtype)

    assert asked(name, str(sample), dtype=dtype, cache=folder) == plain
    assert folder.usage().entries == 1
    built.clear()
    assert asked(name, str(sample), dtype=dtype, cache=folder) == plain
    assert built == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_function(folder: Folder, row: Row, dtype: str) -> None:
    """The generated text of each op finds all that it calls."""
    example = row.examples[0]
    point = {name: array.tolist() for name, array in example.draw(row).items()}
    problem = {"sources": point, "constants": dict(example.constants), "targets": example.text}
    plain = asked("compare", problem, dtype=dtype)

    assert [asked("compare", problem, dtype=dtype, cache=folder) for _ in range(2)] == [plain, plain]


def test_another_point(folder: Folder, built: list[str]) -> None:
    """The plan does not know the point, and notes are about the one that is asked for."""
    problem = yaml.safe_load(LINES)
    asked("jacobian", problem, cache=folder, at={"x": [1.0, 2.0]})
    built.clear()

    for point in ([3.0, -1.0], [0.5, 0.5]):
        found = asked("grad", problem, cache=folder, at={"x": point}, targets=["z"])
        assert found == asked("grad", problem, at={"x": point}, targets=["z"])


def test_other_lines(folder: Folder, tmp_path: Path, built: list[str]) -> None:
    """What moves to another line is the same question, and notes have the new lines."""
    file = tmp_path / "f.yaml"
    file.write_text(LINES)
    options: dict[str, Any] = {"at": {"x": [0.0, 4.0]}, "targets": ["z"], "sources": ["x", "n"]}
    first = asked("grad", str(file), cache=folder, **options)
    file.write_text("# a comment\n\n" + LINES)
    built.clear()
    second = asked("grad", str(file), cache=folder, **options)

    assert built == []
    assert "line 8" in first
    assert second == asked("grad", str(file), **options)
    assert "line 10" in second


@pytest.mark.parametrize(
    ("change", "options"),
    [
        ({"targets": {"y": "a * x + 0.5"}}, {}),
        ({"constants": {"a": [1.0, 2.5]}}, {}),
        ({"sources": {"x": [[1.0, 2.0]]}}, {}),
        ({"output_gradients": {"y": [1.0, 2.0]}}, {}),
        ({"let": {"unused": "x"}}, {}),
        ({}, {"dtype": "float32"}),
        ({}, {"as_written": True}),
        ({}, {"output_gradients": {"y": 2.0}}),
    ],
)
def test_another_question(folder: Folder, built: list[str], change: dict[str, Any], options: dict[str, Any]) -> None:
    """Whatever the graph depends on makes it another one."""
    problem = {"constants": {"a": [1.0, 2.0]}, "sources": {"x": [1.0, 2.0]}, "targets": {"y": "a * x"}}
    asked("grad", problem, cache=folder)
    built.clear()
    found = asked("grad", problem | change, cache=folder, **options)

    assert built == ["y"]
    assert found == asked("grad", problem | change, **options)


def test_names_and_texts_are_kept_apart(folder: Folder) -> None:
    """No two problems have one key because their parts, written one after the other, are equal."""
    a = {"sources": {"x": 2.0}, "let": {"b": "x", "c": "3*x"}, "targets": {"y": "c"}}
    b = {"sources": {"x": 2.0}, "let": {"b": "x", "c": "3*x", "d": "c"}, "targets": {"y": "c"}}
    for problem in (a, b, {**a, "let": {"c": "x", "b": "3*x"}}):
        assert asked("grad", problem, cache=folder) == asked("grad", problem)

    assert folder.usage().entries == 3


def test_a_graph_that_depends_on_the_point_is_not_kept(folder: Folder) -> None:
    """A source that serves as an index."""
    problem = {"sources": {"x": [1.0, 2.0, 3.0], "k": 1.0}, "targets": "x[k]"}
    asked("grad", problem, cache=folder)

    assert folder.usage().entries == 0
    assert asked("grad", problem, cache=folder, at={"k": 2.0}) == asked("grad", problem, at={"k": 2.0})


def test_what_is_not_finite_is_explained(folder: Folder) -> None:
    """The plan cannot say where it comes from, so the graph does, each time."""
    problem = {"sources": {"x": [0.0, 4.0]}, "targets": "sqrt(x)"}
    plain = asked("jacobian", problem)

    assert "the derivative of sqrt(x) is inf" in plain
    assert [asked("jacobian", problem, cache=folder) for _ in range(2)] == [plain, plain]


def test_limits_hold(folder: Folder) -> None:
    """A plan that was kept is refused as its graph would be."""
    problem = {"sources": {"x": {"shape": [300], "fill": 1.0}}, "targets": "x * x"}
    asked("jacobian", problem, cache=folder)
    said = []
    for cache in (None, folder):
        with pytest.raises(gradcli.InputError) as raised:
            gradcli.jacobian(problem, max_memory=1000, cache=cache)
        said.append(raised.value.faults)

    assert said[0] == said[1]


def test_large_constants_are_named_and_not_copied(folder: Folder) -> None:
    """A plan holds no copy of the file's arrays."""
    problem = {"constants": {"a": {"shape": [400, 400], "random": "normal", "seed": 0}}, "sources": {"x": [1.0] * 400}}
    problem["targets"] = {"y": "a @ x"}
    plain = asked("grad", problem)
    asked("grad", problem, cache=folder)

    assert folder.usage().entries == 1
    assert folder.usage().bytes < 4000
    assert asked("grad", problem, cache=folder) == plain


# -- what can be wrong with an entry ----------------------------------------------------------------------------------


def entry(folder: Folder) -> Path:
    (path,) = Path(folder.path).iterdir()
    return path


PROBLEM = {"sources": {"x": 3.0}, "targets": {"y": "x**2"}}


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"v0", b"v1"),
        lambda data: bytes(reversed(data)),
        lambda data: b"\xff" * len(data),
        lambda data: data + b" ",
        lambda data: b"x" * (5 << 20),
    ],
)
def test_a_damaged_entry_is_made_anew(folder: Folder, damage: Callable[[bytes], bytes]) -> None:
    """And mended by it."""
    plain = asked("grad", PROBLEM, cache=folder)
    path = entry(folder)
    good = path.read_bytes()
    path.write_bytes(damage(good))

    assert asked("grad", PROBLEM, cache=folder) == plain
    assert path.read_bytes() == good


def test_text_that_fails_is_made_anew(folder: Folder) -> None:
    """An entry whose digest is right, but which cannot be run."""
    from gradcli.cache.pack import _digest

    plain = asked("grad", PROBLEM, cache=folder)
    path = entry(folder)
    for wrong in (b"return 1/0", b"return [", b"return [v99]", b"raise SystemError"):
        payload = path.read_bytes()[32:]
        start = payload.index(b"return")
        payload = payload[:start] + wrong + payload[payload.index(b"\\n", start) :]
        path.write_bytes(_digest(payload, path.stem) + payload)
        assert asked("grad", PROBLEM, cache=folder) == plain


@pytest.mark.parametrize("wrong", [{"targets": [["y", 99]]}, {"bytes": ["a", 8]}, {"answer": [[["x"], 99]]}])
def test_what_does_not_fit_is_made_anew(folder: Folder, wrong: dict[str, Any]) -> None:
    """An entry whose digest is right, and whose parts do not belong together."""
    from gradcli.cache.pack import _digest

    plain = asked("grad", PROBLEM, cache=folder)
    path = entry(folder)
    payload = json.dumps({**json.loads(path.read_bytes()[32:]), **wrong}).encode()
    path.write_bytes(_digest(payload, path.stem) + payload)

    assert asked("grad", PROBLEM, cache=folder) == plain


OTHERS = [
    ("grad", {"sources": {"x": 3.0}, "targets": {"y": "x**3"}}),
    ("jacobian", PROBLEM),
    ("hessian", {"sources": {"x": 3.0}, "targets": {"y": "x**2"}, "let": {"a": "x"}}),
]


@pytest.mark.parametrize(("name", "problem"), OTHERS)
def test_an_entry_in_the_place_of_another_is_made_anew(folder: Folder, name: str, problem: Any) -> None:
    """It is whole, and answers another question."""
    plain = asked("grad", PROBLEM, cache=folder)
    path = entry(folder)
    good = path.read_bytes()
    path.unlink()
    asked(name, problem, cache=folder)
    entry(folder).rename(path)

    assert asked("grad", PROBLEM, cache=folder) == plain
    assert path.read_bytes() == good


def test_an_entry_that_others_can_write_is_not_read(folder: Folder, built: list[str]) -> None:
    """Nor one in a folder that others can write."""
    asked("grad", PROBLEM, cache=folder)
    path = entry(folder)
    for changed, mode in ((path, 0o666), (Path(folder.path), 0o777)):
        before = changed.stat().st_mode
        changed.chmod(mode)
        built.clear()
        asked("grad", PROBLEM, cache=folder)
        assert built == ["y"]
        changed.chmod(before)


def test_a_link_is_not_followed(folder: Folder, built: list[str], tmp_path: Path) -> None:
    """Neither for an entry nor for the folder."""
    asked("grad", PROBLEM, cache=folder)
    path = entry(folder)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    built.clear()
    asked("grad", PROBLEM, cache=folder)
    assert built == ["y"]

    (tmp_path / "link").symlink_to(folder.path)
    assert Folder(str(tmp_path / "link")).load(path.stem) is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_foreign_entry_is_not_read(folder: Folder, built: list[str]) -> None:
    """Of another user."""
    asked("grad", PROBLEM, cache=folder)
    os.chown(entry(folder), 1234, 1234)
    built.clear()
    asked("grad", PROBLEM, cache=folder)

    assert built == ["y"]


def test_the_folder_is_closed_to_others(folder: Folder) -> None:
    """0700, and 0600 for what is in it."""
    asked("grad", PROBLEM, cache=folder)

    assert Path(folder.path).stat().st_mode & 0o777 == 0o700
    assert entry(folder).stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """In the place of an entry; it is replaced."""
    first = process(tmp_path / "plans", "grad", str(SAMPLES[0]), "--json").communicate()
    path = entry(Folder(str(tmp_path / "plans")))
    path.unlink()
    os.mkfifo(path)
    second = process(tmp_path / "plans", "grad", str(SAMPLES[0]), "--json")
    try:
        assert second.communicate(timeout=30) == first
    finally:
        second.kill()
    assert path.is_file()


def test_what_cannot_be_written_is_read(folder: Folder, built: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system that is mounted read-only; `clear` does not say that it has removed something."""

    def refused(*given: Any, **options: Any) -> None:
        raise OSError(30, "Read-only file system")

    plain = asked("grad", PROBLEM, cache=folder)
    for name in ("utime", "remove", "replace", "rmdir"):
        monkeypatch.setattr(os, name, refused)
    built.clear()

    assert asked("grad", PROBLEM, cache=folder) == plain
    assert built == []
    assert folder.clear() == (0, 0)


def test_code_that_cannot_be_seen_is_not_kept(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a zip file there are no folders, and without their sources no files."""
    for file in (folder.path + ".zip/gradcli/cache/keys.py", folder.path + "/gradcli/cache/keys.py"):
        monkeypatch.setattr("gradcli.cache.keys.__file__", file)
        for part in ("core/ops", "language/functions", "cache"):
            if ".zip" not in file:
                os.makedirs(f"{folder.path}/gradcli/{part}")
        assert asked("grad", PROBLEM, cache=folder) == asked("grad", PROBLEM)
        assert folder.usage().entries == 0


def test_another_sympy_is_another_question(folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also one whose file is as long and as old."""
    from gradcli.cache.keys import _versions

    found = []
    for version in ("1.13.2", "1.13.3"):
        file = tmp_path / "release.py"
        file.write_text(f'__version__ = "{version}"\n')
        os.utime(file, (1, 1))
        spec = type("Spec", (), {"origin": str(tmp_path / "__init__.py")})
        monkeypatch.setattr("importlib.util.find_spec", lambda name, spec=spec: spec)
        found.append(list(_versions()))

    assert found[0][:-1] == found[1][:-1]
    assert found[0] != found[1]


@pytest.mark.parametrize("path", ["/dev/null/plans", "/proc/plans"])
def test_a_folder_that_cannot_be(path: str) -> None:
    """Nothing is kept, and nothing is said."""
    assert asked("grad", PROBLEM, cache=Folder(path)) == asked("grad", PROBLEM)


def key(name: str) -> str:
    """One that looks like those of questions."""
    return name * 40


def test_the_oldest_go_first(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Down to the bound; what was used again counts as new."""
    monkeypatch.setattr("gradcli.cache.folder.MOST_ENTRIES", 3)
    for k in range(3):
        folder.save(key(f"{k}"), b"data")
        os.utime(Path(folder.path) / f"{key(f'{k}')}.plan", (k, k))
    assert folder.load(key("0")) == b"data"
    folder.save(key("3"), b"data")

    assert sorted(path.stem for path in Path(folder.path).iterdir()) == [key("0"), key("2"), key("3")]


def test_bytes_are_bounded(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large entries are not kept at all."""
    monkeypatch.setattr("gradcli.cache.folder.MOST_BYTES", 100)
    monkeypatch.setattr("gradcli.cache.folder.MOST_ENTRY_BYTES", 60)
    folder.save(key("a"), b"x" * 61)
    assert folder.usage().entries == 0
    folder.save(key("b"), b"x" * 60)
    os.utime(Path(folder.path) / f"{key('b')}.plan", (0, 0))
    folder.save(key("c"), b"x" * 60)

    assert [path.stem for path in Path(folder.path).iterdir()] == [key("c")]


def test_what_was_interrupted_goes(folder: Folder) -> None:
    """A file that was never finished is removed when nobody can be writing it any more."""
    folder.save(key("a"), b"data")
    old, new = (Path(folder.path) / f"bbbbbbbb{name}_1234.tmp" for name in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"da")
    os.utime(old, (0, 0))
    folder.save(key("c"), b"data")

    assert not old.exists()
    assert new.exists()
    assert folder.usage() == (2, 8)


def test_files_of_others_are_left_alone(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither counted nor removed, whatever they end with."""
    monkeypatch.setattr("gradcli.cache.folder.MOST_ENTRIES", 1)
    Path(folder.path).mkdir(mode=0o700)
    others = [Path(folder.path) / name for name in ("release.plan", "draft.tmp", key("f") + ".plan", "a")]
    for path in others:
        path.mkdir() if path.stem == key("f") else path.write_text("")
    folder.save(key("a"), b"data")
    folder.save(key("b"), b"data")

    assert folder.usage() == (1, 4)
    assert folder.clear() == (1, 4)
    assert sorted(Path(folder.path).iterdir()) == sorted(others)


# -- processes ---------------------------------------------------------------------------------------------------------

_SCRIPT = """
import sys
from gradcli.cli import main
status = main(sys.argv[1:])
print([name for name in ("numpy", "sympy", "yaml") if name in sys.modules], file=sys.stderr)
sys.exit(status)
"""


def process(folder: Path, *args: str) -> subprocess.Popen[str]:
    env = {**os.environ, "GRADCLI_CACHE_DIR": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, *args],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def test_the_second_call_imports_no_sympy(tmp_path: Path) -> None:
    """At any point."""
    sample = str(ROOT / "samples" / "square.yaml")
    first = process(tmp_path / "plans", "grad", sample, "--json").communicate()
    second = process(tmp_path / "plans", "grad", sample, "--json").communicate()
    third = process(tmp_path / "plans", "grad", sample, "--json", "--at", "x=5").communicate()

    assert first[1] == "['numpy', 'sympy', 'yaml']\n"
    assert second == (first[0], "['numpy', 'yaml']\n")
    assert '"x": 10.0' in third[0]
    assert third[1] == "['numpy', 'yaml']\n"


def test_processes_at_once(tmp_path: Path) -> None:
    """Each sees nothing or a whole entry."""
    sample = str(ROOT / "samples" / "network.yaml")
    started = [process(tmp_path / "plans", "grad", sample, "--json") for _ in range(6)]
    outputs = {done.communicate()[0] for done in started}

    assert len(outputs) == 1
    assert Folder(str(tmp_path / "plans")).usage().entries == 1


def test_info_and_clear(run: Callable[..., Any], tmp_path: Path) -> None:
    """`gradcli cache` says how much there is, and where, and removes it."""
    env = {"GRADCLI_CACHE_DIR": str(tmp_path / "plans")}
    assert run("cache", "info", env=env).stdout == f"0 entries, 0 KiB\n{tmp_path}/plans\n"
    run("grad", "-e", "x**2", "--at", "x=3", env=env)
    (tmp_path / "plans" / "0123abcdq_w4rt5y.tmp").write_text("")
    assert run("cache", "info", env=env).stdout == f"1 entry, 1 KiB\n{tmp_path}/plans\n"
    assert run("cache", "clear", env=env).stdout == f"removed 1 entry, 1 KiB\n{tmp_path}/plans\n"
    assert not (tmp_path / "plans").exists()
    assert run("cache", "clear", env=env).stdout == f"removed 0 entries, 0 KiB\n{tmp_path}/plans\n"
    assert run("cache", "info", env={"GRADCLI_CACHE_DIR": ""}).stdout == "nothing is kept: GRADCLI_CACHE_DIR is empty\n"
    assert run("cache", "other", env=env).status == 2


def test_no_cache(run: Callable[..., Any], tmp_path: Path) -> None:
    """--no-cache neither keeps nor uses."""
    env = {"GRADCLI_CACHE_DIR": str(tmp_path / "plans")}
    run("grad", "-e", "x**2", "--at", "x=3", "--no-cache", env=env)

    assert not (tmp_path / "plans").exists()


@pytest.mark.skipif(os.name != "posix", reason="homes and folders in use are another matter there")
@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (None, "nothing is kept: the system knows of no folder for it (GRADCLI_CACHE_DIR can name one)"),
        ("plans", "nothing is kept: GRADCLI_CACHE_DIR is plans, and the folder that this starts from is gone"),
    ],
)
def test_no_place(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str | None, said: str
) -> None:
    """Without a home (a user that only a container knows), and in a folder that was removed, nothing is kept."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    if chosen is None:
        monkeypatch.delenv("GRADCLI_CACHE_DIR")
    else:
        (tmp_path / "gone").rmdir()
        monkeypatch.setenv("GRADCLI_CACHE_DIR", chosen)
    found = run("grad", "-e", "x**2", "--at", "x=3", "--format", "csv")

    assert (found.stdout, found.stderr, found.status) == ("source,index,gradient\nx,,6.0\n", "", 0)
    assert run("cache", "info").stdout == f"{said}\n"
    assert [path.name for path in tmp_path.rglob("*")] == ([] if chosen else ["gone"])
