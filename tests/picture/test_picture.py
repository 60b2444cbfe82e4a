"""Pictures: text to the letter, figures by what is in them."""

import re
from dataclasses import replace
from itertools import chain, pairwise
from time import process_time

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from qubopuzzle import Nonogram, solve
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import get_puzzle, puzzle_names

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

    pearls = words(". . ○", "● . .", ". . .")
    about = {"words": pearls, "given": frozenset(pearls)}
    yield (
        "masyu",
        [
            Picture(3, 3, paths=np.zeros((3, 3), dtype=np.int64), **about),
            Picture(3, 3, paths=array("3 5 6", "10 0 10", "9 5 12"), **about),
            Picture(3, 3, paths=array("3 6 0", "9 12 0", "0 0 0"), broken={(0, 2)}, **about),
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
    "masyu": [
        " ·  ·  ○    ┌─────○    ┌──┐ !○",
        " ●  ·  ·    ●  ·  │    ●──┘  ·",
        " ·  ·  ·    └─────┘    ·  ·  ·",
        " .  .  w    +-----w    +--+ !w",
        " b  .  .    b  .  |    b--+  .",
        " .  .  .    +-----+    .  .  .",
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


def test_plot_draws_discs_in_place_of_their_words():
    ax = Figure().add_subplot()
    unsolved, *_ = KINDS["masyu"]
    unsolved.plot(ax)
    assert [*ax.texts] == []
    drawn = [tuple(map(mpl.colors.to_hex, each.get_facecolor())) for each in ax.collections]
    assert ("#ffffff", "#222222") in drawn


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
    start = process_time()  # which other processes do not lengthen
    assert len(picture.text().splitlines()) == n + n // 2 + 1
    assert process_time() - start < 1


# --- figures --------------------------------------------------------------------------


def drawn(picture):
    """The Axes of a figure of the picture's own size."""
    return picture.plot(Figure(figsize=picture.size_in()).add_axes((0, 0, 1, 1)))


def lines_of(ax):
    """Collections of lines as (unit steps, collection): steps along the grid or half of it."""
    for collection in ax.collections:
        if isinstance(collection, LineCollection):
            steps = set()
            for (x0, y0), (x1, y1) in collection.get_segments():
                n = round(2 * max(abs(x1 - x0), abs(y1 - y0)))
                points = list(
                    zip(np.linspace(x0, x1, n + 1), np.linspace(y0, y1, n + 1), strict=True)
                )
                steps |= {(*map(float, a), *map(float, b)) for a, b in pairwise(points)}
            yield steps, collection


def thick_lines(ax):
    """Those in ink; between rooms the same ones are below them, wider and in white."""
    thick = [(s, c) for s, c in lines_of(ax) if c.get_linewidth()[0] > 1 and c.get_zorder() < 2]
    *edges, (steps, ink) = sorted(thick, key=lambda each: each[1].get_zorder())
    for wider, edge in edges:
        assert wider == steps
        assert mpl.colors.to_hex(edge.get_color()[0]) == "#ffffff"
        assert edge.get_linewidth()[0] > ink.get_linewidth()[0]
    return steps


@pytest.mark.parametrize("picture", EVERY)
def test_every_kind_as_an_image_with_its_words(picture):
    assert picture.image("png").startswith(b"\x89PNG")
    with mpl.rc_context({"svg.fonttype": "none"}):
        svg = picture.image("svg").decode()
    around = (*picture.left, *picture.right, *picture.top, *picture.bottom)
    written = [word for word in picture.words.values() if word not in "○●"]
    expected = [*written, *picture.corners.values(), *chain.from_iterable(around)]
    found = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("picture", EVERY)
def test_nothing_leaves_the_figure_and_words_keep_to_their_cells(picture):
    ax = drawn(picture)
    ax.figure.canvas.draw()
    whole = ax.figure.bbox
    for text in ax.texts:
        box = text.get_window_extent()
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1
        (x0, y1), (x1, y0) = ax.transData.inverted().transform(box.get_points())
        x, y = text.get_position()
        if 0 <= x <= picture.columns and 0 <= y <= picture.rows:
            assert int(x) < x0 < x1 < int(x) + 1
            assert int(y) < y0 < y1 < int(y) + 1


@pytest.mark.parametrize("picture", EVERY)
def test_broken_cells_are_red_and_every_word_can_be_read(picture):
    ax = drawn(picture)
    (image,) = ax.get_images()
    colors = image.to_rgba(image.get_array())[..., :3]
    red = (colors[..., 0] > colors[..., 1] + 0.1) & (colors[..., 0] > colors[..., 2] + 0.1)
    assert set(zip(*map(list, np.nonzero(red)), strict=True)) == picture.broken
    for text in ax.texts:
        x, y = map(int, np.floor(text.get_position()))
        inside = 0 <= x < picture.columns and 0 <= y < picture.rows
        ground = luminance(colors[y, x]) if inside else 1.0
        ink = luminance(to_rgb(text.get_color()))
        assert (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) > 4.5


def luminance(color):
    color = np.asarray(color)
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize(
    "rooms",
    [
        array("1 1 2 2", "1 1 2 2", "3 3 3 4", "3 3 3 4"),
        array("-5 -5 -5", "-5 900 -5", "0 0 -5"),
        array("7"),
        array("1 1 2 2 2 -1"),
        array("1", "2", "2"),
        np.random.default_rng(5).integers(-2, 2, (9, 7)),
    ],
    ids=str,
)
def test_lines_are_thick_between_rooms_and_nowhere_else(rooms):
    rows, columns = rooms.shape
    room = dict(np.ndenumerate(rooms))
    expected = set()
    for r in range(rows + 1):
        for c in range(columns + 1):
            if r < rows and room.get((r, c)) != room.get((r, c - 1)):
                expected |= {(c, r, c, r + 0.5), (c, r + 0.5, c, r + 1)}
            if c < columns and room.get((r, c)) != room.get((r - 1, c)):
                expected |= {(c, r, c + 0.5, r), (c + 0.5, r, c + 1, r)}
    assert thick_lines(drawn(Picture(rows, columns, rooms=rooms))) == expected


def test_without_rooms_the_frame_is_thick_and_every_fifth_line_if_asked():
    frame = thick_lines(drawn(Picture(7, 6)))
    assert len(frame) == 2 * 2 * (7 + 6)
    assert thick_lines(drawn(Picture(7, 6, rooms=np.zeros((7, 6), int)))) == frame
    assert len(thick_lines(drawn(Picture(7, 6, thick_every=5))) - frame) == 2 * (7 + 6)


def test_paths_are_lines_through_the_centres_in_the_colours_of_their_numbers():
    paths, colors = array("1 6 0", "0 10 2", "1 12 8"), array("1 1 0", "0 1 2", "1 1 2")
    ax = drawn(Picture(3, 3, paths=paths, colors=colors))
    *_, (steps, lines) = lines_of(ax)
    assert steps == {
        (0.5, 0.5, 1.0, 0.5),
        (1.0, 0.5, 1.5, 0.5),
        *((1.5, y, 1.5, y + 0.5) for y in (0.5, 1.0, 1.5, 2.0)),
        (0.5, 2.5, 1.0, 2.5),
        (1.0, 2.5, 1.5, 2.5),
        *((2.5, y, 2.5, y + 0.5) for y in (1.5, 2.0)),
    }
    color = {
        (*map(tuple, segment),): tuple(hue)
        for segment, hue in zip(lines.get_segments(), lines.get_colors(), strict=True)
    }
    assert len(color) == 4
    assert len(set(color.values())) == 2
    assert color[(2.5, 1.5), (2.5, 2.5)] not in [
        hue for segment, hue in color.items() if segment[0][0] < 2
    ]


def test_colours_begin_again_and_may_be_left_out():
    many = np.arange(-20, 20).reshape(1, 40)
    *_, (_, lines) = lines_of(drawn(Picture(1, 40, paths=np.full((1, 40), 2), colors=many)))
    assert len(lines.get_segments()) == 40
    assert 6 <= len({tuple(color) for color in lines.get_colors()}) <= 10
    *_, (_, lines) = lines_of(drawn(Picture(1, 2, paths=array("1 4"))))
    assert len(lines.get_segments()) == 1


def test_given_words_are_bold_and_answers_lighter():
    ax = drawn(Picture(1, 2, words={(0, 0): "1", (0, 1): "2"}, given=frozenset({(0, 0)})))
    given, answer = sorted(ax.texts, key=lambda text: text.get_text())
    assert (given.get_fontweight(), answer.get_fontweight()) == ("bold", "normal")
    assert luminance(to_rgb(given.get_color())) < luminance(to_rgb(answer.get_color()))


def test_words_are_no_mathematics():
    picture = Picture(1, 2, words={(0, 0): "$x^", (0, 1): "a_b$"}, left=(("$",),))
    assert {text.get_text() for text in drawn(picture).texts} == {"$x^", "a_b$", "$"}
    assert picture.image("svg")


def test_the_size_counts_clues_on_all_sides():
    plain = Picture(8, 8).size_in()
    one = (("1",),) * 8
    for side, grows in (("left", 0), ("right", 0), ("top", 1), ("bottom", 1)):
        size = Picture(8, 8, **{side: one}).size_in()
        assert size[grows] > plain[grows]
        assert size[1 - grows] == plain[1 - grows]


def test_clues_side_by_side_stand_apart():
    for side, words in (("left", ("13", "10", "1")), ("right", ("1", "13", "10"))):
        ax = drawn(Picture(1, 5, **{side: (words,)}))
        ax.figure.canvas.draw()
        data = ax.transData.inverted()
        boxes = [data.transform(text.get_window_extent().get_points()) for text in ax.texts]
        boxes.sort(key=lambda box: box[0, 0])
        gaps = [right[0, 0] - left[1, 0] for left, right in pairwise(boxes)]
        assert min(gaps) > 0.25  # a digit is 0.3 wide


def test_words_shrink_with_the_axes():
    clues = {(0, 0): "1"}
    figure = Figure(figsize=(8, 4))
    large = Picture(4, 4, words=clues).plot(figure.add_axes((0, 0, 0.5, 1)))
    small = Picture(4, 4, words=clues).plot(figure.add_axes((0.5, 0, 0.25, 0.5)))
    sizes = [ax.texts[0].get_fontsize() for ax in (large, small)]
    assert sizes[0] == pytest.approx(2 * sizes[1])


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (60, 2)])
def test_images_of_bare_grids(shape):
    picture = Picture(*shape, rooms=np.zeros(shape, int), paths=np.zeros(shape, int))
    assert picture.image("svg").startswith(b"<?xml")


COLOURED = Nonogram.from_picture(["aa#", ".bb"], colours={"a": "#ffee00", "b": "#0000ff"})


def test_cells_in_colours_as_text():
    picture = COLOURED.picture(COLOURED.solution)
    lines = picture.text().splitlines()
    assert lines[-2:] == ["2a 1   a  a███", "  2b   ·  b  b"]
    assert picture.text(ascii_only=True).splitlines()[-2:] == ["2a 1   a  a  #", "  2b   .  b  b"]
    shown = picture.text(color=True)
    assert shown.count("\x1b[38;2;255;238;0m") == 2 + 3  # cells and clues
    assert shown.count("\x1b[38;2;0;0;255m") == 2 + 3
    broken = COLOURED.picture(COLOURED.solution, [(0, 0)]).text(color=True)
    assert "\x1b[31m  a" in broken


def test_cells_in_colours_as_a_figure():
    ax = drawn(COLOURED.picture(COLOURED.solution, [(1, 1)]))
    image = ax.get_images()[0]
    cells = (image.to_rgba(image.get_array())[..., :3] * 255).round().astype(int).tolist()
    assert cells[0] == [[255, 238, 0], [255, 238, 0], [0, 0, 0]]
    assert cells[1][0] == [255, 255, 255]
    assert cells[1][2] == [0, 0, 255]
    assert cells[1][1] not in (cells[1][2], [192, 57, 43])
    assert {text.get_text() for text in ax.texts} == {"1", "2"}
    boxes = [to_hex(t.get_bbox_patch().get_facecolor()) for t in ax.texts if t.get_bbox_patch()]
    assert {*boxes} == {"#ffee00", "#0000ff"}


@pytest.mark.parametrize("name", puzzle_names())
def test_a_board_shows_what_is_known_and_nothing_else(name):
    puzzle = get_puzzle(name).examples()[0]
    bare, solved = puzzle.picture(), puzzle.picture(puzzle.solution)
    every = dict(np.ndenumerate(puzzle.solution))
    whole = puzzle.board(every)
    if solved.loop is not None:  # what is inside is black, where some of it may not be known
        assert (whole.black == solved.loop).all()
        whole = replace(whole, black=None)
    assert replace(whole, crossed=frozenset()).text() == solved.text()
    assert puzzle.board({}).text() == bare.text()
    some = puzzle.board({cell: value for cell, value in every.items() if sum(cell) % 2})
    drawn = [some.black, some.paths]
    drawn = [np.zeros(puzzle.shape) if part is None else part for part in drawn]
    given = np.zeros(puzzle.shape) if bare.black is None else bare.black
    for cell in every:
        shown = {*map(float, (part[cell] for part in drawn))} | {some.words.get(cell)}
        if sum(cell) % 2 == 0:
            assert shown <= {0.0, float(given[cell]), bare.words.get(cell)}
            assert cell not in some.crossed


def test_crosses_and_notes_as_text():
    puzzle = get_puzzle("hitori").examples()[0]
    board = puzzle.board({(0, 0): 0, (0, 1): 1, (0, 2): 0})
    numbers = puzzle.grid[0].tolist()
    assert board.text().splitlines()[0] == "×{}█{}×{} {} {}".format(*numbers)
    notes = {(0, 0): "decided", (0, 1): "because", (0, 3): "near"}
    noted = replace(board, notes=notes)
    assert noted.text().splitlines()[0] == ">×{}+█{} ×{}: {}  {}".format(*numbers)
    assert noted.text(ascii_only=True).startswith(">x{}+#{}".format(*numbers))
    assert noted.text(color=True).count("\x1b[0m") == 3


def test_crosses_and_notes_as_a_figure():
    puzzle = get_puzzle("kurodoko").examples()[0]
    board = puzzle.board({(0, 0): 0, (0, 1): 1})
    before = drawn(board)
    assert [text.get_text() for text in before.texts].count("×") == 1
    notes = {(0, 0): "decided", (0, 1): "because", (0, 3): "near"}
    boxes = drawn(replace(board, notes=notes)).patches
    assert len(boxes) - len(before.patches) == 3 + 2  # of near cells there is no edge
    edges = [box.get_linestyle() for box in boxes if not box.get_fill()]
    assert len({*edges}) == 2
