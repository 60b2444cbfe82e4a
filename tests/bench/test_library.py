"""The instance library: a set that is known by its hashes, files read back, tiers by times."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import amplify
import dimod
import pytest

from boards import IN_ONE_FILE
from boards import NAMES as ALL
from qubopuzzle import InputError, Nonogram, cli, load, solve
from qubopuzzle.bench import tiers
from qubopuzzle.bench.comparison import INTERRUPTED, Comparison
from qubopuzzle.bench.instances import write_instances
from qubopuzzle.bench.library import LICENCE, SETS, make_set
from qubopuzzle.bench.tiers import TIERS, Measuring, tier
from qubopuzzle.files.puzzles import get_format
from qubopuzzle.solving.form import decode_file
from qubopuzzle.solving.settings import Settings

native = get_format("json")

ROOT = Path(__file__).parents[2]

native = get_format("json")

LIBRARY = SETS["library"]
NAMES = sorted(
    {*ALL} - {kind.name for kind in IN_ONE_FILE}
    | {"easyasabc", "heyawake", "hitori", "kurodoko", "numberlink"}
)
"""Of which the library has puzzles."""
FORMATS = ("bqm", "cqm", "qplib", "lp")
A = Nonogram.examples()[0]


def written(folder, problems, formats=("bqm",), **more):
    exact = Settings("sat", seed=0, time_limit=60)
    return write_instances(folder, problems, formats, Settings(), exact=exact, **more)


@pytest.fixture(scope="module")
def smallest(tmp_path_factory):
    """A folder with the smallest puzzle of each kind, those puzzles and the manifest, by kind."""
    chosen = {origin.puzzle: origin for origin in reversed(LIBRARY)}
    made = [(origin.make(), origin) for origin in chosen.values()]
    folder = tmp_path_factory.mktemp("library")
    origins = {puzzle.id: origin for puzzle, origin in made}
    manifest = written(folder, [puzzle for puzzle, _ in made], FORMATS, origins=origins)
    assert manifest["left_out"] == []
    entries = {entry["puzzle"]: entry for entry in manifest["instances"]}
    return folder, {puzzle.name: puzzle for puzzle, _ in made}, entries


def solution(folder, name, ending=""):
    return json.loads((folder / f"{name}.solution{ending}.json").read_text())


def test_the_library_has_every_kind_and_the_puzzles_that_are_published(smallest):
    assert sorted({origin.puzzle for origin in LIBRARY}) == NAMES
    _, _, entries = smallest
    assert sorted(entries) == NAMES
    for entry in entries.values():
        assert entry["generated"]["as_published"]
        assert (entry["unique"], entry["licence"]) == (True, LICENCE)
    results = Path(__file__).parents[2] / "benchmarks/results/library.jsonl"
    _, *rows = map(json.loads, results.read_text().splitlines())
    hashes = [row["puzzle_sha256"] for row in rows]
    assert [h[:12] for h in hashes] == [origin.sha256 for origin in LIBRARY]
    for row in rows:
        assert row["tier"] == tier(row["measured"])


def test_the_manifest_says_how_to_make_it_again(smallest):
    folder, _, entries = smallest
    about = entries["easyasabc"]["generated"]
    assert about == {
        "generator": "easyasabc",
        "size": [4, 4],
        "options": {"letters": 3},
        "seed": 1,
        "number": 0,
        "as_published": True,
    }
    manifest = json.loads((folder / "manifest.json").read_text())
    licence = manifest["licence"]
    data = (folder / licence["file"]).read_bytes()
    assert licence["sha256"] == hashlib.sha256(data).hexdigest()
    assert b"CC0 1.0" in data


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_is_the_ground_state_of_the_files_that_others_read(smallest, name):
    folder, _, entries = smallest
    path = folder / entries[name]["name"]
    reference = solution(folder, path.name)
    with Path(f"{path}.bqm").open("rb") as file:
        assert dimod.BinaryQuadraticModel.from_file(file).energy(reference) == 0
    with Path(f"{path}.cqm").open("rb") as file:
        cqm = dimod.ConstrainedQuadraticModel.from_file(file)
    assert cqm.check_feasible(solution(folder, path.name, "-program"))
    model, _ = amplify.load_qplib(f"{path}.qplib")
    terms = model.objective.as_dict().items()
    named = {label.replace(" ", "_"): value for label, value in reference.items()}
    values = {variable.id: named[variable.name] for variable in model.variables}
    assert sum(c * all(values[i] for i in ids) for ids, c in terms) == 0


@pytest.mark.parametrize("name", ["sudoku", "heyawake", "numberlink"])
@pytest.mark.parametrize("to", ["cqm", "lp"])
def test_rows_are_read_back_and_solved_to_the_reference(smallest, name, to, tmp_path):
    folder, puzzles, entries = smallest
    file = folder / f"{entries[name]['name']}.{to}"
    (program,) = load(file)
    (tmp_path / "found.json").write_text(json.dumps(solve(program, "sat").values))
    found = decode_file(f"{file}.json", tmp_path / "found.json")
    assert found.violations == ()
    assert (found.grid == puzzles[name].solution).all()


@pytest.mark.parametrize("name", ["nonogram", "sudoku"])
@pytest.mark.parametrize("to", ["bqm", "qplib"])
def test_qubos_are_read_back_and_proved_to_have_the_reference_as_ground_state(smallest, name, to):
    folder, _, entries = smallest
    (program,) = load(folder / f"{entries[name]['name']}.{to}")
    found = solve(program, "sat", time_limit=20)
    assert (found.objective, found.status) == (0, "optimal")


def test_a_puzzle_that_comes_out_otherwise_is_told(tmp_path, monkeypatch, capsys):
    other = replace(LIBRARY[0], sha256="0")
    monkeypatch.setitem(SETS, "library", (other,))
    arguments = ["instances", "--set", "library", "-o", str(tmp_path / "set")]
    assert cli.main(arguments) == 0
    assert "nonogram-5x5-1-0 is not as published" in capsys.readouterr().err


def run(seconds, exact=False):
    return {"seconds": seconds, "exact": exact}


@pytest.mark.parametrize(
    ("neal", "annealer", "sat", "expected"),
    [
        (1.0, 0.1, 0.1, "easy"),
        (1.01, 0.1, 0.1, "medium"),
        (0.1, 0.1, 9.0, "medium"),
        (None, 0.1, 0.1, "hard"),
        (9.0, 0.1, None, "hard"),
        (None, None, 0.1, "exact"),
        (None, None, None, "open"),
    ],
)
def test_tiers(neal, annealer, sat, expected):
    measured = {"neal": run(neal), "annealer": run(annealer), "sat": run(sat, exact=True)}
    assert tier(measured) == expected


def test_the_page_says_what_tiers_are():
    page = (Path(__file__).parents[2] / "docs" / "instances.md").read_text()
    assert dict(re.findall(r"^\| `(\w+)` \| (\w.*) \|$", page, re.M)).items() >= TIERS.items()


@pytest.mark.usefixtures("kept_runs")
def test_measured_instances_have_times_and_tiers(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    unsolvable = Nonogram(rows=[[3], []], cols=[[], [2], [1]], id="none")
    Path("p.jsonl").write_text(native.write([unsolvable, A]))
    how = ["--measure", "neal,annealer,sat", "--repeat", "2", "--seed", "5", "--to", "coo"]
    assert cli.main(["instances", "p.jsonl", "-o", "set", *how]) == 1
    assert re.search(
        r"^picross-a: easy, median s: neal 0\.\d+, annealer .*", capsys.readouterr().out, re.M
    )
    manifest = json.loads(Path("set/manifest.json").read_text())
    (entry,) = manifest["instances"]
    assert entry["tier"] == "easy"
    assert [each["seeds"] for each in entry["measured"].values()] == [[5, 6], [5, 6], [5]]
    assert [each["solved"] for each in entry["measured"].values()] == [2, 2, 1]
    assert entry["measured"]["neal"]["presolve"] == "none"
    about = manifest["measured"]
    assert (about["repeat"], about["time_limit_s"], about["tiers"]) == (2, 10, TIERS)
    assert {"numpy", "python-sat", "dimod"} <= set(about["versions"])
    assert (manifest["licence"], entry["licence"]) == (None, None)


def test_what_is_broken_off_while_measuring_is_whole_without_tiers(tmp_path, monkeypatch):
    def stopped(plan, **_):
        return Comparison(plan.instances, plan.configurations, [], {}, stopped=INTERRUPTED)

    monkeypatch.setattr(tiers, "run", stopped)
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path, [A], measuring=Measuring(["sat"]))
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert "measured" not in manifest
    assert len(manifest["instances"]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--set libary", "did you mean library?"),
        ("--set library --puzzle chess", "unknown puzzle 'chess'; this package knows akari"),
        ("a.json --set library", "--set takes no sources"),
        ("--measure nael", "did you mean neal?"),
        ("--measure neal --repeat 0", "repeat"),
        ("--measure neal --measure-limit 0", "time limit"),
    ],
)
def test_what_cannot_be_is_one_line(words, message, tmp_path, capsys):
    assert cli.main(["instances", *words.split(), "-o", str(tmp_path / "set")]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not (tmp_path / "set").exists()


def test_a_set_can_be_of_one_kind():
    with pytest.raises(InputError, match="no set"):
        make_set("none")
