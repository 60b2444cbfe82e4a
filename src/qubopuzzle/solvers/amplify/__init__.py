"""``amplify``: Fixstars Amplify AE, or another client of the Amplify SDK.

Every read is one request: the SDK, in a process of its own, speaks to a relay of ours (``call``),
and that to the service (``service``). The time limit is the service's, for each request, unless
``seconds`` says what that is; there is no seed. With ``dry_run`` the request is written to a file
and nothing is sent, with ``replay`` a stored answer takes the service's place.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError, SolverFailed
from qubopuzzle.files.writing import write_whole
from qubopuzzle.solvers.amplify.call import Request, ServiceReply, call, rehearse, terms_of
from qubopuzzle.solvers.amplify.clients import (
    CLIENTS,
    PLANS,
    ClientSettings,
    ServicePlan,
    check_plan,
)
from qubopuzzle.solvers.base import Option, Outcome, Solver, Task, literal
from qubopuzzle.solvers.sampler import Best
from qubopuzzle.solvers.services.credentials import Token, check_address, find_token
from qubopuzzle.solvers.services.files import check_files, stored
from qubopuzzle.solvers.services.options import SERVICE_OPTIONS
from qubopuzzle.solvers.services.relay import Answer

DEFAULT_SECONDS = 1.0
"""The service's time limit if none is given, as in Amplify's own picross demo."""
_DAY_S = 86_400
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
        Option("library", str, None, "path of Gurobi's shared library (client gurobi)"),
        *SERVICE_OPTIONS,
    )

    _names = frozenset(option.name for option in options)

    def __init__(self, settings: ClientSettings | None = None) -> None:
        """With settings of a client, which hold where no option says otherwise."""
        self._settings = settings or ClientSettings()

    def target_for(self, options: Mapping[str, Any]) -> str:
        """One target a mode."""
        return f"amplify-{options['mode']}"

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options, and that there is a token if one is needed.

        What is no option of ours is a parameter of the client.

        Raises:
            InputError: for options that do not fit together, too.
            AuthenticationError: if there is no token.
        """
        if "token" in options:
            what = "a token does not belong into an option"
            raise InputError(f"{what}: set AMPLIFY_TOKEN or use --token-file FILE")
        own = self._settings.options
        mine = {name: value for name, value in options.items() if name in self._names}
        parsed = super().parse_options({**own, **mine})
        if own and parsed["client"] != own["client"]:
            raise InputError("option client: the client is given, and its token is for no other")
        theirs = {k: literal(v) for k, v in options.items() if k not in mine and v is not None}
        CLIENTS[parsed["client"]].check(parsed, theirs)
        for name in ("url", "proxy"):
            parsed[name] = parsed[name] and check_address(name, parsed[name])
        check_files(parsed)
        if not parsed["replay"] and not parsed["dry_run"]:
            self._token(parsed)
        return {**parsed, **self._settings.parameters, **theirs}

    def check_size(self, task: Task) -> None:
        """Hold variables, time limit and GPUs against the plan of Amplify AE."""
        options, gpus = task.options, task.options.get("num_gpus")
        if options["client"] == "ae" and not options["force"]:
            gpus = gpus if isinstance(gpus, int | float) else 0
            needed = ServicePlan(task.compiled.n_bits, self._seconds(task), gpus)
            check_plan(options["plan"], needed)

    def solve(self, task: Task) -> Outcome:
        """Ask request by request, each a read, until the rules accept a sample."""
        options, best = task.options, Best(task.compiled)
        if not task.compiled.n_bits:
            return best.of_nothing()
        request = self._request(task)
        if options["dry_run"]:
            _, body = rehearse(request)
            write_whole(Path(options["dry_run"]), body)
            return best.outcome(settings={"request_bytes": len(body)})
        if options["record"] and (task.budget.reads or 1) > 1:
            raise InputError("option record is for one answer; ask for one read")
        notes: dict[str, Any] = {"time_limit_s": request.terms.seconds}
        seconds: dict[str, float] = {}
        interrupted = False
        reads = 1 if options["replay"] else task.budget.reads or self.default_reads
        try:
            while best.reads < reads and not best.is_solution():
                if best.reads and options["seconds"] and task.seconds_left() <= 0:
                    break
                answer = self._ask(request, options, lambda: task.report(best.reads, best.energy))
                best.reads += 1
                seconds |= {part: seconds.get(part, 0.0) + s for part, s in answer.seconds.items()}
                notes |= answer.service
                found = answer.samples
                if len(found) and self._is_enough(task, best.add(found, [1] * len(found), 0)):
                    break
        except KeyboardInterrupt:
            interrupted = True
        except SolverFailed as error:
            if not best.reads:
                raise
            notes["ended_by"] = str(error)  # what earlier requests brought is kept
        return best.outcome(interrupted=interrupted, settings=notes, service_s=seconds)

    def _is_enough(self, task: Task, sample: NDArray[np.int8]) -> bool:
        """Whether the rules accept a sample, and nothing is to be minimised besides."""
        return not task.compiled.has_objective and task.judge.accepts(sample)

    def _request(self, task: Task) -> Request:
        options = task.options
        parameters = {k: value for k, value in options.items() if k not in self._names}
        client, model = CLIENTS[options["client"]], task.compiled.payload
        seconds = self._seconds(task)
        if client.is_ae and options["mode"] == "qubo":
            # AE changes our weights only if it is asked to.
            parameters = {"penalty_weight_calibration": False, **parameters}
        return Request(
            client=client,
            model=model,
            terms=terms_of(client, model, seconds, options["patience"], options["url"] or ""),
            library=options["library"] or "",
            parameters=parameters,
        )

    def _ask(
        self, request: Request, options: Mapping[str, Any], tick: Callable[[], None]
    ) -> ServiceReply:
        """The service's answer, or a stored one; InputError if there is none."""
        if options["replay"]:
            return rehearse(request, stored(Path(options["replay"])))[0]
        token = self._token(options)
        if token is None:
            return call(request, lambda _: Answer(404, b""), tick)  # it asks nobody
        from qubopuzzle.solvers.services.service import Service

        url = options["url"] or request.client.url
        proxy = options["proxy"] or self._settings.proxy
        with Service(request.terms.where, url, token, proxy, options["ca"] or "") as service:
            try:
                return call(request, service, tick, token)
            finally:
                if options["record"] and service.answer is not None:
                    write_whole(Path(options["record"]), service.answer)

    def _seconds(self, task: Task) -> float:
        """The service's time limit, for each request; InputError if it is longer than a day."""
        given = task.options["seconds"] or task.budget.time_limit or self._settings.seconds
        seconds = float(given or DEFAULT_SECONDS)
        if seconds > _DAY_S:
            raise InputError(f"a time limit of {seconds:g} s is longer than a day")
        return seconds

    def _token(self, options: Mapping[str, Any]) -> Token | None:
        client, file = CLIENTS[options["client"]], options["token_file"]
        if file is None and self._settings.token is not None:
            return self._settings.token
        if not client.tokens:
            return None
        return find_token(client.title, client.tokens, file, "docs/amplify.md")


SOLVER = AmplifySolver()
