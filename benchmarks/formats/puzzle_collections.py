"""Puzzles as they are published: how many files are read, and how many boards are solved.

A folder in FOLDER is a collection, which is not part of this project. Each of its files is read
as every user's is; a file that is refused counts as one board. Of the boards that are read some,
evenly spread, are solved by ``sat`` and by ``annealer`` with a time limit each. An answer is as
published if it is the solution that the file has; where there are several, it need not be.

Table: puzzle_collections.
"""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from data.instances import warm_up
from harness import Args, Benchmark, Cases, Row, Rows, markdown
from qubopuzzle import InputError, Puzzle, QubopuzzleError, load, solve
from qubopuzzle.puzzles import get_puzzle, puzzle_names

SOLVERS = ("sat", "annealer")
SHOWN = 12
"""Most refusals that are told below the table."""


def cases(args: Args) -> Cases:
    folders = sorted(path for path in args.folder.glob("*") if path.is_dir())
    if not folders:
        yield f"{args.folder} with a folder a collection", None
        return
    warm_up(*SOLVERS)
    for solver, kind in product(SOLVERS, puzzle_names()):
        solved(get_puzzle(kind).examples()[0], solver, args.limit)
    for folder in folders:
        yield folder.name, measure, folder, args.boards, args.limit


def measure(folder: Path, most: int, limit: float) -> Row:
    boards, refused = read(folder)
    chosen = [boards[i] for i in np.unique(np.linspace(0, len(boards) - 1, most).astype(int))]
    row: dict[str, Any] = {
        "id": folder.name,
        "puzzles": sorted({board.name for board in boards}),
        "read": len(boards),
        "refused": refused,
        "published": sum(board.solution is not None for board in boards),
        "chosen": len(chosen),
        "known": sum(board.solution is not None for board in chosen),
    }
    for solver in SOLVERS:
        done = [solved(board, solver, limit) for board in chosen]
        found = [answer for answer, *_ in done]
        row[solver] = {
            "solved": sum(answer is not None for answer in found),
            "same": sum(
                answer is not None and np.array_equal(answer, board.solution)
                for answer, board in zip(found, chosen, strict=True)
                if board.solution is not None
            ),
            "none": sum(status == "infeasible" for _, status, _ in done),
            "seconds": float(np.median([seconds for *_, seconds in done])) if done else 0.0,
        }
    return row


def read(folder: Path) -> tuple[list[Puzzle], list[str]]:
    """The boards of all files, and why files are refused."""
    boards: list[Puzzle] = []
    refused: list[str] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            boards += load(path)
        except InputError as error:
            refused.append(str(error).replace(f"{folder}/", ""))
    return boards, refused


def solved(board: Puzzle, solver: str, limit: float) -> tuple[Any, str, float]:
    """A valid answer, None without one, the status and the seconds."""
    start = time.perf_counter()
    try:
        result = solve(board, solver, seed=0, time_limit=limit)
        answer, status = np.array(result.grid) if result.valid else None, result.status
    except QubopuzzleError as error:  # such as one that is too large
        print(f"{board.id or board.name}, {solver}: {error}")
        answer, status = None, "refused"
    return answer, status, time.perf_counter() - start


def show(rows: Rows) -> str:
    heads = ["collection", "puzzle", "boards", "read", "with solution", "tried"]
    heads += [f"{solver} {what}" for solver in SOLVERS for what in ("solved", "as published", "s")]
    lines = []
    for row in rows:
        line = [row["id"], ", ".join(row["puzzles"]), f"{row['read'] + len(row['refused']):,}"]
        line += [f"{row['read']:,}", f"{row['published']:,}", str(row["chosen"])]
        for solver in SOLVERS:
            own = row[solver]
            same = f"{own['same']} of {row['known']}" if row["known"] else ""
            none = own.get("none", 0)
            proved = f", {none} have none" if none else ""
            line += [f"{own['solved']}{proved}", same, f"{own['seconds']:.2f}"]
        lines.append(line)
    refused = [f"{row['id']}/{why}" for row in rows for why in row["refused"]]
    more = f"; and {len(refused) - SHOWN} more" if len(refused) > SHOWN else ""
    return f"{markdown(heads, lines)}\n\nNot read: {'; '.join(refused[:SHOWN]) or 'none'}{more}."


BENCHMARKS = (Benchmark("puzzle_collections", cases, {"puzzle_collections": show}),)
SETTINGS = {
    "folder": (Path("collections"), "where the collections are, a folder each"),
    "boards": (12, "boards of a collection that are solved"),
    "limit": (5.0, "seconds a board and solver"),
}
