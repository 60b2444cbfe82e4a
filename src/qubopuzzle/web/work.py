"""What a process does for the page: each function takes and returns what JSON holds.

A puzzle comes with each call, as its native JSON object; nothing is kept between calls.
"""

import json
import threading
import time
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from math import isnan
from typing import Any

import numpy as np

from qubopuzzle.checks import brief, whole
from qubopuzzle.errors import InputError
from qubopuzzle.files.models.formats import FORMATS
from qubopuzzle.files.puzzles import formats_for, read_text, solved_address, write_text
from qubopuzzle.files.puzzles.native import problem_from_dict
from qubopuzzle.model import Model, Problem
from qubopuzzle.model.semantics import violations_of
from qubopuzzle.processes import say
from qubopuzzle.puzzles import Puzzle, get_puzzle, puzzle_names
from qubopuzzle.recorder import Rate, Recorder, Seen
from qubopuzzle.solvers import all_solvers
from qubopuzzle.solving.export import export
from qubopuzzle.solving.hints import hint
from qubopuzzle.solving.judge import Judged
from qubopuzzle.solving.result import Result
from qubopuzzle.solving.solve import solve
from qubopuzzle.web.frames import Frames, Heat, board, entries, numbers

READ_LIMIT = 100
"""Puzzles of one text that are shown."""
CELL_LIMIT = 20_000
"""Most cells of a board that is drawn."""
FRAMES = 400
"""States of a course that are sent when it has ended, at most; of large boards fewer."""
_LIVE_S = 1 / 30
_SAID = 20
_EXAMPLES = 3
_NAMED = 6
"""Constraints that are named where many are needed."""

Json = dict[str, Any]


def warm() -> None:
    """Import what calls need, and load compiled code."""
    nonogram = get_puzzle(puzzle_names()[0]).examples()[0]
    solve(nonogram, seed=1, trace=True, reads=1)
    hint(nonogram, {})


def called(function: Callable[..., Json], given: Mapping[str, Any]) -> Json:
    """The answer of one of the functions here, by keywords; wrong ones are an InputError."""
    try:
        return function(**given)
    except (TypeError, AttributeError, KeyError, IndexError) as error:
        raise InputError(f"the request cannot be used: {error}"[:300]) from None


def about() -> Json:
    """The solvers that can run here, the puzzles with their formulations, and examples."""
    local = {n: s for n, s in all_solvers().items() if s.available().ok and not s.remote}
    return {
        "solvers": {
            name: {
                "about": solver.about,
                "encodings": solver.default_encoding is not None,
                "options": [
                    {"name": o.name, "default": o.default, "help": o.help} for o in solver.options
                ],
            }
            for name, solver in sorted(local.items())
        },
        "puzzles": {
            name: {
                "formulations": [*get_puzzle(name).formulations],
                "formats": formats_for(name),
                "generated": bool(get_puzzle(name).generator),
            }
            for name in puzzle_names()
        },
        "examples": [
            _shown(example)
            for name in puzzle_names()
            for example in get_puzzle(name).examples()[:_EXAMPLES]
        ],
    }


def read(text: str, image: str = "") -> Json:
    """The puzzles of a text in any format, or of an image, base64."""
    if image:
        return {"puzzles": [_shown(_from_image(b64decode(image)))]}
    if not text.strip():
        raise InputError("there is nothing to read; paste an address or the text of a puzzle")
    found = read_text(text.strip())
    return {"puzzles": [_shown(problem) for problem in found[:READ_LIMIT]], "count": len(found)}


def _from_image(data: bytes) -> Problem:
    from qubopuzzle.puzzles.generator import find_generator

    refused = InputError("no puzzle is made from an image here")
    for name in puzzle_names():
        if get_puzzle(name).generator:
            try:
                rng = np.random.default_rng(0)
                made: Puzzle = find_generator(name).from_image(BytesIO(data), None, {}, rng)[0]
            except InputError as error:
                refused = error if "image" in str(error) else refused
            else:
                return made
    raise refused


def new(puzzle: str, size: str = "", difficulty: str = "", seed: int | None = None) -> Json:
    """A new puzzle with one solution."""
    from qubopuzzle.generation.generate import generate

    made = generate(puzzle, size=size or None, seed=seed, difficulty=difficulty or None)
    return {"puzzles": [_shown(made[0])]}


def _shown(problem: Problem) -> Json:
    """A puzzle with its board; its solution stays here."""
    picture = problem.picture()
    if not isinstance(problem, Puzzle) or picture is None:
        raise InputError("a model has no board; `qubopuzzle solve FILE` solves it")
    if problem.cells > CELL_LIMIT:
        raise InputError(f"{problem.extent}: more than the {CELL_LIMIT:,} that are drawn here")
    data = problem.to_dict()
    data.pop("solution", None)
    return {
        "puzzle": data,
        "name": problem.name,
        "id": problem.id,
        "title": problem.title,
        "extent": problem.extent,
        "board": board(picture),
        "entries": entries(problem),
    }


def _problem(data: Any) -> Puzzle:
    problem = problem_from_dict(data)
    if not isinstance(problem, Puzzle):
        raise InputError("a model has no board")
    if problem.cells > CELL_LIMIT:
        raise InputError(f"{problem.extent}: more than the {CELL_LIMIT:,} that are drawn here")
    return problem


# --- solving -----------------------------------------------------------------------------


def run(puzzle: Any, settings: Mapping[str, Any]) -> Json:
    """Solve and tell of it: frames while it goes on, then ``result``, then all that were kept.

    ``settings`` are arguments of ``solve`` by name.
    """
    problem = _problem(puzzle)
    course, recorder = _Course(problem), Recorder(Rate())
    with _live(course, recorder):
        result = solve(problem, trace=recorder, **settings)
    say({"event": "result", **_told(result, settings)})
    kept = sorted(recorder.seen, key=lambda seen: seen.seconds)
    most = min(FRAMES, max(100, 10**6 // problem.cells), len(kept))
    chosen = np.unique(np.linspace(0, len(kept) - 1, most).astype(int))
    say({"event": "course", "frames": len(chosen)})
    for number in chosen.tolist():
        course.tell(kept[number], "kept")
    if result.judged is not None:
        course.tell_last(result)
    return {"event": "end"}


@contextmanager
def _live(course: "_Course", recorder: Recorder) -> Iterator[None]:
    """Meanwhile tell of the last state that is kept, some thirty times a second."""
    done = threading.Event()

    def tell() -> None:
        last, due = None, time.perf_counter()
        while not done.wait(max(0.001, due - time.perf_counter())):
            due = max(due + _LIVE_S, time.perf_counter())
            seen = recorder.seen[-1] if recorder.seen else None
            if seen is not None and seen is not last:
                course.tell(seen)
            last = seen

    thread = threading.Thread(target=tell)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class _Course:
    """Tells of states: each once it is decoded and judged."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._frames = problem, Frames()
        self._heats: dict[int, tuple[Model, Heat]] = {}

    def tell(self, seen: Seen, event: str = "frame") -> None:
        whole = seen.of.presolved.whole
        x = seen.of.presolved.restore(seen.x.astype(np.int64))
        answer, violations = self._problem.read(whole, x)
        costs = {f: int(cost[0]) for f, cost in violations_of(whole, x[None]).items()}
        energy = float(sum(costs.values())) if isnan(seen.energy) else seen.energy
        known: Json = {"read": seen.read, "sweep": seen.sweep, "families": costs}
        known |= numbers({"s": seen.seconds, "beta": seen.beta, "energy": energy})
        if seen.row_weight is not None:
            known |= self._heat(seen.of.presolved.model)(seen.row_weight)
        picture = Judged(self._problem, answer, tuple(violations)).picture()
        if picture is not None:
            say({"event": event, **self._frames.frame(picture, violations, **known)})

    def tell_last(self, result: Result) -> None:
        """The answer itself, which may be of a state that was not kept."""
        picture = result.picture()
        if picture is not None:
            known: Json = {"families": dict(result.energies), "answer": True}
            known |= numbers({"energy": float(sum(result.energies.values()))})
            known |= self._frames.frame(picture, result.violations)
            say({"event": "kept", **known})

    def _heat(self, model: Model) -> Heat:
        if id(model) not in self._heats:
            self._heats[id(model)] = model, Heat(model)
        return self._heats[id(model)][1]


def _told(result: Result, settings: Mapping[str, Any]) -> Json:
    return {
        "valid": result.valid,
        "verdict": result.verdict,
        "summary": result.summary(),
        "violations": [v.to_dict() for v in result.violations[:_SAID]],
        "seed": result.seed,
        "solver": result.solver,
        "formulation": result.formulation,
        "sizes": dict(result.sizes),
        "seconds": sum(
            s for part, s in result.timings_s.items() if part not in ("load", "prepare")
        ),
        "settings": dict(settings) | {"seed": result.seed},
        "url": _address(result),
        "snippet": _snippet(result, settings),
    }


def _address(result: Result) -> str | None:
    if result.answer is None or not result.valid:
        return None
    try:
        return solved_address(result.problem, result.answer)
    except InputError:
        return None


def _snippet(result: Result, settings: Mapping[str, Any]) -> str:
    """A program that repeats the run."""
    data = result.problem.to_dict()
    data.pop("solution", None)
    given = {**settings, "seed": result.seed}
    lines = [f"    {name}={value!r}," for name, value in given.items() if value not in (None, {})]
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
    found: dict[tuple[int, ...], int] = {}
    for mark in marks:
        if not isinstance(mark, list) or len(mark) != 3:
            raise InputError(f"marks: expected [row, column, value], got {brief(mark)}")
        row, column, value = (whole("mark", part, 0, 10**6) for part in mark)
        found[row, column] = value
    return found


def next_hint(puzzle: Any, marks: Any, bits: bool) -> Json:
    """A cell that follows from the marks, or what they contradict."""
    problem = _problem(puzzle)
    found = hint(problem, _marks(problem, marks), bits=bits)
    return {"hint": None if found is None else found.to_dict()}


def check(puzzle: Any, marks: Any, bits: bool) -> Json:
    """What is wrong with marks on a board, and whether it is solved.

    Cells without a mark count as 0 where that makes a valid answer. A board that is not finished is
    wrong where propagation shows a contradiction.
    """
    problem = _problem(puzzle)
    given = _marks(problem, marks)
    answer = np.zeros(problem.shape, dtype=np.int64)
    for cell, value in given.items():
        if not (cell[0] < problem.shape[0] and cell[1] < problem.shape[1]):
            raise InputError(f"no mark of this board: cell {list(cell)}")
        answer[cell] = value
    is_full = len(given) == problem.cells
    try:
        violations = problem.violations(answer)
    except InputError as error:  # 0 is no value of this puzzle
        if is_full:
            raise InputError(str(error)) from None
        violations = None
    if violations == []:
        return {"solved": True, "cells": [], "messages": []}
    if violations is not None and is_full:
        cells = sorted({tuple(cell) for v in violations for cell in v.cells})
        return _wrong(cells, *(violation.message for violation in violations[:_SAID]))
    found = hint(problem, given, bits=bits)
    if found is not None and found.cell is None:
        return _wrong(found.because, f"these cells contradict each other by {_some(found.rules)}")
    return _wrong((), f"nothing is wrong so far; {problem.cells - len(given)} cells are open")


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return "; ".join(names[:_NAMED]) + more


def _wrong(cells: Sequence[tuple[int, ...]], *messages: str) -> Json:
    return {"solved": False, "cells": cells, "messages": messages}


# --- the model ---------------------------------------------------------------------------


COEFFICIENTS = 40_000
"""Couplings of a QUBO that are drawn, at most."""


@lru_cache(maxsize=2)
def _qubo(puzzle: str, formulation: str, encoding: str) -> Any:
    problem = _problem(json.loads(puzzle))
    made = export(problem, "bqm", formulation=formulation or None, encoding=encoding or None)
    return made.compiled


def model(puzzle: Any, formulation: str = "", encoding: str = "") -> Json:
    """Sizes of the QUBO, by family, too; names and coefficients if there are not too many."""
    qubo = _qubo(json.dumps(puzzle), formulation, encoding)
    least, greatest = qubo.form.coefficient_range()
    bits, total = qubo.bits, qubo.form
    owner = [choice.family for choice in qubo.source.choices]
    own = Counter(np.repeat(owner, np.diff(bits.first_bit)).tolist())
    own.update({rows.rows.family: len(rows.row) for rows in bits.slack if len(rows.row)})
    found: Json = {
        **qubo.sizes,
        "offset": float(total.offset),
        "least": least,
        "greatest": greatest,
        "families": [
            {"family": family, "variables": own[family], "couplings": part.n_couplings}
            for family, part in qubo.parts.items()
        ],
    }
    if total.n_couplings <= COEFFICIENTS:
        upper = total.couplings.tocoo()
        found["names"] = qubo.labels()
        found["linear"] = total.linear.tolist()
        found["quadratic"] = [part.tolist() for part in (upper.row, upper.col, upper.data)]
    return found


def coefficient(puzzle: Any, i: Any, j: Any, formulation: str = "", encoding: str = "") -> Json:
    """Which constraints a coefficient comes from."""
    qubo = _qubo(json.dumps(puzzle), formulation, encoding)
    last = qubo.n_bits - 1
    sources = qubo.sources(whole("i", i, 0, last), whole("j", j, 0, last))
    return {"sources": sources[:_SAID], "count": len(sources)}


# --- to take away ------------------------------------------------------------------------


def written(puzzle: Any, to: str, formulation: str = "", encoding: str = "") -> Json:
    """The puzzle in a format of puzzles, or its model in one of models, base64."""
    problem = _problem(puzzle)
    if to in FORMATS:
        made = export(problem, to, formulation=formulation or None, encoding=encoding or None)
        return {"data": b64encode(made.data).decode(), "suffix": FORMATS[to].suffix}
    text = write_text([problem], to)
    address = text.strip() if text.startswith("http") else ""
    return {"data": b64encode(text.encode()).decode(), "suffix": ".txt", "address": address}
