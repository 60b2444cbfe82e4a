"""Who finds timetables for the tournaments of QOBLIB, and how soon? Class 05, sports.

The folder is ``05-sports`` of github.com/ZIB-AOPT/QOBLIB; nothing of it is shipped. Its LP files
are read by ``load_model``; all solvers get the same rows, one thread each, in turn. What ours does
is its default: grouping, settings and rows that it drops were chosen on ``CHOSEN_ON`` alone, and
the tables count those instances apart. Each answer is checked twice: against the rows, and, with
``robinx.py``, against the tournament's rules in its XML.

Seconds are those of building the solver's model and of searching, without reading the file and
without imports and kernels; a run without a valid answer counts as endless. The limit is on
searching. Tables: qoblib_8, qoblib_12 by teams, and qoblib_20 for 16 to 20 teams; from 12 teams on
only of searches that prove nothing, and of them ours and Local-MIP; and qoblib_long, half an hour
of ours on each of six, two of 16, of 18 and of 20 teams: those that published simulated annealing
comes nearest to, and that no setting is chosen on.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import partial
from math import inf
from pathlib import Path

import qubopuzzle
from data.instances import warm_up
from data.others import LOCAL_MIP, Solve, ask, checked, ours, peers
from data.robinx import Tournament
from harness import Args, Benchmark, Cases, Row, Rows, grouped, markdown, median_s
from qubopuzzle.programs import Program

CHOSEN_ON = (
    "Addition_000",
    "Addition_018",
    "Addition_020",
    "Addition_025",
    "Addition_029",
    "Addition_044",
    "Addition_064",
    "Addition_068",
    "Addition_082",
    "Addition_105",
    "Addition_129",
    "Addition_133",
    "Early_010",
)
"""The instances, of any number of teams, on which settings may be chosen."""
CLASSES = {
    "8": ("Small", "Small"),
    "12": ("Medium", "Medium"),
    "20": ("Large", "NoSoft"),
}
"""Folder and end of the files' names, by the most teams."""
LIMITS_S = {"8": 10.0, "12": 60.0, "20": 20.0}
LONG = (
    "Addition_003",
    "Addition_046",
    "Addition_030",
    "Addition_083",
    "Addition_016",
    "Addition_130",
)
"""Those of 16 teams, of 18 and of 20 that have half an hour each."""
ANNEALER = "annealer"
PUBLISHED: dict[str, tuple[tuple[str, int, float, float], ...]] = {
    "8": (
        ("simulated annealing, published", 47, 7.88, 85.7),
        ("integer programming, published", 47, 1.29, 6.70),
    ),
    "12": (
        ("simulated annealing, published", 34, 2748.0, 3703.0),
        ("integer programming, published", 45, 36.9, 69314.0),
    ),
    "20": (
        ("simulated annealing, published", 3, inf, 16117.0),
        ("integer programming, published", 0, inf, inf),
    ),
}
"""Solved of 47 of the 51, median and worst seconds, on other machines.

QOBLIB, 05-sports/submissions/20241129_Classic_VanBulck/log.csv (the library: arXiv 2504.03832).
"""
_OF = 47
_LOG = Path("submissions", "20241129_Classic_VanBulck", "log.csv")
_HARD = 1_000_000
"""What a miss of a rule by 1 costs there."""


def _cases(teams: str, args: Args) -> Cases:
    limit = getattr(args, f"limit_{teams}")
    where, end = CLASSES[teams]
    instances = sorted((args.folder / "instances" / where).glob(f"*_{end}.xml.gz"))
    if not instances:
        yield f"{args.folder}: {where}", None
        return
    warm_up(ANNEALER)
    others = peers()
    if teams != "8":
        others = {LOCAL_MIP: others[LOCAL_MIP]}
    for path in instances:
        for name, solver in {ANNEALER: ours, **others}.items():
            label = f"{name}, {path.name.removesuffix('.xml.gz')}"
            yield label, _runs, solver, path, teams, name, args.seeds, limit


def _runs(solver: Solve, path: Path, teams: str, name: str, seeds: int, limit: float) -> list[Row]:
    program = _program(path)
    tournament = Tournament.read(path)
    identity = path.name.removesuffix(".xml.gz")
    found = []
    for seed in range(seeds):
        # Ours needs no process of its own; its kernels are compiled.
        answer = (solver if solver is ours else partial(ask, solver))(program, limit, seed)
        faults = checked(program, answer)
        if answer.values is not None:
            faults += tournament.broken(timetable(program, answer.values))
        solved = answer.values is not None and not faults
        about = {"id": identity, "teams": tournament.n_teams, "class": teams, "solver": name}
        found.append(
            {
                **about,
                "chosen_on": identity.rpartition("_")[0] in CHOSEN_ON,
                "seed": seed,
                "limit_s": limit,
                "seconds": answer.building_s + answer.search_s if solved else None,
                "building_s": answer.building_s,
                "faults": faults[:3],
            }
        )
    return found


def _long_cases(args: Args) -> Cases:
    warm_up(ANNEALER)
    for name in LONG:
        path = args.folder / "instances" / "Large" / f"{name}_NoSoft.xml.gz"
        yield name, *((_long_run, path, args.limit_long) if path.exists() else (None,))


def _long_run(path: Path, limit: float) -> Row:
    """One run of the annealer with seed 0: the rows that its best state breaks, and when."""
    program, tournament = _program(path), Tournament.read(path)
    result = qubopuzzle.solve(program, ANNEALER, seed=0, time_limit=limit)
    broken, faults = len(result.violations), []
    if result.valid:
        faults = tournament.broken(timetable(program, result.grid.tolist()))
    _, number, end = path.name.removesuffix(".xml.gz").split("_")
    with (path.parents[2] / _LOG).open(newline="") as file:
        log = {row[0]: row[1:] for row in csv.reader(file)}
    cost, seconds = log[f"Additional_{int(number)}_{end}.xml"][:2]
    return {
        "id": path.name.removesuffix(".xml.gz"),
        "teams": tournament.n_teams,
        "seed": 0,
        "limit_s": limit,
        "seconds": sum(result.timings_s.values()) if result.valid else None,
        "reads": result.reads,
        "broken": broken,
        "missed": int(result.energy),
        "faults": faults[:3],
        "published_missed": int(cost) // _HARD,
        "published_s": float(seconds),
    }


def _show_long(rows: Rows) -> str:
    lines = []
    for row in rows:
        found = "none" if row["seconds"] is None else _s(row["seconds"])
        published = str(row["published_missed"]), _s(row["published_s"])
        lines.append([row["id"], str(row["teams"]), found, str(row["broken"]), *published])
    heads = ["instance", "teams", "solved after s", "rows broken", "published misses", "after s"]
    wrong = ", ".join(row["id"] for row in rows if row["faults"]) or "none"
    limit = f"Limit: {rows[0]['limit_s']:,.0f} s, seed {rows[0]['seed']}."
    return f"{markdown(heads, lines)}\n\n{limit} Answers that break a rule: {wrong}."


def _program(path: Path) -> Program:
    """The LP file that belongs to an XML file."""
    name = path.name.replace(".xml.gz", ".lp.xz")
    folder = path.parents[2] / "models" / "mixed_integer_linear" / "lp_files"
    program = qubopuzzle.load_model(folder / path.parent.name / name)
    assert isinstance(program, Program)
    return program


def timetable(program: Program, values: Sequence[int]) -> dict[tuple[int, int], int]:
    """The slot of each game: ``x#home#away#slot`` is 1."""
    taken = [name for name, one in zip(program.variables, values, strict=True) if one]
    games = [tuple(map(int, name.split("#")[1:])) for name in taken if name.startswith("x#")]
    return {(home, away): slot for home, away, slot in games}


def _show(teams: str, rows: Rows) -> str:
    lines = []
    for (name,), own in grouped(rows, "solver").items():
        others = [row for row in own if not row["chosen_on"]]
        chosen = [row for row in own if row["chosen_on"]]
        seconds = [row["seconds"] for row in others]
        worst = max((s for s in seconds if s is not None), default=inf)
        cells = [_share(others), _share(chosen), *map(_s, (median_s(seconds or [None]), worst))]
        lines.append([name, *cells, _s(median_s(row["building_s"] for row in own))])
    for name, solved, middle, worst in PUBLISHED[teams]:
        lines.append([name, f"{solved} of {_OF}", "", _s(middle), _s(worst), ""])
    heads = ["solver", "solved", "of those chosen on", "median s", "worst s", "of it building"]
    wrong = [f"{row['solver']}, {row['id']}" for row in rows if row["faults"]]
    note = f"\n\nAnswers that break a rule: {'; '.join(wrong) or 'none'}."
    return markdown(heads, lines) + f"\n\nLimit: {rows[0]['limit_s']:g} s." + note + _large(rows)


def _share(rows: Rows) -> str:
    return f"{sum(row['seconds'] is not None for row in rows)} of {len(rows)}"


def _s(seconds: float) -> str:
    return "-" if seconds == inf else f"{seconds:.3g}" if seconds < 1000 else f"{seconds:,.0f}"


def _large(rows: Rows) -> str:
    """Names of the instances of 16 teams and more that anyone solved."""
    if rows[0]["class"] != "20":
        return ""
    solved = [row for row in rows if row["seconds"] is not None]
    names = [f"{row['id']} ({row['solver']}, {row['seconds']:.0f} s)" for row in solved]
    return f"\n\nSolved: {'; '.join(names) or 'none'}."


BENCHMARKS = (
    *(
        Benchmark(
            f"qoblib_{teams}",
            partial(_cases, teams),
            {f"qoblib_{teams}": partial(_show, teams)},
            packages=("ortools", "highspy", "localmip"),
        )
        for teams in CLASSES
    ),
    Benchmark("qoblib_long", _long_cases, {"qoblib_long": _show_long}),
)
SETTINGS = {
    "folder": (Path("05-sports"), "the folder 05-sports of QOBLIB"),
    "seeds": (1, "runs an instance"),
    **{f"limit_{n}": (s, f"seconds of searching, {n} teams") for n, s in LIMITS_S.items()},
    "limit_long": (1800.0, "seconds a run of qoblib_long"),
}
