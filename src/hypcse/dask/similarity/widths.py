"""The bandwidth of a similarity graph whose distances are in files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from distributed import Client

from hypcse._checks import warn
from hypcse._choices import Bandwidth
from hypcse.dask.client import run_tasks
from hypcse.dask.edge_files import Edges
from hypcse.graph.similarity import MAX_EXPONENT, clip_width, light_weights, root_width
from hypcse.kernels.arrays import Ids

SHIFT = 40
"""Bits of a float that are left out when distances are counted: 24 stay, of which 12 are of the mantissa."""

Counts = tuple[Ids, Ids]
"""Distinct values, ascending, and how often each is there."""


def choose_width(client: Client, parts: list[Path], bandwidth: Bandwidth, largest: float) -> float:
    """The bandwidth, or what distances say if asked for or if weights would vanish; `largest` is squared."""
    if bandwidth == "auto":
        return root_width(largest)
    if bandwidth == "median":
        return median_distance(client, parts)
    exponent = largest / float(bandwidth) ** 2
    if exponent <= MAX_EXPONENT:
        return float(bandwidth)
    width = median_distance(client, parts)
    warn(light_weights(bandwidth, "edges", exponent, width))
    return width


def median_distance(client: Client, parts: list[Path]) -> float:
    """The median of the distances above 0, exactly; 1 without any."""
    # One pass counts distances by their leading bits; a second one counts those that share them with the middle.
    bins, counts = _join_counts(run_tasks(client, count_patterns, parts, leading=None))
    total = int(counts.sum())
    if total == 0:
        return 1.0
    middle = sorted({(total - 1) // 2, total // 2})
    middle_bins = np.unique(bins[np.searchsorted(np.cumsum(counts), middle, side="right")])
    below = int(counts[bins < middle_bins[0]].sum())
    values, times = _join_counts(run_tasks(client, count_patterns, parts, leading=middle_bins))
    # There are no values between two such bins.
    at = np.searchsorted(np.cumsum(times), np.array(middle) - below, side="right")
    return clip_width(float(np.mean(np.sqrt(values[at].view(np.float64)))))


def count_patterns(path: Path, leading: Ids | None) -> Counts:
    """How often each pattern of leading bits, or whole pattern that begins with one of these, is in a part."""
    squared = Edges.read(path).weight
    patterns = np.ascontiguousarray(squared[squared > 0]).view(np.int64)
    bits = patterns >> SHIFT
    return np.unique(bits if leading is None else patterns[np.isin(bits, leading)], return_counts=True)


def _join_counts(several: Iterable[Counts]) -> Counts:
    values, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    for others, times in several:
        values, place = np.unique(np.concatenate([values, others]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([counts, times]), values.size).astype(np.int64)
    return values, counts
