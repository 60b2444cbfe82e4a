"""The same as ``python benchmarks models_of_others``."""

import harness

if __name__ == "__main__":
    harness.run("models_of_others")
