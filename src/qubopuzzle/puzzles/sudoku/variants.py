"""What else sudokus may ask for, each by a rule of the vocabulary; any of them may go together."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, combinations, pairwise
from typing import Any

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Shape
from qubopuzzle.puzzles.vocabulary.cells import Tags
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell
from qubopuzzle.puzzles.vocabulary.rules import Different, Pairs, Rule, Total
from qubopuzzle.puzzles.vocabulary.sums import DifferentSum

FLAGS = ("diagonals", "disjoint", "antiknight", "antiking", "nonconsecutive", "nonratio")
LISTS = (
    *("cages", "sums", "arrows", "thermometers", "palindromes", "renbans", "whispers"),
    *("differences", "ratios", "quadruples", "even", "odd"),
)
_KNIGHT, _KING, _BESIDE = ((1, 2), (1, -2), (2, 1), (2, -1)), ((1, 1), (1, -1)), ((0, 1), (1, 0))
_Pairs = Callable[[tuple[Cell, ...]], Iterable[tuple[Cell, Cell]]]
_Allowed = Callable[[IntArray, IntArray, int], BoolArray]
_OF_PAIRS: dict[str, tuple[_Pairs, _Allowed, str, str]] = {
    "thermometer": (pairwise, lambda a, b, _: a < b, "do not rise", "digits rise along {{}}"),
    "palindrome": (
        lambda cells: [*zip(cells, reversed(cells), strict=True)][: len(cells) // 2],
        lambda a, b, _: a == b,
        "are not the same",
        "{{}} reads the same from both ends",
    ),
    "renban": (
        lambda cells: combinations(cells, 2),
        lambda a, b, k: (a != b) & (abs(a - b) < k),
        "are the same, or too far apart for {} digits in a row",
        "{{}} has {} digits that follow each other, in some order",
    ),
    "whisper": (
        pairwise,
        lambda a, b, _: abs(a - b) >= (a.max() + 1) // 2,
        "are too near",
        "neighbours along {{}} differ by at least half of the largest digit",
    ),
    "difference": (
        pairwise,
        lambda a, b, k: abs(a - b) == k,
        "do not differ by {}",
        "{{}} is {}",
    ),
    "ratio": (
        pairwise,
        lambda a, b, k: (a == k * b) | (b == k * a),
        "do not have the ratio {}",
        "{{}} is {}",
    ),
}
"""Of the lists of clues (with an s): which pairs of their cells are meant, which pairs of digits
are right, by a number or by how many cells there are, what is wrong otherwise, and what is asked
for."""


def rules_of(puzzle: Any) -> Iterator[Rule]:
    """The rules of all variants that a sudoku has."""
    for rule in chain(_of_the_grid(puzzle), _of_cells(puzzle), _of_sums(puzzle), _of_pairs(puzzle)):
        if len(rule.pairs if isinstance(rule, Pairs) else rule.groups):
            yield rule


def _of_cells(puzzle: Any) -> Iterator[Total]:
    """Even and odd cells, and digits that stand around a corner."""
    for name, wrong in (("even", "odd"), ("odd", "even")):
        cells = getattr(puzzle, name)
        each = [_numbers(puzzle, [cell]) for cell in cells]
        worth = {v: 1 for v in puzzle.values if v % 2 == (wrong == "odd")}
        names, tags = [f"({r},{c})" for r, c in cells], _tags(name, range(len(cells)))
        says = f"{{}} has an {name} digit"
        yield Total(name, each, -1, 0, names, f"{wrong} digit", worth, tags, says=says)
    for i, (cells, digits) in enumerate(puzzle.quadruples):
        group, tags = [_numbers(puzzle, cells)], _tags("quadruples", [i])
        for digit in sorted({*digits}):
            low, counted = digits.count(digit), f"cells with {digit}"
            high, names = max(low, len(cells)), [f"quadruple[{i}]"]
            yield Total("quadruple", group, low, high, names, counted, {digit: 1}, tags)


def _of_the_grid(puzzle: Any) -> Iterator[Different | Pairs]:
    """What holds all over the grid."""
    n, values = len(puzzle.grid), puzzle.values
    cells, (one, two) = np.arange(n * n).reshape(n, n), np.meshgrid(values, values)
    if puzzle.diagonals:
        lines = [cells.diagonal(), cells[:, ::-1].diagonal()]
        yield Different("diagonal", lines, values, noun="digit", given=puzzle.grid)
    if puzzle.disjoint:
        high, wide = puzzle.box
        places = [cells[r::high, c::wide].ravel() for r, c in np.ndindex(high, wide)]
        yield Different("disjoint", places, values, noun="digit", given=puzzle.grid)
    for name, moves in (("antiknight", _KNIGHT), ("antiking", _KING)):
        if getattr(puzzle, name):
            message = f"are the same, and a {name[4:]}'s move apart"
            says = f"no two cells a {name[4:]}'s move apart have the same digit"
            yield Pairs(name, _moved(cells, moves), values, one != two, message, says=says)
    for name, of, number in (("nonconsecutive", "difference", 1), ("nonratio", "ratio", 2)):
        if getattr(puzzle, name):
            marks = getattr(puzzle, f"{of}s")
            dots = [sorted(_numbers(puzzle, pair).tolist()) for pair, k in marks if k == number]
            pairs = [pair for pair in _moved(cells, _BESIDE).tolist() if pair not in dots]
            bad = _OF_PAIRS[of][1](one, two, number)
            message = f"have the {of} {number}, and no dot"
            says = f"no two digits side by side without a dot have the {of} {number}"
            yield Pairs(name, np.array(pairs, dtype=np.int64), values, ~bad, message, says=says)


def _of_sums(puzzle: Any) -> Iterator[Different | DifferentSum | Total]:
    """Cages with and without a sum, sums and arrows."""
    values, worth = puzzle.values, {v: v for v in puzzle.values}
    summed = [i for i, (_, total) in enumerate(puzzle.cages) if total is not None]
    for places in (summed, sorted({*range(len(puzzle.cages))} - {*summed})):
        several = [_numbers(puzzle, puzzle.cages[i][0]) for i in places]
        names, tags = [f"cage[{i}]" for i in places], _tags("cages", places)
        if places is summed:
            totals = [puzzle.cages[i][1] for i in places]
            yield DifferentSum("cage", several, totals, values, names, tags)
        else:
            yield Different("cage", several, values, names, "digit", tags)
    several = [_numbers(puzzle, cells) for cells, _ in puzzle.sums]
    totals, tags = [total for _, total in puzzle.sums], _tags("sums", range(len(several)))
    yield Total("sum", several, totals, totals, counted="in all", worth=worth, tags=tags)
    several = [_numbers(puzzle, [*cells, *circle]) for circle, cells in puzzle.arrows]
    factors = [
        np.array([1] * len(cells) + [-(10**k) for k in reversed(range(len(circle)))])
        for circle, cells in puzzle.arrows
    ]
    counted, tags = "more along it than in its circle", _tags("arrows", range(len(several)))
    says = "the digits along {} add up to the number in its circle"
    yield Total("arrow", several, 0, 0, (), counted, worth, tags, factors, says=says)


def _of_pairs(puzzle: Any) -> Iterator[Pairs]:
    """What lines and dots say of two cells."""
    two, one = np.meshgrid(puzzle.values, puzzle.values)
    for name, (pairs_of, allowed, message, says) in _OF_PAIRS.items():
        known: dict[int, list[tuple[int, tuple[Cell, Cell]]]] = {}
        for i, clue in enumerate(getattr(puzzle, f"{name}s")):
            cells, number = clue if name in ("difference", "ratio") else (clue, len(clue))
            known.setdefault(number, []).extend((i, pair) for pair in pairs_of(cells))
        for number, pairs in known.items():
            numbers = np.array([_numbers(puzzle, pair) for _, pair in pairs], dtype=np.int64)
            # Where all dots are given, none can be left out.
            whole = {"difference": puzzle.nonconsecutive, "ratio": puzzle.nonratio}.get(name)
            tags = _tags(f"{name}s", [i for i, _ in pairs])
            right, wrong = allowed(one, two, number), message.format(number)
            how: Any = {"clues" if whole else "tags": tags, "says": says.format(number)}
            yield Pairs(name, numbers, puzzle.values, right, wrong, **how)


def shapes_of(puzzle: Any) -> tuple[Shape, ...]:
    """What is drawn of all variants."""
    n, shapes = len(puzzle.grid), []
    if puzzle.diagonals:
        shapes += [Shape("diagonal", tuple((r, r) for r in range(n)))]
        shapes += [Shape("diagonal", tuple((r, n - 1 - r) for r in range(n)))]
    for field in LISTS:
        for clue in getattr(puzzle, field):
            shapes.append(_shape(field.removesuffix("s"), clue))
    return (*shapes,)


def _shape(kind: str, clue: Any) -> Shape:
    if kind in ("even", "odd"):
        return Shape(kind, (clue,))
    if kind == "arrow":
        circle, cells = clue
        return Shape(kind, cells, "", circle)
    if kind in ("cage", "sum", "difference", "ratio", "quadruple"):
        cells, number = clue
        usual = number in (None, {"difference": 1, "ratio": 2}.get(kind))
        several = number if isinstance(number, tuple) else [number]
        return Shape(kind, cells, "" if usual else "".join(map(str, several)))
    return Shape(kind, clue)


def _moved(cells: IntArray, moves: Iterable[tuple[int, int]]) -> IntArray:
    """Pairs of cells that are one of these moves apart, (n, 2); down, and to either side."""
    parts = [np.zeros((0, 2), dtype=np.int64)]
    for down, right in moves:
        flipped = cells if right >= 0 else cells[:, ::-1]
        side = abs(right)
        one, two = flipped[: len(cells) - down, : len(cells) - side], flipped[down:, side:]
        if len(cells) > max(down, side):
            parts.append(np.stack([one.ravel(), two.ravel()], axis=1))
    return np.concatenate(parts)


def _numbers(puzzle: Any, cells: Iterable[Cell]) -> IntArray:
    """Row-major numbers of cells."""
    return np.array([r * len(puzzle.grid) + c for r, c in cells], dtype=np.int64)


def _tags(field: str, places: Iterable[int]) -> Tags:
    return [(field, place) for place in places]
