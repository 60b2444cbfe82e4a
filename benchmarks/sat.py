"""The solver sat: its pipeline against a plain one, window against pattern, uniqueness.

Everything from the file to the judged answer counts, the median of a few runs that take
turns; imports and the first call of each are warmed up. Three tables: sat_pipeline,
sat_formulations, sat_uniqueness.

Usage: python benchmarks/sat.py [--repeat N]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from instances import COLLECTION, noise_picture, smooth_picture
from qubopuzzle import Nonogram, TooLarge, load, solve
from qubopuzzle.files.puzzles import native
from record import save, table
from sat_baseline import sat_solve

LIMIT_S = 30.0
"""For one proof of uniqueness; three times what is asked of it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="runs of each, the median counts")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        warm = _write(folder, smooth_picture(5, 5))
        for run in (_ours, _plain, _pattern):
            run(warm)
        _pipelines(folder, args.repeat)
        _formulations(folder, args.repeat)
    _uniqueness()


def _write(folder: str, puzzle: Nonogram) -> Path:
    path = Path(folder) / f"{puzzle.id}.json"
    path.write_text(native.write([puzzle]))
    return path


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
    path: Path, runs: tuple[Callable[[Path], Any], ...], repeat: int
) -> tuple[list[list[float]], list[Any]]:
    """Seconds of each run, taking turns, and the last results."""
    seconds: list[list[float]] = [[] for _ in runs]
    results = [None for _ in runs]
    for _ in range(repeat):
        for i, run in enumerate(runs):
            start = time.perf_counter()
            results[i] = run(path)
            seconds[i].append(time.perf_counter() - start)
    return seconds, results


def _pipelines(folder: str, repeat: int) -> None:
    sizes = ((20, 20), (30, 30), (45, 60), (60, 60), (80, 80), (100, 100))
    shown = [
        *(smooth_picture(*size) for size in sizes),
        noise_picture(20, 20),
        noise_picture(30, 30),
    ]
    whole = [puzzle for puzzle in _collection() if puzzle.n_solutions is not None]
    rows = []
    for puzzle in (*shown, *whole):
        (ours, plain), (result, _) = _times(_write(folder, puzzle), (_ours, _plain), repeat)
        seconds = {"sat_s": median(ours), "plain_s": median(plain)}
        rows.append({"id": puzzle.id, **result.sizes, **seconds, "runs": repeat})
        print(_pipeline_cells(rows[-1]), flush=True)
    own, others = rows[: len(shown)], rows[len(shown) :]
    if others:
        keys = ("variables", "clauses", "sat_s", "plain_s")
        total = {key: sum(row[key] for row in others) for key in keys}
        own.append({"id": f"{len(others)} drawings and n-Dom of a collection, sum", **total})
    slower = [f"{row['id']} ({_ratio(row)})" for row in rows if row["sat_s"] > row["plain_s"]]
    columns = ["instance", "variables", "clauses", "sat s", "plain encoding s", "ratio"]
    text = table(columns, [_pipeline_cells(row) for row in own])
    save(
        "sat_pipeline", rows, f"{text}\n\nSlower than the plain one: {', '.join(slower) or 'none'}."
    )


def _pipeline_cells(row: dict[str, Any]) -> list[str]:
    counts = [f"{row[what]:,}" for what in ("variables", "clauses")]
    return [row["id"], *counts, f"{row['sat_s']:.3f}", f"{row['plain_s']:.3f}", _ratio(row)]


def _ratio(row: dict[str, Any]) -> str:
    return f"{row['sat_s'] / row['plain_s']:.2f}"


def _formulations(folder: str, repeat: int) -> None:
    rows = []
    for puzzle in (smooth_picture(20, 20), *_thirty()):
        path = _write(folder, puzzle)
        (window, pattern), results = _times(path, (_ours, _pattern), min(repeat, 3))
        refused = str(results[1]) if isinstance(results[1], TooLarge) else ""
        clauses = [0 if isinstance(r, TooLarge) else r.sizes["clauses"] for r in results]
        rows.append(
            {
                "id": puzzle.id,
                "clauses": clauses,
                "window_s": window,
                "pattern_s": [] if refused else pattern,
                "refused": refused,
            }
        )
        print(_formulation_cells(rows[-1]), flush=True)
    columns = ["instance", "window clauses", "pattern clauses", "window s", "pattern s", "factor"]
    refused = [f"{row['id']} ({row['refused']})" for row in rows if row["refused"]]
    text = table(columns, [_formulation_cells(row) for row in rows])
    save("sat_formulations", rows, f"{text}\n\nRefused: {'; '.join(refused) or 'none'}.")


def _thirty() -> Iterator[Nonogram]:
    """Pictures of 30x30: blobs from three seeds, and a collection's, where that is."""
    for seed in (1, 2, 3):
        yield smooth_picture(30, 30, seed=seed)
    for puzzle in _collection():
        if puzzle.shape == (30, 30):
            yield puzzle


def _formulation_cells(row: dict[str, Any]) -> list[str]:
    window = median(row["window_s"])
    if row["refused"]:
        return [row["id"], f"{row['clauses'][0]:,}", "refused", f"{window:.3f}", "-", "-"]
    pattern = median(row["pattern_s"])
    clauses = [f"{n:,}" for n in row["clauses"]]
    return [row["id"], *clauses, f"{window:.3f}", f"{pattern:.3f}", f"{pattern / window:.0f}"]


def _collection() -> list[Nonogram]:
    path = COLLECTION / "nonogram.jsonl"
    return load(path, "nonogram") if path.exists() else []  # type: ignore[return-value]


def _uniqueness() -> None:
    rows = []
    for puzzle in _collection():
        start = time.perf_counter()
        result = solve(puzzle, "sat", seed=0, solutions=2, time_limit=LIMIT_S)
        seconds = time.perf_counter() - start
        rows.append(
            {
                "id": puzzle.id,
                "marked": puzzle.n_solutions,
                "unique": result.unique,
                "seconds": seconds,
            }
        )
        print(puzzle.id, result.verdict, f"{seconds:.3f} s", flush=True)
    if not rows:
        print(f"uniqueness: there is no {COLLECTION / 'nonogram.jsonl'}")
        return
    columns = ["marked in the collection", "number", "proved unique", "total s", "slowest"]
    cells = [
        _unique_cells(name, [row for row in rows if row["marked"] == marked])
        for name, marked in (("one solution", 1), ("undecided", None))
    ]
    open_ids = [row["id"] for row in rows if row["unique"] is not True]
    text = f"Not proved within {LIMIT_S:g} s: {', '.join(open_ids) or 'none'}."
    save("sat_uniqueness", rows, f"{table(columns, cells)}\n\n{text}")


def _unique_cells(name: str, rows: list[dict[str, Any]]) -> list[str]:
    proved = sum(row["unique"] is True for row in rows)
    total = sum(row["seconds"] for row in rows)
    slowest = max(rows, key=lambda row: row["seconds"])
    worst = f"{slowest['id']}, {slowest['seconds']:.2f} s"
    return [name, f"{len(rows)}", f"{proved}", f"{total:.2f}", worst]


if __name__ == "__main__":
    main()
