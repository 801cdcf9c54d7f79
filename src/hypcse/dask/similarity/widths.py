"""The bandwidth of a similarity graph whose distances are in files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse._checks import warn
from hypcse._choices import Bandwidth
from hypcse.dask.edges.files import read_edges
from hypcse.dask.engine import run_tasks
from hypcse.graph.similarity import MAX_EXPONENT, MIN_WEIGHT, clip_width, root_width

SHIFT = 40
"""Bits of a float that are left out when distances are counted: 24 stay, of which 12 are of the mantissa."""

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Distinct values, ascending, and how often each is there."""


def choose_width(client: distributed.Client, parts: list[Path], bandwidth: Bandwidth, largest: float) -> float:
    """The bandwidth given, or what the distances say where that is asked for, or where weights would vanish.

    largest : the largest squared distance.
    """
    if bandwidth == "auto":
        return root_width(largest)
    if bandwidth == "median":
        return median_distance(client, parts)
    exponent = largest / float(bandwidth) ** 2
    if exponent <= MAX_EXPONENT:
        return float(bandwidth)
    width = median_distance(client, parts)
    warn(
        f"bandwidth={bandwidth} makes edges lighter than {MIN_WEIGHT} (the lightest about "
        f"10^-{exponent / math.log(10):.4g}), too light to compute with. The median distance between neighbours, "
        f"bandwidth={width:.6g}, is used instead; pass bandwidth='median' to choose it yourself."
    )
    return width


def median_distance(client: distributed.Client, parts: list[Path]) -> float:
    """The median of the distances above 0, exactly; 1 without any.

    One pass counts distances by their leading bits; a second one counts those that share them with the middle.
    """
    bins, counts = _join_counts(run_tasks(client, count_leading, parts))
    total = int(counts.sum())
    if total == 0:
        return 1.0
    middle = sorted({(total - 1) // 2, total // 2})
    wanted = np.unique(bins[np.searchsorted(np.cumsum(counts), middle, side="right")])
    below = int(counts[bins < wanted[0]].sum())
    values, times = _join_counts(run_tasks(client, count_values, parts, [wanted] * len(parts)))
    # Of two bins the values between them are none.
    at = np.searchsorted(np.cumsum(times), np.array(middle) - below, side="right")
    return clip_width(float(np.mean(np.sqrt(values[at].view(np.float64)))))


def count_leading(path: Path) -> Counts:
    """How often each pattern of leading bits is among the squared distances above 0 of a part."""
    return np.unique(_patterns(path) >> SHIFT, return_counts=True)


def count_values(path: Path, wanted: NDArray[np.int64]) -> Counts:
    """How often each squared distance is there, of those that begin with these bits; as integers, in the same order."""
    patterns = _patterns(path)
    return np.unique(patterns[np.isin(patterns >> SHIFT, wanted)], return_counts=True)


def _patterns(path: Path) -> NDArray[np.int64]:
    squared = read_edges(path).weight
    return np.ascontiguousarray(squared[squared > 0]).view(np.int64)


def _join_counts(several: Iterable[Counts]) -> Counts:
    values, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    for others, times in several:
        both, place = np.unique(np.concatenate([values, others]), return_inverse=True)
        added = np.zeros(both.size, np.int64)
        np.add.at(added, place, np.concatenate([counts, times]))
        values, counts = both, added
    return values, counts
