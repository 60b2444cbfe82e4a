"""What solvers share that D-Wave runs: options, token, parameters, and the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from qubopuzzle.base.writing import write_whole
from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.solvers.base import Option, installed_version, of_the_run
from qubopuzzle.solvers.dwave.settings import VARIABLE, address_of, profile, token_of
from qubopuzzle.solvers.services.solver import SERVICE_OPTIONS, ServiceSolver, stored

if TYPE_CHECKING:
    from qubopuzzle.solvers.dwave.call import Question
    from qubopuzzle.solvers.services.call import Reply
    from qubopuzzle.solvers.services.credentials import Token

OPTIONS = (
    Option("patience", float, 30.0, "seconds for queue and network besides", 0.1, 86_400),
    *SERVICE_OPTIONS,
)


class SapiSolver(ServiceSolver):
    """A solver behind D-Wave's interface (SAPI); one call has all reads."""

    package = "dwave-system"
    extra = "dwave"
    variable = VARIABLE
    parameters: ClassVar[tuple[str, ...]] = ()
    """Parameters of D-Wave's solvers that are no option of ours."""
    reserved: ClassVar[tuple[str, ...]] = ()
    """Parameters that are settings of the run."""

    def check_parameters(self, options: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
        """InputError for one that D-Wave's solvers have not, or that is given otherwise."""
        for name in parameters:
            if name in self.reserved:
                raise InputError(f"solver {self.name}: {of_the_run(name, parameters[name])}")
            known = self.known_parameters()
            if name not in known:
                hint = did_you_mean(name, [*known, *options], f"it has: {', '.join(known)}")
                raise InputError(f"solver {self.name} has no option {name!r}; {hint}")

    def known_parameters(self) -> tuple[str, ...]:
        """Parameters that there may be."""
        return self.parameters

    def token(self, options: Mapping[str, Any]) -> Token | None:
        """That of an option, the environment or the profile."""
        return token_of(options)

    def where(self, options: Mapping[str, Any]) -> str:
        """Who answers, for messages."""
        if options["replay"]:
            return "the stored answer"
        return "D-Wave" + (f" at {options['url']}" if options["url"] else "")

    def ask(
        self, question: Question, options: Mapping[str, Any], tick: Callable[[], None]
    ) -> Reply:
        """The reply; ``record`` keeps what D-Wave's client has made of the answers."""
        if options["replay"]:
            return question.read(stored(options["replay"]))
        reply, body = self.answer(question, options, tick)
        if options["record"]:
            write_whole(Path(options["record"]), body)
        return reply

    def answer(
        self, question: Question, options: Mapping[str, Any], tick: Callable[[], None]
    ) -> tuple[Reply, bytes]:
        """The service's reply, and the bytes that it was read from."""
        from qubopuzzle.solvers.dwave.call import call
        from qubopuzzle.solvers.services.service import Service

        token, where = token_of(options), question.terms.where
        proxy = options["proxy"] or profile().get("proxy", "")
        with Service(
            where, address_of(options), token, proxy, options["ca"] or "", once=True
        ) as service:
            return call(question, service, tick, token)

    def versions(self) -> dict[str, str]:
        """Versions of D-Wave's packages."""
        names = ("dwave-system", "dwave-cloud-client", "minorminer")
        return {name: installed_version(name) for name in names}
