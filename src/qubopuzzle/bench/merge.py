"""Comparisons out of journals: of one as it was, of several together."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain, count
from math import inf
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import Any

from qubopuzzle.base.checks import brief, number, whole
from qubopuzzle.bench.comparison import Comparison, check_solutions
from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.journal import Content, read_journal
from qubopuzzle.bench.machine import machine_of, machines
from qubopuzzle.bench.objectives import BestKnown, with_best_known
from qubopuzzle.bench.plan import Instance, told_apart
from qubopuzzle.bench.summary import Row
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.native import problem_from_dict

_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "solver": str,
    "exact": bool,
    "presolve": str,
    "time_limit": (int, float),
    "formulation": (str, NoneType),
    "encoding": (str, NoneType),
    "weights": dict,
    "options": dict,
    "reads": (int, NoneType),
}
"""Of a configuration's settings."""
_ALIKE = ("solver", "options", "encoding", "presolve", "weights")
"""Settings that a row and its configuration have under the same name."""


def load_comparison(
    *journals: str | PathLike[str], best_known: BestKnown | None = None
) -> Comparison:
    """The comparison that journals hold; its ``left_out`` says what is not in it, and why.

    A run that is there twice counts once, the last time. Configurations of one name whose
    settings differ between journals are told apart by the journals' names, and runs on several
    kinds of machines by numbers, as in ``neal @2``: see ``machines``. ``best_known`` is as in
    ``compare``; without it, it is what the journals say.

    Raises:
        InputError: one line with the name of the file that is no journal.
    """
    if not journals:
        raise InputError("expected a journal, or several")
    configurations: dict[str, Configuration] = {}
    given, rows, old = list[Instance](), list[Row](), 0
    for path in map(Path, journals):
        content = read_journal(path)
        with at(str(path)):
            in_journal = _configurations(content)
            given += _instances(content)
            kept = [row for row in content.rows.values() if _belongs(row, in_journal)]
            old += len(content.rows) - len(kept)
            if without := [row["key"] for row in kept if "seed" not in row]:
                raise InputError(f"row {brief(without[0])}: seed: missing; delete the line")
        names = {name: _name(each, path.stem, configurations) for name, each in in_journal.items()}
        configurations |= {
            names[name]: replace(in_journal[name], name=names[name]) for name in in_journal
        }
        rows += [row | {"configuration": names[row["configuration"]]} for row in kept]
    if not rows:
        raise InputError(
            f"{', '.join(map(str, journals))}: all {old} rows are of other settings than their "
            "configurations have now; go on with `compare --resume`, or run it anew"
        )
    instances = with_best_known(told_apart(given)[0], best_known)
    check_solutions(instances, rows)
    left_out = {"rows of other settings": f"{old} of them"} if old else {}
    return comparison_of(instances, configurations.values(), rows, left_out)


def comparison_of(
    instances: Sequence[Instance],
    configurations: Iterable[Configuration],
    rows: Iterable[Row],
    left_out: Mapping[str, str] | None = None,
) -> Comparison:
    """Rows of any order as a comparison; each run once, machines told apart."""
    rows = list(rows)
    kinds = machines(rows)
    by_name: dict[str, Configuration] = {}
    for each in configurations:
        marks = [f" @{i}" for i in range(1, len(kinds) + 1)] if len(kinds) > 1 else [""]
        for name in (each.name + mark for mark in marks):
            by_name[name] = replace(each, name=name)
    runs = {}
    there = {each.digest: each for each in instances}
    for row in rows:
        name = row["configuration"]
        if len(kinds) > 1:
            name = f"{name} @{list(kinds).index(machine_of(row)) + 1}"
        runs[row["digest"], name, row["seed"]] = row | _about(there[row["digest"]], by_name[name])
    order = {digest: place for place, digest in enumerate(there)}
    place = {name: i for i, name in enumerate(by_name)}
    ordered = sorted(runs, key=lambda run: (order[run[0]], place[run[1]], run[2]))
    most = dict.fromkeys(by_name, 0)
    for (_, name), n in Counter((digest, name) for digest, name, _ in runs).items():
        most[name] = max(most[name], n)
    return Comparison(
        instances=instances,
        configurations=[each for each in by_name.values() if most[each.name]],
        rows=[runs[run] for run in ordered],
        planned={name: n * len(instances) for name, n in most.items() if n},
        left_out=left_out or {},
    )


def _about(instance: Instance, configuration: Configuration) -> Row:
    """What a row says of them; they know it better."""
    return {
        "instance": instance.label,
        "puzzle": instance.puzzle.name,
        "cells": instance.puzzle.cells,
        "configuration": configuration.name,
        "exact": configuration.exact,
    }


def _configurations(content: Content) -> dict[str, Configuration]:
    """Those of a journal, by name."""
    known = {each.name for each in fields(Configuration)}
    configurations = {}
    for name, record in content.configurations.items():
        if set(record) != known or not all(isinstance(record[k], _KINDS[k]) for k in known):
            raise InputError(f"configuration {brief(name)}: written by another version, or damaged")
        with at(f"configuration {brief(name)}"):
            _check(record)
        configurations[name] = Configuration(**record)
    if any(row.get("configuration") not in configurations for row in content.rows.values()):
        raise InputError(
            "it does not say what its configurations are, as journals of older versions; "
            "run the comparison again, into another file"
        )
    return configurations


def _name(configuration: Configuration, journal: str, there: Mapping[str, Configuration]) -> str:
    """What a configuration of a journal is called beside those that are there."""
    # Journals of one name may lie in several folders.
    further = (f"{configuration.name} ({journal} {i})" for i in count(2))
    names = chain((configuration.name, f"{configuration.name} ({journal})"), further)
    return next(name for name in names if name not in there or configuration.is_like(there[name]))


def _check(record: Mapping[str, Any]) -> None:
    """InputError where a configuration has a value of the right type that cannot be."""
    if not record["name"].isprintable():
        raise InputError("its name has control characters")
    if not 0 < number("time_limit", record["time_limit"]) < inf:
        raise InputError(f"time_limit: expected seconds, got {brief(record['time_limit'])}")
    if record["reads"] is not None:
        whole("reads", record["reads"], 1)
    for family, weight in record["weights"].items():
        number(f"weights: {family[:40]}", weight)


def _instances(content: Content) -> list[Instance]:
    """Those of a journal."""
    if missing := {row.get("digest") for row in content.rows.values()} - set(content.instances):
        raise InputError(f"the instance of {len(missing)} of its rows is not in it")
    instances = []
    for record in content.instances.values():
        with at(f"instance {brief(record['instance'])}"):
            problem, best = problem_from_dict(record["problem"]), record.get("best_known")
            known = None if best is None else number("best_known", best)
            instance = Instance(problem.id, problem, record["source"], known)
            if instance.digest != record["digest"]:
                raise InputError("it is not the one that was solved; was it changed by hand?")
            instances.append(instance)
    return instances


def _belongs(row: Row, configurations: Mapping[str, Configuration]) -> bool:
    """Whether a row is of its configuration as it is now."""
    configuration = configurations[row["configuration"]]
    return (
        all(row.get(name) == getattr(configuration, name) for name in _ALIKE)
        and row.get("reads_limit") == configuration.reads
        and row.get("time_limit_s") == configuration.time_limit
        and configuration.formulation in (None, row.get("formulation"))
    )
