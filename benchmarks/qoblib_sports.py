"""The same as ``python benchmarks qoblib_sports``."""

import harness

if __name__ == "__main__":
    harness.run("qoblib_sports")
