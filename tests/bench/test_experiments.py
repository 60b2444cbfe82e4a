"""Runs in the forms of MINTO and stochastic-benchmark, read back as these read them."""

import json
import math
from importlib.util import find_spec

import pytest

import command
from qubopuzzle.bench import experiments
from qubopuzzle.bench.merge import load_comparison

KNAPSACK = """Maximize
 worth: 3 a + 4 b + 5 c
Subject To
 weight: 2 a + 3 b + 4 c <= 5
Binary
 a b c
End
"""
NO_SOLUTION = "Minimize\n cost: x\nSubject To\n two: x + y >= 3\nBinary\n x y\nEnd\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with two models, the journal of their runs, and what was written of it."""
    folder = tmp_path_factory.mktemp("experiments")
    (folder / "sack.lp").write_text(KNAPSACK)
    (folder / "none.lp").write_text(NO_SOLUTION)
    words = ["--solvers", "annealer,mip", "--repeat", "2", "--time-limit", "1", "--seed", "5"]
    words += ["--option", "annealer:sweeps=1000", "--json", "runs.jsonl", "--minto", "minto"]
    if find_spec("pandas"):
        words += ["--stochastic-benchmark", "raw"]
    status, _, err = command.run("compare", "sack.lp", "none.lp", *words, cwd=folder)
    assert (status, err) == (0, "")
    return folder


def rows(written):
    return load_comparison(written / "runs.jsonl").rows


def test_minto_has_a_folder_a_run(written):
    place = written / "minto"
    about = json.loads((place / "experiment/meta_data_.json").read_text())
    assert about["version"] == "1.0"
    problems = {json.loads(p.read_text())["instance"] for p in place.glob("experiment/objects_*")}
    assert problems == {"sack", "none"}
    for number, row in enumerate(rows(written)):
        run = place / "runs" / str(number)
        assert json.loads((run / "meta_data_.json").read_text())["run_id"] == number
        parameters = json.loads((run / "parameters_.json").read_text())
        assert all(isinstance(value, int | float | str) for value in parameters.values())
        for name in ("instance", "solver", "seed", "status"):
            assert parameters[name] == row[name]
        assert parameters.get("objective") == row["objective"]
        incumbents = json.loads((run / "objects_incumbents.json").read_text())
        assert incumbents["value"] == [each["value"] for each in row["incumbents"]]
        assert (run / "objects_solution.json").exists() == (row["solution"] is not None)


def test_minto_reads_it(written):
    minto = pytest.importorskip("minto", reason="MINTO is not installed")
    experiment = minto.Experiment.load_from_dir(written / "minto")
    table = experiment.get_run_table()["parameter"]
    assert table["objective"].dropna().tolist() == [
        row["objective"] for row in rows(written) if row["objective"] is not None
    ]


def test_raw_data_have_a_table_an_instance(written):
    pandas = pytest.importorskip("pandas")
    tables = [pandas.read_pickle(path) for path in (written / "raw/exp_raw").glob("inst=*.pkl")]
    assert len(tables) == 2
    by_instance = {table["instance"].iloc[0]: table for table in tables}
    sack, none = by_instance["sack"], by_instance["none"]
    assert sack["GTMinEnergy"].tolist() == [-7] * len(sack)
    assert sack["Key=MinEnergy"].tolist() == [-7] * len(sack)  # more is better: negative
    assert none["Key=MinEnergy"].tolist() == [math.inf] * len(none)
    of_sack = [row for row in rows(written) if row["instance"] == "sack"]
    assert sack["seed"].tolist() == [row["seed"] for row in of_sack]
    seconds = [row["seconds"] * 1e6 for row in of_sack]
    assert sack["Key=MeanTime"].tolist() == pytest.approx(seconds)
    assert sack["sweeps"].dropna().tolist() == [1000, 1000]
    assert not any(str(dtype).startswith("str") for dtype in sack.dtypes)


def test_without_an_objective_the_response_is_the_weight_of_broken_rows():
    valid, invalid = {"status": "valid"}, {"status": "invalid", "energy": 2.0}
    responses = [experiments._response(row, 1, has_objective=False) for row in (valid, invalid)]
    assert responses == [0.0, 2.0]
    assert experiments._response({"status": "crashed"}, 1, has_objective=False) == math.inf


@pytest.mark.parametrize("option", ["--minto", "--stochastic-benchmark", "--qoblib"])
def test_a_folder_that_is_used_is_refused_first(written, option):
    status, out, err = command.run("report", "runs.jsonl", option, "minto", cwd=written)
    assert (status, out) == (2, "")
    assert err == f"qubopuzzle: error: minto: {option} writes to a new or empty folder\n"


def test_without_pandas_one_line_comes_first(written, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    status, out, err = command.run(
        "report", "runs.jsonl", "--stochastic-benchmark", "other", cwd=written
    )
    assert (status, out) == (2, "")
    assert err == "qubopuzzle: error: --stochastic-benchmark needs pandas: pip install pandas\n"
    assert not (written / "other").exists()
