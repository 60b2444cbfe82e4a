"""Heyawake in the players."""

from __future__ import annotations

from qubopuzzle.puzzles.links import Link, Rooms, Shading

LINKS = (Link("heyawake", body=[Rooms()], file=[Rooms(), Shading()], version="pzprv3.1"),)
