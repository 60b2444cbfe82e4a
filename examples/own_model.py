"""A model of your own: three tasks on five days, compiled to a QUBO and annealed.

The constraint model knows nothing of puzzles. State what is chosen and what must hold;
the compiler finds the penalties.
"""

import numpy as np
from dwave.samplers import SimulatedAnnealingSampler

from qubopuzzle import ModelBuilder
from qubopuzzle.compile import compile_qubo
from qubopuzzle.model import violation

builder = ModelBuilder()
dig, build, paint = (builder.choice(task, range(5)) for task in ("dig", "build", "paint"))
builder.precedence("order", [dig, build], [build, paint], [2, 1])  # digging takes two days
builder.add("rain", (paint == 4) + (build == 2) <= 1)
model = builder.build()

qubo = compile_qubo(model, "domain-wall")
bqm = qubo.to_bqm()
best = SimulatedAnnealingSampler().sample(bqm, num_reads=20, seed=1).first
assignment = qubo.decode(np.array([best.sample[label] for label in qubo.labels()]))
print(model.values(assignment))
print("energy", best.energy, "violation", violation(model, assignment))
