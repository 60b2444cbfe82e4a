"""``OMMXQubopuzzleAdapter``: the solvers and the annealer as OMMX's adapters are used.

This module needs the package ``ommx``, 2 or 3; nothing else imports it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import dimod

from qubopuzzle.programs import Program
from qubopuzzle.programs.dimod_models import cqm_of
from qubopuzzle.programs.ommx_models import from_ommx, ommx_module, state_variables
from qubopuzzle.solving.result import Result
from qubopuzzle.solving.sampler import AnnealingSampler
from qubopuzzle.solving.settings import DEFAULT_SOLVER
from qubopuzzle.solving.solve import solve

try:
    from ommx.adapter import InfeasibleDetected, NoSolutionReturned, SamplerAdapter
except ImportError as error:
    raise ImportError("OMMX's adapter takes its package: pip install 'qubopuzzle[ommx]'") from error

_ommx = ommx_module()
_IS_NEWER = hasattr(_ommx, "InstanceClass")
"""OMMX 3: adapters say what they take, and instances are prepared for them."""


def _taken() -> Any:
    """Bits, whole numbers, linear rows, an objective up to the quadratic, in OMMX 3's words."""
    linear = _ommx.PolynomialRequirement.at_most(1)
    equality, kind, sense = _ommx.Equality, _ommx.Kind, _ommx.Sense
    clause = _ommx.InstanceClassClause(
        label="program of bounded whole numbers",
        allowed_variable_kinds={kind.Binary, kind.Integer},
        objective_polynomial_requirement=_ommx.PolynomialRequirement.at_most(2),
        regular_constraint_polynomial_requirements={
            equality.EqualToZero: linear,
            equality.LessThanOrEqualToZero: linear,
        },
        allows_one_hot=True,
        allowed_senses={sense.Minimize, sense.Maximize},
    )
    return _ommx.InstanceClass([clause])


class OMMXQubopuzzleAdapter(SamplerAdapter):  # type: ignore[misc]  # Any without OMMX
    """OMMX instances to every solver here, and answers back; no penalty weight is to be chosen.

    It takes what ``from_ommx`` takes: binary and integer variables of at most 1,024 values, linear
    constraints, an objective up to the quadratic, both senses, one-hot and SOS1 constraints. With
    OMMX 3, ``solve`` and ``sample`` have SOS1 and indicator constraints made linear first, in a
    copy.

    >>> from qubopuzzle.programs.ommx_models import ommx_module
    >>> ommx = ommx_module()  # ommx.v1 of OMMX 2, ommx of OMMX 3
    >>> instance = ommx.Instance.from_components(
    ...     decision_variables=[x := ommx.DecisionVariable.integer(7, lower=0, upper=9)],
    ...     objective=x * x - 6 * x,
    ...     constraints={},
    ...     sense=ommx.Instance.MINIMIZE,
    ... )
    >>> solution = OMMXQubopuzzleAdapter.solve(instance, solver="mip")
    >>> solution.state.entries, solution.objective, solution.feasible
    ({7: 3.0}, -9.0, True)
    """

    INPUT_CLASS = _taken() if _IS_NEWER else None

    def __init__(self, ommx_instance: Any) -> None:
        """Read the instance.

        Raises:
            InputError: for one that ``from_ommx`` refuses.
            ommx.adapter.AdapterNotApplicableError: in OMMX 3, for one that is not of
                ``INPUT_CLASS``.
        """
        if _IS_NEWER:
            self.require_applicable(ommx_instance)
        self.instance = ommx_instance
        self._program = from_ommx(ommx_instance)
        self._ids = list(state_variables(ommx_instance))

    @classmethod
    def recommended_preparation_policy(cls) -> Any:
        """What ``solve`` and ``sample`` do to a copy of an instance first, in OMMX 3."""
        kind = _ommx.SpecialConstraintKind
        lowered = {kind.Indicator, kind.Sos1}
        made = _ommx.SpecialConstraintPreparation.lower_special_constraints(kinds=lowered)
        return _ommx.PreparationPolicy(special_constraints=made)

    # --- solving -------------------------------------------------------------------------

    @classmethod
    def solve(
        cls,
        ommx_instance: Any,
        *,
        solver: Any = DEFAULT_SOLVER,
        diagnostics: Any = None,
        **settings: Any,
    ) -> Any:
        """The best solution that a solver finds, an OMMX ``Solution``, feasible by its rows.

        Its ``optimality`` is ``OPTIMAL`` where the solver proved it, and where nothing is to be
        minimised.

        Args:
            solver: as ``qubopuzzle.solve`` takes it: ``annealer``, ``sat``, ``mip``, ``cpsat`` ...
            diagnostics: not used; OMMX 3 hands it to every adapter.
            settings: ``time_limit``, ``seed``, ``reads`` and others of ``qubopuzzle.solve``.

        Raises:
            ommx.adapter.InfeasibleDetected: if it is proved that there is no solution.
            ommx.adapter.NoSolutionReturned: if none was found.
            InputError, SolverUnavailable, TooLarge: as ``qubopuzzle.solve``, and for an instance
                that ``from_ommx`` refuses.
            ommx.PreparationTargetNotReachedError: in OMMX 3, for an instance that is not of
                ``INPUT_CLASS``, and cannot be made so.
        """
        prepared = cls._prepared(ommx_instance)
        return cls.solve_without_preparation(
            prepared, solver=solver, diagnostics=diagnostics, **settings
        )

    @classmethod
    def solve_without_preparation(
        cls,
        ommx_instance: Any,
        *,
        solver: Any = DEFAULT_SOLVER,
        diagnostics: Any = None,  # noqa: ARG003
        **settings: Any,
    ) -> Any:
        """``solve`` of an instance as it is."""
        adapter = cls(ommx_instance)
        return adapter.decode(solve(adapter.solver_input, solver, **settings))

    @property
    def solver_input(self) -> Program:
        """The instance as a program, which ``qubopuzzle.solve`` takes."""
        return self._program

    def decode(self, data: Result) -> Any:
        """The ``Solution`` of a result for ``solver_input``; raises as ``solve``."""
        if data.status == "infeasible":
            raise InfeasibleDetected(data.verdict)
        if not data.valid or data.grid is None:
            raise NoSolutionReturned(f"solver {data.solver}: {data.verdict}")
        solution = self.instance.evaluate(self._state(data.grid.tolist()))
        if data.status == "optimal":
            best = _ommx.Solution.OPTIMAL
            solution.optimality = self.instance.map_active_optimality(best) if _IS_NEWER else best
        return solution

    # --- sampling ------------------------------------------------------------------------

    @classmethod
    def sample(cls, ommx_instance: Any, *, diagnostics: Any = None, **settings: Any) -> Any:
        """What reads of the annealer end in, an OMMX ``SampleSet``, feasible or not.

        Args:
            diagnostics: not used; OMMX 3 hands it to every adapter.
            settings: ``num_reads``, ``time_limit``, ``seed``, ``threads`` and others of
                ``AnnealingSampler.sample_cqm``.

        Raises:
            ommx.adapter.InfeasibleDetected: if presolving proves that there is no solution.
            InputError, ommx.PreparationTargetNotReachedError: as ``solve``.
        """
        prepared = cls._prepared(ommx_instance)
        return cls.sample_without_preparation(prepared, diagnostics=diagnostics, **settings)

    @classmethod
    def sample_without_preparation(
        cls,
        ommx_instance: Any,
        *,
        diagnostics: Any = None,  # noqa: ARG003
        **settings: Any,
    ) -> Any:
        """``sample`` of an instance as it is."""
        adapter = cls(ommx_instance)
        sample_set = AnnealingSampler().sample_cqm(adapter.sampler_input, **settings)
        if (why := sample_set.info["infeasible"]) is not None:
            raise InfeasibleDetected(f"no solution (proved by {why})")
        return adapter.decode_to_sampleset(sample_set)

    @property
    def sampler_input(self) -> dimod.ConstrainedQuadraticModel:
        """The instance as dimod's constrained model, minimised; its labels are names."""
        return cqm_of(self._program)

    def decode_to_sampleset(self, data: dimod.SampleSet) -> Any:
        """The ``SampleSet`` of dimod's for ``sampler_input``, judged by OMMX.

        A sample that occurred several times has so many ids.
        """
        place = {name: at for at, name in enumerate(data.variables)}
        order = [place[name] for name in self._program.variables]
        rows, times = data.record.sample[:, order].tolist(), data.record.num_occurrences.tolist()
        every = [row for row, often in zip(rows, times, strict=True) for _ in range(often)]
        return self.instance.evaluate_samples(dict(enumerate(map(self._state, every))))

    # -------------------------------------------------------------------------------------

    @classmethod
    def _prepared(cls, ommx_instance: Any) -> Any:
        """An instance without constraints that are to be lowered, a copy; in OMMX 2 as it is."""
        if not _IS_NEWER:
            return ommx_instance
        prepared = copy.copy(ommx_instance)
        prepared.prepare(cls.INPUT_CLASS, cls.recommended_preparation_policy())
        return prepared

    def _state(self, values: Iterable[float]) -> Mapping[int, float]:
        """Values by id."""
        return dict(zip(self._ids, values, strict=True))
