"""The same as ``python benchmarks start``."""

import harness

if __name__ == "__main__":
    harness.run("start")
