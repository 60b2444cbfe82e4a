"""States on the way of a solve: ``solve(..., trace=)``, their file, ``qubopuzzle replay``."""

import json
import tracemalloc
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from command import run
from qubopuzzle import (
    ModelBuilder,
    Nonogram,
    Sudoku,
    all_solvers,
    generate,
    load,
    load_trace,
    solve,
)
from qubopuzzle.base.recorder import MOST_STATES, Recorder, Track
from qubopuzzle.errors import InputError
from qubopuzzle.model import violations
from qubopuzzle.model.semantics import violations_of

EXAMPLES = Path(__file__).parents[2] / "examples"
SLOW = {"beta": 2.5, "increment": 0.02}
"""Settings at which an easy puzzle takes hundreds of sweeps."""


def puzzle(seed=0, n=12):
    return Nonogram.from_picture(np.random.default_rng(seed).integers(0, 2, (n, n)))


def same(one, two):
    return (one.energy, one.reads) == (two.energy, two.reads) and (one.grid == two.grid).all()


@pytest.mark.parametrize("rate", [1, 7, "200/s", True])
@pytest.mark.parametrize(
    ("solver", "options"), [("annealer", SLOW), ("tempering", {"sweeps": 300}), ("neal", {})]
)
def test_the_answer_is_the_same_with_a_trace(solver, options, rate):
    for seed in range(3):
        arguments = {"seed": seed, "reads": 3, "options": options, "presolve": "none"}
        plain = solve(puzzle(seed), solver, **arguments)
        traced = solve(puzzle(seed), solver, trace=rate, **arguments)
        assert same(plain, traced)
        assert plain.trace is None
        assert len(traced.trace) > 0


def test_a_result_tells_how_far_the_energy_fell():
    """From the random start, whoever watches; what was lower, was reached later."""
    arguments = {"seed": 2, "options": SLOW, "presolve": "none"}
    plain, traced = (solve(puzzle(2), trace=rate, **arguments) for rate in (None, 1))
    course = plain.course
    assert course == traced.course
    assert (course[0], course[-1]) == (traced.trace.energy[0], 0)
    assert len(course) > 2
    assert [*course] == sorted(set(course), reverse=True)
    assert f"energy {course[0]:g} -> " in plain.summary()
    assert " -> 0 |" in plain.summary()
    decided = solve(load(EXAMPLES / "picross-a.json")[0], seed=1)
    assert decided.course == ()
    assert "| energy 0 |" in decided.summary()


def test_slices_of_an_annealed_model_with_large_coefficients_stay_the_same():
    """Blocks of choices are tried between slices, which a trace does not move."""
    rng = np.random.default_rng(3)
    b = ModelBuilder()
    bits = [b.bit(f"x{i}") for i in range(24)]
    literals = [bit.literals[1] for bit in bits]
    for row in range(3):
        factors = rng.integers(20, 90, 24)
        total = int(factors[rng.integers(0, 2, 24) > 0].sum())
        equal = {"lower": total, "upper": total, "shape": (1,)}
        b.linear(f"row{row}", [0] * 24, literals, factors, **equal)
    model = b.build()
    arguments = {"seed": 5, "reads": 4, "options": {"sweeps": 60}, "presolve": "none"}
    plain, traced = solve(model, **arguments), solve(model, trace=1, **arguments)
    assert (plain.energy, plain.values) == (traced.energy, traced.values)


@pytest.mark.parametrize("threads", [1, 3])
def test_what_a_trace_holds(threads):
    options = {**SLOW, "beta": 1.0, "sweeps": 40, "threads": threads}
    own = puzzle(1, 20)
    result = solve(own, seed=2, reads=4, options=options, presolve="none", trace=10)
    trace, model = result.trace, own.model("window")
    assert set(trace.sweep[trace.read == 0]) >= {0, 10, 20, 30}
    assert (np.diff(trace.seconds) >= 0).all()
    assert (trace.beta == 1).all()
    assert trace.lowest[-1] == trace.energy.min() >= result.energy
    assert trace.families == model.families
    assert (trace.energies.sum(axis=1) == trace.energy).all()
    field = trace.weights[:, trace.families.index("field")]
    assert (field[trace.sweep == 0] == 1).all()
    assert (field[trace.sweep > 0] > 1).all()
    assert trace.grids.shape == (len(trace), 20, 20)
    assert all(trace.picture(i).text() for i in (0, len(trace) - 1))


def test_a_trace_is_a_sequence_of_answers(tmp_path):
    own = puzzle(2)
    trace = solve(own, seed=1, reads=2, options=SLOW, presolve="none", trace=True).trace
    trace.save(tmp_path / "t.npz")
    for each in (trace, load_trace(tmp_path / "t.npz")):
        assert [answer.energy for answer in each] == trace.energy.tolist()
        assert all(
            (answer.grid == grid).all() for answer, grid in zip(each, trace.grids, strict=True)
        )
        assert [*each[-2:].sweep] == [*trace.sweep[-2:]]
        assert len(each[1:][::2]) == len(range(1, len(trace), 2))
        assert not each[0].valid
        assert each[0].violations
        assert each[-1].valid
        assert (
            each[-1].picture().text()
            == each.picture(-1).text()
            == own.picture(trace.grids[-1]).text()
        )
        with pytest.raises(IndexError):
            each[len(trace)]
    assert [[*answer.energies.values()] for answer in trace] == trace.energies.tolist()


@pytest.mark.parametrize("solver", ["annealer", "tempering", "sat"])
def test_states_of_a_model_are_its_answers_but_for_those_of_a_file(solver, tmp_path):
    b = ModelBuilder()
    x, y = b.choice("x", range(3)), b.choice("y", range(3))
    b.precedence("order", [x], [y], [2])
    trace = solve(b.build(), solver, seed=1, presolve="none", trace=True).trace
    assert trace[-1].values == {"x": 0, "y": 2}
    assert trace.picture(0) is None
    trace.save(tmp_path / "t.npz")
    with pytest.raises(InputError, match="a model's trace has no values"):
        load_trace(tmp_path / "t.npz")[0]


def test_a_trace_is_drawn():
    traced = solve(puzzle(2), seed=1, options=SLOW, presolve="none", trace=True)
    assert len(traced.plot_trace(Figure())) == 2
    unweighted = solve(puzzle(3, 6), "tempering", seed=1, trace=True)
    (ax,) = unweighted.plot_trace(Figure())
    assert ax.get_lines()[0].get_ydata()[0] == unweighted.trace.energy[0]


def test_a_solved_trace_ends_with_the_answer():
    result = solve(puzzle(2), seed=1, options=SLOW, presolve="none", trace=True)
    assert result.valid
    assert result.trace.energy[-1] == 0
    assert (result.trace.grids[-1] == result.grid).all()


def test_a_presolved_trace_paints_the_whole_grid():
    own = Sudoku("1.3.............")
    result = solve(own, seed=1, presolve="propagate", trace=True, options={"propagation": 0})
    assert result.trace.grids.shape[1:] == (4, 4)
    given = np.array(own.grid)
    assert (result.trace.grids[:, given > 0] == given[given > 0]).all()


@pytest.mark.parametrize("solver", ["tempering", "neal", "random", "tabu"])
def test_energies_of_qubo_solvers_are_theirs(solver):
    result = solve(puzzle(3, 6), solver, seed=1, reads=2, trace=1, weights={"field": 2})
    assert result.trace.energy.min() >= result.energy
    assert solver == "tempering" or result.energy in result.trace.energy
    assert np.isnan(result.trace.weights).all()


def test_solvers_without_states_and_runs_without_any_have_none():
    tiny = Nonogram.from_picture(np.eye(2, dtype=int))
    assert solve(tiny, "exact", trace=True).trace is None
    assert solve(load(EXAMPLES / "picross-a.json")[0], trace=True).trace is None
    with pytest.raises(InputError, match="there is no trace; solve"):
        solve(puzzle(3, 6), "sat").plot_trace()


@pytest.mark.parametrize("solver", ["sat", "cpsat", "mip"])
def test_exact_solvers_show_what_they_cut_off(solver):
    if not all_solvers()[solver].available().ok:
        pytest.skip(f"{solver} is not installed")
    [board] = generate("heyawake", size=(9, 9), seed=3)
    plain, traced = (solve(board, solver, seed=1, trace=rate) for rate in (None, True))
    assert (plain.grid == traced.grid).all()
    trace = traced.trace
    assert (len(trace) > 1) == (traced.settings.get("cuts", 0) > 0)
    assert (trace.energy[:-1] > 0).all()
    assert trace.energy[-1] == 0
    assert (np.diff(trace.sweep) >= 0).all()
    # Before the last one connectivity is all that is broken.
    assert set(np.flatnonzero(trace.energies.any(axis=0))) == {trace.families.index("connected")}


@pytest.mark.parametrize("solver", ["sat", "cpsat", "mip", "clingo"])
def test_exact_solvers_show_what_they_prove_of_an_objective(solver, tmp_path):
    if not all_solvers()[solver].available().ok:
        pytest.skip(f"{solver} is not installed")
    rng, b = np.random.default_rng(1), ModelBuilder()
    x = [b.bit(f"x{i}") for i in range(12)]
    for _ in range(6):
        one, two, three = rng.choice(12, 3, replace=False)
        b.add("cover", x[one] + x[two] + x[three] >= 2)
    b.minimize(sum(int(rng.integers(1, 30)) * bit for bit in x))
    model = b.build()
    result = solve(model, solver, seed=1, trace=True)
    assert result.status == "optimal"
    result.trace.save(tmp_path / "t.npz")
    trace = load_trace(tmp_path / "t.npz")
    known = trace.bound[~np.isnan(trace.bound)]
    assert (np.diff(known) >= 0).all()
    assert (known <= result.objective).all()
    assert (
        trace.bound[-1] == trace.energy[-1] == result.objective == solve(model, "exact").objective
    )
    assert "proved bound" in trace.image("svg").decode()


@pytest.mark.parametrize("solver", ["annealer", "neal"])
def test_rounds_of_cuts_are_shown(solver):
    [board] = generate("heyawake", size=(7, 7), seed=1)
    arguments = {"formulation": "lazy", "presolve": "none", "seed": 1}
    plain, traced = (solve(board, solver, trace=rate, **arguments) for rate in (None, 1))
    assert same(plain, traced)
    assert traced.settings["rounds"] > 1
    assert len(traced.trace) >= traced.settings["rounds"]
    assert traced.trace.grids.shape[1:] == (7, 7)


@pytest.mark.parametrize("rate", [0, -1, "fast", "0/s", "inf/s", "nan/s", 1.5, "10/m", [1]])
def test_rates_that_are_none_are_refused(rate):
    with pytest.raises(InputError, match="trace: expected a number of sweeps from 1, or states"):
        solve(puzzle(), trace=rate)


def test_a_long_trace_is_thinned_evenly():
    recorder = Recorder()
    track = Track(recorder, None)
    sweep = 0
    while sweep < 50_000:
        if recorder.is_due(sweep):
            track.record(0, sweep, 1.0, np.zeros(3))
        sweep = recorder.until(sweep)
    sweeps = [state.sweep for state in recorder.states]
    assert MOST_STATES <= len(sweeps) < 2 * MOST_STATES
    assert set(np.diff(sweeps)) == {32}
    assert sweeps[0] == 0


def test_large_states_take_no_more_than_their_bytes():
    recorder = Recorder()
    track = Track(recorder, None)
    for sweep in range(200):
        track.record(0, sweep, 1.0, np.zeros(10**6))
    assert len(recorder.states) <= 70


@pytest.mark.parametrize("seed", range(20))
def test_energies_of_many_states_are_those_of_each(seed):
    rng = np.random.default_rng(seed)
    name = ["sudoku", "heyawake", "numberlink", "nonogram", "kurodoko", "hitori"][seed % 6]
    own = load(EXAMPLES / ("picross-a.json" if name == "nonogram" else f"{name}.json"))[0]
    for formulation in own.formulations:
        model = own.model(formulation)
        x = rng.integers(0, 2, (5, model.n_literals))
        if seed % 2:
            x = np.zeros((5, model.n_literals), dtype=np.int64)
            for state in x:
                state[model.first_literal[:-1] + rng.integers(0, model.sizes)] = 1
        found = violations_of(model, x)
        for number, state in enumerate(x):
            assert {f: int(costs[number]) for f, costs in found.items()} == violations(model, state)


def test_files_hold_it_all(tmp_path):
    result = solve(puzzle(1), seed=1, options=SLOW, presolve="none", trace=3)
    path = tmp_path / "t.npz"
    result.trace.save(path)
    again = load_trace(path)
    assert again.problem == result.problem
    assert (again.about, again.families) == (result.trace.about, result.trace.families)
    assert again.about["incumbents"] == result.to_dict()["incumbents"]
    for name in ("read", "sweep", "seconds", "beta", "energy", "energies", "answers"):
        assert (getattr(again, name) == getattr(result.trace, name)).all()
    assert np.allclose(again.weights, result.trace.weights, equal_nan=True)


def hostile(tmp_path):
    result = solve(puzzle(1), seed=1, options=SLOW, presolve="none", trace=3)
    result.trace.save(tmp_path / "t.npz")
    whole = (tmp_path / "t.npz").read_bytes()
    with np.load(tmp_path / "t.npz") as data:
        arrays = dict(data)
    about = json.loads(str(arrays["about"]))

    def changed(**others):
        path = tmp_path / "changed.npz"
        np.savez(path, **{**arrays, **others})
        return path.read_bytes()

    yield b"", "no trace, or damaged"
    yield b"hello", "no trace, or damaged"
    yield whole[: len(whole) // 2], "no trace, or damaged"
    yield changed(about=np.array("{}")), "no trace, or damaged; `solve --trace FILE` writes one"
    yield changed(about=np.array(json.dumps({**about, "version": 2}))), "a trace of version 2; 1 is"
    yield changed(energy=np.zeros(2)), r"energy: shape \(2,\) where"
    yield changed(answers=np.zeros((1, 12, 12), np.int8)), "answers: shape"
    yield (
        changed(answers=np.full(arrays["answers"].shape, 7.5)),
        "answers: they are no whole numbers",
    )
    yield changed(sweep=np.array([object()], dtype=object)), "no trace, or damaged"
    yield changed(answers=np.full(arrays["answers"].shape, 7)), "answers: numbers beyond 0 to 1"
    yield changed(read=np.zeros(len(arrays["read"]), np.int8)), "read: expected an array of int32"
    yield changed(read=-arrays["read"] - 1), "read: a number below 0"
    yield changed(sweep=np.int64(3)), r"read: shape .* where 0 states are"
    for families in ("field", [3] * len(about["families"])):
        text = np.array(json.dumps({**about, "families": families}))
        yield changed(about=text), "families: "
    yield changed(about=np.array("[" * 10**5)), "no trace, or damaged"
    problem = {**about["problem"], "rows": [[12], *about["problem"]["rows"][1:]], "solution": None}
    text = np.array(json.dumps({**about, "problem": problem}))
    yield changed(about=text), "problem: the rows add up to "


def test_damaged_files_are_one_line(tmp_path):
    for data, message in hostile(tmp_path):
        path = tmp_path / "bad.npz"
        path.write_bytes(data)
        with pytest.raises(InputError, match=f"bad.npz: {message}"):
            load_trace(path)
    with pytest.raises(InputError, match=r"none\.npz: No such file"):
        load_trace(tmp_path / "none.npz")


def test_any_flipped_bit_is_read_or_refused(tmp_path):
    solve(puzzle(1, 3), seed=1, options=SLOW, presolve="none", trace=3).trace.save(tmp_path / "t")
    whole = (tmp_path / "t").read_bytes()
    assert len(whole) < 4000
    for place in range(0, 8 * len(whole), 41):
        data = bytearray(whole)
        data[place // 8] ^= 1 << place % 8
        (tmp_path / "t").write_bytes(data)
        with suppress(InputError):
            load_trace(tmp_path / "t")


def test_a_read_of_any_number_takes_no_memory(tmp_path):
    trace = solve(puzzle(1), seed=1, reads=3, options=SLOW, presolve="none", trace=3).trace
    far = replace(trace, read=trace.read * (2**30 - 1))
    assert (far.sweeps_in_all() == trace.sweeps_in_all()).all()
    far.save(tmp_path / "t.npz")
    tracemalloc.start()
    try:
        load_trace(tmp_path / "t.npz").sweeps_in_all()
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


def test_energies_without_bounds_are_drawn_and_no_name_is_mathematics():
    trace = solve(puzzle(1), seed=1, options=SLOW, presolve="none", trace=3).trace
    energy = np.full(len(trace), -np.inf)
    energy[0], energy[-1] = -3, np.nan
    named = replace(trace, families=tuple(rf"_$\no{i}$" for i in range(len(trace.families))))
    known = replace(named, energy=energy, weights=np.ones_like(trace.weights))
    axes = known.plot(Figure())
    assert axes[0].get_ylim()[0] == -3
    assert axes[1].get_legend().get_texts()[0].get_text() == r" _\$\no0\$"


def test_on_the_command_line(tmp_path):
    path = tmp_path / "t.npz"
    slow = [word for name, value in SLOW.items() for word in ("--option", f"{name}={value}")]
    example = EXAMPLES / "puzzle-piece.json"
    words = ["solve", example, "--seed", 1, "--presolve", "none", *slow, "--trace", path]
    assert run(*words, "--trace-rate", 2)[0] == 0
    status, out, err = run("replay", path)
    assert (status, err) == (0, "")
    assert "annealer, seed 1 | " in out
    assert out.endswith(", 0 at best, 0 at the end\n")
    film = tmp_path / "t.gif"
    assert run("replay", path, "--plot", film, "--frames", 4, "--fps", 2)[0] == 0
    with Image.open(film) as image:
        assert image.n_frames >= 4
    for name in ("t.png", "t.svg"):
        assert run("replay", path, "--plot", tmp_path / name)[0] == 0
        assert (tmp_path / name).stat().st_size > 1000


def test_a_rate_goes_with_a_trace():
    status, _, err = run("solve", EXAMPLES / "picross-a.json", "--trace-rate", 5)
    assert (status, err) == (2, "qubopuzzle: error: --trace-rate goes with --trace\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--plot", "t.txt"], "t.txt: a plot's name ends in one of"),
        (["--frames", "0"], "--frames: expected a whole number from 1 to 10,000, got 0"),
    ],
)
def test_wrong_usage_of_replay(words, message, tmp_path):
    status, _, err = run("replay", "t.npz", *words, cwd=tmp_path)
    assert status == 2
    assert message in err


def test_a_solver_without_states_writes_no_trace(tmp_path):
    path = tmp_path / "t.npz"
    words = ["solve", EXAMPLES / "picross-a.json", "--solver", "exact", "--trace", path]
    status, _, err = run(*words, "--presolve", "propagate")
    assert (status, path.exists()) == (0, False)
    assert err.startswith(f"qubopuzzle: {path}: not written: exact passed through no state: valid")
    assert len(err.splitlines()) == 1
