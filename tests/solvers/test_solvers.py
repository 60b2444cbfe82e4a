"""Solvers over QUBOs: reads, options, samplers of others, time limits."""

import pickle
import time
from dataclasses import replace
from itertools import pairwise

import dimod
import numpy as np
import pytest

from qubopuzzle import InputError, ModelBuilder, Nonogram, solve
from qubopuzzle.answer import Judge
from qubopuzzle.compile import compile_model
from qubopuzzle.errors import (
    ModelError,
    SolverFailed,
    SolverUnavailable,
    TimeLimitWarning,
    TooLarge,
)
from qubopuzzle.model import Propagation
from qubopuzzle.solvers import get_solver
from qubopuzzle.solvers.base import Budget, Option, Task
from qubopuzzle.solvers.sampler import Batch, Best, SamplerSolver
from qubopuzzle.solving.loading import problem_of
from qubopuzzle.testing.solvers import ordered, run
from toys import Coin, Judging, Recording

A = Nonogram.examples()[0]
FOREIGN = "dimod:dimod:RandomSampler"


@pytest.mark.parametrize("name", ["neal", "tabu", "steepest-descent", "random"])
def test_a_time_limit_ends_the_reads(name):
    noise = np.random.default_rng(1).integers(0, 2, (20, 20))
    started = time.perf_counter()
    result = solve(Nonogram.from_picture(noise), name, encoding="one-hot", time_limit=0.3, seed=1)
    # Generous: a bound against hanging, no measurement of speed.
    assert time.perf_counter() - started < 20
    assert result.reads >= 1


def test_a_progress_callback_sees_the_best_energy_fall():
    seen = []
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (9, 9)))
    solve(noise, "random", reads=500, seed=1, progress=seen.append)
    assert [p.reads for p in seen] == [100, 200, 300, 400, 500]
    assert all(a.energy >= b.energy for a, b in pairwise(seen))


def test_ctrl_c_keeps_what_there_is():
    def interrupt(_):
        raise KeyboardInterrupt

    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (9, 9)))
    result = solve(noise, "random", reads=500, seed=1, progress=interrupt)
    assert result.interrupted
    assert result.reads == 100
    assert result.grid is not None
    assert result.verdict.startswith("not solved (interrupted, ")


def test_exact_refuses_large_models():
    with pytest.raises(TooLarge, match="at most 20 variables, this model has 30") as caught:
        solve(A, "exact")
    assert "domain-wall" not in str(caught.value)  # which is what it has
    with pytest.raises(TooLarge, match="try --encoding domain-wall or --solver sat"):
        solve(A, "exact", encoding="one-hot")


def test_no_memory_is_an_error_with_the_solvers_name():
    permutation = Nonogram(rows=[[1]] * 5, cols=[[1]] * 5)
    message = "solver dimod:dimod:ExactSolver needs more memory than there is for 50 variables"
    with pytest.raises(TooLarge, match=message):
        solve(permutation, "dimod:dimod:ExactSolver", encoding="one-hot")
    for side in (60, 70):  # more bytes than numpy can count
        model = ModelBuilder()
        for number in range(side):
            model.bit(f"b{number}")
        with pytest.raises(TooLarge, match=f"needs more memory than there is for {side} variables"):
            solve(model.build(), "dimod:dimod:ExactSolver")


def test_neal_is_that_of_dwave_neal():
    assert list(get_solver("neal").versions()) == ["dwave-neal", "dwave-samplers"]
    assert get_solver("neal").make().__class__.__module__.startswith("dwave.samplers")


def test_tabu_refuses_what_it_cannot_hold():
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (45, 45)))
    with pytest.raises(TooLarge, match="at most 6,000 variables"):
        solve(noise, "tabu")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"sweeps": "many"},
            "option sweeps: expected a whole number from 1 to 10,000,000, got 'many'",
        ),
        ({"sweeps": 0}, "option sweeps"),
        ({"sweeps": 10**30}, "option sweeps"),
        ({"sweeps": 1.5}, "option sweeps"),
        ({"sweeps": True}, "option sweeps"),
        ({"beta_hot": "nan"}, "option beta_hot"),
        ({"beta_hot": "inf"}, "option beta_hot"),
        ({"swoops": 1}, "solver neal has no option 'swoops'; it has: sweeps, beta_hot, beta_cold"),
        ({"beta_hot": 6}, "option beta_hot: 6 is above beta_cold = 5"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(InputError) as caught:
        solve(A, "neal", options=options)
    assert message in str(caught.value)


def test_options_are_read_from_text_and_recorded():
    result = solve(A, "neal", seed=1, options={"sweeps": "100"})
    assert result.settings == {"sweeps": 100, "beta_hot": 0.5, "beta_cold": 5.0}


def test_foreign_samplers_get_all_reads_and_their_own_options():
    Recording.calls.clear()
    puzzle = Nonogram.from_picture(["#.", ".#"])
    result = solve(puzzle, "dimod:toys:Recording", reads=7, options={"colour": "blue"})
    assert Recording.calls == [(7, "blue")]
    assert result.valid
    with pytest.raises(InputError, match="has no option 'flavour'; it has: colour"):
        solve(puzzle, "dimod:toys:Recording", options={"flavour": 1})


def test_foreign_failures_are_one_line():
    puzzle = Nonogram.from_picture(["#.", ".#"])
    with pytest.raises(SolverFailed, match=r"Broken: ValueError: first line$"):
        solve(puzzle, "dimod:toys:Broken")
    with pytest.raises(SolverUnavailable, match="NoToken: OSError: no token"):
        solve(puzzle, "dimod:toys:NoToken")
    with pytest.raises(SolverUnavailable, match="No module named 'nowhere'"):
        solve(puzzle, "dimod:nowhere:Class")
    with pytest.raises(InputError, match="write dimod:module:Class"):
        solve(puzzle, "dimod:nowhere")


@pytest.mark.parametrize(
    "name", ["dimod:BinaryQuadraticModel", "sys:exit", "os:abort", "toys:factory"]
)
@pytest.mark.parametrize("kind", ["dimod", "dwave"])
def test_only_a_sampler_that_is_named_is_called(name, kind):
    if kind == "dwave":
        pytest.importorskip("dwave.system")
    with pytest.raises(InputError, match=f"{name} is no class or object with a method sample"):
        solve(Nonogram.from_picture(["#.", ".#"]), f"{kind}:{name}", presolve="none")


@pytest.mark.parametrize("error", [SystemExit("over"), RuntimeError("over")])
def test_a_module_that_ends_amid_its_import_is_one_line(error, monkeypatch):
    def fails(name):
        raise error

    monkeypatch.setattr("qubopuzzle.solvers.sampler.import_module", fails)
    monkeypatch.setattr("qubopuzzle.solvers.sampler.find_spec", fails)
    assert not get_solver("dimod:toys:Recording").available().ok
    with pytest.raises(SolverUnavailable, match=f"{type(error).__name__}: over$"):
        solve(Nonogram.from_picture(["#.", ".#"]), "dimod:toys:Recording")


def test_a_sampler_that_is_not_there_cannot_run():
    assert not get_solver("dimod:nowhere:Class").available().ok


def test_unknown_solvers_name_the_known_ones():
    with pytest.raises(
        InputError, match=r"unknown solver 'lean'; choose from amplify, annealer, .*exact, .*neal, "
    ):
        solve(A, "lean")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"solver": "anealer"}, "unknown solver 'anealer'; did you mean annealer?"),
        ({"formulation": "Windows"}, "nonogram has no formulation 'Windows'; did you mean window?"),
        ({"encoding": "one_hot"}, "unknown encoding 'one_hot'; did you mean one-hot?"),
        ({"presolve": "propagation"}, "unknown presolve 'propagation'; did you mean propagate?"),
        ({"options": {"sweps": 5}}, "solver annealer has no option 'sweps'; did you mean sweeps?"),
        ({"weights": {"fields": 2}}, "unknown family 'fields'; did you mean field?"),
    ],
)
def test_a_name_that_is_nearly_right_gets_the_right_one(asked, message):
    with pytest.raises(InputError) as refused:
        solve(A, **asked)
    assert str(refused.value).endswith(message)


@pytest.mark.parametrize("weights", [None, {"field": 0.25}, {"once": 7, "order": 2}])
def test_neal_solves_the_reference_picture_with_any_weights(weights):
    result = solve(A, "neal", seed=1, weights=weights)
    assert result.valid
    assert result.energy == 0


def test_a_sample_that_the_rules_accept_ends_the_reads():
    solver = get_solver("random")
    compiled = compile_model(A.model(), "qubo", "one-hot")
    seen = []

    def accepts(sample):
        seen.append(sample)
        return len(seen) == 2

    outcome = solver.solve(Task(compiled, Budget(900, None, 1), {}, Judging(accepts)))
    assert outcome.reads == 200
    assert outcome.energies[0] > 0
    assert seen[0].shape == (compiled.payload.num_variables,)


def test_a_foreign_sampler_may_be_handed_over_or_named_as_an_object():
    puzzle = Nonogram.from_picture(["#.", ".#"])
    handed = solve(puzzle, Recording(), reads=3)
    assert handed.solver == "dimod:toys:Recording"
    assert handed.valid
    assert solve(puzzle, "dimod:toys:ready", reads=3).valid
    with pytest.raises(InputError, match="or a client of the Amplify SDK, got int"):
        solve(puzzle, 7)


def test_spins_in_another_order_are_understood():
    assert solve(Nonogram.from_picture(["#.", ".#", "##"]), "dimod:toys:Spins").valid


@pytest.mark.parametrize(
    ("sampler", "message"),
    [
        ("Lazy", "RuntimeError: the cloud went away"),
        ("NoneAtAll", "the sampler returned a NoneType"),
        ("Nothing", "the sampler returned no sample"),
        ("Halves", "values that are not binary"),
        ("Extra", "over other variables"),
        ("Missing", "over other variables"),
    ],
)
def test_unfit_samples_are_an_error_of_the_sampler(sampler, message):
    with pytest.raises(SolverFailed, match=message):
        solve(A, f"dimod:toys:{sampler}")


@pytest.mark.parametrize("option", ["num_reads", "seed", "time_limit"])
def test_what_belongs_to_the_run_is_no_option(option):
    with pytest.raises(InputError, match=rf"write (reads|{option})=1, not options="):
        solve(A, FOREIGN, options={option: 1})


def test_foreign_versions_are_those_of_the_distribution():
    name = "dimod:dwave.samplers:SimulatedAnnealingSampler"
    assert list(get_solver(name).versions()) == ["dwave-samplers"]
    assert get_solver("dimod:dimod:ExactSolver").versions() == {"dimod": dimod.__version__}


def test_a_time_limit_cuts_a_foreign_samplers_reads():
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (25, 25)))
    name = "dimod:dwave.samplers:SimulatedAnnealingSampler"
    started = time.perf_counter()
    with pytest.warns(TimeLimitWarning, match="cannot be stopped amid a read"):
        result = solve(noise, name, time_limit=1, reads=10**6, seed=1)
    assert time.perf_counter() - started < 30  # against running for hours
    assert 1 <= result.reads < 10**6


def test_a_call_that_would_end_late_is_not_made():
    b = ModelBuilder()
    b.linear("never", [0, 0], [b.bit("a"), b.bit("b")], lower=1, upper=1, shape=(1,))
    compiled = compile_model(b.build(), "qubo", "one-hot")
    task = Task(compiled, Budget(9, 2.0, 1), {})
    batch = Batch(task, Best(compiled), np.random.default_rng(1), reads=3, read_s=1.0)
    assert batch.fits()  # the first is always made
    batch.best.add(np.zeros((1, compiled.n_bits), dtype=np.int8), [1], 1)
    assert not batch.fits()
    assert replace(batch, read_s=0.1).fits()


def test_tabu_refuses_what_takes_longer_than_the_time_limit_before_it_begins():
    b = ModelBuilder()
    for i in range(3000):
        b.bit(f"bit[{i}]")
    b.at_most_one("one", [range(1, 6000, 2)])
    with pytest.raises(TooLarge, match=r"needs about 1\.3 s .* the time limit is 0\.1 s"):
        run(get_solver("tabu"), b.build(), time_limit=0.1)


def test_an_enumeration_that_the_time_limit_ends_proves_nothing():
    b = ModelBuilder()
    for i in range(14):
        b.bit(f"bit[{i}]")
    b.linear("all", [0] * 14, range(1, 28, 2), lower=14, upper=14, shape=(1,))
    result = solve(b.build(), "exact", time_limit=1e-6)
    assert (result.status, result.complete, result.energy) == ("unknown", False, 4)
    assert solve(b.build(), "exact").unique


def test_samples_are_judged_as_long_as_there_is_time():
    model, zeros = ordered(), np.zeros(6, dtype=np.int8)
    compiled = compile_model(model, "qubo", "one-hot")
    valid = compiled.encode(np.array([1, 0, 0, 0, 0, 1])).astype(np.int8)
    judge = Judge(problem_of(model), Propagation.none(model), compiled)
    samples = [(zeros, 2.0), (valid, 0.0)]
    (found,), _ = judge.judge_all(samples, 1)
    assert found.valid
    (found,), all_valid = judge.judge_all(samples, 1, until=0)
    assert not found.valid
    assert not all_valid


@pytest.mark.parametrize("presolve", ["none", "propagate"])
def test_what_a_relaxed_model_proves(presolve):
    """Bounded: nothing proves "no solution". Omitted: energy 0 is not solved yet."""
    assert solve(Coin(kind="exact"), "exact", presolve=presolve).valid
    impossible = solve(Coin(kind="impossible"), "exact", presolve=presolve)
    assert impossible.status == "infeasible"
    assert (impossible.violations, impossible.energy, impossible.grid) == ((), None, None)
    restricted = solve(Coin(kind="restricted"), "exact", presolve="none")
    assert restricted.status == "unknown"
    assert restricted.relaxed == ("one",)
    omitted = solve(Coin(kind="omitted"), "random", presolve=presolve, seed=3, reads=200)
    assert omitted.valid
    assert omitted.relaxed == ("one",)


def test_a_bounded_model_that_propagation_empties_is_unknown():
    assert solve(Coin(kind="restricted"), "neal", presolve="propagate").status == "unknown"


def test_samplers_go_on_where_energy_zero_is_not_enough():
    solver = get_solver("random")
    compiled = compile_model(Coin(kind="omitted").model(), "qubo", "one-hot")
    outcome = solver.solve(Task(compiled, Budget(700, None, 1), {}))
    assert outcome.reads == 700
    assert len(outcome.samples) == 4  # distinct ones only


def test_neal_goes_on_from_where_a_call_ended(monkeypatch):
    """Cut into many calls, a read still anneals: the last call alone could not solve this."""
    from qubopuzzle.solvers import neal

    puzzle = Nonogram.examples()[1]
    monkeypatch.setattr(neal, "_UPDATES_PER_CALL", 69 * 50)
    ticks = []
    result = solve(puzzle, "neal", seed=1, reads=3, progress=ticks.append)
    assert result.valid
    assert len(ticks) > 200
    assert all(a.reads <= b.reads for a, b in pairwise(ticks))


class Clock:
    """Seconds that pass only in samples: so many a sweep, and some a call."""

    def __init__(self):
        self.now, self.schedules = 0.0, []

    def perf_counter(self):
        return self.now

    def sampling(self, sample):
        def timed(sampler, bqm, *, beta_schedule, **more):
            self.now += 1e-3 + 5e-5 * len(beta_schedule)
            self.schedules.append(beta_schedule)
            return sample(sampler, bqm, beta_schedule=beta_schedule, **more)

        return timed


def test_neal_shortens_its_schedule_to_the_time_limit(monkeypatch):
    """By a clock of its own: how fast the machine is changes nothing."""
    from neal import SimulatedAnnealingSampler

    from qubopuzzle.solvers import base, neal

    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (30, 30)))
    arguments = {"reads": 1, "seed": 1, "encoding": "domain-wall"}
    hot = solve(noise, "neal", options={"sweeps": 1}, **arguments)
    clock = Clock()
    monkeypatch.setattr(neal, "time", clock)
    monkeypatch.setattr(base.Task, "seconds_left", lambda task: task.budget.time_limit - clock.now)
    timed = clock.sampling(SimulatedAnnealingSampler.sample)
    monkeypatch.setattr(SimulatedAnnealingSampler, "sample", timed)
    cut = solve(noise, "neal", time_limit=0.5, options={"sweeps": 10**7}, **arguments)
    sweeps = cut.settings["last_read_sweeps"]
    assert cut.settings["sweeps"] == 10**7
    assert 5000 < sweeps < 0.5 / 5e-5
    assert 0.4 < clock.now <= 0.5
    betas = np.concatenate(clock.schedules[2:])  # behind the two by which it measures
    assert len(betas) == sweeps
    assert betas == pytest.approx(np.geomspace(betas[0], betas[-1], sweeps))
    assert betas[-1] == pytest.approx(10 * betas[0])  # from hot to cold, not broken off
    assert cut.energy < hot.energy / 2


def test_neal_ends_at_the_time_limit_by_the_machines_clock():
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (30, 30)))
    cut = solve(noise, "neal", reads=1, time_limit=0.5, seed=1, options={"sweeps": 10**7})
    assert 1 <= cut.settings["last_read_sweeps"] < cut.settings["sweeps"] == 10**7


def test_ctrl_c_inside_a_read_keeps_its_state(monkeypatch):
    from qubopuzzle.solvers import neal

    monkeypatch.setattr(neal, "_UPDATES_PER_CALL", 1000)
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (9, 9)))

    def interrupt(progress):
        if progress.reads > 0.5:
            raise KeyboardInterrupt

    result = solve(noise, "neal", reads=1, seed=1, progress=interrupt)
    assert result.interrupted
    assert result.grid is not None


@pytest.mark.parametrize(
    "weights",
    [
        {"once": 10**18},
        {"field": 5e18, "once": 1e18},
        {"once": 1e17, "field": 0.001},
        {"once": 1e308},
        {"field": 1e-300},
    ],
)
def test_weights_that_double_precision_cannot_hold_are_refused(weights):
    with pytest.raises(InputError, match="too large or too far apart"):
        solve(A, "neal", encoding="one-hot", weights=weights)


def test_fractional_weights_still_give_exactly_zero():
    result = solve(A, "neal", seed=1, weights={"once": 0.1, "field": 0.3, "order": 1 / 3})
    assert result.valid
    assert result.energy == 0


@pytest.mark.parametrize("tenure", [30, 1000])
def test_tabu_refuses_a_tenure_beyond_the_model(tenure):
    with pytest.raises(InputError, match="is not below the 30 variables"):
        solve(A, "tabu", options={"tenure": tenure})


class BrokenEntry:
    name, value = "theirs", "nowhere:SOLVER"

    def load(self):
        raise ImportError("no module named nowhere")


def test_a_broken_entry_point_breaks_nothing_else(monkeypatch):
    import qubopuzzle.solvers as registry

    def entries(group, name="theirs"):
        return [BrokenEntry()] if name == "theirs" else []

    monkeypatch.setattr(registry, "entry_points", entries)
    assert solve(A, "neal", seed=1).valid
    here = registry.all_solvers()["theirs"].available()
    assert (here.ok, here.why) == (
        False,
        "entry point nowhere:SOLVER: ImportError: no module named nowhere",
    )
    message = "theirs cannot run here: entry point nowhere:SOLVER"
    with pytest.raises(SolverUnavailable, match=message):
        solve(A, "theirs")


def test_an_entry_point_to_a_class_says_what_to_name(monkeypatch):
    import qubopuzzle.solvers as registry

    class Entry(BrokenEntry):
        def load(self):
            return SamplerSolver

    monkeypatch.setattr(registry, "entry_points", lambda **_: [Entry()])
    why = registry.get_solver("theirs").available().why
    assert why.endswith("is no Solver object; name an instance, such as SOLVER = SamplerSolver()")


def test_a_solver_in_a_file_of_another_name_is_the_one_that_is_listed(monkeypatch):
    import qubopuzzle.solvers as registry

    plain = SamplerSolver("greedy-restarts", "toys:Recording")
    monkeypatch.setattr(registry, "_modules", lambda: ("greedy",))
    monkeypatch.setattr(registry, "_own_solver", {"greedy": plain}.get)
    assert registry.all_solvers()["greedy-restarts"] is plain
    assert registry.get_solver("greedy-restarts") is plain
    with pytest.raises(InputError, match="did you mean greedy-restarts"):
        registry.get_solver("greedy-restart")


def test_options_reach_the_sampler_by_name_but_those_left_to_it():
    puzzle = Nonogram.from_picture(["#.", ".#"])
    colour = Option("colour", str, None, "of the samples")
    plain = SamplerSolver("plain", "toys:Recording", reads_per_call=None, options=[colour])
    compiled = compile_model(puzzle.model(), "qubo", "one-hot")
    Recording.calls.clear()
    for options in ({}, {"colour": "blue"}):
        plain.solve(Task(compiled, Budget(7, None, 1), plain.parse_options(options)))
    assert Recording.calls == [(7, "red"), (7, "blue")]


def test_an_option_that_a_solver_asks_for_and_does_not_declare_is_named():
    options = get_solver("neal").parse_options({})
    again = pickle.loads(pickle.dumps(options))  # noqa: S301
    assert (again, {**again}) == (options, {"sweeps": 10_000, "beta_hot": 0.5, "beta_cold": 5.0})
    for each in (options, again):
        with pytest.raises(SolverFailed) as caught:
            each["sweep"]
        assert str(caught.value) == ("solver neal declares no option 'sweep'; did you mean sweeps?")


def test_an_unknown_target_is_named_with_those_there_are():
    for target, hint in (("qbo", "did you mean qubo?"), ("z3", "choose from qubo, amplify-")):
        with pytest.raises(ModelError) as caught:
            compile_model(A.model(), target, None)
        assert f"there is no target {target!r}; {hint}" in str(caught.value)


@pytest.mark.parametrize("name", ["neal", "tempering", "exact"])
def test_what_presolving_decides_is_no_proof_of_its_objective(name):
    """A positive objective of a model without variables is no broken constraint."""
    b = ModelBuilder()
    b.bit("on")
    b.linear("must", [0], [1], [1], lower=1, upper=1, shape=(1,))
    b.objective([0, 1], [0.0, 2.0])
    found = solve(b.build(), name, presolve="propagate", seed=1)
    assert (found.valid, found.objective, found.values) == (True, 2.0, {"on": 1})
