"""Links that have shown nothing yet, and those of them that a fact takes."""

from __future__ import annotations

from collections.abc import Sequence

from qubopuzzle.reasons.chains import Alive, Lemma, Link, followed, needed_of
from qubopuzzle.reasons.deduction import Deduction


class Pending:
    """Links of a proof whose consequences one does not see: they are named with a later fact.

    ``steps`` are all since the first of them, each with the literals that are left before it, and
    whether it is one of them.
    """

    def __init__(self, deduction: Deduction) -> None:
        self.deduction = deduction
        self.steps: list[tuple[Link | Lemma, Alive, bool]] = []

    def add(self, step: Link | Lemma, alive: Alive) -> None:
        """One more, where these literals are left; a lemma shows what it says by itself."""
        if self.steps or isinstance(step, Link):
            self.steps.append((step, alive, isinstance(step, Link)))

    def taken(self, gone: Alive | None = None) -> list[tuple[Link, Alive]]:
        """Those that it takes for these literals to be gone, or for a contradiction; the last, too.

        They are no longer pending.
        """
        *before, (last, alive, _) = self.steps
        waiting = [at for at, (_, _, is_pending) in enumerate(before) if is_pending]
        start = self.steps[0][1]

        def suffices(some: Sequence[int]) -> bool:
            kept = [step for at, (step, _, waits) in enumerate(before) if not waits or at in some]
            *_, (_, left) = followed(self.deduction, [*kept, last], start)
            return left is None or (gone is not None and not left[gone].any())

        needed = needed_of(waiting, suffices)
        those = [before[at][:2] for at in (waiting if needed is None else needed)]
        self.steps = [
            (step, left, waits and all(step is not one for one, _ in those))
            for step, left, waits in before
        ]
        self.steps.append((last, alive, False))
        while self.steps and not self.steps[0][2]:
            self.steps.pop(0)
        return [(step, left) for step, left in [*those, (last, alive)] if isinstance(step, Link)]
