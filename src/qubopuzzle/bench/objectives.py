"""How good answers are where there is an objective: gaps to the best known, and when they came.

The best known objective of an instance is the best of what is said of it beforehand and what any
run of the comparison reached. A gap is relative to it: 0.01 is one percent worse.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from qubopuzzle.base.checks import brief, number
from qubopuzzle.base.writing import naming, read_bounded
from qubopuzzle.errors import InputError, at, did_you_mean

if TYPE_CHECKING:
    from qubopuzzle.bench.plan import Instance

CLOSE = (0.001, 0.01, 0.05)
"""Gaps for which tables show how many runs come as close, and when."""
_SAME = 1e-9
_PROVED = 1e-6
"""Relative; solvers with floating point prove no more."""
_LARGEST = 1 << 24
_SOLUTION_FILE = ("=opt=", "=best=")
BestKnown: TypeAlias = Mapping[str, float] | str | PathLike[str]
"""Objectives by the instance's name, or a file of them, see ``read_best_known``."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is known of an instance with an objective.

    Attributes:
        best_known: the best objective; None where there is none.
        bound: the closest one that any run proved; None without.
    """

    maximize: bool
    best_known: float | None = None
    bound: float | None = None

    def gap(self, objective: float | None) -> float:
        """How much worse it is than the best known, relative to that; infinite for 0 and worse.

        Infinite without an objective, too.

        >>> Target(False, 100.0).gap(101.0), Target(True, 0.0).gap(-1.0)
        (0.01, inf)
        """
        if objective is None or self.best_known is None:
            return inf
        worse = self.excess(objective, self.best_known)
        if worse <= _SAME * max(1.0, abs(self.best_known)):
            return 0.0
        return worse / abs(self.best_known) if self.best_known else inf

    def excess(self, objective: float, other: float) -> float:
        """By how much the first is worse than the other; negative where it is better."""
        return other - objective if self.maximize else objective - other

    def beats(self, objective: float, bound: float) -> bool:
        """Whether an objective is better than a bound that was proved, which cannot be."""
        return self.excess(objective, bound) < -_PROVED * max(1.0, abs(bound))

    def primal_gap(self, objective: float | None) -> float:
        """How far an objective is from the best known, 0 to 1; 1 without one, or across zero.

        T. Berthold, "Measuring the impact of primal heuristics", Operations Research Letters 41
        (2013), 611-614.

        >>> Target(False, 100.0).primal_gap(125.0), Target(False, -1.0).primal_gap(1.0)
        (0.2, 1.0)
        """
        best = self.best_known
        if objective is None or best is None or objective * best < 0:
            return 1.0
        worse, largest = self.excess(objective, best), max(abs(objective), abs(best))
        return worse / largest if worse > _SAME * max(1.0, largest) else 0.0

    def primal_integral(self, row: Mapping[str, Any], seconds: float) -> float:
        """The primal gap of a run's incumbents, integrated over so many seconds; less is better.

        It is 1 until the first feasible one, and stays where it is after the run has ended.
        Source: see ``primal_gap``.
        """
        integral, since, gap = 0.0, 0.0, 1.0
        for each in row.get("incumbents", ()) if row["solved"] else ():
            if each["feasible"]:
                now = min(each["seconds"], seconds)
                integral += gap * (now - since)
                since, gap = now, self.primal_gap(each["value"])
        return integral + gap * (seconds - since)

    def reached(self, row: Mapping[str, Any], within: float = 0.0) -> tuple[float, bool]:
        """Seconds that a run took to an answer of at most this gap, and whether it found one.

        Of a run that found none, all its seconds, as where it does not say when it did. A proof
        that there is no answer counts as one.
        """
        spent = row["seconds"] or 0.0
        if row.get("status") == "proved none":
            return spent, True
        if not row["solved"] or row.get("objective") is None:
            return spent, False
        closest = within + _SAME
        for each in row.get("incumbents", ()):
            if each["feasible"] and self.gap(each["value"]) <= closest:
                return min(each["seconds"], spent), True
        return spent, self.gap(row["objective"]) <= closest


def targets(
    instances: Iterable["Instance"], rows: Iterable[Mapping[str, Any]]
) -> dict[str, Target]:
    """Of the instances that have an objective, by digest."""
    by_digest = {
        each.digest: Target(each.puzzle.maximize, each.best_known)
        for each in instances
        if each.puzzle.has_objective
    }
    for row in rows:
        target = by_digest.get(row["digest"])
        if target is None:
            continue
        value, bound = objective_of(row), row.get("bound")
        if value is not None and (
            target.best_known is None or target.excess(value, target.best_known) < 0
        ):
            target = replace(target, best_known=value)
        closer = target.bound is None or (
            bound is not None and target.excess(bound, target.bound) > 0
        )
        if bound is not None and isfinite(bound) and closer:
            target = replace(target, bound=bound)
        by_digest[row["digest"]] = target
    return by_digest


def objective_of(row: Mapping[str, Any]) -> float | None:
    """Of a run's valid answer."""
    return row.get("objective") if row["solved"] else None


def with_best_known(
    instances: Sequence["Instance"], given: BestKnown | None
) -> tuple["Instance", ...]:
    """The instances with the best known objectives that are given.

    Raises:
        InputError: for names that none has, unless a file says them, and what is no number.
    """
    if given is None:
        return tuple(instances)
    if isinstance(given, str | PathLike):
        known = read_best_known(Path(given))
    else:
        labels = [name for each in instances for name in _names(each)]
        for name in given:
            if name not in labels:
                hint = did_you_mean(name, labels)
                raise InputError(f"best known: no instance is named {brief(name)}; {hint}")
        known = {name: _finite(name, value) for name, value in given.items()}
    values = [[known[name] for name in _names(each) if name in known] for each in instances]
    return tuple(
        replace(each, best_known=best[0]) if best else each
        for each, best in zip(instances, values, strict=True)
    )


def _names(instance: "Instance") -> list[str]:
    """What a list of objectives may call an instance: its name, or its file's without endings."""
    return [*dict.fromkeys([instance.label, Path(instance.source).name.partition(".")[0]])]


def read_best_known(path: Path) -> dict[str, float]:
    """Objectives by name, out of a file of lines ``NAME OBJECTIVE``.

    Or out of MIPLIB's list of solutions, whose lines are as ``=opt= NAME OBJECTIVE``; what it does
    not know an objective of is passed over.

    Raises:
        InputError: with the file and line of what is neither.
    """
    objectives = {}
    with naming(path):
        data = read_bounded(path, _LARGEST)
        for line_number, line in enumerate(data.decode(errors="replace").splitlines(), start=1):
            words = line.partition("#")[0].split()
            if words and words[0].startswith("=") and words[0].endswith("="):
                words = words[1:] if words[0] in _SOLUTION_FILE else []
            if not words:
                continue
            with at(f"line {line_number}"):
                if len(words) != 2:
                    raise InputError(f"expected a name and an objective, got {brief(line)}")
                try:
                    value = float(words[1])
                except ValueError:
                    raise InputError(f"expected an objective, got {brief(words[1])}") from None
                objectives[words[0]] = _finite(words[0], value)
    return objectives


def _finite(name: str, value: Any) -> float:
    if not isfinite(result := number(f"best known, {name}", value)):
        raise InputError(f"best known, {name}: expected a finite number, got {value}")
    return result
