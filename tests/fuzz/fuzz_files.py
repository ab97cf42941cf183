"""Mutated files for `gradcli grad` and `compare`: `python tests/fuzz/fuzz_files.py 20000 [--seed 0] [--only N]`.

Whatever the file, gradcli ends within five seconds with 0, 1 or 2, without a traceback or a warning, with either a
result or an error. Each fault is shown once, with the number of its input, which `--only` repeats. Ends with 1 if there
was one.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NoReturn
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[2]))

from gradcli.cli import main
from tests.fuzz.corpus import corpus, expressions, is_good
from tests.fuzz.mutate import Mutator

SECONDS = 5.0
OPTIONS: list[list[str]] = [[], [], ["--json"], ["--json"], ["--unconnected", "zero"], ["--dtype", "float32", "--full"]]
OPTIONS += [["--formulas"], ["--as-written", "--format", "csv"]]


class Hang(BaseException):
    """The time is over."""


def stop(number: int, frame: FrameType | None) -> NoReturn:
    raise Hang


@dataclass
class Ended:
    """How one input ended: `fault` is empty where all is well."""

    status: object
    seconds: float
    stdout: str
    stderr: str
    said: list[str] = field(default_factory=list)
    fault: str = ""


def stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="")


def run(args: list[str]) -> Ended:
    """One call, in this process."""
    out, err = stream(), stream()
    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    fault, status = "", None
    try:
        with warnings.catch_warnings(record=True) as said, patch.multiple(sys, stdout=out, stderr=err):
            warnings.simplefilter("always")
            status = main([*args, "--debug"])
    except Hang:
        fault = f"no end within {SECONDS} s"
    except BaseException as error:  # also SystemExit: main returns
        fault = f"{type(error).__name__} came out of main: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    seconds = time.perf_counter() - began
    texts = [s.buffer.getvalue().decode("utf-8", "replace") for s in (out, err) if not s.flush()]  # type: ignore[attr-defined]
    ended = Ended(status, seconds, *texts, [told(w) for w in said], fault)
    ended.fault = fault or judge(ended, as_json="--json" in args)
    return ended


def told(warning: warnings.WarningMessage) -> str:
    place = "/".join(Path(warning.filename).parts[-2:])
    return f"{warning.category.__name__}: {warning.message} ({place}:{warning.lineno})"


def judge(ended: Ended, *, as_json: bool) -> str:
    """What is wrong with an end."""
    if "Traceback (most recent call last)" in ended.stderr:
        frames = re.findall(r'File "[^"]*?/(gradcli/[^"]*)", line (\d+)', ended.stderr)
        return f"traceback: {ended.stderr.strip().splitlines()[-2][:150]} at {frames[-1:]}"
    if ended.status not in (0, 1, 2):
        return f"status {ended.status}"
    if ended.said:
        return f"a warning: {ended.said[0][:150]}"
    if bool(ended.stdout) != (ended.status != 2):
        return f"status {ended.status} with {'a' if ended.stdout else 'no'} result"
    if ended.status == 2 and not ended.stderr.startswith("{" if as_json else "error: "):
        return f"an error of another form: {ended.stderr[:80]!r}"
    if as_json:
        return unreadable(ended.stdout or ended.stderr)
    return ""


def unreadable(text: str) -> str:
    """What keeps a line from being JSON for a strict reader."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as error:
        return f"no JSON: {error}"
    return "" if text.count("\n") == 1 else "more than one line of JSON"


def peak() -> int:
    """The most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def attempt(mutator: Mutator, folder: Path, seed: int, number: int) -> tuple[bytes, list[str], Ended]:
    """The input of this number, and how it ended."""
    random = Random(f"{seed}:{number}")  # noqa: S311 - the same inputs for the same seed are what is wanted
    data = mutator.file(random)
    path = folder / f"a.{random.choice(('yaml', 'json'))}"
    path.write_bytes(data)
    args = [random.choice(("grad", "compare")), str(path), "--max-memory", "100MB", *random.choice(OPTIONS)]
    return data, args, run(args)


def fuzz(count: int, seed: int, only: int | None) -> int:
    texts = corpus()
    mutator = Mutator(texts, list(filter(is_good, texts)), expressions())
    print(f"{len(mutator.texts)} texts, peak memory {peak()} MB", flush=True)
    faults: dict[str, int] = {}
    ends: dict[Any, int] = {}
    slowest, began = (0.0, -1), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number in range(count) if only is None else [only]:
            before = peak()
            data, args, ended = attempt(mutator, Path(folder), seed, number)
            ends[ended.status] = ends.get(ended.status, 0) + 1
            slowest = max(slowest, (ended.seconds, number))
            if peak() > before + 30:
                print(f"memory: {before} -> {peak()} MB at input {number}", flush=True)
            if only is not None or (ended.fault and ended.fault not in faults):
                print(f"\n== input {number}: {ended.fault or 'well'}\n{' '.join(args)}\n{data!r}", flush=True)
                print(ended.stdout if only is not None else "", ended.stderr[-3000:], *ended.said, sep="\n", flush=True)
            if ended.fault:
                faults[ended.fault] = faults.get(ended.fault, 0) + 1
    print(f"\n{sum(ends.values())} inputs in {time.perf_counter() - began:.0f} s, seed {seed}; by status {ends}")
    print(f"slowest {slowest[0]:.2f} s (input {slowest[1]}); peak memory {peak()} MB; {len(faults)} faults")
    for fault, times in faults.items():
        print(f"{times:6}  {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, stop)
    faulthandler.enable()
    sys.exit(fuzz(options.count, options.seed, options.only))
