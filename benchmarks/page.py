"""The page of `qubopuzzle serve` in Chromium, and what is left of its server after bad visitors.

Two tables. `page`: seconds from a click to the board and to the first state, states shown a second
(live, and of the recording at 60 a second), bytes of the recording as a file, medians over the
rounds. `page_visitors`: what each kind of visitor got, and the server's processes and memory after.

Usage: python benchmarks/page.py [--rounds N]
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import numpy as np
from scipy.ndimage import gaussian_filter

from qubopuzzle import Nonogram, Puzzle
from qubopuzzle.puzzles import get_puzzle
from record import ROOT, Args, Benchmark, Cases, Row, Rows, grouped, main, markdown

sys.path.append(str(ROOT / "tests"))
LIMIT_S = 5
RUNS = 4
TABS = 50

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
  player.querySelector("select").value = "60";
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

    from page_server import served

    rows = []
    data = puzzle.to_dict()
    data.pop("solution", None)
    with served() as (address, _), sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-quic"],
        )
        for seed in range(rounds):
            page = browser.new_page(viewport={"width": 1280, "height": 950})
            page.goto(address)
            page.locator("svg.board").first.wait_for()
            page.fill("#text", json.dumps(data))
            page.locator("summary").click()
            page.get_by_label("Seed", exact=True).fill(str(seed))
            page.get_by_label("Seconds", exact=True).fill(str(LIMIT_S))
            board, first, live = page.evaluate(WATCH)
            again = page.evaluate(REPLAY)
            page.get_by_role("tab", name="Take away").click()
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


# --- visitors -------------------------------------------------------------------------------


def visitors(_: Args) -> Cases:
    yield "visitors", receive


def receive() -> list[Row]:
    from page_server import served

    kinds = {
        f"{TABS} tabs, a run of {LIMIT_S} s each": tabs,
        "20 tabs closed amid their run": closed,
        "1,000 malformed requests": malformed,
        "300 connections that say nothing": silent,
        "100 requests of another page (Origin)": foreign,
        "100 requests for another host (Host)": misled,
        "a body of 200 MB": huge,
        "JSON nested 100,000 deep": nested,
        "a run by `amplify`, with options that name files and hosts": elsewhere,
        "20 bodies of 1 MiB of empty lists": lists,
        "a puzzle with script tags in title, id and source": scripts,
    }
    rows = []
    with served("--runs", str(RUNS)) as (address, process):
        httpx.get(address)
        httpx.post(f"{address}api/about", json={}, timeout=60)
        for name, visit in kinds.items():
            before = resident([process.pid])
            began = time.perf_counter()
            got = visit(address)
            took = time.perf_counter() - began
            time.sleep(5)
            answer = httpx.get(address, timeout=10).status_code
            left = _children(process.pid)
            busy = ticks(left)
            time.sleep(1)
            rows.append({
                "visitor": name,
                "got": dict(got),
                "s": took,
                "then": answer,
                "processes": len(left),
                "busy": ticks(left) - busy,
                "grown_mib": resident([process.pid]) - before,
                "all_mib": resident([process.pid, *left]),
            })  # fmt: skip
    return rows


def _children(pid: int) -> list[int]:
    from page_server import children

    return children(pid)


def ticks(pids: list[int]) -> int:
    from page_server import cpu_of

    return sum(cpu_of(pids).values())


def resident(pids: list[int]) -> float:
    """Memory in MiB, what is shared counted each time."""
    pages = 0
    for pid in pids:
        try:
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def tabs(address: str) -> Counter[str]:
    given = {**_noise(), "time_limit": LIMIT_S}

    async def together() -> list[str]:
        async with httpx.AsyncClient(base_url=address, timeout=120) as client:
            asked = (client.post("api/run", json=given) for _ in range(TABS))
            return [answer.text for answer in await asyncio.gather(*asked)]

    texts = asyncio.run(together())
    return Counter("a result" if "event: result" in t else "told: all busy" for t in texts)


def _noise() -> dict[str, Any]:
    """A run that takes all its time."""
    noise = np.random.default_rng(3).integers(0, 2, (80, 80))
    return {"puzzle": Nonogram.from_picture(noise).to_dict()}


def closed(address: str) -> Counter[str]:
    got: Counter[str] = Counter()
    for _ in range(20):
        given = {**_noise(), "time_limit": 60}
        with httpx.stream("POST", f"{address}api/run", json=given, timeout=60) as answer:
            got[f"{answer.status_code}, closed at the first state"] += bool(next(answer.iter_raw()))
    return got


def malformed(address: str) -> Counter[str]:
    rng = np.random.default_rng(1)
    starts = [b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/9\r\n\r\n", b"GET /" + b"a" * 70_000,
              b"POST /api/read HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
              b"POST /api/read HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]  # fmt: skip
    got: Counter[str] = Counter()
    for number in range(1000):
        with socket.create_connection(_place(address), timeout=10) as made:
            try:
                made.sendall(starts[number % len(starts)] + rng.bytes(50))
                made.shutdown(socket.SHUT_WR)
                said = made.recv(20).decode("latin-1").split()
            except OSError:
                said = []
        got[said[1] if len(said) > 1 else "hung up"] += 1
    return got


def _place(address: str) -> tuple[str, int]:
    host, port = address.removeprefix("http://").strip("/").split(":")
    return host, int(port)


def silent(address: str) -> Counter[str]:
    made = [socket.create_connection(_place(address), timeout=60) for _ in range(300)]
    got: Counter[str] = Counter()
    for each in made:
        try:
            got["hung up" if each.recv(10) == b"" else "answered"] += 1
        except OSError:
            got["hung up"] += 1
        each.close()
    return got


def foreign(address: str) -> Counter[str]:
    return _statuses(address, {"origin": "http://elsewhere.example"})


def misled(address: str) -> Counter[str]:
    return _statuses(address, {"host": "elsewhere.example"})


def _statuses(address: str, headers: dict[str, str]) -> Counter[str]:
    with httpx.Client(base_url=address) as client:
        answers = (client.post("api/about", json={}, headers=headers) for _ in range(100))
        return Counter(str(answer.status_code) for answer in answers)


def huge(address: str) -> Counter[str]:
    def body() -> Any:
        for _ in range(200):
            yield b" " * 10**6

    headers = {"content-type": "application/json"}
    try:
        answer = httpx.post(f"{address}api/read", content=body(), headers=headers, timeout=60)
    except httpx.TransportError:
        return Counter(["hung up"])
    return Counter([str(answer.status_code)])


def nested(address: str) -> Counter[str]:
    headers = {"content-type": "application/json"}
    deep = b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    texts = (deep, json.dumps({"text": "[" * 100_000}).encode())
    answers = (
        httpx.post(f"{address}api/read", content=text, headers=headers, timeout=60)
        for text in texts
    )
    return Counter(str(answer.status_code) for answer in answers)


def elsewhere(address: str) -> Counter[str]:
    puzzle = get_puzzle("nonogram").examples()[0].to_dict()
    got: Counter[str] = Counter()
    for given in ({"solver": "amplify"}, {"solver": "dimod:os:system"}, {"options": {"url": "x"}}):
        told = httpx.post(f"{address}api/run", json={"puzzle": puzzle, **given}, timeout=60).text
        got["one line, nothing run" if told.startswith("event: error") else "taken"] += 1
    return got


def lists(address: str) -> Counter[str]:
    text = b'{"marks": [], "puzzle": [' + b",".join([b"[]"] * 340_000) + b"]}"
    headers = {"content-type": "application/json"}

    async def together() -> list[int]:
        async with httpx.AsyncClient(base_url=address, timeout=120, headers=headers) as client:
            asked = (client.post("api/check", content=text) for _ in range(20))
            return [answer.status_code for answer in await asyncio.gather(*asked)]

    return Counter(map(str, asyncio.run(together())))


def scripts(address: str) -> Counter[str]:
    from playwright.sync_api import sync_playwright

    evil = "<img src=x onerror='window.hurt=1'><script>window.hurt=1</script>"
    puzzle = get_puzzle("nonogram").examples()[0].to_dict()
    puzzle |= {"title": evil, "id": evil, "source": evil}
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(address)
        page.locator("svg.board").first.wait_for()
        page.fill("#text", json.dumps(puzzle))
        page.click("#open")
        page.locator("#said", has_text="onerror").wait_for()
        page.get_by_role("button", name="Solve", exact=True).click()
        page.locator(".verdict.good").wait_for()
        for tab in ("By hand", "Model", "Take away"):
            page.get_by_role("tab", name=tab).click()
        hurt = page.evaluate("() => window.hurt === 1 || document.images.length > 0")
        browser.close()
    return Counter(["executed" if hurt else "shown as text"])


def show_visitors(rows: Rows) -> str:
    lines = []
    for row in rows:
        got = ", ".join(f"{what} ({n})" for what, n in sorted(row["got"].items()))
        lines.append([
            row["visitor"], got, f"{row['s']:.1f}", str(row["then"]), str(row["processes"]),
            str(row["busy"]), f"{row['grown_mib']:+.1f}", f"{row['all_mib']:.0f}",
        ])  # fmt: skip
    heads = ["visitors", "what they got", "s", "the page then", "processes", "their ticks a second",
             "server MiB more", "MiB in all"]  # fmt: skip
    return markdown(heads, lines)


BENCHMARKS = (
    Benchmark("page", cases, {"page": show}),
    Benchmark("page_visitors", visitors, {"page_visitors": show_visitors}),
)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, {"rounds": (5, "rounds, each with a seed of its own")})
