"""The checker of puzz.link's player, the npm package pzpr, on the solved boards that we write.

It runs where ``node`` finds the package: ``npm install pzpr``, and NODE_PATH names the folder
node_modules. Its last release, 0.10.1, is from before two of the puzzles, letters and numbers
given inside, and heyawake's board files of today; a build of its source has them all.
"""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qubopuzzle import load
from qubopuzzle.files.puzzles import get_format
from qubopuzzle.puzzles import get_puzzle

pzprv3 = get_format("pzprv3")
FOLDER = Path(__file__).parents[3] / "benchmarks" / "generated"
NODE = shutil.which("node")
CHECK = """
const pzpr = require("pzpr");
const boards = JSON.parse(require("fs").readFileSync(0, "utf8"));
const known = {}, judged = boards.map(text => {
  const puzzle = new pzpr.Puzzle();
  let said = null;
  try { puzzle.open(text, () => { said = puzzle.check(true).complete; }); } catch (error) {}
  return said;
});
console.log(JSON.stringify([pzpr.version, judged]));
"""


def ask_player(boards):
    """The player's version, and of each board whether it is solved, or None if it has no such."""
    run = subprocess.run(
        [NODE, "-e", CHECK], input=json.dumps(boards), capture_output=True, text=True, timeout=100
    )
    if "Cannot find module 'pzpr'" in run.stderr:
        return None
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module", autouse=True)
def version():
    """Of the player; without it these tests are skipped, unless the environment forbids that."""
    answer = ask_player([]) if NODE else None
    if answer is None and not os.environ.get("QUBOPUZZLE_NEEDS_PLAYER"):
        pytest.skip("node with the package pzpr is not here: npm install pzpr, and set NODE_PATH")
    assert answer is not None
    return answer[0]


def boards_of(name):
    """Examples and generated boards of a size that the player has, with their solutions."""
    puzzles = get_puzzle(name).examples() + load(FOLDER / f"{name}.jsonl")
    return [p for p in puzzles if p.solution is not None and p.shape != (12, 12)]


def is_newer(puzzle):
    """What the last release does not read as the player does today."""
    return puzzle.name in ("heyawake", "nonogram", "tents") or (
        puzzle.name in ("easyasabc", "skyscrapers") and np.any(puzzle.grid)
    )


@pytest.mark.parametrize("name", pzprv3.puzzles)
def test_the_player_calls_our_answers_solved_and_nothing_else(name, version):
    puzzles = [p for p in boards_of(name) if version != "0.10.1" or not is_newer(p)]
    blank = [replace(puzzle, solution=None) for puzzle in puzzles]
    _, judged = ask_player([pzprv3.write([p]) for p in puzzles + blank])
    assert judged == [True] * len(puzzles) + [False] * len(blank)
    assert puzzles or version == "0.10.1"
