"""What is compared: a solver with its settings, under a name; one by one, or as a grid.

A TOML file has both, as often as it likes::

    [[configuration]]
    name = "annealer, probed"
    solver = "annealer"
    presolve = "probe"
    options = {threads = 1}

    [[grid]]
    solver = ["neal", "tabu"]
    encoding = ["one-hot", "domain-wall"]
    weights = {field = [1, 2]}
    options = {neal = {sweeps = [100, 1000]}}

Python takes the same as mappings, see ``compare``.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from qubopuzzle.base.checks import brief, check_names
from qubopuzzle.base.writing import naming, read_bounded
from qubopuzzle.errors import InputError, QubopuzzleError, at, first_line, printable
from qubopuzzle.problem import Problem
from qubopuzzle.solvers import get_solver
from qubopuzzle.solving.settings import DEFAULT_SOLVER, Settings, command

SETTINGS = ("formulation", "encoding", "presolve", "weights", "options", "reads", "time_limit")
"""What can differ between two configurations of a solver."""
Given: TypeAlias = Mapping[str, Any]
"""A configuration as it is asked for: ``solver`` and any of ``name`` and ``SETTINGS``."""
_LIMIT = 10_000
"""Configurations of a comparison at most."""
SIZE_LIMIT = 2**18
"""Bytes of a TOML file at most."""
_DOTS_LIMIT = 10**6


@dataclass(frozen=True)
class Configuration:
    """A solver and its settings, defaults included, as a journal keeps them.

    It may be one of another machine, whose solver is not here.

    Attributes:
        formulation: None where the problem decides.
        reads, time_limit: bounds of a run; seconds.
    """

    name: str
    solver: str
    exact: bool
    presolve: str
    time_limit: float
    formulation: str | None = None
    encoding: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    reads: int | None = None

    @property
    def kind(self) -> str:
        """The solver's, in one word."""
        return "exact" if self.exact else "heuristic"

    def is_like(self, other: "Configuration") -> bool:
        """Whether they differ by their names only."""
        return replace(self, name=other.name) == other

    def settings(self, seed: int) -> Settings:
        """Of a run."""
        return Settings(self.solver, seed=seed, **{name: getattr(self, name) for name in SETTINGS})

    def formulation_of(self, problem: Problem) -> str:
        """The one asked for, or the problem's default for this solver."""
        return self.formulation or get_solver(self.solver).formulation_of(problem)

    def command(self, source: str, seed: int | str) -> str:
        """The command that repeats a run.

        >>> neal = make_configuration({"solver": "neal", "options": {"sweeps": 5}}, 2)
        >>> neal.command("a.json", 3)
        'qubopuzzle solve a.json --solver neal --option sweeps=5 --seed 3 --time-limit 2'
        """
        words = {"solver": self.solver, "seed": seed, "time_limit": f"{self.time_limit:g}"}
        return printable(command(source, self.changed() | words))

    def changed(self) -> dict[str, Any]:
        """Settings that differ from the solver's defaults; all, where it is not known here."""
        settings = {name: getattr(self, name) for name in SETTINGS[:-1]}
        with suppress(QubopuzzleError):
            solver = get_solver(self.solver)
            usual = {"encoding": solver.default_encoding, "presolve": solver.default_presolve}
            settings = {name: value for name, value in settings.items() if value != usual.get(name)}
            options = solver.parse_options({})
            settings["options"] = {k: v for k, v in self.options.items() if v != options.get(k)}
        return {name: value for name, value in settings.items() if value}


def make_configuration(given: Given, time_limit: float) -> Configuration:
    """A configuration as it is asked for, checked.

    Args:
        time_limit: seconds, where it has none of its own.

    Raises:
        InputError: for what does not exist or does not go together.
        SolverUnavailable: for a solver that cannot run here.
    """
    check_names(given, ("name", "solver", *SETTINGS))
    values = {name: value for name, value in given.items() if value is not None}
    name = values.pop("name", values["solver"])
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InputError(f"name: expected a printable text, got {brief(name)}")
    with at(name):
        solver, settings = Settings.of(None, {"time_limit": time_limit, **values}).resolved()
        if "encoding" in values and not solver.takes_encoding:
            raise InputError(f"solver {solver.name} takes no encoding")
        if settings.weights and not solver.takes_weights:
            raise InputError(f"solver {solver.name} keeps every constraint and takes no weights")
    fields: dict[str, Any] = {name: getattr(settings, name) for name in SETTINGS}
    return Configuration(name, solver.name, solver.exact, **fields)


def grid(
    solver: str | Sequence[str], options: Mapping[str, Given] | None = None, **settings: Any
) -> Iterator[dict[str, Any]]:
    """Every combination of values, as mappings for ``make_configuration``.

    >>> [each["name"] for each in grid(["sat", "neal"], weights={"field": [1, 2]})]
    ['sat', 'neal, field=1', 'neal, field=2']

    A value is one or a list of them, that of ``weights`` a mapping of such. What a solver does
    not take is left out for it. Names say what varies.

    Args:
        options: by solver, such as ``{"neal": {"sweeps": [100, 1000]}}``.

    Raises:
        InputError: for a setting that there is not, options of a solver that is not there, and
            more combinations than a comparison has.
    """
    solvers = _values("solver", solver)
    if not all(isinstance(name, str) for name in solvers):
        raise InputError(f"solver: expected a name, or several, got {brief(solver)}")
    solvers = list(dict.fromkeys(solvers))
    check_names(settings, SETTINGS)
    by_solver = _mapping("options", options)
    if strange := [name for name in by_solver if name not in solvers]:
        raise InputError(f"options for {strange[0]!r}, which is not compared")
    weights = _mapping("weights", settings.pop("weights", None))
    for name in solvers:
        takes = get_solver(name)
        axes: dict[tuple[str | None, str], Any] = {
            (None, key): value for key, value in settings.items() if value is not None
        }
        if not takes.takes_encoding:
            axes.pop((None, "encoding"), None)
        if takes.takes_weights:
            axes |= {("weights", key): value for key, value in weights.items()}
        solver_options = _mapping(f"options of {name}", by_solver.get(name))
        axes |= {("options", key): value for key, value in solver_options.items()}
        lists = [_values(key, value) for (_, key), value in axes.items()]
        if (count := prod(map(len, lists))) > _LIMIT:
            raise InputError(f"{brief(count)} configurations of {name}; {_LIMIT:,} are the limit")
        for values in product(*lists):
            yield _point(name, dict(zip(axes, values, strict=True)), list(map(len, lists)))


def _point(
    solver: str, values: Mapping[tuple[str | None, str], Any], counts: Sequence[int]
) -> dict[str, Any]:
    """One combination; ``counts`` says how many values each setting has."""
    point: dict[str, Any] = {"solver": solver}
    words = [solver]
    for ((group, key), value), count in zip(values.items(), counts, strict=True):
        (point if group is None else point.setdefault(group, {}))[key] = value
        if count > 1:
            words.append(f"{key}={value}" if group or not isinstance(value, str) else value)
    return {"name": ", ".join(words), **point}


def read_configurations(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """What a TOML file describes, grids spread out, as mappings.

    Raises:
        InputError: one line with the file's name, for what is no such file.
    """
    with naming(Path(path)):
        try:
            text = read_bounded(path, SIZE_LIMIT).decode()
            _check_dots(text)
            content = tomllib.loads(text)
        except InputError:
            raise
        except (ValueError, RecursionError) as error:  # TOMLDecodeError, digits without end
            raise InputError(f"no TOML: {first_line(error).partition(': ')[2]}") from None
        check_names(content, ("configuration", "grid"))
        for name, tables in content.items():
            if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
                raise InputError(f"{name}: expected tables, as [[{name}]]")
        configurations = list(content.get("configuration", []))
        for number, axes in enumerate(content.get("grid", []), start=1):
            with at(f"grid {number}"):
                if "solver" not in axes:
                    raise InputError("it names no solver")
                configurations += grid(**axes)
        if not configurations:
            raise InputError("it has neither [[configuration]] nor [[grid]]")
        return configurations


def _check_dots(text: str) -> None:
    """Refuse names of so many parts that reading them takes minutes.

    Of each line the reader walks along the name of its table, and along its own once a part.
    """
    dots = [line.count(".") for line in text.split("\n")]
    if max(dots) > 20 and max(dots) * (len(dots) + sum(dots)) > _DOTS_LIMIT:
        raise InputError("too many dots in one line; write long lists over several lines")


def named(settings: Settings) -> Given:
    """Settings as a configuration that says in its name what is not usual.

    >>> named(Settings("neal", presolve="probe", options={"sweeps": 5}))["name"]
    'neal, presolve=probe, sweeps=5'
    """
    configuration = {"solver": DEFAULT_SOLVER, **settings.to_dict()}
    words = [configuration["solver"]]
    for name, value in settings.to_dict().items():
        pairs = value if isinstance(value, dict) else {name: value} if name != "solver" else {}
        words += [f"{key}={v}" for key, v in pairs.items()]
    return {"name": ", ".join(words), **configuration}


def make_configurations(
    given: Sequence[Given], time_limit: float
) -> tuple[tuple[Configuration, ...], dict[str, str]]:
    """Those that can run here, and by name why others cannot.

    Raises:
        InputError: for what cannot be used, and for two of one name or two that are the same.
    """
    if len(given) > _LIMIT:
        raise InputError(f"{len(given):,} configurations; {_LIMIT:,} are the limit")
    here = {name: get_solver(name).available() for name in dict.fromkeys(map(_solver, given))}
    configurations: dict[str, Configuration] = {}
    left_out = {name: where.why for name, where in here.items() if not where.ok}
    for each in given:
        if each["solver"] in left_out:
            continue
        made = make_configuration(each, time_limit)
        for other in configurations.values():
            if made.name == other.name:
                raise InputError(f"two configurations are named {made.name}")
            if made.is_like(other):
                raise InputError(f"configurations {other.name} and {made.name} are the same")
        configurations[made.name] = made
    if not configurations:
        why = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise InputError(f"no solver to compare{f' ({why})' if why else ''}")
    return tuple(configurations.values()), left_out


def _solver(given: Given) -> str:
    """The name of its solver."""
    name = given.get("solver") if isinstance(given, Mapping) else None
    if not isinstance(name, str):
        raise InputError(f"a configuration names its solver by a text, not {brief(name)}")
    return name


def _mapping(name: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{name}: expected a mapping, got {brief(value)}")
    return dict(value)


def _values(name: str, value: Any) -> list[Any]:
    """One value or several."""
    values = value if isinstance(value, list | tuple) else [value]
    if not values:
        raise InputError(f"{name}: expected a value, or several")
    return list(values)
