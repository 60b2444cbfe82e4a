"""What is fuzzed: every reader, with texts that it reads and a function that tries one.

A function returns whether anything was read, raises InputError of one line for what is refused,
and AssertionError for what is wrong about a result. Files that are no text are texts of the
characters 0 to 255 here.
"""

import io
import json
import tempfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zipfile import ZipFile

import dimod
import numpy as np
from PIL import Image

from qubopuzzle import (
    InputError,
    ModelBuilder,
    Nonogram,
    QubopuzzleError,
    export,
    load,
    load_trace,
    solve,
)
from qubopuzzle.bench import profile, tables
from qubopuzzle.bench.comparison import Comparison, resumed_rows
from qubopuzzle.bench.journal import Journal
from qubopuzzle.bench.merge import load_comparison
from qubopuzzle.bench.plan import ComparisonPlan, make_plan
from qubopuzzle.bench.report import csv_text, html_report, markdown_report
from qubopuzzle.cli import reporting
from qubopuzzle.files.models import read_sample
from qubopuzzle.files.puzzles import all_formats, get_format
from qubopuzzle.files.puzzles.answers import load_answers
from qubopuzzle.files.puzzles.native import problem_from_dict
from qubopuzzle.model import Field
from qubopuzzle.problem import ModelProblem
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.puzzles.nonogram.image import FORMATS, from_image
from qubopuzzle.solving.form import problem_hash, rebuilt
from qubopuzzle.web.replay import replay_of

native, pzprv3 = map(get_format, ("json", "pzprv3"))
DOTS = Nonogram(rows=[[1], [1]], cols=[[1], [1]], id="dots")


@dataclass(frozen=True)
class Reader:
    """Texts that it reads, how it tries one, and whether a file of the corpus is for it."""

    valid: Sequence[str]
    attempt: Callable[[str], bool]
    sniff: Callable[[str], bool] = lambda _: False


def all_readers() -> list[str]:
    """The names of all of them."""
    return [*all_formats(), *_OTHERS]


def get_reader(name: str) -> Reader:
    """One of them; what it needs is made here."""
    return _OTHERS[name]() if name in _OTHERS else _format(name)


# --- formats of puzzles ----------------------------------------------------------------


def _format(name: str) -> Reader:
    module = get_format(name)
    return Reader(_examples(module), partial(_try_format, module), module.detect)


def _examples(module) -> list[str]:
    """The examples of each kind of puzzle that the format holds, one by one and together."""
    texts = []
    for name in puzzle_names():
        if name in (module.puzzles or puzzle_names()):
            examples = get_puzzle(name).examples()
            for group in (*([example] for example in examples), examples):
                with suppress(InputError):
                    texts.append(module.write(group))
    return texts


def _try_format(module, text: str) -> bool:
    """Sniff, read as every kind, and write and read again what was read."""
    found = []
    module.detect(text)
    for kind in (None, *(module.puzzles or puzzle_names())):
        try:
            found += module.read(text, kind)[:2]
        except InputError as error:
            _check_line(error)
    for puzzle in found:
        try:
            written = module.write([puzzle])
        except InputError:
            continue  # what one form of a text can hold need not fit the form that is written
        assert module.detect(written), f"written but not known again: {written[:80]!r}"
        try:
            assert module.read(written, puzzle.name) == [puzzle], f"read as another: {written!r}"
        except InputError as error:
            raise AssertionError(f"written but refused: {error}: {written!r}") from None
    return bool(found)


def _check_line(error: Exception) -> None:
    assert len(str(error).splitlines()) == 1, f"not one line: {error!r}"


# --- other readers ---------------------------------------------------------------------


def _files() -> Reader:
    """Any file of puzzles, whose format is told from its content."""
    texts = [text for name in all_formats() for text in _examples(get_format(name))[:3]]
    encoded = [text.encode("utf-16") for text in texts[:5]]
    valid = [text.encode().decode("latin-1") for text in texts]
    return Reader([*valid, *(data.decode("latin-1") for data in encoded)], _in_a_file(load))


def _answers() -> Reader:
    """Answers, judged by an example of each puzzle and by a model, as bare ones and as boards."""
    puzzles = [get_puzzle(name).examples()[0] for name in puzzle_names()]
    solved = [p for p in puzzles if p.solution is not None]
    given = [(p.id, p.format_answer(p.solution)) for p in solved]
    valid = [json.dumps({"id": name, "solution": answer}) for name, answer in given]
    valid += [json.dumps(answer) for _, answer in given]
    valid += ["\n".join(map(str, answer)) for _, answer in given if isinstance(answer, list)]

    valid += [pzprv3.write([puzzle]) for puzzle in solved]
    valid += ["x -\n- x", "1" * 81, "5 4\nCCBBB\nACBAA\nACCCA\nAAAAA\n"]

    def attempt(path: Path) -> int:
        judged, refused = 0, None
        for known in ([], *([puzzle] for puzzle in puzzles), [ModelProblem(_model())]):
            try:
                answers = load_answers(path, known)[:20]
            except InputError as error:
                refused = error
                continue
            for answer in answers:
                for problem in known or puzzles:
                    with suppress(InputError):
                        problem.check(answer.solution)
                        judged += 1
        if refused and not judged:
            raise refused
        return judged

    return Reader([*valid, "\n".join(valid[:3])], _in_a_file(attempt))


def _model():
    """A model with something of everything."""
    b = ModelBuilder()
    day, hour, rain = b.choice("day", range(3)), b.choice("hour", ["a", 2, None]), b.bit("rain")
    b.add("some", 2 * (day == 1) + rain <= 2)
    b.at_most_one("one", [[day == 0, hour == "a"], [day == 2, rain]])
    b.precedence("order", [day], [day], 0)
    b.connected("connected", [day == 0, day == 1, rain], [[0, 1], [1, 2]])
    b.acyclic("acyclic", [day == 0, rain], [[0, 1], [1, 0]])
    view = b.view("cells", [0, 1], [day.literals[0], rain.first], n_cells=2)
    return b.build(Field((1, 2), 0, 1, (view,), lambda _: []), id="all", title="of everything")


def _models() -> Reader:
    models = [_model(), DOTS.model("pattern"), get_puzzle("hitori")(grid=[[1, 2]]).model("lazy")]
    valid = [native.write([ModelProblem(model)]) for model in models]
    return Reader(valid, _try_model)


def _try_model(text: str) -> bool:
    written = native.write([p for p in native.read(text) if isinstance(p, ModelProblem)])
    assert native.write(native.read(written)) == written, f"read as another: {written[:200]}"
    return bool(written)


def _samples() -> Reader:
    """Assignments, for an exported model of three formats."""
    built = [export(DOTS, to) for to in ("coo", "dimacs", "lp")]
    valid = []
    for each in built:
        names = each.labels
        bits = [i % 2 for i in range(len(names))]
        valid += [json.dumps(dict(zip(names, bits, strict=True))), json.dumps(bits)]
        valid += ["".join(map(str, bits)), " ".join(map(str, bits)), "0.0 1.0 1e0 0"]
        valid.append("s SATISFIABLE\nv " + " ".join(str(1 + i) for i in range(len(names))) + " 0")
        values = dict.fromkeys(names, 1)
        found = dimod.SampleSet.from_samples([values] * 2, "BINARY", energy=[0, 1])
        valid.append(json.dumps(found.to_serializable()))

    def attempt(text: str) -> bool:
        sample, judged = read_sample(text), 0
        for each in built:
            with suppress(InputError):
                each.decode(sample)
                judged += 1
        return judged > 0

    return Reader(valid, attempt)


def _descriptions() -> Reader:
    """Descriptions of exported models; their hashes are made right, so that the rest is read."""
    exports = [(DOTS, to) for to in ("bqm", "dimacs", "mps", "qplib")]
    exports += [(ModelProblem(_model()), "lp"), (get_puzzle("sudoku").examples()[0], "dimacs")]
    valid = [json.dumps(export(problem, to).description) for problem, to in exports]

    def attempt(text: str) -> bool:
        with suppress(ValueError, RecursionError):  # no JSON, or no puzzle
            data = json.loads(text)
            if isinstance(data, dict):
                problem = problem_from_dict(data.get("puzzle"))
                text = json.dumps(data | {"puzzle_sha256": problem_hash(problem)})
        try:
            rebuilt(text)
        except QubopuzzleError as error:  # TooLarge, ModelError: the model cannot be made anew
            raise InputError(str(error)) from None
        return True

    return Reader(valid, attempt)


def _images() -> Reader:
    grid = np.indices((9, 12)).sum(axis=0) % 5 < 2
    image = Image.fromarray(grid.astype(np.uint8) * 255)
    kinds = [(kind, image.convert(mode)) for kind in FORMATS for mode in ("RGB", "1", "L", "P")]
    kinds += [(kind, image.convert(mode)) for kind in ("PNG", "TIFF") for mode in ("RGBA", "I;16")]
    valid = []
    for kind, each in kinds:
        for more in ({}, {"save_all": True, "append_images": [each]}, {"progressive": True}):
            data = io.BytesIO()
            with suppress(OSError, ValueError, KeyError):  # no such mode, no several images
                each.save(data, kind, **more)
                valid.append(data.getvalue().decode("latin-1"))

    def attempt(text: str) -> bool:
        rng = np.random.default_rng(0)
        from_image(io.BytesIO(_bytes(text)), (3, 4), rng=rng, threshold=100, most_changes=12)
        return True

    return Reader(valid, attempt)


def _comparison() -> tuple[ComparisonPlan, list[dict[str, Any]], str]:
    """A plan, rows of all kinds, and what stands in a journal before them."""
    plan = make_plan([DOTS], ["sat", "annealer"], repeat=2, time_limit=5)
    solved = {"status": "valid", "why": "", "solved": True, "seconds": 0.5, "build_s": 0.1,
              "solve_s": 0.4, "sizes": {"bits": 4}, "solution": ["#.", ".#"],
              "proved_by": None}  # fmt: skip
    failed = {"status": "crashed", "why": "killed", "solved": False, "seconds": 3.0, "sizes": {}}
    proved = solved | {"status": "proved none", "solution": None, "proved_by": "sat"}
    where = {"host": "a", "cpu": "EPYC", "cores": 2, "system": "Linux"}
    started = {"started": "2026-01-01T00:00:00+00:00", "wall_s": 0.6, "machine": where}
    known = {"objective": 3, "bound": 2.5, "peak_mib": 90, "versions": {"sat": "1"}, "reads": 1}
    ends = (solved, failed, proved, solved | started | known)
    rows = [job.columns() | end for job in plan.jobs() for end in ends]
    with tempfile.TemporaryDirectory() as folder:
        book = Journal(Path(folder) / "head", resume=False)
        book.describe(plan)
        head = book.path.read_text()
        book.close()
    return plan, rows, head


def _journals() -> Reader:
    """Rows of a journal that a comparison goes on with, up to all that is printed of them."""
    plan, rows, _ = _comparison()
    jobs = list(plan.jobs())
    lines = [json.dumps(row) + "\n" for row in rows]
    valid = [*lines, "".join(lines[::4]), "".join(lines[1::3]), lines[0] + lines[-1][:50]]

    def attempt(path: Path) -> int:
        book = Journal(path, resume=True)
        try:
            rows = [*resumed_rows(jobs, book).values()]
            done = Comparison(plan.instances, plan.configurations, rows, plan.planned())
        finally:
            book.close()
        tables.instance_table(done)
        tables.total_table(done)
        reporting.failure_notes(done)
        done.to_csv().encode()
        for found in done.contradictions:
            reporting.contradiction_block(found)
        return len(done.rows)

    return Reader(valid, _in_a_file(attempt))


def _whole_journals() -> Reader:
    """Journals with their instances and configurations, up to all reports, but for their plots."""
    _, rows, head = _comparison()
    lines = [json.dumps(row) + "\n" for row in rows]
    valid = [head + "".join(lines[start::4]) for start in range(4)]
    valid += [head + line for line in lines[:4]]

    def attempt(path: Path) -> int:
        whole = load_comparison(path)
        for write in (markdown_report, csv_text):
            write(whole).encode()
        with patch.object(profile, "svgs", return_value=[]):  # which take seconds
            html_report(whole).encode()
        for found in whole.contradictions:
            reporting.contradiction_block(found)
        return len(whole.rows)

    return Reader(valid, _in_a_file(attempt))


def _traces() -> Reader:
    """Traces, packed and plain, up to what ``replay`` makes of them; a plot now and then."""
    path, valid = Path(_FOLDER.name, "trace"), []
    for problem in (DOTS, get_puzzle("sudoku").examples()[0], _local_model()):
        options = {"beta": 2.5, "increment": 0.02}
        settings = {"seed": 1, "reads": 2, "presolve": "none", "time_limit": 1}
        trace = solve(problem, "annealer", options=options, trace=5, **settings).trace
        trace[:5].save(path)
        plain = io.BytesIO()
        with np.load(path) as arrays:
            np.savez(plain, **arrays)
        valid += [data.decode("latin-1") for data in (path.read_bytes(), plain.getvalue())]

    def attempt(path: Path) -> int:
        trace = load_trace(path)
        if len(trace):
            trace.sweeps_in_all()
            trace.lowest.min()
            if trace.picture(len(trace) - 1) is not None:
                replay_of(trace)
            if not zlib.crc32(path.read_bytes()) % 20:
                trace.image("svg")
        return len(trace)

    read = _in_a_file(attempt)
    return Reader(valid, lambda text: read(_summed(_bytes(text)).decode("latin-1")))


def _summed(data: bytes) -> bytes:
    """Half of all archives with their checksums made right, so that the rest of them is read."""
    if zlib.crc32(data) % 2:
        return data
    found = bytearray(data)
    with suppress(Exception), ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            local = entry.header_offset
            lengths = data[local + 26 : local + 28], data[local + 28 : local + 30]
            start = local + 30 + sum(int.from_bytes(each, "little") for each in lengths)
            content = data[start : start + entry.compress_size]
            content = zlib.decompress(content, -15) if entry.compress_type else content
            central = data.index(entry.filename.encode(), archive.start_dir) - 46
            for place in (local + 14, central + 16):
                found[place : place + 4] = zlib.crc32(content).to_bytes(4, "little")
    return bytes(found)


def _local_model():
    """A model that the annealer takes."""
    b = ModelBuilder()
    day, rain = b.choice("day", range(3)), b.bit("rain$")
    b.add("some", 2 * (day == 1) + rain >= 2)
    return b.build(id="local")


def _configurations() -> Reader:
    """Files of configurations, up to a plan."""
    valid = [
        '[[configuration]]\nname = "annealer, probed"\nsolver = "annealer"\n'
        'presolve = "probe"\noptions = {threads = 1}\n',
        '[[grid]]\nsolver = ["neal", "tabu"]\nencoding = ["one-hot", "domain-wall"]\n'
        "weights = {field = [1, 2]}\noptions = {neal = {sweeps = [100, 1000]}}\n",
        '[[configuration]]\nsolver = "sat"\ntime_limit = 2.5\nformulation = "window"\n\n'
        "[[configuration]]\nsolver = 'random'\nreads = 1_000\n[configuration.weights]\n"
        "field = 2\n",
        '[[grid]]\nsolver = "dimod:dimod:RandomSampler"\nreads = [1, 2]\n'
        'presolve = ["none", "probe"]\nformulation = """window"""\n',
    ]

    def attempt(path: Path) -> int:
        try:
            return len(make_plan([DOTS], configurations=path).configurations)
        except QubopuzzleError as error:  # SolverUnavailable
            raise InputError(str(error)) from None

    return Reader(valid, _in_a_file(attempt))


_FOLDER = tempfile.TemporaryDirectory(prefix="fuzz-readers-")


def _in_a_file(read: Callable[[Path], object]) -> Callable[[str], bool]:
    """Reads a text as the bytes of a file."""
    path = Path(_FOLDER.name, "input")

    def attempt(text: str) -> bool:
        path.write_bytes(_bytes(text))
        return bool(read(path))

    return attempt


def _bytes(text: str) -> bytes:
    """The characters 0 to 255 as bytes, others in UTF-8."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


_OTHERS = {
    "file": _files,
    "answers": _answers,
    "model": _models,
    "sample": _samples,
    "description": _descriptions,
    "image": _images,
    "journal": _journals,
    "journal, whole": _whole_journals,
    "trace": _traces,
    "configurations": _configurations,
}
