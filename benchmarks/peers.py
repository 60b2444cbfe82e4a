"""The same as ``python benchmarks peers``."""

import harness

if __name__ == "__main__":
    harness.run("peers")
