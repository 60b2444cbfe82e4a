"""Nonogram: a random picture, of which cells are flipped until its runs determine it."""

from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.compile.incremental import Random
from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.generator import Boards, GeneratorOption, Options, PuzzleGenerator, Shape
from qubopuzzle.puzzles.nonogram import image
from qubopuzzle.puzzles.nonogram.lines import COLOURS, best_flipped, line_solvable, some_flips
from qubopuzzle.puzzles.nonogram.rules import GENERATED_SIDE, Nonogram, signs_for


class NonogramGenerator(PuzzleGenerator[Nonogram]):
    """The clues are the runs of all lines; none is dropped."""

    usual = (20, 20)
    options = (
        GeneratorOption("black", 55, "percent of the cells that are black, before repairs", 1, 99),
        GeneratorOption("smooth", 1, "how often the noise is smoothed; 0: plain noise", 0, 20),
        GeneratorOption("mirror", 0, "1: the right half is the left half's mirror image", 0, 1),
        GeneratorOption("lines", 0, "1: solvable line by line; 0: any with one solution", 0, 1),
        GeneratorOption("colours", 1, "of the cells that are not blank; 1: black", 1, COLOURS),
    )

    def check(self, shape: Shape, options: Options) -> None:
        """Up to 100 rows and columns."""
        if max(shape) > GENERATED_SIDE:
            raise InputError(f"a nonogram of {GENERATED_SIDE} rows and columns at most")

    def from_image(
        self, file: str | IO[bytes], shape: Shape | None, how: Mapping[str, Any], rng: Random
    ) -> tuple[Nonogram, Sequence[tuple[int, int]]]:
        """See ``nonogram.image.from_image``, whose arguments ``how`` holds."""
        return image.from_image(file, shape, rng=rng, **how)

    def boards(self, shape: Shape, options: Options, rng: Random) -> Boards[Nonogram]:
        """Pictures; one that has not one solution is flipped where the other solution differs.

        With ``lines`` it is first flipped until it is solvable line by line.
        """
        mirrored, colours = bool(options["mirror"]), options["colours"]
        n_cells, signs = shape[0] * shape[1], signs_for(colours)
        while True:
            grid: IntArray | None = random_picture(shape, options, rng)
            for _ in range(n_cells):
                if options["lines"] and grid is not None:
                    grid = line_solvable(grid, rng, n_cells, colours, mirrored=mirrored)
                if grid is None:
                    break
                board = Nonogram.from_picture(grid, signs)
                other = yield board
                cells = np.flatnonzero(grid != other)
                while Nonogram.from_picture(grid, signs) == board:
                    flips = some_flips(grid, cells, rng, colours, mirrored=mirrored)
                    grid = best_flipped(grid, flips)


def random_picture(shape: Shape, options: Options, rng: Random) -> IntArray:
    """Noise, smoothed, its highest cells black, and a black cell in each line.

    With colours, more noise says which one a cell has instead of black.

    Returns:
        Shape (rows, columns), 0 and 1, or 0 up to the number of colours.
    """
    height = _noise(shape, options, rng)
    grid = (height > np.quantile(height, 1 - options["black"] / 100)).astype(np.int64)
    for pixels, heights in ((grid, height), (grid.T, height.T)):
        empty = np.flatnonzero(~pixels.any(axis=1))
        pixels[empty, heights[empty].argmax(axis=1)] = 1
    if options["mirror"]:
        grid |= grid[:, ::-1]
    if options["colours"] > 1:
        hue = _noise(shape, options, rng)
        levels = np.arange(1, options["colours"]) / options["colours"]
        grid *= 1 + np.searchsorted(np.quantile(hue, levels), hue)
    return grid


def _noise(shape: Shape, options: Options, rng: Random) -> NDArray[np.float64]:
    noise = rng.random(shape)
    if options["mirror"]:
        noise += noise[:, ::-1]
    for _ in range(options["smooth"]):
        noise = scipy.ndimage.uniform_filter(noise, 3, mode="reflect")
    return noise
