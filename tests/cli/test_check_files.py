"""`gradcli check` on several files, folders and patterns: which files it takes, in which order, and how it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gradcli.checks import run as checks_run
from gradcli.cli.files import find
from gradcli.errors import InputError
from tests.report.test_as_junit import schema

Run = Callable[..., Any]

GOOD = "sources: {x: 3}\ntargets: {y: x**2}\nexpect:\n  gradient: {x: 6}\n"
WRONG = "sources: {x: 3}\ntargets: {y: x**2}\nexpect:\n  gradient: {x: 7}\n"
UNREAD = "sources: {x: 3}\ntargets: {y: z**2}\n"
OPEN = "sources: {x: 0}\ntargets: {y: abs(x)}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**files: str) -> None:
    """Files by their names, in which `__` stands for `/`."""
    put({name.replace("__", "/") + ".yaml": text for name, text in files.items()})


def put(files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")


def checked(ran: Any) -> list[str]:
    return [file["file"] for file in json.loads(ran.stdout)["files"]]


# -- folders ---------------------------------------------------------------------------------------------------------


def test_a_folder(run: Run) -> None:
    """Every *.grad.* file, and the others with the key targets, at any depth, sorted by folder and name."""
    put(
        {
            "models/b.yaml": GOOD,
            "models/a/z.yml": GOOD,
            "models/a/deep/er/loss.json": '{"sources": {"x": 1}, "targets": {"y": "x"}}',
            "models/a-b.yaml": GOOD,
            "models/c.grad.yaml": GOOD,
            "models/d.grad.yml": GOOD,
            "models/e.grad.json": '{"targets": "1"}',
            "models/UPPER.GRAD.YAML": GOOD,
            "models/foreign.yaml": "- targets: [localhost:9090]\n  labels: {}\n",
            "models/notes.txt": GOOD,
            "models/nested.json": '{"a": {"targets": 1}, "b": "{\\"targets\\": 1}", "c": ["targets", {"targets": 2}]}',
        }
    )
    ran = run("check", "models", "--json")

    assert checked(ran) == [
        "models/UPPER.GRAD.YAML",
        "models/a/deep/er/loss.json",
        "models/a/z.yml",
        "models/a-b.yaml",
        "models/b.yaml",
        "models/c.grad.yaml",
        "models/d.grad.yml",
        "models/e.grad.json",
    ]
    assert (ran.stderr, ran.status) == ("", 0)
    assert checked(run("check", "models/", "--json")) == checked(ran)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (".", ["a.yaml", "sub/b.yaml"]),
        ("./", ["a.yaml", "sub/b.yaml"]),
        ("./sub", ["./sub/b.yaml"]),
        ("../here", ["../here/a.yaml", "../here/sub/b.yaml"]),
    ],
)
def test_names_are_shown_as_given(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, shown: list[str]
) -> None:
    """Below the folder as it was typed; the current one has no name."""
    put({"here/a.yaml": GOOD, "here/sub/b.yaml": GOOD})
    monkeypatch.chdir(tmp_path / "here")

    assert checked(run("check", given, "--json")) == shown
    assert checked(run("check", str(tmp_path / "here"), "--json")) == [
        str(tmp_path / "here/a.yaml"),
        str(tmp_path / "here/sub/b.yaml"),
    ]


def test_what_is_passed_over(run: Run) -> None:
    """Hidden files and folders, caches, node_modules and virtual environments, unless they are named."""
    put(
        {
            f"{folder}/a.grad.yaml": GOOD
            for folder in ("m", "m/.git", "m/__pycache__", "m/node_modules/x", "m/sub/.hidden", "m/env", "m/conda")
        }
    )
    put({"m/env/pyvenv.cfg": "", "m/conda/conda-meta/history": "", "m/.a.grad.yaml": GOOD, "m/envs/a.grad.yaml": GOOD})

    assert checked(run("check", "m", "--json")) == ["m/a.grad.yaml", "m/envs/a.grad.yaml"]
    assert checked(run("check", "m/**/*.yaml", "--json")) == ["m/a.grad.yaml", "m/envs/a.grad.yaml"]
    assert checked(run("check", "m/*", "--json")) == ["m/a.grad.yaml", "m/envs/a.grad.yaml"]
    assert checked(run("check", "m/.git", "m/env", "--json")) == ["m/.git/a.grad.yaml", "m/env/a.grad.yaml"]
    assert checked(run("check", "m/.git/*", "m/node_modules/**/*.yaml", "--json")) == [
        "m/.git/a.grad.yaml",
        "m/node_modules/x/a.grad.yaml",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "targets: x"),
        ("a.yaml", "# a comment\nsources: {x: 1}\r\ntargets:\r\n  y: x\r\n"),
        ("a.yaml", "sources: {x: 1}\rtargets: x\r"),
        ("a.yaml", "\ufefftargets: x\n"),
        ("a.yaml", "%YAML 1.2\n---\n'targets' : x\n"),
        ("a.yml", '"targets": x\n'),
        ("a.yaml", '{"sources": {"x": [1, {}]}, "targets": "x"}'),
        ("a.json", '\ufeff\n{"title": "a \\"targets\\": {[",\n "targets"\n:\n"x"}'),
        ("a.json", '{"targets": "x"'),
        ("a.grad.yaml", "not: [ours"),
        ("a.grad.json", ""),
    ],
)
def test_expression_files(name: str, text: str) -> None:
    """The key stands on the top level, in any spelling that a reader of ours takes."""
    put({name: text})

    assert find(["."]) == [name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "sources: {x: 1}\n"),
        ("a.yaml", "jobs:\n  targets: x\n"),
        ("a.yaml", "- targets: x\n"),
        ("a.yaml", "# targets: x\n"),
        ("a.yaml", "my_targets: x\ntargets_of: x\ntargets:x\n"),
        ("a.yaml", "targets\n"),
        ("a.yaml", ""),
        ("a.json", '["targets"]'),
        ("a.json", '{"a": "targets"}'),
        ("a.json", '{"a": {"targets": 1}}'),
        ("a.json", '{"\\"targets": 1}'),
        ("a.json", '{"a": "\\\\", "b": ["targets", {"targets": 1}]}'),
        ("a.txt", "targets: x\n"),
        ("grad.yaml.bak", "targets: x\n"),
        ("Makefile", "targets: x\n"),
    ],
)
def test_other_peoples_files(name: str, text: str) -> None:
    """Are nothing to check."""
    put({name: text})

    with pytest.raises(InputError, match=r"there are no expression files in '\.'"):
        find(["."])


def test_bytes_that_are_no_text(run: Run) -> None:
    """Are left alone; in a file that is marked as ours they are an error."""
    Path("a.yaml").write_bytes(b"\xff\xfet\x00a\x00r\x00g\x00e\x00t\x00s\x00:\x00")
    write(b=GOOD)
    assert checked(run("check", ".", "--json")) == ["b.yaml"]

    Path("a.yaml").rename("a.grad.yaml")
    ran = run("check", ".")
    assert ran.stderr.startswith("error: a.grad.yaml: the file is in UTF-16, not in UTF-8\n")
    assert ran.status == 2


def test_a_folder_with_unreadable_and_foreign_files(run: Run) -> None:
    """What is ours is checked, whatever lies beside it; what cannot be read is an error and hides nothing."""
    write(m__a=GOOD, m__b=UNREAD, m__c=WRONG, m__d=OPEN)
    put(
        {
            "m/compose.yaml": "services: {web: {image: nginx}}\n",
            "m/broken.yml": "a: [1, 2\n",
            "m/package.json": '{"name": "x", "browser": {"targets": {}}}',
            "m/broken.grad.yaml": "a: [1, 2\n",
        }
    )
    ran = run("check", "m", columns=120)

    assert ran.stdout.endswith(
        "\n5 files: 2 passed (1 with inconclusive checks), 1 failed (m/c.yaml), 2 cannot be checked "
        "(m/b.yaml, m/broken.grad.yaml)\n"
    )
    assert ran.stderr.count("error: ") == 2
    assert "error: m/b.yaml:2:14: unknown name 'z'" in ran.stderr
    assert "error: m/broken.grad.yaml:" in ran.stderr
    assert ran.status == 2


def test_links_and_other_things(run: Run) -> None:
    """Links to files are files, links to folders are not followed (and cannot go round), pipes are not opened."""
    write(m__a=GOOD, other__b=GOOD)
    Path("m/link.yaml").symlink_to("../other/b.yaml")
    Path("m/round").symlink_to(".")
    Path("m/away").symlink_to("../other")
    Path("m/gone.yaml").symlink_to("nothing.yaml")
    Path("m/folder.yaml").mkdir()
    os.mkfifo("m/pipe.grad.yaml")

    assert checked(run("check", "m", "--json")) == ["m/a.yaml", "m/link.yaml"]
    assert checked(run("check", "m/away", "--json")) == ["m/away/b.yaml"]
    Path("m/gone.grad.yaml").symlink_to("nothing.yaml")
    assert "error: m/gone.grad.yaml: the file does not exist\n" in run("check", "m").stderr


def test_what_may_not_be_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is not passed over in silence, as it may be what is wrong; a folder that may not be entered ends the call."""
    write(m__a=GOOD, m__b=GOOD)

    def refuse(path: object, *args: object, **options: object) -> Any:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", refuse)
        assert find(["m"]) == ["m/a.yaml", "m/b.yaml"]
    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refuse)
        ran = run("check", "m")
    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr == (
        "error: the folder 'm' cannot be read: permission denied\n  help: check its permissions, or name the files\n"
    )


# -- patterns --------------------------------------------------------------------------------------------------------


def test_a_quoted_pattern(run: Run) -> None:
    """Stands for all that it matches, as in a shell, sorted; ** for any depth, also none."""
    write(b=GOOD, a__c=GOOD, a__deep__d=GOOD, a__deep__e=UNREAD)
    put({"a/f.yml": GOOD})

    assert checked(run("check", "**/*.yaml", "--json")) == ["a/c.yaml", "a/deep/d.yaml", "a/deep/e.yaml", "b.yaml"]
    assert checked(run("check", "a/*.y*ml", "--json")) == ["a/c.yaml", "a/f.yml"]
    assert checked(run("check", "a/deep/[!e].yaml", "--json")) == ["a/deep/d.yaml"]
    assert checked(run("check", "?.yaml", "./*.yaml", "--json")) == ["b.yaml"]


def test_a_pattern_names_files(run: Run) -> None:
    """So a match that is no expression file is an error, as it is where a shell has expanded the pattern."""
    write(a=GOOD, b="target: x\n")
    typed, quoted = run("check", "a.yaml", "b.yaml"), run("check", "*.yaml")

    assert typed == quoted
    assert quoted.status == 2
    assert checked(run("check", ".", "--json")) == ["a.yaml"]


def test_a_pattern_that_matches_folders(run: Run) -> None:
    """Stands for the files in them, too."""
    write(m__a=GOOD, m__sub__b=GOOD)
    put({"m/empty/notes.txt": "", "m/sub/foreign.yaml": "a: 1\n"})

    assert checked(run("check", "m/*", "--json")) == ["m/a.yaml", "m/sub/b.yaml"]
    assert checked(run("check", "m/s*", "--json")) == ["m/sub/b.yaml"]


def test_a_name_that_looks_like_a_pattern(run: Run) -> None:
    """Is a name where there is such a file."""
    put({"w[0].yaml": GOOD, "w0.yaml": GOOD, "a*.yaml": GOOD, "ab.yaml": GOOD})

    assert checked(run("check", "w[0].yaml", "a*.yaml", "--json")) == ["w[0].yaml", "a*.yaml"]
    Path("w[0].yaml").unlink()
    assert checked(run("check", "w[0].yaml", "--json")) == ["w0.yaml"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["empty"],
            "error: there are no expression files in 'empty'\n  help: expression files are named *.grad.yaml, ",
        ),
        (["a.yaml", "empty/"], "error: there are no expression files in 'empty/'\n"),
        (["*.toml"], "error: no file matches '*.toml'\n  help: in a pattern * stands for any name and **/ for any "),
        (["a.yaml", "no/**/*.yaml"], "error: no file matches 'no/**/*.yaml'\n"),
        (["empty/**"], "error: no file matches 'empty/**'\n"),
    ],
)
def test_nothing_found(run: Run, args: list[str], message: str) -> None:
    """A usage error that names what stands for nothing; nothing is checked."""
    write(a=GOOD)
    put({"empty/sub/foreign.yaml": "a: 1\n"}) if "empty/**" not in args else Path("empty/sub").mkdir(parents=True)
    ran = run("check", *args)

    assert (ran.stdout, ran.status) == ("", 2)
    assert ran.stderr.startswith(message)
    error = json.loads(run("check", *args, "--json").stderr)["error"]
    assert (error["kind"], f"error: {error['message']}\n") == ("usage", message.partition("  help")[0])


def test_a_file_that_does_not_exist(run: Run) -> None:
    """Is said with the name that was probably meant, beside the verdicts on the others."""
    write(loss=GOOD)
    ran = run("check", "los.yaml", "loss.yaml")

    assert ran.stderr == "error: los.yaml: the file does not exist\n  help: did you mean 'loss.yaml'?\n"
    assert ran.stdout.endswith("2 files: 1 passed, 1 cannot be checked (los.yaml)\n")
    assert ran.status == 2


# -- order and duplicates --------------------------------------------------------------------------------------------


def test_the_order_of_the_arguments(run: Run) -> None:
    """Is kept; what is behind one of them is sorted. A file that two of them name has the first place and name."""
    write(z=GOOD, m__b=GOOD, m__a=GOOD)

    assert checked(run("check", "z.yaml", "m", "--json")) == ["z.yaml", "m/a.yaml", "m/b.yaml"]
    assert checked(run("check", "m/b.yaml", "-", "m", "z.yaml", "--json", stdin=GOOD)) == [
        "m/b.yaml",
        "<stdin>",
        "m/a.yaml",
        "z.yaml",
    ]


def test_the_same_file_twice(run: Run, tmp_path: Path) -> None:
    """Is checked once, under whatever names."""
    write(m__a=GOOD)
    Path("linked").symlink_to("m")
    Path("m/same.yaml").symlink_to("a.yaml")
    names = ["m/a.yaml", "./m/a.yaml", "m/../m/a.yaml", str(tmp_path / "m/a.yaml"), "linked/a.yaml", "m/same.yaml"]

    assert checked(run("check", *names, "m", "m/*", "**/*.yaml", "--json")) == ["m/a.yaml"]


def test_a_link_elsewhere_is_another_file(run: Run) -> None:
    """As its data files are looked for in the folder of the link."""
    text = "sources: {x: {file: x.csv}}\ntargets: {y: sum(x)}\nexpect: {value: {y: 1}}\n"
    put({"one/a.yaml": text, "one/x.csv": "1\n", "two/x.csv": "2\n"})
    Path("two/a.yaml").symlink_to("../one/a.yaml")
    files = json.loads(run("check", "one", "two", "--json").stdout)["files"]

    assert [(file["file"], file["passed"]) for file in files] == [("one/a.yaml", True), ("two/a.yaml", False)]


@pytest.mark.parametrize("name", ["a b.yaml", "größe λ.yaml", "a\nb.yaml", "-x.yaml", "a\udcff.yaml", "a,b:c%.yaml"])
def test_odd_names(run: Run, name: str) -> None:
    """Are found in a folder, and said in every format."""
    try:
        put({f"m/{name}": WRONG})
    except OSError:
        pytest.skip("there can be no such file here")

    assert checked(run("check", "m", "--json")) == [f"m/{name}"]
    assert schema().is_valid(run("check", "m", "--format", "junit").stdout)
    assert run("check", "m", "--format", "github").stdout.count("\n") == 2
    assert [run("check", "m", "--format", format_).status for format_ in ("table", "junit", "github")] == [1, 1, 1]


# -- --fail-fast and --exit-zero -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "last", "status"),
    [
        (
            [GOOD, OPEN, WRONG, GOOD],
            "4 files: 2 passed (1 with inconclusive checks), 1 failed (2.yaml), 1 not checked",
            1,
        ),
        ([UNREAD, WRONG, GOOD], "3 files: 1 cannot be checked (0.yaml), 2 not checked", 2),
        ([WRONG, UNREAD], "2 files: 1 failed (0.yaml), 1 not checked", 1),
        ([GOOD, WRONG], "2 files: 1 passed, 1 failed (1.yaml)", 1),
        ([WRONG], "failed: 1 of 6 checks is wrong", 1),
        ([GOOD, GOOD], "2 files: 2 passed", 0),
    ],
    ids=["wrong", "unread", "first", "last", "one", "none"],
)
def test_fail_fast(run: Run, files: list[str], last: str, status: int) -> None:
    """Ends with the first file that has not passed, and says how many it left out, on every page."""
    put({f"{i}.yaml": text for i, text in enumerate(files)})
    table = run("check", ".", "--fail-fast", columns=100)
    quiet = run("check", ".", "--fail-fast", "-q", columns=100)
    github = run("check", ".", "--fail-fast", "--format", "github")
    left = int(last.split()[-3]) if last.endswith("not checked") else 0

    for ran in (table, quiet, github):
        assert (ran.stdout.splitlines()[-1], ran.status) == (last, status)
    assert checked(run("check", ".", "--fail-fast", "--json")) == [f"{i}.yaml" for i in range(len(files) - left)]
    junit = run("check", ".", "--fail-fast", "--format", "junit").stdout
    assert junit.count("<testsuite ") == len(files) - left
    written = run("check", ".", "--fail-fast", "-o", "report.xml")
    assert (Path("report.xml").read_text("utf-8"), written.stderr.splitlines()[0]) == (junit, last)


def test_fail_fast_page(run: Run) -> None:
    """The page of several files, also where only the first was looked at."""
    write(a=WRONG, b=GOOD, c=GOOD)

    page = run("check", ".", "--fail-fast", "-q").stdout.splitlines()
    assert page[:2] == [
        "failed   a.yaml   1 of 6 checks is wrong",
        "  gradient x         WRONG   at x: expected 7, got 6, difference 1 (line 4)",
    ]
    assert page[-2:] == ["", "3 files: 1 failed (a.yaml), 2 not checked"]


def test_fail_fast_really_stops(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many files none is opened behind the first that has not passed."""
    put({f"m/{i:04}.grad.yaml": WRONG if i == 3 else GOOD for i in range(2000)})
    opened: list[object] = []
    examine = checks_run.examine
    monkeypatch.setattr(checks_run, "examine", lambda source: opened.append(source) or examine(source))
    ran = run("check", "m", "--fail-fast", "-q")

    assert opened == [f"m/{i:04}.grad.yaml" for i in range(4)]
    assert ran.stdout.endswith("\n2000 files: 3 passed, 1 failed (m/0003.grad.yaml), 1996 not checked\n")


@pytest.mark.parametrize(
    ("files", "status"),
    [([GOOD], 0), ([WRONG], 0), ([WRONG, GOOD], 0), ([UNREAD], 2), ([WRONG, UNREAD], 2)],
    ids=["good", "wrong", "wrong and good", "unread", "wrong and unread"],
)
@pytest.mark.parametrize("options", ["", "--json", "--format=junit", "--format=github", "-q", "--fail-fast"])
def test_exit_zero(run: Run, files: list[str], status: int, options: str) -> None:
    """What is wrong gives 0, with the same output; what cannot be read still gives 2."""
    put({f"{i}.yaml": text for i, text in enumerate(files)})
    usual, ran = run("check", ".", *options.split()), run("check", ".", *options.split(), "--exit-zero")
    if options == "--fail-fast" and files[0] == WRONG:
        status = 0  # nobody has looked at the other

    assert (ran.stdout, ran.stderr, ran.status) == (usual.stdout, usual.stderr, status)


def test_exit_zero_with_a_wrong_call(run: Run) -> None:
    """The call itself has to be right."""
    assert run("check", "--exit-zero").status == 2
    assert run("check", "no/*", "--exit-zero").status == 2


# -- the formats -----------------------------------------------------------------------------------------------------


def test_junit_and_github_of_real_files(run: Run) -> None:
    """File, line, entry, expected, got and diagnosis of a failure stand in both; standard error has the faults."""
    mean = "sources: {x: [1, 2, 3]}\ntargets:\n  y: sum(x**2)\nexpect:\n  gradient:\n    x: [2, 4, 6.5]\n"
    write(a=mean, b=UNREAD)
    junit, github = run("check", ".", "--format", "junit"), run("check", ".", "--format", "github")

    assert github.stdout == (
        "::error file=a.yaml,line=6,title=gradient x is wrong::a.yaml:6: gradient x: at x[2]: expected 6.5, got 6, "
        "difference 0.5\n"
        "::error file=b.yaml,line=2,col=14,title=gradcli cannot check this file::b.yaml:2:14: unknown name 'z' in "
        "target 'y'%0Ahelp: define it under sources, constants or let\n"
        "2 files: 1 failed (a.yaml), 1 cannot be checked (b.yaml)\n"
    )
    assert schema().is_valid(junit.stdout)
    failure, error = (ElementTree.fromstring(junit.stdout.encode()).find(f".//{tag}") for tag in ("failure", "error"))  # noqa: S314
    assert failure is not None
    assert error is not None
    assert failure.text == "file: a.yaml:6\ncheck: gradient x\nentry: x[2]\nexpected: 6.5\ngot: 6\ndifference: 0.5"
    assert f"{error.text}\n" == junit.stderr == github.stderr
    assert (junit.status, github.status) == (2, 2)


@pytest.mark.parametrize("format_", ["junit", "github"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_same_bytes(run: Run, format_: str, encoding: str) -> None:
    """UTF-8 everywhere, and nothing in it but what is in the files; quiet and colour change nothing."""
    put({"λ.yaml": WRONG, "open.yaml": OPEN})
    first = run("check", ".", "--format", format_)

    assert first.stdout.count("λ.yaml") >= 2
    os.utime("open.yaml", (0, 0))
    assert run("check", ".", "--format", format_, encoding=encoding) == first
    assert run("check", "open.yaml", "λ.yaml", "-q", "--format", format_, columns=30, terminal=True) == first


@pytest.mark.parametrize("format_", ["junit", "github"])
def test_they_are_formats_of_checks_alone(run: Run, format_: str) -> None:
    """Other commands say which they have."""
    write(a=GOOD)
    ran = run("grad", "a.yaml", "--format", format_)

    assert (ran.stdout, ran.status) == ("", 2)
    assert f"'{format_}' is no format for derivatives, which have 'table', 'json', 'csv'\n" in ran.stderr
    assert "derivatives cannot be written as .xml" in run("grad", "a.yaml", "-o", "a.xml").stderr
