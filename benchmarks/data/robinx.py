"""The rules of a double round robin as its RobinX file has them, and what a timetable breaks.

A script, too, which needs NumPy alone: ``python robinx.py INSTANCE.xml.gz SOLUTION``. A solution is
RobinX's XML, or lines ``x#HOME#AWAY#SLOT 1`` as solvers write them of QOBLIB's models. It ends with
QOBLIB's status for checkers: 0 valid, 21 a rule is broken, 10 no timetable, 2 wrong usage.

Nothing here knows of variables or rows: files in, timetables judged. RobinX: Van Bulck, Goossens,
Schönberger and Guajardo, "RobinX: a three-field classification and unified data format for
round-robin sports timetabling" (2020); the constraints are those of the International Timetabling
Competition 2021. Of soft constraints nothing is said.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

Timetable = Mapping[tuple[int, int], int]
"""The slot of each game, by the teams (home, away)."""
Attributes = Mapping[str, str]


@dataclass(frozen=True)
class Tournament:
    """A double round robin in as many slots as a team has games.

    Attributes:
        n_teams: teams are 0 .. n_teams - 1.
        phased: whether two teams meet once in each half of the season.
        hard: the hard constraints: kind and attributes.
    """

    n_teams: int
    phased: bool
    hard: tuple[tuple[str, Attributes], ...]

    @classmethod
    def read(cls, path: Path) -> Tournament:
        """A file, ``.gz`` or as it is; ValueError for another kind of tournament."""
        data = path.read_bytes()
        return cls.parse(gzip.decompress(data) if path.suffix == ".gz" else data)

    @classmethod
    def parse(cls, text: bytes | str) -> Tournament:
        """The text of a file."""
        root = ElementTree.fromstring(text)  # noqa: S314 - files that one names oneself
        teams, slots = root.findall(".//Teams/team"), root.findall(".//Slots/slot")
        if root.findtext(".//numberRoundRobin") != "2" or len(slots) != 2 * (len(teams) - 1):
            raise ValueError("expected a double round robin without free slots")
        found = root.findall("Constraints/*/*")
        hard = tuple((e.tag, dict(e.attrib)) for e in found if e.get("type") == "HARD")
        strangers = {tag for tag, _ in hard} - set(_CHECKS)
        if strangers:
            raise ValueError(f"nothing is known of {', '.join(sorted(strangers))}")
        return cls(len(teams), root.findtext(".//gameMode") == "P", hard)

    def broken(self, timetable: Timetable) -> list[str]:
        """A line for each rule that a timetable breaks; none for one that is valid."""
        season = Season(self.n_teams, timetable)
        if season.faults:
            return season.faults
        found = []
        if self.phased:
            half = self.n_teams - 1
            for i, j in combinations(range(self.n_teams), 2):
                if (timetable[i, j] < half) == (timetable[j, i] < half):
                    found.append(f"phases: teams {i} and {j} meet twice in one half")
        for kind, given in self.hard:
            found += [f"{kind}: {fault}" for fault in _CHECKS[kind](season, given)]
        return found


def read_timetable(path: Path) -> Timetable:
    """That of a solution's file, ``.gz`` or as it is; ValueError for what is none."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    if text.lstrip().startswith("<"):
        root = ElementTree.fromstring(text)  # noqa: S314 - files that one names oneself
        games = [
            tuple(int(match.get(name, "")) for name in ("home", "away", "slot"))
            for match in root.iter("ScheduledMatch")
        ]
    else:
        taken = re.finditer(r"^x#(\d+)#(\d+)#(\d+)\s+(\S+)\s*$", text, re.MULTILINE)
        games = [tuple(map(int, m.groups()[:3])) for m in taken if round(float(m[4])) == 1]
    if not games:
        raise ValueError("it has no game")
    slots = {(home, away): slot for home, away, slot in games}
    if len(slots) < len(games):
        raise ValueError("a game is played twice")
    return slots


class Season:
    """A timetable by teams and slots.

    ``home`` and ``opponent``, both (teams, slots), say where and against whom a team plays;
    ``is_break`` where it plays as it did in the slot before. ``faults`` is what keeps the games
    from being a double round robin.
    """

    def __init__(self, n_teams: int, timetable: Timetable) -> None:
        n, n_slots = n_teams, 2 * (n_teams - 1)
        self.timetable, self.n_slots = timetable, n_slots
        games = {(i, j) for i in range(n) for j in range(n) if i != j}
        self.faults = [f"game {game}: not played" for game in sorted(games - set(timetable))]
        self.faults += [f"game {game}: not asked for" for game in sorted(set(timetable) - games)]
        outside = [game for game, slot in timetable.items() if not 0 <= slot < n_slots]
        self.faults += [f"game {game}: in no slot" for game in outside]
        plays = Counter((team, slot) for game, slot in timetable.items() for team in game)
        twice = sorted(where for where, times in plays.items() if times > 1)
        self.faults += [f"team {team}: several games in slot {slot}" for team, slot in twice]
        self.home = np.zeros((n, n_slots), dtype=bool)
        self.opponent = np.zeros((n, n_slots), dtype=np.int64)
        if self.faults:
            return
        for (i, j), slot in timetable.items():
            self.home[i, slot] = True
            self.opponent[i, slot], self.opponent[j, slot] = j, i
        self.is_break = np.zeros((n, n_slots), dtype=bool)
        self.is_break[:, 1:] = self.home[:, 1:] == self.home[:, :-1]

    def played(self, mode: str) -> NDArray[np.bool_]:
        """Where each team plays at home (H), away (A), or at all (HA), shape (teams, slots)."""
        return {"H": self.home, "A": ~self.home, "HA": np.ones_like(self.home)}[mode]

    def against(self, mode: str, others: list[int]) -> NDArray[np.bool_]:
        """The same for games against some teams."""
        return self.played(mode) & np.isin(self.opponent, others)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(";") if number]


def _outside(given: Attributes, count: int) -> str:
    """What is wrong with a count of games, nothing if it is within bounds."""
    low, high = int(given.get("min", 0)), int(given["max"])
    return "" if low <= count <= high else f"{count} games, not {low} to {high}"


def _ca1(season: Season, given: Attributes) -> Iterator[str]:
    """Home or away games of each team in some slots."""
    played = season.played(given["mode"])[:, _numbers(given["slots"])]
    for team in _numbers(given["teams"]):
        if fault := _outside(given, played[team].sum()):
            yield f"team {team}: {fault}"


def _ca2(season: Season, given: Attributes) -> Iterator[str]:
    """Games of each team against some others in some slots, in all or each of these."""
    played = season.against(given["mode1"], _numbers(given["teams2"]))
    for team in _numbers(given["teams1"]):
        for slots in _spans(given):
            if fault := _outside(given, played[team, slots].sum()):
                yield f"team {team}: {fault}"


def _ca3(season: Season, given: Attributes) -> Iterator[str]:
    """Games of each team against some others in any so many slots in a row."""
    if given["mode2"] != "SLOTS":
        raise ValueError(f"CA3: mode2 {given['mode2']}")
    played = season.against(given["mode1"], _numbers(given["teams2"]))
    width = int(given["intp"])
    for team in _numbers(given["teams1"]):
        for first in range(season.n_slots - width + 1):
            if fault := _outside(given, played[team, first : first + width].sum()):
                yield f"team {team}, from slot {first}: {fault}"


def _ca4(season: Season, given: Attributes) -> Iterator[str]:
    """Games of some teams together against others; with HA, one between two of them is two."""
    played = season.against(given["mode1"], _numbers(given["teams2"]))
    teams = _numbers(given["teams1"])
    for slots in _spans(given):
        if fault := _outside(given, played[np.ix_(teams, slots)].sum()):
            yield f"slots {slots}: {fault}"


def _spans(given: Attributes) -> list[list[int]]:
    slots = _numbers(given["slots"])
    return {"GLOBAL": [slots], "EVERY": [[slot] for slot in slots]}[given["mode2"]]


def _ga1(season: Season, given: Attributes) -> Iterator[str]:
    """How many of some games are in some slots."""
    slots = set(_numbers(given["slots"]))
    games = [tuple(map(int, game.split(","))) for game in given["meetings"].split(";") if game]
    if fault := _outside(given, sum(season.timetable[i, j] in slots for i, j in games)):
        yield fault


def _br1(season: Season, given: Attributes) -> Iterator[str]:
    """Breaks of each team in some slots."""
    breaks = season.is_break & season.played(given["mode2"])
    for team in _numbers(given["teams"]):
        count = int(breaks[team, _numbers(given["slots"])].sum())
        if count > int(given["intp"]):
            yield f"team {team}: {count} breaks, not {given['intp']}"


def _br2(season: Season, given: Attributes) -> Iterator[str]:
    """Breaks of all teams together."""
    breaks = season.is_break & season.played(given["homeMode"])
    count = int(breaks[np.ix_(_numbers(given["teams"]), _numbers(given["slots"]))].sum())
    if count > int(given["intp"]):
        yield f"{count} breaks, not {given['intp']}"


def _fa2(season: Season, given: Attributes) -> Iterator[str]:
    """After each slot, how far the home games of two teams are apart."""
    games = season.played(given["mode"]).cumsum(axis=1)
    for i, j in combinations(_numbers(given["teams"]), 2):
        apart = np.abs(games[i] - games[j])[_numbers(given["slots"])].max()
        if apart > int(given["intp"]):
            yield f"teams {i} and {j}: {apart} games apart, not {given['intp']}"


def _se1(season: Season, given: Attributes) -> Iterator[str]:
    """Slots between the two games of two teams."""
    for i, j in combinations(_numbers(given["teams"]), 2):
        between = abs(season.timetable[i, j] - season.timetable[j, i]) - 1
        if between < int(given["min"]):
            yield f"teams {i} and {j}: {between} slots between, not {given['min']}"


_CHECKS: dict[str, Callable[[Season, Attributes], Iterator[str]]] = {
    "CA1": _ca1,
    "CA2": _ca2,
    "CA3": _ca3,
    "CA4": _ca4,
    "GA1": _ga1,
    "BR1": _br1,
    "BR2": _br2,
    "FA2": _fa2,
    "SE1": _se1,
}


def check(arguments: list[str]) -> int:
    """Judge a solution; says what it breaks, and returns the status."""
    if len(arguments) != 2:
        print("usage: robinx.py INSTANCE.xml[.gz] SOLUTION", file=sys.stderr)
        return 2
    instance, solution = map(Path, arguments)
    try:
        tournament = Tournament.read(instance)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        print(f"{instance}: {error}", file=sys.stderr)
        return 2
    try:
        timetable = read_timetable(solution)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        print(f"{solution}: {error}", file=sys.stderr)
        return 10
    broken = tournament.broken(timetable)
    print(f"{tournament.n_teams} teams, {len(timetable)} games, {len(tournament.hard)} constraints")
    print("\n".join(broken) or "VALID: it breaks no rule")
    return 21 if broken else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1:]))
