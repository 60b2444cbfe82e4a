"""Seconds of annealing a model, and the program that it is written as, grouped anew.

One instance of each puzzle in its default formulation, and the program of that model
(``program_of``, which all formats of programs are written from) in the formulation ``choices``.
Both take turns on each seed, one thread. Seconds are those of presolving, compiling, solving and
judging together, without imports, kernels and building; a run that ends without a valid answer
counts as endless. One table: round_trip.

Usage: python benchmarks/round_trip.py [--seeds N] [--time-limit S] [--only TEXT ...]
"""

from __future__ import annotations

from math import inf

from instances import GENERATED, warm_up
from presolve import STAGES
from qubopuzzle import Model, Problem, Puzzle, load, solve
from qubopuzzle.programs import program_of
from record import Args, Benchmark, Cases, Row, Rows, main, markdown, median_s, timed

IDS = (
    "sudoku-12x12-2026-0",
    "sudoku-16x16-2026-0",
    "easyasabc-8x8-2026-0",
    "nonogram-30x30-2026-2",
    "nonogram-40x40-2026-0",
    "numberlink-8x8-2026-0-free",
    "numberlink-10x10-2026-0-free",
    "heyawake-15x15-2026-0",
    "hitori-15x15-2026-0",
    "kurodoko-13x13-2026-0",
)


def _cases(args: Args) -> Cases:
    warm_up("annealer")
    for name in IDS:
        puzzles = load(GENERATED / f"{name.partition('-')[0]}.jsonl")
        (puzzle,) = (p for p in puzzles if p.id == name)
        yield name, _runs, puzzle, args.seeds, args.time_limit


def _runs(puzzle: Puzzle, seeds: int, time_limit: float) -> Row:
    model = puzzle.model(puzzle.formulation_for(cuts=False))
    program = program_of(model)
    grouping_s, again = timed(program.model)
    found: dict[str, list[float | None]] = {"native_s": [], "again_s": []}
    for seed in range(seeds):
        for how, problem in (("native_s", puzzle), ("again_s", program)):
            found[how].append(_seconds(problem, seed, time_limit))
    sizes = {"native": _sizes(model), "again": _sizes(again)}
    return {"id": puzzle.id, **sizes, "grouping_s": grouping_s, **found}


def _seconds(problem: Problem, seed: int, time_limit: float) -> float | None:
    result = solve(problem, "annealer", seed=seed, time_limit=time_limit)
    return sum(map(result.timings_s.__getitem__, STAGES)) if result.valid else None


def _sizes(model: Model) -> dict[str, int]:
    return {
        "choices": len(model.choices),
        "rows": sum(len(block.lower) for block in model.linear),
        "precedences": sum(len(block.first) for block in model.precedence),
    }


def _table(rows: Rows) -> str:
    heads = ["instance"]
    for name in ("choices", "rows", "precedences"):
        heads += [name, "again"]
    lines, totals = [], {"native_s": 0.0, "again_s": 0.0}
    for row in rows:
        line = [row["id"]]
        for name in ("choices", "rows", "precedences"):
            line += [f"{row['native'][name]:,}", f"{row['again'][name]:,}"]
        for how in totals:
            seconds = median_s(row[how])
            totals[how] += seconds
            line.append("none" if seconds == inf else f"{seconds:.3f}")
        lines.append([*line, f"{row['grouping_s']:.2f}"])
    lines.append(["in sum", *[""] * 6, *(f"{total:.3f}" for total in totals.values()), ""])
    heads += ["median s", "again", "s of grouping"]
    return markdown(heads, lines)


BENCHMARKS = (Benchmark("round_trip", _cases, {"round_trip": _table}),)
SETTINGS = {"seeds": (5, "runs of each"), "time_limit": (10.0, "seconds a run")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
