"""Where deductions are long: what the annealer solves, and which of its parts does it.

Sudokus, heyawakes, kurodokos and numberlinks of `generated/` that are hard for annealing, larger
numberlinks and nonograms of the collection, the default formulation, one thread. Seconds are those
of building, solving and judging together, without imports and kernels. A run that ends without
a valid answer counts as endless.

Tables: frontier_sudoku, frontier_shading, frontier_numberlink and frontier_nonogram, after
propagation and after probing; frontier_parts: with and without sweeps that propagate, on puzzles
that no setting was chosen on, with a fifth of the seeds and of the seconds; frontier_reads: the
largest nonogram with longer reads, three seeds in twelve times the seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from data.instances import COLLECTION, GENERATED
from harness import Args, Benchmark, Cases, Ways
from qubopuzzle import Puzzle, load
from solvers.presolve import runs, show

PRESOLVED: Ways = {how: {"presolve": how} for how in ("propagate", "probe", "interleave")}
ORDINARY = {"options": {"propagation": 0}}
PARTS: Ways = {
    "none, ordinary sweeps": {"presolve": "none", **ORDINARY},
    "propagate, ordinary": {"presolve": "propagate", **ORDINARY},
    "propagate": {"presolve": "propagate"},
    "probe, ordinary": {"presolve": "probe", **ORDINARY},
    "probe": {"presolve": "probe"},
}
"""The last table's: presolve, and whether some sweeps propagate."""
READS: Ways = {
    f"reads of {sweeps:,} sweeps": {"presolve": "probe", "options": {"sweeps": sweeps}}
    for sweeps in (1_000, 20_000)
}
"""How long a read is, times a number of Luby's; the first is the default."""
FRONTIER = ("knotty", "faase")
"""Nonograms that no solver of an old survey solved."""
NONOGRAMS = (*FRONTIER, *(f"dom-{n}" for n in range(11, 17)))


def _hard() -> list[Puzzle]:
    return load(GENERATED / "frontier.jsonl")


def _generated(*kinds: str) -> list[Puzzle | None]:
    return [puzzle for puzzle in _hard() if puzzle.name in kinds]


def _sudokus() -> list[Puzzle | None]:
    ours = load(GENERATED / "sudoku.jsonl")
    return [*(p for p in ours if p.shape == (16, 16)), *_generated("sudoku")]


def _collected(kind: str, wanted: Callable[[Puzzle], bool]) -> list[Puzzle | None]:
    path = COLLECTION / f"{kind}.jsonl"
    return [p for p in load(path, kind) if wanted(p)] if path.exists() else [None]


def _numberlinks() -> list[Puzzle | None]:
    ours = [p for p in load(GENERATED / "numberlink.jsonl") if p.shape == (10, 10)]
    others = _collected("numberlink", lambda p: p.shape[0] >= 10)
    found = [*ours, *_generated("numberlink"), *others]
    return sorted(found, key=lambda p: p.cells if p else 0)


def _nonograms() -> list[Puzzle | None]:
    return _collected("nonogram", lambda p: p.id in NONOGRAMS)


def _cases(puzzles: Callable[[], list[Puzzle | None]], args: Args) -> Cases:
    for puzzle in puzzles():
        label = f"{puzzle.name}, {puzzle.id}" if puzzle else "the collection"
        yield label, runs, puzzle, args.seeds, args.time_limit, PRESOLVED


def _parts(args: Args) -> Cases:
    seeds, limit = max(1, args.seeds // 5), args.time_limit / 5
    for puzzle in _hard():
        yield f"{puzzle.name}, {puzzle.id}", runs, puzzle, seeds, limit, PARTS


def _reads(args: Args) -> Cases:
    for puzzle in _collected("nonogram", lambda p: p.id == "faase"):
        label = puzzle.id if puzzle else "the collection"
        yield label, runs, puzzle, min(3, args.seeds), 12 * args.time_limit, READS


CLASSES = {
    "sudoku": _sudokus,
    "shading": partial(_generated, "heyawake", "kurodoko"),
    "numberlink": _numberlinks,
    "nonogram": _nonograms,
}
BENCHMARKS = (
    *(
        Benchmark(f"frontier_{name}", partial(_cases, puzzles), {f"frontier_{name}": show})
        for name, puzzles in CLASSES.items()
    ),
    Benchmark("frontier_parts", _parts, {"frontier_parts": show}),
    Benchmark("frontier_reads", _reads, {"frontier_reads": show}),
)
SETTINGS = {"seeds": (10, "runs an instance"), "time_limit": (10.0, "seconds a run")}
