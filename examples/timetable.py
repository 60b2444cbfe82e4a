"""A small timetable: lessons in periods and rooms, no class and no room in two at once."""

from itertools import combinations

from qubopuzzle import Model, ModelBuilder, solve

LESSONS = {"maths A": "A", "maths B": "B", "art A": "A", "art B": "B"}
ROOMS = ["lab", "hall"]


def timetable(periods: int = 2) -> Model:
    """A choice a lesson over (period, room); art is taught in the hall."""
    b = ModelBuilder()
    slots = [(p, room) for p in range(periods) for room in ROOMS]
    at = {lesson: b.choice(lesson, slots) for lesson in LESSONS}
    b.at_most_one("room", [[at[lesson] == slot for lesson in LESSONS] for slot in slots])
    for pair in combinations(LESSONS, 2):
        if LESSONS[pair[0]] == LESSONS[pair[1]]:
            for p in range(periods):
                b.add("class", sum(at[x] == (p, room) for x in pair for room in ROOMS) <= 1)
    for lesson in ("art A", "art B"):
        b.add("hall", sum(at[lesson] == (p, "hall") for p in range(periods)) == 1)
    return b.build(id=f"timetable-{periods}")


if __name__ == "__main__":
    result = solve(timetable(), seed=1)
    print(result)
    assert result.valid
