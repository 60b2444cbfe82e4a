"""Graph colouring: neighbours on a map get different colours."""

from qubopuzzle import Model, ModelBuilder, solve

STATES = ["WA", "NT", "SA", "QLD", "NSW", "VIC", "TAS"]
BORDERS = ["WA-NT", "WA-SA", "NT-SA", "NT-QLD", "SA-QLD", "SA-NSW", "SA-VIC", "QLD-NSW", "NSW-VIC"]


def colouring(colours: list[str]) -> Model:
    """A choice a state over the colours, and a row a border and colour."""
    b = ModelBuilder()
    colour = {state: b.choice(state, colours) for state in STATES}
    for border in BORDERS:
        one, other = border.split("-")
        b.at_most_one("border", [[colour[one] == c, colour[other] == c] for c in colours])
    return b.build(id=f"colouring-{len(colours)}")


if __name__ == "__main__":
    result = solve(colouring(["red", "green", "blue"]), seed=1)
    print(result)
    assert result.valid
    assert solve(colouring(["red", "green"]), "sat").status == "infeasible"
