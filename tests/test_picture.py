"""Pictures: text to the letter, figures by what is in them."""

from time import perf_counter

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qubopuzzle import Nonogram, solve
from qubopuzzle.picture import Picture

A = Nonogram.examples()[0]


def words(*rows):
    return {(r, c): w for r, row in enumerate(rows) for c, w in enumerate(row.split()) if w != "."}


def array(*rows):
    return np.array([[int(word) for word in row.split()] for row in rows])


def shading(*rows):
    return np.array([[sign == "#" for sign in row] for row in rows]).astype(int)


def kinds():
    """Seven puzzles as people know them: unsolved, solved, and wrong."""
    yield (
        "nonogram",
        [
            A.picture(),
            A.picture(A.solution),
            A.picture(A.solution, broken=[(4, c) for c in range(5)]),
        ],
    )

    clues = words("1 . . 4", ". . 1 .", ". 1 . .", "4 . . 1")
    answer = words("1 2 3 4", "3 4 1 2", "2 1 4 3", "4 3 2 1")
    about = {"given": frozenset(clues), "rooms": array("1 1 2 2", "1 1 2 2", "3 3 4 4", "3 3 4 4")}
    broken = frozenset({(0, 0), (0, 1)})
    yield (
        "sudoku",
        [
            Picture(4, 4, words=clues, **about),
            Picture(4, 4, words=answer, **about),
            Picture(4, 4, words={**answer, (0, 1): "1"}, broken=broken, **about),
        ],
    )

    about = {
        "rooms": array("1 1 2 2", "1 1 2 2", "3 3 3 4", "3 3 3 4"),
        "corners": {(0, 0): "1", (2, 0): "2"},
    }
    broken = frozenset({(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)})
    yield (
        "heyawake",
        [
            Picture(4, 4, **about),
            Picture(4, 4, black=shading("#...", "....", ".#..", "..#."), **about),
            Picture(4, 4, black=shading("#...", ".#..", "....", "..#."), broken=broken, **about),
        ],
    )

    numbers = words("2 2 1 4", "1 3 3 2", "4 1 2 3", "3 4 2 1")
    about = {"words": numbers, "given": frozenset(numbers)}
    broken = frozenset({(0, 1), (0, 2), (1, 1), (1, 2)})
    yield (
        "hitori",
        [
            Picture(4, 4, **about),
            Picture(4, 4, black=shading(".#..", "..#.", "....", "..#."), **about),
            Picture(4, 4, black=shading(".##.", "....", "....", "..#."), broken=broken, **about),
        ],
    )

    clues = words("5 . . .", ". 5 . .", ". . . .", ". . . 7")
    about = {"words": clues, "given": frozenset(clues), "circled": frozenset(clues)}
    broken = frozenset({(0, 0), (0, 1), (2, 1), (3, 1), (3, 3)})
    yield (
        "kurodoko",
        [
            Picture(4, 4, **about),
            Picture(4, 4, black=shading("..#.", "....", ".#..", "...."), **about),
            Picture(4, 4, black=shading("..#.", "....", ".#..", ".#.#"), broken=broken, **about),
        ],
    )

    answer = words("A B .", ". A B", "B . A")
    about = {
        "left": (("A",), (), ()),
        "right": ((), ("B",), ()),
        "top": ((), ("B",), ()),
        "bottom": ((), (), ("A",)),
    }
    broken = frozenset({(0, 0), (0, 1), (0, 2)})
    yield (
        "easy as abc",
        [
            Picture(3, 3, **about),
            Picture(3, 3, words=answer, **about),
            Picture(3, 3, words={**answer, (0, 0): "B"}, broken=broken, **about),
        ],
    )

    numbers = words("1 2 . .", ". 3 . .", ". . 3 .", ". . 1 2")
    paths = array("2 1 5 6", "10 1 6 10", "10 0 8 10", "9 5 4 8")
    wrong = array("2 1 5 6", "10 1 4 10", "10 0 0 10", "9 5 4 8")
    colors = array("1 2 2 2", "1 3 3 2", "1 0 3 2", "1 1 1 2")
    about = {"words": numbers, "given": frozenset(numbers), "colors": colors}
    broken = frozenset({(1, 1), (1, 2), (2, 1), (2, 2)})
    yield (
        "numberlink",
        [
            Picture(4, 4, **about),
            Picture(4, 4, paths=paths, **about),
            Picture(4, 4, paths=wrong, broken=broken, **about),
        ],
    )


KINDS = dict(kinds())
EVERY = [
    pytest.param(picture, id=f"{kind}-{state}")
    for kind, pictures in KINDS.items()
    for picture, state in zip(pictures, ("unsolved", "solved", "wrong"), strict=True)
]


def side_by_side(pictures, **how):
    texts = [picture.text(**how).splitlines() for picture in pictures]
    height = max(map(len, texts))
    columns = [
        [line.ljust(max(map(len, text))) for line in text + [""] * (height - len(text))]
        for text in texts
    ]
    return ["   ".join(lines).rstrip() for lines in zip(*columns, strict=True)]


# Unsolved, solved and wrong; below, the same in ASCII.
GOLDEN = {
    "nonogram": [
        "         1                1                1",
        "     2 3 1 3 2        2 3 1 3 2        2 3 1 3 2",
        "  1  · · · · ·     1  · ·██ · ·     1  · ·██ · ·",
        "1 1  · · · · ·   1 1  ·██ ·██ ·   1 1  ·██ ·██ ·",
        "1 1  · · · · ·   1 1  ·██ ·██ ·   1 1  ·██ ·██ ·",
        "  5  · · · · ·     5 ██████████     5 ██████████",
        "1 1  · · · · ·   1 1 ██ · · ·██   1 1 ██ ▒ ▒ ▒██",
        "         1                1                1",
        "     2 3 1 3 2        2 3 1 3 2        2 3 1 3 2",
        "  1  . . . . .     1  . . # . .     1  . . # . .",
        "1 1  . . . . .   1 1  . # . # .   1 1  . # . # .",
        "1 1  . . . . .   1 1  . # . # .   1 1  . # . # .",
        "  5  . . . . .     5  # # # # #     5  # # # # #",
        "1 1  . . . . .   1 1  # . . . #   1 1  # ! ! ! #",
    ],
    "sudoku": [
        "┌─────┬─────┐   ┌─────┬─────┐   ┌─────┬─────┐",
        "│ 1 · │ · 4 │   │ 1 2 │ 3 4 │   │!1!1 │ 3 4 │",
        "│ · · │ 1 · │   │ 3 4 │ 1 2 │   │ 3 4 │ 1 2 │",
        "├─────┼─────┤   ├─────┼─────┤   ├─────┼─────┤",
        "│ · 1 │ · · │   │ 2 1 │ 4 3 │   │ 2 1 │ 4 3 │",
        "│ 4 · │ · 1 │   │ 4 3 │ 2 1 │   │ 4 3 │ 2 1 │",
        "└─────┴─────┘   └─────┴─────┘   └─────┴─────┘",
        "+-----+-----+   +-----+-----+   +-----+-----+",
        "| 1 . | . 4 |   | 1 2 | 3 4 |   |!1!1 | 3 4 |",
        "| . . | 1 . |   | 3 4 | 1 2 |   | 3 4 | 1 2 |",
        "+-----+-----+   +-----+-----+   +-----+-----+",
        "| . 1 | . . |   | 2 1 | 4 3 |   | 2 1 | 4 3 |",
        "| 4 . | . 1 |   | 4 3 | 2 1 |   | 4 3 | 2 1 |",
        "+-----+-----+   +-----+-----+   +-----+-----+",
    ],
    "heyawake": [
        "┌───────┬───────┐   ┌───────┬───────┐   ┌─────────┬─────────┐",
        "│ 1   · │ ·   · │   │█1   · │ ·   · │   │█!1    ▒ │  ·    · │",
        "│ ·   · │ ·   · │   │ ·   · │ ·   · │   │  ▒  ██! │  ·    · │",
        "├───────┴───┬───┤   ├───────┴───┬───┤   ├─────────┴────┬────┤",
        "│ 2   ·   · │ · │   │ 2  ██   · │ · │   │ !2    ·    · │  · │",
        "│ ·   ·   · │ · │   │ ·   ·  ██ │ · │   │  ·    ·  ███ │  · │",
        "└───────────┴───┘   └───────────┴───┘   └──────────────┴────┘",
        "+-------+-------+   +-------+-------+   +---------+---------+",
        "| 1   . | .   . |   |#1   . | .   . |   |#!1    ! |  .    . |",
        "| .   . | .   . |   | .   . | .   . |   |  !   #! |  .    . |",
        "+-------+---+---+   +-------+---+---+   +---------+----+----+",
        "| 2   .   . | . |   | 2   #   . | . |   | !2    .    . |  . |",
        "| .   .   . | . |   | .   .   # | . |   |  .    .    # |  . |",
        "+-----------+---+   +-----------+---+   +--------------+----+",
    ],
    "hitori": [
        " 2 2 1 4    2█2 1 4     2█!2█!1  4",
        " 1 3 3 2    1 3█3 2     1 !3 !3  2",
        " 4 1 2 3    4 1 2 3     4  1  2  3",
        " 3 4 2 1    3 4█2 1     3  4██2  1",
        " 2 2 1 4    2#2 1 4     2#!2#!1  4",
        " 1 3 3 2    1 3#3 2     1 !3 !3  2",
        " 4 1 2 3    4 1 2 3     4  1  2  3",
        " 3 4 2 1    3 4#2 1     3  4 #2  1",
    ],
    "kurodoko": [
        " 5 · · ·    5 ·██ ·    !5  ▒███  ·",
        " · 5 · ·    · 5 · ·     ·  5  ·  ·",
        " · · · ·    ·██ · ·     ·██!  ·  ·",
        " · · · 7    · · · 7     ·██!  ·█!7",
        " 5 . . .    5 . # .    !5  !  #  .",
        " . 5 . .    . 5 . .     .  5  .  .",
        " . . . .    . # . .     . #!  .  .",
        " . . . 7    . . . 7     . #!  .#!7",
    ],
    "easy as abc": [
        "      B               B               B",
        "  ┌───────┐       ┌───────┐       ┌───────┐",
        "A │ · · · │     A │ A B · │     A │!B!B ▒ │",
        "  │ · · · │ B     │ · A B │ B     │ · A B │ B",
        "  │ · · · │       │ B · A │       │ B · A │",
        "  └───────┘       └───────┘       └───────┘",
        "        A               A               A",
        "      B               B               B",
        "  +-------+       +-------+       +-------+",
        "A | . . . |     A | A B . |     A |!B!B ! |",
        "  | . . . | B     | . A B | B     | . A B | B",
        "  | . . . |       | B . A |       | B . A |",
        "  +-------+       +-------+       +-------+",
        "        A               A               A",
    ],
    "numberlink": [
        " 1 2 · ·    1  2─────┐    1  2─────┐",
        " · 3 · ·    │  3──┐  │    │ !3─!╴  │",
        " · · 3 ·    │  ·  3  │    │  ▒ !3  │",
        " · · 1 2    └─────1  2    └─────1  2",
        " 1 2 . .    1  2-----+    1  2-----+",
        " . 3 . .    |  3--+  |    | !3-!-  |",
        " . . 3 .    |  .  3  |    |  ! !3  |",
        " . . 1 2    +-----1  2    +-----1  2",
    ],
}


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


@pytest.mark.parametrize("kind", GOLDEN)
def test_text_of_every_kind(kind):
    fancy = side_by_side(KINDS[kind])
    plain = side_by_side(KINDS[kind], ascii_only=True)
    assert [*fancy, *plain] == GOLDEN[kind]
    assert "".join(plain).isascii()


@pytest.mark.parametrize("picture", EVERY)
def test_colour_marks_broken_cells_and_nothing_else(picture):
    text = picture.text(color=True)
    assert text.count("\x1b[31m") == text.count("\x1b[0m") == len(picture.broken)
    assert "!" not in text
    assert "▒" not in text
    for cell in picture.broken & picture.words.keys():
        assert f"{picture.words[cell]}\x1b[0m" in text


def test_text_without_a_frame_has_one_line_a_row():
    assert Picture(1, 1).text() == " ·"
    assert Picture(1, 3, black=array("1 0 1")).text() == "██ ·██"
    assert Picture(3, 1, words={(1, 0): "x"}).text(ascii_only=True).split() == [".", "x", "."]


def test_text_of_narrow_grids_with_rooms():
    assert Picture(1, 1, rooms=array("7")).text().splitlines() == ["┌───┐", "│ · │", "└───┘"]
    # Rooms are told apart by their numbers, whatever these are.
    assert Picture(1, 4, rooms=array("-5 -5 900 0")).text().splitlines() == [
        "┌───────┬───┬───┐",
        "│ ·   · │ · │ · │",
        "└───────┴───┴───┘",
    ]
    assert Picture(3, 1, rooms=array("0", "0", "-1")).text().splitlines() == [
        "┌───┐",
        "│ · │",
        "│ · │",
        "├───┤",
        "│ · │",
        "└───┘",
    ]


def test_wide_words_widen_all_cells():
    picture = Picture(
        2,
        4,
        words=words("12 3 . 4", "1 . 16 ."),
        rooms=array("1 1 2 2", "1 1 2 2"),
        black=array("1 1 0 0", "0 0 1 1"),
    )
    assert picture.text().splitlines() == [
        "┌───────┬───────┐",
        "│█12██3 │  ·  4 │",
        "│  1  · │█16███ │",
        "└───────┴───────┘",
    ]
    assert picture.text(ascii_only=True).splitlines()[2] == "|  1  . |#16  # |"
    picture = Picture(1, 3, words={(0, 0): "10", (0, 2): "9"}, paths=array("1 5 4"))
    assert picture.text() == " 10───────9"


def test_paths_among_borders():
    picture = Picture(2, 3, rooms=array("1 2 2", "1 1 2"), paths=array("3 5 6", "9 5 12"))
    assert picture.text().splitlines() == [
        "┌───┬───────┐",
        "│ ┌─│─────┐ │",
        "│ │ └───┐ │ │",
        "│ └─────│─┘ │",
        "└───────┴───┘",
    ]
    crossing = Picture(1, 3, rooms=array("1 1 2"), paths=array("1 5 4"), black=array("0 0 0"))
    assert crossing.text().splitlines()[1] == "│ ╶────│─╴ │"


def test_the_corner_gives_way_to_a_word():
    picture = Picture(1, 2, corners={(0, 0): "7", (0, 1): "8"}, words={(0, 0): "a"})
    assert picture.text() == " a 8"


def test_black_cells_show_that_they_are_broken_where_no_others_do():
    black = array("1 1 0")
    picture = Picture(1, 3, black=black, broken=frozenset({(0, 0), (0, 1), (0, 2)}))
    assert picture.text() == "█!█! ▒"
    assert picture.text(ascii_only=True) == "#!#! !"


def test_text_of_a_large_grid_is_fast():
    n = 100
    rooms = np.add.outer(np.arange(n) // 2 * n, np.arange(n) // 2)
    cells = {(r, c): str(r) for r in range(n) for c in range(n)}
    picture = Picture(n, n, rooms=rooms, words=cells, paths=rooms % 16, black=rooms % 2)
    start = perf_counter()
    assert len(picture.text().splitlines()) == n + n // 2 + 1
    assert perf_counter() - start < 1
