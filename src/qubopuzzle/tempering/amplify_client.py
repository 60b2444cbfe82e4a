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
from dimod.core.sampler import Sampler

from qubopuzzle.errors import InputError
from qubopuzzle.tempering.sampler import OneHotTemperingSampler

DEFAULT_READS = 10


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
    keeps those exactly.

    Args:
        sampler: any dimod sampler; by default ``OneHotTemperingSampler()``.
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

    __slots__ = ("_sampler", "parameters")  # a misspelt attribute is an error
    parameters: Parameters

    def __init__(
        self, sampler: Sampler | None = None, *, token: str | None = None, **parameters: Any
    ) -> None:
        del token
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
        intermediate model, energies have the penalties in them, ``info`` is the sampler's.

        Raises:
            InputError: from the default sampler, for parameters out of range.
        """
        if dry_run:
            return None
        began = time.perf_counter()
        chosen = self.parameters.given()
        constraints = list(constraints or [])
        groups = {}
        if "one_hot_groups" in self._sampler.parameters:
            groups = _disjoint_groups(constraints)
            chosen["one_hot_groups"] = list(groups.values())
        bqm = _bqm(objective, constraints, groups)
        called = time.perf_counter()
        found = self._sampler.sample(bqm, **chosen)
        sampled = time.perf_counter() - called
        sampleset = found.aggregate().slice(None)  # by energy
        columns = [sampleset.variables.index(i) for i in range(len(sampleset.variables))]
        execution = timedelta(seconds=found.info.get("sampling", sampled))
        samples = sampleset.record.sample[:, columns].tolist()
        return SimpleNamespace(
            sampleset=sampleset,
            _solutions=[(values, execution) for values in samples],
            _response_time=timedelta(seconds=time.perf_counter() - began),
            _execution_time=execution,
        )

    def sample(self, bqm: dimod.BinaryQuadraticModel, **parameters: Any) -> dimod.SampleSet:
        """A BQM's samples, by its sampler; ``parameters`` go before the client's own."""
        asked = {**self.parameters.given(), **parameters}
        found: dimod.SampleSet = self._sampler.sample(bqm, **asked)
        return found


def _disjoint_groups(constraints: Iterable[amplify.Constraint]) -> dict[int, list[int]]:
    """The variables' ids of one-hot constraints that share none, by the constraint's number.

    Larger ones go first. Those of weight 0 are left out: they are switched off.
    """
    found = {i: _one_hot(c) for i, c in enumerate(constraints) if c.weight}
    groups: dict[int, list[int]] = {}
    taken: set[int] = set()
    for i in sorted(found, key=lambda i: -len(found[i])):  # equally large ones in their order
        if found[i] and taken.isdisjoint(found[i]):
            groups[i] = found[i]
            taken.update(found[i])
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


def _bqm(
    objective: amplify.Poly, constraints: list[amplify.Constraint], groups: dict[int, list[int]]
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
    ids = {0, *(v.id for poly in [objective, *penalties] for v in poly.variables)}
    bqm = dimod.BinaryQuadraticModel(1 + max(ids.union(*groups.values())), dimod.BINARY)
    bqm.offset = terms.get((), 0.0)
    bqm.add_linear_from((*key, bias) for key, bias in terms.items() if len(key) == 1)
    bqm.add_quadratic_from((*key, bias) for key, bias in terms.items() if len(key) == 2)
    return bqm


amplify_client = AmplifyClient
