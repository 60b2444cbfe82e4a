"""How near to the best known values of models of others do we and others come? Sixty of them.

FOLDER has the files of ``data/models_of_others.json``, which has of each an address, a checksum
and the best known value. Nothing of them is shipped; what is missing or altered is left out by
name. Solvers have one thread, and a limit is for building a solver's model and searching, not for
reading the file, imports and kernels. Files are read by HiGHS, apart from our reader: every answer
is judged by these rows, and other solvers get them, with variables for products of bits.

A limit beyond ``SHORT_S`` is for the first seed, the annealer and what was the best of the others
at ``SHORT_S``. A run that takes 1.5 times its limit and 5 s is late and has no answer. Each run is
kept in ``local/`` and taken from there as long as the file, the solver's version and, for the
annealer, our code are the same. A gap is that to the best known value, or the best that anyone
found, over its absolute value, or 1; of several seeds it is the median. Tables: models_of_others,
models_of_others_gaps and models_of_others_behind.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from itertools import product
from math import inf
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, tril

import harness
from data.instances import warm_up
from data.others import LOCAL_MIP, LOCAL_SEARCH, Answer, ours, peers, within
from data.programs import linearised
from harness import HERE, Args, Benchmark, Cases, Row, grouped, markdown
from qubopuzzle import InputError, QubopuzzleError, load_model
from qubopuzzle.base.processes import Overrun, WarmWorkers
from qubopuzzle.compile.rows import Rows
from qubopuzzle.programs import Program

MANIFEST = json.loads((HERE / "data" / "models_of_others.json").read_text())
ANNEALER, LS, OTHER = "annealer", "CP-SAT local search", "the best other at 10 s"
SOLVERS: dict[str, Any] = {ANNEALER: ours}
SOLVERS |= {name.replace(LOCAL_SEARCH, LS): solver for name, solver in peers().items()}
MADE_BY = {LOCAL_MIP: "localmip", LS: "ortools", "CP-SAT": "ortools", "HiGHS": "highspy"}
EXACT = ("CP-SAT", "HiGHS")
SHORT_S = 10.0
CLOSE = 1e-6
_STARTING_S = 15.0
"""So long a process may take to start and to import a solver."""
Runs = dict[tuple[Any, ...], Row]


def cases(args: Args) -> Cases:
    names = [name for name in SOLVERS if name in args.solvers.split(",")]
    yield from ((name, None) for name in names if SOLVERS[name] is None)
    names = [name for name in names if SOLVERS[name]]
    lines = _journal().read_text().splitlines() if _journal().exists() and not args.again else ()
    # A line may have been broken off.
    known = {_key(row): row for row in (json.loads(s) for s in lines if s.endswith("}"))}
    limits = sorted(map(float, args.limits.split(",")))
    seeds = [*map(int, args.seeds.split(","))]
    for about in MANIFEST:
        label, path = f"{about['name']} ({about['class']})", args.FOLDER / about["file"]
        if path.exists() and sha256(path.read_bytes()).hexdigest() == about["sha256"]:
            yield label, of_instance, about, path, names, limits, seeds, known
        else:
            yield f"{label}, {path.name} of {about['address']}", None


def of_instance(
    about: Row, path: Path, names: list[str], limits: list[float], seeds: list[int], known: Runs
) -> list[Row]:
    """A row a run, measured or known; what was refused is tried again."""
    rows: list[Row] = []
    for limit in limits:
        runs = [*product(seeds, names)]
        if limit > SHORT_S:
            best = _best_other([row for row in rows if row["limit_s"] == SHORT_S])
            runs = [(seeds[0], name) for name in names if name == ANNEALER or best in ("", name)]
        for seed, name in runs:
            head = {"id": about["name"], "class": about["class"], "solver": name, "limit_s": limit}
            head |= {"seed": seed, "sha256": about["sha256"][:12], "code": _code(name)}
            row = known.get(_key(head)) or head | _run(path, name, limit, seed)
            if _key(head) not in known and not row["refused"]:
                _journal().parent.mkdir(exist_ok=True)
                with _journal().open("a") as file:
                    file.write(json.dumps(row, allow_nan=False) + "\n")
            rows.append({**row, "best": about["best"], "maximize": about["maximize"]})
    return rows


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(row[key] for key in ("id", "solver", "limit_s", "seed", "sha256", "code"))


def _journal() -> Path:
    return harness.LOCAL / "models_of_others_runs.jsonl"


@cache
def _code(name: str) -> str:
    """What a solver's answers depend on: a version, or all of our code."""
    if name in MADE_BY:
        return f"{MADE_BY[name]} {version(MADE_BY[name])}"
    files = sorted((harness.ROOT / "src").rglob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def _best_other(rows: list[Row]) -> str:
    """What found most answers, and of these the best."""
    scores = {
        name: (sum(row["value"] is None for row in group), median(map(_cost, group)))
        for (name,), group in grouped(rows, "solver").items()
        if name != ANNEALER
    }
    return min(scores, key=scores.__getitem__, default="")


def _cost(row: Row) -> float:
    """What is to be small; infinite without an answer."""
    return inf if row["value"] is None else row["value"] * (-1 if row["maximize"] else 1)


def _run(path: Path, name: str, limit: float, seed: int) -> dict[str, Any]:
    row: dict[str, Any] = {"value": None, "s": limit, "building_s": 0.0, "proved": False}
    row |= {"late": False, "refused": "", "faults": []}
    try:
        rows, answer = _read(path), _asked(path, name, limit, seed)
    except Overrun:
        return row | {"late": True}
    except QubopuzzleError as error:
        return row | {"refused": str(error)[:200]}
    seconds = answer.building_s + answer.search_s
    row |= {"s": seconds, "building_s": answer.building_s, "proved": answer.proved}
    row["late"] = seconds > 1.5 * limit + 5
    if answer.values is not None and not row["late"]:
        given = answer.values[: len(rows.variables)]
        if name == ANNEALER:
            by_name = dict(zip(_program(path).variables, answer.values, strict=True))
            given = [by_name.get(v, 0) for v in rows.variables]
        all_of = np.append(rows.matrix @ given, given)
        wrong = all_of < np.append(rows.row_lower, rows.lower) - CLOSE
        wrong |= all_of > np.append(rows.row_upper, rows.upper) + CLOSE
        row["faults"] = [[*rows.rows, *rows.variables][at] for at in np.flatnonzero(wrong)[:3]]
        row["value"] = None if wrong.any() else rows.objective_of(given)
    return row


def _asked(path: Path, name: str, limit: float, seed: int) -> Answer:
    problem = _program(path) if name == ANNEALER else _linear(path)
    with _workers(MADE_BY.get(name, name)).borrow() as worker:
        if name == ANNEALER and not worker.used:
            worker.call(warm_up, ANNEALER)
        deadline = 2 * (1.5 * limit + 5) + _STARTING_S  # two runs
        return worker.call(within, SOLVERS[name], problem, limit, seed, deadline=deadline)


@cache
def _workers(_package: str) -> WarmWorkers:
    """OR-Tools and HiGHS have processes of their own, ours one with compiled kernels."""
    return WarmWorkers(idle_s=3600.0)


# --- files -----------------------------------------------------------------------------


@lru_cache(1)
def _program(path: Path) -> Program:
    return load_model(path)


@lru_cache(1)
def _read(path: Path) -> Rows:
    with _workers("highspy").borrow() as worker:
        return worker.call(read_apart, path)


@lru_cache(1)
def _linear(path: Path) -> Rows:
    rows = _read(path)
    if not rows.quadratic.nnz:
        return rows
    parts: Any = {name: getattr(rows, name) for name in ("cost", "quadratic", "maximize")}
    made = linearised(Program.of(rows.matrix, rows.row_lower, rows.row_upper, **parts))
    # A bit may be fixed.
    lower, upper = made.lower.copy(), made.upper.copy()
    lower[: len(rows.lower)], upper[: len(rows.upper)] = rows.lower, rows.upper
    return replace(made, lower=lower, upper=upper)


def read_apart(path: Path) -> Rows:
    """A file by HiGHS; it has no process with OR-Tools."""
    import highspy

    name, data = path.name, path.read_bytes()
    data = {".gz": gzip.decompress, ".xz": lzma.decompress}.get(path.suffix, bytes)(data)
    if ".opb" in name:
        name, data = "opb.lp", _opb_as_lp(data.decode()).encode()
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / name.removesuffix(".gz").removesuffix(".xz")
        copy.write_bytes(data)
        if solver.readModel(str(copy)) == highspy.HighsStatus.kError:
            raise InputError(f"HiGHS does not read {path.name}")
    lp, q = solver.getModel().lp_, solver.getModel().hessian_
    n, a = lp.num_col_, lp.a_matrix_
    matrix = csr_array(csc_array((a.value_, a.index_, a.start_), shape=(lp.num_row_, n)))
    # The lower triangle of Q in x Q x / 2; the square of a bit is the bit.
    q = csc_array((q.value_, q.index_, q.start_), shape=(n, n)) if q.dim_ else csc_array((n, n))
    cost, pairs = np.array(lp.col_cost_) + q.diagonal() / 2, csr_array(tril(q, -1).T)
    bounds = (np.rint(bound).astype(int) for bound in (lp.col_lower_, lp.col_upper_))
    both = np.array(lp.row_lower_), np.array(lp.row_upper_)
    more = cost, pairs, lp.offset_, lp.sense_ == highspy.ObjSense.kMaximize
    return Rows([*lp.col_names_], *bounds, matrix, *both, [*lp.row_names_], *more)


def _opb_as_lp(text: str) -> str:
    """An OPB file of plain variables, a term a line; products may be in its objective."""
    body = re.sub(r"(?m)^\*.*$", "", text)
    names = " ".join(dict.fromkeys(re.findall(r"[a-z]\w*\b(?!:)", body)))
    aim, *rows = re.sub(r"\s+([-+])", r"\n\1", body if ":" in body else f"min:;{body}").split(";")
    pair = r"([-+]\d+)\s+([a-z]\w*)\s+([a-z]\w*)"
    pairs = "".join(f"{2 * int(c):+d} {u} * {v}\n" for c, u, v in re.findall(pair, aim))
    sense, linear = re.sub(pair, "", aim).split(":")
    products = f"+ [ {pairs} ] / 2" * bool(pairs)
    return "\n".join([sense.strip(), linear, products, "st", *rows, "bin", names, "end"])


# --- tables ----------------------------------------------------------------------------


def _gaps(rows: harness.Rows) -> dict[tuple[float, str], dict[str, float]]:
    """By limit and solver of each instance, in percent; infinite if the median has no answer."""
    gaps: dict[tuple[float, str], dict[str, float]] = {}
    for (name,), group in grouped(rows, "id").items():
        best = min(map(_cost, [*group, {**group[0], "value": group[0]["best"]}]))
        for (limit, solver), runs in grouped(group, "limit_s", "solver").items():
            solver = OTHER if limit > SHORT_S and solver != ANNEALER else solver
            cost = median(map(_cost, runs))
            gap = inf if cost == inf else 100 * (cost - best) / max(abs(best), 1.0)
            gaps.setdefault((limit, solver), {})[name] = gap
    return gaps


def _proved(rows: harness.Rows) -> dict[str, list[str]]:
    """By whom the optimum of an instance was proved in a short limit."""
    proofs = [r for r in rows if r["solver"] in EXACT and r["proved"] and r["limit_s"] <= SHORT_S]
    return {
        id_: [*dict.fromkeys(r["solver"] for r in g)] for (id_,), g in grouped(proofs, "id").items()
    }


def _percent(of: Callable[[list[float]], float], gaps: list[float]) -> str:
    value = of(gaps) if gaps else inf
    return "-" if value == inf else f"{value:.2f}"


def show(rows: harness.Rows) -> str:
    """By limit and solver; what no exact one closes is counted apart."""
    closed, gaps, lines = _proved(rows), _gaps(rows), []
    n_open = len({row["id"] for row in rows} - {*closed})
    for (limit, solver), mine in gaps.items():
        our = gaps.get((limit, ANNEALER), {})
        both = [name for name in mine if max(mine[name], our.get(name, inf)) < inf]
        there = [gap for gap in mine.values() if gap < inf]
        cells = [f"{len(there)} of {len(mine)}", _percent(mean, there), _percent(median, there)]
        cells += [f"{sum(gap < CLOSE for gap in there)}"]
        cells += [_percent(mean, [each[name] for name in both]) for each in (mine, our)]
        cells += [_percent(median, [mine[name] for name in mine if name not in closed])]
        lines.append([f"{limit:g} s, {solver}", *cells])
    heads = ["", "feasible", "mean gap %", "median %", "at the best", "mean where both are"]
    text = markdown([*heads, "annealer's there", f"median % of {n_open} not closed"], lines)
    for what in ("refused", "late", "faults"):
        named = dict.fromkeys(f"{row['id']} ({row['solver']})" for row in rows if row[what])
        text += f"\n\n{what.capitalize()}: {', '.join(named) or 'none'}."
    return text


def by_instance(rows: harness.Rows) -> str:
    """Gaps at the longest of the short limits."""
    limit = max((r["limit_s"] for r in rows if r["limit_s"] <= SHORT_S), default=SHORT_S)
    gaps = {solver: each for (s, solver), each in _gaps(rows).items() if s == limit}
    proofs, lines = _proved(rows), []
    for (name,), group in grouped(rows, "id").items():
        cells = [_percent(max, [each.get(name, inf)]) for each in gaps.values()]
        best = "-" if group[0]["best"] is None else f"{group[0]['best']:.12g}"
        proof = ", ".join(proofs.get(name, ()))
        lines.append([name, group[0]["class"], best, *cells, proof])
    heads = ["instance", "class", "best known", *gaps, "proved by"]
    return markdown(heads, lines) + f"\n\nGaps in percent at {limit:g} s."


def behind(rows: harness.Rows) -> str:
    """By name, where others are feasible in more runs, or nearer to the best."""
    gaps, lines = _gaps(rows), []
    for (limit,), group in grouped(rows, "limit_s").items():
        fewer, farther = [], []
        for (name,), runs in grouped(group, "id").items():
            found = Counter(row["solver"] for row in runs if row["value"] is not None)
            for solver, most in found.most_common(1):
                if found[ANNEALER] < most:
                    fewer.append(f"{name} ({found[ANNEALER]}; {solver} {most})")
            at = {s: each.get(name, inf) for (of, s), each in gaps.items() if of == limit}
            solver = min(at, key=at.__getitem__)
            if at[solver] + CLOSE < at.get(ANNEALER, inf) < inf:
                farther.append(f"{name} ({at[ANNEALER]:.2f}; {solver} {at[solver]:.2f})")
        lines.append(f"{limit:g} s, feasible in fewer runs: {', '.join(fewer) or 'none'}.")
        lines.append(f"{limit:g} s, farther from the best: {', '.join(farther) or 'none'}.")
    return "\n\n".join(lines)


NAME = "models_of_others"
TABLES = {NAME: show, f"{NAME}_gaps": by_instance, f"{NAME}_behind": behind}
BENCHMARKS = (Benchmark(NAME, cases, TABLES, packages=("ortools", "highspy", "localmip")),)
SETTINGS = {
    "FOLDER": (Path("models-of-others"), "the folder of the files"),
    "limits": ("1,10,60", "seconds a run"),
    "seeds": ("0,1,2", "seeds of the shorter limits"),
    "solvers": (",".join(SOLVERS), "those that run"),
    "again": (False, "measure what the journal has, too"),
}
