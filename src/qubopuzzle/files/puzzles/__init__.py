"""File formats: one file each; ``load`` tells which one a text is in from its content."""

from qubopuzzle.files.puzzles.answers import Answer, load_answers, match
from qubopuzzle.files.puzzles.reading import load, read_text
from qubopuzzle.files.puzzles.registry import (
    all_formats,
    check_format,
    formats_for,
    get_format,
    solved_address,
    write_text,
)

__all__ = [
    "Answer",
    "all_formats",
    "check_format",
    "formats_for",
    "get_format",
    "load",
    "load_answers",
    "match",
    "read_text",
    "solved_address",
    "write_text",
]
