"""Seconds of annealing a puzzle, and the same once it was written to a file and read back.

One instance of each puzzle in its default formulation, written to the formats of programs and read
by ``load_model``, which knows nothing of puzzles: choices are found anew. All take turns on each
seed, one thread. Seconds are those of presolving, compiling, solving and judging together, without
imports, kernels, reading and grouping. Answers are taken back to the puzzle, whose checker judges
them; a run without a valid one counts as endless. One table: round_trip.

Usage: python benchmarks/round_trip.py [--seeds N] [--time-limit S] [--only TEXT ...]
"""

from __future__ import annotations

from importlib.util import find_spec
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

from instances import GENERATED, warm_up
from presolve import STAGES
from qubopuzzle import Model, Puzzle, Result, export, load, load_model, solve
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
PUZZLE = "puzzle"
FORMATS = {"program-lp": "lp", "program-mps": "mps", "opb": "opb", "cqm": "cqm", "ommx": "ommx"}
"""What names a format for writing, and the end of a file's name for reading."""


def _cases(args: Args) -> Cases:
    warm_up("annealer")
    formats = [to for to in FORMATS if to != "ommx" or find_spec("ommx")]
    for name in FORMATS.keys() - formats:
        yield name, None
    for name in IDS:
        puzzles = load(GENERATED / f"{name.partition('-')[0]}.jsonl")
        (puzzle,) = (p for p in puzzles if p.id == name)
        yield name, _runs, puzzle, formats, args.seeds, args.time_limit


def _runs(puzzle: Puzzle, formats: list[str], seeds: int, time_limit: float) -> Row:
    model = puzzle.model(puzzle.formulation_for(cuts=False))
    exports = {to: export(model, to) for to in formats}
    programs = {}
    with TemporaryDirectory() as folder:
        for to, made in exports.items():
            path = Path(folder) / f"model.{FORMATS[to]}"
            path.write_bytes(made.data)
            programs[to] = load_model(path)
    seconds: dict[str, list[float | None]] = {PUZZLE: [], **{to: [] for to in formats}}
    for seed in range(seeds):
        for how, own in seconds.items():
            source = programs.get(how, puzzle)
            result = solve(source, "annealer", seed=seed, time_limit=time_limit)
            back = (
                how == PUZZLE or not result.valid or exports[how].decode(dict(result.values)).valid
            )
            assert back, f"{puzzle.id}, {how}: not valid as it was written"
            own.append(_seconds(result))
    grouping_s, again = timed(programs[formats[0]].model)
    sizes = {"native": _sizes(model), "again": _sizes(again)}
    return {"id": puzzle.id, **sizes, "grouping_s": grouping_s, "seconds": seconds}


def _seconds(result: Result) -> float | None:
    return sum(map(result.timings_s.__getitem__, STAGES)) if result.valid else None


def _sizes(model: Model) -> dict[str, int]:
    return {
        "choices": len(model.choices),
        "rows": sum(len(block.lower) for block in model.linear),
        "precedences": sum(len(block.first) for block in model.precedence),
    }


def _table(rows: Rows) -> str:
    hows = [*rows[0]["seconds"]]
    totals = dict.fromkeys(hows, 0.0)
    lines = []
    for row in rows:
        line = [row["id"]]
        for name in ("choices", "rows"):
            line += [f"{row['native'][name]:,}", f"{row['again'][name]:,}"]
        for how in hows:
            seconds = median_s(row["seconds"][how])
            totals[how] += seconds
            line.append("none" if seconds == inf else f"{seconds:.3f}")
        lines.append([*line, f"{row['grouping_s']:.2f}"])
    lines.append(["in sum", *[""] * 4, *(f"{total:.3f}" for total in totals.values()), ""])
    heads = ["instance", "choices", "again", "rows", "again", "median s", *hows[1:]]
    return markdown([*heads, "s of grouping"], lines)


_PACKAGES = ("ommx",) * bool(find_spec("ommx"))
BENCHMARKS = (Benchmark("round_trip", _cases, {"round_trip": _table}, packages=_PACKAGES),)
SETTINGS = {"seeds": (10, "runs of each"), "time_limit": (10.0, "seconds a run")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
