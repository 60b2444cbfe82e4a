"""Seconds to build a QUBO: ours against the Amplify SDK used as in its tutorial.

    python benchmarks/build.py [--repeat 5]

Both build the same formulation (``numbering``, one-hot) of the same pictures in one run,
taking turns; the couplings must agree. The SDK's time is given to the constraint model
and to the polynomial of its penalties, ours to the dimod BQM; both start from the clues.
"""

from __future__ import annotations

import argparse
import gc
import time
from statistics import median
from typing import Any

from amplify_tutorial import tutorial_model, tutorial_polynomial
from instances import smooth_picture
from qubopuzzle import Nonogram, compile_qubo
from record import save, table

SIZES = ((10, 10), (20, 20), (30, 30), (40, 40), (45, 60), (50, 50), (60, 60))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    _measure(smooth_picture(5, 5))  # imports and first calls are not part of the figures
    rows = []
    for rows_, cols in SIZES:
        puzzle = smooth_picture(rows_, cols)
        runs = [_measure(puzzle) for _ in range(repeat)]
        row = {key: median(run[key] for run in runs) for key in runs[0]}
        rows.append({"instance": puzzle.id, "size": f"{rows_}x{cols}", "repeat": repeat, **row})
        print(rows[-1], flush=True)
    columns = [
        "size",
        "variables",
        "couplings",
        "SDK model s",
        "SDK model + polynomial s",
        "ours, same QUBO s",
        "ratio",
        "ours, window one-hot s",
        "ours, window domain-wall s",
    ]
    save("build", rows, table(columns, [_cells(row) for row in rows]))


def _cells(row: dict[str, Any]) -> list[str]:
    sdk, ours = row["sdk_polynomial_s"], row["numbering_s"]
    return [
        row["size"],
        f"{row['variables']:,.0f}",
        f"{row['couplings']:,.0f}",
        f"{row['sdk_model_s']:.3f}",
        f"{sdk:.3f}",
        f"{ours:.3f}",
        f"{sdk / ours:.1f}",
        f"{row['window_one_hot_s']:.3f}",
        f"{row['window_domain_wall_s']:.3f}",
    ]


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


if __name__ == "__main__":
    main()
