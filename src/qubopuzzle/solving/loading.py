"""What is solved: puzzles and models, and files of them; the one place that tells which."""

from __future__ import annotations

from os import PathLike
from typing import TypeAlias

from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.files import puzzles, sets
from qubopuzzle.files.models import READERS, load_models, reader_for
from qubopuzzle.model import Model
from qubopuzzle.problem import ModelProblem, Problem

Source: TypeAlias = Problem | Model | str | PathLike[str]
"""What is solved: a puzzle, a model, or a file that holds exactly one."""
_REMEDIES = {
    "builtins.list": "load gives a list: take one of it, or use solve_each",
    "builtins.tuple": "take one of it, or use solve_each",
    "qubopuzzle.ModelBuilder": "make a model of it with .build()",
    "dimod.ConstrainedQuadraticModel": "make a program of it with qubopuzzle.from_cqm",
    "dimod.BinaryQuadraticModel": "make a program of it with qubopuzzle.from_bqm",
    "ommx.Instance": "make a program of it with qubopuzzle.from_ommx",
    "amplify.Model": "use amplify.solve(model, qubopuzzle.amplify_client())",
}
"""What to do with what is nearly a source, and models of others, by package and class."""


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
            puzz.link, a sudoku's line. ``SET:NAME`` is an instance of a public set, see ``fetch``.
        puzzle: read only puzzles of this kind, such as ``nonogram``.
        format: the format's name, where name and content shall not decide.

    Raises:
        InputError: one line naming the file, the place and what is wrong there.
        TooLarge, SolverUnavailable: for models only, see ``load_model``.
    """
    entry = sets.named(source)
    if entry is not None:
        from qubopuzzle.files.sets.download import fetch

        return load(f"{fetch(str(source))}{entry.part}", puzzle, format or entry.format)
    if reader_for(source, format) is not None:
        if puzzle is not None:
            raise InputError(f"{source!s:.200}: a model, and no {puzzle}")
        return [*load_models(source, format)]
    known = puzzles.all_formats()
    if format is not None and format not in known:
        hint = did_you_mean(format, [*known, *READERS])
        raise InputError(f"unknown format {format!r:.40}; {hint}")
    return puzzles.read_source(source, lambda text: puzzles.read_text(text, puzzle, format), format)


def problem_of(source: Source) -> Problem:
    """What a source holds: a puzzle or a model itself, or the only one of a file.

    Raises:
        InputError: for a file that holds none or several, and for what is no source.
    """
    if isinstance(source, Problem):
        return source
    if isinstance(source, Model):
        return ModelProblem(source)
    if not isinstance(source, str | PathLike):
        kinds = [f"{t.__module__.partition('.')[0]}.{t.__name__}" for t in type(source).__mro__]
        remedy = "".join(f"; {_REMEDIES[kind]}" for kind in kinds if kind in _REMEDIES)
        what = type(source).__name__
        raise InputError(f"expected a puzzle, a model or a file, got {what}{remedy}")
    problems = load(source)
    if len(problems) != 1:
        raise InputError(f"{source}: it holds {len(problems)} puzzles; use load() and solve each")
    return problems[0]
