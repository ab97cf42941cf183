"""Tables, whole, at a pinned width."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import dedent

import numpy as np
import pytest

from gradcli.report import ReportOptions, render
from gradcli.results import Comparison, Gradient, Hessian, Jacobian, Note, Result

Compared = Callable[..., Comparison]


def check(result: Result, expected: str, **options: object) -> None:
    """The table of `result` is `expected`, which is indented with the test."""
    text = render(result, "table", ReportOptions(**options))  # type: ignore[arg-type]
    assert text == dedent(expected).lstrip("\n"), text


def test_two_scalars(two_scalars: Comparison) -> None:
    """The measure: rows, a rule, their sum, the gradient, the verdict."""
    check(
        two_scalars,
        """
        compare  samples/two_targets.yaml  float64
        gradient = the sum over all outputs (y1, y2), in each source's shape

                        x1 = 2      x2 = 3
          y1 = 12       12          4
          y2 =  3.909   -0.416147   1
                        ─────────   ─
          sum of rows   11.5839     5
          gradient      11.5839     5
        agree: yes, to the last digit
        """,
    )


def test_matrix_by_vector(compared: Compared) -> None:
    """Too many columns for one block are broken by source; the point gets a row; rows that cancel are marked."""
    w = [[[0.068, -0.0685], [0.013, -0.013]], [[0.137, -0.137], [0.247, -0.247]]]
    result = compared(
        {"xentropy": [0.6881597, 0.7158491]},
        {"w": [[0.1, 0.0], [0.5, 0.51]], "b": [0, 0]},
        {"xentropy": {"w": w, "b": [[0.5, -0.5], [-0.5, 0.5]]}},
        title="per-sample loss against mean loss",
        file="mlp.yaml",
        exact=False,
        max_abs_difference=2.7755575615628914e-17,
        notes=(Note("cancel", "b: the rows cancel everywhere: the gradient is 0 where the rows are not"),),
    )
    check(
        result,
        """
        compare  mlp.yaml  float64
        per-sample loss against mean loss
        gradient = the sum over the 2 outputs of xentropy, in each source's shape
        shapes: xentropy (2,) by w (2, 2), b (2,)

                                   w[0,0]   w[0,1]    w[1,0]   w[1,1]
          at                       0.1       0        0.5       0.51
          xentropy[0] = 0.68816    0.068    -0.0685   0.013    -0.013
          xentropy[1] = 0.715849   0.137    -0.137    0.247    -0.247
                                   ─────    ───────   ─────    ──────
          sum of rows              0.205    -0.2055   0.26     -0.26
          gradient                 0.205    -0.2055   0.26     -0.26

                                   b[0]      b[1]
          at                        0         0
          xentropy[0] = 0.68816     0.5      -0.5
          xentropy[1] = 0.715849   -0.5       0.5
                                   ────      ────
          sum of rows               0         0
          gradient                  0         0
                                   cancels   cancels
        agree: yes, within 2.8e-17

        note: b: the rows cancel everywhere: the gradient is 0 where the rows are not
        """,
    )


def test_many_outputs_and_entries(compared: Compared) -> None:
    """Above twelve rows or columns the rest is counted; the sums are those of all rows."""
    w = np.arange(30 * 15.0).reshape(30, 3, 5)
    check(
        compared({"y": np.arange(30) / 4}, {"w": np.ones((3, 5)), "u": 1}, {"y": {"w": w, "u": None}}),
        """
        compare  float64
        gradient = the sum over the 30 outputs of y, in each source's shape
        shapes: y (30,) by w (3, 5), u scalar

                         w[0,0]   w[0,1]   w[0,2]   w[0,3]   w[0,4]   w[1,0]   w[1,1]   w[1,2]   w[1,3]
          at                1        1        1        1        1        1        1        1        1
          y[0]  = 0         0        1        2        3        4        5        6        7        8
          y[1]  = 0.25     15       16       17       18       19       20       21       22       23
          y[2]  = 0.5      30       31       32       33       34       35       36       37       38
          y[3]  = 0.75     45       46       47       48       49       50       51       52       53
          y[4]  = 1        60       61       62       63       64       65       66       67       68
          y[5]  = 1.25     75       76       77       78       79       80       81       82       83
          y[6]  = 1.5      90       91       92       93       94       95       96       97       98
          y[7]  = 1.75    105      106      107      108      109      110      111      112      113
          y[8]  = 2       120      121      122      123      124      125      126      127      128
          y[9]  = 2.25    135      136      137      138      139      140      141      142      143
          y[10] = 2.5     150      151      152      153      154      155      156      157      158
          y[11] = 2.75    165      166      167      168      169      170      171      172      173
          … 18 more outputs
                         ────     ────     ────     ────     ────     ────     ────     ────     ────
          sum of rows    6525     6555     6585     6615     6645     6675     6705     6735     6765
          gradient       6525     6555     6585     6615     6645     6675     6705     6735     6765

                         w[1,4]   w[2,0]   w[2,1]   u
          at                1        1        1     1
          y[0]  = 0         9       10       11     none
          y[1]  = 0.25     24       25       26     none
          y[2]  = 0.5      39       40       41     none
          y[3]  = 0.75     54       55       56     none
          y[4]  = 1        69       70       71     none
          y[5]  = 1.25     84       85       86     none
          y[6]  = 1.5      99      100      101     none
          y[7]  = 1.75    114      115      116     none
          y[8]  = 2       129      130      131     none
          y[9]  = 2.25    144      145      146     none
          y[10] = 2.5     159      160      161     none
          y[11] = 2.75    174      175      176     none
          … 18 more outputs
                         ────     ────     ────
          sum of rows    6795     6825     6855     none
          gradient       6795     6825     6855     none
          … 3 more columns of w
        agree: yes, to the last digit

        --full shows what is left out (…)
        """,
        width=100,
    )


def test_weights(compared: Compared) -> None:
    """With output gradients each row shows its weight."""
    rows = [[0.25, -0.048], [-0.048, 0.128], [-0.17, -0.08]]
    result = compared({"s": [0.32, 0.15, 0.53]}, {"z": [0.5, -0.25]}, {"s": {"z": rows}}, weights={"s": [0, 1, 0.5]})
    check(
        result,
        """
        compare  float64
        gradient = the weighted sum over the 3 outputs of s, in each source's shape
        shapes: s (3,) by z (2,)

                         weight   z[0] = 0.5   z[1] = -0.25
          s[0] = 0.32    0         0.25        -0.048
          s[1] = 0.15    1        -0.048        0.128
          s[2] = 0.53    0.5      -0.17        -0.08
                                  ──────       ──────
          weighted sum            -0.133        0.088
          gradient                -0.133        0.088
        agree: yes, to the last digit
        """,
    )


def test_disagreement(compared: Compared) -> None:
    """The worst entry, with all its digits; nothing but text is needed to see it."""
    result = compared(
        {"y": [1, 2]},
        {"x": [1, 2]},
        {"y": {"x": [[1, 2], [3, 4]]}},
        gradient={"x": np.array([4, 6.000000001])},
        match=False,
        exact=False,
        max_abs_difference=1e-9,
    )
    check(
        result,
        """
        compare  float64
        gradient = the sum over the 2 outputs of y, in each source's shape
        shapes: y (2,) by x (2,)

                        x[0] = 1   x[1] = 2
          y[0] = 1      1          2
          y[1] = 2      3          4
                        ─          ─
          sum of rows   4          6
          gradient      4          6
        agree: NO, worst at x[1]: sum of rows 6, gradient 6.000000001, difference 1e-09
        """,
    )


def test_infinity_on_a_diagonal(compared: Compared) -> None:
    """Infinities stand in their column; notes come last."""
    notes = (Note("diagonal", "x: the Jacobian is diagonal, so the sum loses nothing"),)
    check(
        compared({"y": [0, 2]}, {"x": [0, 4]}, {"y": {"x": [[np.inf, 0], [0, 0.25]]}}, notes=notes),
        """
        compare  float64
        gradient = the sum over the 2 outputs of y, in each source's shape
        shapes: y (2,) by x (2,)

                        x[0] = 0   x[1] = 4
          y[0] = 0      inf        0
          y[1] = 2        0        0.25
                        ───        ────
          sum of rows   inf        0.25
          gradient      inf        0.25
        agree: yes, to the last digit

        note: x: the Jacobian is diagonal, so the sum loses nothing
        """,
    )


def test_gradient_of_every_shape() -> None:
    """Scalars and vectors as a list, matrices as matrices, higher ranks as slices, what is unconnected by name."""
    tensor = np.array([[[1, 2.5], [3, -4]], [[5e-9, 6], [np.nan, 8]]])
    result = Gradient(
        targets={"loss": np.array(0.7158491), "per_sample": np.array([0.5, 0.9316982])},
        sources={
            "a": np.array(2.0),
            "b": np.array([0.1, -3]),
            "layer1.w": np.ones((2, 2)),
            "k": tensor,
            "c": np.ones(4),
        },
        gradient={
            "a": np.array(-0.5),
            "b": np.array([np.inf, 0.25]),
            "layer1.w": np.array([[0.2058616, -0.2058615], [0.2607238, -12]]),
            "k": tensor,
            "c": None,
        },
        notes=(Note("unconnected", "c is unconnected: used only in a condition, line 7", 7),),
        file="mlp.yaml",
    )
    check(
        result,
        """
        grad  mlp.yaml  float64
        gradient = the sum over all 3 outputs (loss, per_sample), in each source's shape
        shapes: loss scalar, per_sample (2,) by a scalar, b (2,), layer1.w (2, 2),
                k (2, 2, 2), c (4,)

          loss       = 0.715849
          per_sample = [0.5, 0.931698]

                        gradient
          a    =  2      -0.5
          b[0] =  0.1   inf
          b[1] = -3       0.25

          layer1.w, shape (2, 2)
                  [:,0]      [:,1]
          [0,:]   0.205862    -0.205862
          [1,:]   0.260724   -12

          k, shape (2, 2, 2)
                    [0,:,0]   [0,:,1]
          [0,0,:]   1          2.5
          [0,1,:]   3         -4

                    [1,:,0]   [1,:,1]
          [1,0,:]     5e-09   6
          [1,1,:]   NaN       8

              gradient
          c   none (unconnected: used only in a condition, line 7)
        """,
    )


def test_large_gradient() -> None:
    """A matrix of 100 x 50 shows its corner and counts the rest."""
    w = np.arange(5000.0).reshape(100, 50)
    check(
        Gradient(targets={"y": np.arange(30.0)}, sources={"w": w}, gradient={"w": w}),
        """
        grad  float64
        gradient = the sum over the 30 outputs of y, in each source's shape
        shapes: y (30,) by w (100, 50)

          y = 30 numbers from 0 to 29

          w, shape (100, 50)
                   [:,0]   [:,1]   [:,2]   [:,3]   [:,4]   [:,5]   [:,6]   [:,7]   [:,8]
          [0,:]      0       1       2       3       4       5       6       7       8
          [1,:]     50      51      52      53      54      55      56      57      58
          [2,:]    100     101     102     103     104     105     106     107     108
          [3,:]    150     151     152     153     154     155     156     157     158
          [4,:]    200     201     202     203     204     205     206     207     208
          [5,:]    250     251     252     253     254     255     256     257     258
          [6,:]    300     301     302     303     304     305     306     307     308
          [7,:]    350     351     352     353     354     355     356     357     358
          [8,:]    400     401     402     403     404     405     406     407     408
          [9,:]    450     451     452     453     454     455     456     457     458
          [10,:]   500     501     502     503     504     505     506     507     508
          [11,:]   550     551     552     553     554     555     556     557     558
          … 88 more rows

                   [:,9]   [:,10]   [:,11]
          [0,:]      9      10       11
          [1,:]     59      60       61
          [2,:]    109     110      111
          [3,:]    159     160      161
          [4,:]    209     210      211
          [5,:]    259     260      261
          [6,:]    309     310      311
          [7,:]    359     360      361
          [8,:]    409     410      411
          [9,:]    459     460      461
          [10,:]   509     510      511
          [11,:]   559     560      561
          … 88 more rows
          … 38 more columns

        --full shows what is left out (…)
        """,
    )


def test_full_shows_everything() -> None:
    """With `full` nothing is left out."""
    w = np.arange(5000.0).reshape(100, 50)

    text = render(Gradient(targets={"y": w}, sources={"w": w}, gradient={"w": w}), "table", ReportOptions(full=True))

    assert "…" not in text
    assert {"[99,:]", "[:,49]", "4999"} <= set(text.split())


def test_jacobian_with_names_like_markup() -> None:
    """Square brackets, escapes and wide characters in names come through and keep their alignment."""
    result = Jacobian(
        targets={"重み[bold]": np.array(1.0), "y": np.array(-2.5)},
        sources={"w[red]": np.array([1.0, 2]), "a\x1b[31m": np.array(3.0)},
        jacobian={
            "重み[bold]": {"w[red]": np.array([1.5, 2]), "a\x1b[31m": None},
            "y": {"w[red]": np.array([0.0, -1e-20]), "a\x1b[31m": np.array(1.0)},
        },
        title="[link=x]title\n\x1b[2J",
    )
    check(
        result,
        """
        jacobian  float64
        [link=x]title \\x1b[2J
        jacobian: each row holds the derivatives of one output (重み[bold], y) by the
        sources
        shapes: 重み[bold] scalar, y scalar by w[red] (2,), a\\x1b[31m scalar

                              w[red][0] = 1   w[red][1] = 2   a\\x1b[31m = 3
          重み[bold] =  1     1.5              2              none
          y          = -2.5   0               -1e-20          1
        """,
    )


def test_hessian() -> None:
    """Scalars share a block; each pair of sources has one, on and above the diagonal."""
    two, w = np.array(2.0), np.array([1.0, 2.0])
    result = Hessian(
        targets={"f": two},
        sources={"x": two, "y": two, "w": w, "u": two},
        hessian={
            "x": {"x": two, "y": -two, "w": w, "u": None},
            "y": {"x": -two, "y": two / 4, "w": w / 8, "u": None},
            "w": {"x": w, "y": w / 8, "w": np.eye(2), "u": None},
            "u": dict.fromkeys("xywu"),
        },
    )
    check(
        result,
        """
        hessian  float64
        hessian = the second derivatives of f
        shapes: f scalar by x scalar, y scalar, w (2,), u scalar

          f = 2

          x, y by x, y
              x = 2   y = 2
          x    2      -2
          y   -2       0.5

          x, y by w, shape (2,)
              w[0] = 1   w[1] = 2
          x   1          2
          y   0.125      0.25

          w by w, shape (2, 2)
                 w[0] = 1   w[1] = 2
          w[0]   1          0
          w[1]   0          1

          each block with its names exchanged is the transpose

          u   none (unconnected)
        """,
    )


@pytest.mark.parametrize("width", [1, 40, 80, 160])
def test_numbers_are_never_cut(compared: Compared, width: int) -> None:
    """Whatever the width, all the numbers are there; lines are longer only where one column is."""
    rows = np.arange(24.0).reshape(2, 12) + 0.12345
    result = compared({"y": [1, 2]}, {"w": np.arange(12.0)}, {"y": {"w": rows}})

    text = render(result, "table", ReportOptions(width=width))

    assert {f"{number:.6g}" for number in rows.ravel()} <= set(text.split())
    assert all(len(line) <= max(width, 60) for line in text.splitlines())


def test_precision(two_scalars: Comparison) -> None:
    """More digits, up to all of them."""
    assert "-0.4161468365471424" in render(two_scalars, "table", ReportOptions(precision=17))
    assert " -0.42 " in render(two_scalars, "table", ReportOptions(precision=2))


def test_colour_adds_nothing_but_colour(two_scalars: Comparison) -> None:
    """Without its escapes the coloured text is the plain one."""
    colored = render(two_scalars, "table", ReportOptions(color=True))

    assert "\x1b[1;32myes\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render(two_scalars, "table")


def test_notes_can_be_left_out() -> None:
    """`notes=False` ends the table with its last number."""
    one = np.array(1.0)
    result = Gradient(targets={"y": one}, sources={"x": one}, gradient={"x": one}, notes=(Note("kink", "abs at 0", 3),))

    assert render(result, "table").endswith("\n\nnote: abs at 0 (line 3)\n")
    assert "note" not in render(result, "table", ReportOptions(notes=False))


def test_no_sources_and_no_entries(compared: Compared) -> None:
    """Nothing to show is shown as nothing."""
    empty = compared({"y": np.zeros(0)}, {"w": np.zeros((0, 3))}, {"y": {"w": np.zeros((0, 0, 3))}})

    assert "agree: yes" in render(empty, "table")
    assert "agree: yes" in render(compared({"y": 1}, {}, {"y": {}}), "table")
