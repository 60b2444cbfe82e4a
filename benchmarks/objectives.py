"""The same as ``python benchmarks objectives``."""

import harness

if __name__ == "__main__":
    harness.run("objectives")
