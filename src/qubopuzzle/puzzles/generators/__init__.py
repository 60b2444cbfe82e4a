"""Generators of kinds whose boards take more than ``Kind.drawn`` and ``Kind.excluding``."""
