"""What cannot be checked is refused with a clear error; a failure says all that there is to know."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli.testing
from gradcli.testing import assert_gradient, assert_jacobian

X = np.array([1.0, 2.0])
COUNTS = iter(range(1000))


def f(x: Any) -> Any:
    return np.sum(x**2)


def two(w: Any, b: Any) -> Any:
    return np.sum(w * b)


def drawn(x: Any) -> Any:
    return np.sum(x) + next(COUNTS)


def grows(x: Any) -> Any:
    return np.ones(int(1e6 * x.sum()) % 7)


def picked(x: Any) -> Any:
    return x[x > 1.999]


def cmplx(x: Any) -> Any:
    return np.sum(x) * 1j


def none(x: Any) -> None:
    return None


def words(x: Any) -> Any:
    return "three"


def ragged(x: Any) -> Any:
    return [x, x[:1]]


def nan(x: Any) -> Any:
    return np.sum(x) * np.nan


REFUSED: dict[str, tuple[Callable[..., Any], Any, Any, type[Exception], str]] = {
    "random": (drawn, X, X, ValueError,
               "drawn is not deterministic: two calls at the same point differ by 1; if it draws random numbers, give "
               "them a fixed seed"),
    "another shape nearby": (picked, [0.0, 1.0], X, ValueError,
                             "picked returns the shape (1,) at the point and (0,) near it: there is no derivative"),
    "complex output": (cmplx, X, X, TypeError, "the output of cmplx is complex: derivatives are of real numbers only"),
    "complex point": (f, X, X * 1j, TypeError, "x is complex: derivatives are of real numbers only"),
    "complex gradient": (f, 2j * X, X, TypeError, "grad is complex: derivatives are of real numbers only"),
    "None": (none, X, X, TypeError, "the output of none must be a number or an array of real numbers, and is None"),
    "text": (words, X, X, TypeError,
             "the output of words must be a number or an array of real numbers, and is of type str"),
    "ragged": (ragged, X, X, TypeError,
               "the output of ragged must be an array of real numbers: the lists in it differ in length"),
    "text as a point": (f, X, ["a", "b"], TypeError,
                        "x must be a number or an array of real numbers, and is an array of str32"),
    "no gradient": (f, lambda x: None, X, TypeError,
                    "what grad returns must be a number or an array of real numbers, and is None"),
    "NaN": (nan, X, X, ValueError, "nan is NaN at the point: there is no derivative to check"),
    "empty": (f, X, (), ValueError, "x is empty: there is nothing to differentiate by"),
    "one array for two": (two, X, (X, X), TypeError,
                          "grad must be a tuple with a derivative by each argument (w, b), and is an array of float64"),
    "too few": (two, (X,), (X, X), TypeError,
                "grad must be a tuple with a derivative by each argument (w, b), and has 1"),
    "other keys": (two, {"w": X, "c": X}, {"w": X, "b": X}, TypeError,
                   "grad must be a mapping with the keys w, b, and has the keys w, c"),
    "all None": (two, (None, None), (X, X), TypeError, "grad is None for every argument: there is nothing to check"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name: str) -> None:
    """With what is wrong, and where."""
    fun, grad, x, kind, message = REFUSED[name]
    with pytest.raises(kind) as caught:
        assert_gradient(fun, grad, x)
    assert str(caught.value) == message


def test_an_error_of_the_function_is_the_caller_s() -> None:
    """What it raises at the point comes through as it is."""
    with pytest.raises(TypeError, match="unsupported operand"):
        assert_gradient(lambda x: x + None, X, X)


FAILURES: dict[str, tuple[Callable[..., None], Any, str]] = {
    "wrong": (
        assert_gradient, (f, -2 * X, X),
        "the gradient of f is wrong in 2 of 2 entries, by differences\n"
        "  at x[0]: expected -2, got 2, difference 4\n"
        "  your gradient of x has the wrong sign everywhere"),
    "a shape": (
        assert_gradient, (f, [[1.0, 2.0]], X),
        "the gradient of f is wrong\n"
        "  the shape is (1, 2), and that of the gradient of x is (2,)"),
    "a Jacobian": (
        assert_gradient, (lambda x: x**2, np.diag(2 * X), X),
        "the gradient of fun is wrong\n"
        "  the shape is (2, 2), and that of the gradient of x is (2,)\n"
        "  your gradient of x is the Jacobian of fun: the gradient is the sum of its rows"),
    "summed": (
        assert_gradient, (f, 6.0, X),
        "the gradient of f is wrong\n"
        "  the shape is scalar, and that of the gradient of x is (2,)\n"
        "  your gradient of x is summed over its entries: the gradient has an entry for each"),
    "a transposed Jacobian": (
        assert_jacobian, (lambda x: [x[0], x[1], x[0] * x[1]], [[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]], X),
        "the Jacobian of fun is wrong\n"
        "  the shape is (2, 3), and that of the Jacobian of fun by x is (3, 2)\n"
        "  your Jacobian of fun by x is transposed"),
    "NaN": (
        assert_gradient, (f, [2.0, np.nan], X),
        "the gradient of f is wrong in 1 of 2 entries, by differences\n"
        "  at x[1]: expected NaN, got 4"),
    "one entry of a Jacobian": (
        assert_jacobian, (two, ([1.0, 2.0], [1.0, 3.0]), (X, X)),
        "the Jacobian of two is wrong in 1 of 4 entries, by differences\n"
        "  at two by b[1]: expected 3, got 2, difference 1"),
    "near the point": (
        assert_gradient, (np.sin, lambda x: 1.0, 0.0),
        "the gradient of sin is right at the point, and near it, where x = 0.082177, it is wrong in 1 of 1 entries, by "
        "differences\n"
        "  at x: expected 1, got 0.996625, difference 0.0034"),
    "one entry of many": (
        assert_gradient, (lambda x: np.sum(x**2), 2.0 - np.eye(1, 1000, 777)[0], np.ones(1000)),
        "the gradient of fun is wrong in at least 1 of 1000 entries, by differences along random directions\n"
        "  at x[777]: expected 1, got 2, difference 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_says(name: str) -> None:
    """Which entry is worst, what was expected and what there is, how many are wrong, and why."""
    function, arguments, text = FAILURES[name]
    with pytest.raises(AssertionError) as caught:
        function(*arguments)
    assert str(caught.value) == text


def test_tolerances_let_more_pass() -> None:
    """Relative to the entry, or absolute."""
    near = 2 * X * (1 + 1e-4)
    assert_gradient(f, near, X, rtol=1e-3)
    assert_gradient(f, near, X, atol=1e-3)
    for tolerance in ({}, {"rtol": 1e-5}, {"atol": 1e-5}):
        with pytest.raises(AssertionError):
            assert_gradient(f, near, X, **tolerance)


def test_the_caller_s_arrays_stay_as_they_are() -> None:
    """The function gets copies, and so does a function that is held constant with None."""

    def spoils(x: Any, k: Any) -> Any:
        x *= 2
        k += 1
        return x.sum() + k[0]

    x, k = X.copy(), np.array([1, 2])
    assert_gradient(spoils, ([2.0, 2.0], None), (x, k))
    assert (x.tolist(), k.tolist()) == ([1.0, 2.0], [1, 2])


def test_what_the_function_gets() -> None:
    """Scalars stay scalars, integers become floats, lists arrays, and what is held keeps its type."""
    seen: list[Any] = []

    def fun(a: Any, b: Any, c: Any) -> Any:
        seen.append((isinstance(a, float), b.dtype, c))
        return a * b[0]

    assert_gradient(fun, (3.0, [2.0, 0.0], None), (2, [3, 4], "held"))
    assert set(seen) == {(True, np.dtype(float), "held")}


def test_the_seed_decides() -> None:
    """The same seed gives the same text."""

    def text(seed: int) -> str:
        with pytest.raises(AssertionError) as caught:
            assert_gradient(np.sin, np.ones_like, np.zeros(3), seed=seed)
        return str(caught.value)

    assert text(1) == text(1) != text(2)


def test_no_warnings_come_from_off_the_domain() -> None:
    """Though warnings are errors here."""
    assert_gradient(np.log, lambda x: 1 / x, [1e-3, 1.0])


def test_the_docstrings_are_right() -> None:
    found = doctest.testmod(gradcli.testing)
    assert (found.failed, found.attempted > 5) == (0, True)


def test_pytest_shows_the_caller_s_lines_only(tmp_path: Path) -> None:
    """No frame of gradcli, and the whole message."""
    (tmp_path / "test_it.py").write_text(
        textwrap.dedent("""
        import numpy as np
        from gradcli.testing import assert_gradient

        def f(x):
            return np.sum(x**2)

        def test_it():
            assert_gradient(f, [1.0], [1.0])

        def raises(x):
            raise KeyError("here")

        def test_error():
            assert_gradient(raises, [1.0], [1.0])

        def test_type():
            assert_gradient(f, ["a"], [1.0])
        """)
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)

    assert "3 failed" in done.stdout
    assert "gradcli/" not in done.stdout.replace("from gradcli", "")
    assert re.search(r"^E +at x\[0\]: expected 1, got 2, difference 1$", done.stdout, re.MULTILINE)
    assert "KeyError: 'here'" in done.stdout


def test_importing_it_loads_nothing_heavy() -> None:
    """NumPy is all it needs, also to fail with a diagnosis."""
    code = """
    import json, sys
    from gradcli.testing import assert_gradient
    try:
        assert_gradient(lambda x: x**2, 4.0, 1.0)
    except AssertionError as error:
        assert "was multiplied by 2" in str(error)
    print(json.dumps(sorted(sys.modules)))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(json.loads(done.stdout))

    assert {"sympy", "yaml", "rich", "typer", "scipy", "gradcli.core", "pytest"} & loaded == set()
    assert "numpy" in loaded
