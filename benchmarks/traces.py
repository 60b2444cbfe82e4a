"""What keeping states on the way costs: seconds of solving without a trace and at several rates.

Puzzles at a temperature at which they are not solved, so that every run makes the same sweeps, a
quarter of a second or so. A pair is four runs of a seed, with and without in the order A B B A,
so that a machine whose speed drifts does both at the same speed; overheads are medians over the
pairs, with a 95 percent bootstrap interval of the median. "without again" compares runs without
a trace with each other, and says how far the figures can be trusted. "ms a state" is the time
that runs with a trace took longer, over the states. States are decoded when ``result.trace`` is
first used, which is listed apart.

Without a trace the annealer asks after each slice of some sweeps whether somebody watches. That is
measured with slices that do nothing, against the same loop without the question.

Two tables: traces, traces_off.

Usage: python benchmarks/traces.py [--pairs N]
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from types import SimpleNamespace

import numpy as np
from scipy.stats import bootstrap

from instances import noise_picture, warm_up
from qubopuzzle import Puzzle, solve
from qubopuzzle.annealing import annealing_form, search
from qubopuzzle.annealing.search import _UPDATES_PER_SLICE, _redraw
from record import Args, Benchmark, Cases, Row, Rows, grouped, main, markdown, timed

RATES = {
    "without again": None,
    "10/s": "10/s",
    "100/s": "100/s",
    "every 100 sweeps": 100,
    "every 10 sweeps": 10,
    "every sweep": 1,
}
SIDES = ((15, 7_000), (30, 1_600), (60, 200))
"""Sides, and sweeps of a read."""
MANY = 100
"""States from which on what one of them costs can be told."""
SOLVERS = {
    "annealer": {"beta": 0.3, "increment": 0, "propagation": 0},
    "tempering": {"beta_hot": 0.05, "beta_cold": 0.3},
}


def cases(args: Args) -> Cases:
    for solver in SOLVERS:
        warm_up(solver)
        for side, sweeps in SIDES[: 3 if solver == "annealer" else 2]:
            puzzle, own = noise_picture(side, side), sweeps if solver == "annealer" else sweeps // 3
            for rate in RATES:
                label = f"{solver}, {side}x{side}, {rate}"
                yield label, measure, solver, puzzle, own, rate, args.pairs


def measure(solver: str, puzzle: Puzzle, sweeps: int, rate: str, pairs: int) -> list[Row]:
    about = {"solver": solver, "size": "x".join(map(str, puzzle.shape)), "rate": rate}
    options = {**SOLVERS[solver], "sweeps": sweeps}
    rows = []
    for seed in range(-1, pairs):
        runs = [
            solve(
                puzzle,
                solver,
                seed=max(0, seed),
                reads=1,
                presolve="none",
                options=options,
                trace=RATES[rate] if with_trace else None,
            )
            for with_trace in (False, True, True, False)
        ]
        assert len({result.energy for result in runs}) == 1, "a trace changed the answer"
        assert not runs[0].valid, "it was to make all sweeps"
        after, trace = timed(getattr, runs[1], "trace")
        took = [result.timings_s["solve"] for result in runs]
        # Of very many states every other one is dropped.
        every = RATES[rate]
        states = sweeps // every if isinstance(every, int) else len(trace or ())
        if seed >= 0:  # the first pair warms up
            own = {"seed": seed, "states": states, "decode_s": after}
            rows.append(
                about | own | {"without_s": (took[0] + took[3]) / 2, "s": (took[1] + took[2]) / 2}
            )
    return rows


def show(rows: Rows) -> str:
    lines = []
    for (solver, size, rate), own in grouped(rows, "solver", "size", "rate").items():
        more = np.array([100 * (row["s"] / row["without_s"] - 1) for row in own])
        found = bootstrap((more,), np.median, method="percentile", rng=1).confidence_interval
        without, seconds, after, states = (
            median(row[key] for row in own) for key in ("without_s", "s", "decode_s", "states")
        )
        cost = f"{np.median(more):+.1f} % ({found.low:+.1f} to {found.high:+.1f})"
        # Of few states the difference is noise.
        each = [(row["s"] - row["without_s"]) / row["states"] for row in own if states >= MANY]
        each = f"{1e3 * median(each):.2f}" if each else ""
        decoding = f"{after:.3f}" if states else ""
        head = [solver, size, rate, f"{states:,.0f}", f"{without:.3f}", f"{seconds:.3f}"]
        lines.append([*head, cost, each, decoding])
    heads = ["solver", "puzzle", "trace", "states", "without s", "with s", "overhead"]
    return markdown([*heads, "ms a state", "decoding s"], lines)


# --- without a trace ------------------------------------------------------------------


def cases_off(args: Args) -> Cases:
    warm_up("annealer")
    for side, sweeps in SIDES:
        yield f"off, {side}x{side}", measure_off, noise_picture(side, side), sweeps, args.pairs


def measure_off(puzzle: Puzzle, sweeps: int, pairs: int) -> list[Row]:
    form = annealing_form(puzzle.model())
    parameters = search.AnnealingParameters(**SOLVERS["annealer"])
    n, slices, rows = form.n_units, 20_000, []
    in_a_slice = max(1, _UPDATES_PER_SLICE // form.model.n_literals) * n
    for seed in range(pairs):
        state = search.State(form, np.random.default_rng(seed))
        state.randomize()
        args = parameters, 0, n * sweeps, in_a_slice, lambda _: True, None, []
        seconds, _ = timed(_redraw, state, *args, early=False)
        nothing = SimpleNamespace(energy=1, redraw=lambda n, *_: n)
        args = parameters, 0, slices * in_a_slice, in_a_slice, lambda _: True, None, []
        loops = unwatched, _redraw, _redraw, unwatched
        took = [timed(loop, nothing, *args, early=False)[0] for loop in loops]
        row = {"size": "x".join(map(str, puzzle.shape)), "seed": seed}
        real = seconds / -(-n * sweeps // in_a_slice)
        asking = (took[1] + took[2] - took[0] - took[3]) / 2 / slices
        rows.append(row | {"slice_s": real, "asking_s": asking})
    return rows


def unwatched(
    state: search.State,
    parameters: search.AnnealingParameters,
    target: int,
    end: int,
    slice_redraws: int,
    goes_on: Callable[[int], bool],
    *_: None,
    **__: bool,
) -> tuple[int, list[int]]:
    """The annealer's loop without a word of traces, nor of the course of energies."""
    redraws = 0
    while redraws < end and state.energy > target:
        slice_end = min(end, (redraws // slice_redraws + 1) * slice_redraws)
        redraws += state.redraw(slice_end - redraws, parameters, target)
        if redraws >= slice_end and not goes_on(redraws):
            break
    return redraws, []


def show_off(rows: Rows) -> str:
    lines = []
    for (size,), own in grouped(rows, "size").items():
        real, asking = (median(row[key] for row in own) for key in ("slice_s", "asking_s"))
        share = f"{100 * asking / real:.4f} %"
        lines.append([size, f"{1e3 * real:.2f}", f"{1e6 * asking:.2f}", share])
    return markdown(["puzzle", "a slice: ms", "asking: µs", "overhead"], lines)


BENCHMARKS = (
    Benchmark("traces", cases, {"traces": show}),
    Benchmark("traces_off", cases_off, {"traces_off": show_off}),
)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, {"pairs": (25, "pairs of runs, each with a seed of its own")})
