"""The same as ``python benchmarks cqms``."""

import harness

if __name__ == "__main__":
    harness.run("cqms")
