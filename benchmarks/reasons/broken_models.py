"""A hundred models with a row too many: how soon `explain` says which rows contradict each other.

Of each kind twenty, from a seed: assignments, 3-colourings and timetables with one more row, which
no solution meets; sudokus with a given and nonograms with a clue that are wrong. Everything else
has a solution, so that each set of rows that contradict each other has the planted one. "minimal"
is checked by another solver, on models of these rows alone: there is none with all of them, and
one without any of them. The smallest set is looked for on the five smallest of each kind.

Tables: broken_models, smallest_conflicts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.sparse import csr_array

from data.planted import assignment, timetable
from data.programs import Rows, stream
from harness import HERE, Args, Benchmark, Cases, Row, grouped, markdown, timed
from qubopuzzle import Explanation, Problem, Program, explain, solve
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.model import IntArray, Linear, Model, ModelBuilder
from qubopuzzle.model.statements import StatedModel
from qubopuzzle.problem import ModelProblem
from qubopuzzle.puzzles import get_puzzle

SMALL = 5
"""Of each kind, those whose smallest conflict is looked for."""


def cases(args: Args) -> Cases:
    for kind in KINDS:
        explain(broken(kind, 0)[0])  # imports
        for number in range(args.models):
            yield f"{kind} {number}", measure, kind, number, args.limit


def measure(kind: str, number: int, limit: float) -> Row:
    problem, name = broken(kind, number)
    stated = problem.stated()
    seconds, first = timed(explain, problem, time_limit=limit)
    row: dict[str, Any] = {"kind": kind, "number": number, "extent": problem.extent}
    row |= {"statements": len(stated.statements), "s": seconds, "by": first.proved_by}
    row |= {"conflict": len(first.conflict), "planted": has(first, name)}
    row |= {"minimal": first.is_minimal and is_minimal(stated, first)}
    row |= {"relax": len(first.relax or ()), "lightest": first.is_lightest}
    if number < SMALL:
        seconds, least = timed(explain, problem, smallest=True, time_limit=limit)
        row |= {"smallest_s": seconds, "smallest": len(least.conflict)}
        row |= {"proved": least.is_smallest and is_minimal(stated, least)}
    return row


def has(explanation: Explanation, planted: str) -> bool:
    """Whether the statement is in the conflict; names of lines go on with their clue."""
    return any(f"{each.name}:".startswith(f"{planted}:") for each in explanation.conflict)


def is_minimal(stated: StatedModel, explanation: Explanation) -> bool:
    """Whether CP-SAT sees no solution with the conflict, and one without each part of it."""
    names = {each.name for each in explanation.conflict}
    numbers = [i for i, each in enumerate(stated.statements) if each.name in names]
    fewer = [[i for i in numbers if i != each] for each in numbers]
    return len(numbers) == len(names) and [
        solve(only(stated, each), "cpsat", time_limit=60).status for each in (numbers, *fewer)
    ] == ["infeasible", *["optimal"] * len(numbers)]


def only(stated: StatedModel, statements: Collection[int]) -> Model:
    """A model with these statements alone, and with what always holds."""
    model, at, linear = stated.model, 0, []
    kept = np.isin(stated.owner, [-1, *statements])
    for block in model.linear:
        rows = np.flatnonzero(kept[at : at + len(block.lower)])
        at += len(block.lower)
        ends = block.lower[rows], block.upper[rows]
        linear.append(Linear(block.family, csr_array(block.matrix[rows]), *ends, str))
    precedence = []
    for order in model.precedence:
        rows = np.flatnonzero(kept[at : at + len(order.gap)])
        at += len(order.gap)
        parts = order.first[rows], order.second[rows], order.gap[rows]
        precedence.append(replace(order, first=parts[0], second=parts[1], gap=parts[2]))
    assert not model.graphs
    switches = [stated.statements[i].literal for i in statements]
    on = np.array([literal for literal in switches if literal is not None], dtype=np.int64)
    ones = np.ones(len(on), dtype=np.int64)
    rows = csr_array((ones, (np.arange(len(on)), on)), shape=(len(on), model.n_literals))
    linear.append(Linear(model.families[0], rows, ones, ones, str))
    return replace(
        model, linear=tuple(linear), precedence=tuple(precedence), objective=None, field=None
    )


def show(rows: list[Row]) -> str:
    heads = ["kind", "models", "statements", "median s", "slowest s", "median of a conflict"]
    heads += ["greatest", "with the planted one", "minimal", "one left out will do, proved"]
    lines = []
    for (kind,), own in grouped(rows, "kind").items():
        of = {key: [row[key] for row in own] for key in own[0] if key in own[-1]}
        lines.append(
            [
                kind,
                str(len(own)),
                f"{min(of['statements'])} to {max(of['statements'])}",
                f"{median(of['s']):.3f}",
                f"{max(of['s']):.2f}",
                f"{median(of['conflict']):g}",
                str(max(of["conflict"])),
                str(sum(of["planted"])),
                str(sum(of["minimal"])),
                str(sum(row["relax"] == 1 and row["lightest"] for row in own)),
            ]
        )
    everything = median(row["s"] for row in rows)
    return f"{markdown(heads, lines)}\n\nMedian of all: {everything:.3f} s."


def show_smallest(rows: list[Row]) -> str:
    heads = ["model", "statements", "minimal", "s", "smallest", "s", "proved"]
    lines = [
        [
            f"{row['kind']} {row['number']}, {row['extent']}",
            str(row["statements"]),
            str(row["conflict"]),
            f"{row['s']:.3f}",
            str(row["smallest"]),
            f"{row['smallest_s']:.3f}",
            "yes" if row["proved"] else "no",
        ]
        for row in rows
        if "smallest" in row
    ]
    return markdown(heads, lines)


# --- a hundred broken models ---------------------------------------------------------------


def broken(kind: str, number: int) -> tuple[Problem, str]:
    """One of twenty problems without a solution, and the statement that is to blame."""
    return KINDS[kind](stream(f"broken {kind}", number), number)


# --- programs with a row more --------------------------------------------------------------


def _assignment(rng: Generator, number: int) -> tuple[Problem, str]:
    rows, _ = assignment(rng, n=(8, 20, 50, 100)[number // 5], extra=3)
    return _with_row(rng, rows)


def _timetable(rng: Generator, number: int) -> tuple[Problem, str]:
    slots, rooms = ((4, 3), (8, 4), (12, 5), (20, 5))[number // 5]
    rows, _ = timetable(rng, slots=slots, rooms=rooms, groups=rooms + 2)
    return _with_row(rng, rows)


def _with_row(rng: Generator, rows: Rows) -> tuple[Problem, str]:
    """One more row: that some variables are 1, which no other row by itself rules out."""
    program = rows.program("right")
    ones = np.zeros(len(program.variables), dtype=np.int64)
    with Oracle(program.stated()) as oracle:
        every = range(len(oracle.stated.statements))
        model = oracle.stated.model
        first = zip(model.choices, model.first_literal.tolist(), strict=False)
        literal = {choice.name: at + 1 for choice, at in first}
        while True:
            fits = [v for v in np.flatnonzero(ones == 0) if _fits(program, ones, v)]
            if not fits:  # they make a solution
                ones[:] = 0
                continue
            ones[rng.choice(fits)] = 1
            chosen = np.flatnonzero(ones).tolist()
            variables = [oracle.variable(literal[program.variables[v]]) for v in chosen]
            needed = oracle.minimal_variables(variables, every)
            if needed is not None:
                break
    row = [v for v, variable in zip(chosen, variables, strict=True) if variable in needed]
    rows.add("planted", row, low=len(row))
    program = rows.program("broken")
    return program, program.rows[-1]


def _fits(program: Program, ones: IntArray, variable: int) -> bool:
    """Whether each row by itself takes one more variable of 1."""
    more = ones.copy()
    more[variable] = 1
    return bool((program.matrix @ more <= program.row_upper).all())


# --- colourings with an edge more ----------------------------------------------------------


def _colouring(rng: Generator, number: int) -> tuple[Problem, str]:
    """An edge between vertices that have one colour in every 3-colouring."""
    n = (12, 30, 60, 100)[number // 5]
    while True:
        colour = rng.integers(3, size=n)
        pairs = [*combinations(range(n), 2)]
        edges = [pairs[i] for i in rng.permutation(len(pairs)) if np.ptp(colour[[*pairs[i]]])]
        edges = edges[: int(2.4 * n)]
        with Oracle(StatedModel.by_label(_coloured(n, edges))) as oracle:
            every = range(len(oracle.stated.statements))
            for u, v in rng.permutation([p for p in pairs if not np.ptp(colour[[*p]])]).tolist():
                # All colours are alike, so that two that differ stand for any.
                if (
                    oracle.solve(every, [oracle.variable(3 * u), oracle.variable(3 * v + 1)])
                    is None
                ):
                    return ModelProblem(_coloured(n, [*edges, (u, v)])), f"{u} - {v}"


def _coloured(n: int, edges: list[tuple[int, int]]) -> Model:
    builder = ModelBuilder()
    vertices = [builder.choice(f"v{i}", range(3)) for i in range(n)]
    for u, v in edges:
        for c in range(3):
            builder.add("edge", (vertices[u] == c) + (vertices[v] == c) <= 1, f"{u} - {v}")
    return builder.build(id=f"colouring of {n}")


# --- puzzles with a clue that is wrong -----------------------------------------------------


def _generated(kind: str, number: int) -> Any:
    lines = (HERE / "generated" / f"{kind}.jsonl").read_text().splitlines()
    return get_puzzle(kind).from_dict(json.loads(lines[number]))


def _sudoku(rng: Generator, number: int) -> tuple[Problem, str]:
    """A given more, of a sudoku with one solution, that is not the solution's."""
    puzzle = _generated("sudoku", number + 5)
    at = rng.choice(np.flatnonzero(puzzle.grid == 0))
    right, grid = puzzle.solution.flat[at], puzzle.grid.copy()
    grid.flat[at] = rng.choice([v for v in puzzle.values if v != right])
    row, column = divmod(int(at), grid.shape[1])
    wrong = replace(puzzle, grid=grid, solution=None, n_solutions=None)
    return wrong, f"the {grid.flat[at]} in row {row + 1}, column {column + 1}"


def _nonogram(rng: Generator, number: int) -> tuple[Problem, str]:
    """The clue of a line with its runs put otherwise, as many cells together."""
    puzzle = _generated("nonogram", number)
    while True:
        key = ("rows", "cols")[rng.integers(2)]
        clues, other = (
            list(getattr(puzzle, k)) for k in (key, {"rows": "cols", "cols": "rows"}[key])
        )
        line = int(rng.integers(len(clues)))
        clues[line] = _other_runs(rng, clues[line], len(other))
        wrong = replace(puzzle, solution=None, n_solutions=None, **{key: tuple(clues)})
        if clues[line] != getattr(puzzle, key)[line] and solve(wrong, "sat").status == "infeasible":
            return wrong, f"{'row' if key == 'rows' else 'column'} {line + 1}"


def _other_runs(rng: Generator, clue: tuple[int, ...], length: int) -> tuple[int, ...]:
    """As many cells in other runs, which fit the line."""
    cells = sum(clue)
    if not cells:
        return clue
    runs = int(rng.integers(1, min(cells, length - cells + 1) + 1))
    ends = np.sort(rng.choice(cells - 1, runs - 1, replace=False)) + 1
    return tuple(np.diff([0, *ends, cells]).tolist())


KINDS: dict[str, Callable[[Generator, int], tuple[Problem, str]]] = {
    "assignment": _assignment,
    "colouring": _colouring,
    "timetable": _timetable,
    "sudoku": _sudoku,
    "nonogram": _nonogram,
}
TABLES = {"broken_models": show, "smallest_conflicts": show_smallest}
BENCHMARKS = (Benchmark("broken_models", cases, TABLES, packages=("ortools",)),)
SETTINGS = {
    "models": (20, "of each kind, at most as many"),
    "limit": (60.0, "seconds for a model"),
}
