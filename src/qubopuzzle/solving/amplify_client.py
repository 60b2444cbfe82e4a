"""A client for ``amplify.solve`` that needs no token: a dimod sampler on this computer."""

import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from importlib.metadata import version
from math import isclose
from numbers import Real
from types import SimpleNamespace
from typing import Any

import amplify
import dimod
import numpy as np
from dimod.core.sampler import Sampler

from qubopuzzle.compile.rows import whole_factor
from qubopuzzle.errors import InputError
from qubopuzzle.model.data import LARGEST_SQUARED
from qubopuzzle.programs.dimod_models import ranked
from qubopuzzle.solving.sampler import AnnealingSampler
from qubopuzzle.tempering.sampler import OneHotTemperingSampler

DEFAULT_READS = 10
_OTHER_NAMES = {"num_threads": "threads"}
"""Parameters of the default sampler that ``AnnealingSampler`` has by another name."""


class Parameters(SimpleNamespace):
    """What the sampler is called with; None leaves a value to the sampler."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse names that the sampler does not know."""
        if name == "time_limit_ms" and "time_limit" in vars(self):
            if isinstance(value, Real) and not isinstance(value, bool):
                value = timedelta(milliseconds=float(value))
            elif value is not None and not isinstance(value, timedelta):
                what = "expected milliseconds or timedelta"
                raise InputError(f"time_limit_ms: {what}, got {value!r}")
            name = "time_limit"
        if name not in vars(self):
            known = ", ".join([*vars(self), *["time_limit_ms"] * ("time_limit" in vars(self))])
            raise InputError(f"the sampler has no parameter {name!r}; it has {known or 'none'}")
        if name == "time_limit" and isinstance(value, timedelta):
            value = value.total_seconds()
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[str]:
        """Their names, as those of a dimod sampler's parameters."""
        return iter(vars(self))

    def given(self) -> dict[str, Any]:
        """Those that are not None."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def time_limit_ms(self) -> timedelta | None:
        """The time limit as cloud clients name it: set in milliseconds or as timedelta."""
        seconds: float | None = vars(self)["time_limit"]
        return None if seconds is None else timedelta(seconds=seconds)


class AmplifyClient:
    """A client for ``amplify.solve(model, client)`` that works on this computer.

    Every model that the SDK can make quadratic and binary is solved: objective, constraints,
    weights; integer, Ising and real variables. Constraints become the SDK's penalties, but
    for one-hot constraints that share no variables: every sample of the default sampler
    keeps those exactly. Linear constraints whose coefficients a small factor makes whole, with
    nothing to minimise, are annealed as they are, without penalties; with ``AnnealingSampler()``
    those of every model.

    Args:
        sampler: any dimod sampler; by default ``OneHotTemperingSampler()``, and
            ``AnnealingSampler()`` for models of constraints alone, unless parameters are set that
            it does not have.
        token: accepted so that scripts written for the cloud run; neither used nor kept.
        parameters: of the sampler, as in the attribute.

    It also samples a BQM as dimod samplers do, so that ``qubopuzzle.solve`` takes it.

    Attributes:
        parameters: the sampler's parameters as attributes that can be set: ``num_reads``
            (10 if not set), ``num_sweeps``, ``seed`` (the same one gives the same result),
            ``time_limit`` (s; a limit, not a duration) and whatever else the sampler has.
            ``time_limit_ms`` sets the same limit.

    Raises:
        InputError: for something that is no dimod sampler, and for unknown parameters.

    >>> import amplify
    >>> q = amplify.VariableGenerator().array("Binary", 3)
    >>> model = amplify.Model(3 * q[0] + 2 * q[1] + q[2], amplify.one_hot(q))
    >>> result = amplify.solve(model, amplify_client(seed=1))
    >>> q.evaluate(result.best.values).tolist()
    [0.0, 0.0, 1.0]
    """

    __slots__ = ("_is_default", "_sampler", "parameters")  # a misspelt attribute is an error
    parameters: Parameters

    def __init__(
        self, sampler: Sampler | None = None, *, token: str | None = None, **parameters: Any
    ) -> None:
        del token
        self._is_default = sampler is None
        self._sampler = OneHotTemperingSampler() if sampler is None else sampler
        if not isinstance(self._sampler, Sampler):  # the message leaves out what may be a token
            kind = sampler if isinstance(sampler, type) else type(sampler)
            got = ("the class " if kind is sampler else "") + kind.__name__
            what = "expected a dimod sampler such as OneHotTemperingSampler()"
            raise InputError(f"sampler: {what}, got {got}")
        names = [name for name in self._sampler.parameters if name != "one_hot_groups"]
        self.parameters = Parameters(**dict.fromkeys(names))
        if "num_reads" in names:
            self.parameters.num_reads = DEFAULT_READS
        for name, value in parameters.items():
            setattr(self.parameters, name, value)

    @property
    def acceptable_degrees(self) -> amplify.AcceptableDegrees:
        """Quadratic objectives of binary variables; the SDK makes them."""
        return amplify.AcceptableDegrees(objective={"Binary": "Quadratic"})

    @property
    def version(self) -> str:
        """The version of this package."""
        return version("qubopuzzle")

    token = property(lambda _: None, lambda *_: None, doc="None, whatever is set.")

    def solve(
        self,
        objective: amplify.Poly,
        constraints: Iterable[amplify.Constraint] | None = None,
        dry_run: bool = False,
    ) -> SimpleNamespace | None:
        """Called by ``amplify.solve``, which has this in ``client_result``; None for a dry run.

        Its ``sampleset``: distinct samples, best first; variables are ids of the SDK's
        intermediate model, energies have the penalties in them, ``info`` is the sampler's. Where
        constraints were annealed without penalties it is that of ``AnnealingSampler``, and has
        only variables of the objective and of constraints.

        Raises:
            InputError: from the default sampler, for parameters out of range.
        """
        if dry_run:
            return None
        began = time.perf_counter()
        constraints = list(constraints or [])
        called = time.perf_counter()
        n = _n_ids(objective, constraints)
        sampled_set = self._sampled_natively(objective, constraints)
        if sampled_set is None:
            sampled_set = self._sampled(objective, constraints, n)
        sampled = time.perf_counter() - called
        sampleset = ranked(sampled_set)
        samples = np.zeros((len(sampleset), n), dtype=np.int64)
        samples[:, list(sampleset.variables)] = sampleset.record.sample
        execution = timedelta(seconds=sampled_set.info.get("sampling", sampled))
        return SimpleNamespace(
            sampleset=sampleset,
            _solutions=[(values, execution) for values in samples.tolist()],
            _response_time=timedelta(seconds=time.perf_counter() - began),
            _execution_time=execution,
        )

    def _sampled(
        self, objective: amplify.Poly, constraints: list[amplify.Constraint], n: int
    ) -> dimod.SampleSet:
        """Samples of objective and penalties."""
        chosen, groups = self.parameters.given(), dict[int, list[int]]()
        if "one_hot_groups" in self._sampler.parameters:
            groups = _disjoint_groups(constraints)
            chosen["one_hot_groups"] = list(groups.values())
        bqm = _bqm(objective, constraints, groups, n)
        sample_set: dimod.SampleSet = self._sampler.sample(bqm, **chosen)
        return sample_set

    def _sampled_natively(
        self, objective: amplify.Poly, constraints: list[amplify.Constraint]
    ) -> dimod.SampleSet | None:
        """Samples of constraints without penalties; None for a model or parameters not for that."""
        chosen = self.parameters.given()
        asked = native = isinstance(self._sampler, AnnealingSampler)
        if self._is_default:
            chosen = {_OTHER_NAMES.get(name, name): value for name, value in chosen.items()}
            groups = _disjoint_groups(constraints)
            only_constraints = not any(objective.as_dict()) and len(groups) < len(constraints)
            native = only_constraints and chosen.keys() <= AnnealingSampler().parameters.keys()
        cqm = _cqm(objective, constraints) if native else None
        if cqm is None:
            return None
        sample_set = AnnealingSampler().sample_cqm(cqm, **chosen)
        return sample_set if asked or _is_free(constraints, sample_set) else None

    def sample(self, bqm: dimod.BinaryQuadraticModel, **parameters: Any) -> dimod.SampleSet:
        """A BQM's samples, by its sampler; ``parameters`` go before the client's own."""
        asked = {**self.parameters.given(), **parameters}
        sample_set: dimod.SampleSet = self._sampler.sample(bqm, **asked)
        return sample_set


def _disjoint_groups(constraints: Iterable[amplify.Constraint]) -> dict[int, list[int]]:
    """The variables' ids of one-hot constraints that share none, by the constraint's number.

    Larger ones go first. Those of weight 0 are left out: they are switched off.
    """
    ids = {i: _one_hot(c) for i, c in enumerate(constraints) if c.weight}
    groups: dict[int, list[int]] = {}
    taken: set[int] = set()
    for i in sorted(ids, key=lambda i: -len(ids[i])):  # equally large ones in their order
        if ids[i] and taken.isdisjoint(ids[i]):
            groups[i] = ids[i]
            taken.update(ids[i])
    return groups


def _one_hot(constraint: amplify.Constraint) -> list[int]:
    """Ids of the variables of which exactly one is 1, for a constraint that says so."""
    left, relation, right = constraint.conditional
    if relation != "EQ" or isinstance(right, tuple) or not left.is_linear():
        return []
    terms = left.as_dict()
    right -= terms.pop((), 0.0)
    # Ising variables arrive as 2 q - 1: the coefficients need not be 1.
    return [i for (i,) in terms] if all(value == right for value in terms.values()) else []


def _costs_nothing(penalty: amplify.Poly, group: list[int]) -> bool:
    """Whether a penalty is 0 wherever exactly one variable of the group is 1."""
    terms = penalty.as_dict()
    constant = terms.get((), 0.0)
    return {i for ids in terms for i in ids}.issubset(group) and all(
        isclose(terms.get((i,), 0.0), -constant) for i in group
    )


def _n_ids(objective: amplify.Poly, constraints: Iterable[amplify.Constraint]) -> int:
    """How many ids there are, from 0 on, and at least one."""
    parts = [objective, *(part for c in constraints for part in (c.penalty, c.conditional[0]))]
    return 1 + max((v.id for part in parts for v in part.variables), default=0)


def _bqm(
    objective: amplify.Poly,
    constraints: list[amplify.Constraint],
    groups: dict[int, list[int]],
    n: int,
) -> dimod.BinaryQuadraticModel:
    """Objective and penalties; variables are the ids from 0 on, so that none is missing.

    Penalties that groups make 0 are left out: they may be most of the terms.
    """
    penalties = [
        c.penalty  # the weight is in it
        for i, c in enumerate(constraints)
        if i not in groups or not _costs_nothing(c.penalty, groups[i])
    ]
    terms = amplify.sum([objective, *penalties]).as_dict()
    bqm = dimod.BinaryQuadraticModel(n, dimod.BINARY)
    bqm.offset = terms.get((), 0.0)
    bqm.add_linear_from((*key, bias) for key, bias in terms.items() if len(key) == 1)
    bqm.add_quadratic_from((*key, bias) for key, bias in terms.items() if len(key) == 2)
    return bqm


def _cqm(
    objective: amplify.Poly, constraints: list[amplify.Constraint]
) -> dimod.ConstrainedQuadraticModel | None:
    """The model over the ids that it says something about; None if a constraint is no such row.

    Constraints of weight 0 are switched off.
    """
    rows, used = [], {v.id for v in objective.variables}
    for constraint in constraints:
        if constraint.weight:
            row = _row(constraint)
            if row is None:
                return None
            rows += row
            used |= {v.id for v in constraint.conditional[0].variables}
    cqm = dimod.ConstrainedQuadraticModel()  # type: ignore[no-untyped-call]
    for i in sorted(used):
        cqm.add_variable("BINARY", i)
    cqm.set_objective([(*ids, value) for ids, value in objective.as_dict().items()])
    for terms, sense, right in rows:
        cqm.add_constraint(terms, sense, right)
    return cqm


_SENSES = {"EQ": ["=="], "LE": ["<="], "GE": [">="], "BW": [">=", "<="]}


def _row(constraint: amplify.Constraint) -> list[tuple[list[tuple[int, float]], str, float]] | None:
    """Terms by id, sense and bound of a linear constraint that a program can have; else None."""
    left, relation, right = constraint.conditional
    if not left.is_linear():
        return None
    terms = left.as_dict()
    constant = terms.pop((), 0.0)
    values = np.array([value for value in terms.values() if value])
    try:
        factor = whole_factor("constraint", values) if len(values) else 1.0
    except InputError:
        return None
    if np.abs(values).sum() * factor > LARGEST_SQUARED:
        return None
    id_terms = [(i, value) for (i,), value in terms.items()]
    low, high = right if isinstance(right, tuple) else (right, right)
    return [(id_terms, s, (low if s == ">=" else high) - constant) for s in _SENSES[relation]]


def _is_free(constraints: Iterable[amplify.Constraint], sample_set: dimod.SampleSet) -> bool:
    """Whether the first sample costs no more than constraints that it meets shall cost.

    A penalty of the user's own may say more than its constraint does. Those with variables of their
    own are the SDK's: slack makes them 0.
    """
    if not sample_set.record.is_feasible[0]:
        return True
    one = {i for i, value in sample_set.first.sample.items() if value}
    total = 0.0
    for c in constraints:
        if {v.id for v in c.penalty.variables} <= {v.id for v in c.conditional[0].variables}:
            total += sum(value for ids, value in c.penalty.as_dict().items() if one.issuperset(ids))
    return isclose(total, 0.0, abs_tol=1e-6)


amplify_client = AmplifyClient
