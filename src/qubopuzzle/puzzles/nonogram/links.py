"""Nonograms in the players: ``nonogram`` at puzz.link, ``pattern`` in Tatham's collection."""

import re
from typing import Any

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import AddressText, Board, FileText, Game, Link
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT, Nonogram
from qubopuzzle.puzzles.penpa import PenpaText


def _slots(text: AddressText, board: Board) -> None:
    """The clues of columns, then of rows, each from its end and filled up with blanks."""
    cols, rows = _clue_tables(board, text.shape)
    slots = text.numbers(np.append(cols[:, ::-1], rows[:, ::-1]))
    cols, rows = slots[: cols.size].reshape(cols.shape), slots[cols.size :].reshape(rows.shape)
    _read_clues(board, cols[:, ::-1], rows[:, ::-1])


def _table(text: FileText, board: Board) -> None:
    """The clues above and at the left of the cells of an answer."""
    cols, rows = _clue_tables(board, text.shape)
    high, wide = cols.shape[1], rows.shape[1]
    table = np.zeros((high + len(rows), wide + len(cols)), dtype=object)
    table[:high, wide:], table[high:, :wide] = cols.T, rows
    table[table == 0] = "."
    table[high:, wide:] = links.shading_words(board, text.shape)
    table = text.words(table)
    # A clue that somebody has ticked off begins with c.
    cols, rows = (
        links.to_numbers(links.without(t, "c"))
        for t in (table[:high, wide:].T, table[high:, :wide])
    )
    _read_clues(board, cols, rows)
    board["solution"] = links.read_shading(table[high:, wide:])


def _clue_tables(board: Board, shape: tuple[int, int]) -> tuple[IntArray, IntArray]:
    """The clues of columns and of rows at the end of lines with places for the longest."""
    rows, columns = shape
    tables = np.zeros((columns, (rows + 1) // 2), int), np.zeros((rows, (columns + 1) // 2), int)
    for key, table in zip(("cols", "rows"), tables, strict=True):
        for i, (line, clue) in enumerate(zip(table, board.get(key, ()), strict=False)):
            if len(clue) > len(line):
                raise InputError(f"{key}[{i}]: {len(clue)} runs have no place here; write json")
            line[len(line) - len(clue) :] = clue
    return tables


def _read_clues(board: Board, cols: IntArray, rows: IntArray) -> None:
    for key, name, table in (("cols", "column", cols), ("rows", "row", rows)):
        links.check(table, f"{name} {{}}".format)
        board[key] = [[number for number in clue if number] for clue in table.tolist()]


def _beside(text: PenpaText, board: Board) -> None:
    """The clues above and at the left of the cells; 0 is that of an empty line."""
    numbers = text.given.numbers
    if not text.reading:
        for i, clue in enumerate(board["cols"]):
            numbers |= {(-k, i): str(run) for k, run in enumerate(clue[::-1], start=1)}
        for i, clue in enumerate(board["rows"]):
            numbers |= {(i, -k): str(run) for k, run in enumerate(clue[::-1], start=1)}
        return
    rows: list[list[int]] = [[] for _ in range(text.shape[0])]
    cols: list[list[int]] = [[] for _ in range(text.shape[1])]
    for (r, c), word in sorted(numbers.items()):
        lines, i = (cols, c) if r < 0 else (rows, r)
        if (r < 0) != (c < 0) and i < len(lines) and word != "0":
            lines[i].append(links.whole(word, "a clue"))
    board |= {"rows": rows, "cols": cols}


def _read_pattern(body: str, columns: int, rows: int) -> Board:
    clues_of, comma, cells = body.partition(",")
    solution = None
    if comma:
        if len(cells) != columns * rows or cells.strip("aA"):
            raise InputError("some cells given beside the clues (,) are a variant not known here")
        solution = np.array([int(cell == "A") for cell in cells]).reshape(rows, columns)
    count = columns + rows
    lines = clues_of.split("/", count)
    if len(lines) != count:
        has = f"more than {count}" if len(lines) > count else len(lines)
        raise InputError(f"{has} lines between slashes, but {count} columns and rows")
    clues = [_runs(i, line, columns) for i, line in enumerate(lines)]
    return {"cols": clues[:columns], "rows": clues[columns:], "solution": solution}


def _runs(i: int, line: str, columns: int) -> list[int]:
    runs = line.split(".", LINE_LIMIT) if line else []
    for run in runs:
        if not re.fullmatch("0{0,9}[1-9][0-9]{0,8}", run):
            where = f"column {i + 1}" if i < columns else f"row {i + 1 - columns}"
            raise InputError(f"{where}: {brief(run[:60])} is no length of a run")
    return [int(run) for run in runs]


def _write_pattern(puzzle: Any) -> str:
    """After a comma a solution: a letter a cell for no unknown ones before it, small for white."""
    puzzle.check_black()
    lines = [".".join(map(str, clue)) for clue in (*puzzle.cols, *puzzle.rows)]
    text = f"{len(puzzle.cols)}x{len(puzzle.rows)}:" + "/".join(lines)
    if puzzle.solution is not None:
        text += "," + "".join("aA"[black] for black in puzzle.solution.ravel().tolist())
    return text


LINKS = (
    Link("nonogram", body=[_slots], file=[_table], check=Nonogram.check_black),
    penpa.Penpa(("nonogram",), [_beside, links.shading], check=Nonogram.check_black),
    Game("pattern", _read_pattern, _write_pattern, signs="/.,", givens="solution"),
)
