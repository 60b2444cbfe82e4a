"""File formats: one file each; ``load`` tells which one a text is in from its content."""

from qubopuzzle.formats.answers import Answer, load_answers, match
from qubopuzzle.formats.reading import load, read_text

__all__ = ["Answer", "load", "load_answers", "match", "read_text"]
