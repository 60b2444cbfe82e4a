"""Heyawake in the players."""

from qubopuzzle.puzzles.links import Link, rooms, shading

LINKS = (Link("heyawake", body=[rooms], file=[rooms, shading], version="pzprv3.1"),)
