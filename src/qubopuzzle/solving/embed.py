"""Whether a problem's QUBOs fit on a quantum annealer, by formulation and encoding."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Unpack, cast

import numpy as np

from qubopuzzle.base.checks import positive, whole
from qubopuzzle.compile import Qubo
from qubopuzzle.embedding import (
    Embedding,
    Hardware,
    Search,
    clique_embedding,
    find_embedding,
    graph_of,
    least_qubits,
)
from qubopuzzle.embedding.hardware import DEFAULT_TOPOLOGY
from qubopuzzle.embedding.search import DEFAULT_SECONDS, DEFAULT_TRIES
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.solving.info import forms_of
from qubopuzzle.solving.loading import Source, problem_of
from qubopuzzle.solving.settings import ModelFields, Settings

MOST_TRIES = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedForm:
    """One row of ``qubopuzzle embed``; ``refused`` says why there is no QUBO, if so.

    Attributes:
        variables: the labels of the QUBO's variables, in order.
        couplings, degree: of the QUBO, and the most couplings that a variable has.
        least_qubits: what any embedding takes, see ``embedding.least_qubits``.
        clique: an embedding of as many variables that are all coupled, an upper bound; None where
            the graph holds none.
        search: the embeddings that were found, one a try.
    """

    formulation: str
    encoding: str
    variables: tuple[str, ...] = ()
    couplings: int = 0
    degree: int = 0
    least_qubits: int = 0
    clique: Embedding | None = None
    search: Search = field(default_factory=Search)
    refused: str = ""

    @property
    def best(self) -> Embedding | None:
        """The embedding with the shortest longest chain, and of those with the fewest qubits."""
        return self.search.best

    @property
    def chains(self) -> dict[str, list[int]]:
        """The best embedding by label, as ``FixedEmbeddingComposite`` takes it; empty for none."""
        if self.best is None:
            return {}
        return dict(zip(self.variables, map(list, self.best.chains), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        form = {"formulation": self.formulation, "encoding": self.encoding}
        if self.refused:
            return {**form, "fits": False, "refused": self.refused}
        best, search = self.best, self.search
        return {
            **form,
            "variables": len(self.variables),
            "couplings": self.couplings,
            "degree": self.degree,
            "least_qubits": self.least_qubits,
            "clique": self.clique
            and {"qubits": self.clique.qubits, "longest": self.clique.longest},
            "fits": best is not None,
            "impossible": search.impossible or None,
            "tries": search.tries,
            "seconds": search.seconds,
            "found": [{**e.sizes, "seed": e.seed, "seconds": e.seconds} for e in search.embeddings],
            "chains": self.chains,
        }


def embed(
    problem: Source,
    topology: str | Hardware = DEFAULT_TOPOLOGY,
    settings: Settings | None = None,
    *,
    tries: int = DEFAULT_TRIES,
    seed: int | None = None,
    time_limit: float | None = DEFAULT_SECONDS,
    **fields: Unpack[ModelFields],
) -> list[EmbeddedForm]:
    """Search for embeddings of every formulation and encoding, or of those named.

    >>> from qubopuzzle import Nonogram, embed
    >>> (form,) = embed(Nonogram.examples()[0], "zephyr:4", formulation="window",
    ...                 encoding="domain-wall", tries=1, seed=1)
    >>> len(form.variables), form.best.longest <= 4, len(form.chains)
    (30, True, 30)

    Args:
        topology: ``pegasus:N``, ``zephyr:N``, ``chimera:N``, a file, or a ``Hardware``; see
            ``Hardware.of``.
        problem, settings, fields: see ``to_bqm``; every formulation and encoding where none is
            named.
        tries: independent searches for each form; the best embedding counts.
        seed: for them; drawn without.
        time_limit: seconds for all tries of a form; None is no limit.

    Raises:
        InputError: for a topology, formulation, encoding, presolve or number that cannot be used.
        SolverUnavailable: if the packages of the extra ``dwave`` are missing.
    """
    hardware = topology if isinstance(topology, Hardware) else Hardware.of(topology)
    forms = forms_of(problem, Settings.of_model(settings, fields))
    limits: dict[str, Any] = {"tries": tries, "seed": seed, "time_limit": time_limit}
    return [*embed_each(problem, hardware, forms, **limits)]


def embed_each(
    problem: Source,
    hardware: Hardware,
    forms: list[Settings],
    *,
    tries: int = DEFAULT_TRIES,
    seed: int | None = None,
    time_limit: float | None = DEFAULT_SECONDS,
) -> Iterator[EmbeddedForm]:
    """The same form by form, for settings that name their formulation and encoding."""
    target = problem_of(problem)
    tries = whole("tries", tries, 1, MOST_TRIES)
    seed = secrets.randbits(31) if seed is None else whole("seed", seed, 0, 2**63 - 1)
    if time_limit is not None:
        time_limit = positive("time limit", time_limit, "seconds")
    for settings in forms:
        form = str(settings.formulation), str(settings.encoding)
        try:
            qubo = cast("Qubo", settings.compile(settings.presolved(target).model, "qubo"))
        except QubopuzzleError as error:
            yield EmbeddedForm(*form, refused=str(error))
            continue
        n, pairs = graph_of(qubo.payload)
        degrees = np.bincount(pairs.ravel(), minlength=n)
        yield EmbeddedForm(
            *form,
            variables=tuple(qubo.labels()),
            couplings=len(pairs),
            degree=int(degrees.max(initial=0)),
            least_qubits=least_qubits(degrees, hardware),
            clique=clique_embedding(n, hardware),
            search=find_embedding(
                (n, pairs), hardware, tries=tries, seed=seed, time_limit=time_limit
            ),
        )
