"""Published boards of all puzzles: how many does the annealer solve at its defaults.

FOLDER has the folders of assets/data of SmilingWayne/puzzlekit-dataset, which are not part of this
project: of each kind so many boards, evenly spread over its file in the order of their cells.
``sat`` solves each and proves that there is no other solution; the solvers that are asked have a
time limit a board, building included. A board is right if the answer keeps the rules, and the same
if it is the published one. Binairo there has lines that may be equal.

Table: published.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from string import ascii_lowercase
from types import SimpleNamespace
from typing import Any

import numpy as np

from harness import Args, Benchmark, Cases, Row, Rows, markdown
from qubopuzzle import Puzzle, solve
from qubopuzzle.errors import TooLarge
from qubopuzzle.puzzles import get_puzzle

SHOWN_MISSES = 6
SIDES = {"e": 1, "s": 2, "w": 4, "n": 8}
ARROWS = {"e": ">", "s": "v", "w": "<", "n": "^"}


def cases(args: Args) -> Cases:
    for folder, (name, read) in KINDS.items():
        path = args.FOLDER / folder / f"{folder}_dataset.json"
        if not path.exists():
            yield f"{path}", None
            continue
        yield folder, measure, name, path, read, args


def measure(name: str, path: Path, read: Callable[..., Any], args: Args) -> Row:
    boards = [
        _board(name, key, each, read) for key, each in json.loads(path.read_text())["data"].items()
    ]
    known = sorted((b for b in boards if b is not None), key=lambda b: (b[0].cells, b[0].id))
    chosen = [known[i] for i in np.unique(np.linspace(0, len(known) - 1, args.boards).astype(int))]
    row: dict[str, Any] = {"id": path.parent.name}
    row |= {"read": len(known), "refused": len(boards) - len(known)}
    row |= {"chosen": len(chosen), "sizes": [list(board.shape) for board, _ in chosen]}
    proofs = [_solved(board, "sat", args.limit, solutions=2) for board, _ in chosen]
    row["unique"] = sum(result.unique is True for result, _ in proofs)
    row["same"] = sum(
        result.valid and np.array_equal(result.grid, published)
        for (result, _), (_, published) in zip(proofs, chosen, strict=True)
    )
    row["sat_s"] = [seconds for _, seconds in proofs]
    for solver in args.solvers.split(","):
        done = [_solved(board, solver, args.limit) for board, _ in chosen]
        row[solver] = {
            "s": [seconds for _, seconds in done],
            "solved": [bool(result.valid) for result, _ in done],
            "missed": [b.id for (b, _), (r, _) in zip(chosen, done, strict=True) if not r.valid],
        }
    return row


def _board(name: str, key: str, each: dict[str, str], read: Callable[..., Any]) -> Any:
    """A board and its published solution; None for a text that is none, or has no solution."""
    try:
        given, answer = (
            [line.split() for line in each[part].strip().split("\n")]
            for part in ("problem", "solution")
        )
        data, solution = read(given, answer[1:])
        board = get_puzzle(name).from_dict({**data, "id": key})
        board.check(solution)  # of its shape and values
    except (ValueError, KeyError, IndexError):
        return None
    return board, solution


def _solved(board: Puzzle, solver: str, limit: float, **more: Any) -> tuple[Any, float]:
    name, _, formulation = solver.partition("/")
    start = time.perf_counter()
    try:
        how = {"formulation": formulation or None, "seed": 0, "time_limit": limit, **more}
        result: Any = solve(board, name, **how)
    except TooLarge as error:
        print(f"{board.name} {board.id}, {solver}: {error}")
        result = SimpleNamespace(valid=False, unique=None, grid=None)
    return result, time.perf_counter() - start


def show(rows: Rows) -> str:
    solvers = [key for key in rows[0] if isinstance(rows[0][key], dict)]
    heads = ["kind", "boards", "sizes", "one solution", "as published", "`sat`, s"]
    heads += [f"`{solver}`, solved, s" for solver in solvers]
    lines, missed = [], []
    for row in rows:
        small, large = ("x".join(map(str, row["sizes"][i])) for i in (0, -1))
        line = [row["id"], str(row["chosen"]), f"{small} to {large}"]
        line += [str(row["unique"]), str(row["same"]), f"{median(row['sat_s']):.2f}"]
        for solver in solvers:
            mine = row[solver]
            line.append(f"{sum(mine['solved'])}, {median(mine['s']):.2f}")
            names = mine["missed"]
            more = f" and {len(names) - SHOWN_MISSES} more" if len(names) > SHOWN_MISSES else ""
            if names:
                shown = ", ".join(names[:SHOWN_MISSES])
                missed.append(f"{row['id']} by `{solver}`: {shown}{more}")
        lines.append(line)
    return f"{markdown(heads, lines)}\n\nNot solved: {'; '.join(missed) or 'none'}."


# --- what the texts say: rows of words, and of the solution --------------------------------


def _cells(words: list[list[str]], known: dict[str, Any]) -> list[list[Any]]:
    return [[known[w] if w in known else int(w) for w in row] for row in words]


def _ones(words: list[list[str]], sign: str) -> Any:
    return np.equal(np.array(words, dtype=object), sign).astype(np.int64)


def _paths(words: list[list[str]]) -> Any:
    return np.array([[sum(SIDES.get(c, 0) for c in word) for word in row] for row in words])


def _akari(given: Any, answer: Any) -> Any:
    return {"grid": _cells(given[1:], {"-": None, "x": "#"})}, _ones(answer, "o")


def _binairo(given: Any, answer: Any) -> Any:
    grid = _cells(given[1:], {"-": None, "1": 0, "2": 1})
    return {"grid": grid, "unique": False}, _ones(answer, "2")


def _hashi(given: Any, answer: Any) -> Any:
    shown = {"-": 0, "1": 1, "2": 2, "a": 3, "b": 6}
    between = np.array([[shown[word] for word in row] for row in answer])
    right, down = between % 3, between // 3  # a bridge leaves an island as the cell behind it
    is_island = [[word != "-" for word in row] for row in given[1:]]
    right += np.pad(right, ((0, 0), (0, 1)))[:, 1:] * is_island
    down += np.pad(down, ((0, 1), (0, 0)))[1:] * is_island
    return {"grid": _cells(given[1:], {"-": None})}, right + 3 * down


def _kakuro(given: Any, answer: Any) -> Any:
    grid = [[{"0": None, "-": "#"}.get(w, w.replace(",", "\\")) for w in row] for row in given[1:]]
    return {"grid": grid}, np.array(_cells(answer, {"-": 0}))


def _lits(given: Any, answer: Any) -> Any:
    return {"rooms": _cells(given[1:], {})}, 1 - _ones(answer, "-")


def _masyu(given: Any, answer: Any) -> Any:
    return {"grid": _cells(given[1:], {"-": None, "w": "w", "b": "b"})}, _paths(answer)


def _numbers(given: Any, answer: Any) -> Any:
    return {"grid": _cells(given[1:], {"-": None})}, _ones(answer, "x")


def _shikaku(given: Any, answer: Any) -> Any:
    grid = _cells(given[1:], {"-": None})
    mine = [answer[r][c] for r, row in enumerate(grid) for c, n in enumerate(row) if n]
    return {"grid": grid}, np.array([[mine.index(word) for word in row] for row in answer])


def _starbattle(given: Any, answer: Any) -> Any:
    return {"rooms": _cells(given[1:], {}), "stars": int(given[0][2])}, _ones(answer, "x")


def _skyscrapers(given: Any, answer: Any) -> Any:
    rows, columns, heights = given[0]  # others have a diagonal, too
    if not rows == columns == heights:
        raise ValueError("there are blank cells")
    sides = [_cells([line], {"-": None})[0] for line in given[1:5]]
    around = dict(zip(("top", "bottom", "left", "right"), sides, strict=True))
    return {"grid": _cells(given[5:], {"-": None}), **around}, np.array(answer).astype(int)


def _places(words: list[list[str]]) -> dict[str, list[tuple[int, int]]]:
    """Where each word stands."""
    places: dict[str, list[tuple[int, int]]] = {}
    for r, row in enumerate(words):
        for c, word in enumerate(row):
            places.setdefault(word, []).append((r, c))
    return places


def _consecutive(given: Any, answer: Any) -> Any:
    n, dots = len(answer), []
    for (r, c), mark in np.ndenumerate(np.array(given[1 + n :]).astype(int)):
        dots += [[(r, c), (r, c + 1)]] * (mark & 1) + [[(r, c), (r + 1, c)]] * (mark >> 1 & 1)
    grid, marks = _cells(given[1 : 1 + n], {"-": 0}), [{"cells": cells} for cells in dots]
    board = {"grid": grid, "box": [1, n], "differences": marks, "nonconsecutive": True}
    return board, np.array(answer).astype(int)


def _even_odd(given: Any, answer: Any) -> Any:
    places, grid = _places(given[1:]), _cells(given[1:], {"-": 0, "E": 0, "O": 0})
    parity = {"even": places.get("E", []), "odd": places.get("O", [])}
    return {"grid": grid, **parity}, np.array(answer).astype(int)


def _jigsaw(given: Any, answer: Any) -> Any:
    n = len(answer)
    grid, regions = _cells(given[1 : 1 + n], {"-": 0}), _cells(given[1 + n :], {})
    return {"grid": grid, "regions": regions}, np.array(answer).astype(int)


def _killer(given: Any, answer: Any) -> Any:
    n = len(answer)
    cages = []
    for cells in _places(given[1 + n :]).values():
        sums = [int(given[1 + r][c]) for r, c in cells if given[1 + r][c] != "-"]
        cages.append({"cells": cells, "sum": sums[0] if sums else None})
    return {"grid": [[0] * n] * n, "cages": cages}, np.array(answer).astype(int)


def _tents(given: Any, answer: Any) -> Any:
    grid = _cells(given[3:], {"-": None, "x": "T"})
    return {
        "cols": _cells([given[1]], {"-": None})[0],
        "rows": _cells([given[2]], {"-": None})[0],
        "grid": grid,
    }, _ones(answer, "o")


def _yajilin(given: Any, answer: Any) -> Any:
    grid = [[None if w == "-" else w[:-1] + ARROWS[w[-1]] for w in row] for row in given[1:]]
    return {"grid": grid}, np.where(_ones(answer, "x"), 16, _paths(answer))


def _abc(given: Any, answer: Any) -> Any:
    letters = {"-": 0} | {letter: i for i, letter in enumerate(ascii_lowercase, start=1)}
    sides = [_cells([line], letters)[0] for line in given[1:5]]
    around = dict(zip(("top", "bottom", "left", "right"), sides, strict=True))
    grid, size = _cells(given[5:], letters), {"size": len(answer), "letters": letters[given[0][2]]}
    return {**size, "grid": grid, **around}, np.array(_cells(answer, letters))


def _heyawake(given: Any, answer: Any) -> Any:
    n, numbers = len(answer), {}
    places = _places(given[1 + n :])
    for r, row in enumerate(given[1 : 1 + n]):
        numbers |= {given[1 + n + r][c]: int(word) for c, word in enumerate(row) if word != "-"}
    rooms = _cells(given[1 + n :], {name: i for i, name in enumerate(places)})
    return {"rooms": rooms, "clues": [numbers.get(name) for name in places]}, _ones(answer, "x")


def _nonogram(given: Any, answer: Any) -> Any:
    clues = [[int(word) for word in line if word != "0"] for line in given[1:]]
    columns = len(answer[0])
    return {"cols": clues[:columns], "rows": clues[columns:]}, _ones(answer, "x")


def _numberlink(given: Any, answer: Any) -> Any:
    paths = _paths(answer)
    return {"grid": _cells(given[1:], {"-": None}), "cover": bool(paths.all())}, paths


def _sudoku(given: Any, answer: Any) -> Any:
    return {"grid": _cells(given[1:], {"-": 0})}, np.array(answer).astype(int)


def _yinyang(given: Any, answer: Any) -> Any:
    return {"grid": _cells(given[1:], {"-": None, "w": "w", "b": "b"})}, _ones(answer, "b")


KINDS: dict[str, tuple[str, Callable[..., Any]]] = {
    "Akari": ("akari", _akari),
    "Hashi": ("hashi", _hashi),
    "Kakuro": ("kakuro", _kakuro),
    "LITS": ("lits", _lits),
    "Masyu": ("masyu", _masyu),
    "Nurikabe": ("nurikabe", _numbers),
    "Shikaku": ("shikaku", _shikaku),
    "Skyscraper": ("skyscrapers", _skyscrapers),
    "Slitherlink": ("slitherlink", _numbers),
    "Starbattle": ("starbattle", _starbattle),
    "Binairo": ("takuzu", _binairo),
    "Tent": ("tents", _tents),
    "Yajilin": ("yajilin", _yajilin),
    "YinYang": ("yinyang", _yinyang),
    "ConsecutiveSudoku": ("sudoku", _consecutive),
    "EvenOddSudoku": ("sudoku", _even_odd),
    "JigsawSudoku": ("sudoku", _jigsaw),
    "KillerSudoku": ("sudoku", _killer),
    "Sudoku": ("sudoku", _sudoku),
    "ABCEndView": ("easyasabc", _abc),
    "Heyawake": ("heyawake", _heyawake),
    "Hitori": ("hitori", _numbers),
    "Kuromasu": ("kurodoko", _numbers),
    "Nonogram": ("nonogram", _nonogram),
    "NumberLink": ("numberlink", _numberlink),
}

BENCHMARKS = (Benchmark("published", cases, {"published": show}),)
SETTINGS = {
    "FOLDER": (Path("assets/data"), "the folder of the kinds"),
    "boards": (25, "boards of a kind"),
    "limit": (10.0, "seconds a board and solver"),
    "solvers": ("annealer", "those that are asked besides sat; behind / a formulation"),
}
