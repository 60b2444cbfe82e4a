"""The page of `qubopuzzle serve` in Chromium: how soon it shows a board, how many states a second.

Seconds from a click to the board and to the first state, states shown a second (live, and of the
recording at 60 a second), bytes of the recording as a file, medians over the rounds.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np
from scipy.ndimage import gaussian_filter

from harness import Args, Benchmark, Cases, Row, Rows, grouped, markdown
from qubopuzzle import Nonogram, Puzzle
from qubopuzzle.puzzles import get_puzzle

LIMIT_S = 5

WATCH = """async (seconds) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const said = document.getElementById("said");
  const began = performance.now();
  said.textContent = "";
  document.getElementById("open").click();
  while (!said.textContent.includes("cells")) await frame();
  await frame();
  const board = performance.now();
  document.querySelector(".lane button.main").click();
  const player = document.querySelector(".player");
  const status = player.querySelector(".status");
  while (!status.textContent) await frame();
  await frame();
  const first = performance.now();
  const rates = [];
  while (player.dataset.state !== "done") {
    await frame();
    if (performance.now() - first > 1500 && player.dataset.state === "running")
      rates.push(Number(player.dataset.rate));
  }
  return [(board - began) / 1000, (first - board) / 1000, rates];
}"""

REPLAY = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const player = document.querySelector(".player");
  player.querySelector("select[aria-label^='Speed']").value = "60";
  player.querySelector("[title='Back to the start']").click();
  player.querySelector("[title='Play']").click();
  const began = performance.now();
  const rates = [];
  while (player.querySelector("[title='Pause']") && performance.now() - began < 4000) {
    await frame();
    if (performance.now() - began > 1000) rates.push(Number(player.dataset.rate));
  }
  return rates;
}"""


def boards() -> dict[str, Puzzle]:
    rng = np.random.default_rng(3)
    blobs = gaussian_filter(rng.normal(size=(45, 60)), 1.3) > 0.02
    return {
        "nonogram, blobs 45x60": Nonogram.from_picture(blobs.astype(int)),
        "nonogram, noise 45x60": Nonogram.from_picture(rng.integers(0, 2, (45, 60))),
        "sudoku 9x9": get_puzzle("sudoku").examples()[0],
    }


def cases(args: Args) -> Cases:
    for name, puzzle in boards().items():
        yield name, watch, name, puzzle, args.rounds


def watch(name: str, puzzle: Puzzle, rounds: int) -> list[Row]:
    from playwright.sync_api import sync_playwright

    rows = []
    data = puzzle.to_dict()
    data.pop("solution", None)
    with served() as address, sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-quic"],
        )
        for seed in range(rounds):
            page = browser.new_page(viewport={"width": 1280, "height": 950})
            page.goto(address)
            page.locator("svg.board").first.wait_for()
            page.click("#menu")
            page.fill("#text", json.dumps(data))
            page.locator(".lane summary").click()
            page.get_by_label("Seed", exact=True).fill(str(seed))
            page.get_by_label("Seconds", exact=True).fill(str(LIMIT_S))
            board, first, live = page.evaluate(WATCH)
            again = page.evaluate(REPLAY)
            page.get_by_role("tab", name="Print, share").click()
            with page.expect_download() as saved, tempfile.TemporaryDirectory() as folder:
                page.click("#save-run")
                file = Path(folder) / "run.html"
                saved.value.save_as(file)
                size = file.stat().st_size
            seconds = {"board_s": board, "first_s": first}
            rates = {"live": _middle(live), "again": _middle(again)}
            rows.append({"board": name, "seed": seed, **seconds, **rates, "bytes": size})
            page.close()
        browser.close()
    return rows


@contextmanager
def served() -> Iterator[str]:
    """The address of a server in a process of its own."""
    words = [sys.executable, "-m", "qubopuzzle", "serve", "--port", "0", "--time-limit", "20"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.send_signal(signal.SIGINT)


def _middle(rates: list[float]) -> float | None:
    return median(rates) if rates else None


def show(rows: Rows) -> str:
    lines = []
    for (name,), own in grouped(rows, "board").items():
        middle = {
            key: [row[key] for row in own if row[key] is not None]
            for key in ("board_s", "first_s", "live", "again", "bytes")
        }
        lines.append([
            name,
            f"{median(middle['board_s']):.2f}",
            f"{median(middle['first_s']):.2f}",
            f"{median(middle['live']):.0f}" if middle["live"] else "over sooner",
            f"{median(middle['again']):.0f}" if middle["again"] else "over sooner",
            f"{median(middle['bytes']) / 1000:,.0f}",
        ])  # fmt: skip
    heads = ["puzzle", "board s", "first state s", "live states/s", "again states/s", "file kB"]
    return markdown(heads, lines)


BENCHMARKS = (Benchmark("page", cases, {"page": show}),)
SETTINGS = {"rounds": (5, "rounds, each with a seed of its own")}
