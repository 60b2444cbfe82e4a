"""Seconds to build a QUBO: ours against the Amplify SDK used as in its tutorial.

    python benchmarks/build.py [--repeat 5]

Both build the same formulation (``numbering``, one-hot) of the same pictures in one run,
taking turns; the couplings must agree. The SDK's time is given to the constraint model
and to the polynomial of its penalties, ours to the dimod BQM; both start from the clues.
"""

from __future__ import annotations

import gc
import time
from statistics import median

from amplify_tutorial import tutorial_model, tutorial_polynomial
from instances import smooth_picture
from qubopuzzle import Nonogram, compile_qubo
from record import Args, Benchmark, Cases, Row, main

SIZES = ((10, 10), (20, 20), (30, 30), (40, 40), (45, 60), (50, 50), (60, 60))


def _cases(args: Args) -> Cases:
    _measure(smooth_picture(5, 5))  # imports and first calls are not part of the figures
    for size in SIZES:
        puzzle = smooth_picture(*size)
        yield puzzle.id, _row, puzzle, args.repeat


def _row(puzzle: Nonogram, repeat: int) -> Row:
    runs = [_measure(puzzle) for _ in range(repeat)]
    size = "x".join(map(str, puzzle.shape))
    medians = {key: median(run[key] for run in runs) for key in runs[0]}
    return {"instance": puzzle.id, "size": size, "repeat": repeat, **medians}


def _measure(puzzle: Nonogram) -> dict[str, float]:
    """One turn of everything, seconds of wall clock."""
    gc.collect()
    start = time.perf_counter()
    model, _ = tutorial_model(puzzle.rows, puzzle.cols)
    built = time.perf_counter()
    polynomial = tutorial_polynomial(model)
    finished = time.perf_counter()
    couplings = sum(len(ids) == 2 for ids in polynomial.as_dict())
    del model, polynomial
    result = {"sdk_model_s": built - start, "sdk_polynomial_s": finished - start}
    for key, formulation, encoding in (
        ("numbering_s", "numbering", "one-hot"),
        ("window_one_hot_s", "window", "one-hot"),
        ("window_domain_wall_s", "window", "domain-wall"),
    ):
        gc.collect()
        start = time.perf_counter()
        bqm = compile_qubo(puzzle.model(formulation), encoding).to_bqm()
        result[key] = time.perf_counter() - start
        if key == "numbering_s":
            assert bqm.num_interactions == couplings, "the two QUBOs differ"
            result |= {"variables": bqm.num_variables, "couplings": couplings}
    return result


COLUMNS = {
    "size": "{size}",
    "variables": "{variables:,.0f}",
    "couplings": "{couplings:,.0f}",
    "SDK model s": "{sdk_model_s:.3f}",
    "SDK model + polynomial s": "{sdk_polynomial_s:.3f}",
    "ours, same QUBO s": "{numbering_s:.3f}",
    "ratio": lambda row: f"{row['sdk_polynomial_s'] / row['numbering_s']:.1f}",
    "ours, window one-hot s": "{window_one_hot_s:.3f}",
    "ours, window domain-wall s": "{window_domain_wall_s:.3f}",
}
BENCHMARKS = (Benchmark("build", _cases, {"build": COLUMNS}),)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, {"repeat": (5, "runs of each, the median counts")})
