"""A precedence between domain walls: thresholds (ours) against substituted products.

    python benchmarks/precedence_lowering.py [--seeds 10] [--sweeps 10000]

Both have the same variables, walls and field part, and energy 0 at the same answers.
They differ in ``order`` alone: one product for each threshold, or the one-hot pairs with
``x_v = b_v - b_{v+1}`` put in. Solver: dwave-samplers' simulated annealing, one read a
seed, for several weights of the walls (family ``once``).
"""

from __future__ import annotations

from statistics import median

import dimod
import numpy as np
from dwave.samplers import SimulatedAnnealingSampler
from scipy.sparse import csr_array, triu

from instances import noise_picture, smooth_picture
from qubopuzzle import Nonogram, compile_qubo
from qubopuzzle.compile.qubo import Quadratic
from record import Args, Benchmark, Cases, Row, main, timed

WALL_WEIGHTS = (1, 2, 4)


def _cases(args: Args) -> Cases:
    for puzzle in (smooth_picture(30, 30), noise_picture(30, 30)):
        for lowering, form in _forms(puzzle).items():
            for weight in WALL_WEIGHTS:
                what = (lowering, form[weight], weight, args.seeds, args.sweeps)
                yield f"{puzzle.id}, {lowering}, {weight}", _row, puzzle, *what


def _forms(puzzle: Nonogram) -> dict[str, dict[int, Quadratic]]:
    """The two QUBOs for each weight of the walls."""
    model = puzzle.model("window")
    walls, one_hot = compile_qubo(model, "domain-wall"), compile_qubo(model, "one-hot")
    matrix, base = walls.bits.matrix, walls.bits.base
    pairs = one_hot.parts["order"].couplings
    product = csr_array(matrix.T @ pairs @ matrix)
    substituted = Quadratic(
        matrix.T @ ((pairs + pairs.T) @ base) + product.diagonal(),
        csr_array(triu(product, k=1) + triu(product.T, k=1)),
        int(base @ (pairs @ base)),
    )
    return {
        name: {
            weight: Quadratic.weighted_sum(
                walls.n_bits,
                [(weight, walls.parts["once"]), (1, walls.parts["field"]), (1, order)],
            )
            for weight in WALL_WEIGHTS
        }
        for name, order in (("thresholds", walls.parts["order"]), ("products", substituted))
    }


def _row(
    puzzle: Nonogram, lowering: str, form: Quadratic, weight: int, seeds: int, sweeps: int
) -> Row:
    upper = form.couplings.tocoo()
    bqm = dimod.BinaryQuadraticModel.from_numpy_vectors(
        form.linear, (upper.row, upper.col, upper.data), form.offset, "BINARY"
    )
    energies, seconds = [], []
    for seed in range(seeds):
        schedule = {"num_reads": 1, "num_sweeps": sweeps, "beta_range": (0.5, 5.0)}
        took, found = timed(SimulatedAnnealingSampler().sample, bqm, **schedule, seed=seed)
        seconds.append(took)
        energies.append(float(np.round(found.first.energy, 6)))
    return {
        "instance": puzzle.id,
        "lowering": lowering,
        "wall_weight": weight,
        "sweeps": sweeps,
        "seeds": list(range(seeds)),
        "energies": energies,
        "solve_s": seconds,
    }


COLUMNS = {
    "instance": "{instance}",
    "order as": "{lowering}",
    "weight of walls": "{wall_weight}",
    "energy 0": lambda row: f"{row['energies'].count(0)} of {len(row['seeds'])}",
    "energy": lambda row: f"{median(row['energies']):g} ({min(row['energies']):g})",
    "s a read": lambda row: f"{median(row['solve_s']):.2f}",
}
TABLES = {"precedence_lowering": COLUMNS}
BENCHMARKS = (Benchmark("precedence_lowering", _cases, TABLES),)
SETTINGS = {"seeds": (10, "reads of each"), "sweeps": (10_000, "of a read")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
