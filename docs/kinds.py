"""Writes docs/kinds.md, what puzzles in one file say of themselves: ``python docs/kinds.py``."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from inspect import cleandoc, isclass
from pathlib import Path
from pkgutil import iter_modules

from qubopuzzle import Puzzle, to_bqm
from qubopuzzle.compile import ENCODINGS
from qubopuzzle.files.puzzles import formats_for, write_text
from qubopuzzle.puzzles import get_puzzle, puzzle_names, vocabulary
from qubopuzzle.puzzles.links import Game, Link
from qubopuzzle.puzzles.vocabulary.kind import Kind, clues_of
from qubopuzzle.puzzles.vocabulary.rules import Rule
from qubopuzzle.reasons.generate import PROOF

PAGE = Path(__file__).with_suffix(".md")
HEAD = """# Puzzles in one file

`python docs/kinds.py` writes this page from the puzzles' own files, each of which is
[written in a vocabulary of rules](vocabulary.md). Sizes are those of the QUBO of the board that is
shown, after nothing but the formulation. *By cuts* there is none: connectivity or the loop is left
to [cuts](exact.md), also for `annealer` where that says so.
"""


def page() -> str:
    """The whole page."""
    kinds = [kind for kind in map(get_puzzle, puzzle_names()) if issubclass(kind, Kind)]
    return "\n".join([HEAD, *(section(kind) for kind in kinds), *rules()])


def rules() -> list[str]:
    """A table of the vocabulary: each rule and the first sentence of its docstring."""
    lines = ["## Rules", "", "| rule | says |", "| --- | --- |"]
    for module in iter_modules(vocabulary.__path__):
        for name, rule in vars(import_module(f"{vocabulary.__name__}.{module.name}")).items():
            is_here = isclass(rule) and rule.__module__.endswith(f".{module.name}")
            if is_here and issubclass(rule, Rule) and not (name.startswith("_") or rule is Rule):
                says = re.split(r"(?<=\.)\s", cleandoc(rule.__doc__ or ""))[0]
                lines.append(f"| `{name}` | {' '.join(says.replace('``', '`').split())} |")
    return [*lines, ""]


def section(kind: type[Kind]) -> str:
    """What one puzzle says."""
    board = sorted(kind.examples(), key=lambda b: b.cells)[-1]
    rules = re.split(r"\n\n(?:>>>|Raises:)", cleandoc(kind.__doc__ or ""))[0]
    lines = [f"## {kind.__name__}", "", rules.replace("``", "`"), "", *_sizes(board), ""]
    lines += [_names(kind), "", "```text", board.picture().text(), "```", ""]
    if "puzzlink" in formats_for(kind.name):
        address = write_text([board], "puzzlink").strip()
        lines += ["```console", f"$ qubopuzzle solve '{address}'", "```", ""]
    return "\n".join(lines)


def _sizes(board: Puzzle) -> list[str]:
    """A table of its formulations."""
    from qubopuzzle.solvers import get_solver

    annealed = get_solver("annealer").formulation_of(board)
    exact = get_solver(PROOF).formulation_of(board)
    heads = [
        "formulation",
        "choices",
        *(f"{encoding}, bits and couplings" for encoding in ENCODINGS),
    ]
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    for name in board.formulations:
        model = board.model(name)
        takers = {"QUBO": board.default_formulation, "annealer": annealed, "exact": exact}
        taken = ", ".join(taker for taker, taken in takers.items() if taken == name)
        cells = [f"`{name}`", taken, f"{len(model.choices):,}"]
        for encoding in ENCODINGS:
            if model.graphs:
                cells.append("by cuts")
                continue
            bqm = to_bqm(board, formulation=name, encoding=encoding)
            cells.append(f"{bqm.num_variables:,} and {bqm.num_interactions:,}")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _names(kind: type[Kind]) -> str:
    """Keys of its JSON, its other names, and where it is read and written."""
    keys = ", ".join(f"`{name}`" for name in clues_of(kind))
    parts = [f"JSON has {keys}."]
    links = [f"`{each.pid}` (puzz.link, pzprv3)" for each in kind.links if isinstance(each, Link)]
    links += [f"`{each.name}` (Tatham)" for each in kind.links if isinstance(each, Game)]
    if links:
        parts.append(f"Players call it {', '.join(links)}.")
    parts.append(f"Also known as {', '.join(kind.aliases.split())}.")
    return " ".join(parts)


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        if PAGE.read_text("utf-8") != text:
            raise SystemExit(f"{PAGE.name} is not current: python docs/kinds.py")
    else:
        PAGE.write_text(text, "utf-8")
