"""Answers that are almost right: one for each rule of each puzzle, which breaks it alone."""

import json
from pathlib import Path

import numpy as np
import pytest

from boards import NAMES
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.model import violation
from qubopuzzle.puzzles import get_puzzle
from qubopuzzle.testing.puzzles import models

FOLDER = Path(__file__).parent / "almost"
IMPLIED = {
    "lits": {"room"},
    "numberlink": {"connection"},
    "slitherlink": {"corner"},
    "tents": {"tree"},
    "yinyang": {"border", "corner"},
}
"""Rules that are never broken alone: a room without four shaded cells has no piece; a path has
both of its cells in every answer that can be written down; areas that meet at a corner only are cut
apart, inside or outside, as are colours that take turns along the border; a tent on a tree touches
the tree's own."""


def almost(name):
    """Boards, the only rule that is broken, and the answer."""
    kind = get_puzzle(name)
    for line in (FOLDER / f"{name}.jsonl").read_text().splitlines():
        data = json.loads(line)
        breaks, given = data.pop("breaks"), data.pop("answer")
        board = kind.from_dict(data)
        yield board, breaks, board.parse_answer(given)


@pytest.mark.parametrize("name", NAMES)
def test_every_model_and_the_check_refuse_what_breaks_one_rule(name):
    for board, breaks, answer in almost(name):
        assert {broken.rule for broken in board.violations(answer)} == {breaks}
        for formulation, model in models(board):
            try:
                x = model.assignment(model.field.write(answer))
            except (QubopuzzleError, ValueError):  # no choice has it
                continue
            assert violation(model, x) > 0 or model.omitted, (formulation, breaks)


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_there(name):
    boards = [*almost(name)]
    broken = {breaks for _, breaks, _ in boards}
    for board, _, answer in boards:
        for cell in np.ndindex(board.shape):
            for value in np.unique(answer):
                changed = answer.copy()
                changed[cell] = value
                broken |= {each.rule for each in board.violations(changed)} - IMPLIED.get(
                    name, set()
                )
    assert broken == {breaks for _, breaks, _ in boards}
