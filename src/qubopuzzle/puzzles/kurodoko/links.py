"""Kurodoko in the players: ``kurodoko``, and ``range`` in Simon Tatham's collection."""

from __future__ import annotations

from qubopuzzle.puzzles.links import Link, Numbers, Shading

_GRID = Numbers("grid", unknown="kept")
LINKS = (Link("kurodoko", body=[_GRID], file=[_GRID, Shading()]),)
