"""The same as ``python benchmarks published``."""

import harness

if __name__ == "__main__":
    harness.run("published")
