"""The stand-in for Amplify AE speaks the SDK's language and plays its faults."""

import hashlib
import json
import urllib.error
import urllib.request

import amplify
import pytest

from ae_solving import Malformed, check
from ae_stand_in import requests_of
from qubopuzzle import to_amplify
from qubopuzzle.puzzles import get_puzzle

TOKEN = "secret/token+of=12"  # noqa: S105
WAYS = {
    "constraint": ("constraint", "Constraint"),
    "penalties": ("constraint", "Qubo"),
    "objective": ("objective", "Qubo"),
}


def client(service, solver="Constraint"):
    made = amplify.AmplifyAEClient(token=TOKEN, url=service)
    made.solver = solver
    made.parameters.time_limit_ms = 1000
    return made


def asked(service):
    variables = amplify.VariableGenerator().array("Binary", 3)
    return amplify.solve(
        amplify.Model(amplify.one_hot(variables)), client(service), filter_solution=False
    )


@pytest.mark.parametrize("encoding", ["one-hot", "domain-wall"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["nonogram", "hitori"])
def test_puzzles_are_solved(service, name, way, encoding):
    puzzle = get_puzzle(name).examples()[0]
    mode, solver = WAYS[way]
    formulation = puzzle.formulation_for(cuts=False)
    built = to_amplify(puzzle, mode=mode, encoding=encoding, formulation=formulation)
    result = amplify.solve(built.model, client(service, solver), filter_solution=False)
    grid, broken = built.source.field.read(built.decode(result.best.values))
    assert puzzle.violations(grid) == []
    assert len(broken) == 0
    assert result.best.feasible


def test_an_objective_counts_beside_constraints(service):
    q = amplify.VariableGenerator().array("Binary", 4)
    rules = amplify.one_hot(q[:3]) + amplify.less_equal(q[1] + 2 * q[2] + 3 * q[3], 4)
    for solver in ("Constraint", "Qubo"):
        model = amplify.Model(2 * q[0] * q[1] - 2 * q[2] - 0.5 * q[3] + 3, rules)
        result = amplify.solve(model, client(service, solver), filter_solution=False)
        assert result.best.objective == 1, solver


def test_requests_are_kept_without_the_token(service):
    result = asked(f"{service}/tag/kept")
    assert sum(result.best.values.values()) == 1
    kept = requests_of(service, "kept")
    assert TOKEN not in json.dumps(kept)
    assert {request["path"] for request in kept[:-1]} == {"/tag/kept/v1/health"}
    assert kept[-1]["path"] == "/tag/kept/v1/sync/solve"
    assert {request["authorization_sha256"] for request in kept} == {
        hashlib.sha256(f"Bearer {TOKEN}".encode()).hexdigest()
    }
    assert kept[-1]["body"]["constraints"][0]["lower"] == 1
    assert kept[-1]["body"]["time_limit_ms"] == 1000


@pytest.mark.parametrize("fault", ["wrong-answer", "warned", "not-binary-half", "no-solutions"])
def test_faults_that_the_sdk_lets_pass(service, fault):
    assert len(asked(f"{service}/fault/{fault}")) == (fault != "no-solutions")


@pytest.mark.parametrize("fault", ["401", "500", "garbage", "empty", "wrong-types", "dropped"])
def test_faults_that_the_sdk_notices(service, fault):
    with pytest.raises(RuntimeError):
        asked(f"{service}/tag/{fault}/fault/{fault}")
    assert requests_of(service, fault)[-1]["method"] == "POST"


def test_faults_at_the_health_check(service):
    with pytest.raises(RuntimeError, match="403"):
        asked(f"{service}/tag/unhealthy/fault/health-403")
    assert [request["method"] for request in requests_of(service, "unhealthy")] == ["GET"]


def test_a_fault_that_passes(service):
    with pytest.raises(RuntimeError, match="503"):
        asked(f"{service}/tag/again/fault/503-once")
    assert asked(f"{service}/tag/again/fault/503-once").best.feasible


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (None, "no JSON object"),
        ({"extra": 1}, "unknown keys"),
        ({"time_limit_ms": 0}, "time_limit_ms"),
        ({"sparse_objective": [[float("nan"), 0]]}, "term"),
        ({"sparse_objective": [[1, 0.0]]}, "whole numbers"),
        ({"sparse_objective": [[1, 0], [1, 2]]}, "gaps"),
        ({"sparse_objective": [[1, 0, 0]]}, "twice"),
        ({"sparse_objective": [[1, 0, 1, 2]]}, "degree"),
        ({"constraints": [{"expression": [[1, 0]]}]}, "no bound"),
        ({"constraints": [{"expression": [[1, 0]], "lower": 2, "upper": 1}]}, "above"),
        ({"penalties": [{"expression": [[1, 0]], "weight": "1"}]}, "numbers"),
    ],
)
def test_malformed_requests_are_refused(body, message):
    with pytest.raises(Malformed, match=message):
        check(body)


@pytest.mark.parametrize(
    ("authorization", "status", "message"),
    [("Bearer any", 400, "no JSON object"), ("Bearer ", 401, "Unauthorized")],
)
def test_a_refusal_has_a_message(service, authorization, status, message):
    body = b"[]" if status == 400 else b"{}"
    headers = {"Authorization": authorization}
    request = urllib.request.Request(f"{service}/v1/sync/solve", body, headers)  # noqa: S310
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)  # noqa: S310
    assert refused.value.code == status
    assert message in json.load(refused.value)["message"]
