"""How weights learn: the annealer's rule against others, on boards that no setting was chosen on.

The boards of `generated/frontier.jsonl` that propagation does not decide, after propagation, one
thread. Each scheme has a process of its own, in which it takes the place of
``kernels.update_weights``, or of the portfolio or the start of reads, before the kernels are
compiled; on each board and seed all schemes take turns. Seconds are those of presolving,
compiling, solving and judging together, without imports and kernels; the limit is on solving. A
run that ends without a valid answer counts as three times the limit, and a table's seconds are
the sum, over the boards, of the medians over the seeds. One table: weights.

Usage: python benchmarks/weights.py [--seeds N] [--time-limit S] [--only TEXT ...]
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from instances import GENERATED
from presolve import STAGES
from qubopuzzle import Puzzle, load, solve
from qubopuzzle.annealing import PORTFOLIO, AnnealingParameters, State, kernels, search
from qubopuzzle.annealing.form import AnnealingForm
from qubopuzzle.annealing.kernels import BROKEN, ENERGY, PASSES, FloatArray, settle_rows
from qubopuzzle.jit import called, inlined
from qubopuzzle.model import propagate
from qubopuzzle.reads import generator
from record import ROOT, Args, Benchmark, Cases, Row, Rows, grouped, main, markdown

BOARDS = GENERATED / "frontier.jsonl"
MISS = 3
"""A run without an answer counts as so many times the limit."""
CODE = "import sys, weights; weights.serve(sys.argv[1])"
_BEFORE, _SHARES = ENERGY + 1, ENERGY + 2
"""Places in ``StateArrays.counts`` that ``Roomy`` adds."""
_learned: Any = kernels.update_weights


# --- schemes ---------------------------------------------------------------------------


def raising(gain: Any, decays: bool = True) -> Any:
    """The package's rule, but ``gain(a, s, row, missed, increment)`` is what a broken row gains."""

    @called
    def update(a: Any, s: Any, increment: float, decay: float) -> int:
        settle_rows(a, s)
        for i in range(s.counts[BROKEN]):
            row = s.broken[i]
            s.row_weight[row] += gain(a, s, row, s.missed[row], increment) - increment
        return int(_learned(a, s, increment, decay if decays else 1.0))

    return update


@inlined
def transferred(a: Any, s: Any, row: int, missed: int, increment: float) -> float:  # noqa: ARG001
    """Weight that the heaviest satisfied row gives, of those of one unit; units take turns.

    Without decay: the sum of all weights is fixed. Ishtaiwi, Thornton, Sattar and Pham,
    "Neighbourhood clause weight redistribution in local search for SAT" (DDFW, 2005); Chowdhury,
    Codel and Heule, "A linear weight transfer rule for local search" (2023), as in TaSSAT.
    """
    start = a.touching_start[row]
    n = a.touching_start[row + 1] - start
    giver, most, given = -1, 0.0, 0.0
    if n > 0 and increment > 0.0:
        unit = a.touching_unit[start + s.counts[PASSES] % n]
        for k in range(a.slot_start[unit], a.slot_start[unit + 1]):
            other = a.slot_row[k]
            satisfied = a.lower[other] <= s.total[other] <= a.upper[other]
            if satisfied and s.row_weight[other] > most:
                giver, most = other, s.row_weight[other]
    if giver >= 0:
        given = min(0.075 * most + 0.175 * s.row_base[giver], most)
        s.row_weight[giver] -= given
    return given


@inlined
def by_violation(a: Any, s: Any, row: int, missed: int, increment: float) -> float:  # noqa: ARG001
    """In proportion to the penalty, as in the method of multipliers.

    Schuurmans, Southey and Holte, "The exponentiated subgradient algorithm for heuristic
    Boolean programming" (2001).
    """
    return increment * missed


@inlined
def by_size(a: Any, s: Any, row: int, missed: int, increment: float) -> float:  # noqa: ARG001
    """Times the share of the row, see ``shares``."""
    share: float = s.mass[s.counts[_SHARES] + row]
    return increment * share


@called
def minima_only(a: Any, s: Any, increment: float, decay: float) -> int:
    """Nothing is raised where the energy of the rows fell since the pass before.

    As in the breakout method, whose weights change in local minima: Morris, "The breakout method
    for escaping from local minima" (1993).
    """
    settle_rows(a, s)
    energy = s.counts[ENERGY]
    raised = 0.0 if energy < s.counts[_BEFORE] else increment
    s.counts[_BEFORE] = energy
    return int(_learned(a, s, raised, decay))


@called
def smoothing(a: Any, s: Any, increment: float, decay: float) -> int:
    """The decay of 20 passes at once.

    Hutter, Tompkins and Hoos, "Scaling and probabilistic smoothing" (SAPS, 2002); Thornton, Pham,
    Bain and Ferreira, "Additive versus multiplicative clause weighting for SAT" (PAWS, 2004),
    where it comes after a fixed number of increases.
    """
    s.counts[_BEFORE] += 1
    return int(_learned(a, s, increment, decay**20 if s.counts[_BEFORE] % 20 == 0 else 1.0))


def shares(form: AnnealingForm) -> FloatArray:
    """1 / (mean coefficient times the square root of the units that touch it), of each row.

    Times a number that makes their mean 1, so that only the distribution differs. Where all rows
    are of a size, as in kurodokos and numberlinks, nothing does. Chu, Cai, Luo, Lei and Peng,
    "Towards more efficient local search for pseudo-Boolean optimization" (NuPBO, 2023), divides
    weights by the mean coefficient.
    """
    a = form.arrays
    slots = np.bincount(a.slot_row, minlength=a.n_rows)
    amounts = np.bincount(a.slot_row, weights=np.abs(a.slot_amount), minlength=a.n_rows)
    mean = np.where(slots > 0, amounts / np.maximum(slots, 1), 1.0)
    share = 1 / (mean * np.sqrt(np.maximum(np.diff(a.touching_start), 1)))
    return share / share.mean() if share.size else share


class Roomy(State):
    """With two more entries in ``counts``, and numbers of its own at the end of ``mass``."""

    def __init__(
        self, form: AnnealingForm, rng: np.random.Generator, numbers: ArrayLike = ()
    ) -> None:
        super().__init__(form, rng)
        counts, mass = self.arrays.counts, self.arrays.mass
        self.arrays = self.arrays._replace(
            counts=np.append(counts, [0, len(mass)]), mass=np.append(mass, numbers)
        )
        self._pack()


class Sized(Roomy):
    """With the shares of its rows."""

    def __init__(self, form: AnnealingForm, rng: np.random.Generator) -> None:
        super().__init__(form, rng, shares(form))


class Elite(State):
    """Odd reads start from the best state of those before, with a fifth of its units redrawn."""

    before: ClassVar[list[State]] = []

    def randomize(self) -> None:
        """Called once for each read."""
        super().randomize()
        before = Elite.before
        if before and before[0].form is not self.form:
            before.clear()
        if len(before) % 2:
            best = min(before, key=lambda state: state.energy).best
            kept = self.rng.random(self.form.n_units) >= 0.2
            self.set_values(np.where(kept[self.form.arrays.unit_of_choice], best, self.value))
        before.append(self)


def fixed(_seed: int) -> Sequence[AnnealingParameters]:
    """Nothing is learnt."""
    return [replace(own, increment=0.0) for own in PORTFOLIO]


def drawn(seed: int) -> Sequence[AnnealingParameters]:
    """Drawn anew for each read, as CP-SAT's violation-guided search draws its own at restarts."""
    rng = generator(seed, len(PORTFOLIO))
    return [
        AnnealingParameters(
            beta=5 * 5 ** rng.random(),
            increment=0.05 * 6 ** rng.random(),
            decay=rng.choice([0.98, 0.99]) if rng.random() < 0.5 else 0.999,
            focus=rng.choice([0.9, 0.97]),
        )
        for _ in range(1000)
    ]


@dataclass(frozen=True)
class Scheme:
    """What differs from the package: the rule, the state of a read, the portfolio by the seed."""

    update: Any = None
    state: type[State] = State
    portfolio: Callable[[int], Sequence[AnnealingParameters]] = lambda _: PORTFOLIO


SCHEMES = {
    "learned": Scheme(),
    "fixed": Scheme(portfolio=fixed),
    "transfer": Scheme(raising(transferred, decays=False)),
    "minima only": Scheme(minima_only, Roomy),
    "by violation": Scheme(raising(by_violation)),
    "by size": Scheme(raising(by_size), Sized),
    "smoothing": Scheme(smoothing, Roomy),
    "random draws": Scheme(portfolio=drawn),
    "elite": Scheme(state=Elite),
}


# --- processes -------------------------------------------------------------------------


def serve(name: str) -> None:
    """Solve what is asked for, a line of JSON each, by one scheme."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's end is ours
    scheme = SCHEMES[name]
    kernels.update_weights = scheme.update or _learned
    search.State = scheme.state  # type: ignore[misc]
    puzzles = {puzzle.id: puzzle for puzzle in boards()}
    for puzzle in {puzzle.name: puzzle for puzzle in puzzles.values()}.values():  # all is imported
        solve(puzzle, "annealer", presolve="propagate", reads=1, options={"sweeps": 1})
    print(flush=True)
    for line in sys.stdin:
        print(json.dumps(_solved(scheme, puzzles, **json.loads(line))), flush=True)


def _solved(scheme: Scheme, puzzles: dict[str, Puzzle], id: str, **settings: Any) -> Row:  # noqa: A002
    portfolio = scheme.portfolio(settings["seed"])
    search.portfolio_for = lambda *_: portfolio
    result = solve(puzzles[id], "annealer", presolve="propagate", **settings)
    seconds = sum(map(result.timings_s.__getitem__, STAGES))
    return {
        "seconds": seconds if result.valid else None,
        "energy": result.energy,
        "reads": result.reads,
    }


class Process:
    """One that serves a scheme, with a cache of kernels of its own where they differ."""

    def __init__(self, name: str, stack: ExitStack) -> None:
        paths = map(str, (ROOT / "src", Path(__file__).parent))
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        if SCHEMES[name].update is not None:
            cache = TemporaryDirectory(prefix="weights-", ignore_cleanup_errors=True)
            env["NUMBA_CACHE_DIR"] = stack.enter_context(cache)
        command, pipe = [sys.executable, "-c", CODE, name], subprocess.PIPE
        process = subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True)
        stack.callback(process.communicate)  # what is asked for is its last
        self._process = process
        self._name = name

    def heard(self) -> str:
        """Its next line."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"error: the process of scheme {self._name!r} ended")
        return line

    def asked(self, **what: Any) -> Row:
        """Its answer."""
        assert self._process.stdin is not None
        print(json.dumps(what), file=self._process.stdin, flush=True)
        row: Row = json.loads(self.heard())
        return row


def started(stack: ExitStack) -> dict[str, Process]:
    """The processes by scheme, once all of them have compiled their kernels."""
    processes = {name: Process(name, stack) for name in SCHEMES}
    for process in processes.values():
        process.heard()
    return processes


# --- the benchmark ---------------------------------------------------------------------


def boards() -> list[Puzzle]:
    return [puzzle for puzzle in load(BOARDS) if isinstance(puzzle, Puzzle)]


def undecided() -> Iterator[Puzzle]:
    for puzzle in boards():
        if propagate(puzzle.model(puzzle.formulation_for(cuts=False))).model.n_literals:
            yield puzzle


def cases(args: Args) -> Cases:
    processes = started(PROCESSES)
    for puzzle in undecided():
        what = (puzzle, args.seeds, args.time_limit, processes)
        yield f"{puzzle.name}, {puzzle.id}", runs, *what


def runs(puzzle: Puzzle, seeds: int, time_limit: float, processes: dict[str, Process]) -> list[Row]:
    """A row a scheme; they take turns, so that a busy minute is everyone's."""
    found: dict[str, list[Row]] = {name: [] for name in processes}
    for seed in range(seeds):
        for name, process in processes.items():
            found[name].append(process.asked(id=puzzle.id, seed=seed, time_limit=time_limit))
    about = {"puzzle": puzzle.name, "id": puzzle.id, "size": "x".join(map(str, puzzle.shape))}
    return [
        about | {"scheme": name, "limit_s": time_limit, "runs": own} for name, own in found.items()
    ]


def show(rows: Rows) -> str:
    kinds = [kind for (kind,) in grouped(rows, "puzzle")]
    lines = []
    for (name,), own in grouped(rows, "scheme").items():
        groups = [*grouped(own, "puzzle").values(), own]
        lines.append([name, *(cell for group in groups for cell in _cells(group))])
    heads = ["weights"]
    for kind in (*kinds, "all"):
        heads += [f"{kind}: solved", "s"]
    return markdown(heads, lines)


def _cells(rows: Rows) -> list[str]:
    seconds = [[run["seconds"] for run in row["runs"]] for row in rows]
    solved = sum(s is not None for own in seconds for s in own)
    total = sum(
        median(MISS * row["limit_s"] if s is None else s for s in own)
        for row, own in zip(rows, seconds, strict=True)
    )
    return [f"{solved} of {sum(map(len, seconds))}", f"{total:.1f}"]


BENCHMARKS = (Benchmark("weights", cases, {"weights": show}),)
PROCESSES = ExitStack()
"""Those that a run has started."""

if __name__ == "__main__":
    with PROCESSES:
        main(
            __doc__,
            BENCHMARKS,
            {"seeds": (2, "runs an instance"), "time_limit": (2.0, "seconds a run")},
        )
