"""``python benchmarks NAME``: run a benchmark, or list all of them."""

import sys

from harness import run

if __name__ == "__main__":
    run(*sys.argv[1:2], argv=sys.argv[2:])
