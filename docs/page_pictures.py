"""Pictures of the page for docs/page.md, made in Chromium: `python docs/page_pictures.py`."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
from services.page import boards, served

IMAGES = Path(__file__).parent / "images"


def keep(page: Page, name: str) -> None:
    """In 128 colours, a quarter of the bytes."""
    shot = Image.open(io.BytesIO(page.screenshot()))
    shot.convert("RGB").quantize(128).save(IMAGES / f"page-{name}.png", optimize=True)


def watched(page: Page) -> None:
    """A nonogram amid its run, with the weights."""
    text = json.dumps(boards()["nonogram, noise 45x60"].to_dict())
    page.click("#menu")
    page.fill("#text", text)
    page.click("#open")
    page.locator("#said", has_text="45 x 60").wait_for()
    page.get_by_label("weights on the board").check()
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".lane .status", has_text="state").wait_for(timeout=60_000)
    page.wait_for_timeout(2500)
    keep(page, "watch")


def by_hand(page: Page) -> None:
    """A sudoku with a hint."""
    page.click("#menu")
    page.locator("#kinds button", has_text="sudoku").click()
    page.locator("#examples button").first.click()
    page.get_by_role("tab", name="By hand").click()
    page.locator("#field").focus()
    page.keyboard.press("h")
    page.locator("#put").wait_for()
    keep(page, "hand")


def model(page: Page) -> None:
    """The QUBO of the same, and one of its coefficients."""
    page.get_by_role("tab", name="Model").click()
    page.locator("#sizes", has_text="variables").wait_for()
    page.locator("#matrix").hover(position={"x": 77, "y": 77})
    page.locator("#sources li").first.wait_for()
    keep(page, "model")


def main() -> None:
    """Make all of them."""
    with served() as address, sync_playwright() as play:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-quic"]
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for dark, steps in ((False, (watched,)), (True, (by_hand,)), (False, (by_hand, model))):
            scheme = "dark" if dark else "light"
            page = browser.new_page(viewport={"width": 1180, "height": 860}, color_scheme=scheme)
            page.goto(address)
            page.locator("svg.board").first.wait_for()
            for step in steps:
                step(page)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
