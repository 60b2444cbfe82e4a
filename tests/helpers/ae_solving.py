"""What the stand-in for Amplify AE makes of a request: is it well-formed, and what solves it.

``check`` knows the documented wire format; ``solve`` answers with local samplers.
"""

import time
from itertools import combinations
from math import isfinite

import dimod
import numpy as np

import qubopuzzle
from qubopuzzle.annealing import anneal
from qubopuzzle.annealing import compile_kernels as compile_annealer
from qubopuzzle.tempering import compile_kernels as compile_tempering

MOST_SECONDS = 5
ENOUGH = 1e-6
"""An energy that ends the search. Sums of squares cannot come below 0; what can is cut short."""


class Malformed(Exception):
    """A request that the service does not take."""


def _need(condition, message):
    if not condition:
        raise Malformed(message)


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_SCALARS = {
    "time_limit_ms": lambda value: _is_number(value) and value > 0,
    "num_gpus": _is_count,
    "duplicate_solutions": lambda value: isinstance(value, bool),
    "penalty_weight_calibration": lambda value: isinstance(value, bool),
}
_ENTRIES = {
    "constraints": {"expression", "lower", "upper"},
    "penalties": {"expression", "threshold", "weight"},
}


def check(body):
    """Raise Malformed unless the body is as documented; returns the number of variables."""
    _need(isinstance(body, dict), "the body is no JSON object")
    known = {*_SCALARS, *_ENTRIES, "sparse_objective"}
    _need(set(body) <= known, f"unknown keys {sorted(set(body) - known)}")
    for name, is_right in _SCALARS.items():
        _need(name not in body or is_right(body[name]), f"{name}: {body.get(name)!r:.50}")
    ids = _check_expression("sparse_objective", body.get("sparse_objective", []))
    for kind, keys in _ENTRIES.items():
        _need(isinstance(body.get(kind, []), list), f"{kind} is no list")
        for i, entry in enumerate(body.get(kind, [])):
            ids |= _check_entry(f"{kind}[{i}]", entry, keys)
    _need(len(ids) == max(ids, default=-1) + 1, "the variable ids have gaps")
    return len(ids)


def _check_entry(where, entry, keys):
    _need(isinstance(entry, dict) and "expression" in entry, f"{where} has no expression")
    _need(set(entry) <= keys, f"{where}: unknown keys {sorted(set(entry) - keys)}")
    _need(len(entry) > 1, f"{where} has no bound")
    numbers = [value for key, value in entry.items() if key != "expression"]
    _need(all(map(_is_number, numbers)), f"{where}: bounds and weights must be numbers")
    if "lower" in entry and "upper" in entry:
        _need(entry["lower"] <= entry["upper"], f"{where}: lower bound above upper bound")
    return _check_expression(where, entry["expression"])


def _check_expression(where, terms):
    _need(isinstance(terms, list), f"{where}: the expression is no list")
    seen = set()
    for term in terms:
        _need(isinstance(term, list) and term and _is_number(term[0]), f"{where}: term {term!r}")
        _need(all(map(_is_count, term[1:])), f"{where}: ids must be whole numbers: {term!r}")
        _need(len(term) <= 3, f"{where}: a term of degree {len(term) - 1}")
        _need(len(set(term[1:])) == len(term) - 1, f"{where}: an id twice in {term!r}")
        _need(tuple(sorted(term[1:])) not in seen, f"{where}: term {term!r} comes twice")
        seen.add(tuple(sorted(term[1:])))
    return {i for ids in seen for i in ids}


def prepare():
    """Compile the samplers' kernels: seconds once, then little."""
    builder = qubopuzzle.ModelBuilder()
    builder.bit("bit")
    compile_annealer(builder.build())
    builder.objective([0], [1.0])
    compile_annealer(builder.build())
    compile_tempering()


def solve(body, seed=0):
    """Values, objective and status of the best solution found, as the service sends them."""
    n = check(body)
    seconds = min(body.get("time_limit_ms", 1000) / 1000, MOST_SECONDS)
    rows = [row for entry in body.get("constraints", []) for row in _rows(entry)]
    objective = body.get("sparse_objective", [])
    if n == 0:
        values = []
    elif rows and not body.get("penalties") and all(len(term) == 1 for term in objective):
        values = _annealed(rows, n, seconds, seed)
    else:
        values = _tempered(body, rows, n, seconds, seed)
    feasible = all(
        entry.get("lower", -np.inf) <= _value(entry["expression"], values) <= entry["upper"]
        if "upper" in entry
        else entry["lower"] <= _value(entry["expression"], values)
        for entry in body.get("constraints", [])
    ) and all(
        _value(entry["expression"], values) <= entry.get("threshold", 0) + 1e-9
        for entry in body.get("penalties", [])
    )
    return {
        "values": values,
        "objective": float(_value(objective, values)),
        "time_stamp_ms": 1.0,
        "status": "Feasible" if feasible else "Infeasible",
    }


def _value(terms, values):
    return sum(term[0] * all(values[i] for i in term[1:]) for term in terms)


def _rows(entry):
    """A constraint as linear rows ``(coefficient by id, lower, upper)``, whole numbers."""
    terms = entry["expression"]
    lower, upper = entry.get("lower", -np.inf), entry.get("upper", np.inf)
    if any(len(term) == 3 for term in terms):
        forbidden = all(len(term) == 3 and term[0] > 0 for term in terms)
        _need(forbidden and lower <= 0 == upper, "of products, only sums that are 0 are played")
        return [(dict.fromkeys(term[1:], 1), -np.inf, 1) for term in terms]
    constant = sum(term[0] for term in terms if len(term) == 1)
    row = {term[1]: term[0] for term in terms if len(term) == 2}
    whole = all(coefficient == int(coefficient) for coefficient in row.values())
    _need(whole, "of constraints, only whole coefficients are played")
    return [(row, np.ceil(lower - constant), np.floor(upper - constant))]


def _disjoint(groups):
    taken, kept = set(), []
    for group in groups:
        if len(group) > 1 and taken.isdisjoint(group):
            kept.append(list(group))
            taken.update(group)
    return kept


def _annealed(rows, n, seconds, seed):
    """Anneal a constraint model; rows "exactly one of these" become its choices."""
    groups = _disjoint(row for row, *ends in rows if ends == [1, 1] and set(row.values()) == {1})
    free = sorted(set(range(n)).difference(*groups))
    builder = qubopuzzle.ModelBuilder()
    literal = {}
    for group in groups:
        choice = builder.choice(f"one of {group}", group)
        literal.update(zip(group, choice.literals, strict=True))
    literal.update((i, builder.bit(f"bit {i}").literals[1]) for i in free)
    terms = [(r, literal[i], c) for r, (row, *_) in enumerate(rows) for i, c in row.items()]
    number, literals, coefficients = zip(*terms, strict=True)
    _, lower, upper = zip(*rows, strict=True)
    builder.linear(
        "row", number, literals, coefficients, lower=lower, upper=upper, shape=(len(rows),)
    )
    model = builder.build()
    places = anneal(model, seed=seed, time_limit=seconds).reads[0].value
    true = set((model.first_literal[:-1] + places).tolist())
    return [int(literal[i] in true) for i in range(n)]


def _tempered(body, rows, n, seconds, seed):
    """Temper the sum of everything as a QUBO, with slack bits for rows."""
    bqm = dimod.BinaryQuadraticModel(dict.fromkeys(range(n), 0), {}, 0, dimod.BINARY)
    objective = body.get("sparse_objective", [])
    _add(bqm, objective)
    for entry in body.get("penalties", []):
        _add(bqm, entry["expression"], entry.get("weight", 1))
    strong = 1 + sum(abs(term[0]) for term in objective)
    for r, (row, lower, upper) in enumerate(rows):
        ends = [int(np.clip(end, -(2**30), 2**30)) for end in (lower, upper)]
        bqm.add_linear_inequality_constraint(list(row.items()), strong, f"row {r}", 0, *ends)
    return _lowest(bqm, _one_hot_groups(body), n, seconds, seed)


def _lowest(bqm, groups, n, seconds, seed):
    """The best sample of reads on the default ladder and a short cold one in turn."""
    sampler = qubopuzzle.OneHotTemperingSampler()
    end = time.perf_counter() + seconds
    biases = [*bqm.linear.values(), *bqm.quadratic.values()]
    unit = min((abs(bias) for bias in biases if bias), default=1)
    short = {"beta_range": (1.2 / unit, 2 / unit), "num_replicas": 4, "num_sweeps": 10_000}
    best, number = None, 0
    while not best or (best.energy > ENOUGH and time.perf_counter() < end):
        found = sampler.sample(
            bqm,
            one_hot_groups=groups,
            seed=1000 * seed + number,
            time_limit=max(0, end - time.perf_counter()),
            target_energy=ENOUGH,
            **(short if number % 2 else {}),
        ).first
        best = min(best or found, found, key=lambda read: read.energy)
        number += 1
    return [int(best.sample[i]) for i in range(n)]


def _add(bqm, terms, weight=1):
    for coefficient, *ids in terms:
        if len(ids) == 2:
            bqm.add_quadratic(*ids, weight * coefficient)
        elif ids:
            bqm.add_linear(ids[0], weight * coefficient)
        else:
            bqm.offset += weight * coefficient


def _one_hot_groups(body):
    """The variables of disjoint penalties ``(sum - 1) ** 2``."""
    groups = []
    for entry in body.get("penalties", []):
        terms = {tuple(sorted(ids)): c for c, *ids in entry["expression"]}
        group = [ids[0] for ids in terms if len(ids) == 1]
        square = {(): 1, **{(i,): -1 for i in group}}
        square.update((pair, 2) for pair in combinations(sorted(group), 2))
        if terms == square:
            groups.append(group)
    return _disjoint(groups)
