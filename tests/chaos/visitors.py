"""What is left of the page's server after bad visitors, as a table; not part of the tests.

    python tests/chaos/visitors.py

A line a kind of visitor: what it got, whether the page answers afterwards, and the server's
processes and memory. It takes Chromium, and Linux: it looks into /proc.
"""

import asyncio
import json
import os
import shutil
import socket
import sys
import time
from collections import Counter
from pathlib import Path

import httpx
import numpy as np
from playwright.sync_api import sync_playwright

from qubopuzzle import Nonogram
from qubopuzzle.puzzles import get_puzzle

sys.path.append(str(Path(__file__).parents[1] / "helpers"))
from page_server import children, cpu_of, served

LIMIT_S = 5
RUNS = 4
TABS = 50


def receive() -> list[dict]:
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
            left = children(process.pid)
            busy = sum(cpu_of(left).values())
            time.sleep(1)
            rows.append({
                "visitor": name,
                "got": dict(got),
                "s": took,
                "then": answer,
                "processes": len(left),
                "busy": sum(cpu_of(left).values()) - busy,
                "grown_mib": resident([process.pid]) - before,
                "all_mib": resident([process.pid, *left]),
            })  # fmt: skip
    return rows


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


def _noise() -> dict[str, object]:
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
    def body() -> object:
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
        page.click("#menu")
        page.fill("#text", json.dumps(puzzle))
        page.click("#open")
        page.locator("#said", has_text="onerror").wait_for()
        page.get_by_role("button", name="Solve", exact=True).click()
        page.locator(".verdict.good").wait_for()
        for tab in ("By hand", "Model", "Print, share"):
            page.get_by_role("tab", name=tab).click()
        hurt = page.evaluate("() => window.hurt === 1 || document.images.length > 0")
        browser.close()
    return Counter(["executed" if hurt else "shown as text"])


def main() -> None:
    heads = ["visitors", "what they got", "s", "the page then", "processes", "their ticks a second"]
    heads += ["server MiB more", "MiB in all"]
    print("| " + " | ".join(heads) + " |")
    for row in receive():
        got = ", ".join(f"{what} ({n})" for what, n in sorted(row["got"].items()))
        line = [row["visitor"], got, f"{row['s']:.1f}", str(row["then"]), str(row["processes"])]
        line += [str(row["busy"]), f"{row['grown_mib']:+.1f}", f"{row['all_mib']:.0f}"]
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    main()
