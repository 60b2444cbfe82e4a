"""LP texts of models that are known, and a plain reader of them that is nobody else's."""

import re
from collections import Counter
from itertools import chain

import numpy as np

NAMES = ["x", "e", "E5", "y.1", "_z", "é", "x(1)", "~a", "to", "to_2", "R1", 'q"', "endx", "a'b,c"]
NUMBERS = ["", "2", "0.5", "1e2", ".5", "3.", "1E+1", "25e-1", "0"]
WORDS = {
    "min": "Minimize minimum MIN",
    "max": "Maximize MAXIMUM max",
    "rows": "Subject_To st S.T. such_that",
    "bounds": "Bounds BOUND",
    "general": "General gen Integers Integer",
    "binary": "Binaries bin BINARY",
    "end": "End END",
}
SECTIONS = {word.lower(): key for key, words in WORDS.items() for word in words.split()}
TOKEN = re.compile(
    r"[<>]=?|=[<>]?|[-+:*^/[\]]|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[^-+\s\d<>=:*^/[\];.][^-+\s<>=:*^/[\];]*"
)
NUMBER = re.compile(r"[\d.]")


def text_and_model(rng):
    """A text, and what it says: sums by name, rows, bounds."""
    names = rng.sample(NAMES, 4)
    general = names[:1]
    model = {"maximize": rng.random() < 0.5, "offset": 0.0, "squares": Counter(), "rows": []}

    def gap(must=True):
        return rng.choice([" ", "\t ", "\n  ", " \\ a >= 3 + b\n "] if must else [" ", "", "\n "])

    def terms(into, some, power=lambda _: ((), "")):
        parts = []
        for name in some:
            sign, number = rng.choice("+-"), rng.choice(NUMBERS)
            others, more = power(name)
            into[tuple(sorted((name, *others)))] += float(f"{sign}{number or 1}")
            shown = "" if sign == "+" and not parts else sign
            between = gap(False) if number and name[0] not in "eEx" else gap()
            parts.append(f"{shown}{gap(False)}{number}{between if number else ''}{name}{more}")
        return gap().join(parts)

    def power(name):
        other = rng.choice(names)
        return rng.choice([((other,), f" * {other}"), ((name,), " ^2")])

    def word(key):
        return rng.choice(WORDS[key].split()).replace("_", " ")

    model["cost"] = Counter()
    objective = terms(model["cost"], rng.sample(names, 3))
    if rng.random() < 0.5:
        objective += f"{gap()}- 2.5"
        model["offset"] = -2.5
    if rng.random() < 0.5:
        squares = terms(model["squares"], rng.choices(names, k=3), power)
        objective += f"{gap()}+ [ {squares} ]/{gap()}2"
    lines = [word("max" if model["maximize"] else "min"), f" obj: {objective}", word("rows")]
    for i in range(3):
        sums = Counter()
        text = terms(sums, rng.choices(names, k=3))
        sense, side = (
            rng.choice(["<=", ">=", "=", "<", ">", "=<", "=>"]),
            rng.choice(["1", "- 2", "+3.5", "-1e1"]),
        )
        label = rng.choice([f"c{i}:", f"c{i} :\n", ""])
        note = rng.choice(["", " \\ 2"])
        lines.append(f" {label}{text}{gap(False)}{sense}{gap(False)}{side}{note}")
        value = float(side.replace(" ", ""))
        bounds = (-np.inf if "<" in sense else value, np.inf if ">" in sense else value)
        model["rows"].append((f"c{i}" if label else f"row{i}", sums, *bounds))
    bounds = f" -2 <= {general[0]}", f"{general[0]} <= 3", f" {names[1]}= 1"
    lines += [word("bounds"), rng.choice(["\n", " "]).join(bounds)]
    lines += [word("general"), *general, word("binary"), f" {' '.join(names[1:])}", word("end"), ""]
    model["bounds"] = dict.fromkeys(names, (0, 1)) | {names[0]: (-2, 3), names[1]: (1, 1)}
    return "\n".join(lines), tidy(model)


def tidy(model):
    """Without what is zero, to compare."""
    parts = {key: {k: v for k, v in model[key].items() if v} for key in ("cost", "squares")}
    rows = [
        (name, {k: v for k, v in sums.items() if v}, *sides) for name, sums, *sides in model["rows"]
    ]
    return model | parts | {"rows": rows}


def model_of(program):
    """What a program says, as ``text_and_model`` has it."""
    names = program.variables
    sums = [Counter() for _ in program.rows]
    matrix, squares = program.matrix.tocoo(), program.quadratic.tocoo()
    for row, column, value in zip(matrix.row, matrix.col, matrix.data, strict=True):
        sums[row][names[column],] += value
    products = Counter()
    for i, j, value in zip(squares.row, squares.col, squares.data, strict=True):
        products[tuple(sorted((names[i], names[j])))] += 2 * value
    rows = zip(program.rows, sums, program.row_lower, program.row_upper, strict=True)
    return tidy(
        {
            "maximize": program.maximize,
            "offset": program.offset,
            "cost": {(name,): value for name, value in zip(names, program.cost, strict=True)},
            "squares": products,
            "rows": [tuple(row) for row in rows],
            "bounds": dict(zip(names, zip(program.lower, program.upper, strict=True), strict=True)),
        }
    )


def plain_model(text):
    """What a text says, token by token; ValueError, KeyError or IndexError if it says nothing."""
    parts = _parts(text)
    sense = "max" if "max" in parts else "min"
    _, cost, squares, offset = _sums([*chain(*parts[sense])])
    model = {"maximize": sense == "max", "offset": offset, "cost": cost, "squares": squares}
    model["rows"] = [*_rows(parts.get("rows", []))]
    used = {*cost, *squares, *(name for row in model["rows"] for name in row[1])}
    bounds = {name: [0, np.inf] for names in used for name in names}
    for name in chain(*parts.get("general", [])):
        bounds.setdefault(name, [0, np.inf])
    for name in chain(*parts.get("binary", [])):
        bounds[name] = [0, 1]
    for words in parts.get("bounds", []):
        for own in _each_bound(words):
            _bound(bounds, own)
    whole = {name: (np.ceil(low), np.floor(high)) for name, (low, high) in bounds.items()}
    return tidy(model | {"bounds": whole})


def _parts(text):
    """The words of each line, by section."""
    parts, key = {}, ""
    for line in text.split("\n"):
        said = line.split("\\")[0]
        words = TOKEN.findall(said)
        if "".join(words) != "".join(said.split()):
            raise ValueError(line)
        for n in (2, 1):
            if (head := SECTIONS.get("_".join(words[:n]).lower())) and len(words) >= n:
                if head in parts:
                    raise ValueError(head)
                key, words = head, words[n:]
                parts[key] = []
                break
        if words:
            parts[key].append(words)
    if parts["end"]:
        raise ValueError("behind the end")
    return parts


def _rows(lines):
    pending, n = [], 0
    for words in lines:
        pending += words
        at = next((i for i, word in enumerate(pending) if word[0] in "<>="), None)
        if at is None or not NUMBER.match(pending[-1]) or at == len(pending) - 1:
            continue
        name, sums, squares, constant = _sums(pending[:at])
        if squares or constant or not sums:
            raise ValueError(pending)
        value, sense = float("".join(pending[at + 1 :])), pending[at]
        low, high = -np.inf if "<" in sense else value, np.inf if ">" in sense else value
        yield name or f"row{n}", sums, low, high
        pending, n = [], n + 1
    if pending:
        raise ValueError(pending)


def _sums(words):
    """A name, and sums of terms, of squares and of constants."""
    name, cost, squares, constant = "", Counter(), Counter(), 0.0
    if words[1:2] == [":"]:
        name, words = words[0], words[2:]
    words, first, into = [*words, ""], True, cost
    while words[0]:
        if words[0] == "]" and into is squares:
            if words[1] != "/" or float(words[2]) != 2:
                raise ValueError(words)
            words, into = words[3:], cost
            continue
        sign = words.pop(0) if words[0] in "+-" else "+" if first else None
        if words[0] == "[" and sign == "+" and into is cost:
            words, into, first = words[1:], squares, True
            continue
        number = words.pop(0) if NUMBER.match(words[0]) else ""
        value, first = float(f"{sign}{number or 1}"), False
        if not words[0] or words[0] in "+-][":
            if not number or into is squares:
                raise ValueError(words)
            constant += value
            continue
        into[_factors(words, 1 + (into is squares))] += value
    if into is squares:
        raise ValueError("not closed")
    return name, cost, squares, constant


def _factors(words, n):
    factors = [words.pop(0)]
    if n == 2:
        power, other = words.pop(0), words.pop(0)
        if power == "^" and float(other) != 2:
            raise ValueError(words)
        factors.append({"^": factors[0], "*": other}[power])
    if not all(re.match(r"[^-+\d<>=:*^/\[\].]", factor) for factor in factors):
        raise ValueError(factors)
    return tuple(sorted(factors))


def _each_bound(words):
    """The words of each bound of a line, of bounds that have two sides."""
    own, seen = [], False
    for word in words:
        own.append(word)
        if seen and word not in "+-":
            yield own
            own, seen = [], False
        seen |= word[0] in "<>="
    if own:
        yield own


def _bound(bounds, words):
    text = re.sub(r"=?<=?|<", "<=", re.sub(r"=?>=?|>", ">=", " ".join(words)))
    value = r"([-+]? ?[\d.]\S*)"
    for form, sides in (
        (rf"{value} <= (\S+)", {0: 1}),
        (rf"(\S+) >= {value}", {0: 2}),
        (rf"{value} >= (\S+)", {1: 1}),
        (rf"(\S+) <= {value}", {1: 2}),
        (rf"(\S+) = {value}", {0: 2, 1: 2}),
        (rf"{value} = (\S+)", {0: 1, 1: 1}),
    ):
        if found := re.fullmatch(form, text):
            for side, at in sides.items():
                bounds.setdefault(found[3 - at], [0, np.inf])[side] = float(
                    found[at].replace(" ", "")
                )
            return
    raise ValueError(text)


def mutated(rng, text):
    """The text with a character left out, doubled, swapped or put in, or cut off."""
    i = rng.randrange(len(text) - 1)
    before, one, behind = text[:i], text[i], text[i + 1 :]
    more = rng.choice("+-0 2.ex:<=>[]*/^\n\\;")
    swapped = before + behind[0] + one + behind[1:]
    return rng.choice(
        [before + behind, before + 2 * one + behind, swapped, before, before + more + text[i:]]
    )
