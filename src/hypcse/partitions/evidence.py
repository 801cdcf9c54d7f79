"""The verdict on data, and how it follows from a comparison with chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hypcse._choices import Evidence
from hypcse.kernels.arrays import Reals

LEAST_SCORE, CLEAR_SCORE = 3.0, 6.0
"""Standard deviations above chance from which structure is found, and from which it is clear."""
LEAST_DEVIATION = 0.3
"""Smallest standard deviation, over draws, of the scale that stands out most; a few draws may be alike by luck."""
MIN_POINTS = 20
"""With fewer points or edges, chance can produce any structure."""


@dataclass(frozen=True)
class Structure:
    """How far data lie beyond chance.

    Attributes
    ----------
    word
        "clear", "weak", "none", or "untested" if there is too little to compare: fewer than 20 points or edges, or
        sparse distances.
    score
        By how many standard deviations the data exceed the mean of chance.
    excess
        The same in doublings: 1.0 means parts twice as far apart (for a table), or twice as much saved (for a graph).
    rests_on
        Columns of a table, by name or by position, without which there is no structure. If there is structure, this is
        at most one column. If there is none, these are columns of few different values, such as a coin or a year,
        that alone set rows apart, which does not count.

    Examples
    --------
    >>> structure = Structure("weak", 4.0, 1.2)
    >>> structure.found, str(structure)
    (True, 'weak structure beyond chance (4.0 standard deviations)')
    """

    word: Evidence
    score: float
    excess: float
    rests_on: tuple[str | int, ...] = ()

    @property
    def found(self) -> bool:
        """Whether clusters are worth showing; True if untested."""
        return self.word != "none"

    def __str__(self) -> str:
        if self.word == "untested":
            return f"structure untested: this needs {MIN_POINTS} different points or edges, and distances of all pairs"
        named = "no structure" if self.word == "none" else f"{self.word} structure"
        columns = f", but for {', '.join(map(str, self.rests_on))}" if self.rests_on and not self.found else ""
        return f"{named} beyond chance ({self.score:.1f} standard deviations){columns}"


UNTESTED = Structure("untested", 0.0, 0.0)


def judge(value: Reals, chance: Reals, *, least: float, spread: float) -> Structure:
    """Compare the data with the draws, each at that scale, in doublings, where it exceeds the mean of others most."""
    mean = chance.mean(axis=0)
    deviation = np.maximum(chance.std(axis=0, ddof=1), spread)
    others = (chance.sum(axis=0) - chance) / (len(chance) - 1)
    by_chance = ((chance - others) / deviation).max(axis=1)
    excess = float((value - mean).max())
    beyond = float(((value - mean) / deviation).max() - by_chance.mean())
    score = beyond / max(float(by_chance.std(ddof=1)), LEAST_DEVIATION)
    if score < LEAST_SCORE or excess < least:
        return Structure("none", score, excess)
    return Structure("clear" if score >= CLEAR_SCORE else "weak", score, excess)
