"""Solver amplify against a stand-in for the service: the real SDK, the real wire, real faults."""

import json
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from string import ascii_letters, digits, printable, punctuation
from urllib.parse import quote

import amplify
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ae_stand_in import requests_of
from amplify_tutorial import tutorial_model
from boards import NAMES
from command import run, run_apart
from leaks import descendants, everything_of, leaked
from qubopuzzle import InputError, Nonogram, compare, solve, to_amplify
from qubopuzzle.compile.amplify import MODES
from qubopuzzle.errors import (
    AuthenticationError,
    DeadlineExceeded,
    PlanExceeded,
    ProtocolError,
    QuotaError,
    ServiceUnavailable,
    SolverFailed,
    SolverUnavailable,
    TooLarge,
    Unsatisfiable,
)
from qubopuzzle.puzzles import get_puzzle
from qubopuzzle.solvers.amplify.call import call
from qubopuzzle.solvers.amplify.clients import CLIENTS
from qubopuzzle.solvers.base import installed_version
from qubopuzzle.solvers.services.call import call_client
from qubopuzzle.solvers.services.credentials import Token
from wire import certificate, connect_proxy, tls_front

A = Nonogram.examples()[0]
CONTRADICTION = Nonogram(rows=[[2], [], [1]], cols=[[2], [1]])
TOKEN = "AE/sEcReT-t0ken+of=abcdefghijklm"  # noqa: S105
ROOT = Path(__file__).parents[2]
EXAMPLE = str(ROOT / "examples" / "picross-a.json")


@pytest.fixture(autouse=True)
def token(monkeypatch):
    monkeypatch.setenv("AMPLIFY_TOKEN", f"  {TOKEN}\n")
    monkeypatch.delenv("AMPLIFYAECLIENT_TOKEN", raising=False)


def ask(url, puzzle=A, *, time_limit=1, reads=None, formulation=None, **options):
    return solve(
        puzzle,
        "amplify",
        time_limit=time_limit,
        reads=reads,
        formulation=formulation,
        options={"url": url, **options},
    )


def command(*arguments, **more):
    words = [sys.executable, "-m", "qubopuzzle", "solve", EXAMPLE, "--solver", "amplify"]
    return subprocess.Popen(
        [*words, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_every_puzzle_in_every_mode(service, name, mode):
    """Build, serialise, HTTP, parse, decode, judge."""
    tag = f"{name}-{mode}"
    result = ask(f"{service}/tag/{tag}", get_puzzle(name).examples()[0], mode=mode, time_limit=3)
    assert result.valid
    assert result.energy == 0 or result.relaxed
    assert list(result.service_s) == ["queue", "execution", "network", "process"]
    sent = requests_of(service, tag)[-1]["body"]
    assert sent["time_limit_ms"] == 3000
    kind = {"constraint": "constraints", "qubo": "penalties", "objective": "sparse_objective"}[mode]
    assert sent[kind]
    assert sent.get("penalty_weight_calibration") == (False if mode == "qubo" else None)


FAULTS = {
    "204": (ProtocolError, "answer cannot be read"),
    "301": (ServiceUnavailable, "redirects, which is not followed.* .301 Moved Permanently"),
    "302": (ServiceUnavailable, "redirects, which is not followed.* .302 Found"),
    "400": (ProtocolError, "take the request .400 Bad Request.: refused: Bearer .token."),
    "401": (AuthenticationError, "refuses the token.*check what is in AMPLIFY_TOKEN"),
    "402": (QuotaError, "plan is used up"),
    "403": (AuthenticationError, "does not let this token in"),
    "404": (ServiceUnavailable, "is not at this url"),
    "413": (TooLarge, "no request of this size"),
    "429": (QuotaError, "no more requests for now"),
    "500": (ServiceUnavailable, "fails .500"),
    "502": (ServiceUnavailable, "is away .502"),
    "503": (ServiceUnavailable, "is away .503"),
    "504": (ServiceUnavailable, "is away .504"),
    "600": (ServiceUnavailable, "fails .600 unknown status"),
    "health-401": (AuthenticationError, "refuses the token"),
    "health-503": (ServiceUnavailable, "is away .503"),
    "health-silent": (DeadlineExceeded, "gave no answer in 1.5"),
    "garbage": (ProtocolError, "answer cannot be read"),
    "empty": (ProtocolError, "answer cannot be read"),
    "wrong-types": (ProtocolError, "answer cannot be read"),
    "nested": (ProtocolError, "answer cannot be read"),
    "no-list": (ProtocolError, "not 0 or 1"),
    "oversized": (ProtocolError, "larger than 64 MiB"),
    "bomb": (ProtocolError, "larger than 64 MiB"),
    "not-binary-2": (ProtocolError, "not 0 or 1"),
    "not-binary-half": (ProtocolError, "not 0 or 1"),
    "not-binary-true": (ProtocolError, "not 0 or 1"),
    "not-binary-nan": (ProtocolError, "not 0 or 1"),
    "not-binary-text": (ProtocolError, "not 0 or 1"),
    "short": (ProtocolError, "answer has 43 values, the request 44"),
    "long": (ProtocolError, "actual 45"),
    "no-http": (ServiceUnavailable, "broke off"),
    "truncated": (ServiceUnavailable, "broke off"),
    "dropped": (ServiceUnavailable, "broke off"),
    "redirect": (ServiceUnavailable, "redirects.*: https://127.0.0.1:9/v1/sync/solve"),
    "silent": (DeadlineExceeded, "gave no answer in 1.5"),
    "drip": (DeadlineExceeded, "gave no answer in 1.5"),
}
"""What each fault of the stand-in ends in, with a deadline of 1.5 s."""
LARGE = ("oversized", "bomb", "nested")
"""Faults that take the stand-in a moment to send."""


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_have_types_and_leak_nothing(service, fault, tmp_path, kept, capfd):
    kind, words = FAULTS[fault]
    with pytest.raises(kind, match=words) as caught:
        ask(
            f"{service}/fault/{fault}",
            time_limit=0.5,
            patience=20 if fault in LARGE else 1,
            record=str(tmp_path / "answer.json"),
        )
    assert "\n" not in str(caught.value)
    assert not leaked(everything_of(caught.value), TOKEN)
    out, err = capfd.readouterr()
    assert not leaked(out + err, TOKEN)
    kept_ones = [process for pool in kept.values() for process in pool]
    theirs = [file for process in kept_ones for file in process.folder.rglob("*")]
    for file in [*tmp_path.rglob("*"), *theirs]:
        assert not file.is_file() or not leaked(file.read_text(errors="replace"), TOKEN)


def test_the_process_of_a_client_imports_no_sparse_matrices():
    """One is started for each request."""
    code = (
        "import sys, qubopuzzle.solvers.services.service; sys.exit('scipy.sparse' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("fault", "called"), [("401", run), ("500", run), ("garbage", run), ("warned", run_apart)]
)
def test_the_command_line_leaks_nothing(service, fault, called, tmp_path):
    url, record = f"url={service}/fault/{fault}", str(tmp_path / "answer.json")
    words = ("--option", url, "--record", record, "--json")
    status, out, err = called("solve", EXAMPLE, "--solver", "amplify", *words, cwd=tmp_path)
    assert status == (0 if fault == "warned" else 2), err
    files = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert not leaked("".join([out, err, *files]), TOKEN)
    if fault == "warned":
        settings = json.loads(out)["settings"]
        words = ["a warning of the service", "for [token]", "<b>no</b>"]
        assert settings["warnings"] == words
        assert settings["version"] == "1.0.0 [token]"
        assert '"echo": "[token]"' in files[0]


@pytest.mark.usefixtures("kept", "quick")
@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:9", "127.0.0.1:9 cannot be reached: .*Connection refused"),
        ("https://no-such-host.invalid", "cannot be reached: .*Name or service not known"),
        ("http://no..host", "cannot be reached: .*label empty"),
        ("https", "cannot be reached: .*SSL"),
    ],
)
def test_why_a_connection_fails(service, url, words):
    url = service.replace("http://", "https://") if url == "https" else url
    with pytest.raises(ServiceUnavailable, match=words):
        ask(url, patience=9)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("fault", ["503-once", "429-once"])
def test_a_service_that_is_back_in_a_moment_is_asked_again(service, fault):
    """429 waits as long as the service asks for, here a second in place of ten."""
    result = ask(f"{service}/tag/{fault}/fault/{fault}")
    assert result.valid
    assert posted(service, fault) == 2


@pytest.mark.usefixtures("kept")
def test_no_solution_and_a_wrong_one_are_judged(service):
    nothing = ask(f"{service}/fault/no-solutions", reads=2)
    assert (nothing.status, nothing.grid, nothing.reads) == ("unknown", None, 2)
    wrong = ask(f"{service}/fault/wrong-answer")
    assert wrong.status == "unknown"
    assert wrong.energy == 14
    assert wrong.violations


def test_a_silent_service_ends_at_the_deadline(service):
    process = command("--option", f"url={service}/fault/silent", "--time-limit", "2")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "gave no answer in 7 s, 2 s of them its time limit" in err


def posted(service, tag):
    """How many models were sent."""
    return sum(request["method"] == "POST" for request in requests_of(service, tag))


def wait_for(condition):
    ends = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_ctrl_c_is_heard_while_the_service_is_silent(service):
    process = command("--option", f"url={service}/tag/c/fault/silent", "--time-limit", "9")
    wait_for(lambda: posted(service, "c"))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=5)
    assert process.returncode == 1, err
    assert "interrupted" in out


def https_of(front):
    return {"url": f"https://localhost:{front.port}/tag/tls", "mode": "objective"}


@pytest.fixture(params=["direct", "proxy"])
def way(request):
    """Options for no proxy, and for one that takes CONNECT; its log, whose lines show no token."""
    if request.param == "direct":
        yield {}
        return
    with connect_proxy() as proxy:
        yield {"proxy": f"http://127.0.0.1:{proxy.port}"}
        assert proxy.log
        assert proxy.log[0].startswith(b"CONNECT localhost:")
        assert TOKEN.encode() not in b"".join(proxy.log)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("self-signed", "self-signed certificate"),
        ("expired", "certificate has expired"),
        ("other name", "Hostname mismatch, certificate is not valid for 'localhost'"),
        ("private", "unable to get local issuer certificate"),
    ],
)
def test_a_certificate_that_is_not_trusted_sees_no_byte(service, kind, why, way, tmp_path):
    context, authority = certificate(kind)
    ca = tmp_path / "ca.pem"
    ca.write_bytes(authority)
    trusting = {} if kind == "private" else {"ca": str(ca)}
    with tls_front(context, int(service.rpartition(":")[2])) as front:
        with pytest.raises(ServiceUnavailable, match=f"certificate verify failed: {why}") as caught:
            ask(**https_of(front), **way, **trusting)
        assert front.log == []
        assert "--option ca=FILE, or SSL_CERT_FILE, trusts a private authority" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("kept")
def test_a_private_authority_is_trusted_if_asked_to(service, way, tmp_path, monkeypatch):
    context, authority = certificate("private")
    ca = tmp_path / "ca.pem"
    ca.write_bytes(authority)
    with tls_front(context, int(service.rpartition(":")[2])) as front:
        assert ask(**https_of(front), **way, ca=str(ca)).valid
        monkeypatch.setenv("SSL_CERT_FILE", str(ca))
        assert ask(**https_of(front), **way).valid
        assert b"".join(front.log).count(f"Bearer {TOKEN}\r\n".encode()) >= 2


def test_a_file_without_certificates_is_refused(tmp_path):
    (tmp_path / "none.pem").write_text("hello")
    for file, why in (("none.pem", "no certificates"), ("nowhere.pem", "No such file")):
        with pytest.raises(InputError, match=f"option ca: .*{file}.*{why}"):
            solve(A, "amplify", options={"ca": str(tmp_path / file)})


@pytest.mark.usefixtures("kept", "quick")
def test_a_redirect_is_not_followed(service):
    """Neither to another origin, which sees nothing, nor anywhere else."""
    with tls_front(certificate("private")[0], 9) as elsewhere:
        with pytest.raises(ServiceUnavailable, match="redirects, which is not followed"):
            ask(f"{service}/tag/{elsewhere.port}/fault/redirect")
        assert elsewhere.log == []


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_process_of_the_sdk_has_no_token(service, tmp_path, monkeypatch):
    """Not in its arguments, environment, open files or memory."""
    monkeypatch.setenv("A_COPY", f"token={TOKEN}")
    monkeypatch.setenv("FUJITSUDA4CLIENT_TOKEN", TOKEN)
    file = tmp_path / "token"
    file.write_text(TOKEN)
    tag = "inside"
    process = command(
        *("--option", f"url={service}/tag/{tag}/fault/silent", "--time-limit", "9"),
        *("--token-file", str(file)),
    )
    wait_for(lambda: posted(service, tag))
    (sdk,) = descendants(process.pid)
    # A read ends where memory is given back meanwhile, so that what comes behind it is not seen.
    memory = []

    def has_a_request() -> bool:
        memory[:] = memory_of(sdk)
        return any(b"Bearer" in part for part in memory)

    wait_for(has_a_request)  # the relay's, so that a token would be seen
    found = [Path(f"/proc/{sdk}/{name}").read_bytes() for name in ("cmdline", "environ")]
    found += [str(link.readlink()).encode() for link in Path(f"/proc/{sdk}/fd").iterdir()]
    found += memory
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert sum(map(len, found)) > 10**6
    assert not any(TOKEN.encode() in part or str(file).encode() in part for part in found)


def memory_of(pid):
    """What a process has written to its memory."""
    about = Path(f"/proc/{pid}/smaps").read_text()
    with Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        for first, last, used in re.findall(r"(?ms)^(\w+)-(\w+) rw.*?^Rss: +(\d+)", about):
            if int(used):
                with suppress(OSError):
                    memory.seek(int(first, 16))
                    yield memory.read(int(last, 16) - int(first, 16))


@pytest.mark.usefixtures("kept")
def test_an_answer_of_many_solutions_is_kept_in_time(service, tmp_path):
    """Masked and written within the deadline, in bounded memory."""
    file = tmp_path / "answer.json"
    result = ask(f"{service}/tag/20000/fault/many", record=str(file), patience=60)
    assert result.status == "unknown"
    assert len(json.loads(file.read_bytes())["solutions"]) == 20_000


def test_a_process_that_dies_is_one_line(service, monkeypatch):
    worker = call_client.__globals__["Worker"]

    def doomed(**more):
        made = worker(**more)
        threading.Timer(1, made._process.kill).start()
        return made

    monkeypatch.setitem(call_client.__globals__, "Worker", doomed)
    with pytest.raises(SolverFailed, match=r"its process ended by SIGKILL"):
        ask(f"{service}/fault/silent", time_limit=9)


@pytest.mark.parametrize("mode", MODES)
def test_a_contradiction_is_never_sent(service, mode):
    with pytest.raises(Unsatisfiable, match="cannot be met"):
        to_amplify(CONTRADICTION, mode=mode)
    result = ask(f"{service}/tag/contradiction", CONTRADICTION, mode=mode)
    assert result.status == "infeasible"
    assert "cannot be met" in result.proved_by
    assert requests_of(service, "contradiction") == []


def terms_of(body):
    """The polynomial in a request: objective, and penalties with their weights."""
    total = {}
    penalties = [(p["expression"], p["weight"]) for p in body.get("penalties", [])]
    for expression, weight in [(body.get("sparse_objective", []), 1), *penalties]:
        for coefficient, *ids in expression:
            key = tuple(sorted(ids))
            total[key] = total.get(key, 0) + weight * coefficient
    return {ids: coefficient for ids, coefficient in total.items() if coefficient}


@pytest.mark.usefixtures("kept")
def test_the_request_has_the_size_of_the_tutorials(service, tmp_path):
    client = amplify.AmplifyAEClient(token=TOKEN, url=f"{service}/tag/tutorial")
    client.solver = "Qubo"
    client.parameters.time_limit_ms = 1000
    amplify.solve(tutorial_model(A.rows, A.cols)[0], client, filter_solution=False)
    theirs = terms_of(requests_of(service, "tutorial")[-1]["body"])
    for mode in ("qubo", "objective"):
        ask(f"{service}/tag/ours-{mode}", mode=mode, formulation="numbering")
        ours = terms_of(requests_of(service, f"ours-{mode}")[-1]["body"])
        assert len(ours) == len(theirs) == 272
        assert sorted(ours.values()) == sorted(theirs.values())
        for terms in (ours, theirs):
            assert len({i for ids in terms for i in ids}) == 60


@pytest.mark.usefixtures("kept")
def test_a_dry_run_is_the_request_itself(service, tmp_path):
    file = tmp_path / "request.json"
    options = {"mode": "qubo", "num_gpus": 1, "duplicate_solutions": True}
    options["penalty_weight_calibration"] = "True"  # as on a command line
    result = ask(f"{service}/tag/dry", dry_run=str(file), **options)
    assert (result.status, result.grid) == ("unknown", None)
    assert requests_of(service, "dry") == []
    assert ask(f"{service}/tag/wet", **options).valid
    sent = requests_of(service, "wet")[-1]["body"]
    assert json.loads(file.read_text()) == sent
    assert sent["num_gpus"] == 1
    assert sent["duplicate_solutions"] is sent["penalty_weight_calibration"] is True


@pytest.mark.usefixtures("kept")
def test_weights_and_parameters_reach_the_request(service, tmp_path):
    file = tmp_path / "request.json"
    options = {"dry_run": str(file), "mode": "qubo", "num_gpus": "0"}
    solve(A, "amplify", weights={"field": 2.5}, options=options)
    sent = json.loads(file.read_text())
    assert {penalty["weight"] for penalty in sent["penalties"]} == {1, 2.5}
    assert sent["num_gpus"] == 0
    assert sent["time_limit_ms"] == 1000


@pytest.mark.usefixtures("kept")
def test_a_stored_answer_is_judged_again(service, tmp_path, monkeypatch):
    file = tmp_path / "answer.json"
    first = ask(service, record=str(file))
    monkeypatch.delenv("AMPLIFY_TOKEN")
    again = solve(A, "amplify", options={"replay": str(file)})
    assert again.valid
    assert np.array_equal(again.grid, first.grid)
    with pytest.raises(ProtocolError, match="values"):
        solve(A, "amplify", formulation="numbering", options={"replay": str(file)})
    file.write_text("hello")
    with pytest.raises(ProtocolError, match="answer cannot be read"):
        solve(A, "amplify", options={"replay": str(file)})
    with pytest.raises(InputError, match=r"nowhere\.json: No such file"):
        solve(A, "amplify", options={"replay": str(tmp_path / "nowhere.json")})


@pytest.mark.usefixtures("kept", "quick")
def test_the_command_line_writes_requests_and_reads_answers(service, tmp_path, monkeypatch):
    request, answer = tmp_path / "request.json", tmp_path / "answer.json"
    ask(service, record=str(answer))
    monkeypatch.delenv("AMPLIFY_TOKEN")
    words = ("solve", EXAMPLE, "--solver", "amplify")
    status, out, err = run(*words, "--dry-run", request)
    assert status == 0, err
    assert "44 variables, 43 constraints" in out
    assert out.rstrip().endswith(f"{request.stat().st_size:,} bytes; nothing was sent")
    status, out, err = run_apart(*words, "--replay", answer, "--json")
    assert status == 0, err
    assert json.loads(out)["valid"]


def token_seen(service, tag):
    return requests_of(service, tag)[-1]["authorization_sha256"]


@pytest.mark.usefixtures("kept")
def test_where_the_token_comes_from(service, monkeypatch, tmp_path):
    ask(f"{service}/tag/from-first")
    monkeypatch.setenv("AMPLIFY_TOKEN", " ")
    monkeypatch.setenv("AMPLIFYAECLIENT_TOKEN", TOKEN)
    ask(f"{service}/tag/from-second")
    monkeypatch.setenv("AMPLIFYAECLIENT_TOKEN", "another-token")
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\r\n")
    ask(f"{service}/tag/from-file", token_file=str(file))
    seen = {token_seen(service, f"from-{place}") for place in ("first", "second", "file")}
    assert len(seen) == 1
    ask(f"{service}/tag/from-other")
    assert token_seen(service, "from-other") not in seen


def test_no_token_is_refused_before_anything(monkeypatch, tmp_path):
    monkeypatch.delenv("AMPLIFY_TOKEN")
    with pytest.raises(AuthenticationError, match="set AMPLIFY_TOKEN in the environment"):
        solve(A, "amplify")
    monkeypatch.setenv("AMPLIFY_TOKEN", "\t\n")
    with pytest.raises(AuthenticationError, match="AMPLIFY_TOKEN is empty"):
        solve(A, "amplify")
    for bad in ("two words", "ümlaut", "line\nbreak"):
        monkeypatch.setenv("AMPLIFY_TOKEN", bad)
        with pytest.raises(AuthenticationError, match="no token") as caught:
            solve(A, "amplify")
        assert bad not in str(caught.value)
    empty = tmp_path / "empty"
    empty.write_text("\n")
    for file, words in (
        (empty, "is empty"),
        (tmp_path, "directory"),
        ("/dev/zero", "no token"),
        (TOKEN, "No such file"),
    ):
        with pytest.raises(AuthenticationError, match=words) as caught:
            solve(A, "amplify", options={"token_file": str(file)})
        assert TOKEN not in str(caught.value)
    with pytest.raises(InputError, match="does not belong into an option") as caught:
        solve(A, "amplify", options={"token": TOKEN})
    assert not leaked(everything_of(caught.value), TOKEN)


@pytest.mark.parametrize("flag", ["--token", "--token=AE/sEcReT-t0ken", "--tok"])
def test_a_token_on_the_command_line_is_refused_unseen(flag):
    words = [flag, *([] if "=" in flag else [TOKEN])]
    status, out, err = run("solve", EXAMPLE, "--solver", "amplify", *words)
    assert status == 2
    assert flag == "--tok" or "does not belong on a command line" in err
    assert not leaked(out + err, TOKEN)


@pytest.mark.usefixtures("kept", "quick")
@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        ("http://me:hunter2secret@no-such-host.invalid:9", "cannot be reached"),
        ("me:hunter2secret@no-such-host.invalid:9", "cannot be reached"),
        ("http://hunter2secret@h℀st:9", "proxy's address is no url"),
        ("http://me:hunter2secret@[bad]", "proxy's address is no url"),
    ],
)
def test_a_proxys_password_is_never_shown(monkeypatch, proxy, words):
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, proxy)
    with pytest.raises((ServiceUnavailable, InputError), match=words) as caught:
        solve(A, "amplify", options={"url": "http://service.invalid", "patience": 9})
    assert "hunter2" not in everything_of(caught.value)


@given(
    st.text(ascii_letters + digits + punctuation, min_size=8, max_size=60),
    st.text(printable, max_size=30),
    st.text(printable, max_size=30),
)
def test_nothing_of_a_secret_survives(secret, before, after):
    for form in (secret, quote(secret, safe=""), secret.replace("/", "\\/")):
        assert form not in Token(secret, "a test").mask(f"{before}{form}{after}")


def test_what_the_plan_does_not_hold_is_refused_with_a_remedy():
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (36, 36)))
    # Nothing follows from any line of it.
    dots = Nonogram(rows=[[1] * 5] * 30, cols=[[1] * 5] * 30)
    for puzzle, remedy in [(noise, "presolve propagate"), (dots, "formulation window")]:
        with pytest.raises(
            PlanExceeded, match=r"free plan of Amplify AE holds 8,192 .*, not \d+,\d+"
        ) as caught:
            solve(puzzle, "amplify", formulation="numbering")
        assert "--option plan=standard" in str(caught.value)
        assert re.search(rf"--{remedy} fits, with \d,\d+ variables", str(caught.value))
    with pytest.raises(InputError, match=r"variables, 10 s, 1 GPU.*, not 44 variables, 11 s"):
        solve(A, "amplify", time_limit=11)
    with pytest.raises(InputError, match=r"holds .* 1 GPU"):
        solve(A, "amplify", options={"num_gpus": 2})


@pytest.mark.usefixtures("kept")
def test_force_and_plan_send_what_the_free_plan_does_not_hold(service, tmp_path):
    for more in ({"force": 1}, {"plan": "premium"}):
        file = tmp_path / "request.json"
        solve(A, "amplify", time_limit=11, options={"dry_run": str(file), "num_gpus": 2, **more})
        assert json.loads(file.read_text())["time_limit_ms"] == 11_000
        file.unlink()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mode": "native"}, "option mode: expected constraint or qubo or objective"),
        ({"client": "dwave-2000"}, "option client: expected ae or dwave or"),
        ({"plan": "basic"}, "option plan"),
        (
            {"client": "sqbm", "url": "http://a", "num_gpu": 1},
            "ToshibaSQBM2Client has no parameter",
        ),
        ({"patiance": 9}, "has no parameter 'patiance'; did you mean patience"),
        ({"client": "gurobi"}, "needs --option library=PATH"),
        ({"client": "da4"}, "needs --option url="),
        ({"cpus": 1}, "AmplifyAEClient has no parameter 'cpus'; it has: duplicate_sol"),
        ({"url": "optigan.fixstars.com"}, r"expected http\(s\)://HOST"),
        ({"url": "http://127.0.0.1:99999"}, r"expected http\(s\)://HOST"),
        ({"url": "http://127.0.0.1:0"}, r"expected http\(s\)://HOST"),
        ({"url": "http://host/?x=1"}, r"expected http\(s\)://HOST"),
        ({"url": "http://host/\r\nX: y"}, r"expected http\(s\)://HOST"),
        ({"url": "http://höst"}, r"expected http\(s\)://HOST"),
        ({"url": "http://me:secret@[bad]:99999"}, "do not belong into options"),
        ({"proxy": "me:secret@proxy:8080"}, "do not belong into options"),
        ({"time_limit_ms": 9000}, "give it as --option seconds="),
        ({"num_gpus": 2}, "free plan of Amplify AE holds .*, not .* 2 GPU"),
        ({"seconds": 1e9}, "option seconds"),
        ({"record": "a.json", "replay": "b.json"}, "exclude each other"),
        ({"proxy": "http://me:secret@proxy:8080"}, "do not belong into options"),
        ({"record": "/nowhere/at/all"}, "there is no folder"),
    ],
)
def test_wrong_options_are_refused(options, words, monkeypatch):
    monkeypatch.setenv("DWAVE_API_TOKEN", TOKEN)
    with pytest.raises(InputError, match=words) as caught:
        solve(A, "amplify", options=options)
    assert "secret" not in str(caught.value)


@pytest.mark.usefixtures("kept")
def test_parameters_of_the_wrong_type_are_refused(service):
    with pytest.raises(InputError, match="parameter num_gpus of AmplifyAEClient: not 'two'"):
        ask(service, num_gpus="two")


@pytest.mark.usefixtures("kept")
def test_a_client_that_is_set_up_already(service, monkeypatch):
    monkeypatch.delenv("AMPLIFY_TOKEN")
    client = amplify.AmplifyAEClient(token=TOKEN, url=f"{service}/tag/given")
    client.solver = "Qubo"
    client.parameters.num_gpus = 1
    client.parameters.time_limit_ms = 700
    result = solve(A, client)
    assert result.valid
    assert result.solver == "amplify"
    assert not leaked(json.dumps(result.to_dict()), TOKEN)
    sent = requests_of(service, "given")[-1]["body"]
    assert (sent["num_gpus"], sent["time_limit_ms"], len(sent["penalties"])) == (1, 700, 43)


def test_a_given_clients_token_goes_to_no_other_service(service):
    client = amplify.AmplifyAEClient(token=TOKEN)
    with pytest.raises(InputError, match="its token is for no other"):
        solve(A, client, options={"client": "sqbm", "url": service})
    client.parameters.num_gpus = 4
    with pytest.raises(InputError, match=r"holds .* 1 GPU"):
        solve(A, client)


@pytest.mark.usefixtures("kept", "quick")
@pytest.mark.parametrize("name", [n for n, c in CLIENTS.items() if c.tokens and n != "ae"])
def test_other_clients_fail_in_one_line(service, name, monkeypatch):
    """As far as they can be tried without their services: set up, sent, refused."""
    client = CLIENTS[name]
    if client.package and not installed_version(client.package):
        with pytest.raises(SolverUnavailable, match=f"pip install {client.package}"):
            ask(service, client=name)
        return
    with pytest.raises(AuthenticationError, match=f"set {client.tokens[0]}"):
        ask(service, client=name)
    monkeypatch.setenv(client.tokens[0], TOKEN)
    with pytest.raises((SolverFailed, AuthenticationError)) as caught:
        ask(service, client=name, patience=5)
    assert "\n" not in str(caught.value)
    assert not leaked(everything_of(caught.value), TOKEN)


@pytest.mark.usefixtures("kept")
def test_gurobi_without_its_library_is_one_line():
    with pytest.raises(SolverFailed, match="could not find the Gurobi library"):
        solve(A, "amplify", options={"client": "gurobi", "library": "/nowhere/libgurobi.so"})


@pytest.mark.usefixtures("kept")
def test_reads_are_requests_until_one_is_right(service):
    result = ask(f"{service}/tag/reads", reads=5)
    assert result.reads == 1
    ask(f"{service}/tag/wrong/fault/wrong-answer", reads=2)
    assert posted(service, "wrong") == 2


@pytest.mark.usefixtures("kept")
def test_what_earlier_requests_brought_is_kept(service, monkeypatch):
    answers = iter([None, ServiceUnavailable("it went away")])

    def flaky(*arguments):
        error = next(answers)
        if error is not None:
            raise error
        return call(*arguments)

    monkeypatch.setattr("qubopuzzle.solvers.amplify.call", flaky)
    result = ask(f"{service}/fault/wrong-answer", reads=5)
    assert (result.reads, result.energy) == (1, 14)
    assert result.settings["ended_by"] == "it went away"


@pytest.mark.usefixtures("kept")
def test_cuts_come_in_rounds(service, tmp_path):
    puzzle = get_puzzle("hitori").examples()[0]
    result = ask(service, puzzle, formulation="lazy")
    assert result.valid
    assert result.service_s["queue"] == pytest.approx(0.0025 * result.settings["rounds"])
    with pytest.raises(InputError, match="option record is for one answer"):
        ask(service, puzzle, formulation="lazy", record=str(tmp_path / "answer"))
    with pytest.raises(InputError, match="option record is for one answer"):
        ask(service, reads=2, record=str(tmp_path / "answer"))


def test_a_model_that_is_decided_is_not_sent(service):
    result = solve(A, "amplify", presolve="propagate", options={"url": f"{service}/tag/decided"})
    assert result.valid
    assert requests_of(service, "decided") == []


def test_comparisons_take_it(service):
    done = compare(
        EXAMPLE,
        solvers=["amplify", "sat"],
        repeat=1,
        time_limit=5,
        options={"amplify": {"url": service}},
    )
    assert [row["status"] for row in done.rows] == ["valid", "valid"]
    assert not leaked(json.dumps(done.rows), TOKEN)


@pytest.mark.usefixtures("kept")
def test_the_commands_of_the_page_run(service, tmp_path):
    page = (ROOT / "docs" / "amplify.md").read_text()
    commands = re.findall(r"^\$ qubopuzzle (solve .*)$", page, re.M)
    assert len(commands) >= 4
    (tmp_path / "token.txt").write_text(TOKEN)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for line in commands:
        words = [*shlex.split(line), "--option", f"url={service}"]
        status, out, err = run(*words, cwd=tmp_path)
        assert status == 0, err
        assert ("nothing was sent" if "--dry-run" in line else "\nvalid") in out
