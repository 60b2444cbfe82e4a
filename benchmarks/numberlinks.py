"""The same as ``python benchmarks numberlinks``."""

import harness

if __name__ == "__main__":
    harness.run("numberlinks")
