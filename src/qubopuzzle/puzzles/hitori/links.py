"""Hitori in the players: ``hitori``, and ``singles`` in Simon Tatham's collection."""

from __future__ import annotations

from qubopuzzle.puzzles.links import Code, Link, Numbers, Shading

BASE36 = Code(
    base=36,
    forms=((0, "", 0, 1), (36, "-", 0, 2)),
    blanks=".",
    unknown="@%",
    where="an address of hitori",
)
"""One character a cell, three from 36 on."""

_GRID = Numbers("grid", code=BASE36, unknown="blank")
LINKS = (Link("hitori", body=[_GRID], file=[_GRID, Shading()]),)
