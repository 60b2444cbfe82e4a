"""Solve one example of each puzzle and draw all seven into one figure.

Usage: python examples/seven_puzzles.py [FILE]   (seven-puzzles.svg)
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

import qubopuzzle

here = Path(__file__).parent
NAMES = {
    "picross-12x9.non": "nonogram",
    "sudoku.json": "sudoku",
    "heyawake.json": "heyawake",
    "hitori.json": "hitori",
    "kurodoko.json": "kurodoko",
    "easyasabc.json": "Easy as ABC",
    "numberlink.json": "numberlink",
}

figure = Figure(figsize=(12, 6.4), layout="constrained")
rows = figure.subfigures(2, 1)
axes = [*rows[0].subplots(1, 4), *rows[1].subplots(1, 3)]
for (file, name), ax in zip(NAMES.items(), axes, strict=True):
    result = qubopuzzle.solve(here / file, seed=1)
    print(f"{name}: {result.summary()}")
    assert result.valid
    ax.set_title(name)
    result.plot(ax)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "seven-puzzles.svg", metadata={"Date": None})
