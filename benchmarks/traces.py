"""What keeping states on the way costs: seconds of solving without a trace and at several rates.

Puzzles at a temperature at which they are not solved, so that every run makes the same sweeps; the
rates take turns, medians over the rounds. States are decoded when ``result.trace`` is first used,
which is listed apart.

Usage: python benchmarks/traces.py [--rounds N]
"""

from __future__ import annotations

from statistics import median

from instances import noise_picture, warm_up
from qubopuzzle import Puzzle, solve
from record import Args, Benchmark, Cases, Row, Rows, grouped, main, markdown, timed

RATES = (None, "10/s", "100/s", 100, 10, 1)
SIDES = ((15, 4_000), (30, 1_500), (60, 400))
"""Sides, and sweeps of each of four reads."""
SOLVERS = {
    "annealer": {"beta": 0.3, "increment": 0, "propagation": 0},
    "tempering": {"beta_hot": 0.05, "beta_cold": 0.3},
}


def cases(args: Args) -> Cases:
    warm_up("annealer")
    warm_up("tempering")
    for side, sweeps in SIDES:
        puzzle = noise_picture(side, side)
        yield f"annealer, {side}x{side}", measure, "annealer", puzzle, sweeps, args.rounds
    for side, sweeps in SIDES[:2]:
        puzzle = noise_picture(side, side)
        yield f"tempering, {side}x{side}", measure, "tempering", puzzle, sweeps // 10, args.rounds


def measure(solver: str, puzzle: Puzzle, sweeps: int, rounds: int) -> list[Row]:
    rows = []
    for seed in range(rounds):
        energies = set()
        for rate in RATES:
            options = {**SOLVERS[solver], "sweeps": sweeps}
            arguments = {"seed": seed, "reads": 4, "presolve": "none", "options": options}
            result = solve(puzzle, solver, trace=rate, **arguments)
            assert not result.valid, "it was to make all sweeps"
            energies.add(result.energy)
            after, trace = timed(getattr, result, "trace")
            took, states = result.timings_s["solve"], 0 if trace is None else len(trace)
            about = {"solver": solver, "size": f"{puzzle.shape[0]}x{puzzle.shape[1]}", "seed": seed}
            rows.append(about | {"rate": rate, "states": states, "s": took, "decode_s": after})
        assert len(energies) == 1, "a trace changed the answer"
    return rows


def show(rows: Rows) -> str:
    lines = []
    for (solver, size), own in grouped(rows, "solver", "size").items():
        plain = {row["seed"]: row["s"] for row in own if row["rate"] is None}
        for (rate,), runs in grouped(own, "rate").items():
            more = 100 * (median(row["s"] / plain[row["seed"]] for row in runs) - 1)
            every = f"every {rate} sweeps" if rate != 1 else "every sweep"
            what = {None: "none"}.get(rate, rate if isinstance(rate, str) else every)
            seconds, after = (median(row[key] for row in runs) for key in ("s", "decode_s"))
            states = f"{median(row['states'] for row in runs):,.0f}"
            cost = "" if rate is None else f"{more:+.1f} %"
            lines.append([solver, size, what, states, f"{seconds:.3f}", cost, f"{after:.3f}"])
    heads = ["solver", "puzzle", "trace", "states", "solving s", "overhead", "decoding s"]
    return markdown(heads, lines)


BENCHMARKS = (Benchmark("traces", cases, {"traces": show}),)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, {"rounds": (7, "rounds of all rates, each with a seed of its own")})
