"""Inverse temperatures: where a ladder begins and ends, and how its rungs are spaced."""

import numpy as np
from scipy.special import erfcinv

from qubopuzzle.tempering.form import TemperingForm
from qubopuzzle.tempering.kernels import NEGLIGIBLE, FloatArray

MAX_REPLICAS = 64
REJECTION = 0.5
"""The share of refused exchanges at which a trip between hot and cold costs least."""
_ENTRIES = 4096


def default_beta_range(form: TemperingForm) -> tuple[float, float]:
    """Hot and cold end from the biases, in the BQM's own units.

    Hot: beta = 2 / s with s the root mean square, over variables, of their field's standard
    deviation where every unit is uniform. For the spin glass of Sherrington and Kirkpatrick
    (Phys. Rev. Lett. 35, 1975) that is its transition; above it every sampler is quick.
    Cold: (n + 10) exp(-beta d) = 1, that is, of n units about one is expected to be above its
    ground state by the typical smallest bias d (the median over variables of their smallest
    one but 0).
    """
    a = form.arrays
    n = int(a.first[-1])
    units = len(a.first) - 1
    size = np.diff(a.first)
    share = np.repeat(np.where(np.arange(units) < a.n_groups, 1 / np.maximum(size, 1), 0.5), size)
    rows = np.repeat(np.arange(len(a.start) - 1), np.diff(a.start))
    spread = np.zeros(max(n, 1))
    most = float(np.abs(a.coupling).max(initial=0)) or 1.0  # so that squares stay finite
    np.add.at(spread, rows, (a.coupling / most) ** 2 * (share * (1 - share))[a.column])
    width = float(np.sqrt(spread.mean())) * most
    least = np.full(max(n, 1), np.inf)
    np.minimum.at(least, rows, np.abs(a.coupling))
    biases = np.abs(a.linear[:n]).astype(float)
    least[:n] = np.minimum(least[:n], np.where(biases > 0, biases, np.inf))
    least = least[np.isfinite(least)]
    if not len(least):
        return 1.0, 1.0
    step = float(np.median(least))
    hot = 2 / (width or float(biases.max()))
    cold = np.log(10 + units) / step
    return hot * form.scale, max(cold, hot) * form.scale


def geometric(hot: float, cold: float, n: int) -> FloatArray:
    """``n`` rungs with a constant ratio, shape (n,); a single one is the cold end."""
    return np.geomspace(hot, cold, n) if n > 1 else np.array([cold])


def equalize_acceptance(beta: FloatArray, acceptance: FloatArray, n: int | None) -> FloatArray:
    """Rungs with the same chance of exchange between all neighbours.

    Refusals between close neighbours add up to the communication barrier, which depends on
    the range alone; rungs go where it is cut into equal parts (Syed, Bouchard-Cote,
    Deligiannidis and Doucet, "Non-reversible parallel tempering", J. R. Stat. Soc. B 84,
    2022). Between neighbours that are far apart there is more of it than refusals show: for
    energies with a normal distribution (Kofke, J. Chem. Phys. 117, 2002) a step of size x is
    accepted with chance a = erfc(x / 2), and cut into ever smaller ones it adds x / sqrt(pi).

    Args:
        beta: the rungs, shape (rungs,), rising.
        acceptance: mean chance of exchange of neighbours, shape (rungs - 1,).
        n: how many rungs to have; None for as many as refuse about half, or
            ``MAX_REPLICAS``.
    """
    if len(beta) < 2 or beta[0] == beta[-1]:
        return beta
    barrier = np.concatenate([[0], np.cumsum(_barrier(acceptance))])
    if n is None:
        parts = np.ceil(barrier[-1] / _barrier(np.array([1 - REJECTION]))[0] - 1e-9)
        n = int(np.clip(parts + 1, 2, MAX_REPLICAS))
    wanted = np.linspace(0, barrier[-1], n)
    spaced = np.exp(np.interp(wanted, barrier, np.log(beta)))
    spaced[0], spaced[-1] = beta[0], beta[-1]
    return np.asarray(spaced)


def _barrier(acceptance: FloatArray) -> FloatArray:
    """The communication barrier between neighbours; acceptances are clipped to 0.001 .. 0.999."""
    clipped = np.clip(acceptance, 1e-3, 1 - 1e-3)
    return np.asarray(2 / np.sqrt(np.pi) * erfcinv(clipped))


def tables(beta: FloatArray, *, exact: bool) -> tuple[FloatArray, FloatArray]:
    """exp(-beta d) for small integers d, shape (rungs, entries), and where it is negligible.

    Without ``exact`` energies there are no entries, only the bounds, shape (rungs,).
    """
    with np.errstate(divide="ignore"):
        cut = NEGLIGIBLE / beta
    entries = int(min(_ENTRIES, np.ceil(cut.max()) + 1)) if exact else 0
    table = np.exp(-np.outer(beta, np.arange(entries)))
    table[np.arange(entries) >= cut[:, None]] = 0
    return table, cut
