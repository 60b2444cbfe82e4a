"""Reading and writing: puzzles, models, and files that are written whole or not at all."""
