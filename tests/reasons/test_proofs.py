"""Proofs by propagation: a solver confirms each, and none has a link or a mark too many."""

from itertools import islice

import numpy as np
import pytest

from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.reasons.board import Board, together
from qubopuzzle.reasons.chains import Lemma, followed, links_in
from qubopuzzle.reasons.deduction import Deduction
from qubopuzzle.reasons.proofs import Prover
from qubopuzzle.reasons.words import Words


@pytest.fixture(params=puzzle_names())
def scene(request):
    """A board of which half is known, its oracle, and the values of the open cells."""
    puzzle = get_puzzle(request.param).examples()[0]
    order = np.random.default_rng(1).permutation(puzzle.cells)
    solution, columns = puzzle.solution, puzzle.shape[1]
    places = [(int(c) // columns, int(c) % columns) for c in order[: puzzle.cells // 2]]
    board = Board(puzzle, {place: int(solution[place]) for place in places})
    left = {
        int(cell): int(solution.flat[cell])
        for cell in order
        if int(cell) not in board.known and int(cell) not in board.closed
    }
    with Oracle(board.stated) as oracle:
        yield board, oracle, left


def variable(oracle, board, cell, value):
    (place,) = np.flatnonzero(board.values == value)
    return oracle.variable(int(board.literals[cell, place]))


def follows(board, oracle, left, proof):
    """Whether a solver says so: each cell that is proved has its value in every answer."""
    assert left[proof.cell] == proof.value
    marks = [variable(oracle, board, mark, board.known[mark]) for mark in proof.marks]
    opposite = -variable(oracle, board, proof.cell, proof.value)
    return oracle.solve(proof.statements, [*marks, opposite]) is None


def is_end(board, proof, alive):
    """Whether a contradiction is reached, or the value."""
    if proof.is_opposite:
        return alive is None
    return alive is not None and board.decided(alive, [proof.cell]) == {proof.cell: proof.value}


def reaches(board, deduction, proof, links, marks):
    gone = board.gone_by(marks)
    if proof.is_opposite:
        gone = np.append(gone, board.of(proof.cell, proof.value))
    return is_end(board, proof, deduction.alive(together(link.constraints for link in links), gone))


def test_a_proof_needs_each_of_its_links_and_marks(scene):
    board, oracle, left = scene
    deduction = Deduction(board.stated)
    prover = Prover(board, deduction)
    at_one = [prover.at_one_cell(left)]
    proofs = [*islice(prover.every(left), 6), *filter(None, at_one)]
    for proof in proofs:
        assert follows(board, oracle, left, proof)
        links = {id(link): link for link in links_in(proof.path)}
        assert reaches(board, deduction, proof, links.values(), proof.marks)
        for number in links:
            others = [links[other] for other in links if other != number]
            assert not reaches(board, deduction, proof, others, proof.marks)
        for mark in proof.marks:
            others = [other for other in proof.marks if other != mark]
            assert not reaches(board, deduction, proof, links.values(), others)
        states = [state for _, state in followed(deduction, proof.path, proof.alive)]
        assert [is_end(board, proof, state) for state in states] == [False] * (len(states) - 1) + [
            True
        ]
        for line in Words(board, deduction).lines(proof):
            assert not line.endswith((":", " "))
    assert proofs


def test_each_lemma_is_a_proof_and_what_they_leave_is_a_contradiction(scene):
    board, oracle, left = scene
    deduction = Deduction(board.stated)
    prover = Prover(board, deduction)
    for cell, value in islice(left.items(), 6):
        proof = prover.by_lemmas(prover.links, cell, value)
        if proof is None:
            continue
        assert follows(board, oracle, left, proof)
        marks = [variable(oracle, board, mark, board.known[mark]) for mark in proof.marks]
        so_far = [*marks, -variable(oracle, board, cell, value)]
        *steps, (_, last) = followed(deduction, proof.path, proof.alive)
        assert last is None
        lemmas = [step for step, _ in steps if isinstance(step, Lemma)]
        assert lemmas
        for lemma in lemmas:
            *_, (_, last) = followed(deduction, lemma.path, lemma.alive)
            assert last is None
            one = variable(oracle, board, lemma.cell, lemma.value)
            assert oracle.solve(proof.statements, [*so_far, one]) is None
            so_far.append(-one)
        assert oracle.solve(proof.statements, so_far) is None


def test_propagation_goes_on_from_what_the_same_constraints_left(scene):
    board, _, left = scene
    deduction = Deduction(board.stated)
    links = Prover(board, deduction).links
    gone = board.gone_by(board.known)
    for some in (links, links[::2]):
        constraints = together(link.constraints for link in some)
        start = deduction.alive(constraints, gone)
        for cell, value in left.items():
            opposite = board.of(cell, value)
            expected = deduction.alive(constraints, np.append(gone, opposite))
            reached = deduction.alive(constraints, opposite, start)
            assert (expected is None) == (reached is None)
            assert expected is None or (expected == reached).all()
        so_far = board.of(*next(iter(left.items())))
        tried = [board.without(cell, value) for cell, value in left.items()]
        tried += [board.of(cell, value) for cell, value in left.items()]
        several = [np.append(so_far, each) for each in tried]
        expected = [deduction.alive(constraints, each, start) is None for each in several]
        assert deduction.refuted(constraints, so_far, tried, start).tolist() == expected


def test_what_takes_part_in_a_contradiction_is_enough_for_it(scene):
    board, _, left = scene
    deduction = Deduction(board.stated)
    constraints = together(link.constraints for link in Prover(board, deduction).links)
    nothing = np.zeros(0, dtype=np.int64)
    start = deduction.alive(constraints, board.gone_by(board.known))
    for cell, value in left.items():
        opposite = board.of(cell, value)
        if deduction.alive(constraints, opposite, start) is None:
            gone, wanted = np.append(board.gone_by(board.known), opposite), nothing
        elif not start[others := board.without(cell, value)].any():
            gone, wanted = board.gone_by(board.known), others
        else:
            continue
        in_force, literals = deduction.traced(constraints, gone, wanted)
        some = constraints[in_force[constraints]], gone[literals[gone]]
        reached = deduction.alive(*some)
        assert reached is None if wanted is nothing else not reached[wanted].any()
