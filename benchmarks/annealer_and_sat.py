"""The same as ``python benchmarks annealer_and_sat``."""

import harness

if __name__ == "__main__":
    harness.run("annealer_and_sat")
