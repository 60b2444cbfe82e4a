"""The command line: every command, its errors, its streams and signals."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import qubopuzzle
from command import PROGRAM, run, run_apart
from qubopuzzle import Hitori, ModelBuilder, Nonogram, export, judge, solve, to_cnf, to_mip
from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.cli import COMMANDS, generate, main, terminal
from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import load_timed
from qubopuzzle.files.models.formats import WRITTEN
from qubopuzzle.files.puzzles import get_format
from qubopuzzle.model.native import model_to_dict
from qubopuzzle.solvers import get_solver
from qubopuzzle.solvers.sampler import SamplerSolver
from qubopuzzle.solving import loading
from qubopuzzle.solving.settings import DEFAULT_SOLVER

KINDS = Path(__file__).parents[2] / "examples" / "kinds.jsonl"

native = get_format("json")

A = Nonogram.examples()[0]
UNSOLVABLE = Nonogram(rows=[[3], []], cols=[[], [2], [1]], id="none")
NOISE = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (30, 30)), id="noise")
# Two clues changed places: there is no solution, and annealing goes on until it is stopped.
HOPELESS = Nonogram(
    rows=(NOISE.rows[1], NOISE.rows[0], *NOISE.rows[2:]), cols=NOISE.cols, id="hopeless"
)

HEAVY = {
    "numpy", "scipy.sparse", "scipy.linalg", "scipy.optimize", "numba", "llvmlite", "dimod",
    "dwave.samplers", "amplify", "httpx", "matplotlib", "rich", "pysat", "highspy", "ortools",
    "ssl", "yaml",
}  # fmt: skip


def error(*arguments, **kwargs):
    """The one line of an error; everything else about it is checked here."""
    status, out, err = run(*arguments, **kwargs)
    assert status == 2
    assert out == ""
    assert err.startswith("qubopuzzle: error: ")
    assert err.count("\n") == 1
    return err.removeprefix("qubopuzzle: error: ").strip()


def on_a_terminal(stream, *arguments, **others):
    """Exit status and what a person sees of one stream on a terminal of 80 columns."""
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        **others | {stream: follower},
    )
    os.close(follower)
    shown = b""
    try:
        while chunk := os.read(leader, 10_000):
            shown += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(leader)
    return process.wait(timeout=60), shown


@pytest.fixture
def files(tmp_path):
    for name, puzzles in {
        "a.json": [A],
        "none.json": [UNSOLVABLE],
        "noise.json": [NOISE],
        "hopeless.json": [HOPELESS],
        "two.jsonl": [A, UNSOLVABLE],
    }.items():
        (tmp_path / name).write_text(native.write(puzzles))
    return tmp_path


def test_a_command_imports_what_it_uses(files):
    """Of what takes long to import; ``solve`` on a small board needs no compiled code."""
    (files / "a.txt").write_text("\n".join(A.to_dict()["solution"]))
    commands = {
        "--help": [],
        f"check {files}/a.json {files}/a.txt": ["numpy"],
        f"convert {files}/a.json --to non": ["numpy"],
        f"solve {files}/a.json --seed 1": ["numpy", "scipy.sparse"],
        f"solve {files}/a.json --solver sat": ["numpy", "pysat", "scipy.sparse"],
    }
    code = (
        "import sys, qubopuzzle.cli\n"
        f"for command in {[*commands]!r}:\n"
        "    status = qubopuzzle.cli.main(command.split())\n"
        f"    print('imported', status, *sorted({HEAVY} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "exit status" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("imported")]
    assert lines == [["imported", "0", *heavy] for heavy in commands.values()]


def test_solve_prints_the_picture_and_one_line(files):
    status, out, err = run_apart("solve", files / "a.json", "--seed", 1)
    assert (status, err) == (0, "")
    assert A.picture(A.solution).text() in out
    last = out.splitlines()[-1]
    assert last.startswith("valid | energy 0 | ")
    assert last.endswith(
        "annealer window after propagation (44 -> 0 variables, 25 of 25 cells decided: "
        "nothing was left to solve) | 0 variables, 0 constraints | seed 1"
    )


def test_solve_reads_standard_input():
    status, out, _ = run_apart("solve", "-", "--seed", 1, "--json", stdin=native.write([A]))
    assert status == 0
    assert json.loads(out)["solution"] == A.to_dict()["solution"]


def test_solve_many_gives_one_object_a_line(files):
    status, out, _ = run(
        "solve", files / "two.jsonl", files / "a.json", "--json", "--presolve", "propagate"
    )
    results = [json.loads(line) for line in out.splitlines()]
    assert [r["status"] for r in results] == ["optimal", "infeasible", "optimal"]
    assert status == 3


def test_exit_status_1_where_the_budget_ends(files):
    status, out, err = run("solve", files / "noise.json", "--reads", 1, "--option", "sweeps=10")
    assert (status, err) == (1, "")
    assert "not solved" in out
    assert "reconstruction: the views of the field disagree on" in out


def test_a_time_limit_that_may_be_overrun_is_one_line(files):
    words = (files / "a.json", "--solver", "dimod:dimod:RandomSampler", "--time-limit", 0.1)
    err = run("solve", *words)[2]
    assert err.startswith("qubopuzzle: solver dimod:dimod:RandomSampler cannot be stopped amid")
    assert err.count("\n") == 1


def test_exit_status_3_where_there_is_no_solution(files):
    status, out, _ = run("solve", files / "none.json", "--presolve", "propagate")
    assert status == 3
    assert "no solution (proved by propagation: field[" in out
    assert run("solve", files / "none.json", "--solver", "exact")[0] == 3


def test_every_choice_reaches_the_result(files):
    status, out, _ = run(
        "solve",
        files / "a.json",
        "--json",
        "--solver",
        "tabu",
        "--formulation",
        "numbering",
        "--encoding",
        "one-hot",
        "--weight",
        "field=2",
        "--weight",
        "once=1.5",
        "--reads",
        50,
        "--seed",
        3,
        "--time-limit",
        20,
        "--option",
        "timeout=10",
    )
    result = json.loads(out)
    assert status == (0 if result["valid"] else 1)
    expected = {
        "solver": "tabu",
        "formulation": "numbering",
        "encoding": "one-hot",
        "seed": 3,
        "weights": {"field": 2, "once": 1.5},
        "variables": 60,
    }
    assert {key: result[key] for key in expected} == expected
    assert result["settings"]["timeout"] == 10


def test_plot_writes_whole_files(files):
    assert run("solve", files / "a.json", "--seed", 1, "--plot", files / "a.svg")[0] == 0
    assert "<svg" in (files / "a.svg").read_text()
    many = files / "plot-{id}.png"
    assert run("show", files / "two.jsonl", "--plot", many)[0] == 0
    assert sorted(p.name for p in files.glob("*.png")) == ["plot-none.png", "plot-picross-a.png"]
    assert not list(files.glob(".*"))


def test_an_id_cannot_name_another_folder(files):
    evil = Nonogram(rows=[[1]], cols=[[1]], id="../../evil")
    (files / "evil.json").write_text(native.write([evil]))
    assert run("show", files / "evil.json", "--plot", files / "{id}.svg")[0] == 0
    assert (files / "_.._evil.svg").exists()


def test_check_judges(files):
    (files / "right.txt").write_text("\n".join(A.to_dict()["solution"]))
    (files / "wrong.txt").write_text("\n".join(["#####"] * 5))
    status, out, _ = run("check", files / "a.json", files / "right.txt")
    assert (status, out.splitlines()[-1]) == (0, "picross-a: valid")
    status, out, _ = run("check", files / "a.json", files / "wrong.txt")
    assert status == 1
    assert "picross-a: not valid" in out
    assert "row: row[0] reads 5, its clue is 1" in out
    assert "column: column[0] reads 5, its clue is 2" in out
    status, out, _ = run("check", files / "a.json", files / "wrong.txt", "--json")
    assert len(json.loads(out)["violations"]) == 9


def test_check_reads_what_solve_writes(files):
    _, out, _ = run("solve", files / "a.json", "--seed", 1, "--json")
    assert run("check", files / "a.json", "-", stdin=out)[0] == 0


def test_info_says_below_its_table_what_is_refused_and_why(tmp_path):
    (tmp_path / "h.json").write_text(json.dumps(Hitori([[1, 1], [1, 2]]).to_dict()))
    status, out, _ = run("info", tmp_path / "h.json")
    assert status == 0
    assert [line.split() for line in out.splitlines() if "refused" in line] == [
        ["lazy", "one-hot", "refused"],
        ["lazy", "domain-wall", "refused"],
    ]
    *_, why, further = out.splitlines()
    assert why.startswith("lazy: a QUBO has no form for connectivity")
    assert further == "`qubopuzzle embed` says what fits on a quantum annealer."
    assert max(map(len, out.splitlines()[:-2])) < 100


def test_the_list_of_puzzles_says_what_they_are():
    out = run("puzzles")[1]
    assert "each digit once" in out
    assert "``" not in out  # how they are written down is for those who write them


def test_show_and_info(files):
    status, out, _ = run("show", files / "a.json")
    assert status == 0
    assert out.splitlines()[0] == "picross-a A"
    assert "█" not in out
    assert "█" in run("show", files / "a.json", "--solution")[1]
    status, out, _ = run("info", files / "a.json")
    assert status == 0
    assert "numbering" in out
    sizes = json.loads(run("info", files / "a.json", "--json")[1])["qubos"]
    assert {(s["formulation"], s["encoding"]) for s in sizes} == {
        (f, e) for f in Nonogram.formulations for e in ("one-hot", "domain-wall")
    }
    only = run(
        "info", files / "a.json", "--json", "--formulation", "numbering", "--encoding", "one-hot"
    )
    (size,) = json.loads(only[1])["qubos"]
    assert (size["variables"], size["total"]["terms"]) == (60, 272)


def test_a_sheet_to_print(files, tmp_path):
    typed = tmp_path / "typed.txt"
    typed.write_text("sudoku grid=12..;....;....;..41")  # its solution is found
    assert run("sheet", files / "a.json", typed, "-o", tmp_path / "a.pdf")[0] == 0
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    what = "a sheet's name ends in .pdf; `show --plot FILE` draws others"
    assert error("sheet", files / "a.json", "-o", tmp_path / "a.svg").endswith(what)
    assert "expected 1 or more" in error("sheet", files / "a.json", "-o", "a.pdf", "--across", "0")
    model = tmp_path / "m.qubo"
    model.write_text("p qubo 0 2 1 1\n0 0 -1\n0 1 2\n")
    assert "a model has no board to print" in error("sheet", model, "-o", tmp_path / "b.pdf")
    impossible = tmp_path / "no.txt"
    impossible.write_text("sudoku grid=11..;....;....;....")
    status, _, message = run("sheet", impossible, "-o", tmp_path / "b.pdf")
    assert status == 3
    assert "instance 1 has no solution; a sheet without solutions (--no-solutions)" in message
    assert not (tmp_path / "b.pdf").exists()
    assert run("sheet", impossible, "-o", tmp_path / "b.pdf", "--no-solutions")[0] == 0


def test_a_solver_without_options_says_so(monkeypatch):
    plain = SamplerSolver("plain", "toys:Recording", about="samples of a toy")
    monkeypatch.setattr("qubopuzzle.solvers.get_solver", {"plain": plain}.get)
    assert run("solvers", "plain")[1].endswith("It has no options.\n")


def test_one_of_a_list_in_full():
    out = run("solvers", "neal")[1]
    assert "beta_hot" in out
    assert "--encoding domain-wall --presolve none, 10 reads" in out
    assert "client" in run("solvers", "amplify")[1]
    out = run("puzzles", "sudoku")[1]
    assert "formulations: places (default), candidates (with cuts), full" in out
    assert "; docs/formulations.md describes them" in out
    formats = "fpuzzles, janko, json, opensudoku, penpa, puzzlink, pzprv3, sudoku, tatham"
    assert f"formats: {formats}" in out
    assert "```" not in out
    assert "did you mean neal?" in error("solvers", "nel")
    assert "did you mean sudoku?" in error("puzzles", "sudko")


BASH = shutil.which("bash")


def completed(tmp_path, *words):
    """What bash offers for the last of some words."""
    script = tmp_path / "completion.sh"
    script.write_text(run("completion", "bash")[1])
    line = " ".join(shlex.quote(word) for word in words)
    code = f"""source {shlex.quote(str(script))}
COMP_WORDS=(qubopuzzle {line}); COMP_CWORD={len(words)}; COMPREPLY=()
_shtab_qubopuzzle qubopuzzle
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run([BASH, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_shells_complete_commands_options_and_names(tmp_path):
    assert completed(tmp_path, "s") == ["solve", "show", "sheet", "serve", "solvers"]
    assert completed(tmp_path, "solve", "--tr") == ["--trace", "--trace-rate"]
    assert "annealer" in completed(tmp_path, "solve", "--solver", "")
    assert completed(tmp_path, "puzzles", "nono") == ["nonogram"]
    assert completed(tmp_path, "solve", "--presolve", "p") == ["propagate", "probe"]
    for shell in ("zsh", "tcsh"):
        assert "heyawake" in run("completion", shell)[1]
    assert "choose from" in error("completion", "fish")


def test_lists():
    assert "steepest-descent" in run("solvers")[1]
    assert "window (default)" in run("puzzles")[1]
    assert "--option" not in run("solvers")[1]
    assert run("--version")[1] == f"qubopuzzle {qubopuzzle.__version__}\n"


def test_output_in_another_encoding_is_plain(files):
    words = ["solve", files / "a.json", "--seed", 1]
    status, out, _ = run_apart(*words, env={"PYTHONIOENCODING": "ascii"})
    assert status == 0
    assert "  5  # # # # #" in out


def test_errors_are_one_line(files):
    a = files / "a.json"
    assert error("solve", files / "nowhere.json").endswith(
        "nowhere.json: No such file or directory"
    )
    assert "unknown solver 'nael'" in error("solve", a, "--solver", "nael")
    assert error("solve", a, "--encoding", "x").startswith("unknown encoding 'x'")
    assert "picross-a: nonogram has no formulation 'x'" in error("solve", a, "--formulation", "x")
    assert "unknown family 'x'" in error("solve", a, "--weight", "x=1")
    assert "--weight: once must be a number" in error("solve", a, "--weight", "once=much")
    assert "no option 'x'" in error("solve", a, "--option", "x=1")
    assert "unknown presolve" in error("solve", a, "--presolve", "x")
    assert "a plot's name ends in one of .svg" in error("solve", a, "--plot", "a.gif")
    assert "there is no folder" in error("solve", a, "--plot", files / "no" / "a.svg")
    assert "put {id} into the name" in error("solve", files / "two.jsonl", "--plot", "a.svg")
    assert "it holds no sudoku" in error("solve", a, "--puzzle", "sudoku")
    assert "standard input: it is empty" in error("solve", "-", stdin="")
    assert "the answer has 1 x 2 cells" in error("check", a, "-", stdin="#.")
    assert "comes without a solution" in error("show", files / "none.json", "--solution")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("solv", "unknown command 'solv'; did you mean solve?"),
        ("puzzle", "unknown command 'puzzle'; did you mean puzzles?"),
        ("--hlep", "unknown command '--hlep'; did you mean --help?"),
        ("x", "unknown command 'x'; `qubopuzzle --help` lists the commands"),
        (
            "solve",
            "the following arguments are required: SOURCE; see `qubopuzzle solve --help`",
        ),
        (
            "solve x --weight x",
            "--weight: expected NAME=VALUE, got 'x'; see `qubopuzzle solve --help`",
        ),
        (
            "solve x --reads x",
            "--reads: invalid int value: 'x'; see `qubopuzzle solve --help`",
        ),
        ("solve --sede 5", "qubopuzzle solve has no option --sede; did you mean --seed?"),
        (
            "compare x --solver=sat",
            "qubopuzzle compare has no option --solver; did you mean --solvers?",
        ),
        ("info x --zzz", "qubopuzzle info has no option --zzz; see `qubopuzzle info --help`"),
        ("info x -tSECRET", "unexpected argument '-t'; see `qubopuzzle info --help`"),
        ("info x y", "unexpected argument 'y'; see `qubopuzzle info --help`"),
        (
            "solve x --all --unique",
            "--unique: not allowed with argument --all; see `qubopuzzle solve --help`",
        ),
    ],
)
def test_wrong_usage_is_one_line_with_a_remedy(words, message):
    assert error(*words.split()) == message


def test_nothing_asked_for_is_answered_with_the_help():
    helped = run("--help")
    assert (helped[0], helped[2]) == (0, "")
    assert run() == run("-h") == helped
    assert max(map(len, helped[1].splitlines())) < 80


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command):
    status, out, err = run(command, "--help", env={"COLUMNS": "80"})
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: qubopuzzle {command} ")
    assert "exit status:" in out
    assert max(map(len, out.splitlines())) < 100


def test_sources_and_options_come_in_any_order(files):
    status, out, err = run(
        "solve", files / "a.json", "--presolve", "propagate", files / "none.json", "--json"
    )
    assert (status, err) == (3, "")
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["optimal", "infeasible"]


def test_a_file_may_begin_with_a_dash(files):
    (files / "a.json").rename(files / "-a.json")
    status, out, _ = run("show", "--", "-a.json", cwd=files)
    assert (status, out.splitlines()[0]) == (0, "picross-a A")


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("command", ["formats", "puzzles", "solvers"])
def test_a_table_is_whole_on_a_narrow_terminal(command):
    """Where long cells may not fold, the last column was left out."""
    status, shown = on_a_terminal("stdout", command)
    assert status == 0
    assert b"what it is" in shown
    assert "…".encode() not in shown


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("solve a.json --plot -", "--plot"),
        ("solve a.json --proof -", "--proof"),
        ("solve a.json --solver amplify --dry-run -", "--dry-run"),
        ("solve a.json --solver amplify --record -", "--record"),
        ("solve a.json --solver amplify --replay -", "--replay"),
        ("show a.json --plot -", "--plot"),
        ("sheet a.json -o -", "-o/--output"),
        ("compare a.json --csv -", "--csv"),
        ("compare a.json --json -", "--json"),
        ("compare a.json --plot -", "--plot"),
        ("instances a.json -o -", "-o/--output"),
    ],
)
def test_a_dash_is_no_file(files, words, option):
    command = words.split()[0]
    assert error(*words.split(), cwd=files) == (
        f"{option}: expected the name of a file, got -; see `qubopuzzle {command} --help`"
    )
    assert not (files / "-").exists()


@pytest.mark.parametrize(
    "words",
    [
        "export a.json --to dimacs -o -",
        "export a.json - --to dimacs",
        "convert a.json --to non -o -",
        "generate sudoku --size 4x4 --seed 1 --to json -o -",
    ],
)
def test_a_dash_is_standard_output(files, words):
    status, out, err = run(*words.split(), cwd=files)
    plain = [word for word in words.split() if word not in ("-o", "-")]
    assert (status, out, err) == run(*plain, cwd=files)
    assert status == 0
    assert out
    assert not (files / "-").exists()


def test_each_puzzle_of_a_file_carries_its_share_of_the_reading(files, monkeypatch):
    """Not the whole file each: then a thousand puzzles took a thousand times too long."""
    clock = [0.0]

    def slow(*_):
        clock[0] += 0.3
        return [A, A, A]

    monkeypatch.setattr(loading, "load", slow)
    monkeypatch.setattr(terminal, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    args = Namespace(sources=["a", "b"], puzzle=None, format=None)
    shares = [seconds for _, seconds in load_timed(args)]
    assert len(shares) == 6
    assert shares == pytest.approx([0.1] * 6)


def test_a_zero_is_passed_on(files):
    args = ["generate", "nonogram", "--image", "x.png"]
    parser = Parser("generate", "")
    generate.add_arguments(parser)
    asked = parser.parse([*args[1:], "--threshold", "0", "--most-changes", "0"])
    assert generate._how(asked) == {"threshold": 0, "most_changes": 0}
    assert generate._how(parser.parse([*args[1:], "--dither"])) == {"dither": True}
    assert "threshold: expected a whole number from 1 to 255, got 0" in error(
        *args, "--threshold", 0
    )
    assert "--most-changes goes with --image" in error("generate", "nonogram", "--most-changes", 0)


def test_one_bad_instance_does_not_stop_the_others(files):
    big = Nonogram(rows=[[1] * 20] * 50, cols=[[50]] * 20 + [[]] * 30, id="big")
    (files / "mixed.jsonl").write_text(native.write([big, A]))
    words = ["solve", files / "mixed.jsonl", "--formulation", "pattern", "--json"]
    status, out, err = run_apart(*words)
    assert (status, err) == run(*words)[::2]
    assert status == 2
    assert err.startswith("qubopuzzle: error: big: rows[0] has ")
    failed, solved = map(json.loads, out.splitlines())
    assert (failed["id"], failed["status"], failed["valid"]) == ("big", "error", False)
    assert solved["valid"]


def test_an_impossible_puzzle_does_not_stop_a_batch(tmp_path):
    """It is answered as one without a solution, by solve, check, info and export."""
    why = "the rows add up to 3 black cells but the cols to 2"
    batch = tmp_path / "batch.txt"
    batch.write_text("rows=2;1 cols=1;1\nrows=1;1 cols=1;1\n")
    status, out, err = run("solve", batch, "--seed", "1")
    assert (status, err) == (3, "")
    assert f"no solution, because {why} | " in out
    assert "\nvalid | " in out
    answers = [{"solution": ["##", "#."]}, {"solution": ["#.", ".#"]}]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
    status, out, _ = run("check", batch, tmp_path / "answers.jsonl")
    assert status == 1
    assert f"clues: no answer can be right: {why}" in out
    status, out, _ = run("info", batch)
    assert (status, out.count(f"no solution, because {why}")) == (0, 3)
    status, _, err = run("export", batch, "-o", tmp_path / "{id}.qubo")
    assert (status, err.count("\n")) == (3, 1)
    assert f"no solution, because {why}" in err
    assert len([*tmp_path.glob("*.qubo")]) == 1
    batch.write_text(batch.read_text() + "rows=1;x cols=1;1\n")  # which cannot be read
    assert "line 3: rows[1][0]: " in error("solve", batch)


def test_what_is_not_solved_names_what_would_decide_it(tmp_path):
    (tmp_path / "a.json").write_text('{"puzzle": "hitori", "grid": [[1, 1], [1, 1]]}')
    words = ["solve", tmp_path / "a.json", "--seed", "1", "--reads", "1"]
    status, out, _ = run(*words, "--presolve", "none")
    assert status == 1
    assert "  --solver sat finds an answer, or proves that there is none\n" in out
    assert run(*words[:2], "--solver", "sat")[0] == 3


@pytest.mark.skipif(os.name == "nt", reason="signals are sent differently on Windows")
def test_ctrl_c_leaves_a_result(files):
    words = ["solve", files / "hopeless.json", "--json", "--time-limit", "60"]
    words += ["--presolve", "propagate"]  # probing proves that there is no solution
    for seconds in (4, 8, 16, 32):  # until it has come to the search
        process = subprocess.Popen(
            [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 1, err
        assert "Traceback" not in err
        if out:
            break
    result = json.loads(out)
    assert result["interrupted"]
    assert result["solution"]


def test_a_reader_that_goes_away_is_no_error(files):
    process = subprocess.Popen(
        [*PROGRAM, "info", files / "a.json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    _, err = process.communicate(timeout=30)
    assert err == ""


def test_check_never_skips_a_puzzle(files):
    two = [A, Nonogram(rows=[[1]], cols=[[1]], id="b")]
    (files / "pair.jsonl").write_text(native.write(two))
    one = json.dumps({"id": "b", "solution": ["#"]})
    status, out, _ = run("check", files / "pair.jsonl", "-", stdin=one)
    assert status == 1
    assert "picross-a: no answer" in out
    assert "b: valid" in out
    null = json.dumps({"id": "b", "solution": None})
    status, out, _ = run("check", files / "pair.jsonl", "-", "--json", stdin=f"{one[:-1]}}}\n")
    assert [json.loads(line)["answered"] for line in out.splitlines()] == [False, True]
    assert run("check", files / "pair.jsonl", "-", stdin=null)[0] == 1
    assert "there is no answer in it" in error("check", files / "a.json", "-", stdin="[]")
    wrong = json.dumps({"id": "other", "solution": ["#"]})
    assert "id 'other' is none of the 1 puzzles" in error(
        "check", files / "a.json", "-", stdin=wrong
    )


def test_names_in_files_do_not_steer_the_terminal(files):
    evil = Nonogram(rows=[[1]], cols=[[1]], id="[/b]\x1b[31m\nfake: valid\x07", title="日本\x9b2J")
    (files / "evil.json").write_text(native.write([evil]))
    for command in ("solve", "show", "info"):
        for encoding in ("utf-8", "latin1", "ascii"):
            status, out, err = run(command, files / "evil.json", encoding=encoding)
            assert (status, err) == (0, "")
            assert not set("\x1b\x07\x9b") & set(out)
            assert "\nfake" not in out


ESCAPE = "\x1b[2J\x9b1m\x07"


def test_what_models_answers_and_titles_say_does_not_steer_the_terminal(tmp_path, capsys):
    builder = ModelBuilder()
    x = builder.choice(f"x{ESCAPE}", [f"one{ESCAPE}", "two"], family=f"once{ESCAPE}")
    builder.add(f"rule{ESCAPE}", (x == "two") + 0 >= 1)
    model, exported, answer, sample = (str(tmp_path / name) for name in ("m", "x.coo", "a", "s"))
    Path(model).write_text(json.dumps(model_to_dict(builder.build(id=f"id{ESCAPE}"))))
    wrong = {f"x{ESCAPE}": f"one{ESCAPE}"}
    Path(answer).write_text(json.dumps({"solution": wrong}))
    assert main(["export", model, "--to", "coo", "-o", exported]) == 0
    names = json.loads(Path(f"{exported}.json").read_text())["variables"]
    Path(sample).write_text(json.dumps(dict.fromkeys(names, 0)))
    title = Nonogram(rows=[[1]], cols=[[1]], title=f"a{ESCAPE}")
    (tmp_path / "title").write_text(native.write([title]))
    commands = {
        ("check", model, answer): 1,
        ("check", model, answer, "--json"): 1,
        ("decode", f"{exported}.json", sample): 1,
        ("decode", f"{exported}.json", answer): 2,
        ("info", model): 0,
        ("solve", model, "--solver", "sat"): 0,
        ("convert", str(tmp_path / "title"), "--to", "non"): 0,
        ("convert", str(tmp_path / "title"), "--to", "webpbn"): 0,
    }
    for words, status in commands.items():
        assert main(words) == status
        out, err = capsys.readouterr()
        assert out + err
        assert not set(ESCAPE[0] + ESCAPE[4] + ESCAPE[-1]) & set(out + err), words


def test_what_python_shows_and_files_comment_does_not_steer_a_terminal():
    builder = ModelBuilder()
    x = builder.choice(f"x{ESCAPE}\n", [f"one{ESCAPE}", "two"], family=f"once{ESCAPE}")
    builder.add(f"rule{ESCAPE}", (x == "two") + 0 >= 1)
    model = builder.build(id=f"id{ESCAPE}", title=f"title{ESCAPE}")
    wrong = judge(model, {f"x{ESCAPE}\n": f"one{ESCAPE}"})
    shown = [model, wrong, solve(model, "sat")]
    told = [text for each in shown for text in (str(each), each._repr_html_())]
    told.append(export(model, "coo")._repr_html_())
    formats = [name for name, each in WRITTEN.items() if each.text]
    told += [export(model, name).data.decode() for name in formats]
    assert len(told) > 15
    for text in told:
        assert not [c for c in text if not c.isprintable() and c != "\n"], text


def test_streams_may_be_closed_or_full(files):
    script = f"{sys.executable} -m qubopuzzle solve {files / 'a.json'} --seed 1"
    for redirect, status in (("2>&-", 0), (">&-", 0), ("</dev/null", 0), (">/dev/full", 2)):
        done = subprocess.run(
            f"{script} {redirect}",
            shell=True,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, redirect
        assert "Traceback" not in done.stderr
        if status:
            assert "cannot write: No space left on device" in done.stderr
    closed = subprocess.run(
        f"{sys.executable} -m qubopuzzle solve - <&-",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "standard input: it is closed" in closed.stderr


def test_plots_are_refused_before_any_work(files):
    twice = files / "twice.jsonl"
    twice.write_text(native.write([A, A]))
    assert "their ids are not unique" in error("solve", twice, "--plot", files / "{id}.svg")
    (files / "folder.svg").mkdir()
    assert "that is a folder" in error("solve", files / "a.json", "--plot", files / "folder.svg")


def test_a_plot_goes_through_a_link(files):
    (files / "link.svg").symlink_to(files / "real.svg")
    assert run("show", files / "a.json", "--plot", files / "link.svg")[0] == 0
    assert (files / "link.svg").is_symlink()
    assert "<svg" in (files / "real.svg").read_text()


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_a_file_that_is_written_anew_keeps_its_rights(files):
    secret, link, new = (files / name for name in ("secret.json", "link.json", "new.json"))
    secret.write_text("")
    secret.chmod(0o600)
    link.symlink_to(secret)
    for path, mode in ((secret, 0o600), (link, 0o600), (new, 0o640)):
        before = os.umask(0o027)
        try:
            assert run("convert", files / "a.json", "-o", path, "--to", "json")[0] == 0
        finally:
            os.umask(before)
        assert path.stat().st_mode & 0o777 == mode
        assert path.read_text().startswith("{")
    assert link.is_symlink()


@pytest.mark.parametrize("words", ["convert {a} -o {loop} --to json", "convert {loop} --to json",
    "export {a} -o {loop} --to coo", "compare {a} --csv {loop}", "replay {loop}",
    "compare {a} --config {loop}", "report {loop}", "report {a} --csv {loop}",
    "solve {a} --plot {loop}"])  # fmt: skip
def test_links_that_lead_in_a_circle_are_one_line(files, words):
    loop, other = files / "loop.svg", files / "other.svg"
    loop.symlink_to(other)
    other.symlink_to(loop)
    said = error(*words.format(a=files / "a.json", loop=loop).split())
    assert "loop.svg" in said
    assert "Too many levels of symbolic links" in said or "no such file" in said


def test_an_error_of_ours_is_one_line_and_status_4(files):
    fault = files / "fault.py"
    fault.write_text(
        "import qubopuzzle.cli as cli, qubopuzzle.cli.show, sys\n"
        "qubopuzzle.cli.show.run = lambda args: 1 / 0\n"
        f"sys.exit(cli.main(['show', {str(files / 'a.json')!r}]))\n"
    )
    done = subprocess.run([sys.executable, fault], capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert done.stderr == (
        "qubopuzzle: error: an error of this program, please report it: "
        f"ZeroDivisionError: division by zero ({fault}, line 2; "
        "QUBOPUZZLE_DEBUG=1 shows the traceback)\n"
    )


def test_wrong_runs_are_refused_once_for_many_puzzles(files):
    assert error("solve", files / "two.jsonl", "--reads", "0").startswith("reads: expected")
    assert "can be read only once" in error("solve", "-", "-", stdin="")


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_person_sees_a_progress_bar(files):
    _, shown = on_a_terminal(
        "stderr",
        *["solve", files / "hopeless.json", "--presolve", "propagate", "--time-limit", 3],
        stdout=subprocess.DEVNULL,
    )
    assert b"hopeless" in shown
    assert b"energy" in shown


def test_the_help_names_the_default_solver():
    _, out, _ = run("solve", "--help")
    assert f"{DEFAULT_SOLVER} (default)" in out
    assert f"{get_solver(DEFAULT_SOLVER).default_reads} of the {DEFAULT_SOLVER}" in " ".join(
        out.split()
    )


def test_ctrl_c_waits_for_what_must_not_be_interrupted():
    steps = []

    def work():
        with defer_interrupt():
            signal.raise_signal(signal.SIGINT)
            steps.append("done")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["done"]


@pytest.mark.parametrize("delay", [1.0, 1.3, 1.6])
@pytest.mark.parametrize("solver", ["annealer", "tempering"])
def test_ctrl_c_early_is_one_line_or_a_result(files, solver, delay):
    words = ["solve", files / "hopeless.json", "--json", "--solver", solver]
    words += ["--presolve", "propagate"]
    process = subprocess.Popen(
        [*PROGRAM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    if out:
        assert json.loads(out)["interrupted"]
        assert err == ""
    else:
        assert err == "qubopuzzle: interrupted\n"


def test_all_unique_and_proof(files):
    two = Nonogram(rows=[[1], [1]], cols=[[1], [1]], id="two")
    (files / "pair.json").write_text(native.write([two]))
    status, out, err = run("solve", files / "pair.json", "--unique")
    assert (status, err) == (1, "")
    assert "solution 1:" in out
    assert "they differ in 4 cells, marked" in out
    assert run("solve", files / "a.json", "--unique")[0] == 0
    assert run("solve", files / "none.json", "--unique")[0] == 3
    status, out, _ = run("solve", files / "pair.json", "--all", "--json")
    data = json.loads(out)
    assert (status, data["complete"], data["unique"]) == (0, True, False)
    assert sorted(data["solutions"]) == [["#.", ".#"], [".#", "#."]]
    assert data["solver"] == "sat"
    assert run("solve", files / "pair.json", "--all", "--limit", 1)[0] == 0
    run("solve", files / "two.jsonl", "--unique", "--proof", files / "{id}.drat")
    assert (files / "picross-a.drat").read_text().endswith("0\n")
    assert (files / "none.drat.cnf").read_text().startswith("c 1 ")
    status, _, err = run("solve", files / "pair.json", "--proof", files / "p.drat")
    assert status == 0
    assert err.endswith(
        "p.drat: not written: there is a solution; --unique proves that there is no other\n"
    )
    assert not (files / "p.drat").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--limit", 3], "--limit goes with --all"),
        (["--all", "--limit", 0], "solutions: expected a whole number from 1"),
        (["--all", "--solver", "neal"], "solver neal cannot say that there is no other solution"),
        (["--proof", "nowhere/p.drat"], "nowhere/p.drat: there is no folder nowhere"),
        (["--proof", "p", "--solver", "neal"], "solver neal has no option 'proof'"),
    ],
)
def test_counting_is_refused_where_it_cannot_be_done(files, arguments, message):
    assert message in error("solve", files / "a.json", *arguments)


@pytest.mark.parametrize("suffix", ["cnf", "lp", "mps"])
def test_export_writes_a_file_a_puzzle(files, suffix):
    assert run("export", files / "two.jsonl", files / f"{{id}}.{suffix}") == (0, "", "")
    text = (files / f"picross-a.{suffix}").read_text()
    written = {"cnf": lambda: to_cnf(A).to_dimacs(), "lp": to_mip(A).to_lp, "mps": to_mip(A).to_mps}
    assert text == written[suffix]()
    assert (files / f"none.{suffix}").exists()


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            "a.xyz",
            "a.xyz: a model's name ends in one of .bqm, .coo, .qubo, .mqlib, .qplib, "
            ".qubo.lp, .ising.json, .cnf, .opb, .cqm, .ommx, .program.lp, .program.mps, .lp, .mps; "
            "or give it as to (--to FORMAT)",
        ),
        ("nowhere/a.cnf", "nowhere/a.cnf: there is no folder nowhere"),
        ("all.lp", "FILE all.lp: there are 2 puzzles; put {id} into the name"),
    ],
)
def test_exports_are_refused_before_any_work(files, file, message):
    assert error("export", files / "two.jsonl", file, cwd=files) == message


def test_solved_boards_are_written_with_their_answers(files):
    path = files / "solved.pzprv3"
    words = ["solve", files / "two.jsonl", "--unique", "--write", path, "--to", "pzprv3"]
    status, _, err = run(*words)
    assert status == 3
    assert f"{path}: 1 of 2 boards have no answer: left out\n" in err
    (board,) = loading.load(str(path))
    assert board == A
    assert np.array_equal(board.solution, A.solution)
    run("solve", files / "two.jsonl", "--unique", "--write", files / "{id}.solved", "--to", "json")
    assert json.loads((files / f"{A.id}.solved").read_text())["n_solutions"] == 1
    assert not (files / f"{UNSOLVABLE.id}.solved").exists()
    nothing = files / "nothing.json"
    _, _, err = run("solve", files / "none.json", "--write", nothing, "--to", "json")
    assert f"{nothing}: 1 of 1 boards have no answer: left out\n" in err
    assert not nothing.exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--write x", "--write FILE and --to F go together"),
        ("--to json", "--write FILE and --to F go together"),
        ("--write x --to jsno", "unknown format 'jsno'; did you mean json?"),
        ("--write x --to puzzlink", "format puzzlink holds no answer of nonogram; these do: "),
        ("--write x --to nin", "format nin holds no answer of nonogram; these do: "),
        ("--write x.svg --to json", "--write x.svg: no picture is written there"),
        ("--write - --to json", "--write: expected the name of a file, got -"),
    ],
)
def test_what_solved_boards_cannot_be_written_as_is_said_before_any_work(files, words, expected):
    assert error("solve", "a.json", *words.split(), cwd=files).startswith(expected)
    assert "format janko holds no akari; these do: json, penpa, pzprv3" in error(
        "solve", KINDS, "--write", "x", "--to", "janko", cwd=files
    )
