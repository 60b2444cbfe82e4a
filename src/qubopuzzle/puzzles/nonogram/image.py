"""A nonogram from an image file: cells in black or in a few colours, then the fewest changed."""

import logging
import warnings
from pathlib import Path
from typing import IO, Any

import numpy as np

from qubopuzzle.base.checks import whole
from qubopuzzle.compile.incremental import Random, SwitchableModel, second_solution
from qubopuzzle.errors import InputError, SolverUnavailable
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.nonogram.lines import (
    COLOURS,
    best_flipped,
    flipped,
    flips_of,
    undetermined,
)
from qubopuzzle.puzzles.nonogram.rules import GENERATED_SIDE, Nonogram, signs_for
from qubopuzzle.puzzles.vocabulary.grids import picture_rows, read_shading

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
"""What is read, as Pillow calls it: formats that say in their head how large the image is. Others
hold images of any size within (ICO), or make Pillow run a program (EPS)."""
PIXEL_LIMIT = 12_500_000
"""Most pixels; a file of a few kilobytes can have any number."""
TEXT_LIMIT = 100_000
"""Longest picture in text, in bytes."""
LONGER_SIDE = 30
"""Cells along the longer side of an image without a shape."""
ROUNDS = 10
"""Searches for few changes at most, of which the best counts."""
ENOUGH = 80
"""Changes in all searches together after which none is begun."""
MANY = 300
"""Open cells from which on the SAT solver, which would take long, is not asked."""
TRIES = 60
"""Cells that are compared for each change, at most; every other search has fewer for variety."""
_ORIENTATION = 0x0112
"""The Exif tag; 1 is upright."""


def from_image(
    file: str | Path | IO[bytes],
    shape: tuple[int, int] | None = None,
    *,
    threshold: int | None = None,
    dither: bool = False,
    invert: bool = False,
    colours: int | None = None,
    rng: Random,
    most_changes: int | None = None,
) -> tuple[Nonogram, list[tuple[int, int]]]:
    """The nonogram of an image, with few cells changed so that it has one solution.

    Returns:
        The nonogram, and the cells (row, column) in which it is not the image, in order.

    Args:
        file: an image in one of ``FORMATS``, of ``PIXEL_LIMIT`` pixels at most; of an
            animated one the first frame; or a text of ``#`` and ``.``, a character a cell.
        shape: rows and columns; None keeps the image's, the longer side 30 cells, or the text's.
        threshold: grey from here on is white, 1 to 255; None: what parts dark from light best
            (Otsu, IEEE Trans. SMC 9, 62, 1979).
        dither: grey as a pattern of cells (Floyd and Steinberg) in place of a threshold.
        invert: light cells are the black ones; with colours, the darkest is blank.
        colours: as many besides the lightest, which is blank, by median cut (Heckbert, SIGGRAPH
            1982); None: black and white.
        rng: for the order in which changes are tried.
        most_changes: None: a tenth of the cells.

    Raises:
        InputError: for a file that is no image, one whose cells are all of one colour, one
            that takes more changes, and for a shape or a threshold that cannot be.
        SolverUnavailable: without Pillow.
    """
    if most_changes is not None:
        whole("most changes", most_changes, 0)
    if shape is not None and (min(shape) < 1 or max(shape) > GENERATED_SIDE):
        raise InputError(f"a nonogram here has 1 to {GENERATED_SIDE} rows and columns")
    _check_how(threshold, dither, colours)
    inks: list[str] = []
    grid = _text_cells(file)
    if grid is not None:
        if shape is not None or threshold is not None or dither or colours:
            raise InputError(
                f"{_name(file)}: a text is cells: give no size, threshold, dithering or colours"
            )
        if max(grid.shape) > GENERATED_SIDE:
            raise InputError(f"{_name(file)}: over {GENERATED_SIDE} rows or columns")
    elif colours:
        grid, inks = _coloured(_cells(file, shape, "RGB"), colours, invert=invert)
    else:
        grid = _black(_cells(file, shape, "L"), threshold, dither=dither)
    if grid.min() == grid.max():
        colour = "of one colour" if colours else "black" if grid.min() else "white"
        raise InputError(f"{_name(file)}: all cells are {colour}; try another threshold, or dither")
    grid = grid ^ 1 if invert and not colours else grid
    most = grid.size // 10 if most_changes is None else most_changes
    n_colours = max(1, len(inks) - 1)
    made = nearest_unique(grid, rng, most, n_colours)
    changed = [(r, c) for r, c in np.argwhere(made != grid).tolist()]
    signs = signs_for(n_colours)
    return Nonogram.from_picture(made, signs, colours=zip(signs, inks, strict=False)), changed


def _check_how(threshold: int | None, dither: bool, colours: int | None) -> None:
    if threshold is not None:
        whole("threshold", threshold, 1, 255)
    if colours is not None:
        whole("colours", colours, 2, COLOURS)
    if threshold is not None and dither:
        raise InputError("threshold: dithering takes none")
    if colours is not None and (threshold is not None or dither):
        raise InputError("colours: threshold and dithering are for black and white")


# --- reading ---------------------------------------------------------------------------


def _name(file: str | Path | IO[bytes]) -> str:
    return str(file) if isinstance(file, str | Path) else "the image"


def _text_cells(file: str | Path | IO[bytes]) -> IntArray | None:
    """The black cells of a picture in text, shape (rows, columns); None for any other file."""
    try:
        if isinstance(file, str | Path):
            with Path(file).open("rb") as opened:
                data = opened.read(TEXT_LIMIT + 1)
        else:
            data = file.read(TEXT_LIMIT + 1)
            file.seek(0)
        text = data.decode("utf-8-sig")
    except (OSError, ValueError):  # of no text; what else is wrong, reading the image says
        return None
    rows = picture_rows(text) if len(text) <= TEXT_LIMIT else None
    return None if rows is None else read_shading("picture", rows)


def _cells(file: str | Path | IO[bytes], shape: tuple[int, int] | None, mode: str = "L") -> Any:
    """The image in grey, or in another mode of Pillow, a pixel a cell."""
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError:
        raise SolverUnavailable("images need Pillow: pip install 'qubopuzzle[image]'") from None
    Image.init()
    logging.getLogger("PIL").addHandler(logging.NullHandler())  # what it logs is in our line, too
    large = InputError(f"{_name(file)}: over {PIXEL_LIMIT:,} pixels; scale the image down")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(file, formats=FORMATS) as image:  # no pixel is decoded yet
                if image.width * image.height > PIXEL_LIMIT:
                    raise large
                turned = image.getexif().get(_ORIENTATION, 1) != 1
                whole_image = _on_white(ImageOps.exif_transpose(image) if turned else image, mode)
    except UnidentifiedImageError:
        known = ", ".join(FORMATS)
        raise InputError(f"{_name(file)}: that is no image that is read here ({known})") from None
    except Image.DecompressionBombError:
        raise large from None
    except (MemoryError, InputError):
        raise
    except Exception as error:  # readers of damaged files raise whatever befalls them
        why = getattr(error, "strerror", None) or " ".join(str(error).split())[:100] or "damaged"
        raise InputError(f"{_name(file)}: cannot be read: {why}") from None
    if shape is None:
        size = whole_image.size
        width, height = (max(1, round(LONGER_SIDE * side / max(size))) for side in size)
        shape = height, width
    return whole_image.resize((shape[1], shape[0]), Image.Resampling.BOX)


def _on_white(image: Any, mode: str) -> Any:
    """The image in bytes of this mode, what is transparent white; few copies at once."""
    from PIL import Image

    if image.mode.startswith(("I", "F")):
        values = np.array(image, dtype=np.float32)
        top = 65_535 if image.mode.startswith("I") else max(float(values.max()), 1e-30)
        values *= 255 / top
        grey = Image.fromarray(values.clip(0, 255, out=values).round(out=values).astype(np.uint8))
        return grey.convert(mode)
    if "transparency" in image.info or image.mode in ("LA", "PA", "La", "RGBa"):
        image = image.convert("RGBA")
    converted = image.convert(mode)
    if image.mode != "RGBA":
        return converted
    white = Image.new(mode, converted.size, "white")
    return Image.composite(converted, white, image.getchannel("A"))


def _black(grey: Any, threshold: int | None, *, dither: bool) -> IntArray:
    """1 where a cell is dark."""
    if dither:
        return np.asarray(grey.convert("1"), dtype=np.int64) ^ 1  # Pillow's is Floyd-Steinberg
    levels = np.asarray(grey)
    return (levels < (_otsu(levels) if threshold is None else threshold)).astype(np.int64)


def _coloured(image: Any, colours: int, *, invert: bool) -> tuple[IntArray, list[str]]:
    """The number of each cell's colour, and the colours: the lightest, or darkest, is number 0."""
    reduced = image.quantize(colours + 1, dither=0)
    numbers = np.asarray(reduced, dtype=np.int64)
    inks = np.reshape(reduced.getpalette(), (-1, 3))[: numbers.max() + 1]
    order = np.argsort(inks @ [299, 587, 114] * (1 if invert else -1), kind="stable")
    return np.argsort(order)[numbers], ["#" + bytes(ink).hex() for ink in inks[order].tolist()]


def _otsu(levels: Any) -> int:
    """The level that parts dark from light so that both vary least: light from there on."""
    counts = np.bincount(levels.ravel(), minlength=256).astype(np.float64)
    dark = np.cumsum(counts)
    light = levels.size - dark
    sums = np.cumsum(counts * np.arange(256))
    apart = (sums[-1] * dark - sums * levels.size) ** 2 / np.maximum(dark * light, 1)
    best = np.flatnonzero(apart >= apart.max() * (1 - 1e-12))
    return int(best[(len(best) - 1) // 2]) + 1  # amid levels that no cell has


# --- few changes -----------------------------------------------------------------------


def nearest_unique(grid: IntArray, rng: Random, most: int, colours: int = 1) -> IntArray:
    """A picture with one solution that differs from this one in few cells, ``most`` at most.

    Each change is a cell in which another solution differs, so that it is none any more. Then
    each is undone again if the picture still has one solution. The best of some searches.

    Raises:
        InputError: if none of them needs so few.
    """
    best: IntArray | None = None
    bound = most + most // 2 + 5  # some are undone again
    open_cells, made = grid.size, 0
    for turn in range(ROUNDS):
        tries = TRIES if turn % 2 == 0 else TRIES // 10
        picture, left = _search(grid, rng, bound, tries, colours)
        if picture is None:
            open_cells = min(open_cells, left)
            made += bound
        else:
            best, count = picture, int((picture != grid).sum())
            bound = count - 1
            made += count
        if bound <= 0 or made > ENOUGH:
            break
    if best is None:
        raise InputError(
            f"the image has more than one solution: after {bound} changed cells "
            f"{open_cells} of {grid.size} are still open; allow more changes, or try another "
            "threshold or size"
        )
    needed = int((best != grid).sum())
    if needed > most:
        raise InputError(f"it takes {needed} changed cells for one solution, more than {most}")
    return best


def _search(
    grid: IntArray, rng: Random, bound: int, tries: int, colours: int
) -> tuple[IntArray | None, int]:
    """A picture with one solution; or None and how many cells stay open after ``bound``."""
    current, signs = grid, signs_for(colours)
    while len(cells := _doubtful(current, signs)):
        changed = np.flatnonzero(current != grid)
        if len(changed) >= bound:
            return None, len(undetermined(current))
        # No cell is changed twice, so this ends.
        unchanged = np.setdiff1d(cells, changed)
        if not len(unchanged):
            unchanged = np.setdiff1d(np.arange(grid.size), changed)
        some = rng.permutation(unchanged)[:tries]
        current = best_flipped(current, flips_of(current, some, colours, rng)[:, None])
    for cell in rng.permutation(np.flatnonzero(current != grid)).tolist():
        without = flipped(current, np.array([grid.flat[cell] * grid.size + cell]))
        if not len(_doubtful(without, signs)):
            current = without
    return current, 0


def _doubtful(grid: IntArray, signs: str) -> IntArray:
    """Cells that may be another colour in a picture with the same runs; none if there is none.

    Where lines leave many open, those; else where the answer differs that the SAT solver finds.
    """
    cells = undetermined(grid)
    if not 0 < len(cells) <= MANY:
        return cells
    board = Nonogram.from_picture(grid, signs)
    other = second_solution(SwitchableModel(board.model()), grid)
    return np.flatnonzero(grid != other) if other is not None else cells[:0]
