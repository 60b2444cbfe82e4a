"""What the plans of Amplify AE hold.

https://amplify.fixstars.com/en/docs/amplify/v1/amplify_ae.html, "Features of Amplify AE".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Plan:
    """``variables`` (fully connected), seconds of a solve, and GPUs; inf is no limit."""

    variables: float
    seconds: float
    gpus: float

    def holds(self, needed: Plan) -> bool:
        """Whether it has all of that."""
        return (
            needed.variables <= self.variables
            and needed.seconds <= self.seconds
            and needed.gpus <= self.gpus
        )

    def __str__(self) -> str:
        """What it holds, for people."""
        if self.variables == inf:
            return "no limits"
        solving = f", {self.seconds:g} s" if self.seconds < inf else ""
        return f"{self.variables:,.0f} variables{solving}, {self.gpus:g} GPU(s)"


PLANS: Mapping[str, Plan] = {
    "free": Plan(8_192, 10, 1),
    "standard": Plan(65_536, inf, 8),
    "premium": Plan(131_072, inf, 8),
    "enterprise": Plan(inf, inf, inf),
}
