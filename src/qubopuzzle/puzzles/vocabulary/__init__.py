"""What several puzzles share: a vocabulary of clues and rules, grids, paths, regions.

A puzzle in one file is a ``kind.Kind``: its fields are ``clues``, what may stand in its cells is
``values``, and its rules are those of ``rules``, each of which is stated for a model and for an
answer.
"""
