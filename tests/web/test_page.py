"""The page in Chromium: watched, played by hand, and as a recording."""

import json
import os
import re
import shutil
import time
from functools import cache
from importlib.util import find_spec
from itertools import product
from urllib.parse import quote

import numpy as np
import pytest

from page_server import children, one_ends, served
from qubopuzzle import Nonogram, compare
from qubopuzzle.bench.report import html_report
from qubopuzzle.cli import main
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import write_text
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.web import work
from qubopuzzle.web.static import build

BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser"]
"""Chromium's names; the first has no windows, and takes two thirds of the time."""
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
if not (CHROMIUM or os.environ.get("QUBOPUZZLE_NEEDS_CHROMIUM")):
    pytest.skip("needs Chromium (Debian's package chromium)", allow_module_level=True)
if find_spec("playwright") is None:
    pytest.skip("pip install 'qubopuzzle[test]'", allow_module_level=True)

A = get_puzzle("nonogram").examples()[0]
NOISE = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (30, 30)), title="noise")
OTHER = Nonogram.from_picture(np.random.default_rng(2).integers(0, 2, (24, 24)))
HARD = Nonogram(rows=[*OTHER.rows[1:], OTHER.rows[0]], cols=OTHER.cols, title="hard")
"""One without a solution, which the annealer does not notice."""
TALL = Nonogram.from_picture(np.random.default_rng(1).random((40, 30)) < 0.75, title="tall")
LONG = Nonogram.from_picture(np.array([[1] * 13 + [0] + [1] * 10]), title="long numbers")
COPIED = ["hashi", "hitori", "masyu", "nonogram", "shikaku", "sudoku"]
"""Kinds of all sorts: shaded, words, lines, bridges, rectangles; slow tests have the others."""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic"]


@pytest.fixture(scope="module")
def server():
    with served() as (address, process):
        yield address, process


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def pages(browser):
    """Pages by the settings of their contexts, and what went wrong on them."""
    wrong = []

    @cache
    def made(settings):
        window = {"viewport": {"width": 1280, "height": 900}}
        page = browser.new_context(**window | json.loads(settings)).new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: said.type == "error" and "of 400" not in said.text
                and wrong.append(said.text))  # fmt: skip
        return page

    return made, wrong


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The address of a static build as the command makes it, and with what tests read besides.

    All workers of a run share it: it takes a minute.
    """
    import fcntl  # not on Windows

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "whole"
    examples_of, others = work.examples_of, [TALL, LONG]
    with pytest.MonkeyPatch.context() as patch, folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        patch.setattr(
            work, "examples_of", lambda name: examples_of(name) + others * (name == "nonogram")
        )
        if not folder.exists():  # it is there as a whole or not at all
            assert main(["serve", "--static", str(folder), "--time-limit", "5"]) == 0
    assert sum(file.stat().st_size for file in folder.glob("*.*")) < 5_000_000
    return (folder / "index.html").as_uri()


@pytest.fixture
def home(request):
    """Where the page is that a test visits: at a server, unless the test is one of both."""
    address = request.getfixturevalue(getattr(request, "param", "server"))
    return address if isinstance(address, str) else address[0]


both = pytest.mark.parametrize(
    "home", ["server", pytest.param("whole", marks=pytest.mark.slow)], indirect=True
)
"""What holds at a server and in a static build alike."""


@pytest.fixture
def visit(pages, home):
    """Open the page, in a tab that is kept for its settings; nothing may go wrong on it."""
    made, wrong = pages
    watched = []

    def opened(address=home, scheme="light", **settings):
        settings["offline"] = address.startswith("file:")

        def look(asked):
            if not asked.url.startswith((address.rpartition("/")[0], "data:", "blob:")):
                wrong.append(asked.url)

        page = made(json.dumps(settings))
        page.on("request", look)
        watched.append((page, look))
        page.emulate_media(color_scheme=scheme)
        page.goto(address)
        page.locator("svg.board").first.wait_for()
        return page

    wrong.clear()
    yield opened
    for page, look in watched:
        page.remove_listener("request", look)
        if not page.is_closed():
            if page.url.startswith(("http", "file")):
                page.evaluate("() => localStorage.clear()")  # marks of the last test
            page.goto("about:blank")  # which ends a run
    assert wrong == []


def choosing(page):
    """Unfold the part where puzzles are chosen."""
    if page.locator("#source").is_hidden():
        page.click("#menu")


def read(page, puzzle, **more):
    """Paste a puzzle and open it."""
    choosing(page)
    page.fill("#text", json.dumps(puzzle.to_dict() | more))
    page.click("#open")
    rows, columns = puzzle.shape
    page.locator("#said", has_text=f"{rows} x {columns} cells").wait_for()


def solve(page, lane=0, seconds=None):
    own = page.locator(".lane").nth(lane)
    if seconds is not None:
        own.locator("summary").click()
        own.get_by_label("Seconds").fill(str(seconds))
    own.get_by_role("button", name="Solve", exact=True).click()
    return own


def running(page, seconds):
    """A run that takes so long, of which a state is shown."""
    read(page, HARD)
    own = solve(page, seconds=seconds)
    own.locator(".status", has_text="live, state").wait_for()
    return own


def ended(own):
    own.locator(".verdict.good, .verdict.bad").wait_for(timeout=60_000)
    own.locator(".player[data-state=done]").wait_for(timeout=60_000)
    return own.locator(".verdict").inner_text()


def state(own):
    """Which state is shown, and of how many."""
    return tuple(
        map(int, re.findall(r"state (\d+) of (\d+)", own.locator(".status").inner_text())[0])
    )


def fills(own):
    """What cells are filled with, as pixels show: nothing, black, red, or red over black."""
    read_all = """(canvas) => [canvas.height, canvas.width, ...canvas.getContext("2d")
        .getImageData(0, 0, canvas.width, canvas.height).data]"""
    rows, columns, *data = own.locator(".paper canvas").evaluate(read_all)
    red, _, _, opacity = np.moveaxis(np.reshape(data, (rows, columns, 4)), 2, 0)
    full = np.where(red < 100, "black", "red black")
    return np.where(opacity == 0, "", np.where(opacity == 255, full, "red"))


def cells_that(own, look):
    return [tuple(cell) for cell in np.argwhere(fills(own) == look).tolist()]


def test_an_address_is_pasted_and_annealed(visit):
    page = visit()
    choosing(page)
    page.fill("#text", write_text([A], "puzzlink").strip())
    page.press("#text", "Enter")
    page.locator("#said", has_text="5 x 5 cells").wait_for()
    own = solve(page)
    assert ended(own).startswith("valid")
    # Words of the last live state, which may have this energy, stay while the run is shown again.
    own.locator(
        ".status", has_text=re.compile(r"recorded.*the answer.*energy 0\b(?!\.)")
    ).wait_for()
    assert (fills(own) == np.where(A.solution, "black", "")).all()


def test_it_is_paused_stepped_and_run_again(visit):
    page = visit()
    own = running(page, seconds=6)  # still when the last button is pressed
    own.get_by_role("button", name="Pause").click()
    first = state(own)[0]
    time.sleep(0.3)
    assert state(own)[0] == first
    own.get_by_role("button", name="Step", exact=True).click()
    own.get_by_role("button", name="Step back").click()
    own.get_by_role("button", name="Step back").click()
    assert state(own)[0] in (first - 1, first)
    before = ended(own)
    own.get_by_role("button", name="Back to the start").click()
    assert state(own)[0] == 1
    own.get_by_label("Speed, states a second").select_option("5")
    own.get_by_role("button", name="Play", exact=True).click()
    time.sleep(1)
    assert 2 <= state(own)[0] <= 9
    own.get_by_label("Seconds").fill("1")
    own.get_by_role("button", name="Again with another seed").click()
    own.locator(".player[data-state=running]").wait_for()
    assert ended(own).rpartition("seed")[2] != before.rpartition("seed")[2]


def test_a_short_run_is_shown_for_some_seconds(visit):
    page = visit()
    own = solve(page)
    ended(own)
    speed = own.get_by_label("Speed, states a second")
    assert speed.input_value() in ("1", "2")
    speed.select_option("60")
    solve(page)
    ended(own)
    assert speed.input_value() == "60"


def test_weights_are_set_and_seen(visit):
    page = visit()
    read(page, NOISE)
    own = page.locator(".lane")
    own.locator("summary").click()
    own.get_by_label("Formulation").select_option("window")
    own.get_by_role("slider", name="order").fill("0.5")
    own.get_by_label("weights on the board").check()
    own.get_by_label("Seconds").fill("1")
    own.get_by_role("button", name="Solve", exact=True).click()
    own.locator(".heavy li").first.wait_for()
    page.wait_for_function("() => state.lanes[0].player.board.heat?.some(Boolean)")
    assert (fills(own) == "red").any()
    assert ended(own)
    page.get_by_role("tab", name="Print, share").click()
    assert "weights={'order': 3.2}" in page.locator("#snippet").inner_text()


def test_a_run_that_fails_shows_nothing_of_the_last_one(visit):
    page = visit()
    own = solve(page)
    ended(own)
    own.locator(".status", has_text="the answer").wait_for()
    assert (fills(own) == "black").any()
    own.get_by_label("Solver", exact=True).select_option("exact")
    solve(page)
    own.locator(".verdict.error", has_text="at most 20 variables").wait_for()
    assert (fills(own) == "").all()
    assert own.locator(".families tr").count() == 0


def test_a_run_is_stopped(visit):
    page = visit()
    own = running(page, seconds=20)
    own.get_by_role("button", name="Stop").click()
    own.locator(".verdict", has_text="stopped").wait_for()
    assert page.locator(":focus").inner_text() == "Solve"  # "Stop" is gone
    page.get_by_role("tab", name="Print, share").click()
    assert page.locator("#no-run").is_visible()  # it did not come to its end


def test_two_solvers_side_by_side(visit):
    page = visit()
    page.get_by_role("button", name="A second solver beside it").click()
    second = page.locator(".lane").nth(1)
    chosen = second.get_by_label("Solver", exact=True)
    assert chosen.evaluate("(own) => own === document.activeElement")
    chosen.select_option("sat")
    page.get_by_role("button", name="Solve with both").click()
    assert all(ended(page.locator(".lane").nth(n)).startswith("valid") for n in range(2))
    first, other = (page.locator(".lane").nth(n).bounding_box() for n in range(2))
    assert first["y"] == other["y"]
    second.get_by_role("button", name="Close this solver").click()
    assert page.locator(".lane").count() == 1
    assert page.locator(":focus").get_attribute("id") == "second"


def by_hand(page):
    """Open the tab, and how to click at a place of a cell, in its middle without."""
    page.get_by_role("tab", name="By hand").click()
    page.locator("#field svg").scroll_into_view_if_needed()
    box = page.locator("#field svg").bounding_box()
    data = page.evaluate("() => document.querySelector('#field svg').getAttribute('viewBox')")
    left, top, wide, _ = map(float, data.split())
    scale = box["width"] / wide

    def place(row, column, down=0.5, right=0.5):
        x, y = (place * 20 - edge for place, edge in ((column + right, left), (row + down, top)))
        return box["x"] + x * scale, box["y"] + y * scale

    def click(*where, **more):
        page.mouse.click(*place(*where, **more))

    def drag(*cells):
        page.mouse.move(*place(*cells[0]))
        page.mouse.down()
        for cell in cells[1:]:
            page.mouse.move(*place(*cell))
        page.mouse.up()

    click.drag, click.place = drag, place
    return click


WRONG = re.compile("these (contradict each other|differ from the only solution)")
"""What the rules say at a server, and what is looked up where there is none."""


def is_solved(page):
    page.get_by_role("button", name="Check").click()
    page.locator("#told", has_text="Solved: the checker accepts it.").wait_for()


@both
@pytest.mark.parametrize("name", ["akari", "starbattle", "tents", "yajilin", "zip"])
def test_puzzles_by_hand(visit, name):
    puzzle = get_puzzle(name).examples()[0]
    page = visit()
    read(page, puzzle)
    click = by_hand(page)
    is_line = page.locator("#how", has_text="draw a line").count() == 1
    for (row, column), value in np.ndenumerate(puzzle.solution):
        if value == (16 if is_line else 1):
            click(row, column)
        elif is_line and value & 1:
            click(row, column, right=0.97)
        if is_line and value < 16 and value & 2:
            click(row, column, down=0.97)
    page.get_by_role("button", name="Check").click()
    page.locator("#told", has_text="Solved: the checker accepts it.").wait_for()


HASHI, SHIKAKU = (get_puzzle(name).examples()[0] for name in ("hashi", "shikaku"))


def bridges():
    """Of each pair of islands that are joined, both cells and how many bridges there are."""
    islands, answer = HASHI.grid != 0, HASHI.solution
    for r, c in np.argwhere(islands).tolist():
        if answer[r, c] % 3:
            yield (r, c), (r, c + 1 + int(np.argmax(islands[r, c + 1 :]))), answer[r, c] % 3
        if answer[r, c] // 3:
            yield (r, c), (r + 1 + int(np.argmax(islands[r + 1 :, c])), c), answer[r, c] // 3


def rectangles():
    """The cells of opposite corners."""
    for number in range(SHIKAKU.solution.max() + 1):
        cells = np.argwhere(number == SHIKAKU.solution)
        yield cells.min(axis=0).tolist(), cells.max(axis=0).tolist()


@both
def test_hashi_by_hand(visit):
    page = visit()
    read(page, HASHI)
    click = by_hand(page)
    here, said = page.locator("#here"), page.locator("#told")
    for lines in ("right", "2 right", "", "right"):
        click(0, 1)
        page.keyboard.press("ArrowLeft")
        what = f"lines {lines}" if lines else "no lines"
        assert here.inner_text() == f"row 1, column 1: {what}, clue {HASHI.grid[0, 0]}"
    page.keyboard.press("c")
    said.filter(
        has_text=re.compile("so far; (not solved yet: the island on .1,1. has 1|.* open)")
    ).wait_for()
    click(0, 1)
    click(0, 1)
    for one, two, count in bridges():
        click.drag(one, two)
        if count == 2:
            click((one[0] + two[0]) / 2, (one[1] + two[1]) / 2)
    is_solved(page)
    click.drag((0, 0), (4, 0))  # past an island: a bridge more on both sides of it
    page.keyboard.press("h")
    said.filter(has_text="these contradict each other: ").wait_for()
    assert page.locator("#field .because").count() > 0
    assert not page.locator("#put").is_visible()


def test_a_hashi_is_hinted_and_bridges_do_not_cross(visit):
    page = visit()
    puzzle = get_puzzle("hashi")(grid=[[0, 2, 0], [2, 0, 2], [0, 2, 0]])
    read(page, puzzle)
    click = by_hand(page)
    click(1, 1, right=0.9)
    click(1, 1, down=0.9)
    page.keyboard.press("c")
    page.locator("#told", has_text="contradict each other").wait_for()
    red = cells_that(page.locator("#field"), "red")
    assert red in ([(1, 1)], [(1, 0), (1, 1)])  # with the island from where it comes, or without
    read(page, HASHI)
    click = by_hand(page)
    page.get_by_role("button", name="Hint").click()
    page.locator("#told", has_text="bridge").wait_for()
    assert page.locator("#field .hinted").count() > 0


@both
def test_a_shikaku_by_hand(visit):
    page = visit()
    read(page, SHIKAKU)
    click = by_hand(page)
    said = page.locator("#told")
    page.get_by_role("button", name="Hint").click()
    said.filter(has_text="in the rectangle of the").wait_for()
    click.drag((3, 1), (5, 2))
    assert said.inner_text() == "A rectangle has one clue in it; this one has 3."
    click.drag((3, 1), (4, 1))
    click.drag((2, 0), (2, 1))  # which touches no other
    page.keyboard.press("c")
    said.filter(has_text=WRONG).wait_for()
    click(2, 1)
    for one, two in rectangles():
        click.drag(two, one)
    is_solved(page)
    here = page.locator("#here")
    assert here.inner_text() == "row 4, column 7: in the rectangle of row 6, column 7"
    click(0, 0)
    assert here.inner_text() == "row 1, column 1: open"


@both
def test_a_shikaku_by_keyboard(visit):
    page = visit()
    read(page, SHIKAKU)
    page.get_by_role("tab", name="By hand").click()
    page.locator("#field").focus()

    def go(down, right, held=""):
        for count, names in ((down, "Up Down"), (right, "Left Right")):
            for _ in range(abs(count)):
                page.keyboard.press(f"{held}Arrow{names.split()[count > 0]}")

    r, c = 0, 0
    for one, two in rectangles():
        go(one[0] - r, one[1] - c)
        go(two[0] - one[0], two[1] - one[1], "Shift+")
        page.keyboard.press("Space")
        r, c = two
    page.keyboard.press("c")
    page.locator("#told", has_text="Solved").wait_for()
    page.keyboard.press("Backspace")
    assert page.locator("#here").inner_text().endswith(": open")


@both
@pytest.mark.parametrize("puzzle", [HASHI, SHIKAKU], ids=lambda puzzle: puzzle.name)
def test_with_a_finger(visit, puzzle):
    page = visit(viewport={"width": 360, "height": 740}, has_touch=True)
    read(page, puzzle)
    place = by_hand(page).place
    touch = page.context.new_cdp_session(page)

    def drag(one, two):
        for event, *cells in (("Start", one), ("Move", two), ("End",)):
            points = [dict(zip("xy", place(*cell), strict=True)) for cell in cells]
            touch.send("Input.dispatchTouchEvent", {"type": f"touch{event}", "touchPoints": points})

    for one, two, *count in bridges() if puzzle is HASHI else rectangles():
        drag(one, two)
        if count == [2]:
            page.touchscreen.tap(*place((one[0] + two[0]) / 2, (one[1] + two[1]) / 2))
    is_solved(page)


@both
def test_a_loop_is_dragged(visit):
    puzzle = get_puzzle("masyu").examples()[0]
    page = visit()
    read(page, puzzle)
    click = by_hand(page)
    way, side = [(1, 0)], 0
    while len(way) == 1 or way[-1] != way[0]:
        (r, c), sides = way[-1], int(puzzle.solution[way[-1]])
        side = next(
            d for d in range(4) if sides >> d & 1 and (len(way) == 1 or d != (side + 2) % 4)
        )
        way.append((r + (0, 1, 0, -1)[side], c + (1, 0, -1, 0)[side]))
    click.drag(*way)
    is_solved(page)
    page.keyboard.press("Tab")
    click.drag(*way[:2])  # away again
    assert page.locator("#here").inner_text().startswith("row 2, column 2: lines right")


@both
def test_a_nonogram_by_hand(visit):
    page = visit()
    click = by_hand(page)
    click(0, 0)
    page.keyboard.press("c")
    page.locator("#told", has_text=WRONG).wait_for()
    assert cells_that(page.locator("#field"), "red black") == [(0, 0)]
    click(0, 0)
    click(0, 0)
    for row, column in np.argwhere(A.solution).tolist():
        click(row, column)
    page.get_by_role("button", name="Check").click()
    page.locator("#told", has_text="Solved: the checker accepts it.").wait_for()
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Hint").click()
    page.locator(
        "#told", has_text=re.compile(r"row \d, columns? .* (is|are) (black|white): ")
    ).wait_for()
    assert page.locator("#field .hinted").count() > 0


@pytest.mark.parametrize(
    ("home", "name"),
    [
        *product(("server", "copy"), COPIED),
        *(pytest.param("whole", name, marks=pytest.mark.slow) for name in puzzle_names()),
        *(
            pytest.param("server", name, marks=pytest.mark.slow)
            for name in puzzle_names()
            if name not in COPIED
        ),
    ],
    indirect=["home"],
)
def test_hints_are_put_in_to_the_end(visit, name):
    """By keys, or by buttons where H is a letter to type."""
    page = visit()
    examples = get_puzzle(name).examples()
    copied = page.url.startswith("file:")  # with hints for the first example
    puzzle = examples[0] if copied else min(examples, key=lambda example: example.cells)
    read(page, puzzle)
    by_hand(page)
    told, has_key = page.locator("#told"), page.locator("#hint", has_text="(H)").count()
    page.locator("#field").focus()
    for _ in range(2 * puzzle.cells):
        page.keyboard.press("h") if has_key else page.click("#hint")
        told.filter(has_text=re.compile(".")).wait_for()
        if told.inner_text() == "All cells are on the board.":
            break
        assert page.locator("#field .hinted").count() > 0
        page.keyboard.press("Enter") if has_key else page.click("#put")
        assert page.locator("#field .hinted").count() == 0
        assert not page.locator("#put").is_visible()
    is_solved(page)


@both
def test_a_hint_is_drawn_and_gone_with_the_next_mark(visit):
    page = visit()
    puzzle = get_puzzle("hitori").examples()[0]
    read(page, puzzle)
    click = by_hand(page)
    field = page.locator("#field")
    page.locator("#field").focus()
    otherwise = page.locator("#told", has_text=", as otherwise:")
    while not otherwise.count():  # until something takes several reasons, from the opposite on
        page.keyboard.press("h")
        page.locator("#put").wait_for()
        if otherwise.count():
            break
        page.keyboard.press("Enter")
        page.locator("#put").wait_for(state="hidden")
    assert page.locator("#chain li").last.inner_text().startswith("a contradiction: ")
    page.keyboard.press("c")  # the hint is not on the board
    page.locator("#told", has_text="nothing is wrong so far").wait_for()
    assert page.locator("#chain li").count() == page.locator("#field .hinted").count() == 0
    shown = cells_that(field, "black")
    page.keyboard.press("h")
    page.locator("#put").wait_for()
    click(4, 4)
    assert page.locator("#field .hinted").count() == 0
    assert cells_that(field, "black") != shown
    assert not page.locator("#put").is_visible()


def marks_of(page):
    return page.evaluate("() => [...hand.marks]")


@both
def test_cells_are_filled_by_dragging_and_taken_back(visit):
    page = visit()
    click = by_hand(page)
    click.drag((0, 0), (0, 4))
    assert marks_of(page) == [[i, 1] for i in range(5)]
    click.drag((2, 0), (0, 0), (0, 2))  # cells like the first one alone
    assert len(marks_of(page)) == 7
    page.mouse.click(*click.place(4, 4), button="right")
    assert [24, 0] in marks_of(page)
    page.keyboard.press("z")
    page.keyboard.press("Control+z")
    assert marks_of(page) == [[i, 1] for i in range(5)]
    page.click("#redo")
    assert len(marks_of(page)) == 7
    page.click("#clear")
    assert marks_of(page) == []
    page.click("#undo")
    assert len(marks_of(page)) == 7


@both
def test_lines_that_go_together_come_back_together(visit):
    page = visit()
    read(page, get_puzzle("masyu").examples()[0])
    click = by_hand(page)
    click.drag((0, 0), (0, 1), (1, 1))
    before = marks_of(page)
    page.locator("#field").focus()
    page.keyboard.press("ArrowUp")  # to the cell of two lines
    page.keyboard.press("Backspace")
    assert len(marks_of(page)) == 0
    page.keyboard.press("z")
    assert sorted(marks_of(page)) == sorted(before)
    page.keyboard.press("z")
    assert marks_of(page) == []


@both
def test_a_long_press_is_a_dot(visit):
    page = visit(viewport={"width": 360, "height": 740}, has_touch=True)
    place = by_hand(page).place
    touch = page.context.new_cdp_session(page)
    point = dict(zip("xy", place(1, 1), strict=True))
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    page.wait_for_function("() => hand.marks.get(6) === 0")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert marks_of(page) == [[6, 0]]


@both
def test_a_board_is_enlarged_with_its_clues_in_view(visit):
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True)
    read(page, TALL)
    place = by_hand(page).place
    touch = page.context.new_cdp_session(page)
    middle = place(20, 15)

    def fingers(event, apart=None):
        points = [] if apart is None else [
            {"x": middle[0] + side * apart, "y": middle[1], "id": side} for side in (-1, 1)
        ]  # fmt: skip
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{event}", "touchPoints": points})

    clue = page.locator("#field .clue tspan").first
    before = clue.bounding_box()["height"]
    fingers("Start", 20)
    fingers("Move", 30)
    fingers("Move", 60)
    fingers("End")
    page.locator("#field svg.zoomed").wait_for()
    assert marks_of(page) == []  # of the first finger
    assert clue.bounding_box()["height"] > 1.5 * before
    seen = page.evaluate("() => [hand.board.view.x, hand.board.view.y]")
    assert min(seen) > 0
    page.locator("#field").focus()
    for _ in range(15):
        page.keyboard.press("ArrowRight")  # to a cell beyond
    cursor, field = (page.locator(f"#field {each}").bounding_box() for each in (".cursor", "svg"))
    assert cursor["x"] + cursor["width"] <= field["x"] + field["width"] + 1
    page.keyboard.press("0")
    assert page.locator("#field svg.zoomed").count() == 0
    page.get_by_role("tab", name="Watch").tap()
    for count in (1, 0):  # a double tap, and again
        for _ in range(2):
            page.locator(".lane svg.board").tap()
        page.wait_for_function(
            f"() => document.querySelectorAll('.lane .zoomed').length === {count}"
        )
        page.wait_for_timeout(400)
    for event, apart in (("Start", 20), ("Move", 30), ("Move", 60), ("End", None)):
        fingers(event, apart)  # two fingers that leave the board are no double tap
    assert page.locator(".lane .zoomed").count() == 1


@both
def test_where_there_is_no_room_other_puzzles_are_forgotten(visit):
    page = visit()
    by_hand(page)(0, 0)
    full = """() => {
        for (const [size, name] of [[1e6, 'a'], [1e5, 'b'], [1e4, 'c'], [100, 'd'], [1, 'e']])
            for (let i = 0; ; i++)
                try {
                    localStorage.setItem(`qubopuzzle ${name}${i}`, 'x'.repeat(size));
                } catch { break; }
    }"""
    page.evaluate(full)
    page.locator("#field").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")
    assert page.evaluate("() => Object.keys(localStorage).length") == 1
    assert marks_of(page) == [[i, 1] for i in range(5)]


@both
def test_marks_and_notes_are_there_again(visit):
    puzzle = get_puzzle("sudoku").examples()[0]
    page = visit()
    read(page, puzzle)
    by_hand(page)
    page.locator("#field").focus()
    row, column = np.argwhere(puzzle.grid == 0)[0].tolist()
    for _ in range(row):
        page.keyboard.press("ArrowDown")
    for _ in range(column):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("p")
    for digit in "4719":
        page.keyboard.press(digit)
    page.keyboard.press("7")  # away again
    assert page.locator("#field .notes text").all_text_contents() == ["1", "4", "9"]
    page.reload()  # the puzzle is in the address
    page.locator("#said", has_text="9 x 9 cells").wait_for()
    page.locator("#hand").wait_for()  # where one was
    assert page.locator("#field .notes text").all_text_contents() == ["1", "4", "9"]
    assert page.locator("#pencil").get_attribute("aria-pressed") == "false"
    [key] = page.evaluate("() => Object.keys(localStorage)")
    for strange in ("5", "[]", "null", '{"marks": 1}', "no JSON"):
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, strange])
        page.reload()
        page.locator("#said", has_text="9 x 9 cells").wait_for()


@both
def test_the_last_mark_says_that_it_is_solved(visit):
    page = visit()
    click = by_hand(page)
    for row, column in np.argwhere(A.solution).tolist():
        click(row, column)
    page.locator("#told", has_text="Solved: the checker accepts it. Time: 0:").wait_for()
    page.locator("#field svg.solved").wait_for()
    click(0, 0)
    assert page.locator("#field svg.solved").count() == 0


@both
def test_rules_are_said(visit):
    page = visit()
    for puzzle in (HASHI, SHIKAKU):
        read(page, puzzle)
        for tab in ("Watch", "By hand"):
            page.get_by_role("tab", name=tab).click()
            assert page.locator(".rules:visible").inner_text() == puzzle.rules_in_words()


@both
@pytest.mark.parametrize("name", ["kakuro", "akari"])
def test_black_cells_of_a_puzzle_are_black_and_hold_nothing(visit, name):
    puzzle = get_puzzle(name).examples()[-1]
    page = visit()
    read(page, puzzle)
    click = by_hand(page)
    black = np.argwhere(np.asarray(puzzle.picture().black))
    assert cells_that(page.locator("#field"), "black") == [tuple(cell) for cell in black.tolist()]
    click(*black[-1].tolist())
    page.keyboard.press("9")
    assert marks_of(page) == []
    assert page.locator("#keys button:visible", has_text="none").count() == 0


@both
def test_what_is_given_has_no_dot(visit):
    page = visit()
    read(page, get_puzzle("takuzu").examples()[0])
    by_hand(page)
    assert page.locator("#field .given").count() > 0
    assert page.locator("#field .word.dot").count() == 0


@both
def test_keys_go_on_after_a_click_on_a_button(visit):
    page = visit()
    by_hand(page)(0, 2)
    page.click("#hint")
    page.locator("#put").wait_for()
    page.click("#put")
    assert len(marks_of(page)) > 1
    page.keyboard.press("z")
    assert marks_of(page) == [[2, 1]]
    page.click("#larger")
    assert page.locator("#field svg.zoomed").count() == 1
    page.click("#smaller")
    assert page.locator("#field svg.zoomed").count() == 0


@both
def test_a_loop_is_drawn_around_what_is_shaded(visit):
    puzzle = get_puzzle("slitherlink").examples()[0]
    page = visit()
    read(page, puzzle)
    page.locator("#field .thick").first.wait_for(state="attached")
    assert page.locator("#field .thick").get_attribute("d") == ""  # no frame, as of a loop
    click = by_hand(page)
    click(0, 0)
    click(0, 1)
    click(0, 1)  # outside
    borders = page.locator("#field .paths .thick")
    assert [each.get_attribute("d").count("M") for each in borders.all()] == [3, 1]


def test_a_kind_is_chosen_by_its_picture(visit):
    page = visit()
    page.click("#menu")
    assert page.locator("#kinds span").all_inner_texts() == puzzle_names()
    page.locator("#kinds button", has_text="hashi").click()
    assert page.locator("#kind").inner_text() == "hashi"
    page.locator("#size").fill("5x5")
    page.get_by_role("button", name="Make").click()
    page.locator("#said", has_text="5 x 5 cells").wait_for(timeout=60_000)
    assert page.locator("#source").is_hidden()
    assert page.locator(":focus").get_attribute("id") == "menu"
    page.keyboard.press("Enter")
    page.locator("#kinds button").first.focus()
    page.keyboard.press("Escape")
    assert page.locator("#source").is_hidden()


@both
def test_a_link_of_the_page_has_the_puzzle(visit, home):
    page = visit()
    read(page, HASHI)
    link = page.url
    page = visit()  # another one
    page.goto("about:blank")
    page.goto(link)
    page.locator("#said", has_text="hashi").wait_for()
    page.goto("about:blank")
    page.goto(f"{home}#%7B%22puzzle")
    page.locator("#said.error").wait_for()
    page.locator("svg.board").first.wait_for()


@both
def test_back_goes_to_the_puzzle_before(visit):
    page = visit()
    read(page, HASHI)
    read(page, SHIKAKU)
    page.go_back()
    page.locator("#said", has_text="hashi").wait_for()
    page.go_back()
    page.locator("#said", has_text="nonogram").wait_for()
    page.go_forward()
    page.locator("#said", has_text="hashi").wait_for()
    page.go_forward()
    page.locator("#said", has_text="shikaku").wait_for()


def test_a_link_is_copied_that_others_can_open(visit):
    page = visit()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("tab", name="Print, share").click()
    page.click("#share")
    page.locator("#took", has_text="copied: https://puzz.link").wait_for()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == write_text([A], "puzzlink").strip()
    read(page, get_puzzle("zip").examples()[0])  # which puzz.link does not have
    page.click("#share")
    page.locator("#took", has_text="on this computer alone").wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()") == page.url


def test_several_puzzles_are_a_sheet(visit, tmp_path):
    page = visit()
    choosing(page)
    page.fill("#text", write_text([A, HASHI], "json"))
    page.click("#open")
    page.locator("#which").wait_for()
    page.get_by_role("tab", name="Print, share").click()
    with page.expect_download() as made:
        page.click("#save-sheet")
    made.value.save_as(tmp_path / "sheet.pdf")
    pages = re.findall(rb"/Type /Page\b", (tmp_path / "sheet.pdf").read_bytes())
    assert len(pages) == 2  # and solutions
    read(page, A)
    page.get_by_role("tab", name="Print, share").click()
    assert page.locator("#save-sheet").is_hidden()


def test_a_qr_code_has_the_address(visit):
    page = visit()
    page.get_by_role("tab", name="Print, share").click()
    page.click("#qr")
    link = write_text([A], "puzzlink").strip()
    page.locator("#took", has_text=link).wait_for()
    assert page.locator("#qr-code svg").get_attribute("aria-label") == f"QR code of {link}"
    rows = work.qr_code(link)["rows"]
    dark = page.locator("#qr-code path").get_attribute("d")
    assert dark.count("M") == sum(row.count("1") for row in rows)
    with pytest.raises(InputError, match="too long for a QR code"):
        work.qr_code("x" * 4000)


def test_pictures_are_saved(visit, tmp_path):
    page = visit()
    page.get_by_role("tab", name="Print, share").click()
    for to, head in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        page.select_option("#format", to)
        with page.expect_download() as made:
            page.click("#save-puzzle")
        assert made.value.suggested_filename.endswith(f".{to}")
        made.value.save_as(tmp_path / to)
        assert (tmp_path / to).read_bytes().startswith(head)


@both
@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
def test_the_board_comes_first(visit, width):
    """As wide as a phone, and as high as a desk's window, with everything else beside it."""
    height = 844 if width < 1280 else 900
    page = visit(viewport={"width": width, "height": height})
    for tab in ("Watch", "By hand"):
        page.get_by_role("tab", name=tab).click()
        box = page.locator(".board:visible").bounding_box()
        assert box["y"] < 130
        assert max(box["width"] / width, box["height"] / height) > 0.7
        assert box["y"] + box["height"] <= height
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_by_keyboard_alone(visit):
    page = visit()
    page.locator("#menu").focus()
    page.keyboard.press("Enter")
    page.locator("#text").focus()
    page.keyboard.insert_text(
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    )
    page.keyboard.press("Enter")
    page.locator("#said", has_text="sudoku").wait_for()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.id") == "tab-watch":
            break
    page.keyboard.press("ArrowRight")  # to "By hand"
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.id") == "field":
            break
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator("#here").inner_text() == "row 1, column 3: open"
    page.keyboard.press("4")
    assert page.locator("#here").inner_text() == "row 1, column 3: 4"
    page.keyboard.press("c")
    page.locator("#told", has_text="nothing is wrong so far; 50 cells are open").wait_for()
    page.keyboard.press("Backspace")
    page.keyboard.press("5")
    page.keyboard.press("c")
    page.locator("#told", has_text="these contradict each other:").wait_for()
    page.keyboard.press("Backspace")
    page.keyboard.press("h")
    page.locator("#put").wait_for()
    place, value = re.match(r"(.*) is (\d)[:,]", page.locator("#told").inner_text()).groups()
    assert page.locator("#here").inner_text() == f"{place}: open"
    page.keyboard.press("Enter")
    assert page.locator("#here").inner_text() == f"{place}: {value}"


@both
def test_lines_by_keyboard(visit):
    puzzle = get_puzzle("numberlink").examples()[0]
    page = visit()
    read(page, puzzle)
    page.get_by_role("tab", name="By hand").click()
    page.locator("#field").focus()
    rows, columns = puzzle.shape
    for row in range(rows):
        for column in range(columns):
            sides = int(puzzle.solution[row, column])
            for bit, there, back in ((1, "ArrowRight", "ArrowLeft"), (2, "ArrowDown", "ArrowUp")):
                if sides & bit:
                    page.keyboard.press(f"Shift+{there}")
                    page.keyboard.press(back)
            page.keyboard.press("ArrowRight")
        for _ in range(columns):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
    page.keyboard.press("c")
    page.locator("#told", has_text="Solved").wait_for()


def test_a_coefficient_tells_its_constraints(visit):
    page = visit()
    page.get_by_role("tab", name="Model").click()
    page.locator("#sizes", has_text="44 variables, 108 couplings").wait_for()
    page.locator("#matrix").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#sources li", has_text="from once: ").first.wait_for()
    page.locator("#model-encoding").select_option("domain-wall")
    page.locator("#sizes", has_text="30 variables").wait_for()


@both
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(visit, scheme):
    page = visit(scheme=scheme, viewport={"width": 360, "height": 740}, has_touch=True)
    for tab in ("Watch", "By hand", "Model", "Print, share"):
        page.get_by_role("tab", name=tab).tap()
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    page.get_by_role("tab", name="By hand").tap()
    page.locator("#field svg").tap()
    page.locator("#here", has_text=re.compile("black|white|open")).wait_for(state="attached")
    color = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    shade = sum(map(int, re.findall(r"\d+", color)[:3]))
    assert shade < 200 if scheme == "dark" else shade > 600
    paper = page.locator("#field .paper").evaluate("(own) => getComputedStyle(own).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", paper)[:3])) > 600


@both
def test_clues_can_be_read(visit):
    """A heyawake's number on a black cell, and two numbers of two digits in a row."""
    page = visit(scheme="dark")
    read(page, get_puzzle("heyawake").examples()[0])
    page.get_by_role("tab", name="By hand").click()
    page.locator("#field").focus()
    page.keyboard.press("Space")
    assert cells_that(page.locator("#field"), "black") == [(0, 0)]
    number = page.locator("#field .corner").first.evaluate("(own) => getComputedStyle(own).fill")
    assert sum(map(int, re.findall(r"\d+", number))) > 600
    read(page, LONG)
    ten, thirteen = sorted(
        (each.bounding_box() for each in page.locator("#field .clue tspan").all()[:2]),
        key=lambda box: -box["x"],
    )
    assert ten["x"] - thirteen["x"] - thirteen["width"] > ten["width"] / 4


def test_the_field_holds_no_other_puzzle(visit):
    page = visit()
    text = page.locator("#text")
    read(page, A)
    assert text.input_value()
    choosing(page)
    page.locator("#kinds button", has_text="nonogram").click()
    page.locator("#examples button").first.click()
    page.wait_for_function("() => document.getElementById('text').value === ''")
    choosing(page)
    text.fill("no puzzle")
    page.click("#open")
    page.locator("#said.error").wait_for()
    assert text.input_value() == "no puzzle"
    page.get_by_role("tab", name="Print, share").click()
    page.click("#save-puzzle")
    page.locator("#address", has_text="puzz.link").wait_for()
    with page.expect_download():
        page.click("#save-model")
    assert page.locator("#address").is_hidden()


@both
def test_a_print_is_a_board_and_its_clues(visit):
    page = visit(scheme="dark")
    for tab in ("Watch", "By hand", "Print, share"):
        page.get_by_role("tab", name=tab).click()
        page.emulate_media(media="print")
        others = page.evaluate(
            """() => [...document.querySelectorAll("body *")].filter((each) =>
            each.getClientRects().length && !each.closest(".frame")
            && !each.querySelector(".frame")).map((each) => each.outerHTML)"""
        )
        board = page.locator(".board:visible")
        assert (others, board.count(), board.locator(".clue tspan").count()) == ([], 1, 14)
        paper = page.locator(".paper:visible").evaluate(
            "(own) => getComputedStyle(own).backgroundColor"
        )
        assert paper == "rgb(255, 255, 255)"
        page.emulate_media(media="screen")
    page.get_by_role("tab", name="By hand").click()
    page.locator("#field").focus()
    page.keyboard.press("Space")
    assert (fills(page.locator("#sheet")) == "").all()  # from "Print, share" without marks
    field = page.locator("#field")
    shown = fills(field)
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert (fills(field) == shown.repeat(16, axis=0).repeat(16, axis=1)).all()
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert (fills(field) == shown).all()


@both
def test_everything_has_a_label(visit):
    page = visit()
    page.locator("#second").evaluate("(own) => own.click()")
    page.evaluate(
        "() => document.querySelectorAll('[hidden]').forEach((each) => each.hidden = false)"
    )
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, [role=tab]")]
        .filter((each) => !(each.textContent.trim() || each.getAttribute("aria-label")
            || (each.labels && each.labels.length)) && !each.href).map((each) => each.outerHTML)"""
    )
    assert unnamed == []


def test_texts_of_puzzles_are_text(visit):
    page = visit()
    evil = "<img src=x onerror='window.hurt=1'><script>window.hurt=1</script>"
    read(page, A, title=evil, id=evil)
    ended(solve(page))
    for tab in ("Print, share", "Model", "By hand"):
        page.get_by_role("tab", name=tab).click()
    assert evil in page.locator("#said").inner_text()
    assert page.evaluate("() => window.hurt") is None
    assert page.locator("img").count() == 0


def test_what_is_wrong_is_one_line(visit):
    page = visit()
    choosing(page)
    page.fill("#text", "no puzzle at all")
    page.click("#open")
    page.locator("#said.error", has_text="no format of puzzles").wait_for()


def test_a_recording_opens_without_a_server(visit, browser, tmp_path):
    page = visit()
    read(page, NOISE)
    ended(solve(page, seconds=1))
    page.get_by_role("tab", name="Print, share").click()
    with page.expect_download() as made:
        page.click("#save-run")
    file = tmp_path / "run.html"
    made.value.save_as(file)
    assert file.stat().st_size < 2_000_000
    alone = visit(file.as_uri())
    alone.locator(".status", has_text="state").wait_for()
    alone.get_by_role("button", name="Pause").click()
    now, count = state(alone)
    alone.get_by_role("button", name="Step", exact=True).click()
    assert state(alone) == (now + 1, count)


# --- the page without a server ----------------------------------------------------------


def one_of_each(name):
    return get_puzzle(name).examples()[:1] if name in COPIED else []


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The address of a static build with the first example of these."""
    folder = tmp_path_factory.mktemp("copy") / "page"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "examples_of", one_of_each)
        names = [*build(folder, time_limit=5)]
    assert len(names) == len(COPIED)
    assert sum(file.stat().st_size for file in folder.glob("*.*")) < 5_000_000
    return (folder / "index.html").as_uri()


def test_a_copy_shows_a_recorded_run(visit, copy):
    page = visit(copy)
    page.get_by_role("button", name="Show the recorded run").click()
    own = page.locator(".lane")
    assert ended(own).startswith("valid")
    page.locator(".board.solved").wait_for()
    page.get_by_role("tab", name="Print, share").click()
    assert "seed=1" in page.locator("#snippet").inner_text()
    page.click("#save-puzzle")
    page.locator("#address", has_text="puzz.link").wait_for()


def test_a_copy_says_what_takes_a_server(visit, copy):
    page = visit(copy)
    page.click("#menu")
    page.fill("#text", write_text([NOISE], "puzzlink").strip())
    page.click("#open")
    page.locator("#said.error", has_text="qubopuzzle serve").wait_for()
    page.locator("#kinds button", has_text="hitori").click()
    assert page.locator("#new").is_hidden()
    page.locator("#examples button").first.click()
    page.get_by_role("tab", name="Model").click()
    page.locator("#sizes.error", has_text="qubopuzzle serve").wait_for()
    page.get_by_role("tab", name="Print, share").click()
    for button in ("#save-puzzle", "#save-model"):
        if page.locator("#format option").count() or button == "#save-model":
            page.click(button)
    page.locator("#took.error", has_text="qubopuzzle serve").wait_for()


def test_a_copy_marks_what_differs_from_the_solution(visit, copy):
    page = visit(copy)
    click = by_hand(page)
    click(0, 0)
    page.keyboard.press("c")
    page.locator("#told", has_text="differ from the only solution: 1 of 1 marks").wait_for()
    assert cells_that(page.locator("#field"), "red black") == [(0, 0)]
    page.keyboard.press("h")
    page.locator("#told", has_text="these contradict each other").wait_for()
    page.keyboard.press("z")
    for row, column in np.argwhere(A.solution).tolist():
        click(row, column)
    page.locator("#told", has_text="Solved").wait_for()


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror='window.hurt=1'>",
        '{"puzzle":"nonogram"}',
        "null",
        "[" * 100_000,
        "%",
        "%E0%A4%A",
    ],
    ids=["html", "no board", "null", "deep", "percent", "bytes"],
)
def test_a_copy_with_a_strange_address_says_so(visit, copy, text):
    page = visit(f"{copy}#{text if text.startswith('%') else quote(text)}")
    page.locator("#said.error").wait_for()
    assert page.evaluate("() => window.hurt") is None
    assert page.locator("svg.board").count() >= 1


def test_the_command_writes_a_copy(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(work, "examples_of", lambda name: [A] if name == "nonogram" else [])
    assert main(["serve", "--static", str(tmp_path / "page"), "--time-limit", "5"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(str(tmp_path / "page" / "index.html"))
    assert err == f"{A.id}\n"
    assert main(["serve", "--static", str(tmp_path / "other"), "--host", "::1"]) == 2
    assert "leave out --host" in capsys.readouterr().err
    assert main(["serve", "--static", str(tmp_path / "page")]) == 2
    assert "name a new folder" in capsys.readouterr().err


def test_a_copy_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("")
    for name, line in (("there", "name a new folder"), ("no/where", "No such file")):
        with pytest.raises(InputError, match=line):
            next(build(tmp_path / name, time_limit=1))
    monkeypatch.setattr(work, "examples_of", one_of_each)
    building = build(tmp_path / "page", time_limit=1)
    next(building)
    building.close()
    assert [each.name for each in tmp_path.iterdir()] == ["there"]


def test_a_closed_tab_ends_its_run(visit, server):
    page = visit(locale="de")
    running(page, seconds=20)
    there = children(server[1].pid)
    page.context.close()
    assert one_ends(there)


def test_a_report_of_a_comparison_opens_without_a_server(browser, tmp_path):
    path, said = tmp_path / "report.html", []
    random = {"solver": "random", "reads": 50}
    both = [{"name": "<i>random", **random}, {"name": "sat", "solver": "sat"}]
    found = compare(A, configurations=both, repeat=2, time_limit=5)
    path.write_text(html_report(found))
    page = browser.new_page(viewport={"width": 700, "height": 900})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: asked.url.startswith(("file:", "data:")) or said.append(asked))
    page.goto(path.as_uri())
    table = page.locator("table").first
    names = "tr td:first-child"
    for order in (["<i>random", "sat"], ["sat", "<i>random"]):  # up, then down
        table.get_by_role("button", name="configuration").click()
        assert table.locator(names).all_inner_texts() == order
    for order in (["1", "2"], ["2", "1"]):  # by number
        table.locator("th", has_text="runs").click()
        assert table.locator("tr td:nth-child(4)").all_inner_texts() == order
    page.locator("summary").click()
    page.get_by_role("button", name="command").nth(1).click()
    shown = page.locator("output").inner_text()
    assert shown.endswith("--solver random --reads 50 --seed 1 --time-limit 5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    assert said == []
    page.close()
