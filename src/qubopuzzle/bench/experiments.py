"""The runs of a comparison in the forms of experiment trackers: MINTO, stochastic-benchmark."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from math import inf
from typing import Any

from qubopuzzle.bench.machine import machine_of
from qubopuzzle.bench.objectives import objective_of
from qubopuzzle.bench.results import ComparisonData
from qubopuzzle.bench.summary import Row
from qubopuzzle.errors import InputError

Files = dict[str, bytes]
"""What is in a folder, by names below it."""
_PARAMETERS = (
    *("instance", "digest", "configuration", "solver", "formulation", "encoding", "presolve"),
    *("seed", "time_limit_s", "status", "solved", "seconds", "energy", "objective", "bound"),
    *("optimal", "violations", "qubopuzzle"),
)
_MINTO_VERSION = "1.0"
_RESPONSE, _RESOURCE, _BEST = "Key=MinEnergy", "Key=MeanTime", "GTMinEnergy"
_MICROSECONDS = 1e6


def minto(comparison: ComparisonData) -> Files:
    """What ``minto.Experiment.load_from_dir`` reads.

    Of the experiment it has where instances come from, as objects by digest. A run has parameters,
    which are columns of a table, its options among them, and two objects: ``incumbents``, which are
    lists of ``seconds``, ``value``, ``bound`` and ``feasible``, and the ``solution``.

    Source: github.com/Jij-Inc/minto, ``minto/datastore.py`` of version 2.0.0.
    """
    began = min((row["started"] for row in comparison.rows if "started" in row), default=None)
    when = datetime.fromisoformat(began) if began else datetime.fromtimestamp(0)
    about = {
        "version": _MINTO_VERSION,
        "experiment_name": "qubopuzzle compare",
        "timestamp": f"{when:%Y-%m-%d-%H-%M-%S}",
    }
    files: dict[str, dict[str, Any]] = {
        "experiment/meta_data_.json": about,
        "experiment/parameters_.json": {},
    }
    for instance in comparison.instances:
        origin = {"instance": instance.label, "source": instance.source}
        files[f"experiment/objects_{instance.digest}.json"] = origin
    for number, row in enumerate(comparison.rows):
        place = f"runs/{number}"
        files[f"{place}/meta_data_.json"] = {"run_id": number, "elapsed_time": row["wall_s"]}
        files[f"{place}/parameters_.json"] = _parameters(row)
        incumbents = row.get("incumbents") or []
        files[f"{place}/objects_incumbents.json"] = {
            name: [each[name] for each in incumbents]
            for name in ("seconds", "value", "bound", "feasible")
        }
        if row.get("solution") is not None:
            files[f"{place}/objects_solution.json"] = {"solution": row["solution"]}
    return {name: json.dumps(data).encode() for name, data in files.items()}


def _parameters(row: Row) -> dict[str, Any]:
    """Numbers and words of a run."""
    return {
        **{name: row[name] for name in _PARAMETERS if row.get(name) is not None},
        **{name: value for name, value in row["options"].items() if value is not None},
        "machine": machine_of(row),
    }


def stochastic_benchmark(comparison: ComparisonData) -> Files:
    """Raw data of stochastic-benchmark (Window Sticker): ``exp_raw``, a pickled table an instance.

    A row a run, with its ``instance`` and its parameters: ``configuration``, ``solver`` and the
    options that are numbers. The response ``Key=MinEnergy`` is the objective, negative where more
    is better; without an objective the weight of the broken rows; infinite of runs without an
    answer. The resource ``Key=MeanTime`` is in microseconds. ``GTMinEnergy`` is the best known.

    Source: github.com/usra-riacs/stochastic-benchmark, ``src/stochastic_benchmark.py``; D. E.
    Bernal Neira et al., "Benchmarking the operation of quantum heuristics and Ising machines",
    arXiv:2402.10255.

    Raises:
        InputError: where pandas is not installed.
    """
    pandas, files = pandas_for("--stochastic-benchmark"), {}
    for instance in comparison.instances:
        rows = [row for row in comparison.rows if row["digest"] == instance.digest]
        if not rows:
            continue
        measured = pandas.DataFrame([*map(partial(_measured, comparison), rows)])
        # Text as objects, which older versions of pandas read, too.
        texts = [name for name, dtype in measured.dtypes.items() if dtype.kind not in "iufb"]
        measured = measured.astype(dict.fromkeys(texts, object))
        measured.columns = measured.columns.astype(object)
        table = io.BytesIO()
        measured.to_pickle(table)
        files[f"exp_raw/inst={instance.digest}.pkl"] = table.getvalue()
    return files


def pandas_for(what: str) -> Any:
    """The package pandas; InputError, which begins with what needs it, where it is not there."""
    try:
        import pandas
    except ImportError:
        raise InputError(f"{what} needs pandas: pip install pandas") from None
    return pandas


def _measured(comparison: ComparisonData, row: Row) -> dict[str, Any]:
    """The row of a run."""
    target = comparison.targets.get(row["digest"])
    sign = -1 if target is not None and target.maximize else 1
    best = 0.0 if target is None else target.best_known
    return {
        **dict(_numbers(row["options"])),
        "instance": row["instance"],
        "configuration": row["configuration"],
        "solver": row["solver"],
        "seed": row["seed"],
        "count": 1,
        _BEST: None if best is None else sign * best,
        _RESPONSE: _response(row, sign, has_objective=target is not None),
        _RESOURCE: _MICROSECONDS * (row["wall_s"] if row["seconds"] is None else row["seconds"]),
    }


def _numbers(options: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in options.items():
        if isinstance(value, int | float):
            yield name, value


def _response(row: Row, sign: int, *, has_objective: bool) -> float:
    """Less is better."""
    if has_objective:
        objective = objective_of(row)
        return inf if objective is None else sign * objective
    if row["status"] == "valid":
        return 0.0
    return inf if row.get("energy") is None else float(row["energy"])


FORMS: dict[str, Callable[[ComparisonData], Files]] = {
    "--minto": minto,
    "--stochastic-benchmark": stochastic_benchmark,
}
"""What is written, by option."""
