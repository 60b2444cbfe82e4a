"""New puzzles with exactly one solution: one engine, and one file a puzzle."""
