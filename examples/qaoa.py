"""QAOA on a small nonogram, in a simulator of circuits, beside guessing and annealing.

It takes ``pip install 'qubopuzzle[qaoa]'``, and some seconds.
"""

import os
import sys
from collections.abc import Iterator

import dimod
import numpy as np
from dwave.samplers import SimulatedAnnealingSampler
from scipy.optimize import minimize

from qubopuzzle import Nonogram, decode, to_bqm

os.environ.setdefault("OMP_NUM_THREADS", "1")  # so small a state is not worth threads
try:
    from qulacs import QuantumCircuit, QuantumState
except ImportError:
    sys.exit("QAOA takes a simulator of circuits: pip install 'qubopuzzle[qaoa]'")

PUZZLE = Nonogram(rows=[[2], [1], [1, 1]], cols=[[1], [1], [2], [1]])
HOW = {"formulation": "window", "encoding": "domain-wall"}


class Qaoa:
    """The circuits of a QUBO: qubit i is variable i, state k has the bits of the number k."""

    def __init__(self, bqm: dimod.BinaryQuadraticModel) -> None:
        self.n, names = bqm.num_variables, list(bqm.variables)
        fields, couplings, _ = bqm.to_ising()
        self.fields = [(names.index(a), h) for a, h in fields.items()]
        self.couplings = [([names.index(v) for v in pair], c) for pair, c in couplings.items()]
        self.bits = (np.arange(2**self.n)[:, None] >> np.arange(self.n)) & 1
        self.energies = bqm.energies((self.bits, names))

    def probabilities(self, angles: np.ndarray) -> np.ndarray:
        """Of each state (2**n,) behind p layers; ``angles`` (2p,), first those of the energy."""
        circuit, state = QuantumCircuit(self.n), QuantumState(self.n)
        for i in range(self.n):
            circuit.add_H_gate(i)
        for gamma, beta in np.reshape(angles, (2, -1)).T:
            time = gamma / self.energies.std()  # so that good angles are within 0 and 2
            # A spin is -Z, as Z is +1 for a bit of 0; gates of qulacs are exp(+i angle/2 P).
            # The energy is what gamma turns by, and -X beta: the start is its ground state.
            for i, field in self.fields:
                circuit.add_RZ_gate(i, 2 * time * field)
            for pair, coupling in self.couplings:
                circuit.add_multi_Pauli_rotation_gate(pair, [3, 3], -2 * time * coupling)
            for i in range(self.n):
                circuit.add_RX_gate(i, 2 * beta)
        circuit.update_quantum_state(state)
        return np.abs(state.get_vector()) ** 2

    def optimised(self, depth: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Angles of least mean energy for 1 to ``depth`` layers, from those of a layer less."""
        start = min(rng.uniform(0, 1, (20, 2)), key=self.mean)
        for p in range(1, depth + 1):
            angles = minimize(self.mean, start, method="COBYLA", tol=0.01).x
            yield angles
            at, halves = np.linspace(0, p - 1, p + 1), angles.reshape(2, p)
            start = np.ravel([np.interp(at, range(p), half) for half in halves])

    def mean(self, angles: np.ndarray) -> float:
        """The mean energy of a draw."""
        return float(self.probabilities(angles) @ self.energies)


def compared(depth: int = 5, seed: int = 1, draws: int = 100, reads: int = 1000) -> Iterator[dict]:
    """The shares of draws, and of reads of annealing, that meet all constraints, by layers."""
    bqm, rng = to_bqm(PUZZLE, **HOW), np.random.default_rng(seed)
    qaoa, sampler = Qaoa(bqm), SimulatedAnnealingSampler()
    right = qaoa.energies == 0
    for p, angles in enumerate(qaoa.optimised(depth, rng), start=1):
        chance = qaoa.probabilities(angles)
        drawn = rng.choice(len(chance), draws, p=chance / chance.sum())
        best = qaoa.bits[drawn[np.argmin(qaoa.energies[drawn])]]
        row = {"p": p, "mean": qaoa.mean(angles), "valid": decode(PUZZLE, best, **HOW).valid}
        row |= {"guessing": float(right.mean()), "qaoa": float(chance[right].sum())}
        for name, sweeps in {"neal": p, "neal_10": 10 * p}.items():
            found = sampler.sample(bqm, num_reads=reads, num_sweeps=sweeps, seed=seed)
            row[name] = float((found.record.energy == 0).mean())
        yield row


if __name__ == "__main__":
    print("layers p  mean energy  guessing    QAOA  p sweeps  10p sweeps  best of 100 draws")
    for row in compared(depth=3):
        shares = "{p:8} {mean:12.2f} {guessing:9.3%} {qaoa:7.2%} {neal:9.2%} {neal_10:11.2%}"
        print(shares.format_map(row), " valid" if row["valid"] else " not valid")
