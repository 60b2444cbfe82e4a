"""Puzzles and models as CQMs: the same answers, discrete constraints, and samples back."""

import json
from io import BytesIO
from zipfile import ZipFile

import dimod
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qubopuzzle import (
    EasyAsABC,
    Heyawake,
    Hitori,
    InputError,
    Kurodoko,
    ModelBuilder,
    Nonogram,
    Numberlink,
    Program,
    Sudoku,
    decode,
    export,
    from_cqm,
    solve,
    to_bqm,
    to_cqm,
)
from qubopuzzle.errors import ModelError
from qubopuzzle.files.models import read_sample
from qubopuzzle.model import violation
from qubopuzzle.programs import program_of
from qubopuzzle.programs.dimod_models import cqm_of
from qubopuzzle.programs.of_model import compile_program
from qubopuzzle.testing import all_bits
from strategies import assignments, meaning, models, programs

BOARDS = [
    Nonogram(rows=[[1], [1]], cols=[[1], [1]]),
    Nonogram(rows=[[1, 1], [1]], cols=[[1], [1], [1]]),
    Sudoku(grid=[[1, 2, 0, 0], [3, 4, 1, 2], [2, 1, 0, 0], [4, 3, 2, 1]]),
    Heyawake(rooms=[[0, 0, 1], [0, 0, 1], [0, 0, 1]], clues=[2, None]),
    Hitori(grid=[[1, 1, 2], [2, 1, 3], [3, 2, 1]]),
    Hitori(grid=[[1, 1, 2], [2, 1, 1]]),
    Kurodoko(grid=[[0, 0, 0], [0, 3, 0], [0, 0, 0]]),
    Numberlink(grid=[[1, 1], [2, 2]]),
    Numberlink(grid=[[1, 0], [1, 0]], cover=False),
    EasyAsABC(2, 1, (0, 0), (0, 0), (0, 0), (0, 0)),
    EasyAsABC(2, 2, (1, 0), (0, 0), (0, 0), (0, 0)),
]
"""Of every puzzle one that has at most 15 variables; with several answers, one and none."""
OPEN = BOARDS[0]


def feasible(cqm):
    """The samples that meet every constraint, of all that there are."""
    names = list(cqm.variables)
    found = dimod.SampleSet.from_samples_cqm((all_bits(len(names)), names), cqm)
    samples = [dict(sample) for sample in found.filter(lambda d: d.is_feasible).samples()]
    assert all(map(cqm.check_feasible, samples))
    return samples


@pytest.mark.parametrize("puzzle", BOARDS, ids=lambda p: p.name)
def test_what_a_cqm_allows_are_exactly_the_answers(puzzle):
    cqm = to_cqm(puzzle)
    assert len(cqm.variables) <= 15
    judged = [decode(puzzle, sample) for sample in feasible(cqm)]
    assert all(each.valid for each in judged)
    answers = {answer.tobytes() for answer in solve(puzzle, "sat", solutions=None).solutions}
    assert {each.grid.tobytes() for each in judged} == answers


@pytest.mark.parametrize("puzzle", BOARDS, ids=lambda p: p.name)
def test_every_choice_of_several_bits_is_one_discrete_constraint(puzzle):
    model, cqm = puzzle.model(), to_cqm(puzzle)
    choices = {
        c.name: {f"{c.name}={v}" for v in c.values}
        for c in model.choices
        if not c.is_bit and len(c.values) > 1
    }
    found = {name: set(cqm.constraints[name].lhs.variables) for name in cqm.discrete}
    assert choices.items() <= found.items()
    bits = [v for group in found.values() for v in group]
    assert len(set(bits)) == len(bits)
    assert list(cqm.constraints) == [name for name, *_ in program_of(model).constraints()]
    assert list(cqm.variables) == list(to_bqm(puzzle).variables)[: len(cqm.variables)]


@pytest.mark.parametrize("puzzle", BOARDS[:5], ids=lambda p: p.name)
def test_a_sampler_of_cqms_has_its_samples_judged(puzzle):
    found = dimod.ExactCQMSolver().sample_cqm(to_cqm(puzzle))
    # Infeasible samples have the same energy: the best one is feasible all the same.
    assert decode(puzzle, found).valid
    text = json.dumps(found.to_serializable())
    assert export(puzzle, "cqm").decode(read_sample(text)).valid
    best = found.filter(lambda d: d.is_feasible).first.sample
    assert decode(puzzle, best).valid
    assert decode(puzzle, [best[name] for name in to_cqm(puzzle).variables]).valid


@given(models(max_choices=3, max_values=3))
@settings(max_examples=40, deadline=None)
def test_a_cqm_of_a_model_has_its_solutions_and_is_read_as_its_program(model):
    cqm, made = to_cqm(model), compile_program(model)
    assert cqm_of(made.program).is_equal(cqm)
    every = assignments(model)
    expected = {made.encode(x).tobytes() for x in every if violation(model, x) == 0}
    names = made.labels()
    assert list(cqm.variables) == names
    samples = all_bits(len(names))
    energies = made.energies(samples)
    for x, energy in zip(samples, energies.tolist(), strict=True):
        holds = x.tobytes() in expected
        assert cqm.check_feasible(dict(zip(names, x.tolist(), strict=True))) == holds
        assert (energy == 0) == holds
        if holds:
            assert violation(model, made.decode(x)) == 0
    again, program = from_cqm(cqm), program_of(model)
    assert again.variables == program.variables
    assert meaning(again) == meaning(program)


@given(programs())
@settings(max_examples=40, deadline=None)
def test_a_program_keeps_its_variables_in_its_cqm(program):
    cqm = to_cqm(program)
    assert tuple(cqm.variables) == program.variables
    found = meaning(from_cqm(cqm))
    sign = -1 if program.maximize else 1
    assert {x: sign * value for x, value in found.items()} == meaning(program)
    for values in list(found)[:3]:
        judged = decode(program, dict(zip(program.variables, values, strict=True)))
        assert judged.valid
        assert list(judged.values.values()) == list(values)


def test_energies_of_a_program_order_what_is_feasible_before_what_is_not():
    for maximize in (False, True):
        program = Program.of(
            [[1, 1, 1], [1, -1, 0]], [1, 0], [2, np.inf], cost=[3, -2, 1], maximize=maximize
        )
        compiled = export(program, "cqm").compiled
        samples = all_bits(3)
        energies, objective = compiled.energies(samples), cqm_of(compiled.program).objective
        holds = np.array([not program.broken(x) for x in samples])
        names = list(program.variables)
        assert (energies[holds] == objective.energies((samples[holds], names))).all()
        assert energies[holds].max() < energies[~holds].min()
        assert export(program, "cqm").decode(samples[-1].tolist()).energy is None


def test_an_objective_is_the_objective():
    b = ModelBuilder()
    x, y = b.choice("x", range(3)), b.bit("y")
    b.minimize(2 * (x == 1) + 3 * (x == 2) - y)
    b.add("not", (x == 0) + y <= 1)
    model = b.build()
    best = dimod.ExactCQMSolver().sample_cqm(to_cqm(model)).filter(lambda d: d.is_feasible).first
    judged = decode(model, best.sample)
    assert (judged.valid, judged.objective, best.energy) == (True, 0, 0)


def test_the_file_is_the_model():
    cqm = to_cqm(OPEN)
    with cqm.to_file() as file, ZipFile(BytesIO(export(OPEN, "cqm").data)) as ours:
        other = ZipFile(BytesIO(bytes(file.read())))
        assert ours.namelist() == other.namelist()
        assert all(ours.read(name) == other.read(name) for name in ours.namelist())
    read = dimod.ConstrainedQuadraticModel.from_file(export(OPEN, "cqm").data)
    assert read.is_equal(cqm)
    assert set(read.discrete) == set(cqm.discrete) != set()


def test_rows_that_share_a_bit_are_not_both_discrete():
    matrix = [[1, 1, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 1, 1], [0, 0, 0, 0, 1], [2, 2, 0, 0, 0]]
    cqm = to_cqm(Program.of(matrix, [1, 1, 1, 1, 2], [1, 1, 1, 1, 2], rows=list("abcde")))
    assert sorted(cqm.discrete) == ["a", "c"]
    wide = Program.of([[1, 1], [1, 1]], [1, 0], [1, 1], upper=[1, 2], rows=["x", "y"])
    assert not list(to_cqm(wide).discrete)


def test_presolve_and_formulation_are_those_of_the_sample():
    puzzle = Nonogram.examples()[0]
    options = {"formulation": "pattern", "presolve": "propagate"}
    cqm = to_cqm(puzzle, **options)
    judged = decode(puzzle, dict.fromkeys(cqm.variables, 0), **options)
    assert not judged.valid or not cqm.variables
    with pytest.raises(InputError, match="the sample has other variables than the model: "):
        decode(puzzle, {"strange": 1})
    with pytest.raises(InputError, match="the sample set is empty"):
        decode(puzzle, dimod.SampleSet.from_samples([], "BINARY", energy=[]))


def test_connectivity_by_cuts_has_no_cqm():
    puzzle = Heyawake.examples()[0]
    with pytest.raises(ModelError, match="no form for connectivity") as caught:
        to_cqm(puzzle, formulation=puzzle.formulation_for(cuts=True))
    assert "\n" not in str(caught.value)


@given(st.integers(0, 2**31))
@settings(max_examples=5, deadline=None)
def test_spins_of_the_qubo_are_a_sample_too(seed):
    bqm = to_bqm(OPEN)
    spins = dict(zip(bqm.variables, np.random.default_rng(seed).choice([-1, 1], 8), strict=False))
    found = dimod.SampleSet.from_samples_bqm(spins, bqm.change_vartype("SPIN", inplace=False))
    assert decode(OPEN, found).valid == (found.first.energy == 0)
