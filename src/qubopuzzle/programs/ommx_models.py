"""OMMX instances as programs: of OMMX 2, ``ommx.v1.Instance``, and of 3, ``ommx.Instance``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.programs.milp import require_whole
from qubopuzzle.programs.program import Program

_KINDS = {"Binary": 1, "Integer": 1, "Continuous": 0, "SemiContinuous": 2, "SemiInteger": 3}
"""Kinds of variables in numbers as in ``from_mip``."""
_PARTS = ("decision_variables", "constraints", "objective", "sense")


def from_ommx(instance: Any) -> Program:
    """An OMMX instance as a program; what a constraint says of zero becomes a row.

    Variables are named as OMMX shows them, ``x[0, 1]`` by name and subscripts, else ``x7`` by the
    id; rows likewise, ``row7`` without a name. Where two have the same name, ``#`` and the id
    follow. ``state_variables`` says which there are. One-hot and SOS1 constraints of OMMX 3 become
    rows; the hints of OMMX 2 are of rows that are there anyway. Constraints that were removed are
    left out.

    Raises:
        InputError: naming a variable that is not whole or has no close bounds, a constraint that
            is not linear, an indicator constraint, or an objective beyond the quadratic.
    """
    if not all(hasattr(instance, part) for part in _PARTS):
        raise InputError(f"expected an OMMX instance, got {brief(instance)}")
    variables = state_variables(instance)
    names = _named(variables, "x")
    place = {identity: at for at, identity in enumerate(variables)}
    lower, upper = (
        [getattr(v.bound, end) for v in variables.values()] for end in ("lower", "upper")
    )
    # A value that OMMX has put in its place: all that the variable may be.
    fixed = [getattr(v, "substituted_value", None) for v in variables.values()]
    lower = [low if value is None else value for low, value in zip(lower, fixed, strict=True)]
    upper = [high if value is None else value for high, value in zip(upper, fixed, strict=True)]
    rows = _Rows(place)
    rows.add_constraints(_by_id(instance.constraints, "id"))
    rows.add_special(instance, variables)
    cost, quadratic, offset = _objective(instance.objective, place)
    kinds = [_KINDS.get(str(v.kind), -1) for v in variables.values()]
    require_whole(names, kinds, (lower, upper), rows.matrix(), (rows.lower, rows.upper), quadratic)
    return Program.of(
        rows.matrix(),
        rows.lower,
        rows.upper,
        lower=lower,
        upper=upper,
        cost=cost,
        quadratic=quadratic,
        offset=offset,
        maximize=instance.sense == type(instance).MAXIMIZE,
        variables=names,
        rows=rows.names,
        title=str(getattr(instance, "title", "") or ""),
    )


def ommx_module() -> Any:
    """What holds the classes: ``ommx.v1`` of OMMX 2, ``ommx`` of 3; ImportError without either."""
    try:
        return import_module("ommx.v1")
    except ImportError:
        return import_module("ommx")


def instance_of(data: bytes, version: int | None = None) -> Any:
    """The instance of bytes in one of OMMX's formats, 1 or 2, by the OMMX that is installed.

    Raises:
        InputError: for what is none, in one line.
    """
    kind = ommx_module().Instance
    readers = {1: getattr(kind, "from_v1_bytes", None) or kind.from_bytes}
    if hasattr(kind, "from_v2_bytes"):
        readers[2] = kind.from_v2_bytes
    if version is not None and version not in readers:
        raise InputError("the instance is in the format of OMMX 3: pip install 'ommx>=3.0.0b7'")
    why = ""
    for reader in readers.values() if version is None else [readers[version]]:
        try:
            return reader(data)
        except Exception as error:  # of OMMX's own, with a stack of Rust behind it
            lines = (line.strip() for line in str(error).splitlines())
            reasons = [
                line for line in lines if line and not line.startswith(("Traceback", "\u2514"))
            ]
            why = why or (reasons or [type(error).__name__])[0]
    raise InputError(f"no OMMX instance ({why[:120]})")


def state_variables(instance: Any) -> dict[int, Any]:
    """The variables that a program of the instance has, by id, in its order.

    Those that are functions of others (``log_encode`` makes such) are left out, and so are
    variables in no term that are not whole.
    """
    if hasattr(instance, "decision_variable_analysis"):  # OMMX 2
        roles = instance.decision_variable_analysis()
        dependent, unused = roles.dependent(), roles.irrelevant()
    else:
        dependent = instance.dependent_decision_variable_ids()
        unused = instance.irrelevant_decision_variable_ids()
    return {
        identity: variable
        for identity, variable in sorted(_by_id(instance.decision_variables, "id").items())
        if identity not in dependent
        and (identity not in unused or _KINDS.get(str(variable.kind)) == 1)
    }


class _Rows:
    """Rows over variables, by their places."""

    def __init__(self, place: Mapping[int, int]) -> None:
        self._place = place
        self._entries: list[tuple[int, int, float]] = []
        self.names: list[str] = []
        self.lower: list[float] = []
        self.upper: list[float] = []

    def matrix(self) -> Any:
        """Shape (rows, variables)."""
        row, column, value = np.array(self._entries, dtype=np.float64).reshape(-1, 3).T
        where = row.astype(np.int64), column.astype(np.int64)
        return csr_array((value, where), shape=(len(self.names), len(self._place)))

    def add_constraints(self, constraints: Mapping[int, Any]) -> None:
        """``function == 0`` or ``function <= 0``."""
        for name, constraint in zip(_named(constraints, "row"), constraints.values(), strict=True):
            function = constraint.function
            degree = function.degree()  # None of what is no polynomial
            if degree is None or degree > 1:
                raise InputError(f"constraint {name[:60]}: products of variables; rows are linear")
            side = -float(function.constant_term)
            equal = constraint.equality == type(constraint.equality).EqualToZero
            self._add(name, function.linear_terms, side if equal else -np.inf, side)

    def add_special(self, instance: Any, variables: Mapping[int, Any]) -> None:
        """One-hot and SOS1 constraints, "exactly" and "at most one"; indicators are refused."""
        for identity in getattr(instance, "indicator_constraints", None) or ():
            raise InputError(f"constraint {identity}: an indicator constraint; rows are linear")
        for kind, least in ("one_hot", 1.0), ("sos1", -np.inf):
            constraints = getattr(instance, f"{kind}_constraints", None) or {}
            for name, constraint in zip(
                _named(constraints, f"{kind}_"), constraints.values(), strict=True
            ):
                for identity in constraint.variables:
                    bound = variables[identity].bound
                    if (bound.lower, bound.upper) != (0, 1):
                        raise InputError(f"constraint {name[:60]}: {kind} of what are no bits")
                terms = dict.fromkeys(constraint.variables, 1.0)
                self._add(self._unused(name), terms, least, 1.0)

    def _unused(self, name: str) -> str:
        while name in self.names:
            name += "'"
        return name

    def _add(self, name: str, terms: Mapping[int, float], low: float, high: float) -> None:
        row = len(self.names)
        self._entries += [(row, self._place[i], value) for i, value in terms.items()]
        self.names.append(name)
        self.lower.append(low)
        self.upper.append(high)


def _by_id(items: Any, key: str) -> dict[int, Any]:
    """OMMX 3 has dictionaries, OMMX 2 lists."""
    if isinstance(items, Mapping):
        return dict(items)
    return {getattr(each, key): each for each in items}


def _named(items: Mapping[int, Any], prefix: str) -> list[str]:
    """A name for each, all different."""
    names = []
    for identity, each in items.items():
        name = each.name or f"{prefix}{identity}"
        subscripts = [*each.subscripts, *(f"{k}={v}" for k, v in sorted(each.parameters.items()))]
        names.append(name + (f"[{', '.join(map(str, subscripts))}]" if subscripts else ""))
    often = _several(names)
    pairs = zip(names, items, strict=True)
    return [f"{name}#{identity}" if name in often else name for name, identity in pairs]


def _several(names: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    return {name for name in names if name in seen or seen.add(name)}  # type: ignore[func-returns-value]


def _objective(function: Any, place: Mapping[int, int]) -> tuple[Any, Any, float]:
    """Linear and quadratic coefficients, and the constant."""
    n = len(place)
    cost, offset = np.zeros(n), 0.0
    pairs: list[tuple[int, int]] = []
    values: list[float] = []
    try:
        terms = function.terms
    except TypeError:
        raise InputError("the objective is no polynomial") from None
    for ids, value in terms.items():
        if len(ids) > 2:
            raise InputError(f"the objective: a product of {len(ids)} variables; 2 are taken")
        if len(ids) == 2:
            pairs.append((place[ids[0]], place[ids[1]]))
            values.append(value)
        elif ids:
            cost[place[ids[0]]] += value
        else:
            offset += value
    row, column = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return cost, csr_array((values, (row, column)), shape=(n, n)), offset
