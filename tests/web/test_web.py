"""The server of the page: what it answers, what it refuses, and what is left when it ends."""

import asyncio
import base64
import json
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx
import numpy as np
import pytest

from command import PROGRAM
from page_server import children, one_ends, served
from qubopuzzle import Nonogram, generate, judge, load_trace, solve
from qubopuzzle.base.recorder import Recorder
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import write_text
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.web import frames, work
from qubopuzzle.web.replay import replay_of, replay_page

pytest.importorskip("uvicorn", reason="pip install 'qubopuzzle[web]'")

A = get_puzzle("nonogram").examples()[0]
NOISE = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (25, 25)))
LONG = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (70, 70)))
"""One that takes longer than any run here."""


@pytest.fixture(scope="module")
def own():
    with served("--runs", "2") as (address, process):
        yield address, process


@pytest.fixture(scope="module")
def client(own):
    with httpx.Client(base_url=own[0], timeout=60) as found:
        yield found


def asked(client, name, given, status=200):
    kind = {"content-type": "application/json"}
    answer = client.post(f"api/{name}", content=json.dumps(given), headers=kind)
    assert answer.status_code == status, answer.text
    return answer.json()


def events(client, given):
    with client.stream("POST", "api/run", json=given) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for part in answer.read().decode().split("\n\n")[:-1]:
            name, data = part.split("\n")
            yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


# --- files ----------------------------------------------------------------------------------


def test_the_page_is_served_with_headers_that_bind_it(client):
    page = client.get("/")
    assert "<title>qubopuzzle</title>" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    for name in re.findall(r'(?:src|href)="([a-z]+\.[a-z]+)"', page.text):
        assert client.get(name).status_code == 200
    assert "http" not in re.sub(r"http://www.w3.org/2000/svg", "", client.get("board.js").text)


@pytest.mark.parametrize(
    "path",
    ["nothing", "../server.py", "%2e%2e/server.py", "..%2fserver.py", "/etc/passwd", "page/app.js",
     "%00", "app.js%00", "api/about", "api/nothing"],
)  # fmt: skip
def test_nothing_else_on_this_machine_is_readable(client, path):
    assert client.get(path).status_code in (404, 405)


# --- puzzles --------------------------------------------------------------------------------


def test_about_names_what_runs_here(client):
    about = asked(client, "about", {})
    assert {"annealer", "sat", "neal"} <= about["solvers"].keys()
    assert "amplify" not in about["solvers"]  # models leave no machine from here
    assert set(about["puzzles"]) == set(puzzle_names())
    assert all("solution" not in each["puzzle"] for each in about["examples"])


@pytest.mark.parametrize("name", puzzle_names())
def test_every_puzzle_is_read_and_drawn(client, name):
    example = get_puzzle(name).examples()[0]
    [read] = asked(client, "read", {"text": json.dumps(example.to_dict())})["puzzles"]
    assert get_puzzle(name).from_dict(read["puzzle"]) == example
    assert (read["board"]["rows"], read["board"]["columns"]) == example.shape
    assert read["entries"]["kind"] in ("shade", "words", "lines", "regions")


def test_an_address_and_several_puzzles_are_read(client):
    address = write_text([A], "puzzlink").strip()
    assert asked(client, "read", {"text": address})["puzzles"][0]["extent"] == "5 x 5 cells"
    lines = "\n".join([json.dumps(A.to_dict())] * 150)
    found = asked(client, "read", {"text": lines})
    assert (len(found["puzzles"]), found["count"]) == (work.READ_LIMIT, 150)


def test_a_photo_becomes_a_nonogram(client):
    from io import BytesIO

    from PIL import Image

    cells = np.kron(A.solution, np.ones((40, 40))).astype(np.uint8)
    file = BytesIO()
    Image.fromarray(255 * (1 - cells)).save(file, "PNG")
    image = base64.b64encode(file.getvalue()).decode()
    [read] = asked(client, "read", {"text": "", "image": image})["puzzles"]
    assert read["name"] == "nonogram"
    said = asked(client, "read", {"text": "", "image": "aaaa"}, 400)["error"]
    assert "image" in said


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("read", {"text": ""}, "nothing to read"),
        ("read", {"text": "/etc/passwd"}, "no format of puzzles"),
        ("read", {"text": "<script>alert(1)</script>"}, "no format of puzzles"),
        ("read", {"text": "https://puzz.link/p?heyawake/6/6/aa"}, "heyawake"),
        ("read", {"text": 5}, "cannot be used"),
        ("read", {"file": "x"}, "not known here"),
        ("read", {"text": "", "image": "ä"}, "no base64"),
        ("read", {"text": "\ud800"}, "no format of puzzles"),
        ("check", {"puzzle": A.to_dict() | {"\ud800": 1}, "marks": []}, "unknown key"),
        ("new", {"puzzle": "chess"}, "unknown puzzle"),
        ("new", {"puzzle": "nonogram", "size": "1000x1000"}, "at most"),
        ("new", {"puzzle": "nonogram", "size": [1, "a"]}, ""),
        ("new", {}, "cannot be used"),
        ("check", {"puzzle": A.to_dict(), "marks": [[9, 9, 1]], "bits": False}, "no mark"),
        ("check", {"puzzle": A.to_dict(), "marks": [[0, 0, -1]], "bits": False}, "mark"),
        ("check", {"puzzle": A.to_dict(), "marks": {}, "bits": False}, "marks: expected a list"),
        ("next_hint", {"puzzle": A.to_dict(), "marks": [[0, 0, 7]], "bits": False}, "no mark"),
        ("next_hint", {"puzzle": {"puzzle": "x"}, "marks": [], "bits": False}, "unknown puzzle"),
        ("next_hint", {"puzzle": None, "marks": [], "bits": False}, ""),
        ("model", {"puzzle": A.to_dict(), "formulation": "none"}, "no formulation"),
        ("coefficient", {"puzzle": A.to_dict(), "i": 0, "j": 10**6}, "j: expected"),
        ("written", {"puzzle": A.to_dict(), "to": "../../x"}, "unknown format"),
    ],
)
def test_what_cannot_be_used_is_one_line(client, name, given, said):
    line = asked(client, name, given, 400)["error"]
    assert said in line
    assert len(line.splitlines()) == 1


def test_a_new_puzzle_is_made(client):
    given = {"puzzle": "heyawake", "size": "5x6", "difficulty": "", "seed": 1}
    [made] = asked(client, "new", given)["puzzles"]
    assert made["extent"] == "5 x 6 cells"


def test_a_board_too_large_to_draw_is_refused(client):
    large = Nonogram(rows=[[1]] * 150, cols=[[1]] * 150)
    said = asked(client, "read", {"text": json.dumps(large.to_dict())}, 400)["error"]
    assert "more than the 20,000" in said


def test_the_model_and_the_puzzle_are_taken_away(client):
    import dimod

    from qubopuzzle import to_bqm

    data = base64.b64decode(asked(client, "written", {"puzzle": A.to_dict(), "to": "bqm"})["data"])
    assert dimod.BinaryQuadraticModel.from_file(data).is_almost_equal(to_bqm(A))
    address = asked(client, "written", {"puzzle": A.to_dict(), "to": "puzzlink"})["address"]
    assert address.startswith("https://puzz.link/")


def test_a_coefficient_is_the_sum_of_its_constraints(client):
    made = asked(client, "model", {"puzzle": A.to_dict(), "encoding": "domain-wall"})
    rows, columns, values = made["quadratic"]
    for i, j, value in list(zip(rows, columns, values, strict=True))[::7]:
        given = {"puzzle": A.to_dict(), "encoding": "domain-wall", "i": j, "j": i}
        sources = asked(client, "coefficient", given)["sources"]
        assert sum(share for _, _, share in sources) == value
        assert all(family and label for family, label, _ in sources)


# --- by hand --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "drawn"), [("shikaku", True), ("takuzu", True), ("akari", False)])
def test_a_cell_without_a_mark_is_0_only_if_that_is_drawn_as_nothing(client, name, drawn):
    """As a shikaku's first rectangle is, and a takuzu's zeros; bulbs are not."""
    puzzle = get_puzzle(name).examples()[0]
    marks = [[r, c, v.item()] for (r, c), v in np.ndenumerate(puzzle.solution) if v]
    given = {"puzzle": puzzle.to_dict(), "marks": marks, "bits": False}
    assert asked(client, "check", given)["solved"] is not drawn


def test_marks_are_checked(client):
    def check(marks, puzzle=A):
        return asked(client, "check", {"puzzle": puzzle.to_dict(), "marks": marks, "bits": False})

    black = [[r, c, 1] for r, c in np.argwhere(A.solution).tolist()]
    assert check(black)["solved"]
    assert check(black[:-1])["messages"] == [
        f"nothing is wrong so far; {26 - len(black)} cells are open"
    ]
    found = check([[0, 0, 1]])
    assert not found["solved"]
    assert found["cells"] == [[0, 0]]
    full = [[r, c, 1 - A.solution[r, c].item()] for r in range(5) for c in range(5)]
    assert check(full)["messages"][0] == "row 1 reads 2 2, its clue is 1"  # from 1, as players


def test_a_hint_says_the_rule(client):
    given = {"puzzle": A.to_dict(), "marks": [], "bits": False}
    hint = asked(client, "next_hint", given)["hint"]
    assert hint["cells"]
    for row, column, value in hint["cells"]:
        assert A.solution[row, column] == value
    assert hint["reasons"]
    assert hint["text"].startswith(f"{hint['claim']}: ")
    every = [[r, c, value.item()] for (r, c), value in np.ndenumerate(A.solution)]
    assert asked(client, "next_hint", {**given, "marks": every})["hint"] is None


def test_marks_without_an_answer_are_named_and_several_answers_too(client):
    puzzle = get_puzzle("sudoku")("1000000000000000").to_dict()
    several = asked(client, "next_hint", {"puzzle": puzzle, "marks": [], "bits": False})["hint"]
    assert several["cells"] == several["because"] == []
    assert "several solutions" in several["text"]
    checked = asked(client, "check", {"puzzle": puzzle, "marks": [], "bits": False})
    assert checked["messages"] == ["nothing is wrong so far; 16 cells are open"]
    marks = [[0, 1, 1], [3, 3, 4]]
    wrong = asked(client, "next_hint", {"puzzle": puzzle, "marks": marks, "bits": False})["hint"]
    assert wrong["cells"] == []
    assert wrong["because"] == [[0, 0], [0, 1]]
    checked = asked(client, "check", {"puzzle": puzzle, "marks": marks, "bits": False})
    assert checked == {"solved": False, "cells": wrong["because"], "messages": [wrong["text"]]}


# --- runs -----------------------------------------------------------------------------------


def looks(told):
    """The table and the numbers of the frames of a run."""
    table = []
    for name, event in told:
        table += event.get("looks", [])
        if name in ("frame", "kept"):
            data = base64.b64decode(event["cells"])
            yield [table[code] for code in np.frombuffer(data, dtype="<u2").tolist()], event


@pytest.mark.parametrize("solver", ["annealer", "neal", "sat", "tempering"])
@pytest.mark.parametrize("name", ["nonogram", "sudoku", "numberlink", "hitori"])
def test_a_run_ends_with_the_answer(client, name, solver):
    puzzle = get_puzzle(name).examples()[0]
    given = {"puzzle": puzzle.to_dict(), "solver": solver, "seed": 1, "presolve": "none"}
    told = list(events(client, given))
    assert [event for event, _ in told][-1] == "end"
    [result] = [event for name, event in told if name == "result"]
    *_, (last, frame) = looks(told)
    assert frame["answer"]
    if not result["valid"]:  # neal, in some
        assert solver == "neal"
        return
    shown = puzzle.picture(puzzle.solution)
    for i, (black, broken, sides, _, word, _) in enumerate(last):
        cell = divmod(i, puzzle.shape[1])
        assert not broken
        if shown.black is not None:
            assert black == shown.black[cell]
        if shown.paths is not None:
            assert sides == shown.paths[cell]
        if shown.words and cell not in shown.given:
            assert word == shown.words.get(cell, "")


def test_frames_are_the_states_on_the_way(client):
    given = {"puzzle": LONG.to_dict(), "seed": 3, "time_limit": 1}
    told = list(events(client, given))
    kinds = [name for name, _ in told]
    assert kinds.index("result") < kinds.index("course") < kinds.index("kept")
    course = list(looks(told))
    assert [frame["s"] for _, frame in course if "s" in frame and frame["energy"] is not None]
    for look, frame in course[:: max(1, len(course) // 20)]:
        grid = np.array([black for black, *_ in look]).reshape(LONG.shape)
        # The rows give the picture: what is wrong is a column's clue, or a cell of both.
        broken = [{cell[axis] for cell in v.cells} for v in judge(LONG, grid).violations
                  for axis in (0, 1) if len({cell[axis] for cell in v.cells}) == 1]  # fmt: skip
        assert set().union(*broken) <= {*frame["lines"][0], *frame["lines"][1]}
        marked = {divmod(i, 70) for i, (_, wrong, *_) in enumerate(look) if wrong}
        if 0 < frame["families"]["field"] < 1000:
            assert len(marked) == frame["families"]["field"]
        assert len(frame["heaviest"]) == frames.HEAVIEST if "heat" in frame else True
    assert any("heat" in frame for _, frame in course)


@pytest.mark.parametrize(("formulation", "valid"), [("blocks", False), ("turning", True)])
def test_an_answer_is_solved_by_the_rules_and_not_by_its_energy(formulation, valid):
    """Loops that ``blocks`` leaves out of the model cost nothing."""
    puzzle = get_puzzle("numberlink")(grid=[[1, 0, 0, 0, 0, 1], *[[0] * 6] * 5], cover=False)
    recorder = Recorder()
    how = {"formulation": formulation, "presolve": "none", "seed": 1, "reads": 1}
    result = solve(puzzle, trace=recorder, **how)
    *_, (_, answer) = work.recorded(result, how, recorder, frames.Frames(), 10)
    assert (answer["energy"], answer["valid"]) == (0, valid)


def test_a_line_with_a_clue_is_marked_by_its_clue_and_others_by_their_cells():
    nonogram, takuzu = (get_puzzle(name).examples()[0] for name in ("nonogram", "takuzu"))
    for puzzle, by_clue in ((nonogram, True), (takuzu, False)):
        answer = judge(puzzle, np.zeros(puzzle.shape, dtype=int))
        frame = frames.Frames().frame(answer)
        marked = np.array([look[1] for look in frame["looks"]])[codes(frame)]
        lines = sum(map(len, frame["lines"]))
        assert (lines > 0, marked.any()) == (True, not by_clue), puzzle.name


def codes(frame):
    return np.frombuffer(base64.b64decode(frame["cells"]), dtype="<u2")


def test_weights_of_cuts_stand_on_no_cell(client):
    [board] = generate("heyawake", size=(7, 7), seed=1)
    given = {"puzzle": board.to_dict(), "formulation": "lazy", "presolve": "none", "seed": 1}
    told = list(events(client, given))
    assert [name for name, _ in told][-1] == "end"
    assert any("heat" in event for _, event in told)


def test_the_snippet_repeats_the_run(client, tmp_path):
    given = {"puzzle": NOISE.to_dict(), "seed": 5, "time_limit": 1, "solver": "sat"}
    [result] = [event for name, event in events(client, given) if name == "result"]
    program = tmp_path / "again.py"
    program.write_text(result["snippet"])
    ran = subprocess.run([PROGRAM[0], program], capture_output=True, text=True, check=True)
    assert "valid" in ran.stdout
    assert "seed 5" in ran.stdout


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"puzzle": A.to_dict(), "solver": "x"}, "unknown solver"),
        ({"puzzle": A.to_dict(), "solver": ["x"]}, ""),
        ({"puzzle": A.to_dict(), "weights": {"field": -1}}, "field"),
        ({"puzzle": A.to_dict(), "weights": 3}, ""),
        ({"puzzle": A.to_dict(), "seed": "x"}, "seed"),
        ({"puzzle": A.to_dict(), "formulation": "x"}, "formulation"),
        ({"puzzle": {"puzzle": "nonogram", "rows": 1, "cols": []}}, "rows"),
        ({"puzzle": [1]}, ""),
        ({}, "cannot be used"),
        ({"puzzle": A.to_dict(), "time_limit": -1}, "time_limit"),
        ({"puzzle": A.to_dict(), "time_limit": "x"}, "time_limit"),
        ({"puzzle": A.to_dict(), "solver": "dimod:os:system"}, "unknown solver"),
        ({"puzzle": A.to_dict(), "solver": "amplify"}, "unknown solver"),
        ({"puzzle": A.to_dict(), "options": {"dry_run": "x"}}, "not known here"),
        ({"puzzle": A.to_dict(), "trace": "x.npz"}, "not known here"),
        ({"puzzle": A.to_dict(), "limit": 1e9}, "not known here"),
        ({"puzzle": A.to_dict(), "solutions": 10}, "not known here"),
    ],
)
def test_a_run_that_cannot_begin_is_one_line(client, given, said):
    [(name, event)] = events(client, given)
    assert name == "error"
    assert said in event["message"]
    assert len(event["message"].splitlines()) == 1


def test_whoever_leaves_ends_the_run(own, client):
    _, process = own
    given = {"puzzle": LONG.to_dict(), "time_limit": 20, "seed": 1}
    with client.stream("POST", "api/run", json=given) as answer:
        next(answer.iter_raw())
        there = children(process.pid)
    assert one_ends(there)
    assert list(events(client, {"puzzle": A.to_dict()}))[-1][0] == "end"


def test_more_runs_than_processes_wait_or_are_told(own):
    def program(pid):
        return Path(f"/proc/{pid}/cmdline").read_bytes()

    def send(number):
        # A child that is not yet a program of its own would stop the server, which waits for it.
        for pid in children(own[1].pid):
            if program(pid) != program(own[1].pid):
                os.kill(pid, number)

    async def together():
        given = {"puzzle": LONG.to_dict(), "time_limit": 2}
        async with httpx.AsyncClient(base_url=own[0], timeout=60) as many:
            posts = [asyncio.ensure_future(many.post("api/run", json=given)) for _ in range(4)]
            refused = []
            while len(refused) < 2:  # meanwhile the runs have no time to end
                send(signal.SIGSTOP)
                await asyncio.sleep(0.05)
                refused = [post for post in posts if post.done()]
            send(signal.SIGCONT)
            return [answer.text for answer in await asyncio.gather(*posts)]

    try:
        texts = asyncio.run(together())
    finally:
        send(signal.SIGCONT)
    refused = [text for text in texts if "all 2 processes are at work" in text]
    assert len(refused) == 2
    assert sum("event: result" in text for text in texts) == 2


# --- strangers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:80"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_pages_get_no_answer(client, headers):
    for answer in (
        client.get("/", headers=headers),
        client.post("api/about", json={}, headers=headers),
    ):
        assert answer.status_code == 403
        assert "content-security-policy" in answer.headers


def test_only_json_is_taken(client):
    form = {"content-type": "text/plain"}  # what a form of another page can send
    assert client.post("api/about", content="{}", headers=form).status_code == 415
    json_type = {"content-type": "application/json"}
    for body in ("", "{", "[]", "[" * 100_000, '{"a": 1', "\xff"):
        answer = client.post("api/about", content=body.encode("latin-1"), headers=json_type)
        assert answer.status_code == 400
        assert "error" in answer.json()


def test_what_is_deeply_nested_costs_no_process(own, client):
    client.post("api/about", json={})
    before = len(children(own[1].pid))
    for depth in (900, 100_000):
        deep = f'{{"puzzle": {"[" * depth}{"]" * depth}, "marks": []}}'.encode()
        for name in ("check", "run", "model"):
            kind = {"content-type": "application/json"}
            answer = client.post(f"api/{name}", content=deep, headers=kind)
            assert answer.status_code == (200 if name == "run" else 400)
            assert name != "run" or answer.text.startswith("event: error")
    assert len(children(own[1].pid)) <= max(before, 4)


def test_a_huge_body_is_refused_before_it_is_read(client):
    def endless():
        while True:
            yield b" " * 65536

    headers = {"content-type": "application/json"}
    try:
        answer = client.post("api/read", content=endless(), headers=headers)
    except httpx.TransportError:
        return  # it hung up on us
    assert answer.status_code == 413


def test_a_thousand_malformed_requests_leave_it_as_it_was(own, client):
    host, port = own[0].removeprefix("http://").strip("/").split(":")
    rng = np.random.default_rng(1)
    starts = [b"", b"GET / HTTP/1.1\r\n", b"POST /api/read HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
              b"POST /api/read HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
              b"GET /" + b"a" * 70_000, b"GET / HTTP/9\r\n\r\n"]  # fmt: skip
    before = memory(own[1].pid)
    for number in range(1000):
        with socket.create_connection((host, int(port)), timeout=10) as made:
            try:
                made.sendall(starts[number % len(starts)] + rng.bytes(50))
            except OSError:
                continue
    for _ in range(50):  # until it has noticed that they are gone
        answer = client.get("/")
        if answer.status_code == 200:
            break
        time.sleep(0.1)
    assert answer.status_code == 200
    assert memory(own[1].pid) - before < 100


def test_whoever_says_nothing_is_hung_up_on(own):
    host, port = own[0].removeprefix("http://").strip("/").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as silent:
        silent.sendall(b"GET / HTTP/1.1\r\nHost:")
        assert silent.recv(10) == b""


def memory(pid):
    """Resident memory in MiB."""
    words = Path(f"/proc/{pid}/statm").read_text().split()
    return int(words[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_a_token_stands_in_the_address_for_other_machines():
    with served("--host", "0.0.0.0") as (address, _):  # noqa: S104
        port = re.search(r":(\d+)/", address)[1]
        token = address.rstrip("/").rpartition("/")[2]
        assert len(token) >= 32
        here = f"http://127.0.0.1:{port}"
        assert httpx.get(f"{here}/{token}/").status_code == 200
        assert httpx.get(f"{here}/{token}/app.js").status_code == 200
        for path in ("", "app.js", "api/about", token[:-1], f"{token}x/", f"x/{token}/"):
            assert httpx.get(f"{here}/{path}").status_code == 403
        assert httpx.post(f"{here}/{token}/api/about", content="{}").status_code == 415


def test_ctrl_c_ends_it_with_all_that_runs():
    with served() as (address, process):
        given = {"puzzle": LONG.to_dict(), "time_limit": 20}
        with httpx.stream("POST", f"{address}api/run", json=given, timeout=60) as answer:
            next(answer.iter_raw())
            started = children(process.pid)
            process.send_signal(signal.SIGINT)
            assert process.wait(15) == 0
    assert started
    for pid in started:
        assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text()


def test_a_port_that_is_taken_is_one_line(own):
    port = own[0].rstrip("/").rpartition(":")[2]
    ran = subprocess.run([*PROGRAM, "serve", "--port", port], capture_output=True, text=True)
    assert ran.returncode == 2
    line = f"qubopuzzle: error: cannot listen on 127.0.0.1:{port}: Address already in use\n"
    assert ran.stderr == line


# --- recorded runs --------------------------------------------------------------------------


def test_a_recording_is_one_file_in_which_nothing_is_executed(client):
    title = "</script><script>alert(1)</script>"
    run = {"title": title, "board": {"rows": 1}, "frames": [{"cells": "AAA=", "word": title}]}
    answer = client.post("api/replay", json=run)
    assert answer.headers["content-type"].startswith("text/html")
    assert title not in answer.text
    assert "&lt;script&gt;" in answer.text
    assert "src=" not in answer.text.partition("<script")[0]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"title": 1, "board": {}, "frames": []}'])
def test_what_is_no_recording_is_refused(data):
    with pytest.raises(InputError, match="no recorded run"):
        replay_page(data)


def test_a_trace_becomes_a_page(tmp_path):
    solve(A, seed=1, presolve="none", trace=True).trace.save(tmp_path / "a.npz")
    page = replay_of(load_trace(tmp_path / "a.npz")).decode()
    assert page.startswith("<!doctype html>")
    assert "annealer, seed 1" in page
