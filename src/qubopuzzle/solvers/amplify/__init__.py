"""``amplify``: Fixstars Amplify AE, or another client of the Amplify SDK.

Every read is one request: the SDK, in a process of its own, speaks to a relay of ours (``call``),
and that to the service (``service``). The time limit is the service's, for each request, unless
``seconds`` says what that is; there is no seed.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.writing import write_whole
from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError
from qubopuzzle.solvers.amplify.call import Request, call, rehearse, terms_of
from qubopuzzle.solvers.amplify.clients import (
    CLIENTS,
    PLANS,
    ClientSettings,
    ServicePlan,
    check_plan,
)
from qubopuzzle.solvers.base import Option, Task
from qubopuzzle.solvers.sampler import Best
from qubopuzzle.solvers.services.call import Reply
from qubopuzzle.solvers.services.credentials import Token, find_token
from qubopuzzle.solvers.services.relay import HttpResponse
from qubopuzzle.solvers.services.solver import SERVICE_OPTIONS, ServiceSolver, stored

DEFAULT_SECONDS = 1.0
"""The service's time limit if none is given, as in Amplify's own picross demo."""
_DAY_S = 86_400
_MODES = {
    "constraint": "constraints as they are; Amplify AE takes them natively",
    "qubo": "our penalty and weight for each constraint",
    "objective": "exactly our QUBO, without constraints",
}


class AmplifySolver(ServiceSolver):
    """Amplify AE and other clients of the SDK, or one that a user has set up."""

    name = "amplify"
    package = "amplify"
    variable = "AMPLIFY_TOKEN"
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

    def __init__(self, settings: ClientSettings | None = None) -> None:
        """With settings of a client, which hold where no option says otherwise."""
        self._settings = settings or ClientSettings()

    def target_for(self, options: Mapping[str, Any]) -> str:
        """One target a mode."""
        return f"amplify-{options['mode']}"

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """As every service; what is set in a given client holds where no option says otherwise."""
        given = self._settings
        return {**given.parameters, **super().parse_options({**given.options, **options})}

    def check_parameters(self, options: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
        """InputError or SolverUnavailable for what is not the client's, or not there."""
        if self._settings.options.get("client", options["client"]) != options["client"]:
            raise InputError("option client: the client is given, and its token is for no other")
        CLIENTS[options["client"]].check(options, parameters)

    def check_size(self, task: Task) -> None:
        """Hold variables, time limit and GPUs against the plan of Amplify AE."""
        options, gpus = task.options, task.options.get("num_gpus")
        if options["client"] == "ae" and not options["force"]:
            gpus = gpus if isinstance(gpus, int | float) else 0
            needed = ServicePlan(task.compiled.n_bits, self._seconds(task), gpus)
            check_plan(options["plan"], needed)

    def asks_again(self, task: Task, best: Best, sample: NDArray[np.int8] | None) -> bool:
        """Until the rules accept a sample, where nothing is to be minimised besides."""
        options = task.options
        unsolved = task.compiled.has_objective or sample is None or not task.accepts(sample)
        if options["replay"] or best.is_solution() or not unsolved:
            return False
        in_time = not options["seconds"] or task.seconds_left() > 0
        return in_time and best.reads < (task.budget.reads or self.default_reads)

    def question(self, task: Task, asked: Compiled) -> Request:
        """The model for the client; InputError if a file is for an answer and there are several."""
        options = task.options
        if options["record"] and (task.budget.reads or 1) > 1:
            raise InputError("option record is for one answer; ask for one read")
        client, model, seconds = CLIENTS[options["client"]], asked.payload, self._seconds(task)
        parameters = self.own_parameters(options)
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

    def rehearse(
        self, question: Request, options: Mapping[str, Any]
    ) -> tuple[bytes, dict[str, Any]]:
        """The request, byte for byte."""
        return rehearse(question)[1], {}

    def ask(self, question: Request, options: Mapping[str, Any], tick: Callable[[], None]) -> Reply:
        """The service's reply; ``record`` keeps its answer, also one that cannot be read."""
        if options["replay"]:
            return rehearse(question, stored(options["replay"]))[0]
        token = self.token(options)
        if token is None:
            return call(question, lambda _: HttpResponse(404, b""), tick)  # it asks nobody
        from qubopuzzle.solvers.services.service import Service

        url = options["url"] or question.client.url
        proxy = options["proxy"] or self._settings.proxy
        with Service(question.terms.where, url, token, proxy, options["ca"] or "") as service:
            try:
                return call(question, service, tick, token)
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

    def token(self, options: Mapping[str, Any]) -> Token | None:
        """Of the given client, a file or the environment; None for a client that needs none."""
        client, file = CLIENTS[options["client"]], options["token_file"]
        if file is None and self._settings.token is not None:
            return self._settings.token
        if not client.tokens:
            return None
        return find_token(client.title, client.tokens, file, "docs/amplify.md")


SOLVER = AmplifySolver()
