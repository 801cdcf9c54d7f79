"""One seed, many named generators: a new use of randomness never shifts an old one."""

from __future__ import annotations

import hashlib

import numpy as np


def check_seed(random_state: object) -> int:
    """A non-negative integer seed."""
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise ValueError(f"random_state={random_state!r} must be an integer of at least 0.")
    return int(random_state)


def seed_of(random_state: object) -> int:
    """A seed from any `random_state` that scikit-learn accepts: an integer, None for a fresh seed, or a generator."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**62))
    return check_seed(random_state)


def generator(random_state: int, purpose: str) -> np.random.Generator:
    """The generator for one purpose under one seed."""
    words = np.frombuffer(hashlib.sha256(purpose.encode()).digest(), dtype=np.uint32)
    return np.random.default_rng([check_seed(random_state), *words.tolist()])
