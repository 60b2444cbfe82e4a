"""Embeddings: graphs of quantum annealers, bounds, searches that end, and the command."""

import json
import time
from itertools import combinations

import dimod
import numpy as np
import pytest

from command import run
from qubopuzzle import Heyawake, InputError, ModelBuilder, Nonogram, embed, to_bqm
from qubopuzzle.errors import SolverUnavailable

dwave_system = pytest.importorskip("dwave.system", reason="pip install 'qubopuzzle[dwave]'")
nx = pytest.importorskip("networkx")

from dwave.embedding import verify_embedding  # noqa: E402

from qubopuzzle.embedding import (  # noqa: E402
    Embedding,
    Hardware,
    clique_embedding,
    find_embedding,
    graph_of,
    hardware,
    least_qubits,
    search,
)
from qubopuzzle.solving.embed import embed_each  # noqa: E402

A, PICTURE = Nonogram.examples()[:2]


@pytest.fixture(scope="module")
def zephyr():
    return Hardware.of("zephyr:4")


# --- graphs ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "qubits", "couplers", "degree"),
    [
        ("chimera:16", 2048, 6016, 6),
        ("pegasus:16", 5640, 40484, 15),
        ("zephyr:12", 4800, 45864, 20),
    ],
)
def test_the_ideal_graphs_are_those_of_the_machines(name, qubits, couplers, degree):
    """Numbers of D-Wave's documentation."""
    graph = Hardware.of(name).graph
    assert (len(graph), graph.number_of_edges()) == (qubits, couplers)
    assert max(d for _, d in graph.degree) == degree


@pytest.mark.parametrize("n", range(2, 12))
def test_cliques_of_every_size_are_found_on_zephyr(n, zephyr):
    """minorminer never ends for some of them."""
    found = clique_embedding(n, zephyr)
    found.check(combinations(range(n), 2), zephyr.graph)


def test_dead_qubits_and_couplers_are_drawn_by_the_seed():
    ideal, first, again, other = (
        Hardware.of("chimera:8", working, seed).graph
        for working, seed in ((1, 0), (0.9, 1), (0.9, 1), (0.9, 2))
    )
    assert set(first) < set(ideal)
    assert set(first.edges) < set(ideal.edges)
    assert len(first) == round(0.9 * len(ideal))
    alive = ideal.subgraph(first).number_of_edges()
    assert first.number_of_edges() == alive - round(0.1 * alive)
    assert nx.utils.graphs_equal(first, again)
    assert set(first) != set(other)
    assert len(ideal) == 512  # not changed


def properties(**changes):
    ideal = Hardware.of("zephyr:2").graph
    own = {
        "topology": {"type": "zephyr", "shape": [2, 4]},
        "qubits": sorted(ideal)[1:],
        "couplers": [[u, v] for u, v in ideal.edges if u and v],
    }
    return {**own, **changes}


def test_the_properties_of_a_qpu_are_read(tmp_path):
    file = tmp_path / "qpu.json"
    file.write_text(json.dumps(properties()))
    found = Hardware.of(str(file))
    assert found.graph.graph["family"] == "zephyr"
    assert 0 not in found.graph
    assert len(found.graph) == 159
    assert clique_embedding(8, found) is not None
    file.write_text(json.dumps(properties(topology=None)))
    unknown = Hardware.of(str(file))
    assert nx.utils.graphs_equal(nx.Graph(unknown.graph.edges), nx.Graph(found.graph.edges))
    assert clique_embedding(2, unknown) is None


def test_couplers_are_read_a_line_each(tmp_path):
    file = tmp_path / "ring.txt"
    file.write_text("# a ring\n0 1\n1 2  # of\n\n2 3\n3 0\n")
    assert sorted(Hardware.of(str(file)).graph.edges) == [(0, 1), (0, 3), (1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0 1\n1\n", "line 2: expected two qubits' numbers, got '1'"),
        ("0 0\n", "line 1: expected two"),
        ("0 -1\n", "line 1: expected two"),
        ("# nothing\n", "it names no coupler"),
        ("{", "it begins like JSON and is none"),
        (json.dumps(properties(qubits="all")), "qubits: expected a list of qubits' numbers"),
        (json.dumps(properties(qubits=[])), "qubits: expected"),
        (json.dumps(properties(qubits=[0.5])), "qubits: expected"),
        (json.dumps(properties(qubits=[10**9])), "qubits: expected numbers from 0 to 999,999"),
        (json.dumps(properties(couplers=[[0, 1, 2]])), "couplers: expected a list of pairs"),
        (json.dumps(properties(couplers=[[1, 1]])), "couplers: 1 and 1 are not two of the qubits"),
        (json.dumps(properties(couplers=[[0, 1]])), "couplers: 0 and 1 are not two of the qubits"),
        (
            json.dumps(properties(topology={"type": "zephyr", "shape": "x"})),
            "topology: .* does not hold these qubits",
        ),
        (b"\xff\xfe\x00", "it is no text"),
    ],
)
def test_files_that_are_no_graph_are_one_line(tmp_path, content, message):
    file = tmp_path / "graph"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message) as found:
        Hardware.of(str(file))
    assert str(found.value).startswith(str(file))
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("zephyr:0",), "topology zephyr: expected a size from 1 to 50, got '0'"),
        (("zephyr:9999",), "expected a size"),
        (("zephyr:",), "expected a size"),
        (("pegasus:1",), "expected a size from 2"),
        (("zefyr:12",), "did you mean zephyr"),
        (("pegasus",), "expected pegasus:N, .*; such as zephyr:12"),
        (("no such file",), "expected pegasus:N, zephyr:N, chimera:N or a file"),
        (("zephyr:2", 0.0), "yield: expected a number above 0 and up to 1, got 0.0"),
        (("zephyr:2", 1.5), "yield: expected"),
        (("zephyr:2", float("nan")), "yield: expected"),
        (("zephyr:2", 0.5, -1), "seed: expected"),
    ],
)
def test_graphs_that_there_are_not_are_one_line(arguments, message):
    with pytest.raises(InputError, match=message):
        Hardware.of(*arguments)


def test_a_missing_package_is_one_line(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(hardware, "import_module", missing)
    with pytest.raises(SolverUnavailable, match=r"pip install 'qubopuzzle\[dwave\]'"):
        Hardware.of("zephyr:2")


# --- searches --------------------------------------------------------------------------


def test_embeddings_are_embeddings_by_two_checks(zephyr):
    """Ours, and D-Wave's own."""
    for puzzle, encoding in ((A, "one-hot"), (A, "domain-wall"), (PICTURE, "domain-wall")):
        bqm = to_bqm(puzzle, formulation="window", encoding=encoding)
        n, pairs = graph_of(bqm)
        found = find_embedding(bqm, zephyr, tries=2, seed=1)
        clique = clique_embedding(n, zephyr)
        least = least_qubits(np.bincount(pairs.ravel(), minlength=n), zephyr)
        assert len(found.embeddings) == found.tries == 2
        for own in (*found.embeddings, *filter(None, [clique])):
            own.check(pairs.tolist(), zephyr.graph)
            assert verify_embedding(dict(enumerate(own.chains)), pairs.tolist(), zephyr.graph)
            assert least <= own.qubits
        assert found.best.longest == min(each.longest for each in found.embeddings)


@pytest.mark.parametrize(
    ("chains", "message"),
    [
        (((0,), (0,)), "a qubit twice"),
        (((0,), (99,)), "does not work"),
        (((0, 2), (4,)), "chain of variable 0 is not connected"),
        (((0,), ()), "chain of variable 1 is not connected"),
        (((0,), (1,)), "no coupler between variables 0 and 1"),
    ],
)
def test_what_is_no_embedding_is_refused(chains, message):
    """In a chimera cell, 0 to 3 are joined to 4 to 7."""
    with pytest.raises(InputError, match=message):
        Embedding(chains).check([(0, 1)], Hardware.of("chimera:1").graph)


def test_the_same_seed_finds_the_same_embedding(zephyr):
    bqm = to_bqm(A, formulation="window", encoding="domain-wall")
    first, again, other = (find_embedding(bqm, zephyr, tries=2, seed=s) for s in (3, 3, 4))
    assert [each.chains for each in first.embeddings] == [each.chains for each in again.embeddings]
    assert first.best.chains != other.best.chains


def test_the_picture_fits_on_a_hundred_qubits():
    bqm = to_bqm(PICTURE, formulation="window", encoding="domain-wall")
    assert bqm.num_variables == 69
    best = find_embedding(bqm, Hardware.of("zephyr:12"), tries=5, seed=1).best
    assert best.qubits <= 100
    assert best.longest <= 3


def test_the_bound_holds_for_every_small_embedding():
    """A star: its centre takes a chain that has enough couplers left for its leaves."""
    cell = Hardware.of("chimera:2")  # of degree 5
    for leaves in range(2, 11):
        star = dimod.BQM({}, {(0, v): 1 for v in range(1, leaves + 1)}, "BINARY")
        degrees = np.array([leaves] + [1] * leaves)
        best = find_embedding(star, cell, tries=5, seed=0).best
        assert least_qubits(degrees, cell) <= best.qubits
    assert least_qubits(np.array([5, 6, 8, 9]), cell) == 1 + 2 + 2 + 3


def test_what_cannot_fit_is_not_searched():
    cell = Hardware.of("chimera:1")
    large = dimod.BQM(dict.fromkeys(range(9), 1), {}, "BINARY")
    assert find_embedding(large, cell).impossible == "takes 9 qubits at least, there are 8"
    many = dimod.BQM({}, {(u, v): 1 for u in range(7) for v in range(u)}, "BINARY")
    found = find_embedding(many, cell)
    assert found.impossible == "takes 14 qubits at least, there are 8"
    assert (found.best, found.tries) == (None, 0)


def test_variables_without_couplings_have_a_qubit_each():
    found = find_embedding(
        dimod.BQM(dict.fromkeys(range(8), 1), {}, "BINARY"), Hardware.of("chimera:1")
    )
    assert sorted(found.best.chains) == [(v,) for v in range(8)]
    nothing = find_embedding(dimod.BQM("BINARY"), Hardware.of("chimera:1"))
    assert (nothing.best.qubits, nothing.tries) == (0, 1)


def test_a_search_ends_at_its_limit_and_keeps_what_it_found(zephyr):
    """Amid a try, which minorminer would go on with."""
    bqm = to_bqm(PICTURE, formulation="numbering", encoding="one-hot")
    find_embedding(dimod.BQM({}, {(0, 1): 1}, "BINARY"), zephyr)  # the process is there
    started = time.perf_counter()
    found = find_embedding(bqm, Hardware.of("zephyr:12"), tries=3, seed=1, time_limit=0.5)
    assert (found.best, found.tries) == (None, 1)
    assert time.perf_counter() - started < 10
    small = to_bqm(A, formulation="window", encoding="domain-wall")
    found = find_embedding(small, zephyr, tries=10_000, seed=1, time_limit=1.0)
    assert 1 < found.tries < 10_000
    assert len(found.embeddings) >= found.tries - 1


def test_ctrl_c_ends_the_process(zephyr, monkeypatch):
    borrowed = []

    class Pressed(type(search._workers)):
        def borrow(self, *arguments):
            context = super().borrow(*arguments)

            class Told:
                def __enter__(self):
                    worker = context.__enter__()
                    borrowed.append(worker)
                    call = worker.call
                    worker.call = lambda f, *a, **k: call(f, *a) if not k else interrupted(worker)
                    return worker

                def __exit__(self, *how):
                    return context.__exit__(*how)

            return Told()

    def interrupted(worker):
        future = worker.submit(time.sleep, 60)
        assert not future.done()
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "_workers", Pressed())
    with pytest.raises(KeyboardInterrupt):
        find_embedding(to_bqm(A), zephyr)
    assert borrowed[0]._process.poll() is not None


# --- forms, and the command ------------------------------------------------------------


def test_every_form_of_a_puzzle_is_searched(zephyr):
    forms = embed(A, zephyr, tries=1, seed=1)
    names = [(form.formulation, form.encoding) for form in forms]
    assert names == [(f, e) for f in A.formulations for e in ("one-hot", "domain-wall")]
    for form in forms:
        bqm = to_bqm(A, formulation=form.formulation, encoding=form.encoding)
        assert form.variables == tuple(bqm.variables)
        assert (form.couplings, form.degree) == (bqm.num_interactions, max(bqm.degrees().values()))
        assert verify_embedding(form.chains, bqm.quadratic, zephyr.graph)
        assert form.least_qubits <= form.best.qubits
        assert form.clique is None or form.best.qubits <= form.clique.qubits
        assert json.loads(json.dumps(form.to_dict()))["found"][0]["qubits"] == form.best.qubits


def test_forms_without_a_qubo_say_why_and_presolving_counts(zephyr):
    board = Heyawake.examples()[0]
    refused = {form.formulation: form.refused for form in embed(board, "chimera:1", tries=1)}
    assert "no form for connectivity" in refused["lazy"]
    decided = embed(A, zephyr, presolve="probe", formulation="window", encoding="one-hot")
    assert (decided[0].variables, decided[0].best.qubits) == ((), 0)


def test_models_of_ones_own_have_forms_too(zephyr):
    b = ModelBuilder()
    choices = [b.choice(f"c{i}", range(4)) for i in range(3)]
    b.precedence("order", choices[:-1], choices[1:], [1, 1])
    forms = embed(b.build(), zephyr, tries=1, seed=1)
    assert all(form.best for form in forms)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"formulation": "windows"}, "did you mean window"),
        ({"encoding": "walls"}, "unknown encoding"),
        ({"presolve": "much"}, "unknown presolve"),
        ({"tries": 0}, "tries: expected a whole number from 1"),
        ({"time_limit": 0}, "time limit: expected a positive number of seconds"),
        ({"seed": -1}, "seed: expected"),
        ({"topology": "ring:3"}, "topology 'ring:3'"),
    ],
)
def test_what_cannot_be_asked_for_is_one_line(more, message):
    with pytest.raises(InputError, match=message):
        embed(A, **{"topology": "chimera:2", **more})


SMALL = ("--topology", "zephyr:4", "--formulation", "window", "--seed", "1", "--tries", "2")


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    file = tmp_path_factory.mktemp("embed") / "a.json"
    file.write_text(json.dumps(A.to_dict()))
    return file


def test_the_command_prints_a_row_a_form_and_draws_the_best(board, tmp_path):
    image = tmp_path / "chains.png"
    status, out, err = run("embed", board, *SMALL, "--yield", "0.98", "--plot", image)
    assert (status, err) == (0, "")
    head, name, columns, *rows = filter(None, out.splitlines())
    assert head.startswith("zephyr:4: 564 qubits of degree up to 20")
    assert head.endswith("seed 1")
    assert name.startswith("picross-a: nonogram")
    assert columns.split()[:2] == ["formulation", "encoding"]
    assert [row.split()[:3] for row in rows] == [
        ["window", "one-hot", "44"],
        ["window", "domain-wall", "30"],
    ]
    assert image.read_bytes().startswith(b"\x89PNG")


def test_the_command_says_if_nothing_fits(board, tmp_path):
    image = tmp_path / "chains.svg"
    status, out, err = run(
        "embed", board, "--topology", "chimera:1", "--formulation", "window", "--plot", image
    )
    assert status == 1
    assert "window, one-hot: it takes" in out
    assert err == f"qubopuzzle: {image}: not drawn: nothing fits\n"
    assert not image.exists()


def test_ctrl_c_keeps_the_forms_that_are_done(board, monkeypatch):
    def interrupted(*arguments, **more):
        yield next(embed_each(*arguments, **more))
        raise KeyboardInterrupt

    monkeypatch.setattr("qubopuzzle.solving.embed.embed_each", interrupted)
    status, out, err = run("embed", board, *SMALL)
    assert (status, err) == (1, "qubopuzzle: interrupted\n")
    assert out.splitlines()[-1].split()[:2] == ["window", "one-hot"]


def test_json_has_chains_for_other_tools(board):
    status, out, _ = run("embed", board, *SMALL, "--encoding", "domain-wall", "--json")
    assert status == 0
    found = json.loads(out)
    assert (found["topology"], found["seed"]) == ("zephyr:4", 1)
    (form,) = found["forms"]
    bqm = to_bqm(A, formulation="window", encoding="domain-wall")
    assert verify_embedding(form["chains"], bqm.quadratic, Hardware.of("zephyr:4").graph)


@pytest.mark.parametrize(
    "words",
    [
        ("--topology", "ring:4"),
        ("--yield", "0"),
        ("--seed", "-1"),
        ("--tries", "0"),
        ("--time-limit", "-1"),
        ("--plot", "chains.txt"),
        ("--weight", "order=0"),
    ],
)
def test_bad_arguments_are_one_line(board, words):
    status, out, err = run("embed", board, *SMALL, *words)
    assert (status, err.count("\n")) == (2, 1)
    assert "none" not in out
