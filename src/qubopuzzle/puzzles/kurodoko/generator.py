"""Kurodoko: a shading with the number of each white cell, then numbers dropped.

With all numbers there is one solution: a black cell has none, and if one were white, the white
cells beside it would see more.
"""

import numpy as np

from qubopuzzle.compile.incremental import Random, SwitchableModel
from qubopuzzle.puzzles.generator import Boards, GeneratorOption, Options, PuzzleGenerator, Shape
from qubopuzzle.puzzles.kurodoko import add_views, number_at
from qubopuzzle.puzzles.kurodoko.rules import Kurodoko, seen_from
from qubopuzzle.puzzles.vocabulary.shaded import lazy
from qubopuzzle.puzzles.vocabulary.shading import random_shading

_UNUSED = "unused"


class KurodokoGenerator(PuzzleGenerator[Kurodoko]):
    """The clues are the numbers of the white cells, row by row."""

    usual = (9, 9)
    conflicts = (9, 16)
    options = (
        GeneratorOption("black", 25, "percent of black cells, as far as the rules allow", 0, 50),
    )
    clue_fields = ("grid",)

    def boards(self, shape: Shape, options: Options, rng: Random) -> Boards[Kurodoko]:
        """One shading with all its numbers."""
        solution = random_shading(shape, rng, options["black"] / 100)
        grid = np.where(solution == 0, seen_from(solution), 0)
        yield Kurodoko(grid=grid, solution=solution)

    def switchable_model(self, board: Kurodoko) -> SwitchableModel:
        """Each number's views, or none: the number is in force if that is not chosen."""
        shaded = lazy(np.zeros(board.shape, dtype=bool))
        builder, places = shaded.builder, np.argwhere(board.grid).tolist()
        numbers = []
        for r, c in places:  # the views of a number if no other is in force
            alone = np.zeros_like(board.grid)
            alone[r, c] = board.grid[r, c]
            numbers.append(number_at(Kurodoko(grid=alone), r, c))
        views = add_views(shaded, numbers, _UNUSED)
        shown = np.array([builder.bit(f"shown[{r},{c}]").literals[1] for r, c in places])
        unused = [view.literals[-1] for view in views]
        # In force, it has a view, and its cell is white.
        builder.at_most_one("shown", np.column_stack([shown, unused]))
        white = shaded.white[board.grid > 0]
        builder.rows("white").add(np.column_stack([shown, white]), [1, -1], upper=0)
        rest = [_UNUSED] * len(views) + [0] * len(shown)
        return SwitchableModel(shaded.build(rest), list(shown[:, None]))
