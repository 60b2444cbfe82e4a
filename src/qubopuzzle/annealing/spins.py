"""Couplings of bits alone: what a flip adds is one number a bit, which flips keep true.

Two searches work on it. One is that of ``cooling``, where a sweep looks at one number a bit, and at
neighbours only where a bit flips. The other, tabu search, makes the best flip that is not tabu;
when it came to nothing better for long, it flips some bits at random and goes on: Palubeckis,
"Iterated tabu search for the unconstrained binary quadratic optimization problem", Informatica 17
(2006). It is far better where most flips cost a penalty.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.annealing import kernels
from qubopuzzle.annealing.kernels import (
    DESCENT_ROUNDS,
    LEAST,
    LESS,
    UNLIKELY,
    ExtraArrays,
    FloatArray,
    ModelArrays,
    StateArrays,
    change_field,
    objective_of,
    temperature_of,
    worth_of,
)
from qubopuzzle.jit import called, inlined, kernel, pointers, version_of
from qubopuzzle.model import IntArray
from qubopuzzle.model.data import summed

_TENURE = 10
"""Moves for which a bit that was flipped is tabu, and up to twice as many."""
_PATIENCE = 5
"""Moves for each bit without anything better, after which some are flipped at random."""
_FEWEST, _MOST = 8, 3
"""Those are one of so many bits, at least and at most."""


class SpinArrays(NamedTuple):
    """The couplings of bits.

    Attributes:
        start, other: the bits that each is coupled with, (bits + 1,) and (couplings,).
        coupling: what a flip of a bit adds to that of the other if both are equal, and takes from
            it if they are not, (couplings,).
    """

    start: IntArray
    other: NDArray[np.int32]
    coupling: FloatArray


class SpinState(NamedTuple):
    """The bits of one read.

    Attributes:
        spin: 1 or -1; gain: what a flip adds, (bits,) each.
        until: the move up to which a bit is tabu, (bits,).
        level: the least objective since bits were flipped at random, (1,).
        counts: moves so far, and moves since that, (2,).
    """

    spin: FloatArray
    gain: FloatArray
    until: IntArray
    level: FloatArray
    counts: IntArray


def spins_of(extras: ExtraArrays, sizes: IntArray) -> SpinArrays | None:
    """The couplings of choices of these sizes; None unless all have two values."""
    n = len(sizes)
    if not n or (sizes != 2).any():
        return None
    literal = np.repeat(np.arange(2 * n), np.diff(extras.pair_start))
    sign = 1 - 2 * ((literal ^ extras.pair_other) & 1)
    pairs = literal >> 1, extras.pair_other >> 1
    couplings = summed(csr_array((sign * extras.pair_cost, pairs), shape=(n, n)))
    start, other = couplings.indptr.astype(np.int64), couplings.indices.astype(np.int32)
    return SpinArrays(start, other, couplings.data)


def no_moves(n_bits: int) -> SpinState:
    """What a read of so many bits begins with."""
    counts, until = np.zeros(2, dtype=np.int64), np.zeros(n_bits, dtype=np.int64)
    return SpinState(np.zeros(n_bits), np.zeros(n_bits), until, np.full(1, math.inf), counts)


@called
def read_bits(a: Any, s: Any, x: Any, r: Any) -> None:
    """Bring the spins up to the values."""
    for bit in range(a.n_choices):
        value = s.value[bit]
        r.spin[bit] = 2.0 * value - 1.0
        now = worth_of(x, s, x.cost, 2 * bit + value)
        r.gain[bit] = worth_of(x, s, x.cost, 2 * bit + 1 - value) - now


@called
def write_bits(a: Any, s: Any, x: Any, r: Any) -> None:
    """Bring the values up to the spins."""
    for bit in range(a.n_choices):
        value = int(r.spin[bit] > 0.0)
        if value != s.value[bit]:
            change_field(x, s, 2 * bit + 1 - value, 2 * bit + value)
            s.value[bit] = value


@called
def flip(b: Any, r: Any, bit: int) -> None:
    """Flip a bit."""
    before = r.spin[bit]
    r.spin[bit] = -before
    r.gain[bit] = -r.gain[bit]
    for e in range(b.start[bit], b.start[bit + 1]):
        other = b.other[e]
        r.gain[other] += b.coupling[e] * before * r.spin[other]


@inlined
def accepts(gain: float, beta: float, rng: Any) -> bool:
    """Whether a flip that adds so much is made, by the rule of Metropolis.

    One that adds nothing always is: where many do, states are walked through twice as fast as by
    the heat bath.
    """
    if gain <= 0.0:
        return True
    over, drawn = gain * beta, rng.random()
    # By the first terms of its series exp(over) is at least so much, found sooner.
    likely = drawn * (1.0 + over * (1.0 + 0.5 * over)) < 1.0
    return bool(likely and drawn < math.exp(-over))


@inlined
def keep_spins(a: Any, s: Any, r: Any, objective: float) -> None:
    """Keep the bits if their objective is the least so far."""
    if objective < s.worth[LEAST] - LESS:
        s.worth[LEAST] = objective
        for bit in range(a.n_choices):
            s.best[bit] = r.spin[bit] > 0.0


@called
def descend(a: Any, b: Any, r: Any) -> float:
    """Flip bits as long as one alone is better; what that adds."""
    added, total = -1.0, 0.0
    for _ in range(DESCENT_ROUNDS):
        if added >= -LESS:
            break
        added = 0.0
        for bit in range(a.n_choices):
            if r.gain[bit] < -LESS:
                added += r.gain[bit]
                flip(b, r, bit)
        total += added
    return total


@kernel
def run_spins(
    arrays: tuple[Any, Any, Any, Any],
    extras: Any,
    spins: tuple[Any, Any],
    rng: Any,
    sweeps: tuple[int, int, int],
    ends: tuple[float, float],
    _version: int = version_of(kernels),
) -> None:
    """Some of a read's sweeps, as ``run_cooling`` makes them."""
    model, state, _, _ = arrays
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    x = pointers(ExtraArrays, extras)
    b, r = pointers(SpinArrays, spins[0]), pointers(SpinState, spins[1])
    begin, end, n_sweeps = sweeps
    read_bits(a, s, x, r)
    objective = objective_of(a, s, x)
    for sweep in range(begin, end):
        beta = 1.0 / temperature_of(ends, sweep, n_sweeps)
        never = UNLIKELY / beta
        for bit in range(a.n_choices):
            gain = r.gain[bit]
            if gain < never and accepts(gain, beta, rng):
                objective += gain
                flip(b, r, bit)
        keep_spins(a, s, r, objective)
    if end >= n_sweeps:
        objective += descend(a, b, r)
    keep_spins(a, s, r, objective)
    write_bits(a, s, x, r)


@called
def best_flip(a: Any, r: Any, move: int, allowed: float) -> int:
    """The bit whose flip adds least, if it is not tabu or adds less than ``allowed``; or -1."""
    best, least = -1, math.inf
    for bit in range(a.n_choices):
        gain = r.gain[bit]
        if gain < least and (r.until[bit] <= move or gain < allowed):
            best, least = bit, gain
    return best


@called
def flip_some(a: Any, b: Any, r: Any, rng: Any) -> float:
    """Flip some bits at random; what that adds."""
    added, least = 0.0, a.n_choices // _FEWEST
    some = 1 + least + int(rng.random() * (a.n_choices // _MOST - least + 1))
    for _ in range(some):
        bit = int(rng.random() * a.n_choices)
        added += r.gain[bit]
        flip(b, r, bit)
    return added


@kernel
def run_tabu(
    arrays: tuple[Any, Any, Any, Any],
    extras: Any,
    spins: tuple[Any, Any],
    rng: Any,
    moves: int,
    _version: int = version_of(kernels),
) -> None:
    """So many moves of a read, which goes on from its state; ``best`` is the best one."""
    model, state, _, _ = arrays
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    x = pointers(ExtraArrays, extras)
    b, r = pointers(SpinArrays, spins[0]), pointers(SpinState, spins[1])
    read_bits(a, s, x, r)
    objective = objective_of(a, s, x)
    tenure, patience = min(_TENURE, a.n_choices // 4), _PATIENCE * a.n_choices
    for _ in range(moves):
        bit = best_flip(a, r, r.counts[0], r.level[0] - objective - LESS)
        if bit < 0:
            bit = int(rng.random() * a.n_choices)
        objective += r.gain[bit]
        flip(b, r, bit)
        r.counts[0] += 1
        r.counts[1] += 1
        r.until[bit] = r.counts[0] + tenure + int(rng.random() * tenure)
        if objective < r.level[0] - LESS:
            r.level[0], r.counts[1] = objective, 0
            keep_spins(a, s, r, objective)
        elif r.counts[1] >= patience:
            objective += flip_some(a, b, r, rng)
            r.level[0], r.counts[1] = objective, 0
    write_bits(a, s, x, r)
