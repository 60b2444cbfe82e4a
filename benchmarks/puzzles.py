"""The same as ``python benchmarks puzzles``."""

import harness

if __name__ == "__main__":
    harness.run("puzzles")
