"""``amplify``: Fixstars Amplify AE, or another client of the Amplify SDK.

Every read is one request: the SDK, in a process of its own, speaks to a relay of ours, and that
to the service (``call``, ``relay``, ``service``).
The time limit is the service's, for each request, unless ``seconds`` says what that is;
there is no seed. With ``dry_run`` the request is written to a file and nothing is sent, with
``replay`` a stored answer takes the service's place.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from qubopuzzle.errors import InputError, PlanExceeded, SolverFailed, SolverUnavailable
from qubopuzzle.files.writing import check_place, naming, write_whole
from qubopuzzle.solvers.amplify.call import call, dry_run, replay
from qubopuzzle.solvers.amplify.clients import CLIENTS, PLANS, Client, ClientSettings, ServicePlan
from qubopuzzle.solvers.amplify.credentials import Token, check_address, find_token
from qubopuzzle.solvers.amplify.process import Request, ServiceReply
from qubopuzzle.solvers.amplify.relay import ANSWER_LIMIT
from qubopuzzle.solvers.base import Option, Outcome, Solver, Task, installed_version
from qubopuzzle.solvers.sampler import Best

DEFAULT_SECONDS = 1.0
"""The service's time limit if none is given, as in Amplify's own picross demo."""
_SENDING_S = 4e-6
"""Seconds a term to write and send it; 5 to 10 million terms take the SDK several seconds."""
_DAY_S = 86_400
_OWN_FILES = ("record", "dry_run", "replay")
_MODES = {
    "constraint": "constraints as they are; Amplify AE takes them natively",
    "qubo": "our penalty and weight for each constraint",
    "objective": "exactly our QUBO, without constraints",
}


class AmplifySolver(Solver):
    """Amplify AE and other clients of the SDK, or one that a user has set up."""

    name = "amplify"
    package = "amplify"
    remote = True
    default_reads = 1
    about = "Fixstars Amplify AE in the cloud, with a token in AMPLIFY_TOKEN (docs/amplify.md)"
    options = (
        Option("client", str, "ae", "whom to ask", choices=CLIENTS),
        Option("mode", str, "constraint", "what is sent", choices=_MODES),
        Option("plan", str, "free", "plan of Amplify AE", choices=PLANS),
        Option("force", int, 0, "1 sends a model that the plan does not hold", 0, 1),
        Option("seconds", float, None, "the service's time limit, if not the run's", 0.001, _DAY_S),
        Option("patience", float, 5.0, "seconds for queue and network beyond the time limit", 0.1),
        Option("num_gpus", int, None, "GPUs of Amplify AE", 0),
        Option("penalty_calibration", int, None, "1: AE may change weights (mode qubo)", 0, 1),
        Option("duplicate_solutions", int, None, "1: AE keeps duplicates", 0, 1),
        Option("parameters", str, None, "further parameters of the client, as a JSON object"),
        Option("token_file", str, None, "file that holds the token"),
        Option("url", str, None, "address of the service"),
        Option("proxy", str, None, "address of a proxy; without, HTTPS_PROXY's"),
        Option("ca", str, None, "file of certificates (PEM) to trust besides the usual ones"),
        Option("library", str, None, "path of Gurobi's shared library (client gurobi)"),
        Option("record", str, None, "file for the answer as it comes"),
        Option("replay", str, None, "file with such an answer, to decode and judge again"),
        Option("dry_run", str, None, "file for the request, which is not sent"),
    )

    def __init__(self, settings: ClientSettings | None = None) -> None:
        """With settings of a client, which hold where no option says otherwise."""
        self._settings = settings or ClientSettings()

    def target_for(self, options: Mapping[str, Any]) -> str:
        """One target a mode."""
        return f"amplify-{options['mode']}"

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options, and that there is a token if one is needed.

        Raises:
            InputError: for options that do not fit together, too.
            AuthenticationError: if there is no token.
        """
        if "token" in options:
            raise InputError(
                "a token does not belong into an option: set AMPLIFY_TOKEN or use --token-file FILE"
            )
        own = self._settings.options
        parsed = super().parse_options({**own, **options})
        if own and parsed["client"] != own["client"]:
            raise InputError("option client: the client is given, and its token is for no other")
        _check_client(parsed, CLIENTS[parsed["client"]])
        for name in ("url", "proxy"):
            if parsed[name]:
                parsed[name] = check_address(name, parsed[name])
        if parsed["ca"]:
            from qubopuzzle.solvers.amplify.service import certificates

            certificates(parsed["ca"])
        if sum(parsed[name] is not None for name in _OWN_FILES) > 1:
            raise InputError("options record, dry_run and replay exclude each other")
        for name in ("record", "dry_run"):
            if parsed[name] is not None:
                check_place(Path(parsed[name]))
        if not parsed["replay"] and not parsed["dry_run"]:
            self._token(parsed)
        return parsed

    def check_size(self, task: Task) -> None:
        """Hold variables, time limit and GPUs against the plan of Amplify AE."""
        options = task.options
        if options["client"] != "ae" or options["force"]:
            return
        name, plan = options["plan"], PLANS[options["plan"]]
        gpus = self._parameters(options).get("num_gpus")
        needed = ServicePlan(
            task.compiled.payload.n_variables,
            self._seconds(task),
            gpus if isinstance(gpus, int | float) else 0,
        )
        if plan.holds(needed):
            return
        larger = next(name for name, other in PLANS.items() if other.holds(needed))
        other = f"--option plan={larger} if that is yours, or --force"
        if needed.seconds > plan.seconds:
            raise InputError(
                f"the {name} plan of Amplify AE solves for {plan.seconds:g} s at most, not "
                f"{needed.seconds:g}; {other}"
            )
        if needed.gpus > plan.gpus:
            raise InputError(f"the {name} plan of Amplify AE has {plan.gpus:g} GPU; {other}")
        raise PlanExceeded(
            f"{needed.variables:,} variables are more than the {plan.variables:,.0f} that the "
            f"{name} plan of Amplify AE holds; {other}",
            int(plan.variables),
        )

    def solve(self, task: Task) -> Outcome:
        """Ask request by request, each a read, until the rules accept a sample."""
        options, best = task.options, Best(task.compiled)
        if task.compiled.payload.n_variables == 0:
            return best.of_nothing()
        request = self._request(task)
        if options["dry_run"]:
            body = dry_run(request)
            write_whole(Path(options["dry_run"]), body)
            return best.outcome(settings={"request_bytes": len(body)})
        if options["record"] and (task.budget.reads or 1) > 1:
            raise InputError("option record is for one answer; ask for one read")
        notes: dict[str, Any] = {"time_limit_s": request.seconds}
        notes |= {"sent_parameters": dict(request.parameters)} if request.parameters else {}
        seconds: dict[str, float] = {}
        interrupted = False
        reads = 1 if options["replay"] else task.budget.reads or self.default_reads
        try:
            while best.reads < reads and not best.is_solution():
                if best.reads and options["seconds"] and task.seconds_left() <= 0:
                    break
                answer = self._ask(request, task, lambda: task.report(best.reads, best.energy))
                best.reads += 1
                seconds |= {part: seconds.get(part, 0.0) + s for part, s in answer.seconds.items()}
                notes |= answer.service
                if len(answer.samples) and task.judge.accepts(best.add(answer.samples, 0)):
                    break
        except KeyboardInterrupt:
            interrupted = True
        except SolverFailed as error:
            if not best.reads:
                raise
            notes["ended_by"] = str(error)  # what earlier requests brought is kept
        return best.outcome(interrupted=interrupted, settings=notes, service_s=seconds)

    def _request(self, task: Task) -> Request:
        options, client = task.options, CLIENTS[task.options["client"]]
        program, seconds = task.compiled.payload, self._seconds(task)
        return Request(
            client=client,
            program=program,
            seconds=seconds if client.time_limit else None,
            deadline=seconds + options["patience"] + _SENDING_S * program.n_terms,
            where=client.title + (f" at {options['url']}" if options["url"] else ""),
            library=options["library"] or "",
            parameters=self._parameters(options),
        )

    def _ask(self, request: Request, task: Task, tick: Callable[[], None]) -> ServiceReply:
        """The service's answer, or a stored one; InputError if there is none."""
        options, client = task.options, request.client
        if options["replay"]:
            return replay(request, _stored(Path(options["replay"])))
        token = self._token(options)
        if token is None:
            return call(request, lambda _: (404, b""), tick)  # it asks nobody
        from qubopuzzle.solvers.amplify.service import Service

        url, proxy = options["url"] or client.url, options["proxy"] or self._settings.proxy
        with Service(request.where, url, token, proxy, options["ca"] or "") as service:
            try:
                return call(request, service, tick, token)
            finally:
                if options["record"] and service.answer is not None:
                    write_whole(Path(options["record"]), service.answer)

    def _parameters(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters of the client: options of ours, the given client's, ``parameters``."""
        found: dict[str, Any] = {}
        if options["num_gpus"] is not None:
            found["num_gpus"] = options["num_gpus"]
        if options["duplicate_solutions"] is not None:
            found["duplicate_solutions"] = bool(options["duplicate_solutions"])
        if options["client"] == "ae" and options["mode"] == "qubo":
            # AE changes our weights only if it is asked to.
            found["penalty_weight_calibration"] = bool(options["penalty_calibration"])
        return {**found, **self._settings.parameters, **_parameters(options)}

    def _seconds(self, task: Task) -> float:
        """The service's time limit, for each request; InputError if it is longer than a day."""
        own = task.options["seconds"] or task.budget.time_limit or self._settings.seconds
        seconds = float(own or DEFAULT_SECONDS)
        if seconds > _DAY_S:
            raise InputError(f"a time limit of {seconds:g} s is longer than a day")
        return seconds

    def _token(self, options: Mapping[str, Any]) -> Token | None:
        client, file = CLIENTS[options["client"]], options["token_file"]
        if file is None and self._settings.token is not None:
            return self._settings.token
        return find_token(client.title, client.tokens, file) if client.tokens else None


def _stored(file: Path) -> bytes:
    """A recorded answer; InputError if there is none."""
    with naming(file):
        if file.exists() and not file.is_file():
            raise InputError("that is no file")
        if file.stat().st_size > ANSWER_LIMIT:
            raise InputError("that is too large for an answer")
        return file.read_bytes()


def _check_client(options: Mapping[str, Any], client: Client) -> None:
    """That the options are this client's, where it is, and its package installed."""
    name = options["client"]
    of_ae = ("num_gpus", "penalty_calibration", "duplicate_solutions", *_OWN_FILES)
    for option in () if client.is_ae else of_ae:
        if options[option] is not None:
            raise InputError(f"option {option} is for Amplify AE (client ae)")
    if options["penalty_calibration"] is not None and options["mode"] != "qubo":
        raise InputError("option penalty_calibration is for --option mode=qubo")
    if client.needs_library:
        if not options["library"]:
            raise InputError(f"client {name} needs --option library=PATH of Gurobi's library")
        if options["url"]:
            raise InputError(f"client {name} runs on this machine and takes no url")
    elif not (options["url"] or client.url):
        raise InputError(f"client {name} needs --option url= of the service")
    if client.time_limit and client.time_limit in _parameters(options):
        raise InputError(f"parameter {client.time_limit}: give it as --option seconds=")
    if client.package and not installed_version(client.package):
        raise SolverUnavailable(f"client {name} cannot run here: pip install {client.package}")


def _parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    text = "{}" if options["parameters"] is None else options["parameters"]
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise InputError(f"option parameters: expected a JSON object, got {text[:40]!r}")
    return found


SOLVER = AmplifySolver()
