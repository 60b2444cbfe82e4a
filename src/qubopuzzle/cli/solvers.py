"""``qubopuzzle solvers``."""

from argparse import Namespace

from qubopuzzle.cli.terminal import SOLVED, print_table


def run(_: Namespace) -> int:
    """List the solvers and their options."""
    from qubopuzzle.solvers import all_solvers

    rows = []
    for name, solver in sorted(all_solvers().items()):
        here = solver.available()
        state = here.version or "yes" if here.ok else f"no: {here.why}"
        rows.append([name, "exact" if solver.exact else "heuristic", state, solver.about])
        for option in solver.options:
            default = "" if option.default is None else f" (default {option.default})"
            rows.append(["", "", "", f"--option {option.name}=...: {option.help}{default}"])
            for value, meaning in option.choices.items():
                rows.append(["", "", "", f"    {option.name}={value}: {meaning}"])
    rows.append(["dimod:module:Class", "heuristic", "", "any dimod sampler that is installed"])
    print_table(["solver", "kind", "available", "what it is"], rows)
    return SOLVED
