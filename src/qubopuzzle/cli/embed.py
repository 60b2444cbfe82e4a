"""``qubopuzzle embed``."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING

from qubopuzzle.cli import terminal
from qubopuzzle.cli.parser import Parser, settings_of
from qubopuzzle.cli.terminal import NOT_SOLVED, SOLVED, complain, print_table, say

if TYPE_CHECKING:
    from pathlib import Path

    from qubopuzzle.embedding import Hardware
    from qubopuzzle.problem import Problem
    from qubopuzzle.solving.embed import EmbeddedForm
    from qubopuzzle.solving.settings import Settings

_COLUMNS = ["formulation", "encoding", "variables", "couplings", "degree", "at least", "qubits"]
_COLUMNS += ["longest chain", "mean", "found", "seconds", "as a clique"]


def add_arguments(parser: Parser) -> None:
    """Which forms, on which graph, and how long to search."""
    parser.sources("+")
    graph = "pegasus:N (default pegasus:16), zephyr:N, chimera:N, or a file: properties of a QPU"
    parser.option("--topology T", f"{graph} (JSON), or a coupler a line", default="pegasus:16")
    works = "of qubits and couplers that work, drawn by the seed"
    parser.option("--yield FRACTION", works, default=1.0)
    parser.option("--formulation F", "only this one")
    parser.option("--encoding E", "only this one")
    parser.shared("--presolve HOW", "--weight FAMILY=W")
    parser.option(
        "--tries N", "searches for each form; the best embedding counts (default 10)", default=10
    )
    parser.option("--seed N", "for the searches, and for what works")
    parser.option("--time-limit SECONDS", "for all tries of a form (default 60)", default=60.0)
    parser.shared("--json")
    parser.option("--plot FILE", "draw the best embedding; {id} in the name for several puzzles")


def run(args: Namespace) -> int:
    """Print what each form of each puzzle takes; whether there is one that fits."""
    import secrets

    from qubopuzzle.base.checks import whole
    from qubopuzzle.embedding import Hardware

    settings = settings_of(args)
    seed = secrets.randbits(31) if args.seed is None else whole("seed", args.seed, 0, 2**63 - 1)
    working = getattr(args, "yield")
    puzzles = terminal.load(args)
    files = terminal.paths("--plot", args.plot, puzzles)
    hardware = Hardware.of(args.topology, working, seed)
    if not args.json:
        dead = f", {working:.1%} of the ideal graph's work" if working < 1 else ""
        say(f"{hardware.describe()}{dead}; seed {seed}")
    worst = SOLVED
    for puzzle, file in zip(puzzles, files, strict=True):
        forms: list[EmbeddedForm] = []
        try:
            _search(puzzle, hardware, settings, args, seed, forms)
        finally:  # on Ctrl-C, too
            if forms:
                _print(puzzle, forms, hardware, args, seed)
        fitting = [form for form in forms if form.best is not None]
        if all(form.refused for form in forms):
            worst = complain(
                f"{puzzle.id or puzzle.name}: no form can be built: {forms[0].refused}"
            )
        elif not fitting:
            worst = max(worst, NOT_SOLVED)
        if file is not None:
            _plot(file, puzzle, fitting, hardware)
    return worst


def _search(
    puzzle: Problem,
    hardware: Hardware,
    settings: Settings,
    args: Namespace,
    seed: int,
    forms: list[EmbeddedForm],
) -> None:
    """Add form by form, with a bar where somebody watches."""
    from qubopuzzle.solving import bars
    from qubopuzzle.solving.embed import embed_each
    from qubopuzzle.solving.info import forms_of

    chosen = forms_of(puzzle, settings)
    limits = {"tries": args.tries, "seed": seed, "time_limit": args.time_limit}
    searched = embed_each(puzzle, hardware, chosen, **limits)
    with bars.counting(puzzle.id or puzzle.name, len(chosen)) as advance:
        for form in searched:
            forms.append(form)
            advance(f"{form.formulation}, {form.encoding}")


def _print(
    puzzle: Problem, forms: list[EmbeddedForm], hardware: Hardware, args: Namespace, seed: int
) -> None:
    if args.json:
        about = {"id": puzzle.id, "puzzle": puzzle.name, "topology": hardware.name, "seed": seed}
        say(json.dumps({**about, "forms": [form.to_dict() for form in forms]}))
        return
    say(f"{puzzle.id or puzzle.name}: {puzzle.name}, {puzzle.extent}")
    print_table(_COLUMNS, map(_cells, forms), right=range(2, len(_COLUMNS)))
    notes: dict[str, None] = {}
    for form in forms:
        if why := form.refused:
            notes[f"{form.formulation}: {why}"] = None
        elif why := form.search.impossible:
            notes[f"{form.formulation}, {form.encoding}: it {why}"] = None
    if notes:
        say(*notes)


def _cells(form: EmbeddedForm) -> list[str]:
    head = [form.formulation, form.encoding]
    if form.refused:
        return [*head, "refused", *[""] * (len(_COLUMNS) - 3)]
    best, search = form.best, form.search
    fits = (
        ["none", "", ""]
        if best is None
        else [
            f"{best.qubits:,}",
            f"{best.longest}",
            f"{best.mean:.2f}",
        ]
    )
    return [
        *head,
        f"{len(form.variables):,}",
        f"{form.couplings:,}",
        f"{form.degree}",
        f"{form.least_qubits:,}",
        *fits,
        f"{len(search.embeddings)} of {search.tries}",
        f"{search.seconds:.1f}",
        "none" if form.clique is None else f"{form.clique.qubits:,}",
    ]


def _plot(file: Path, puzzle: Problem, fitting: list[EmbeddedForm], hardware: Hardware) -> None:
    """Draw the one of all forms that takes the fewest qubits."""
    from qubopuzzle.base.writing import image_format, write_whole
    from qubopuzzle.picture.chains import draw_chains
    from qubopuzzle.picture.figure import image

    best = min(((form.best.qubits, i) for i, form in enumerate(fitting) if form.best), default=None)
    if best is None:
        terminal.notice(f"{file}: not drawn: nothing fits")
        return
    form = fitting[best[1]]
    chains = list(form.chains.values())
    what = f"{puzzle.id or puzzle.name}, {form.formulation}, {form.encoding}"
    title = f"{what}: {len(chains)} variables on {best[0]} qubits of {hardware.name}"
    write_whole(file, image(draw_chains(hardware.graph, chains, title), image_format(file)))
