"""Solver dwave: D-Wave's mock here, and the real client against a stand-in for its service."""

import json
import logging
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import dimod
import numpy as np
import pytest

pytest.importorskip("dwave.system", reason="needs the extra dwave")

from dwave.samplers import SimulatedAnnealingSampler
from dwave.system.testing import MockDWaveSampler

from command import PROGRAM, run
from leaks import descendants, everything_of, leaked
from qubopuzzle import InputError, Nonogram, solve
from qubopuzzle.embedding import Hardware
from qubopuzzle.errors import (
    AuthenticationError,
    DeadlineExceeded,
    ProtocolError,
    ServiceUnavailable,
    SolverFailed,
    TooLarge,
)
from qubopuzzle.solvers.dwave import DWaveSolver
from qubopuzzle.solvers.dwave.settings import address_of, profile, token_of
from qubopuzzle.solvers.dwave.simulated import SimulatedQPU
from sapi_stand_in import FAULTS, NAME, stand_in
from wire import certificate, tls_front

A, PICTURE = Nonogram.examples()[:2]
TOKEN = "DEV/sEcReT-t0ken+of=abcdefghijklm"  # noqa: S105
EXAMPLE = str(Path(__file__).parents[2] / "examples" / "picross-a.json")
MOCK = "dwave:dwave.system.testing:MockDWaveSampler"
GRAPHS = {"pegasus": [4], "zephyr": [4, 4]}


@pytest.fixture(autouse=True)
def token(monkeypatch, tmp_path):
    for name in ("ENDPOINT", "SOLVER", "REGION", "PROXY"):
        monkeypatch.delenv(f"DWAVE_API_{name}", raising=False)
    monkeypatch.setenv("DWAVE_API_TOKEN", f" {TOKEN}\n")
    monkeypatch.setenv("DWAVE_CONFIG_FILE", str(tmp_path / "dwave.conf"))
    (tmp_path / "dwave.conf").write_text("[defaults]\n")


@pytest.fixture(scope="module")
def sapi():
    with stand_in() as service:
        yield service


class Mock(MockDWaveSampler):
    """Anneals; ``change`` is what becomes of its answers."""

    def __init__(self, topology="zephyr", change=lambda found: found, dead=0.0, **more):
        anneal = {"substitute_kwargs": {"seed": 1, "num_sweeps": 500}}
        shape = GRAPHS[topology]
        broken = []
        if dead:
            qubits = MockDWaveSampler(topology_type=topology, topology_shape=shape).nodelist
            count = round(dead * len(qubits))
            broken = np.random.default_rng(1).choice(qubits, count, replace=False).tolist()
        super().__init__(
            topology_type=topology,
            topology_shape=shape,
            broken_nodes=broken,
            parameter_warnings=False,
            substitute_sampler=SimulatedAnnealingSampler(),
            **anneal,
            **more,
        )
        self.change = change

    def sample(self, bqm, **parameters):
        return self.change(super().sample(bqm, **parameters))


def ask(sampler, puzzle=A, *, reads=20, formulation=None, **options):
    options = {"tries": 1, "embedding_s": 5, "patience": 5, **options}
    return solve(puzzle, sampler, seed=1, reads=reads, formulation=formulation, options=options)


# A sampler of one's own.


@pytest.mark.parametrize("dead", [0.0, 0.02])
@pytest.mark.parametrize("topology", GRAPHS)
@pytest.mark.parametrize("puzzle", [A, PICTURE], ids=["5x5", "12x9"])
def test_puzzles_are_solved_on_graphs_of_qubits(puzzle, topology, dead):
    result = ask(Mock(topology, dead=dead), puzzle, reads=100, formulation="window")
    assert result.valid
    assert result.encoding == "domain-wall"
    told = result.settings
    assert told["qpu_topology"] == f"{topology}:4"
    assert told["qpu"] == "MockDWaveSampler"
    assert told["qubits"] >= result.sizes["variables"]
    assert told["longest_chain"] > 1
    assert told["chain_strength_used"] > 0
    assert 0 <= told["chain_break_fraction"] <= told["broken_reads"] / 100 <= 1
    assert result.service_s == pytest.approx(
        {"qpu_access": 0.00855028, "programming": 0.0084682, "sampling": 0.00008208}
    )
    assert result.reads == 100


def test_a_simulated_qpu_has_no_times():
    result = ask(SimulatedQPU(Hardware.of("zephyr:2"), sweeps=100, seed=1))
    assert (result.settings["qpu"], result.service_s) == ("qpu-sim", {})


@pytest.mark.parametrize("repair", ["majority", "weighted", "minimize-energy", "discard"])
def test_broken_chains_are_counted_and_repaired(repair):
    result = ask(Mock(), PICTURE, chain_break=repair, chain_multiple=0.05, formulation="window")
    told = result.settings
    assert told["repaired_by"] == repair
    assert told["broken_reads"] == result.reads == 20
    assert told["chain_break_fraction"] > 0.05
    assert (result.grid is None) == (repair == "discard")


def test_rules_for_chains(monkeypatch):
    usual, large = (ask(Mock(), chain_strength=rule).settings for rule in ("torque", "scaled"))
    twice = ask(Mock(), chain_strength="scaled", chain_multiple=2).settings
    assert usual["chain_strength_used"] == pytest.approx(1.508, abs=1e-3)
    assert twice["chain_strength_used"] == 2 * large["chain_strength_used"]


def test_gauges_share_the_reads():
    seen = []
    sampler = Mock(change=lambda found: seen.append(found) or found)
    result = ask(sampler, reads=40, gauges=4)
    assert result.valid
    assert result.reads == 40
    assert [int(found.record.num_occurrences.sum()) for found in seen] == [10] * 4
    assert len(result.settings["problem_ids"]) == 4
    assert result.service_s["qpu_access"] == pytest.approx(4 * 0.00855028)


def changed(vector, value):
    def change(found):
        found.resolve()
        found.record[vector][:1] = value
        return found

    return change


def raising(_):
    raise RuntimeError("no calibration\nof this chip")


MOCK_FAULTS = {
    "raises": (raising, SolverFailed, "RuntimeError: no calibration$"),
    "values": (changed("sample", 3), ProtocolError, "values that are not"),
    "nan": (changed("energy", np.nan), ProtocolError, "energies that are no numbers"),
    "never": (changed("num_occurrences", 0), ProtocolError, "never read"),
    "empty": (lambda found: found.slice(0), ProtocolError, "no samples"),
    "variables": (
        lambda found: found.relabel_variables({q: -1 - q for q in found.variables}),
        ProtocolError,
        "over other qubits",
    ),
    "nothing": (lambda _: None, SolverFailed, "AttributeError"),
}


@pytest.mark.parametrize("fault", MOCK_FAULTS)
def test_a_sampler_that_misbehaves_is_one_line(fault):
    change, kind, words = MOCK_FAULTS[fault]
    with pytest.raises(kind, match=words) as caught:
        ask(Mock(change=change))
    assert "\n" not in str(caught.value)


def test_the_token_of_a_given_client_is_masked():
    def echo(_):
        raise RuntimeError(f"refused: {TOKEN}")

    sampler = Mock(change=echo)
    sampler.client = SimpleNamespace(config=SimpleNamespace(token=TOKEN))
    with pytest.raises(SolverFailed, match=r"RuntimeError: refused: .token.$") as caught:
        ask(sampler)
    assert not leaked(everything_of(caught.value), TOKEN)


def test_what_does_not_fit_is_refused_with_figures():
    with pytest.raises(TooLarge, match=r"69 variables, 142 couplers?.*|69 variables") as caught:
        ask(MockDWaveSampler(topology_type="zephyr", topology_shape=[1, 4]), PICTURE)
    for words in ("has no embedding on zephyr:1: 48 qubits", "--encoding", "qubopuzzle embed"):
        assert words in str(caught.value)


def test_samplers_are_named_by_address(tmp_path):
    words = ("solve", EXAMPLE, "--solver", MOCK, "--seed", "1", "--option", "tries=1")
    status, out, _ = run(*words, "--json")
    result = json.loads(out)
    assert (status, result["solver"]) == (0 if result["valid"] else 1, MOCK)
    assert result["settings"]["qpu_topology"] == "chimera:4"
    _, out, _ = run(*words)
    assert re.search(r"MockDWaveSampler, chimera:4: \d+ qubits, .* in \d+ of 100 reads\n", out)
    for address, words in (
        ("dimod:dwave.system.testing:MockDWaveSampler", f"--solver {MOCK} embeds others"),
        ("dwave:dwave.samplers:TabuSampler", "use --solver dimod:dwave.samplers:TabuSampler"),
        ("dwave:nowhere", "write dwave:module:Class"),
        ("dwave:no_such_module:Class", "No module named"),
    ):
        status, _, err = run("solve", EXAMPLE, "--solver", address)
        assert (status, words in err) == (2, True), err


# Files.


def test_a_record_is_judged_again(tmp_path):
    file = tmp_path / "answer.json"
    first = ask(Mock(), record=str(file))
    again = ask("dwave", replay=str(file))
    assert again.valid
    assert np.array_equal(again.grid, first.grid)
    for name in ("chain_strength_used", "qubits", "longest_chain", "qpu", "broken_reads"):
        assert again.settings[name] == first.settings[name]
    assert again.service_s == first.service_s
    data = json.loads(file.read_text())
    samples = dimod.SampleSet.from_serializable(data)
    assert "chain_break_fraction" in samples.record.dtype.names
    assert len(samples.info["embedding_context"]["embedding"]) == 30


def edited(**changes):
    def edit(data):
        for path, value in changes.items():
            *way, last = path.split("__")
            place = data
            for key in way:
                place = place[key]
            place[last] = value
        return data

    return edit


HOSTILE = {
    "a list": lambda _: [],
    "no info": lambda data: {k: v for k, v in data.items() if k != "info"},
    "another model": edited(num_variables=10**12),
    "a type": edited(sample_data__data_type="S1000000000"),
    "a shape": edited(sample_data__shape=[10**9, 1]),
    "bytes": edited(sample_data__use_bytes=True),
    "labels": edited(variable_labels=["a"] * 30),
    "a vector": edited(vectors__chain_break_fraction__data=[2] * 20),
    "a strength": edited(info__embedding_context__chain_strength="1"),
    "a timing": edited(info__timings=[{"qpu_access_time": -1}]),
    "no number": edited(info__chain_break_fraction=float("nan")),
    "a version": edited(version={"sampleset_schema": 3}),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_record_is_one_line(tmp_path, case):
    file = tmp_path / "answer.json"
    if not (folder := tmp_path.parent / "recorded.json").exists():
        ask(Mock(), record=str(folder))
    file.write_text(json.dumps(HOSTILE[case](json.loads(folder.read_text()))))
    with pytest.raises(ProtocolError, match=r"^the stored answer: ") as caught:
        ask("dwave", replay=str(file))
    assert "\n" not in str(caught.value)
    file.write_text("[" * 100_000)
    with pytest.raises(ProtocolError, match="the stored answer"):
        ask("dwave", replay=str(file))


def test_a_dry_run_needs_no_token(tmp_path, monkeypatch):
    monkeypatch.delenv("DWAVE_API_TOKEN")
    file = tmp_path / "dry.json"
    words = ("--dry-run", file, "--option", "topology=zephyr:3", "--option", "tries=2")
    status, out, err = run("solve", EXAMPLE, "--solver", "dwave", *words, "--reads", "1000")
    assert status == 0, err
    told = json.loads(file.read_text())
    assert (told["variables"], told["couplings"], told["reads"]) == (30, 65, 1000)
    assert told["qubits"] == sum(map(len, told["embedding"])) >= 30
    assert told["qpu_access_us"] > 100_000
    assert out.count("\n") == 1
    for figure in ("zephyr:3:", f"{told['qubits']} qubits", "chain strength 1.508", "µs"):
        assert figure in out
    assert f"{file.stat().st_size} bytes; nothing was sent" in out


# The real client.


@pytest.mark.usefixtures("kept", "quick")
def test_the_client_solves_through_the_relay(sapi, tmp_path):
    file = tmp_path / "answer.json"
    result = ask("dwave", url=f"{sapi.url}/tag/good", record=str(file), annealing_time=50)
    assert result.valid
    assert result.settings["qpu"] == NAME
    assert result.settings["qpu_topology"] == "zephyr:2"
    assert result.settings["problem_ids"][0].startswith("problem-")
    assert all(name not in result.settings for name in ("token", "reads"))
    parts = ["queue", "qpu_access", "programming", "sampling", "network", "process"]
    assert list(result.service_s) == parts
    assert result.service_s["qpu_access"] == pytest.approx(0.03)
    assert result.service_s["queue"] == pytest.approx(0.22)
    assert len({request["token"] for request in sapi.kept["good"]}) == 1
    assert [request["method"] for request in sapi.kept["good"]].count("POST") == 1
    assert not leaked(file.read_text(), TOKEN)
    (problem,) = (sapi.problems[each] for each in result.settings["problem_ids"])
    assert problem.body["params"] == {"annealing_time": 50, "num_reads": 20}
    assert ask("dwave", replay=str(file)).valid


ENDINGS = {fault: ending for fault, (_, *ending) in FAULTS.items() if ending[0]}
LATE = [fault for fault, (kind, _) in ENDINGS.items() if kind is DeadlineExceeded]
PASSING = FAULTS.keys() - ENDINGS.keys()


@pytest.mark.usefixtures("kept", "quick")
@pytest.mark.parametrize("fault", ENDINGS)
def test_faults_have_types_and_leak_nothing(sapi, fault, tmp_path, monkeypatch, capfd, caplog):
    caplog.set_level(logging.NOTSET)
    kind, words = ENDINGS[fault]
    limits = {}
    if fault in LATE:
        assert ask("dwave", url=sapi.url).valid  # so that no process has to start in this time
        limits = {"embedding_s": 0.5, "patience": 1.0}
    started = time.monotonic()
    with pytest.raises(kind, match=words) as caught:
        ask(
            "dwave",
            url=f"{sapi.url}/tag/{fault}/fault/{fault}",
            record=str(tmp_path / "answer.json"),
            **limits,
        )
    assert time.monotonic() - started < 30
    assert "\n" not in str(caught.value)
    out, err = capfd.readouterr()
    assert not leaked("\n".join([everything_of(caught.value), out, err, caplog.text]), TOKEN)
    assert [file.name for file in tmp_path.iterdir()] == ["dwave.conf"]
    posted = [request["method"] for request in sapi.kept[fault]].count("POST")
    cancelled = [request["method"] for request in sapi.kept[fault]].count("DELETE")
    assert cancelled == (fault in LATE)
    assert posted <= 1  # what the service may have taken is not sent again


@pytest.mark.usefixtures("kept", "quick")
@pytest.mark.parametrize("fault", sorted(PASSING))
def test_a_service_that_is_back_in_a_moment_is_asked_again(sapi, fault):
    assert ask("dwave", url=f"{sapi.url}/tag/{fault}/fault/{fault}").valid


@pytest.mark.usefixtures("kept", "quick")
def test_where_a_connection_fails(sapi):
    with pytest.raises(ServiceUnavailable, match=r"cannot be reached: .*Connection refused"):
        ask("dwave", url="http://127.0.0.1:9")
    with tls_front(certificate("private")[0], sapi.server_port) as front:
        with pytest.raises(ServiceUnavailable, match=r"certificate verify failed.*--option ca="):
            ask("dwave", url=f"https://localhost:{front.port}")
        assert front.log == []


@pytest.mark.usefixtures("kept", "quick")
def test_names_and_parameters_that_the_qpu_has_not(sapi):
    with pytest.raises(ServiceUnavailable, match=r"no solver of this name.*--option solver="):
        ask("dwave", url=sapi.url, solver="Advantage_system9.9")
    assert ask("dwave", url=sapi.url, solver=NAME).valid
    with pytest.raises(InputError, match=f"{NAME} has no fast_anneal; it has: annealing_time"):
        ask("dwave", url=sapi.url, fast_anneal=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"chain_strenght": "torque"}, "did you mean chain_strength"),
        ({"chain_strength": "weak"}, "expected torque or scaled"),
        ({"chain_break": "none"}, "expected majority or weighted"),
        ({"num_reads": 5}, "write reads=5, not options={'num_reads': 5}"),
        ({"annealing_time": 0}, "option annealing_time"),
        ({"token": TOKEN}, "does not belong into an option"),
        ({"url": "ftp://x"}, r"expected http\(s\)://HOST"),
        ({"record": "a.json", "replay": "b.json"}, "exclude each other"),
        ({"topology": "pegasus:99", "dry_run": "dry.json"}, "a size from 2 to 50"),
    ],
)
def test_wrong_options_are_refused(options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=words) as caught:
        ask("dwave", **options)
    assert not leaked(everything_of(caught.value), TOKEN)


def test_a_token_comes_from_a_file_the_environment_or_the_profile(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.NOTSET)
    file, none = tmp_path / "token", {"token_file": None, "url": None}
    file.write_text("of-the-file")
    conf = tmp_path / "dwave.conf"
    conf.write_text(f"[mine]\ntoken={TOKEN}\nendpoint=https://example.com/sapi\nsolver=Q\n")
    assert token_of({**none, "token_file": str(file)}).reveal() == "of-the-file"
    assert token_of(none).source == "DWAVE_API_TOKEN"
    monkeypatch.delenv("DWAVE_API_TOKEN")
    assert token_of(none).reveal() == TOKEN
    assert address_of(none) == "https://example.com/sapi"
    assert profile()["solver"] == "Q"
    conf.write_text(f"{TOKEN}\n[mine]\n")
    with pytest.raises(InputError, match="cannot read its configuration") as caught:
        token_of(none)
    assert not leaked(everything_of(caught.value) + caplog.text, TOKEN)
    conf.write_text("[mine]\nregion=eu-central-1\n")
    assert address_of(none) == "https://eu-central-1.cloud.dwavesys.com/sapi/v2"
    with pytest.raises(AuthenticationError, match="set DWAVE_API_TOKEN in the environment"):
        ask("dwave")
    conf.write_text("")
    assert address_of(none) == "https://cloud.dwavesys.com/sapi/"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_ctrl_c_leaves_nothing_running_and_the_clients_process_has_no_token(sapi):
    words = ("--solver", "dwave", "--option", f"url={sapi.url}/tag/c/fault/poll-silent")
    process = subprocess.Popen(
        [*PROGRAM, "solve", EXAMPLE, *words, "--option", "tries=1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ends = time.monotonic() + 30
    while not any("?id=" in request["path"] for request in sapi.kept["c"]):
        assert time.monotonic() < ends
        time.sleep(0.02)
    others = descendants(process.pid)
    assert len(others) == 2  # the client, and the search for embeddings
    for other in others:
        for name in ("cmdline", "environ"):
            assert not leaked(Path(f"/proc/{other}/{name}").read_text(), TOKEN)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 1, err
    assert "interrupted" in out
    assert sapi.kept["c"][-1]["method"] == "DELETE"
    assert json.loads(sapi.kept["c"][-1]["raw"]) == [*sapi.problems][-1:]
    assert not leaked(out + err, TOKEN)
    wait_until(lambda: not any(Path(f"/proc/{other}").exists() for other in others))


def wait_until(condition):
    ends = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_parameters_are_those_of_the_mocks_qpu():
    own = set(MockDWaveSampler().parameters) - {"num_reads", "annealing_time", "warnings"}
    assert own <= set(DWaveSolver.parameters)
