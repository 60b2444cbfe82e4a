"""``python -m qubopuzzle.cli`` is ``qubopuzzle``."""

import sys

from qubopuzzle.cli import main

sys.exit(main())
