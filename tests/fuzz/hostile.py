"""Texts and files that were found, or thought, to cost a reader more than they should.

About a megabyte each unless they say otherwise; by reader or format, and by what is in them. Those
of a format are read as any file is.
"""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

MEGABYTE = 10**6
N = MEGABYTE
Data = str | bytes


def told(kind: str, **data: Any) -> str:
    """A puzzle's JSON."""
    return json.dumps({"puzzle": kind, **data}, separators=(",", ":"))


def model(**data: Any) -> str:
    """A model's JSON, with one bit and what is given."""
    bit = {"name": "a", "values": [0, 1], "family": "f"}
    return json.dumps({"problem": "model", "choices": [bit], **data}, separators=(",", ":"))


def wrong_answers() -> Mapping[str, Callable[[], Data]]:
    """Boards with an answer that is wrong in every cell."""
    n = 450
    white, black = ["." * n] * n, ["#" * n] * n
    rows = {"rooms": [[r] * n for r in range(n)], "clues": [1] * n}
    grid = [[0] * n for _ in range(n)]
    grid[0][0] = grid[-1][-1] = 1

    def paths(bit: str) -> Data:
        solution = {"right": [bit * (n - 1)] * n, "down": [bit * n] * (n - 1)}
        return told("numberlink", grid=grid, solution=solution)

    return {
        "hitori": lambda: told("hitori", grid=[[1] * n] * n, solution=white),
        "kurodoko": lambda: told("kurodoko", grid=[[2] * n] * n, solution=white),
        "heyawake": lambda: told("heyawake", rooms=[[0] * n] * n, clues=[1], solution=black),
        "heyawake, rows": lambda: told("heyawake", **rows, solution=white),
        "nonogram": lambda: told(
            "nonogram", rows=[[1]] * 2 * n, cols=[[1]] * 2 * n, solution=["#" * 2 * n] * 2 * n
        ),
        "numberlink, no path": lambda: paths("0"),
        "numberlink, all paths": lambda: paths("1"),
        "easyasabc": lambda: told(
            "easyasabc", size=500, letters=26, top=["B"] * 500, solution=["A" * 500] * 500
        ),
    }


def png(side: int, colours: int, depth: int) -> bytes:
    """A PNG, white above and black below; ``colours`` and ``depth`` as in its head."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc(kind + data))

    crc = zlib.crc32
    channels = {0: 1, 2: 3, 3: 1, 6: 4}[colours]
    white, black = (b"\0" + value * (side * channels * depth // 8) for value in (b"\xff", b"\0"))
    packer = zlib.compressobj(9)
    rows = [white] * (side // 2) + [black] * (side // 2)
    pixels = b"".join([*map(packer.compress, rows), packer.flush()])
    head = struct.pack(">IIBBBBB", side, side, depth, colours, 0, 0, 0)
    palette = chunk(b"PLTE", bytes(range(256)) * 3) if colours == 3 else b""
    parts = chunk(b"IHDR", head), palette, chunk(b"IDAT", pixels), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def journal_row(**more: Any) -> str:
    """A row of a comparison, as far as it is read."""
    row = {"key": "k", "status": "not solved", "why": "", "solved": False, "seconds": None}
    return json.dumps(row | more) + "\n"


def trace(about: str | None = None, **arrays: Any) -> bytes:
    """A trace of two states of a board of one cell, with what is given in place of its own."""
    problem = {"puzzle": "nonogram", "rows": [[1]], "cols": [[1]]}
    head = {"format": "qubopuzzle-trace", "version": 1, "problem": problem}
    text = json.dumps({**head, "about": {}, "families": ["f"]})
    own = {name: np.zeros(2) for name in ("seconds", "beta", "energy", "bound")}
    own |= {"read": np.zeros(2, np.int32), "sweep": np.zeros(2, np.int64)}
    own |= {"energies": np.zeros((2, 1), np.int64), "weights": np.zeros((2, 1), np.float32)}
    own |= {"answers": np.ones((2, 1, 1), np.int8), "about": np.array(about or text)}
    data = io.BytesIO()
    np.savez_compressed(data, **own | arrays)
    return data.getvalue()


def block(**arrays: Any) -> dict[str, Any]:
    """A block of a model."""
    return {"family": "g", **arrays}


HEADS = {"nothing": "", "nin": "5 5\n", "taai": "$1\n1\n", "non": "rows\n", "pzprv3": "pzprv3\n",
         "sudoku": "0000\n" * 4, "tatham": "4x4:a\n", "puzzlink": "https://puzz.link/p?sudoku/9/9/\n",
         "json": "{}\n"}  # fmt: skip
"""How texts of many short lines begin."""
ANY: Mapping[str, Callable[[], Data]] = {
    **{
        f"{size} MB of short lines, like {name}": lambda size=size, head=head: (
            head + "1\n" * (size * MEGABYTE // 2)
        )
        for name, head in HEADS.items()
        for size in ((1, 10, 64) if name == "nothing" else (1, 64))
    },
    "64 MB of line ends": lambda: "a" + "\n" * (64 * MEGABYTE),
    "digits of another script": lambda: "٥ ٥\n" + "١\n" * (N // 3),
    "emoji": lambda: "😀" * (N // 4),
}
"""Texts that may be of any format."""
HOSTILE: Mapping[str, Mapping[str, Callable[[], Data]]] = {
    "file": ANY,
    "json": {
        **{f"wrong answer of {what}": text for what, text in wrong_answers().items()},
        "braces": lambda: '{"a":' * (N // 5),
        "brackets": lambda: "[" * N,
        "empty lists": lambda: "[[" + "[]," * (N // 3) + "[]]]",
        "empty objects": lambda: "[" + "{}," * (N // 3) + "{}]",
        "objects in a grid": lambda: told("hitori", grid=[{"": 0}] * (N // 7)),
        "keys": lambda: told("hitori", **{str(i): 1 for i in range(N // 9)}),
        "one number": lambda: "[" + "9" * N + "]",
        "infinities": lambda: "[" + "1e999," * (N // 6) + "1]",
        "rows": lambda: told("nonogram", rows=[[1]] * (N // 4), cols=[[1]]),
    },
    "model": {
        "choices": lambda: model(
            choices=[{"name": str(i), "values": [0, 1], "family": "f"} for i in range(N // 43)]
        ),
        "choices, then no family": lambda: model(
            choices=[{"name": str(i), "values": [0, 1], "family": "f"} for i in range(N // 43)],
            linear=[{}],
        ),
        "values": lambda: model(
            choices=[{"name": "a", "values": list(range(N // 7)), "family": "f"}]
        ),
        "terms": lambda: model(
            linear=[
                block(row=[0] * (N // 6), literal=[0] * (N // 6), coefficient=[1] * (N // 6),
                      lower=[0], upper=[10**6], labels=["x"])
            ]
        ),
        "rows": lambda: model(
            linear=[
                block(row=[], literal=[], coefficient=[], lower=[0] * (N // 10),
                      upper=[None] * (N // 10), labels=[""] * (N // 10))
            ]
        ),
        "blocks of no rows": lambda: model(
            linear=[block(row=[], literal=[], coefficient=[], lower=[], upper=[], labels=[])]
            * (N // 78)
        ),
        "blocks of precedence": lambda: model(
            precedence=[block(first=[0], second=[0], gap=[1])] * (N // 49)
        ),
        "blocks of connected": lambda: model(
            connected=[block(literals=[0, 1], edges=[[0, 1]])] * (N // 51)
        ),
        "edges": lambda: model(connected=[block(literals=[0, 1], edges=[[0, 1]] * (N // 6))]),
    },
    "taai": {"one line": lambda: "$1\n" + "1\t" * (N // 2)},
    "non": {
        "keywords": lambda: "rows\n" + "".join(f"k{i} x\n" for i in range(N // 9)),
        "bundles": lambda: "rows\n" + "====\n1\n" * (N // 7),
        "one clue": lambda: "rows\n" + "1," * (N // 2) + "\ncolumns\n1\n",
        "clues": lambda: "rows\n" + "1\n" * (N // 2),
        "blank lines": lambda: "height 5\nwidth 5\nrows\n1\n" + "\n" * N + "columns\n1\n",
    },
    "sudoku": {
        "rows, the last wrong": lambda: "0000\n" * (N // 5) + "x\n",
        "boards, the last wrong": lambda: ("." * 81 + "\n") * (N // 82) + "." * 80 + "x\n",
    },
    "webpbn": {
        "entities": lambda: "<!DOCTYPE a [" + '<!ENTITY b "bbbbbbbb">' * 40_000 + "]><puzzle/>",
        "elements": lambda: "<puzzle>" + "<b/>" * (N // 4),
        "colours": lambda: "<puzzle>" + "<color/>" * (N // 8) + "</puzzle>",
        "lines": lambda: "<puzzle><clues type='rows'>" + "<line/>" * (N // 7) + "</clues></puzzle>",
        "image": lambda: (
            "<puzzle><solution><image>" + "X\n" * (N // 2) + "</image></solution></puzzle>"
        ),
    },
    "nonograms_org": {
        "cells": lambda: "<table>" + "<td>" * (N // 4),
        "rows": lambda: "<table>" + "<tr>" * (N // 4),
        "rows of a cell": lambda: "<table>" + "<tr><td>1" * (N // 9),
        "tables": lambda: "<table><td>1</table>" * (N // 20),
        "attributes": lambda: "<table>" + ("<td " + "a='" * 1600 + ">") * (N // 4806),
        "half tags": lambda: "<table>" + "<a " * (N // 3),
        "ampersands": lambda: "<table><td>" + "&" * N,
    },
    "puzzlink": {
        "parameters": lambda: "https://puzz.link/p?" + "&" * N,
        "encoded strokes": lambda: "https://puzz.link/p?sudoku/9/9/" + "%2f" * (N // 3),
        "rooms of a cell": lambda: "https://puzz.link/p?heyawake/500/500/" + "v" * N,
        "size": lambda: "https://puzz.link/p?sudoku/999999999/999999999/",
    },
    "pzprv3": {
        "parts": lambda: "pzprv3/" + "\n/" * (N // 2),
        "boards of no size": lambda: "pzprv3\n" * (N // 7),
        "cells in a row": lambda: "pzprv3/hitori/1/1/" + "1 " * (N // 2) + "/",
    },
    "tatham": {
        "blanks": lambda: "5x5:" + "a" * N,
        "slashes": lambda: "pattern:500x500:" + "/" * N,
        "ids": lambda: "5x5:a\n" * (N // 6),
    },
    "answers": {
        "lines": lambda: "1\n" * (N // 2),
        "objects": lambda: "{}\n" * (N // 3),
        "64 MB of short lines": lambda: "1\n" * (32 * MEGABYTE),
    },
    "sample": {
        "numbers": lambda: "0.0 " * (N // 4),
        "numbers, the last wrong": lambda: "10 " * (N // 3) + "x",
        "64 MB of numbers": lambda: "10 " * (64 * MEGABYTE // 3) + "x",
        "literals": lambda: "v " + " ".join(map(str, range(1, N // 7))),
        "64 MB of lines of literals": lambda: "v 1\n" * (16 * MEGABYTE),
        "brackets": lambda: "[" * N,
        "a list": lambda: "[" + "0," * (N // 2) + "0]",
        "an object": lambda: json.dumps({str(i): 0 for i in range(N // 12)}),
        "infinities": lambda: "[" + "1e999," * (N // 6) + "1]",
        "columns of a sample set": lambda: json.dumps(
            {"type": "SampleSet", "num_variables": 10**9, "num_rows": 10**9, "vartype": "BINARY"}
        ),
    },
    "description": {
        "brackets": lambda: "[" * N,
        "variables": lambda: json.dumps(
            {"format": "qubopuzzle-model", "version": 1, "variables": ["x"] * (N // 5)}
        ),
    },
    "image": {
        **{
            f"PNG, {side} x {side}, {name}": lambda side=side, kind=kind: png(side, *kind)
            for side in (3_520, 6_000)
            for name, kind in {"black and white": (0, 1), "16 bits of grey": (0, 16),
                               "colours": (2, 8), "palette": (3, 8), "transparent": (6, 8)}.items()
        },
        "no image": lambda: b"\x89PNG\r\n\x1a\n" + b"\0" * N,
    },
    "journal": {
        "rows": lambda: "".join(journal_row(key=str(i)) for i in range(N // 85)),
        "rows, the last wrong": lambda: (
            "".join(journal_row(key=str(i)) for i in range(N // 85)) + journal_row(seconds="x")
        ),
        "empty lists": lambda: journal_row(solution=[[]] * (N // 4)),
        "brackets": lambda: '{"key": "k", "a":' + "[" * N + "\n",
        "64 MB of short lines": lambda: "\n" * (64 * MEGABYTE) + "1\n",
    },
    "trace": {
        "a read of any number": lambda: trace(read=np.array([0, 2**31 - 1], np.int32)),
        "zeros, packed": lambda: trace(energies=np.zeros((2, 15 * N), np.int64)),
        "more zeros, packed": lambda: trace(energies=np.zeros((2, 20 * N), np.int64)),
        "brackets": lambda: trace(about="[" * N),
        "no archive": lambda: b"PK\3\4" + b"\0" * N,
    },
    "configurations": {
        "a name of many parts": lambda: "a" + ".a" * (N // 2) + " = 1\n",
        "a table of many parts": lambda: "[a" + ".a" * 50 + "]\n" + "b = 1\n" * 40_000,
        "tables": lambda: "[[grid]]\n" * 29_000,
        "names": lambda: "".join(f"a{i}=1\n" for i in range(29_000)),
        "brackets": lambda: "a = " + "[" * 250_000,
        "braces": lambda: "a = " + "{a=" * 80_000,
        "numbers": lambda: "a = [" + "1," * 125_000 + "]",
        "digits": lambda: "a = " + "9" * 250_000,
        "escapes": lambda: 'a = "' + "\\n" * 125_000 + '"',
        "combinations": lambda: (
            "[[grid]]\nsolver = 'neal'\n[grid.weights]\n"
            + "".join(f"a{i} = [1, 2, 3]\n" for i in range(10_000))
        ),
    },
}  # fmt: skip
