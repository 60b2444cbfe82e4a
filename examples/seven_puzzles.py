"""All seven puzzles, annealed, in one picture.

Usage: python examples/seven_puzzles.py [seven-puzzles.svg]
"""

import sys

from matplotlib.figure import Figure

import qubopuzzle
from qubopuzzle.puzzles import get_puzzle, puzzle_names

figure = Figure(figsize=(15, 7.5), layout="constrained")
for ax, name in zip(figure.subplots(2, 4).flat, [*puzzle_names(), None], strict=True):
    if name is None:
        ax.set_axis_off()
        continue
    puzzle = min(get_puzzle(name).examples()[:2], key=lambda p: abs(p.shape[0] - 8))
    result = qubopuzzle.solve(puzzle, seed=1)
    result.plot(ax)
    ax.set_title(f"{name}: {'valid' if result.valid else 'wrong'}")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "seven-puzzles.svg")
