"""One seed, many named generators: a new use of randomness never shifts an old one."""

from __future__ import annotations

import hashlib

import numpy as np


def check_seed(random_state: object) -> int:
    """A non-negative integer seed."""
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise ValueError(f"random_state={random_state!r} must be an integer of at least 0.")
    return int(random_state)


def generator(random_state: int, purpose: str) -> np.random.Generator:
    """The generator of one purpose under one seed.

    >>> bool(generator(0, "pairs").integers(100) == generator(0, "pairs").integers(100))
    True
    """
    words = np.frombuffer(hashlib.sha256(purpose.encode()).digest(), dtype=np.uint32)
    return np.random.default_rng([check_seed(random_state), *words.tolist()])
