"""How likely counts are. To import scipy.stats takes a second, in every worker."""

import numpy as np
from scipy.special import chdtrc


def chance(observed, expected):
    """The p-value of Pearson's chi-square test, with one degree of freedom less than counts."""
    assert np.isclose(np.sum(observed), np.sum(expected), rtol=1e-8)
    statistic = ((observed - expected) ** 2 / expected).sum()
    return chdtrc(len(observed) - 1, statistic)
