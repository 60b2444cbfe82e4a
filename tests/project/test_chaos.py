"""The chaos suite sees what it looks for."""

import random
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "chaos"))
chaos = pytest.importorskip("run", reason="needs a Unix system")


def step(out="a result\n", err="", status=0, trouble="nothing", words=("solve", "a.json")):
    rng = random.Random(1)  # noqa: S311
    made = chaos.Step([*words], trouble, rng, "AE/bcdfghjk0123456789mnpq+/=")
    made.ended = chaos.Ended(status, out, err)
    return made


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ({}, []),
        ({"status": 4}, ["status 4"]),
        ({"status": -11}, ["ended by SIGSEGV"]),
        ({"err": "Traceback (most recent call last):\n"}, ["Traceback"]),
        ({"status": 2, "err": "qubopuzzle: error: no\n"}, []),
        ({"status": 2}, ["status 2 without a line that says why"]),
        ({"status": 1, "out": ""}, ["neither a result nor a line"]),
        ({"out": "\x1b[2J"}, ["control characters in the output"]),
        ({"err": "qubopuzzle: \x9b2J"}, ["control characters in the output"]),
    ],
)
def test_an_outcome_is_a_result_or_one_line(found, wrong):
    assert chaos._outcome(step(**found)) == wrong


@pytest.mark.parametrize("form", range(7))
def test_a_token_is_found_in_every_form(tmp_path, form):
    made = step()
    (tmp_path / "token.txt").write_text(made.token)
    assert chaos._secrets(made, tmp_path, []) == []
    leak = chaos._forms(made.token)[form]
    (tmp_path / "answer.json").write_bytes(b"so: " + leak)
    assert chaos._secrets(made, tmp_path, [leak.decode()]) == [
        "the token is in a command line",
        "the token is in answer.json",
    ]


def test_rows_of_a_journal_that_are_lost_are_seen(tmp_path):
    made = step(words=("compare", "a.json", "--json", "rows.jsonl"))
    before = {"rows.jsonl": b'{"key": 1}\n{"key": 2}\n{"k'}
    for after, wrong in (
        (b'{"key": 1}\n{"key": 2}\n{"key": 3}\n', []),
        (b'{"key": 1}\n{"key": 3}\n', ["rows of the journal are lost"]),
    ):
        (tmp_path / "rows.jsonl").write_bytes(after)
        assert chaos._journal(made, tmp_path, before) == wrong


def test_a_step_depends_on_seed_and_number_alone(tmp_path):
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "rows.jsonl").write_text('{"key": 1}\n')
        found = chaos.step_of(7, 23, folder, "http://127.0.0.1:1")
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        made.append((found.words, found.trouble, found.token, files, found.rng.random()))
    assert made[0] == made[1]
