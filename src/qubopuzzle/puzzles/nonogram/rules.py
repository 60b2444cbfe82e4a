"""Nonograms: the rules, native JSON and picture."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from string import ascii_letters
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.picture.description import PALETTE, PAPER
from qubopuzzle.puzzles.base import Puzzle, Violation, check_shape
from qubopuzzle.puzzles.vocabulary.grids import (
    BLACK,
    WHITE,
    Cell,
    cells_of,
    lines_of,
    lines_of_text,
    listed,
    read_numbers,
    read_shading,
    runs,
)

LINE_LIMIT = 1_000
"""Most rows or columns."""
GENERATED_SIDE = 100
"""Most rows or columns of a generated one."""

Run: TypeAlias = int | str
"""A length; if it is not black, with the letter of its colour behind it, such as ``3a``."""
Clue: TypeAlias = tuple[Run, ...]

BLACK_ONLY = "black and white only; json, non, nonograms_org and webpbn have colours"
"""Why a format refuses colours."""
_LETTERED = re.compile(rf"([0-9]{{1,9}})([A-Za-z{BLACK}])")
_HEX = re.compile("#?((?:[0-9A-Fa-f]{3}){1,2})")
_USUAL = {WHITE: PAPER, BLACK: "#000000"}


@dataclass(frozen=True)
class Nonogram(Puzzle):
    """Shade cells in runs as long as the clues of rows and columns say.

    They stand in the order of the clue, and at least one cell is blank between two of a colour.
    There is one clue a row (top to bottom) and one a column (left to right): lists of numbers,
    numbers, or text, all clues in a text being divided by ``;``, ``/`` or line ends.

    A run of another colour than black has a letter after its length, such as ``3a`` or
    ``[3, "a"]``. ``colours`` says what letters look like, ``{"a": "#ff0000"}``, and perhaps ``#``
    (black) and ``.`` (blank). An answer has 0 for blank, and 1, 2, ... for colours in the order of
    ``signs``.

    >>> puzzle = Nonogram(rows=[[2], [1]], cols=[[2], [1]])
    >>> puzzle.violations(np.array([[1, 1], [1, 0]]))
    []
    >>> Nonogram(rows="1;1 1;1 1;5;1 1", cols=[2, 3, "1 1", 3, 2]).rows[:2]
    ((1,), (1, 1))
    >>> puzzle = Nonogram(rows=["1a 2b"], cols=["1a", "1b", "1b"], colours={"a": "#ff0000"})
    >>> puzzle.signs, puzzle.violations(np.array([[1, 2, 2]]))
    ('.ab', [])

    Raises:
        PuzzleError: for clues that are no positive whole numbers, and for what is no colour.
    """

    name: ClassVar[str] = "nonogram"
    aliases: ClassVar[str] = (
        "nonograms colornonogram colournonogram colornonograms colournonograms crucipixel "
        "griddler griddlers hanjie japanesecrossword oekaki oekakilogic "
        "paintbynumber paintbynumbers pattern picross"
    )
    default_formulation: ClassVar[str] = "window"
    is_shaded = True

    rows: tuple[Clue, ...]
    cols: tuple[Clue, ...]
    colours: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        rows, cols = _read_clues("rows", self.rows), _read_clues("cols", self.cols)
        used = {sign for _, sign in map(run_parts, {*chain(*rows, *cols)})}
        vars(self).update(rows=rows, cols=cols, colours=_read_colours(self.colours, used))
        self.check_solution()

    @property
    def signs(self) -> str:
        """Blank and the colours as they stand in an answer: ``.``, ``#`` for black, letters."""
        return WHITE + ("".join(sign for sign, _ in self.colours if sign != WHITE) or BLACK)

    @property
    def contradiction(self) -> str | None:
        """A clue that does not fit its line, or sums of rows and columns that differ."""
        lines = ("rows", self.rows, len(self.cols)), ("cols", self.cols, len(self.rows))
        for key, clues, length in lines:
            for i, clue in enumerate(clues):
                if (needed := length - slack(clue, length)) > length:
                    clue_of = f"clue {_words(clue)} of {key}[{i}]"
                    return f"{clue_of} needs {needed} cells, the line has {length}"
        rows, cols = _cells_by_sign(self.rows), _cells_by_sign(self.cols)
        for sign in self.signs[1:]:
            if rows[sign] != cols[sign]:
                cells = f"{'black cells' if sign == BLACK else f'cells of {sign}'}"
                return f"the rows add up to {rows[sign]} {cells} but the cols to {cols[sign]}"
        return None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return len(self.rows), len(self.cols)

    @classmethod
    def from_picture(
        cls, picture: Any, signs: str = "", *, colours: Any = (), **about: Any
    ) -> Self:
        """The nonogram of a picture, given as lines of ``#`` and ``.`` or as rows of 0 and 1.

        In colours it has letters, too, or numbers up to as many as there are; ``signs`` are those
        of the numbers: without, 1 is ``a`` if there is a 2.
        """
        _check_count("picture", picture)
        signs = signs or _signs_of(picture)
        grid = read_shading("picture", picture, signs)
        every: Any = dict.fromkeys(signs[1:]) | dict(colours)
        clues: Any = [[clue_of(line, signs) for line in lines.tolist()] for lines in (grid, grid.T)]
        return cls(clues[0], clues[1], every, solution=grid, **about)

    def violations(self, answer: IntArray) -> list[Violation]:
        """Lines whose runs differ from their clue."""
        return [*self.each_violation(answer)]

    def each_violation(self, answer: IntArray) -> Iterator[Violation]:
        """The same one by one."""
        signs = self.signs
        check_shape(answer, self.shape, range(len(signs)))
        clues, cells = [*self.rows, *self.cols], np.ravel(answer)
        for (axis, i, line), clue in zip(lines_of(self.shape), clues, strict=True):
            actual = clue_of(cells[line].tolist(), signs)
            if actual != clue:
                message = f"{axis}[{i}] reads {_words(actual)}, its clue is {_words(clue)}"
                yield Violation(axis, message, cells_of(line, self.shape[1]))

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The grid with its clues on the left and on top."""
        left, top = (
            tuple(tuple(map(str, clue)) or ("0",) for clue in clues)
            for clues in (self.rows, self.cols)
        )
        return Picture(
            *self.shape,
            black=answer,
            left=left,
            top=top,
            broken=frozenset(broken),
            thick_every=5,
            colors=None if answer is None else np.maximum(answer - 1, 0),
            palette={sign: dict(self.colours)[sign] for sign in self.signs[1:] if self.colours},
            paper=dict(self.colours).get(WHITE, PAPER),
        )

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object; without ``colours`` where all is black."""
        data = super().to_dict()
        colours = dict(data.pop("colours"))
        return {**data, "colours": colours} if colours else data

    def check_black(self) -> None:
        """Raise InputError if there are colours: for formats that have none."""
        if self.colours:
            raise InputError(BLACK_ONLY)


def run_parts(run: Run) -> tuple[int, str]:
    """The length of a run and the sign of its colour.

    >>> run_parts(3), run_parts("12a")
    ((3, '#'), (12, 'a'))
    """
    return (int(run[:-1]), run[-1]) if isinstance(run, str) else (run, BLACK)


def packed(clue: Clue) -> list[tuple[int, int, str]]:
    """The start, the length and the sign of each run, all as far to the front as they can be.

    >>> packed((1, 2, "3a"))
    [(0, 1, '#'), (2, 2, '#'), (4, 3, 'a')]
    """
    placed, end, last = [], 0, ""
    for length, sign in map(run_parts, clue):
        start = end + (sign == last)
        placed.append((start, length, sign))
        end, last = start + length, sign
    return placed


def slack(clue: Clue, length: int) -> int:
    """How many cells of a line there are more than the clue needs."""
    if not clue:
        return length
    start, run, _ = packed(clue)[-1]
    return length - start - run


def clue_of(line: Iterable[int], signs: str) -> Clue:
    """The runs of a line."""
    return tuple(
        length if signs[number] == BLACK else f"{length}{signs[number]}"
        for length, number in runs(line)
    )


def _signs_of(picture: Any) -> str:
    """Of the cells of a picture, as many as there are; none where that is no picture."""
    if isinstance(picture, list | tuple) and all(isinstance(row, str) for row in picture):
        used = set().union(*picture) & {*ascii_letters, BLACK}
        return WHITE + ("".join(sorted(used)) or BLACK)
    try:
        return signs_for(int(np.max(picture, initial=1)))
    except (ValueError, TypeError):
        return signs_for(1)


def signs_for(colours: int) -> str:
    """Signs of blank and so many colours, which have no other.

    >>> signs_for(1), signs_for(3)
    ('.#', '.abc')
    """
    return WHITE + (ascii_letters[:colours] if colours > 1 else BLACK)


def _cells_by_sign(clues: Iterable[Clue]) -> Counter[str]:
    cells: Counter[str] = Counter()
    for length, sign in map(run_parts, chain.from_iterable(clues)):
        cells[sign] += length
    return cells


def _read_colours(data: Any, used: set[str]) -> tuple[tuple[str, str], ...]:
    """A colour for each sign, in their order; none where all is black on white."""
    try:
        given = dict(data)
    except (TypeError, ValueError):
        raise PuzzleError(f"colours: expected colours by letter, got {brief(data)}") from None
    for sign, colour in given.items():
        if sign not in (*ascii_letters, BLACK, WHITE):
            raise PuzzleError(f"colours: expected a letter for each colour, got {brief(sign)}")
        if colour is not None and not is_hex(colour):
            where = f"colours[{sign}]"
            raise PuzzleError(f"{where}: expected a colour such as #ff0000, got {brief(colour)}")
    signs = sorted({*given, *used} - {WHITE}) or [BLACK]
    colours = {WHITE: _USUAL[WHITE]}
    for i, sign in enumerate(signs):
        colours[sign] = _USUAL.get(sign, PALETTE[i % len(PALETTE)])
    colours |= {sign: hex_colour(colour) for sign, colour in given.items() if colour}
    if colours[WHITE] == _USUAL[WHITE]:
        del colours[WHITE]
    return () if colours == {BLACK: _USUAL[BLACK]} else tuple(colours.items())


def is_hex(colour: object) -> bool:
    """Whether it is three or six hexadecimal digits, with ``#`` before them or not."""
    return isinstance(colour, str) and _HEX.fullmatch(colour) is not None


def hex_colour(text: str) -> str:
    """Such a colour as ``#rrggbb``.

    >>> is_hex("F00"), hex_colour("F00")
    (True, '#ff0000')
    """
    digits = text.lstrip("#").lower()
    return "#" + (digits if len(digits) == 6 else "".join(digit * 2 for digit in digits))


def _words(clue: Sequence[Run]) -> str:
    words = " ".join(map(str, clue[:20])) or "0"
    return words if len(clue) <= 20 else f"{words} ... ({len(clue)} runs)"


def _read_clues(key: str, data: Any) -> tuple[Clue, ...]:
    lines = lines_of_text(data) if isinstance(data, str) else listed(data)
    if not isinstance(lines, list | tuple):
        raise PuzzleError(f"{key}: expected a list of clues, got {brief(data)}")
    _check_count(key, lines)
    clues = []
    for i, line in enumerate(lines):
        parts = [_lettered(run) for run in _listed_clue(f"{key}[{i}]", line)]
        lengths = read_numbers(f"{key}[{i}]", [length for length, _ in parts], 0, LINE_LIMIT, {})
        if 0 in lengths and len(lengths) > 1:
            raise PuzzleError(f"{key}[{i}][{lengths.index(0)}]: 0 is no length of a run")
        signs = [sign for _, sign in parts]
        runs_of = zip(lengths, signs, strict=True)
        clues.append(tuple(f"{n}{s}" if s else n for n, s in runs_of) if any(lengths) else ())
    return tuple(clues)


def _lettered(run: Any) -> tuple[Any, str]:
    """A run as its length and the letter of its colour, none for a black one."""
    if isinstance(run, list | tuple) and len(run) == 2 and run[1] in (*ascii_letters, BLACK):
        length, sign = run
    elif isinstance(run, str) and (match := _LETTERED.fullmatch(run)):
        length, sign = int(match[1]), match[2]
    else:
        return run, ""
    return length, sign.strip(BLACK)


def _listed_clue(place: str, line: Any) -> list[Any]:
    """The runs of a clue, which may be text or a number."""
    if isinstance(line, str):
        return [
            int(w) if w.isascii() and w.isdecimal() and len(w) < 10 else w
            for w in line.replace(",", " ").split()
        ]
    clue = [line] if isinstance(line, int | np.integer) else listed(line)
    if not isinstance(clue, list | tuple):
        raise PuzzleError(f"{place}: expected a list, got {brief(clue)}")
    return [*clue]


def _check_count(key: str, lines: Any) -> None:
    if isinstance(lines, list | tuple | np.ndarray) and not 1 <= len(lines) <= LINE_LIMIT:
        raise PuzzleError(f"{key}: {len(lines)} lines; a nonogram here has 1 to {LINE_LIMIT}")
