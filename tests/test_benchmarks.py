"""Benchmarks: what a run writes, and what it leaves alone."""

import json
import time

import pytest

import record
from record import Benchmark, main, table

COLUMNS = {"case": "{id}", "n": "{n}"}
PAGE = "before\n<!-- result: toy -->\nold\n<!-- end -->\nafter\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with published results of ``toy``, and a page that shows them."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "toy.jsonl").write_text("published\n")
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "toy.svg").write_text("old")
    monkeypatch.setattr(record, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(record, "LOCAL", tmp_path / "local")
    monkeypatch.setattr(record, "IMAGES", tmp_path)
    monkeypatch.setattr(record, "PAGES", (tmp_path / "page.md",))
    return tmp_path


def toy(cases, name="toy"):
    return Benchmark(
        name,
        lambda args: [(label, run, args) for label, run in cases],
        {name: lambda rows: table(COLUMNS, rows)},
        images={name: lambda rows: f"{len(rows)} rows".encode()},
    )


def row(label):
    return label, lambda args: {"id": label, "n": args.seeds}


def run(benchmark, *argv):
    main("A toy.", (benchmark,), {"seeds": (3, "runs")}, argv)


def untouched(place):
    return (
        (place / "results" / "toy.jsonl").read_text() == "published\n"
        and (place / "page.md").read_text() == PAGE
        and (place / "toy.svg").read_text() == "old"
        and [p.name for p in (place / "results").iterdir()] == ["toy.jsonl"]
    )


@pytest.mark.parametrize("argv", [(), ("--only", "a"), ("--seeds", "1")])
def test_a_run_prints_its_table_and_keeps_its_rows_outside_the_published_ones(place, capsys, argv):
    run(toy([row("a"), row("b")]), *argv)
    seeds = 1 if "--seeds" in argv else 3
    assert f"| a | {seeds} |" in capsys.readouterr().out
    assert untouched(place)
    meta, *rows = map(json.loads, (place / "local" / "toy.jsonl").read_text().splitlines())
    assert [r["id"] for r in rows] == (["a"] if "--only" in argv else ["a", "b"])
    assert meta["_meta"]["settings"] == {"seeds": seeds}


def test_a_full_run_with_publish_replaces_rows_page_and_image(place, capsys):
    run(toy([row("a"), row("b")]), "--publish")
    meta, rows = record.published("toy")
    assert rows == [{"id": "a", "n": 3}, {"id": "b", "n": 3}]
    assert "--publish" not in meta["command"]
    assert {"numpy", "dimod"} <= set(meta["versions"])
    page = (place / "page.md").read_text()
    assert page.startswith("before\n<!-- result: toy -->\n| case | n |\n| --- | ---: |\n| a | 3 |")
    assert page.endswith("<!-- end -->\nafter\n")
    assert (place / "toy.svg").read_text() == "2 rows"
    assert "| b | 3 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["--only", "a"], "--only"),
        (["--seeds", "1"], "--seeds"),
        (["--seeds", "9", "--only", "b"], "--seeds, --only"),
    ],
)
def test_publish_refuses_a_partial_run_before_it_starts(place, argv, named):
    never = ("a", lambda _: pytest.fail("measured"))
    with pytest.raises(SystemExit) as refused:
        run(toy([never]), "--publish", *argv)
    assert refused.value.code == f"error: --publish takes a full run; leave out {named}"
    assert untouched(place)


def test_publish_refuses_where_an_instance_is_not_at_hand(place):
    cases = [("a", lambda _: pytest.fail("measured")), ("large", None)]
    with pytest.raises(SystemExit, match=r"full run; not at hand: large$"):
        run(toy(cases), "--publish")
    assert untouched(place)


def test_what_is_not_at_hand_is_left_out_by_name(place, capsys):
    run(toy([row("a"), ("large", None)]))
    assert "large: left out, not at hand" in capsys.readouterr().out
    assert untouched(place)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_run_that_is_broken_off_leaves_everything_as_it_was(place, error):
    def broken(_):
        raise error

    with pytest.raises((SystemExit, ValueError)):
        run(toy([row("a"), ("b", broken)]), "--publish")
    assert untouched(place)
    assert not (place / "local").exists()


def test_results_are_written_whole_or_not_at_all(place):
    with pytest.raises(ValueError, match="JSON"):
        run(toy([row("a"), ("b", lambda _: {"id": "b", "n": float("inf")})]), "--publish")
    assert untouched(place)


def test_one_table_of_several_is_published_alone(place):
    both = (toy([row("a")]), toy([row("a")], "other"))
    main("Toys.", both, {"seeds": (3, "runs")}, ["--table", "toy", "--publish"])
    assert not untouched(place)
    assert not (place / "results" / "other.jsonl").exists()


def test_a_case_may_give_several_rows_and_reports_its_time(place, capsys):
    def several(_):
        time.sleep(0.01)
        return [{"id": "a", "n": 1}, {"id": "a", "n": 2}]

    run(toy([("both", several)]))
    out = capsys.readouterr().out
    assert "both: 0." in out
    assert "| a | 1 |\n| a | 2 |" in out
    assert untouched(place)
