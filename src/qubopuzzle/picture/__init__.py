"""A puzzle's picture: one description, drawn as text or with matplotlib."""

from qubopuzzle.picture.description import Picture

__all__ = ["Picture"]
