"""Solve one example of each puzzle and draw all of them into one figure.

Usage: python examples/all_puzzles.py [FILE]   (puzzles.svg)
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

import qubopuzzle

FILES = (
    "picross-12x9.non",
    "flower.json",
    "sudoku.json",
    "killer.json",
    "heyawake.json",
    "hitori.json",
    "kurodoko.json",
    "easyasabc.json",
    "numberlink.json",
    "kinds.jsonl",
)
NAMES = {"flower.json": "nonogram in colours", "killer.json": "killer sudoku"}
COLUMNS = 6

here = Path(__file__).parent
boards = [(NAMES.get(file), board) for file in FILES for board in qubopuzzle.load(here / file)]
n_rows = -(-len(boards) // COLUMNS)
figure = Figure(figsize=(2.2 * COLUMNS, 2.5 * n_rows), layout="constrained")
axes = figure.subplots(n_rows, COLUMNS).ravel()
for ax in axes:
    ax.set_axis_off()
for (name, board), ax in zip(boards, axes, strict=False):
    result = qubopuzzle.solve(board, seed=1)
    print(f"{name or board.name}: {result.summary()}")
    assert result.valid
    ax.set_title(name or board.name)
    result.plot(ax)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "puzzles.svg", metadata={"Date": None})
