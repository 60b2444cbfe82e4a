"""``random``: uniformly random assignments, the baseline below all others."""

from qubopuzzle.solvers.sampler import SamplerSolver

SOLVER = SamplerSolver(
    "random",
    "dwave.samplers:RandomSampler",
    package="dwave-samplers",
    reads_per_call=100,
    timely_couplings=1_000_000,
    about="random assignments (dwave-samplers)",
)
