"""The same as ``python benchmarks frontier``."""

import harness

if __name__ == "__main__":
    harness.run("frontier")
