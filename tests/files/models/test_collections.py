"""Formats of public collections: small files by hand, whose optima are counted without a model."""

import bz2
from itertools import combinations, permutations, product

import numpy as np
import pytest

from qubopuzzle import InputError, load, load_model, solve
from qubopuzzle.errors import TooLarge
from qubopuzzle.files.models import READERS, graphs, qaplib, reader_for

PETERSEN = [*((i, (i + 1) % 5) for i in range(5)), *((i, i + 5) for i in range(5))]
PETERSEN += [(5 + i, 5 + (i + 2) % 5) for i in range(5)]


def best(program):
    """The best objective of values that meet all rows, by trying all."""
    choices = [range(low, high + 1) for low, high in zip(program.lower, program.upper, strict=True)]
    values = np.array([*product(*choices)])
    at_rows = values @ program.matrix.toarray().T
    met = ((at_rows >= program.row_lower) & (at_rows <= program.row_upper)).all(axis=1)
    objectives = [program.objective_of(v) for v in values[met]]
    return max(objectives) if program.maximize else min(objectives)


def dimacs(edges, n):
    lines = ["c a graph", f"p edge {n} {len(edges)}", *(f"e {i + 1} {j + 1}" for i, j in edges)]
    return "\n".join(lines) + "\n"


def read(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return load_model(path)


def test_the_suffix_says_the_format():
    names = ["gph", "clq", "col", "qs", "mc", "dat"]
    found = [reader_for(f"a.{name}.xz").name for name in names]
    assert found == ["gph", "clq", "col", "qs", "maxcut", "qaplib"]
    assert reader_for("gap1.txt") is None
    assert reader_for("gap1.txt", "gap-max") is READERS["gap-max"]


# --- graphs ------------------------------------------------------------------------------


def test_an_independent_set_and_a_clique_are_those_of_the_graph(tmp_path):
    edges = {frozenset(edge) for edge in PETERSEN}
    sets = [s for k in range(11) for s in combinations(range(10), k)]
    free = max(len(s) for s in sets if not any(edges & {frozenset(p)} for p in combinations(s, 2)))
    full = max(len(s) for s in sets if all(frozenset(p) in edges for p in combinations(s, 2)))
    independent = read(tmp_path, "petersen.gph", dimacs(PETERSEN, 10))
    clique = read(tmp_path, "petersen.clq", dimacs(PETERSEN, 10))
    assert (best(independent), best(clique)) == (free, full) == (4, 2)
    assert (len(independent.rows), len(clique.rows)) == (15, 30)
    assert independent.variables == tuple(map(str, range(1, 11)))
    assert (independent.maximize, independent.id) == (True, "petersen")


@pytest.mark.parametrize(
    ("edges", "n"), [([(0, 1), (1, 2), (0, 2)], 4), ([(0, 1), (1, 2), (2, 3)], 4), ([], 2)]
)
def test_a_colouring_takes_as_few_colours_as_there_must_be(tmp_path, edges, n):
    fewest = min(
        len(set(c)) for c in product(range(n), repeat=n) if all(c[i] != c[j] for i, j in edges)
    )
    assert best(read(tmp_path, "a.col", dimacs(edges, n))) == fewest


def test_a_colouring_of_the_petersen_graph_takes_three(tmp_path):
    program = read(tmp_path, "petersen.col", dimacs(PETERSEN, 10))
    result = solve(program, "sat", seed=1)
    assert (result.valid, result.objective) == (True, 3)
    values = result.best.values
    colour = {v: next(c for c in "123" if values[f"{v}:{c}"]) for v in range(1, 11)}
    assert all(colour[i + 1] != colour[j + 1] for i, j in PETERSEN)


def test_greedy_colours_are_a_colouring():
    rng = np.random.default_rng(1)
    pairs = np.array([p for p in combinations(range(40), 2) if rng.random() < 0.3])
    colour = graphs.greedy_colours(graphs.Graph(40, pairs))
    assert (colour[pairs[:, 0]] != colour[pairs[:, 1]]).all()
    assert set(colour) == set(range(colour.max() + 1))


def test_edges_in_both_directions_are_one(tmp_path):
    both = [*PETERSEN, *((j, i) for i, j in PETERSEN), (3, 3)]
    program = read(tmp_path, "a.gph", dimacs(both, 10))
    assert len(program.rows) == 15
    halved = dimacs(both, 10).replace("p edge 10 31", "p col 10 15")
    assert len(read(tmp_path, "a.gph", halved).rows) == 15


def test_a_graph_with_too_many_rows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(graphs, "MOST_ROWS", 20)
    with pytest.raises(TooLarge, match=r"a.clq: 30 rows, more than 20: take a smaller graph"):
        read(tmp_path, "a.clq", dimacs(PETERSEN, 10))
    with pytest.raises(TooLarge, match=r"a.col: 45 rows"):
        read(tmp_path, "a.col", dimacs(PETERSEN, 10))


# --- lists of coefficients ---------------------------------------------------------------


def test_a_cut_is_the_weight_between_the_sides(tmp_path):
    edges = {(1, 2): 3.0, (2, 3): -2.0, (1, 3): 1.5, (3, 4): 2.0}
    lines = "\n".join(f"{i} {j} {w}" for (i, j), w in edges.items())
    program = read(tmp_path, "a.mc", f"# rudy\n4 5\n{lines}\n2 2 7\n")
    most = max(
        sum(w for (i, j), w in edges.items() if side[i - 1] != side[j - 1])
        for side in product((0, 1), repeat=4)
    )
    assert best(program) == most == 6.5
    assert (program.maximize, len(program.rows)) == (True, 0)


def test_couplings_of_qs_count_twice_and_the_offset_once(tmp_path):
    text = "# ObjectiveOffset 10\n# Vars Non-zeros\n3 4\n1 1 -5\n2 2 3\n1 2 1.5\n2 3 -2\n"
    program = read(tmp_path, "a.qs", text)
    matrix = np.array([[-5, 1.5, 0], [1.5, 3, -2], [0, -2, 0]])
    values = [10 + v @ matrix @ v for v in np.array([*product((0, 1), repeat=3)])]
    assert best(program) == min(values)
    assert not program.maximize


# --- numbers -----------------------------------------------------------------------------


def test_quadratic_assignment_is_over_permutations(tmp_path):
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 9, (2, 3, 3))
    text = "\n\n".join(["3", *("\n".join(" ".join(map(str, row)) for row in m) for m in (a, b))])
    program = read(tmp_path, "tiny3.dat", text)
    least = min(
        sum(a[i, j] * b[p[i], p[j]] for i in range(3) for j in range(3))
        for p in permutations(range(3))
    )
    assert best(program) == least
    assert (program.variables[1], len(program.rows)) == ("1:2", 6)


def test_assignments_keep_capacities(tmp_path):
    text = "2\n2 3\n5 3 4\n2 6 1\n2 2 2\n3 1 2\n4 3\n1 1\n7\n1\n2\n"
    cost = np.array([[5, 3, 4], [2, 6, 1]])
    needs, capacity = np.array([[2, 2, 2], [3, 1, 2]]), (4, 3)
    totals = [
        sum(cost[agent, job] for job, agent in enumerate(to))
        for to in product((0, 1), repeat=3)
        if all(
            sum(needs[i, j] for j, agent in enumerate(to) if agent == i) <= capacity[i]
            for i in (0, 1)
        )
    ]
    path = tmp_path / "gap.txt"
    path.write_text(text)
    least, single = load(path, format="gap")
    most = load_model(f"{path}#1", "gap-max")
    assert (best(least), best(most)) == (min(totals), max(totals))
    assert (least.id, single.id, most.id, best(single)) == ("gap#1", "gap#2", "gap#1", 7)


def test_a_cover_has_every_element(tmp_path):
    path = tmp_path / "scp.txt"
    path.write_text("3 4\n3 2 2 4\n2\n1 4\n2\n1 2\n3\n2 3 4\n")
    covers = [{0, 1}, {1, 2}, {2}, {0, 2}]
    cost = (3, 2, 2, 4)
    least = min(
        sum(cost[j] for j in s)
        for k in range(5)
        for s in combinations(range(4), k)
        if set().union(*(covers[j] for j in s)) == {0, 1, 2}
    )
    assert best(load_model(path, "scp")) == least == 5


def test_knapsacks_with_several_rows(tmp_path):
    path = tmp_path / "mknapcb0.txt.bz2"
    path.write_bytes(bz2.compress(b"1\n4 2 0\n5 4 3 2.5\n2 3 1 1\n1 1 4 2\n4 5\n"))
    weight, profit = np.array([[2, 3, 1, 1], [1, 1, 4, 2]]), np.array([5, 4, 3, 2.5])
    packs = np.array([*product((0, 1), repeat=4)])
    fit = (packs @ weight.T <= (4, 5)).all(axis=1)
    program = load_model(path, "mknap")
    assert best(program) == (packs[fit] @ profit).max()
    assert program.id == "mknapcb0"


@pytest.mark.parametrize("known", ["", "99\n"])
def test_a_quadratic_knapsack_has_joint_profits(tmp_path, known):
    path = tmp_path / "jeu.txt"
    path.write_text(f"jeu_3 \n3\n4 1 2\n5 0\n-3\n\n{known}0\n4\n2 2 3\n")
    joint, weight = np.array([[4, 5, 0], [0, 1, -3], [0, 0, 2]]), np.array([2, 2, 3])
    packs = np.array([*product((0, 1), repeat=3)])
    values = [v @ joint @ v for v in packs if v @ weight <= 4]
    program = load_model(path, "qkp")
    assert best(program) == max(values) == 10
    assert program.id == "jeu_3"


# --- what is wrong -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("gph", "p edge 3 3\ne 1 2\n", "line p says 3 edges, there are 1: is it whole?"),
        ("gph", "e 1 2\n", "line 1: expected p edge n m, got e 1 2"),
        ("clq", "p col 3 1\ne 1 4\n", "line 2: expected a whole number from 1 to 3, got 4"),
        ("col", "c nothing\n", "it breaks off: expected p edge n m"),
        ("col", "p edge 2 1\nedge 1 2\n", "line 2: expected e i j, got edge 1 2"),
        ("gph", "p edge 99999999999 1\n", "line 1: expected a whole number from 1 to 1,000,000"),
        ("maxcut", "2 2\n1 2 1\n", "1 lines too few"),
        ("maxcut", "2 1\n1 2 x\n", "line 2: expected a number, got x"),
        ("qs", "# ObjectiveOffset nan\n1 0\n", "line 1: expected a number, got nan"),
        ("qs", "\n1 1 1\n", "line 2: expected n m, got 1 1 1"),
        (
            "qaplib",
            "2\n1 2 3 4\n1 2 3\n",
            "line 3: it breaks off: 1 more numbers are due (matrix B",
        ),
        ("qaplib", "2\n1 2 3 4\n1 2 3 4 5\n", "line 3: expected the end, got 5"),
        ("qaplib", "2000\n", "line 1: expected a whole number from 1 to 1,000, got 2000"),
        (
            "gap",
            "1\n2 2\n1 2 3 4\n1 2 3 4\n5\n",
            "1 more numbers are due (capacities); is it whole",
        ),
        ("gap", "1\n999999 999999\n1\n", "more numbers are due (costs)"),
        ("scp", "1 2\n1 1\n1\n3\n", "line 4: expected a whole number from 1 to 2, got 3"),
        ("scp", "1 2\n1 1\n0\n", "line 3: expected a whole number from 1 to 2, got 0"),
        ("mknap", "1\n2 1 0\n1 2\n1 inf\n1\n", "line 4: expected a number, got inf"),
        ("mknap", "0\n", "line 1: expected a whole number from 1 to 1,000,000, got 0"),
        (
            "qkp",
            "jeu\n2\n1 2\n3\n0\n5\n1\n",
            "line 7: it breaks off: 1 more numbers are due (weights",
        ),
        ("qkp", "jeu\n2\n1 2\n3\n9\n8\n5\n1 1\n", "line 6: expected a whole number from 0 to 0"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place(tmp_path, name, text, what):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load(path, format=name)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert what in message
    assert "\n" not in message


@pytest.mark.parametrize("name", sorted({"gph", "col", "qs", "maxcut", "qaplib", "gap", "qkp"}))
@pytest.mark.parametrize(("data", "what"), [(b"", "it is empty"), (b"\xff\xfe1", "is no UTF-8")])
def test_what_is_empty_or_no_text_is_one_line(tmp_path, name, data, what):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(InputError, match=what):
        load(path, format=name)


def test_products_beyond_memory_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(qaplib, "MOST_PRODUCTS", 15)
    with pytest.raises(TooLarge, match="16 products in the objective, more than 15"):
        read(tmp_path, "a.dat", "2\n1 2 3 4\n1 2 3 4\n")


@pytest.mark.parametrize(
    ("part", "what"),
    [("#3", "it holds 2 models, numbered from 1"), ("#0", "numbered from 1"), ("", "it holds 2")],
)
def test_one_of_several_models_is_to_be_named(tmp_path, part, what):
    path = tmp_path / "gap.txt"
    path.write_text("2\n1 1\n7\n1\n2\n1 1\n7\n1\n2\n")
    with pytest.raises(InputError, match=what):
        load_model(f"{path}{part}", "gap")


def test_a_file_may_have_a_number_in_its_name(tmp_path):
    (tmp_path / "a.gph#2").write_text(dimacs(PETERSEN, 10))
    assert len(load(tmp_path / "a.gph#2", format="gph")) == 1
