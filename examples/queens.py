"""N queens, none of which attacks another: a model of one's own, solved and judged."""

from qubopuzzle import Model, ModelBuilder, solve


def queens(n: int) -> Model:
    """A choice a column over the rows of its queen."""
    b = ModelBuilder()
    row = [b.choice(f"queen[{c}]", range(n)) for c in range(n)]
    b.exactly_one("row", [[row[c] == r for c in range(n)] for r in range(n)])
    for family, sign in (("falling", 1), ("rising", -1)):
        lines: dict[int, list] = {}
        for c in range(n):
            for r in range(n):
                lines.setdefault(r - sign * c, []).append(row[c] == r)
        b.at_most_one(family, list(lines.values()))
    return b.build(id=f"queens-{n}")


if __name__ == "__main__":
    result = solve(queens(8), seed=1)
    print(result)
    assert result.valid
