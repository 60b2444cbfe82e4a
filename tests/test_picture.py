"""Pictures: text to the letter, figures by what is in them."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qubopuzzle import Nonogram, solve

A = Nonogram.examples()[0]


def test_text_of_the_solved_picture():
    assert A.picture(A.solution).text().splitlines() == [
        "         1",
        "     2 3 1 3 2",
        "  1  · ·██ · ·",
        "1 1  ·██ ·██ ·",
        "1 1  ·██ ·██ ·",
        "  5 ██████████",
        "1 1 ██ · · ·██",
    ]


def test_text_in_ascii_and_unsolved():
    assert A.picture().text(ascii_only=True).splitlines()[2] == "  1  . . . . ."
    assert A.picture(A.solution).text(ascii_only=True).splitlines()[5] == "  5  # # # # #"


def test_broken_cells_are_marked_with_and_without_colour():
    picture = A.picture(A.solution, broken=[(0, 0), (0, 2)])
    assert picture.text(color=True).splitlines()[2].count("\x1b[31m") == 2
    assert picture.text().splitlines()[2] == "  1  ▒ ·██ · ·"


def test_two_digit_clues_widen_the_cells():
    tall = Nonogram.from_picture(np.ones((12, 2), int))
    assert tall.picture().text().splitlines()[0] == "   12 12"


def test_plot_draws_clues_and_cells_into_given_axes():
    ax = Figure().add_subplot()
    assert solve(A, seed=1).plot(ax) is ax
    assert sorted(t.get_text() for t in ax.texts) == sorted(
        str(n) for clue in (*A.rows, *A.cols) for n in clue
    )
    (image,) = ax.get_images()
    assert (np.asarray(image.get_array()) == A.solution).all()


def test_plot_without_axes_makes_a_figure():
    import matplotlib as mpl
    from matplotlib import pyplot

    mpl.use("agg")
    ax = A.plot()
    assert isinstance(ax, Axes)
    pyplot.close(ax.figure)


@pytest.mark.parametrize(
    ("file_format", "start"),
    [
        ("svg", b"<?xml"),
        ("png", b"\x89PNG"),
        ("pdf", b"%PDF"),
        ("jpg", b"\xff\xd8"),
        ("webp", b"RIFF"),
    ],
)
def test_images(file_format, start):
    assert A.picture(A.solution).image(file_format).startswith(start)
