"""What must hold of every puzzle."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import lru_cache, partial
from itertools import chain, product
from math import inf, nan
from reprlib import repr as shorter
from typing import Any, TypeAlias

import numpy as np

from qubopuzzle.compile import ENCODINGS, compile_qubo
from qubopuzzle.errors import InputError, QubopuzzleError, TooLarge
from qubopuzzle.files.puzzles import formats_for, read_text, write_text
from qubopuzzle.model import IntArray, Model, propagate, violation
from qubopuzzle.puzzles import Puzzle, get_puzzle
from qubopuzzle.puzzles.generator import find_generator
from qubopuzzle.reasons.generate import generate
from qubopuzzle.solvers import get_solver
from qubopuzzle.solving.form import decode, to_amplify, to_bqm, to_cnf, to_mip
from qubopuzzle.solving.solve import solve
from qubopuzzle.testing.brute import field_of, met_grids, right_grids, zero_energy_grids
from qubopuzzle.testing.demands import demand, demand_refusal, named, refusal

Boards: TypeAlias = Sequence[Any]
Check: TypeAlias = Callable[[type[Puzzle], Boards], None]
EXACT = ("sat", "cpsat", "mip", "clingo")
"""Solvers that find all answers, and prove that there are no others."""


def check_puzzle(kind: type[Puzzle], boards: Boards = (), without: Collection[str] = ()) -> None:
    """Run all checks of a puzzle; AssertionError says in one line what does not hold.

    >>> from qubopuzzle import Nonogram
    >>> check_puzzle(Nonogram, [Nonogram(rows=[[1], [1]], cols=[[1], [1]])], without=["links"])

    Args:
        kind: the class, which is registered or in this package.
        boards: instances besides ``kind.examples()``; at least one so small that all grids, and
            all bits of its models, can be tried: about 16 bits.
        without: names of checks, keys of ``PUZZLE_CHECKS``, that cannot hold of it.
    """
    unknown = {*without} - {*PUZZLE_CHECKS}
    demand(not unknown, f"no checks: {', '.join(sorted(unknown))}")
    every = [*kind.examples(), *boards]
    for name, check in PUZZLE_CHECKS.items():
        if name not in without:
            with named(kind.name, name):
                check(kind, every)


# --- boards and models -------------------------------------------------------------------


def equal(one: Any, other: Any) -> bool:
    """Whether two grids are the same; None is no grid."""
    return one is not None and np.array_equal(one, other)


def label(puzzle: Puzzle) -> str:
    """What a board is called in a reason."""
    return puzzle.id or f"{puzzle!r:.60}"


def solved(boards: Boards) -> Iterator[tuple[Any, IntArray]]:
    """The boards with a solution, and it; at least one."""
    known = [board for board in boards if board.solution is not None]
    demand(known, "no board has a solution")
    return ((board, board.solution) for board in known)


def smallest(boards: Boards) -> tuple[Any, IntArray]:
    """The smallest of the boards with a solution of more than one value."""
    varied = [(b, s) for b, s in solved(boards) if len(np.unique(s)) > 1]
    demand(varied, "no board has a solution of several values")
    return min(varied, key=lambda pair: pair[1].size)


def models(puzzle: Puzzle) -> Iterator[tuple[str, Model]]:
    """The formulations of a board with its models; those that do not take it are left out."""
    for name in puzzle.formulations:
        with suppress(InputError, TooLarge):
            yield name, _model(puzzle, name)


@lru_cache(maxsize=256)
def _model(puzzle: Puzzle, formulation: str) -> Model:
    """Kept, as most checks ask for it."""
    return puzzle.model(formulation)


def small(boards: Boards) -> Iterator[tuple[Any, list[bytes]]]:
    """Boards of which all grids can be tried, and those that the rules accept."""
    known = ((b, right_grids(b)) for b in boards if b.contradiction is None)
    return ((board, right) for board, right in known if right is not None)


# --- checks of rules and formulations ----------------------------------------------------


def check_registered(kind: type[Puzzle], boards: Boards) -> None:
    """It is found by its name, and its examples differ and have one solution each."""
    demand(get_puzzle(kind.name) is kind, f"get_puzzle({kind.name!r}) is another class")
    demand(boards, "no boards: add examples.jsonl, or give some")
    ids = [board.id for board in kind.examples()]
    demand(all(ids) and len(ids) == len({*ids}), f"examples need different ids: {', '.join(ids)}")
    demand(len({*kind.examples(), *kind.examples()}) == len(ids), "two examples are equal")
    for board in kind.examples():
        demand(board.solution is not None, f"{label(board)} has no solution")


def check_rules(kind: type[Puzzle], boards: Boards) -> None:
    """Of small boards the rules and every formulation and encoding have the same answers."""
    compared: dict[str, int] = {}
    for board, right in small(boards):
        for name, model in models(board):
            for encoding in (None, *(() if model.graphs else ENCODINGS)):
                grids = zero_energy_grids(model, encoding) if encoding else met_grids(model)
                if grids is not None:
                    where = f"{label(board)}, {name}, {encoding or 'choices'}"
                    _compare(board, model, {*grids}, {*right}, where)
                    compared[name] = compared.get(name, 0) + 1
    missing = [name for name in kind.formulations if name not in compared]
    demand(not missing, f"no board is small enough to try all of {', '.join(missing)}: add one")


def _compare(board: Puzzle, model: Model, grids: set[bytes], right: set[bytes], where: str) -> None:
    """Demand the same grids; fewer of a narrowed model, more of one that leaves rules out."""
    more, fewer = grids - right, right - grids
    if more and not model.omitted:
        wrong = np.frombuffer(min(more), dtype=np.int64).reshape(board.shape)
        broken = board.violations(wrong)[0].message
        demand(False, f"{where}: the model takes {wrong.tolist()}, which is wrong: {broken}")
    if fewer and not model.restricted:
        lost = np.frombuffer(min(fewer), dtype=np.int64).reshape(board.shape)
        demand(False, f"{where}: the model has no {lost.tolist()}, which is right")


def check_solutions(_: type[Puzzle], boards: Boards) -> None:
    """A known solution has energy 0 in every formulation and encoding, and is read back."""
    for board, solution in solved(boards):
        demand(not board.violations(solution), f"{label(board)}: its solution is wrong")
        for name, model in models(board):
            where = f"{label(board)}, {name}"
            if not _holds(model, solution, where):
                continue
            x = _written(model, solution)
            demand(violation(model, x) == 0, f"{where}: the solution breaks the model")
            grid, torn = field_of(model).read(x)
            demand(equal(grid, solution), f"{where}: another answer is read than written")
            demand(not len(torn), f"{where}: views of the solution disagree")
            demand(propagate(model).contradiction is None, f"{where}: propagation excludes it")
            for encoding in () if model.graphs else ENCODINGS:
                qubo = compile_qubo(model, encoding)
                energy = qubo.total().energies(qubo.encode(x)[None])[0]
                demand(energy == 0, f"{where}, {encoding}: the solution has energy {energy}")


def _holds(model: Model, answer: IntArray, where: str) -> bool:
    """Whether an answer can be written; a narrowed model need not hold all of them."""
    return not (model.restricted and refusal(where, _written, model, answer))


def _written(model: Model, answer: IntArray) -> IntArray:
    """The literal values of an answer."""
    return model.assignment(field_of(model).write(answer))


def check_propagation(_: type[Puzzle], boards: Boards) -> None:
    """What follows from a small board's model excludes no answer and lets no other in."""
    for board in boards:
        for name, model in () if board.contradiction else models(board):
            before = met_grids(model)
            if before is None:
                continue
            reduced = propagate(model)
            where = f"{label(board)}, {name}"
            if reduced.contradiction:
                demand(not before, f"{where}: propagation excludes a solution")
            else:
                after = met_grids(reduced.model)
                demand(after == before, f"{where}: propagation changes the solutions")


def check_formulations(kind: type[Puzzle], boards: Boards) -> None:
    """Defaults are there and leave nothing out; every formulation takes a board; all pickle."""
    made = {name for board in boards if not board.contradiction for name, _ in models(board)}
    missing = [name for name in kind.formulations if name not in made]
    demand(not missing, f"no board has a model of {', '.join(missing)}")
    demand_refusal("a formulation", ["nonsense"], kind.check_formulation, "nonsense")
    board, _ = smallest(boards)
    for cuts in (True, False):
        name = board.formulation_for(cuts=cuts)
        model = pickle.loads(pickle.dumps(board.model(name)))  # noqa: S301 - written here
        demand(not model.omitted, f"{name} is a default and leaves out {model.omitted}")
        demand(not model.restricted, f"{name} is a default and narrows {model.restricted}")
        demand(cuts or not model.graphs, f"{name} is the default of a QUBO and needs cuts")


def check_unique(_: type[Puzzle], boards: Boards) -> None:
    """The sat solver finds one solution where a board says so."""
    for board in (each for each in boards if each.n_solutions == 1):
        for name, model in models(board):
            if model.omitted or model.restricted:
                continue
            result, where = solve(board, "sat", formulation=name, solutions=2), label(board)
            demand(result.unique, f"{where}, {name}, says n_solutions=1: {result.verdict}")
            same = board.solution is None or equal(result.grid, board.solution)
            demand(same, f"{where}, {name}: sat has another solution")


def check_enumerated(_: type[Puzzle], boards: Boards) -> None:
    """Every exact solver that is here enumerates a small board's answers, by every formulation."""
    solvers = [solver for solver in EXACT if get_solver(solver).available().ok]
    for (board, right), solver in product(small(boards), solvers):
        for name, model in models(board):
            if len(right) < 100 and not model.restricted:
                result = solve(board, solver, formulation=name, solutions=None, seed=1)
                grids = {np.asarray(a, dtype=np.int64).tobytes() for a in result.solutions}
                where = f"{label(board)}, {name}, {solver}"
                demand(result.complete, f"{where}: {result.verdict}")
                _compare(board, model, grids, {*right}, where)


# --- checks of answers and pictures ------------------------------------------------------


def check_wrong_cells(_: type[Puzzle], boards: Boards) -> None:
    """A solution with one cell changed breaks a rule, which is said, and shown, in the board."""
    board, solution = smallest(boards)
    values = np.unique(solution).tolist()
    for cell in np.ndindex(board.shape):
        wrong = solution.copy()
        wrong[cell] = next(value for value in values if value != wrong[cell])
        broken = board.violations(wrong)
        where = f"{label(board)}, cell {cell} changed"
        demand(broken, f"{where}: no rule is broken")
        demand(
            [v.message for v in board.each_violation(wrong)] == [v.message for v in broken],
            f"{where}: each_violation and violations differ",
        )
        for each in broken:
            demand(each.message.isprintable(), f"{where}: no line of text: {each.message!r}")
            json.dumps(each.to_dict())
        cells = [*chain.from_iterable(each.cells for each in broken)]
        inside = all(0 <= i < n for place in cells for i, n in zip(place, board.shape, strict=True))
        demand(inside, f"{where}: cells outside of the board: {cells}")
        demand_refusal(where, ["solution: "], partial(replace, board, solution=wrong))
        picture = board.picture(wrong, cells)
        demand(picture.broken == frozenset(cells), f"{where}: the picture marks others")
        demand("\x1b[31m" in picture.text(color=True), f"{where}: nothing is red")
        demand(picture.text(ascii_only=True).isascii(), f"{where}: ascii_only is not")


def check_answers(_: type[Puzzle], boards: Boards) -> None:
    """Answers are read and written; other shapes and values are refused; solutions are frozen."""
    for board, solution in solved(boards):
        given = json.loads(json.dumps(board.format_answer(solution)))
        demand(equal(board.parse_answer(given), solution), f"{label(board)}: {given!s:.60}")
        demand(not solution.flags.writeable, f"{label(board)}: its solution can be changed")
    board, solution = smallest(boards)
    field = field_of(board.model())
    beyond = [np.full(board.shape, value) for value in (min(field.low, 0) - 1, field.high + 1)]
    wrong = [solution[:, :-1], solution[1:], solution.ravel(), solution + 1000, *beyond]
    for answer in wrong:
        what = f"an answer {answer.tolist()!s:.60}"
        demand_refusal(what, ["the answer has"], board.violations, answer)
    for form in _NO_ANSWERS:
        demand_refusal(f"answer {form!r}", [], board.parse_answer, form)


def check_pictures(_: type[Puzzle], boards: Boards) -> None:
    """A board is drawn as text and image, with and without its answer, which can be told."""
    board, solution = smallest(boards)
    pictures = board.picture(), board.picture(solution)
    for picture in pictures:
        demand(picture.image("svg").startswith(b"<?xml"), "no SVG")
        demand(picture.text(), "no text")
    demand(pictures[0].text() != pictures[1].text(), "the answer is not to be seen")


# --- checks of files ---------------------------------------------------------------------


def check_json(kind: type[Puzzle], boards: Boards) -> None:
    """Native JSON comes back equal; equal boards have equal hashes."""
    for board in boards:
        text = json.dumps(board.to_dict())
        again = kind.from_dict(json.loads(text))
        demand(again == board, f"{label(board)}: another board comes back from JSON")
        demand(replace(board, solution=None) == board, f"{label(board)}: solutions are compared")
        demand(hash(again) == hash(board), f"{label(board)}: equal boards, other hashes")
        demand(json.dumps(again.to_dict()) == text, f"{label(board)}: other JSON the second time")
        demand(again.picture().text() == board.picture().text(), f"{label(board)}: other picture")
        same = board.solution is None or equal(again.solution, board.solution)
        demand(same, f"{label(board)}: other solution")
    demand(boards[0] != "puzzle", "a board equals a text")


def check_keys(kind: type[Puzzle], boards: Boards) -> None:
    """Unknown keys are refused with the nearest known one; notes are not; keys may be missing."""
    data = boards[0].to_dict()
    noted = kind.from_dict({**data, "comment": "mine", "title": None})
    demand(noted == boards[0], "a comment makes another board")
    near = "soluton: unknown key; did you mean solution"
    demand_refusal("soluton", [near], kind.from_dict, {**data, "soluton": 1})
    far = f"wxyz: unknown key; a {kind.name} has "
    demand_refusal("wxyz", [far, "n_solutions"], kind.from_dict, {**data, "wxyz": 1})
    for key in data:
        rest = {name: value for name, value in data.items() if name != key}
        refusal(f"without {key}", kind.from_dict, rest)


HOSTILE: Sequence[Any] = (
    *(None, True, 3, -1, 10**7, 10**400, -(10**400), 1.5, inf, nan),
    *("", "x", "1 x", "00;-1", "1\n" * 99, "\x1b[31m", {}, {"a": 1}),
    *([], [[]], [None], [1.0], [True], ["x"], [[1], [1, 2]], [[[1], 2]], [[1.0]], [["1"]]),
    *([[True]], [[nan]], [[10**400]], [[-(10**400)]], [["A\n" * 50]], [[0]] * 10**5, [[0] * 10**5]),
    *(np.array(3), np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2, 2), dtype=int)),
)
"""Values that are no grid, no clues or no number, or of a size that no board has."""
_HOSTILE_CELLS: Sequence[Any] = (-1, 10**7, 10**400, 1.0, nan, True, "2", "x", "\n", [1], {}, ())
_NO_ANSWERS: Sequence[Any] = (
    *(None, 7, {}, [], "", "\x1b[31m"),
    *([[]], [[0.5]], [[0], [0, 1]], [["\n"]]),
)
_TEXTS = ("id", "title", "author", "licence", "source", "url")


def check_hostile(kind: type[Puzzle], boards: Boards) -> None:
    """Whatever stands in a key is taken, or refused in one line that names a key."""
    board, _ = smallest(boards)
    data = board.to_dict()
    clues = {name: value for name, value in data.items() if name != "solution"}
    for key in [name for name in data if name != "puzzle"]:
        known = data if key == "solution" else clues
        values = [*HOSTILE, *(_changed(data[key], cell) for cell in _HOSTILE_CELLS)]
        for value in values:
            what = f"{key}={shorter(value)}"
            message = refusal(what, kind.from_dict, {**known, key: value})
            place = (message or key).partition(":")[0].partition("[")[0].partition(" ")[0]
            is_named = place in data or key == "solution"  # an answer may have keys within
            demand(is_named, f"{what}: no key at the beginning of {message!r}")
    for key in _TEXTS:
        for value in (4, [], {}):
            demand_refusal(key, [f"{key}: "], kind.from_dict, {**data, key: value})
    for value in ("1", True, 1.5, []):
        words = ["n_solutions: expected a whole number"]
        demand_refusal(f"{value!r}", words, kind.from_dict, {**data, "n_solutions": value})


def _changed(value: Any, cell: Any) -> Any:
    """A value with its first number or text replaced."""
    if isinstance(value, dict):
        return {k: _changed(v, cell) if k == next(iter(value)) else v for k, v in value.items()}
    return [_changed(value[0], cell), *value[1:]] if isinstance(value, list) and value else cell


def check_links(kind: type[Puzzle], boards: Boards) -> None:
    """Every format gives back what it holds; what it cannot hold it refuses in one line."""
    for form in formats_for(kind.name):
        held = 0
        for board in boards:
            where = f"{form} of {label(board)}"
            if refusal(where, write_text, [board], form):
                continue
            text = write_text([board], form)
            again: Any = read_text(text, kind.name, form)[0]
            demand(write_text([again], form) == text, f"{where}: another text the second time")
            demand(again.shape == board.shape, f"{where}: another shape comes back")
            held += 1
        demand(held, f"{form} holds none of these boards")


def check_forms(_: type[Puzzle], boards: Boards) -> None:
    """Files for other tools; a QUBO's bits lead back to the solution, by every formulation."""
    board, solution = smallest(boards)
    demand(to_cnf(board).to_dimacs().startswith(("p cnf", "c ")), "no DIMACS")
    demand("Subject To" in to_mip(board).to_lp(), "no LP file")
    demand("ENDATA" in to_mip(board).to_mps(), "no MPS file")
    for name, model in models(board):
        if model.graphs:
            call = partial(to_bqm, board, formulation=name)
            message = refusal(name, call, expected=QubopuzzleError)
            demand("has no form for" in str(message), f"{name} needs cuts and has a QUBO")
            continue
        if not _holds(model, solution, name):
            continue
        for encoding in ENCODINGS:
            settings: dict[str, Any] = {"formulation": name, "encoding": encoding}
            bqm = to_bqm(board, **settings)
            bits = compile_qubo(model, encoding).encode(_written(model, solution))
            energy = bqm.energy(dict(zip(bqm.variables, bits.tolist(), strict=True)))
            demand(energy == 0, f"{name}, {encoding}: the solution has energy {energy}")
            answer = decode(board, bits, **settings)
            demand(answer.valid, f"{name}, {encoding}: decoded, the solution is wrong")
            demand(equal(answer.grid, solution), f"{name}, {encoding}: another answer")


def check_amplify(_: type[Puzzle], boards: Boards) -> None:
    """The model of the Amplify SDK has the solution at 0, and a constraint of each family."""
    board, solution = smallest(boards)
    qubo = compile_qubo(board.model(), "one-hot")
    bits = qubo.encode(_written(board.model(), solution))
    program = to_amplify(board, mode="objective")
    column = {next(iter(v.variables)).id: i for i, v in enumerate(program.variables)}
    terms = program.model.objective.as_dict().items()
    energy = sum(q * bits[[column[i] for i in ids]].prod() for ids, q in terms)
    demand(energy == 0, f"the solution has energy {energy}")
    families = {c.label.split()[0].split("[")[0] for c in to_amplify(board).model.constraints}
    demand(families, "no constraints")
    demand(families <= {*qubo.parts}, f"other families: {families - {*qubo.parts}}")


def check_generator(kind: type[Puzzle], boards: Boards) -> None:
    """Its generator, if it has one, makes the same valid boards from the same seed."""
    if not kind.generator:
        return
    shape = smallest(boards)[0].shape
    find_generator(kind.name)
    (one,), (same,) = (generate(kind.name, size=shape, seed=3) for _ in range(2))
    demand(one == same, "the same seed makes another board")
    demand(one.solution is not None and one.n_solutions == 1, "a board without its one solution")
    demand(solve(one, "sat", solutions=2).unique, f"a generated board has not one solution: {one}")
    names = {field.name for field in fields(kind)}
    demand({*find_generator(kind.name).clue_fields} <= names, "clue_fields are no fields")


PUZZLE_CHECKS: Mapping[str, Check] = {
    "registered": check_registered,
    "rules": check_rules,
    "solutions": check_solutions,
    "propagation": check_propagation,
    "formulations": check_formulations,
    "unique": check_unique,
    "enumerated": check_enumerated,
    "wrong cells": check_wrong_cells,
    "answers": check_answers,
    "pictures": check_pictures,
    "json": check_json,
    "keys": check_keys,
    "hostile": check_hostile,
    "links": check_links,
    "forms": check_forms,
    "amplify": check_amplify,
    "generator": check_generator,
}
"""The checks of ``check_puzzle`` by name: functions of the class and boards of it."""
