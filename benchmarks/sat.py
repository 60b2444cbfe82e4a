"""The solver sat: its pipeline against a plain one, window against pattern, uniqueness.

Everything from the file to the judged answer counts, the median of a few runs that take
turns; imports and the first call of each are warmed up. Three tables: sat_pipeline,
sat_formulations, sat_uniqueness.

Usage: python benchmarks/sat.py [--repeat N] [--table NAME]
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from instances import COLLECTION, collected_nonograms, noise_picture, smooth_picture
from qubopuzzle import Nonogram, TooLarge, load, solve
from qubopuzzle.files.puzzles import get_format
from record import Args, Benchmark, Cases, Row, Rows, main, markdown, refusals, table, timed
from sat_baseline import sat_solve

native = get_format("json")

LIMIT_S = 30.0
"""For one proof of uniqueness; three times what is asked of it."""


def _collection() -> Iterator[tuple[str, Nonogram | None]]:
    """By label; None where there is no collection."""
    if puzzles := collected_nonograms():
        yield from ((puzzle.id, puzzle) for puzzle in puzzles)
    else:
        yield f"{COLLECTION.name}/nonogram.jsonl", None


def _ours(path: Path) -> Any:
    result = solve(path, "sat", seed=0)
    assert result.valid
    return result


def _pattern(path: Path) -> Any:
    """The result, or why there is none."""
    try:
        result = solve(path, "sat", seed=0, formulation="pattern")
    except TooLarge as error:
        return error
    assert result.valid
    return result


def _plain(path: Path) -> None:
    (puzzle,) = load(path)
    assert isinstance(puzzle, Nonogram)
    answer = sat_solve(puzzle)
    assert answer is not None
    assert not puzzle.violations(answer)


def _times(
    puzzle: Nonogram, runs: tuple[Callable[[Path], Any], ...], repeat: int
) -> tuple[list[list[float]], list[Any]]:
    """Seconds of each run on a file, taking turns, and the last results."""
    seconds: list[list[float]] = [[] for _ in runs]
    results = [None for _ in runs]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{puzzle.id}.json"
        path.write_text(native.write([puzzle]))
        for _ in range(repeat):
            for i, run in enumerate(runs):
                took, results[i] = timed(run, path)
                seconds[i].append(took)
    return seconds, results


# --- the pipeline ----------------------------------------------------------------------


def _pipeline_cases(args: Args) -> Cases:
    _times(smooth_picture(5, 5), (_ours, _plain), 1)  # warms up
    sizes = ((20, 20), (30, 30), (45, 60), (60, 60), (80, 80), (100, 100))
    shown = [smooth_picture(*size) for size in sizes]
    for puzzle in (*shown, noise_picture(20, 20), noise_picture(30, 30)):
        yield puzzle.id, _pipeline, puzzle, args.repeat, False
    for label, found in _collection():
        if found is None or found.n_solutions is not None:
            yield label, _pipeline, found, args.repeat, True


def _pipeline(puzzle: Nonogram, repeat: int, collection: bool) -> Row:
    (ours, plain), (result, _) = _times(puzzle, (_ours, _plain), repeat)
    seconds = {"sat_s": median(ours), "plain_s": median(plain), "runs": repeat}
    return {"id": puzzle.id, **result.sizes, **seconds, "collection": collection}


def _ratio(row: Row) -> str:
    return f"{row['sat_s'] / row['plain_s']:.2f}"


PIPELINE = {
    "instance": "{id}",
    "variables": "{variables:,}",
    "clauses": "{clauses:,}",
    "sat s": "{sat_s:.3f}",
    "plain encoding s": "{plain_s:.3f}",
    "ratio": _ratio,
}


def _pipeline_table(rows: Rows) -> str:
    """A line a picture, one for the whole collection."""
    lines = [row for row in rows if not row["collection"]]
    others = [row for row in rows if row["collection"]]
    if others:
        keys = ("variables", "clauses", "sat_s", "plain_s")
        total = {key: sum(row[key] for row in others) for key in keys}
        lines.append({"id": f"{len(others)} drawings and n-Dom of a collection, sum", **total})
    slower = [f"{row['id']} ({_ratio(row)})" for row in rows if row["sat_s"] > row["plain_s"]]
    return f"{table(PIPELINE, lines)}\n\nSlower than the plain one: {', '.join(slower) or 'none'}."


# --- window against pattern ------------------------------------------------------------


def _formulation_cases(args: Args) -> Cases:
    """Pictures of 30x30: blobs from three seeds, and a collection's."""
    _times(smooth_picture(5, 5), (_ours, _pattern), 1)  # warms up
    blobs = [smooth_picture(30, 30, seed=seed) for seed in (1, 2, 3)]
    for puzzle in (smooth_picture(20, 20), *blobs):
        yield puzzle.id, _formulations, puzzle, min(args.repeat, 3)
    for label, found in _collection():
        if found is None or found.shape == (30, 30):
            yield label, _formulations, found, min(args.repeat, 3)


def _formulations(puzzle: Nonogram, repeat: int) -> Row:
    (window, pattern), results = _times(puzzle, (_ours, _pattern), repeat)
    refused = str(results[1]) if isinstance(results[1], TooLarge) else ""
    return {
        "id": puzzle.id,
        "clauses": [0 if isinstance(r, TooLarge) else r.sizes["clauses"] for r in results],
        "window_s": window,
        "pattern_s": [] if refused else pattern,
        "refused": refused,
    }


def _formulation_cells(row: Row) -> list[str]:
    window, clauses = median(row["window_s"]), [f"{n:,}" for n in row["clauses"]]
    if row["refused"]:
        return [row["id"], clauses[0], "refused", f"{window:.3f}", "-", "-"]
    pattern = median(row["pattern_s"])
    return [row["id"], *clauses, f"{window:.3f}", f"{pattern:.3f}", f"{pattern / window:.0f}"]


def _formulation_table(rows: Rows) -> str:
    columns = ["instance", "window clauses", "pattern clauses", "window s", "pattern s", "factor"]
    return markdown(columns, [_formulation_cells(row) for row in rows]) + refusals(rows)


# --- uniqueness ------------------------------------------------------------------------


def _uniqueness_cases(_: Args) -> Cases:
    for label, puzzle in _collection():
        yield label, _uniqueness, puzzle


def _uniqueness(puzzle: Nonogram) -> Row:
    seconds, result = timed(solve, puzzle, "sat", seed=0, solutions=2, time_limit=LIMIT_S)
    marked, unique = puzzle.n_solutions, result.unique
    return {"id": puzzle.id, "marked": marked, "unique": unique, "seconds": seconds}


def _uniqueness_table(rows: Rows) -> str:
    columns = ["marked in the collection", "number", "proved unique", "total s", "slowest"]
    marks = {"one solution": 1, "undecided": None}
    groups = {name: [r for r in rows if r["marked"] == mark] for name, mark in marks.items()}
    text = markdown(columns, [_unique_cells(name, own) for name, own in groups.items() if own])
    open_ids = [row["id"] for row in rows if row["unique"] is not True]
    return f"{text}\n\nNot proved within {LIMIT_S:g} s: {', '.join(open_ids) or 'none'}."


def _unique_cells(name: str, rows: Rows) -> list[str]:
    proved = sum(row["unique"] is True for row in rows)
    total = sum(row["seconds"] for row in rows)
    slowest = max(rows, key=lambda row: row["seconds"])
    worst = f"{slowest['id']}, {slowest['seconds']:.2f} s"
    return [name, f"{len(rows)}", f"{proved}", f"{total:.2f}", worst]


BENCHMARKS = (
    Benchmark("sat_pipeline", _pipeline_cases, {"sat_pipeline": _pipeline_table}),
    Benchmark("sat_formulations", _formulation_cases, {"sat_formulations": _formulation_table}),
    Benchmark("sat_uniqueness", _uniqueness_cases, {"sat_uniqueness": _uniqueness_table}),
)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, {"repeat": (5, "runs of each, the median counts")})
