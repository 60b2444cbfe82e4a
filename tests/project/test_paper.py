"""The paper: what it cites is in its bibliography, and what it claims has a command."""

import re
from pathlib import Path

import harness

PAPER = Path(__file__).parents[2] / "paper"
TEXT = (PAPER / "paper.md").read_text()


def test_what_is_cited_is_in_the_bibliography_and_the_other_way_round():
    entries = set(re.findall(r"^@\w+\{(\w+),$", (PAPER / "paper.bib").read_text(), re.M))
    assert set(re.findall(r"@(\w+)", TEXT.partition("\n# ")[2])) == entries


def test_claims_are_linked_to_benchmarks_that_there_are():
    named = set(re.findall(r"`python benchmarks (\w+)", TEXT))
    assert named
    assert named <= set(harness.scripts())
