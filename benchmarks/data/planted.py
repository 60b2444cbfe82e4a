"""Twenty kinds of rows that values drawn first are known to meet; nothing is minimised.

``planted(kind, seed)`` is a program of some ten to some thousand variables. Its rows are made
around an answer, which is checked and forgotten, see ``programs.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.random import Generator

from data.programs import Plan, Rows, stream
from qubopuzzle.model import IntArray
from qubopuzzle.programs import Program

Planted = tuple[Rows, Plan]


def planted(kind: str, seed: int) -> Program:
    """A program of a kind of ``PLANTED`` that has an answer."""
    rows, answer = PLANTED[kind](stream(kind, seed))
    program = rows.program(f"{kind} {seed}")
    assert not program.broken(answer)
    return program


def _taken(rows: Rows, *ones: object) -> Plan:
    """The answer that has 1 at these variables, and 0 elsewhere."""
    answer = np.zeros(len(rows.names), dtype=np.int64)
    for own in ones:
        answer[np.ravel(own)] = 1  # type: ignore[call-overload]
    return answer


def _one_each(rows: Rows, name: str, choices: IntArray, rng: Generator) -> IntArray:
    """Each line of ``choices`` takes one value: the rows, and what is planted (lines,)."""
    for own in choices:
        rows.exactly(name, 1, own)
    return rng.integers(choices.shape[1], size=len(choices))


# --- assignment ------------------------------------------------------------------------


def assignment(rng: Generator, n: int = 40, extra: int = 4) -> Planted:
    """Workers to jobs, one each, of which a worker can do few."""
    rows, jobs = Rows(), rng.permutation(n)
    able = rng.random((n, n)) < extra / n
    able[np.arange(n), jobs] = True
    x = np.full((n, n), -1)
    x[able] = rows.new("x", int(able.sum()))
    for k in range(n):
        rows.exactly("worker", 1, x[k][able[k]])
        rows.exactly("job", 1, x[:, k][able[:, k]])
    return rows, _taken(rows, x[np.arange(n), jobs])


def assignment_with_conflicts(rng: Generator, n: int = 25, conflicts: int = 1500) -> Planted:
    """Workers to jobs, and pairs of assignments of which only one may be."""
    rows, jobs = Rows(), rng.permutation(n)
    x = rows.new("x", n, n)
    for k in range(n):
        rows.exactly("worker", 1, x[k])
        rows.exactly("job", 1, x[:, k])
    answer = _taken(rows, x[np.arange(n), jobs])
    for pair in rng.choice(x.ravel(), (conflicts, 2)):
        if pair[0] != pair[1] and answer[pair].sum() < 2:
            rows.add("conflict", pair, high=1)
    return rows, answer


def generalised_assignment(rng: Generator, agents: int = 8, jobs: int = 60) -> Planted:
    """Jobs to agents of which each has just the time for its own, and one unit more."""
    rows = Rows()
    x, takes = rows.new("x", jobs, agents), rng.integers(5, 31, (jobs, agents))
    of = _one_each(rows, "job", x, rng)
    for agent in range(agents):
        load = int(takes[of == agent, agent].sum())
        rows.add("agent", x[:, agent], high=load + 1, by=takes[:, agent])
    return rows, _taken(rows, x[np.arange(jobs), of])


def facilities(rng: Generator, sites: int = 15, clients: int = 60) -> Planted:
    """Clients to open sites nearby with room for them; as few may be open as are planted."""
    rows = Rows()
    x, is_open = rows.new("x", clients, sites), rows.new("open", sites)
    opened = rng.choice(sites, sites // 3, replace=False)
    needs, near = rng.integers(1, 10, clients), rng.random((clients, sites)) < 0.4
    of = rng.choice(opened, clients)
    near[np.arange(clients), of] = True
    for client in range(clients):
        rows.exactly("client", 1, x[client][near[client]])
        rows.add("far", x[client][~near[client]], high=0)
    for site in range(sites):
        load = max(int(needs[of == site].sum()), int(needs.sum()) // len(opened)) + 2
        own = [*x[:, site], is_open[site]]
        rows.add("room", own, high=0, by=[*needs, -load])
    rows.add("sites", is_open, high=len(opened))
    return rows, _taken(rows, x[np.arange(clients), of], is_open[opened])


# --- sets ------------------------------------------------------------------------------


def _sets(rows: Rows, members: list[IntArray], elements: int) -> list[IntArray]:
    """A variable for each set; those of the sets that have each element."""
    x = rows.new("set", len(members))
    within = np.zeros((len(members), elements), dtype=bool)
    for own, line in zip(members, within, strict=True):
        line[own] = True
    return [x[column] for column in within.T]


def set_covering(rng: Generator, elements: int = 100, sets: int = 200, k: int = 12) -> Planted:
    """Every element in one of at most k sets."""
    rows = Rows()
    parts = np.array_split(rng.permutation(elements), k)
    more = [rng.choice(elements, 14, replace=False) for _ in range(sets - k)]
    wider = [np.union1d(own, rng.choice(elements, 6)) for own in parts]
    for own in _sets(rows, [*wider, *more], elements):
        rows.add("element", own, low=1)
    rows.add("sets", np.arange(sets), high=k)
    return rows, _taken(rows, np.arange(k))


def set_partitioning(rng: Generator, elements: int = 60, sets: int = 300, k: int = 15) -> Planted:
    """Every element in exactly one of the sets that are taken."""
    rows = Rows()
    parts = np.array_split(rng.permutation(elements), k)
    more = [rng.choice(elements, rng.integers(2, 7), replace=False) for _ in range(sets - k)]
    for own in _sets(rows, [*parts, *more], elements):
        rows.exactly("element", 1, own)
    return rows, _taken(rows, np.arange(k))


def exact_cover(rng: Generator, side: int = 14) -> Planted:
    """A square tiled by bars of three cells, less cells that a random tiling leaves over."""
    rows, used, kept = Rows(), np.zeros((side, side), dtype=bool), []
    places = [(r, c, d) for r in range(side) for c in range(side) for d in (0, 1)]
    cells = {p: [(p[0] + i * p[2], p[1] + i * (1 - p[2])) for i in range(3)] for p in places}
    places = [p for p in places if max(cells[p][-1]) < side]
    for k in rng.permutation(len(places)):
        if not any(used[cell] for cell in cells[places[k]]):
            kept.append(places[k])
            used[tuple(np.transpose(cells[places[k]]))] = True
    places = [p for p in places if all(used[cell] for cell in cells[p])]
    x = dict(zip(places, rows.new("bar", len(places)).tolist(), strict=True))
    for cell in zip(*np.nonzero(used), strict=True):
        rows.exactly("cell", 1, [x[p] for p in places if cell in cells[p]])
    return rows, _taken(rows, [x[p] for p in kept])


# --- graphs ----------------------------------------------------------------------------


def _edges(rng: Generator, colour: IntArray, n_edges: int) -> IntArray:
    """Random pairs of different colours, shape (n_edges, 2)."""
    every = np.argwhere(np.triu(colour[:, None] != colour, 1))
    return every[rng.choice(len(every), n_edges, replace=False)]


def colouring(rng: Generator, n: int = 150, colours: int = 3, degree: float = 4.6) -> Planted:
    """Three colours at about the edges a vertex where it is hardest."""
    rows = Rows()
    x = rows.new("x", n, colours)
    colour = _one_each(rows, "vertex", x, rng)
    for u, v in _edges(rng, colour, int(n * degree / 2)):
        for pair in zip(x[u], x[v], strict=True):
            rows.add("edge", pair, high=1)
    return rows, _taken(rows, x[np.arange(n), colour])


def frequencies(rng: Generator, n: int = 60, values: int = 12, links: int = 160) -> Planted:
    """Frequencies of transmitters, some apart by 1 to 3."""
    rows = Rows()
    x = rows.new("x", n, values)
    own = _one_each(rows, "transmitter", x, rng)
    distance = np.abs(np.subtract.outer(range(values), range(values)))
    for u, v in _edges(rng, own, links):
        gap = min(int(rng.integers(1, 4)), abs(own[u] - own[v]))
        for f, g in np.argwhere(distance < gap).tolist():
            rows.add("apart", [x[u, f], x[v, g]], high=1)
    return rows, _taken(rows, x[np.arange(n), own])


# --- timetables ------------------------------------------------------------------------


def timetable(rng: Generator, slots: int = 20, rooms: int = 5, groups: int = 8) -> Planted:
    """Lessons, a teacher's and a group's one at a time, as many at once as there are rooms."""
    rows, lessons = Rows(), slots * (rooms - 1)
    x = rows.new("x", lessons, slots)
    slot = rng.permutation(np.repeat(np.arange(slots), rooms - 1))
    who = np.zeros((2, lessons), dtype=np.int64)
    for s in range(slots):
        for line in who:
            line[slot == s] = rng.choice(groups, rooms - 1, replace=False)
    for lesson in range(lessons):
        rows.exactly("lesson", 1, x[lesson])
        away = (rng.random(slots) < 0.3) & (np.arange(slots) != slot[lesson])
        rows.add("away", x[lesson][away], high=0)
    for s in range(slots):
        rows.add("rooms", x[:, s], high=rooms)
        for name, line in zip(("teacher", "group"), who, strict=True):
            for one in range(groups):
                rows.add(name, x[line == one, s], high=1)
    return rows, _taken(rows, x[np.arange(lessons), slot])


def roster(rng: Generator, nurses: int = 20, days: int = 14) -> Planted:
    """Early, late, night or free: so many of each a day, no early day after a night."""
    rows = Rows()
    x = rows.new("x", nurses, days, 4)
    shift = rng.integers(4, size=(nurses, days))
    for day in range(1, days):
        after_night = (shift[:, day - 1] == 2) & (shift[:, day] == 0)
        shift[after_night, day] = 3
    for nurse in range(nurses):
        for day in range(days):
            rows.exactly("nurse", 1, x[nurse, day])
            if day:
                rows.add("rest", [x[nurse, day - 1, 2], x[nurse, day, 0]], high=1)
        worked = int((shift[nurse] < 3).sum())
        rows.exactly("work", worked, x[nurse, :, :3])
        rows.add("nights", x[nurse, :, 2], high=int((shift[nurse] == 2).sum()))
    for day in range(days):
        for kind in range(3):
            rows.exactly("demand", int((shift[:, day] == kind).sum()), x[:, day, kind])
    return rows, _taken(rows, np.take_along_axis(x, shift[..., None], axis=2))


def scheduling(rng: Generator, jobs: int = 30, horizon: int = 30) -> Planted:
    """Jobs of 2 to 6 hours with a share of a resource, never more of it than is planted."""
    rows = Rows()
    x = rows.new("start", jobs, horizon)
    length, share = rng.integers(2, 7, jobs), rng.integers(1, 6, jobs)
    start = np.array([rng.integers(0, horizon - d + 1) for d in length])
    runs = np.zeros((horizon, jobs, horizon), dtype=bool)
    for job in range(jobs):
        rows.exactly("job", 1, x[job])
        rows.add("late", x[job, horizon - length[job] + 1 :], high=0)
        for first in range(horizon):
            runs[first : first + length[job], job, first] = True
    profile = runs[:, np.arange(jobs), start] @ share
    for hour in range(horizon):
        high = max(int(profile[hour]), int(profile.mean()))
        by = np.broadcast_to(share[:, None], x.shape)[runs[hour]]
        rows.add("hour", x[runs[hour]], high=high, by=by)
    return rows, _taken(rows, x[np.arange(jobs), start])


def round_robin(rng: Generator, teams: int = 14, banned: float = 0.7) -> Planted:
    """A single round robin; most meetings are banned from most slots."""
    rows, slots, team = Rows(), teams - 1, rng.permutation(teams)
    pairs = list(combinations(range(teams), 2))
    x = rows.new("x", len(pairs), slots)
    # The circle method: in slot s, i meets j where i + j = 2 s, and the last meets s.
    sums = [i + (i if j == slots else j) for i, j in pairs]
    slot = np.array(sums) * (teams // 2) % slots
    for pair, own in enumerate(x):
        rows.exactly("pair", 1, own)
        out = (rng.random(slots) < banned) & (np.arange(slots) != slot[pair])
        rows.add("banned", own[out], high=0)
    for s in range(slots):
        for one in team:
            rows.exactly("team", 1, [x[p, s] for p, pair in enumerate(pairs) if one in pair])
    return rows, _taken(rows, x[np.arange(len(pairs)), slot])


# --- packing ---------------------------------------------------------------------------


def bins(rng: Generator, items: int = 40, n_bins: int = 8) -> Planted:
    """Items into bins that are filled to the brim."""
    rows = Rows()
    x, size = rows.new("x", items, n_bins), rng.integers(10, 61, items)
    at = _one_each(rows, "item", x, rng)
    for b in range(n_bins):
        rows.add("bin", x[:, b], high=int(size[at == b].sum()), by=size)
    return rows, _taken(rows, x[np.arange(items), at])


def knapsack_rows(rng: Generator, n: int = 100, m: int = 10) -> Planted:
    """Weighted sums within a hundredth of what is planted."""
    rows = Rows()
    x, answer = rows.new("x", n), rng.integers(2, size=n)
    for _ in range(m):
        by = rng.integers(1, 101, n)
        total = int(by @ answer)
        rows.add("band", x, low=total - total // 100, high=total + total // 100, by=by)
    return rows, answer


# --- equations -------------------------------------------------------------------------


def _equations(rng: Generator, n: int, m: int, largest: int, top: int = 1) -> Planted:
    rows = Rows()
    x, answer = rows.new("x", n, top=top), rng.integers(top + 1, size=n)
    for _ in range(m):
        by = rng.integers(1, largest + 1, n) * (rng.choice([-1, 1], n) if top > 1 else 1)
        rows.exactly("sum", int(by @ answer), x, by=by)
    return rows, answer


def dense_equalities(rng: Generator) -> Planted:
    """3 equations over 60 bits, coefficients to 100."""
    return _equations(rng, 60, 3, 100)


def large_coefficients(rng: Generator) -> Planted:
    """2 equations over 40 bits, coefficients to 1,000."""
    return _equations(rng, 40, 2, 1000)


def integer_equations(rng: Generator) -> Planted:
    """5 equations over 20 numbers from 0 to 9, coefficients to 9 of either sign."""
    return _equations(rng, 20, 5, 9, top=9)


def contingency_table(rng: Generator, side: int = 8, top: int = 15) -> Planted:
    """Numbers with known sums of lines, of columns and of both ways of diagonals."""
    rows, answer = Rows(), rng.integers(top + 1, size=(side, side))
    x = rows.new("x", side, side, top=top)
    r, c = np.indices(x.shape)
    for name, line in (("line", r), ("column", c), ("falling", r - c), ("rising", r + c)):
        for k in np.unique(line):
            rows.exactly(name, int(answer[line == k].sum()), x[line == k])
    return rows, answer.ravel()


def latin_square(rng: Generator, n: int = 15, holes: float = 0.42) -> Planted:
    """A Latin square with holes to fill, about as many as where it is hardest."""
    rows = Rows()
    lines, columns, symbols = (rng.permutation(n) for _ in range(3))
    square = symbols[np.add.outer(lines, columns) % n]
    x = rows.new("x", n, n, n)
    for a in range(n):
        for b in range(n):
            rows.exactly("cell", 1, x[a, b])
            rows.exactly("line", 1, x[a, :, b])
            rows.exactly("column", 1, x[:, a, b])
    for a, b in np.argwhere(rng.random((n, n)) >= holes):
        rows.exactly("given", 1, x[a, b, square[a, b]])
    return rows, _taken(rows, np.take_along_axis(x, square[..., None], axis=2))


PLANTED: dict[str, Callable[[Generator], Planted]] = {
    make.__name__.replace("_", " "): make
    for make in (
        assignment,
        assignment_with_conflicts,
        generalised_assignment,
        facilities,
        set_covering,
        set_partitioning,
        exact_cover,
        colouring,
        frequencies,
        timetable,
        roster,
        scheduling,
        round_robin,
        bins,
        knapsack_rows,
        dense_equalities,
        large_coefficients,
        integer_equations,
        contingency_table,
        latin_square,
    )
}
