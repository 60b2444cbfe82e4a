"""QAOA on a small nonogram, simulated, beside guessing and simulated annealing.

    python benchmarks/qaoa.py [--depth 5] [--seed 1]

What ``examples/qaoa.py`` prints: one board of 14 variables, angles optimised for each number of
layers. Shares are those of draws, or reads, that meet every constraint. Of QAOA and guessing they
are exact, of annealing counted. It takes the simulator qulacs.
"""

from __future__ import annotations

from importlib.util import find_spec
from runpy import run_path

from record import ROOT, Args, Benchmark, Cases, Row, main

SIMULATOR = ("qulacs",) * bool(find_spec("qulacs"))


def _cases(args: Args) -> Cases:
    yield "qaoa", _rows if SIMULATOR else None, args.depth, args.seed


def _rows(depth: int, seed: int) -> list[Row]:
    return list(run_path(str(ROOT / "examples" / "qaoa.py"))["compared"](depth, seed))


COLUMNS = {
    "layers p": "{p}",
    "guessing": "{guessing:.3%}",
    "QAOA": "{qaoa:.1%}",
    "annealing, p sweeps": "{neal:.1%}",
    "annealing, 10 p sweeps": "{neal_10:.1%}",
    "mean energy of QAOA": "{mean:.2f}",
    "best of 100 draws": lambda row: "valid" if row["valid"] else "not valid",
}
BENCHMARKS = (Benchmark("qaoa", _cases, {"qaoa": COLUMNS}, packages=SIMULATOR),)
SETTINGS = {"depth": (5, "layers at most"), "seed": (1, "of everything random")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
