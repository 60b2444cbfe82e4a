"""A model of a quantum annealer: what it is programmed with is noisy, what it reads is thermal."""

from __future__ import annotations

from typing import Any

import dimod
import numpy as np
from dimod.core.sampler import Sampler
from dimod.core.structured import Structured
from dimod.decorators import bqm_structured
from numpy.typing import NDArray

from qubopuzzle.base.checks import number, whole
from qubopuzzle.embedding import Hardware
from qubopuzzle.errors import InputError, TooLarge

H_RANGE = (-4.0, 4.0)
J_RANGE = (-2.0, 1.0)
"""What can be programmed: those of an Advantage, couplings in its extended range."""
BETA = 6.1
"""1 / 0.164, what ``dwave.system.temperatures`` gives for an Advantage_system4.1 at freeze-out."""
_NO_TIME_S = 1e-3
"""Of further programmings, once Ctrl-C came."""
METHODS = ("tempering", "exact")
"""How reads are drawn: each by a run of replica exchange, or by tree decomposition."""


class SimulatedQPU(Sampler, Structured):
    """Samples of the Boltzmann distribution of a spin model as a noisy device would hold it.

    It is a model to learn from, and no machine: there are no dynamics of an anneal, and no errors
    but these. Every call is a programming of the device:

    1. fields and couplings are scaled together, so that they just fit into ``H_RANGE`` and
       ``J_RANGE``;
    2. each becomes the nearest multiple of its range over ``2**bits``, if ``bits`` is not 0;
    3. each gets an error of its own, normally distributed with a standard deviation of ``noise``,
       in units of the strongest antiferromagnetic coupling;
    4. reads are drawn from ``exp(-beta * E)``, E in the same units.

    Energies that are returned are those of the model that was asked for. ``interrupted`` says that
    Ctrl-C ended the reads of a call early.

    >>> from qubopuzzle.embedding import Hardware
    >>> sampler = SimulatedQPU(Hardware.of("chimera:1"), noise=0, seed=1)
    >>> found = sampler.sample_ising({0: 1}, {(0, 4): -1}, num_reads=100)
    >>> [int(found.first.sample[qubit]) for qubit in (0, 4)]
    [-1, -1]

    Args:
        hardware: its graph.
        noise: see above; D-Wave documents some 0.01 to 0.03 for its machines.
        bits: see above.
        beta: inverse temperature, see ``BETA``.
        method: one of ``METHODS``.
        sweeps: of each read, for tempering.
        seed: for everything random; calls go on with it.

    Raises:
        InputError: for numbers out of range.
    """

    parameters: dict[str, Any] = {}  # noqa: RUF012  of each sampler its own, see __init__
    properties: dict[str, Any] = {}  # noqa: RUF012
    nodelist: list[Any] = []  # noqa: RUF012
    edgelist: list[tuple[Any, Any]] = []  # noqa: RUF012

    def __init__(
        self,
        hardware: Hardware,
        *,
        noise: float = 0.02,
        bits: int = 0,
        beta: float = BETA,
        method: str = "tempering",
        sweeps: int = 500,
        seed: int = 0,
    ) -> None:
        self.noise, self.beta = number("noise", noise), number("beta", beta)
        self.bits, self.sweeps = whole("bits", bits, 0, 30), whole("sweeps", sweeps, 1)
        if self.noise < 0 or self.beta <= 0 or method not in METHODS:
            raise InputError(
                f"expected noise of at least 0, beta above 0 and method {' or '.join(METHODS)}"
            )
        self.method, self.interrupted = method, False
        self._rng = np.random.default_rng(whole("seed", seed, 0))
        graph = hardware.graph
        self.nodelist = sorted(graph.nodes)
        self.edgelist = sorted((min(pair), max(pair)) for pair in graph.edges)
        self.parameters = {"num_reads": [], "time_limit": []}
        self.properties = {
            "chip_id": "qpu-sim",
            "h_range": [*H_RANGE],
            "extended_j_range": [*J_RANGE],
        }
        if "family" in graph.graph:
            topology = {"type": graph.graph["family"], "shape": [graph.graph["rows"]]}
            self.properties["topology"] = topology

    @bqm_structured  # type: ignore[untyped-decorator]
    def sample(
        self,
        bqm: dimod.BinaryQuadraticModel,
        *,
        num_reads: int = 1,
        time_limit: float | None = None,
        **_: Any,
    ) -> dimod.SampleSet:
        """Program the device once, and read it.

        Args:
            bqm: over qubits and couplers of the graph.
            num_reads: how often.
            time_limit: seconds, after which tempering returns the reads that it has, as on Ctrl-C.

        Raises:
            dimod.exceptions.BinaryQuadraticModelStructureError: for a model over others.
            TooLarge: for a treewidth that method ``exact`` cannot do.
            KeyboardInterrupt: on Ctrl-C, by method ``exact``.
        """
        num_reads = whole("num_reads", num_reads, 1)
        programmed = self._programmed(bqm.spin)
        draw = self._exact if self.method == "exact" else self._tempered
        sample_set = draw(programmed, int(self._rng.integers(2**31)), num_reads, time_limit)
        sample_set = sample_set.change_vartype(bqm.vartype, inplace=False)
        from_samples: Any = dimod.SampleSet.from_samples_bqm
        made: dimod.SampleSet = from_samples(sample_set, bqm)
        return made

    def _exact(self, model: Any, seed: int, num_reads: int, _: float | None) -> Any:
        from dwave.samplers import TreeDecompositionSampler

        sampler = TreeDecompositionSampler()  # type: ignore[no-untyped-call]
        try:
            return sampler.sample(model, num_reads=num_reads, beta=self.beta, seed=seed)
        except ValueError as error:
            raise TooLarge(
                "exact sampling takes models of a treewidth up to "
                f"{sampler.properties['max_treewidth']}, on qubits; use method tempering"
            ) from error

    def _tempered(self, model: Any, seed: int, num_reads: int, time_limit: float | None) -> Any:
        from qubopuzzle.tempering import OneHotTemperingSampler

        sample_set = OneHotTemperingSampler().sample(
            model,
            num_reads=num_reads,
            num_sweeps=self.sweeps,
            beta_range=[None, self.beta],
            keep="last",
            seed=seed,
            time_limit=_NO_TIME_S if self.interrupted else time_limit,
        )
        self.interrupted |= bool(sample_set.info["interrupted"])
        return sample_set

    def _programmed(self, model: dimod.BinaryQuadraticModel) -> dimod.BinaryQuadraticModel:
        """The model as the device holds it, in units of its strongest coupling."""
        vectors = model.to_numpy_vectors(model.variables)
        pairs = vectors.quadratic
        scale = max(_excess(vectors.linear_biases, H_RANGE), _excess(pairs.biases, J_RANGE)) or 1.0
        biases = [part / scale for part in (vectors.linear_biases, pairs.biases)]
        for part, limits in zip(biases, (H_RANGE, J_RANGE), strict=True):
            if self.bits:
                step = (limits[1] - limits[0]) / 2**self.bits
                part[:] = step * np.rint(part / step)
            part += self.noise * self._rng.standard_normal(len(part))
        quadratic = pairs.row_indices, pairs.col_indices, biases[1]
        return dimod.BinaryQuadraticModel.from_numpy_vectors(
            biases[0], quadratic, 0.0, dimod.SPIN, variable_order=list(model.variables)
        )


def _excess(values: NDArray[Any], limits: tuple[float, float]) -> float:
    """By how much values have to be divided to lie within the limits."""
    return float(max((values / limits[1]).max(initial=0), (values / limits[0]).max(initial=0)))
