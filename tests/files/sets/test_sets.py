"""Public instances by name: the table, and downloads from a stand-in for their servers."""

import bz2
import hashlib
import io
import os
import re
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from command import run
from qubopuzzle import InputError, compare, fetch, load
from qubopuzzle.files import sets
from qubopuzzle.files.models import READERS
from qubopuzzle.files.puzzles import all_formats
from qubopuzzle.files.sets import download
from qubopuzzle.solving.loading import problem_of

CUT = b"3 2\n1 2 3\n2 3 -2\n"
GAP = b"2\n1 1\n7\n1\n2\n1 1\n8\n1\n2\n"
SHA256 = hashlib.sha256(CUT).hexdigest()
WRONG = "0" * 64


def packed(kind, name, data):
    """An archive with files that nobody asked for."""
    files = {"../above.txt": b"no", "/root.txt": b"no", name: data}
    made = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(made, "w") as archive:
            for each, text in files.items():
                archive.writestr(each, text)
    else:
        with tarfile.open(fileobj=made, mode="w:gz") as archive:
            for each, text in files.items():
                member = tarfile.TarInfo(each)
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text))
    return made.getvalue()


FILES = {
    "/plain/cut": CUT,
    "/plain/gap.txt": GAP,
    "/plain/bz2.mc.bz2": bz2.compress(CUT),
    "/zip/cut": packed("zip", "cut.txt", CUT),
    "/zip/other": packed("zip", "cut.txt", CUT),
    "/zip/broken": packed("zip", "broken.txt", CUT)[:60],
    "/tar/cut": packed("tar", "cut.txt", CUT),
    "/tar/broken": packed("tar", "broken.txt", CUT)[:60],
}


class Handler(BaseHTTPRequestHandler):
    """What the paths say: moved to a place, in a circle, cut short, hanging."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.began.set()
        kind = self.path.split("/")[1]
        if kind in ("moved", "circle", "elsewhere"):
            target = {"moved": "/plain/cut", "circle": self.path, "elsewhere": "ftp://a.b/c"}[kind]
            self._head(302, Location=target)
        elif kind in ("short", "hanging"):
            self._head(200, **{"Content-Length": str(len(CUT) + 10)})
            self.wfile.write(CUT)
            self.wfile.flush()
            if kind == "hanging":
                self.server.over.wait(30)
        elif self.path in FILES:
            self._head(200, **{"Content-Length": str(len(FILES[self.path]))})
            self.wfile.write(FILES[self.path])
        else:
            self._head(404, **{"Content-Length": "0"})

    def _head(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


@pytest.fixture
def server():
    """A stand-in, with the paths that it was asked for."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        made.asked, made.began, made.over = [], threading.Event(), threading.Event()
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.over.set()
        made.shutdown()
        thread.join()


@pytest.fixture
def table(server, tmp_path, monkeypatch):
    """A table of sets at the stand-in, and an empty folder for instances."""
    place = tmp_path / "table"
    (place / "lists").mkdir(parents=True)
    host = f"http://127.0.0.1:{server.server_port}"
    groups = {
        "plain": (
            f"{host}/plain/{{path}}",
            "maxcut",
            "",
            f"cut 3 17 {SHA256}\nbz2 - - - bz2.mc.bz2",
        ),
        "wrong": (f"{host}/plain/{{path}}", "maxcut", "", f"cut 3 17 {WRONG}"),
        "new": (f"{host}/plain/{{path}}", "maxcut", "", "deep/cut 3 - - cut"),
        "several": (f"{host}/plain/{{path}}.txt", "gap", "", "gap#1 7\ngap#2 8"),
        "open": (f"{host}/plain/{{path}}", "maxcut", "", "gone"),
        "zip": (f"{host}/zip/{{path}}", "maxcut", "{name}.txt", "cut\nother\nbroken"),
        "tar": (f"{host}/tar/{{path}}", "maxcut", "{name}.txt", "cut\nbroken"),
        **{
            kind: (f"{host}/{kind}/{{path}}", "maxcut", "", "cut")
            for kind in ("moved", "circle", "elsewhere", "short", "hanging")
        },
        "plainhttp": ("http://example.invalid/{path}", "maxcut", "", "cut"),
        "byhand": ("", "maxcut", "folder/{name}.mc", ""),
    }
    text = ""
    for name, (url, form, member, listed) in groups.items():
        (place / "lists" / f"{name}.txt").write_text(f"{listed}\n" if listed else "")
        more = 'archive = "https://a.b/all.tar"\n' if name == "byhand" else ""
        more += "open = true\n" if name in ("open", "byhand") else ""
        text += f'[{name}]\nabout = "{name}"\npage = "https://a.b"\nlicence = "none"\n'
        text += f'[[{name}.groups]]\nlist = "{name}"\nurl = "{url}"\nformat = "{form}"\n'
        text += f'member = "{member}"\nbest = "by hand"\n{more}\n'
    (place / "sets.toml").write_text(text)
    monkeypatch.setattr(sets, "TABLE", place / "sets.toml")
    monkeypatch.setenv("QUBOPUZZLE_INSTANCES", str(tmp_path / "instances"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "instances"


def everything(folder):
    """All files below a folder."""
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


# --- the table that comes with the package -------------------------------------------------


def test_every_entry_has_an_address_a_reader_and_a_place_of_its_own():
    for name, each in sets.sets().items():
        assert name not in all_formats()
        for entry in each.entries.values():
            assert entry.format in READERS
            assert entry.url.startswith("https://")
            assert "{" not in entry.url + entry.file
            assert entry.file.startswith(f"{name}/")
            assert re.fullmatch("[0-9a-f]{64}|", entry.sha256)
            assert sets.named(f"{name}:{entry.name}") == entry
        by_file = {(entry.file, entry.url) for entry in each.entries.values()}
        assert len(by_file) == len({file for file, _ in by_file})
        with_value = any(entry.best is not None for entry in each.entries.values())
        assert with_value == bool(each.sources)


def test_sets_of_the_package_are_listed_with_their_terms():
    status, out, err = run("fetch")
    assert (status, err) == (0, "")
    for name, licence in (("qoblib", "CC BY 4.0"), ("gset", "none stated"), ("orlib", "MIT")):
        assert re.search(rf"^{name} .*{licence}", out, re.M)
    status, out, _ = run("fetch", "gset", "qoblib", "pb25")
    assert status == 0
    assert re.search(r"^gset:G1 +11624$", out, re.M)
    assert re.search(r"^qoblib:07/karate +20 +576 in the table$", out, re.M)
    assert "best known: data/GSet/reference.csv of github.com/microsoft" in out
    assert "that of the first download is kept and compared" in out
    assert "Others are pb25:NAME." in out


@pytest.mark.parametrize(
    "source",
    ["C:gset/G1", "gset/G1", "./gset:G1", "https://puzz.link/p?lits/1/1/0", "pattern:2x2:1/2/2/1"],
)
def test_paths_addresses_and_ids_of_games_are_no_names(source):
    assert sets.named(source) is None
    assert sets.named(Path("gset:G1")) is None


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("dimacs:myciel33", "dimacs has no instance 'myciel33'; did you mean myciel3?"),
        ("gset:g1", "gset has no instance 'g1'; `qubopuzzle fetch gset` lists them"),
        ("gset:G1/../../x", "has no instance"),
        ("pb25:../../etc/passwd", "has no instance '../../etc/passwd'"),
        ("pb25:/etc/passwd", "has no instance"),
        ("pb25:a//b", "has no instance"),
        ("mqlib:a b", "has no instance"),
        ("gsat:G1", "no set of instances: 'gsat'; did you mean gset?"),
        ("nothing", "no set of instances: 'nothing'; choose from qoblib, gset"),
    ],
)
def test_names_that_there_are_not_are_one_line(source, what, tmp_path):
    status, out, err = run("fetch", source, "--folder", tmp_path)
    assert (status, out) == (2, "")
    assert what in err
    assert err.count("\n") == 1
    assert everything(tmp_path) == []


def test_the_cache_is_where_the_platform_has_it(monkeypatch, tmp_path):
    monkeypatch.delenv("QUBOPUZZLE_INSTANCES", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    end = Path("qubopuzzle", "instances")
    for platform, place in (("linux", "xdg"), ("win32", "local"), ("darwin", "Library/Caches")):
        monkeypatch.setattr(sys, "platform", platform)
        assert download.folders() == [tmp_path / place / end]
    assert download.folders("here") == [Path("here"), tmp_path / "Library/Caches" / end]


# --- downloads -----------------------------------------------------------------------------


def test_a_file_is_fetched_once(table, server):
    path = fetch("plain:cut")
    assert path == table / "plain" / "cut"
    assert path.read_bytes() == CUT
    assert fetch("plain:cut") == path
    assert server.asked == ["/plain/cut"]
    assert everything(table) == ["plain/cut"]


def test_the_command_prints_paths(table, tmp_path):
    folder = tmp_path / "other"
    status, out, err = run("fetch", "plain:cut", "new:deep/cut", "--folder", folder)
    assert (status, err) == (0, "")
    assert out.split() == [str(folder / "plain" / "cut"), str(folder / "new" / "cut")]
    out = run("fetch", "plain", "--folder", folder)[1]
    assert re.search(r"^plain:cut +3 +17 in the table yes$", out, re.M)
    assert everything(table) == []


def test_the_checksum_of_a_first_download_is_kept_and_compared(table, server):
    path = fetch("new:deep/cut")
    record = table / "new" / "cut.sha256"
    assert record.read_text() == f"{SHA256}  cut\n"
    path.write_bytes(CUT + b"\n")
    with pytest.raises(InputError, match=rf"cut: its sha256 is \w+, and not {SHA256}; delete"):
        fetch("new:deep/cut")
    path.unlink()
    record.write_text(f"{WRONG}  cut\n")
    with pytest.raises(InputError, match=rf"sha256 is {SHA256}, and not {WRONG}; nothing was writ"):
        fetch("new:deep/cut")
    assert everything(table) == ["new/cut.sha256"]


def test_files_that_are_there_need_no_network(table, server, tmp_path):
    (table / "plain").mkdir(parents=True)
    (table / "plain" / "cut").write_bytes(CUT)
    cached = tmp_path / "cache" / "qubopuzzle" / "instances" / "new" / "cut"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(CUT)
    assert fetch("plain:cut") == table / "plain" / "cut"
    assert fetch("new:deep/cut") == cached
    (table / "wrong").mkdir()
    (table / "wrong" / "cut").write_bytes(CUT)
    with pytest.raises(InputError, match="delete the file to fetch it anew"):
        fetch("wrong:cut")
    assert server.asked == []


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_archives_give_the_named_file_alone(table, tmp_path, kind):
    assert fetch(f"{kind}:cut").read_bytes() == CUT
    assert everything(tmp_path / "instances") == [f"{kind}/cut.txt", f"{kind}/cut.txt.sha256"]
    assert not (tmp_path / "above.txt").exists()


def test_a_redirection_is_followed(table, server):
    assert fetch("moved:cut").read_bytes() == CUT
    assert server.asked == ["/moved/cut", "/plain/cut"]


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("wrong:cut", f"its sha256 is {SHA256}, and not {WRONG}; nothing was written"),
        ("open:gone", "/plain/gone is not to be had (404 Not Found)"),
        ("short:cut", "/short/cut broke off (peer closed connection"),
        ("circle:cut", "redirected more than 5 times"),
        ("elsewhere:cut", "ftp://a.b/c: not https, and the checksum is not known"),
        ("plainhttp:cut", "http://example.invalid/cut: not https, and the checksum is not known"),
        ("hanging:cut", "/hanging/cut does not answer in time"),
        ("zip:other", "the archive has no other.txt"),
        ("zip:broken", "the archive is damaged"),
        ("tar:broken", "the archive is damaged"),
        ("byhand:a/b", "byhand/folder/a/b.mc; unpack https://a.b/all.tar in "),
    ],
)
def test_what_cannot_be_fetched_is_one_line_and_leaves_nothing(table, monkeypatch, source, what):
    monkeypatch.setattr(download, "WAIT_S", 0.3)
    status, out, err = run("fetch", source)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert what in err
    assert str(table) in err
    assert not table.exists()


def test_what_is_too_large_is_broken_off(table, monkeypatch):
    monkeypatch.setattr(download, "SIZE_LIMIT", 10)
    with pytest.raises(InputError, match="larger than 0 MiB; put the file at"):
        fetch("open:cut")
    assert not table.exists()


def test_a_folder_that_is_none_is_one_line(table, tmp_path):
    (tmp_path / "file").write_text("")
    status, _, err = run("fetch", "plain:cut", "--folder", tmp_path / "file")
    assert status == 2
    assert re.fullmatch(r"qubopuzzle: error: \S+/file/plain: Not a directory\n", err)


@pytest.mark.parametrize(
    ("name", "value"), [("HTTPS_PROXY", "nothing://:secret@a"), ("SSL_CERT_FILE", "/none.pem")]
)
def test_an_environment_that_does_not_work_is_one_line(table, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    status, _, err = run("fetch", "plain:cut")
    assert status == 2
    assert "HTTPS_PROXY or SSL_CERT_FILE in the environment is nothing that works here" in err
    assert "secret" not in err
    assert err.count("\n") == 1


def test_without_a_network_one_line_says_where_a_file_belongs(table, server):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = sets.TABLE.read_text().replace(f":{server.server_port}/", f":{port}/")
    offline = sets.TABLE.with_name("offline.toml")
    offline.write_text(text)
    sets.TABLE = offline
    status, _, err = run("info", "plain:cut")
    assert status == 2
    place = table / "plain" / "cut"
    assert err.endswith(f"); put the file at {place}\n")
    assert f"http://127.0.0.1:{port}/plain/cut cannot be reached (" in err


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to others")
def test_ctrl_c_is_one_line_and_leaves_nothing(table, server):
    code = (
        "import sys; from pathlib import Path; from qubopuzzle.files import sets\n"
        f"sets.TABLE = Path({str(sets.TABLE)!r})\n"
        "from qubopuzzle.__main__ import program; sys.exit(program())"
    )
    words = [sys.executable, "-c", code, "fetch", "hanging:cut"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert server.began.wait(60)
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, b"")
    assert err == b"qubopuzzle: interrupted\n"
    assert not table.exists()


# --- as sources ----------------------------------------------------------------------------


def test_a_name_is_a_source_of_every_command(table):
    status, out, err = run("solve", "plain:cut", "--solver", "exact")
    assert (status, err) == (0, "")
    assert "objective 3" in out
    assert "cut: program, 3 variables, 0 rows" in run("info", "plain:bz2")[1].replace("bz2", "cut")
    assert [p.id for p in load("several:gap")] == ["gap#1", "gap#2"]
    assert problem_of("several:gap#2").cost.tolist() == [8]
    assert problem_of("several:gap#2").id == "gap#2"


def test_a_comparison_takes_the_best_known_values_of_the_table(table):
    done = compare(["several:gap", "plain:cut", "new:deep/cut"], ["exact"], repeat_exact=1)
    assert [(i.label, i.best_known) for i in done.instances] == [
        ("gap#1", 7),
        ("gap#2", 8),
        ("cut", 3),
    ]


def test_one_of_several_is_compared_alone(table):
    done = compare("several:gap#2", ["exact"], repeat_exact=1)
    assert [(i.label, i.best_known) for i in done.instances] == [("gap#2", 8)]
