"""Solve a nonogram from Python, and take its QUBO elsewhere."""

from pathlib import Path

from dwave.samplers import SimulatedAnnealingSampler

import qubopuzzle

here = Path(__file__).parent
(puzzle,) = qubopuzzle.load(here / "puzzle-piece.json")

# 1. Solve: annealed by dwave's simulated annealing, judged by the rules.
result = qubopuzzle.solve(puzzle, "neal", seed=1)
print(result)
assert result.valid

# 2. The QUBO itself, as a dimod model with readable labels; answers have energy 0.
bqm = qubopuzzle.to_bqm(puzzle, encoding="domain-wall", weights={"once": 2})
print(bqm.num_variables, "variables, the first is", bqm.variables[0])
sampleset = SimulatedAnnealingSampler().sample(bqm, num_reads=5, num_sweeps=10_000, seed=1)
print("lowest energy of a sampler of your own:", sampleset.first.energy)

# 3. Back from its samples: field reconstruction, and the rules that the answer breaks.
answer = qubopuzzle.decode(puzzle, sampleset, encoding="domain-wall")
print(answer.grid.sum(), "black cells,", len(answer.violations), "rules broken")

# 4. The same rules as an Amplify model: native constraints with labels and weights.
#    result = amplify.solve(built.model, client), and back:
#    decode(puzzle, built.bits_of(result.best.values), formulation="window")
built = qubopuzzle.to_amplify(puzzle, formulation="window")
print(len(built.model.constraints), "Amplify constraints")
