"""``qpu-sim``: a model of a quantum annealer, noise and chains included; see docs/quantum.md.

A model is embedded as for ``dwave``; the reads are Boltzmann samples of what a noisy device would
hold, see ``SimulatedQPU``. Each gauge is a programming of its own, with errors of its own.
"""

from qubopuzzle.embedding.hardware import TOPOLOGIES
from qubopuzzle.solvers.base import Option, Outcome, Solver, Task, backend_errors
from qubopuzzle.solvers.dwave import DEFAULT_READS, EMBEDDING_OPTIONS, on_qubits
from qubopuzzle.solvers.sampler import Best

_METHODS = {
    "tempering": "replica exchange, each read a run of its own",
    "exact": "by tree decomposition, for small models",
}


class _QpuSim(Solver):
    name = "qpu-sim"
    package = "dwave-system"
    extra = "dwave"
    default_encoding = "domain-wall"
    default_reads = DEFAULT_READS
    about = "a model of a quantum annealer: embedded, noisy, thermal"
    options = (
        Option("topology", str, "zephyr:12", f"the graph: {', '.join(TOPOLOGIES)}:N, or a file"),
        Option("yield", float, 1.0, "of its qubits and couplers that work", 1e-9, 1),
        Option("noise", float, 0.02, "error of fields and couplings, standard deviation", 0, 100),
        Option("bits", int, 0, "precision of fields and couplings, 0 for doubles", 0, 30),
        Option("beta", float, 6.1, "inverse temperature, per unit of the couplings", 1e-9, 1e6),
        Option("method", str, "tempering", "how samples are drawn", choices=_METHODS),
        Option("sweeps", int, 500, "of a read, with tempering", 1, 10**7),
        *EMBEDDING_OPTIONS,
    )

    def solve(self, task: Task) -> Outcome:
        """Embed, program, read."""
        options, best, n = task.options, Best(task.compiled), task.compiled.sizes["variables"]
        if not n:
            return best.of_nothing()
        from qubopuzzle.embedding import Hardware
        from qubopuzzle.solvers.dwave.sampling import sample
        from qubopuzzle.solvers.dwave.simulated import SimulatedQPU
        from qubopuzzle.solvers.services.call import Terms

        seed = task.budget.seed
        device = SimulatedQPU(
            Hardware.of(options["topology"], options["yield"], seed),
            seed=seed,
            **{name: options[name] for name in ("noise", "bits", "beta", "method", "sweeps")},
        )
        parameters = {}
        if task.budget.time_limit is not None:
            parameters["time_limit"] = task.seconds_left()
        question = on_qubits(task, Terms(self.name, None, 0.0), parameters)
        try:
            with backend_errors(self.name, n):
                reply = question.read(sample(question, device))
        except KeyboardInterrupt:
            return best.outcome(interrupted=True)
        if len(reply.samples):
            best.add(reply.samples, reply.occurrences, 0)
        best.reads = reply.reads
        return best.outcome(
            interrupted=device.interrupted,
            settings=reply.settings,
            service_s=reply.seconds,
        )

    def may_overrun(self, task: Task) -> bool:
        """Exact sampling cannot be stopped."""
        return bool(task.options["method"] == "exact")


SOLVER = _QpuSim()
