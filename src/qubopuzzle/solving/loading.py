"""Files of puzzles and files of models: the one place that tells which a source is."""

from __future__ import annotations

from os import PathLike

from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.files import puzzles
from qubopuzzle.files.models import READERS, load_model, reader_for
from qubopuzzle.model import Problem


def load(
    source: str | PathLike[str],
    puzzle: str | None = None,
    format: str | None = None,  # noqa: A002, the word that users expect
) -> list[Problem]:
    """Read the puzzles, or the model, of a file, of standard input for ``-``, or of a text.

    Args:
        source: a file in any format that the package reads. The name of a model's file says its
            format (``model.lp``, ``model.mps.gz``, see ``load_model``); that of puzzles is told
            from the content. Where there is no such file, the text itself: an address of
            puzz.link, a sudoku's line.
        puzzle: read only puzzles of this kind, such as ``nonogram``.
        format: the format's name, where name and content shall not decide.

    Raises:
        InputError: one line naming the file, the place and what is wrong there.
        TooLarge, SolverUnavailable: for models only, see ``load_model``.
    """
    if reader_for(source, format) is not None:
        if puzzle is not None:
            raise InputError(f"{source!s:.200}: a model, and no {puzzle}")
        return [load_model(source, format)]
    known = puzzles.all_formats()
    if format is not None and format not in known:
        hint = did_you_mean(format, [*known, *READERS])
        raise InputError(f"unknown format {format!r:.40}; {hint}")
    return puzzles.read_source(source, lambda text: puzzles.read_text(text, puzzle, format), format)
