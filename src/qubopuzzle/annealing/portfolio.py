"""Parameters of the annealer, those that suit a form, and how long successive reads are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from qubopuzzle.annealing.form import AnnealingForm


@dataclass(frozen=True, slots=True)
class AnnealingParameters:
    """How to anneal.

    ``beta`` is the inverse temperature in units of a penalty, ``increment`` what half a
    sweep adds to a broken constraint's weight, ``decay`` what it leaves of the added
    weight, ``focus`` the share of units under no broken constraint that it leaves out.
    ``propagation`` bounds how many terms of constraints the propagating sweeps look at, for each
    literal of a unit that is redrawn; 0 is none of them, as is a ``focus`` of 0. After a pass
    that breaks no constraint the objective's share of the costs is multiplied by ``raised``, after
    another one by ``lowered``.
    """

    beta: float
    increment: float = 0.15
    decay: float = 0.98
    focus: float = 0.97
    propagation: float = 1
    raised: float = 1.005
    lowered: float = 0.995


PORTFOLIO = (
    AnnealingParameters(6, 0.15, 0.98, 0.97),
    AnnealingParameters(10, 0.1, 0.99, 0.97),
    AnnealingParameters(20, 0.1, 0.995, 0.97),
    AnnealingParameters(20, 0.2, 0.98, 0.9),
)
"""Parameters of successive restarts, in a cycle."""
CHAIN_PORTFOLIO = (
    AnnealingParameters(8, 0.5, 0.88, 0.99, 0.4),
    AnnealingParameters(27, 0.32, 0.927, 0.985, 0.4),
)
"""The same of models with chains: weights rise fast there, and are forgotten fast."""
OBJECTIVE_PORTFOLIO = tuple(
    replace(parameters, focus=0.5, raised=raised, lowered=lowered)
    for raised, lowered in ((1.1, 0.999), (1.005, 0.995))
    for parameters in PORTFOLIO
)
"""The same where there is an objective: units under no broken constraint matter, too.

In four reads one in a hundred passes ends valid, which suits models whose valid states are rare,
and in four half of them. By Luby's sequence the longest reads come at the same place of each four.
"""
HOT = AnnealingParameters(1, 0.02, 0.98, 0.5)
SCALED_PORTFOLIO = tuple(parameters for cold in PORTFOLIO for parameters in (HOT, cold))
"""The same where rows have large coefficients: they are hit by chance, in a hot state."""
_SLOW = AnnealingParameters(10, 0.05, 0.99, 0.95)
_FAST = AnnealingParameters(10, 0.1, 0.97, 0.9)
_COLD = AnnealingParameters(15, 0.07, 0.99, 0.9)
VARIED_PORTFOLIO = (_FAST, _SLOW, _FAST, _COLD, _COLD, _SLOW, _FAST, _SLOW)
"""The same where nothing is known of a model: it has several forms.

A large timetable's energy stays high while weights are raised much. Where they are raised less it
falls to a tenth within a few hundred sweeps: soon if they fade fast, lower if they fade slowly.
Small timetables are solved sooner in a colder state; it has one of six sweeps.
"""
_FIRST = AnnealingParameters(10, 0.15, 0.97, 0.97)
"""The same of reads that choose one of several forms: weights that learn and fade fast solve what
is easy, and energies of forms differ."""
SWEEPS = 1_000
"""Of a read, times ``luby`` of its number, where it is not said how many."""
_A_LITERAL, _MOST_SWEEPS = 4, 16_000
"""The same of a form that is one of several: so many for each literal, and at most."""
COOLING_SWEEPS, FIRST_COOLING = 2_000, 100
"""The same of reads whose temperature falls, and of the first one if only time bounds them."""


class Portfolio(NamedTuple):
    """Parameters of successive restarts, in a cycle, their sweeps, and what they suit.

    ``first`` are those of reads of ``SWEEPS`` that choose one of several forms.
    """

    suits: str
    parameters: Sequence[AnnealingParameters]
    sweeps: int = SWEEPS
    first: AnnealingParameters | None = None


def portfolio_for(form: AnnealingForm, n_forms: int = 1) -> Portfolio:
    """The parameters that suit a form, one of several of the same problem."""
    if (extras := form.extras) is not None and extras.has_objective:
        return Portfolio("an objective", OBJECTIVE_PORTFOLIO)
    if extras is not None and extras.n_scaled:
        return Portfolio("rows with large coefficients", SCALED_PORTFOLIO)
    if n_forms > 1:
        sweeps = min(max(SWEEPS, _A_LITERAL * form.model.n_literals), _MOST_SWEEPS)
        return Portfolio("several formulations", VARIED_PORTFOLIO, sweeps, _FIRST)
    if form.n_chains:
        return Portfolio("chains of precedences", CHAIN_PORTFOLIO)
    return Portfolio("constraints alone", PORTFOLIO)


def luby(i: int) -> int:
    """1, 1, 2, 1, 1, 2, 4, 1, ...: lengths of restarts, from i = 1.

    Within a logarithmic factor as good as the best fixed length, which nobody knows
    beforehand: Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms",
    Information Processing Letters 47 (1993).
    """
    while True:
        power = 1 << i.bit_length() - 1  # the largest that is at most i
        if i == 2 * power - 1:
            return power
        i -= power - 1


def luby_sum(n: int) -> int:
    """The sum of the first ``n`` of these: of 2**k - 1 of them it is k * 2**(k - 1).

    >>> [luby_sum(n) for n in range(8)]
    [0, 1, 2, 4, 5, 6, 8, 12]
    """
    total = 0
    while n:
        k = (n + 1).bit_length() - 1
        total += k << (k - 1)
        n -= (1 << k) - 1
    return total
