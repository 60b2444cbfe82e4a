"""What a process does for the page: each function takes and returns what JSON holds.

A puzzle comes with each call, as its native JSON object; nothing is kept between calls.
``requests`` calls these functions by their names.
"""

import json
import threading
import time
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import numpy as np

from qubopuzzle.base.checks import brief, whole
from qubopuzzle.base.places import from_one
from qubopuzzle.base.processes import say
from qubopuzzle.base.recorder import Recorder, evenly
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import formats_for, read_text, solved_address, write_text
from qubopuzzle.files.puzzles.native import problem_from_dict
from qubopuzzle.model import IntArray
from qubopuzzle.problem import Problem
from qubopuzzle.puzzles import Puzzle, get_puzzle, puzzle_names
from qubopuzzle.puzzles.generator import PuzzleGenerator, find_generator
from qubopuzzle.reasons.hints import contradiction, hint
from qubopuzzle.solvers import all_solvers
from qubopuzzle.solvers.base import Solver
from qubopuzzle.solving.result import Result
from qubopuzzle.solving.settings import DEFAULT_SOLVER
from qubopuzzle.solving.solve import solve
from qubopuzzle.solving.trace import Trace
from qubopuzzle.web.frames import STATES, Frames, board, entries, numbers
from qubopuzzle.web.messages import packed

READ_LIMIT = 100
"""Puzzles of one text that are shown."""
CELL_LIMIT = 20_000
"""Most cells of a board that is drawn."""
_SHEET_S = 10
"""Seconds for the solutions of a sheet, all together."""
_LIVE_S = 1 / 30
_MOST_LISTED = 20
_EXAMPLES = 3
_PICTURES = ("pdf", "png", "svg")

Json = dict[str, Any]


def warm() -> None:
    """Import what calls need, and load compiled code."""
    nonogram = get_puzzle(puzzle_names()[0]).examples()[0]
    solve(nonogram, seed=1, trace=True, reads=1)
    hint(nonogram, {})


# --- puzzles -----------------------------------------------------------------------------


def about() -> Json:
    """The solvers that can run here, the puzzles with their formulations, and examples."""
    local = _offered()
    return {
        "solvers": {
            name: {
                "about": solver.about,
                "weights": solver.target in ("qubo", "model"),
            }
            for name, solver in sorted(local.items())
        },
        "puzzles": {
            name: {
                "formulations": [*get_puzzle(name).formulations],
                "formats": formats_for(name),
                "generated": bool(get_puzzle(name).generator),
                "rules": get_puzzle(name).rules_in_words(),
            }
            for name in puzzle_names()
        },
        "pictures": [*_PICTURES],
        "examples": [_shown(example) for name in puzzle_names() for example in examples_of(name)],
    }


def examples_of(name: str) -> list[Puzzle]:
    """The examples of a kind that the page offers."""
    return [*get_puzzle(name).examples()[:_EXAMPLES]]


def _offered() -> dict[str, Solver]:
    """Our own solvers that run here, and send nothing elsewhere."""
    return {
        name: solver
        for name, solver in all_solvers().items()
        if type(solver).__module__.startswith("qubopuzzle.solvers.")
        and solver.available().ok
        and not solver.remote
    }


def read(text: str = "", image: str = "") -> Json:
    """The puzzles of a text in any format, or of an image, base64."""
    if image:
        try:
            data = b64decode(image, validate=True)
        except ValueError:
            raise InputError("image: no base64") from None
        return {"puzzles": [_shown(_from_image(data))]}
    if not text.strip():
        raise InputError("there is nothing to read; paste an address or the text of a puzzle")
    puzzles = read_text(text.strip())
    return {"puzzles": [_shown(problem) for problem in puzzles[:READ_LIMIT]], "count": len(puzzles)}


def _from_image(data: bytes) -> Problem:
    """The puzzle that is made of pictures, of one."""
    for name in puzzle_names():
        if get_puzzle(name).generator:
            generator = find_generator(name)
            if type(generator).from_image is not PuzzleGenerator.from_image:
                rng = np.random.default_rng(0)
                made: Puzzle = generator.from_image(BytesIO(data), None, {}, rng)[0]
                return made
    raise InputError("no puzzle is made from an image here")


def new(puzzle: str, size: str = "", difficulty: str = "", seed: int | None = None) -> Json:
    """A new puzzle with one solution."""
    from qubopuzzle.reasons.generate import generate

    made = generate(puzzle, size=size or None, seed=seed, difficulty=difficulty or None)
    return {"puzzles": [_shown(made[0])]}


def _shown(problem: Problem) -> Json:
    """A puzzle with its board; its solution stays here."""
    puzzle = _drawn(problem)
    data = puzzle.to_dict()
    data.pop("solution", None)
    return {
        "puzzle": data,
        "name": problem.name,
        "id": problem.id,
        "title": problem.title,
        "extent": problem.extent,
        "board": board(puzzle),
        "entries": entries(puzzle),
    }


def _problem(data: Any) -> Puzzle:
    return _drawn(problem_from_dict(data))


def _drawn(problem: Problem) -> Puzzle:
    """The problem, if it has a board that is not too large."""
    if not isinstance(problem, Puzzle):
        raise InputError("a model has no board; `qubopuzzle solve FILE` solves it")
    if problem.cells > CELL_LIMIT:
        raise InputError(f"{problem.extent}: more than the {CELL_LIMIT:,} that are drawn here")
    return problem


# --- solving -----------------------------------------------------------------------------


def tell_run(
    puzzle: Any,
    solver: str = DEFAULT_SOLVER,
    formulation: str | None = None,
    encoding: str | None = None,
    presolve: str | None = None,
    weights: Any = None,
    seed: Any = None,
    *,
    limit: float,
) -> None:
    """Solve, and send events: frames while it goes on, the result, then all frames kept."""
    if not isinstance(solver, str) or solver not in _offered():
        raise InputError(
            f"unknown solver {brief(solver)}; {', '.join(sorted(_offered()))} run here"
        )
    settings: Json = {
        "solver": solver,
        "formulation": formulation,
        "encoding": encoding,
        "presolve": presolve,
        "weights": weights or None,
        "seed": seed,
        "time_limit": limit,
    }
    problem = _problem(puzzle)
    frames, recorder = Frames(), Recorder()
    with _live(problem, recorder, frames):
        result = solve(problem, trace=recorder, **settings)
    most = min(STATES, max(100, 10**6 // problem.cells))
    for event, content in recorded(result, settings, recorder, frames, most):
        _tell(event, content)


def recorded(
    result: Result, settings: Mapping[str, Any], recorder: Recorder, frames: Frames, most: int
) -> Iterator[tuple[str, Json]]:
    """The events of a run that is over: its result, and so many of its states at most."""
    yield "result", _result(result, settings)
    chosen = evenly(len(recorder.states), most)
    yield "course", {"frames": len(chosen)}
    trace = Trace.of(result.problem, [recorder.states[number] for number in chosen])
    for number in range(len(trace)):
        yield "kept", _named(frames.of(trace, number))
    if result.best is not None:  # which may be of a state that was not kept
        energy = numbers({"energy": float(sum(result.energies.values()))})
        answer = {"answer": True, "valid": result.valid, "families": dict(result.energies)}
        yield "kept", frames.frame(result.best, **answer, **energy)


def _tell(event: str, content: Json) -> None:
    say((event, packed(content)))


def _named(frame: Json) -> Json:
    """A frame whose heaviest constraints are counted from 1."""
    for heaviest in frame.get("heaviest", ()):
        heaviest[0] = from_one(heaviest[0])
    return frame


@contextmanager
def _live(problem: Problem, recorder: Recorder, frames: Frames) -> Iterator[None]:
    """Meanwhile send a frame of the last state that is kept, some thirty times a second."""
    done = threading.Event()

    def tell() -> None:
        last, due = None, time.perf_counter()
        while not done.wait(max(0.001, due - time.perf_counter())):
            due = max(due + _LIVE_S, time.perf_counter())
            states = recorder.states[-1:]
            if states and states[0] is not last:
                _tell("frame", _named(frames.of(Trace.of(problem, states), 0)))
                last = states[0]

    thread = threading.Thread(target=tell)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _result(result: Result, settings: Mapping[str, Any]) -> Json:
    return {
        "valid": result.valid,
        "summary": from_one(result.summary()),
        "violations": [
            from_one(f"{v.rule}: {v.message}") for v in result.violations[:_MOST_LISTED]
        ],
        "seed": result.seed,
        "solver": result.solver,
        "url": _address(result),
        "snippet": _snippet(result, settings),
    }


def _address(result: Result) -> str | None:
    if result.grid is None or not result.valid:
        return None
    try:
        return solved_address(result.problem, result.grid)
    except InputError:
        return None


def _snippet(result: Result, settings: Mapping[str, Any]) -> str:
    """A program that repeats the run: as many reads, if the clock did not end it amid one."""
    data = result.problem.to_dict()
    data.pop("solution", None)
    given = {**settings, "formulation": result.formulation, "seed": result.seed}
    lines = [f"    {name}={value!r}," for name, value in given.items() if value not in (None, {})]
    if result.valid and result.reads:
        lines.append(f"    reads={result.reads},")
    elif not result.valid:
        lines.append(
            "    # It ended with the time, and another machine comes further, or less far."
        )
    return "\n".join(
        [
            "import qubopuzzle",
            "",
            f"[puzzle] = qubopuzzle.load({json.dumps(data)!r})",
            "result = qubopuzzle.solve(",
            "    puzzle,",
            *lines,
            ")",
            "print(result)",
            "",
        ]
    )


# --- by hand -----------------------------------------------------------------------------


def _marks(problem: Puzzle, marks: Any) -> dict[tuple[int, ...], int]:
    if not isinstance(marks, list) or len(marks) > problem.cells:
        raise InputError("marks: expected a list of [row, column, value]")
    result: dict[tuple[int, ...], int] = {}
    for mark in marks:
        if not isinstance(mark, list) or len(mark) != 3:
            raise InputError(f"marks: expected [row, column, value], got {brief(mark)}")
        row, column, value = (whole("mark", part, 0, 10**6) for part in mark)
        result[row, column] = value
    return result


def next_hint(puzzle: Any, marks: Any, bits: bool = False) -> Json:
    """What follows from the marks, or what they contradict; null if all cells have one."""
    problem = _problem(puzzle)
    result = hint(problem, _marks(problem, marks), bits=bits)
    if result is None:
        return {"hint": None}
    return {"hint": result.to_dict()}


def check(puzzle: Any, marks: Any, bits: bool = False, solved_only: bool = False) -> Json:
    """What is wrong with marks on a board, and whether it is solved.

    Cells without a mark count as 0 where that is drawn as nothing and makes a valid answer. A board
    that is not finished is wrong where its marks lead to no answer, which ``solved_only`` does not
    ask.
    """
    problem = _problem(puzzle)
    given = _marks(problem, marks)
    if problem.contradiction is not None:
        return _wrong((), f"no answer can be right: {problem.contradiction}")
    answer = _grid(problem, given)
    is_full = len(given) == problem.cells
    try:
        violations = problem.violations(answer)
    except InputError as error:  # 0 is no value of this puzzle
        if is_full:
            raise InputError(str(error)) from None
        violations = None
    if violations == [] and (is_full or _draws_no_zero(problem)):
        return {"solved": True, "cells": [], "messages": []}
    if solved_only:
        return _wrong((), "not solved yet")
    if violations is not None and is_full:
        cells = sorted({tuple(cell) for v in violations for cell in v.cells})
        return _wrong(cells, *(violation.message for violation in violations[:_MOST_LISTED]))
    if (wrong := contradiction(problem, given, bits=bits)) is not None:
        return {"solved": False, "cells": wrong.because, "messages": [wrong.text]}
    missing = f"{problem.cells - len(given)} cells are open"
    if bits and violations:  # lines: a cell without any may be right
        missing = f"not solved yet: {violations[0].message}"
    return _wrong((), f"nothing is wrong so far; {missing}")


def _grid(puzzle: Puzzle, marks: Mapping[tuple[int, ...], int]) -> IntArray:
    """The answer that marks are, 0 elsewhere."""
    answer = np.zeros(puzzle.shape, dtype=np.int64)
    for cell, value in marks.items():
        if not (cell[0] < puzzle.shape[0] and cell[1] < puzzle.shape[1]):
            raise InputError(f"no mark of this board: cell {list(cell)}")
        answer[cell] = value
    return answer


def _draws_no_zero(puzzle: Puzzle) -> bool:
    """Whether a cell without a mark looks as one with 0, as white ones and those of no line do."""
    how = entries(puzzle)
    words = {each["value"]: each.get("word") for each in how["values"]}
    return how["kind"] == "lines" or not words.get(0, "0")


def _wrong(cells: Sequence[tuple[int, ...]], *messages: str) -> Json:
    return {"solved": False, "cells": cells, "messages": [from_one(each) for each in messages]}


# --- the model ---------------------------------------------------------------------------


COEFFICIENTS = 100_000
"""Couplings of a QUBO that are drawn, at most."""


KEPT_COUPLINGS = 1_000_000
_kept: dict[tuple[str, str, str], Any] = {}
"""The last QUBO that was looked at, unless it is large."""


def _qubo(puzzle: Any, formulation: str, encoding: str) -> Any:
    from qubopuzzle.solving.form import export

    key = json.dumps(puzzle), formulation, encoding
    if key not in _kept:
        _kept.clear()
        how = formulation or None
        made = export(_problem(puzzle), "bqm", formulation=how, encoding=encoding or None).compiled
        if made.sizes["couplings"] > KEPT_COUPLINGS:
            return made
        _kept[key] = made
    return _kept[key]


def families(puzzle: Any, formulation: str) -> Json:
    """The families of a formulation's constraints, which have penalty weights."""
    return {"families": _problem(puzzle).model(formulation).families}


def model(puzzle: Any, formulation: str = "", encoding: str = "") -> Json:
    """Sizes of the QUBO, by family, too; names and coefficients if there are not too many."""
    qubo = _qubo(puzzle, formulation, encoding)
    least, greatest = qubo.form.coefficient_range()
    bits, total = qubo.bits, qubo.form
    owner = [choice.family for choice in qubo.source.choices]
    variables = Counter(np.repeat(owner, np.diff(bits.first_bit)).tolist())
    variables.update({rows.rows.family: len(rows.row) for rows in bits.slack if len(rows.row)})
    result: Json = {
        **qubo.sizes,
        "offset": float(total.offset),
        "least": least,
        "greatest": greatest,
        "families": [
            {"family": family, "variables": variables[family], "couplings": part.n_couplings}
            for family, part in qubo.parts.items()
        ],
    }
    if total.n_couplings <= COEFFICIENTS:
        upper = total.couplings.tocoo()
        result["names"] = qubo.labels()
        result["linear"] = total.linear.tolist()
        result["quadratic"] = [part.tolist() for part in (upper.row, upper.col, upper.data)]
    return result


def coefficient(puzzle: Any, i: Any, j: Any, formulation: str = "", encoding: str = "") -> Json:
    """Which constraints a coefficient comes from."""
    qubo = _qubo(puzzle, formulation, encoding)
    last = qubo.n_bits - 1
    sources = qubo.sources(whole("i", i, 0, last), whole("j", j, 0, last))
    return {"sources": sources[:_MOST_LISTED], "count": len(sources)}


# --- to take away ------------------------------------------------------------------------


def written(puzzle: Any, to: str, formulation: str = "", encoding: str = "") -> Json:
    """The puzzle in a format of puzzles or as a picture, or its model in a format, base64."""
    from qubopuzzle.files.models.formats import WRITTEN
    from qubopuzzle.solving.form import export

    problem = _problem(puzzle)
    if to in _PICTURES:
        image = problem.picture().image(to)
        return {"data": b64encode(image).decode(), "suffix": f".{to}"}
    if to in WRITTEN:
        made = export(problem, to, formulation=formulation or None, encoding=encoding or None)
        return {"data": b64encode(made.data).decode(), "suffix": WRITTEN[to].suffix}
    text = write_text([problem], to)
    address = text.strip() if text.startswith("http") else ""
    return {"data": b64encode(text.encode()).decode(), "suffix": ".txt", "address": address}


def sheet(puzzles: Any) -> Json:
    """Several puzzles on pages to print, their solutions on the last ones: PDF, base64."""
    from qubopuzzle.solving.sheets import sheet_of

    if not isinstance(puzzles, list) or not 0 < len(puzzles) <= READ_LIMIT:
        raise InputError(f"puzzles: expected a list of up to {READ_LIMIT}")
    made = sheet_of([*map(_problem, puzzles)], time_limit=_SHEET_S / len(puzzles))
    return {"data": b64encode(made).decode(), "suffix": ".pdf"}


def qr_code(text: str) -> Json:
    """A QR code of a text: its rows, of 0 and 1, with the quiet zone."""
    import segno

    try:
        code = segno.make(text, error="l", micro=False)
    except (ValueError, segno.DataOverflowError):
        raise InputError("this is too long for a QR code; the link has it all") from None
    return {"rows": ["".join(map(str, row)) for row in code.matrix_iter(border=4)]}
