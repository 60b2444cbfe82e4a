"""File formats: one file each; ``load`` tells which one a text is in from its content."""

from qubopuzzle.files.puzzles.answers import Answer, load_answers, match
from qubopuzzle.files.puzzles.formats import (
    all_formats,
    check_format,
    formats_for,
    get_format,
    load,
    read_text,
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
