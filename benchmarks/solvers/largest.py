"""The largest boards of each kind that a solver solves in ten seconds.

Three boards a size, all from one seed on which no setting was chosen, one thread, one run a board
with each solver's defaults, judged by the rules. Sides grow. A solver takes part until it solves
fewer than two boards of a size, and the generator ends a kind by making fewer than two, in a minute
each; either stops at the failure that decides it. Each kind has ``kind_s`` seconds, after which no
further size is begun. One table: largest.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import inf
from statistics import median

from harness import Args, Benchmark, Cases, Row, Rows, compared, grouped, markdown, resumed
from qubopuzzle import Puzzle, QubopuzzleError, all_solvers, load
from qubopuzzle.base.processes import Overrun, WarmWorkers
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.reasons.generate import Order, generate_one

SOLVERS = ("annealer", "tempering", "neal", "localmip", "sat", "cpsat", "clingo")
GENERATOR = "generator"
"""In the rows it is one of those that take part."""
SIDES = (5, 7, 10, 14, 20, 28, 40)
OTHER_SIDES = {"sudoku": (4, 9, 16, 25), "takuzu": (6, 8, 10, 14, 20, 28, 40)}
BOARDS, ENOUGH = 3, 2
"""Boards a size, and how many of them are to be made and solved."""
KEPT = ("status", "why", "violations", "seconds", "wall_s")
KEPT += ("formulation", "encoding", "presolve", "sizes")
"""Of a row of ``compare``."""
WORDS = {"not solved": "time", "late": "time"}
"""What the table calls a status of ``compare``, if not the same."""


def _cases(args: Args) -> Cases:
    missing = [name for name in SOLVERS if not all_solvers()[name].available().ok]
    yield from ((f"solver {name}", None) for name in missing)
    for kind in puzzle_names():
        if get_puzzle(kind).generator:
            yield kind, _rows, kind, args


def _rows(kind: str, args: Args) -> list[Row]:
    """A row for each board that was to be made, and each run."""
    rows: list[Row] = []
    racing: Sequence[str] = SOLVERS
    for side in OTHER_SIDES.get(kind, SIDES):
        about = {"puzzle": kind, "side": side}
        if sum(row["wall_s"] for row in rows) > args.kind_s:
            never = {"solver": GENERATOR, "board": 0, "status": "not begun", "why": ""}
            return [*rows, about | never | {"seconds": None, "wall_s": 0.0}]
        made, boards = _boards(kind, side, args)
        runs = _runs(boards, racing, args.time_limit) if len(boards) >= ENOUGH else []
        rows += [about | row for row in (*made, *runs)]
        solved = Counter(run["solver"] for run in runs if run["status"] == "valid")
        racing = [name for name in racing if solved[name] >= ENOUGH]
        if not racing:
            break
    return rows


# --- boards ----------------------------------------------------------------------------


def _boards(kind: str, side: int, args: Args) -> tuple[list[Row], list[Puzzle]]:
    """Up to the first that is not made."""
    rows, boards = [], []
    for number in range(BOARDS):
        row = resumed(_make, kind, side, number, args.seed, args.making_s)
        rows.append({name: value for name, value in row.items() if name != "made"})
        if row["status"] != "valid":
            break
        boards += load(json.dumps(row["made"]))
    return rows, boards


def _make(kind: str, side: int, number: int, seed: int, limit: float) -> Row:
    row = {"solver": GENERATOR, "board": number, "status": "valid", "why": "", "made": None}
    with _workers().borrow() as worker:
        if not worker.used:
            worker.call(generate_one, Order("sudoku", size=(4, 4), seed=0), 0)
        start = time.perf_counter()
        try:
            order = Order(kind, size=(side, side), seed=seed)
            row["made"] = worker.call(generate_one, order, number, deadline=limit).puzzle.to_dict()
        except Overrun:
            row["status"] = "late"
        except QubopuzzleError as error:
            row |= {"status": "refused", "why": str(error)}
        seconds = time.perf_counter() - start
    return row | {"seconds": seconds, "wall_s": seconds}


@cache
def _workers() -> WarmWorkers:
    return WarmWorkers()


# --- runs ------------------------------------------------------------------------------


def _runs(boards: Sequence[Puzzle], solvers: Sequence[str], limit: float) -> list[Row]:
    """Of each solver up to the failure that leaves it without enough boards."""
    rows: list[Row] = []
    failed: Counter[str] = Counter()
    for number, board in enumerate(boards):
        ways = {name: {"solver": name} for name in solvers if failed[name] <= len(boards) - ENOUGH}
        with ThreadPoolExecutor(1) as same_process:
            found = compared(board, ways, 1, limit, executor=same_process) if ways else {}
        for name, (run,) in found.items():
            assert run["status"] != "proved none", f"{name} is wrong on {board.id}"
            failed[name] += run["status"] != "valid"
            rows.append({"solver": name, "board": number} | {key: run.get(key) for key in KEPT})
    return rows


# --- table -----------------------------------------------------------------------------


def _table(rows: Rows) -> str:
    lines = []
    for (kind,), own in grouped(rows, "puzzle").items():
        lines.append([kind, *(_cell(own, name) for name in (*SOLVERS, GENERATOR))])
    text = markdown(["side of the largest", *SOLVERS, "generator"], lines)
    ended = grouped([row for row in rows if row["why"]], "puzzle", "side", "solver")
    reasons = [f"{kind} {side}, {s} ({own[-1]['why']})" for (kind, side, s), own in ended.items()]
    return f"{text}\n\nRefused, killed or crashed: {', '.join(reasons) or 'none'}."


def _cell(rows: Rows, name: str) -> str:
    """The largest side with enough boards, its median seconds, and what ended the next one."""
    reached, ended = "-", ""
    for (side, solver), own in grouped(rows, "side", "solver").items():
        if solver != name:
            continue
        seconds = [row["seconds"] if row["status"] == "valid" else inf for row in own]
        if sum(s < inf for s in seconds) >= ENOUGH:
            reached = f"**{side}** {median(seconds):.2f} s"
        else:
            status = next(row["status"] for row in reversed(own) if row["status"] != "valid")
            ended = f"; {side}: {WORDS.get(status, status)}"
    return reached + ended


BENCHMARKS = (
    Benchmark(
        "largest", _cases, {"largest": _table}, packages=("localmip", "ortools", "clingo", "numba")
    ),
)
SETTINGS = {
    "seed": (1, "of the boards"),
    "time_limit": (10.0, "seconds a run"),
    "making_s": (60.0, "seconds a board that is generated"),
    "kind_s": (180.0, "seconds of a kind after which no further size is begun"),
}
