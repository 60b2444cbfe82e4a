"""``steepest-descent``: downhill from random starts, the baseline for a landscape."""

from qubopuzzle.solvers.sampler import SamplerSolver

SOLVER = SamplerSolver(
    "steepest-descent",
    "dwave.samplers:SteepestDescentSampler",
    package="dwave-samplers",
    default_encoding="domain-wall",
    reads_per_call=10,
    timely_couplings=1_000_000,
    settings={"large_sparse_opt": True},
    about="steepest descent from random starts (dwave-samplers)",
)
