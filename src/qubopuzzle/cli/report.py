"""``qubopuzzle report``."""

from argparse import Namespace

from qubopuzzle.cli.parser import EXPERIMENTS, REPORT, SUBMISSION, Parser
from qubopuzzle.cli.terminal import OUR_FAULT, SOLVED, notice, say

_EXIT_STATUS = """exit status:
  0  the report is made
  2  wrong usage, or a file that is no journal
  4  two solvers contradict each other, or an error of this program"""


def add_arguments(parser: Parser) -> None:
    """Which journals, and what to write."""
    parser.epilog = _EXIT_STATUS
    what = "what `qubopuzzle compare --json FILE` wrote; of several, machines are told apart"
    parser.add_argument("journals", nargs="+", metavar="JOURNAL", help=what)
    parser.option("-o --report FILE", REPORT, action="append", default=[])
    parser.shared("--best-known NAME=VALUE|FILE", *EXPERIMENTS, *SUBMISSION)
    parser.option("--csv FILE", "write the table")
    parser.option("--plot FILE", "draw solved runs over time, and time over size")


def run(args: Namespace) -> int:
    """Print the tables of journals, and write reports."""
    from qubopuzzle.bench.merge import load_comparison
    from qubopuzzle.cli import reporting

    outputs = reporting.outputs(args, args.journals)
    done = load_comparison(*args.journals, best_known=reporting.best_known(args))
    try:
        reporting.write(done, outputs)
        reporting.write_folders(args, done)
    finally:
        reporting.print_comparison(done)
    for name, why in done.left_out.items():
        notice(f"{name} are left out: {why}")
    for contradiction in done.contradictions:
        say(*reporting.contradiction_block(contradiction), error=True)
    return OUR_FAULT if done.contradictions else SOLVED
