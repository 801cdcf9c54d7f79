"""A table in blocks of rows: the scale of its columns, and the bandwidth of the distances between its rows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from distributed import Client
from numpy.typing import NDArray

from hypcse._arrays import check_unmasked
from hypcse._checks import check_features, check_finite, warn
from hypcse._choices import Bandwidth, Metric, Scale
from hypcse.dask.client import first_rows, run_blocks, run_tasks
from hypcse.dask.edge_files import Edges, mix_bits
from hypcse.graph.features import Shifts, shifts_between
from hypcse.graph.scaling import KINDS, MinMaxScaling, Scaling, StandardScaling, shifted
from hypcse.graph.similarity import MAX_EXPONENT, clip_width, light_weights, root_width
from hypcse.kernels.arrays import Ids, Reals

BLOCK_BYTES = 16_000_000
"""Bytes of a block of rows that is cut out of a larger one."""
MAX_RANKED = 100_000
"""Rows that quantiles are learned from."""
TRAILING = 36
"""Bits of a squared distance by which it is not counted at first; about a million patterns of leading bits remain."""
TILE = 2**15
"""Values that are mixed at a time, so that they stay in a core's cache."""


class Columns(NamedTuple):
    """The smallest and largest value of each column of some rows, in the precision of the table, and their checksum."""

    n_rows: int
    low: NDArray[np.floating]
    high: NDArray[np.floating]
    checksum: int


def as_rows(X: Any) -> da.Array:
    """The table as a dask.array of numbers with blocks of whole rows."""
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array(lengths=True)
    if not isinstance(X, da.Array):
        features = check_features(X)
        return da.from_array(features, chunks=(_rows_of_block(features.shape[1], features.dtype.itemsize), -1))
    if X.ndim != 2 or X.dtype.kind not in "fiubmM":
        raise ValueError(f"X must be two-dimensional numbers, got {X.dtype} of {X.ndim} dimensions.")
    if np.isnan(X.chunks[0]).any():
        X = X.compute_chunk_sizes()
    if 0 in X.shape:
        raise ValueError(f"X has shape {X.shape}; at least one row and one column are needed.")
    X = X.rechunk({0: tuple(size for size in X.chunks[0] if size), 1: -1})
    most = _rows_of_block(X.shape[1], X.dtype.itemsize)
    return X.rechunk({0: most}) if max(X.chunks[0]) > 4 * most else X


def _rows_of_block(n_columns: int, itemsize: int) -> int:
    return max(1, BLOCK_BYTES // (n_columns * itemsize))


def checked_block(block: Any, first: int) -> NDArray[np.floating]:
    """A block in the precision of the table; raise with the row of the table if it has no finite number."""
    values = np.asarray(block)
    width = values.shape[1]
    check_finite("X", values, lambda entry: (first + entry // width, entry % width))
    check_unmasked("X", block)
    return check_features(values)


def column_facts(block: Any, first: int) -> Columns:
    """Ends and checksum of a block."""
    features = checked_block(block, first)
    return Columns(len(features), features.min(axis=0), features.max(axis=0), checksum(features, first))


def checksum(features: NDArray[np.floating], first: int) -> int:
    """64 bits of the values of a block from row `first` of its table; those of blocks add up modulo 2^64."""
    columns = mix_bits(~np.arange(features.shape[1], dtype=np.uint64))
    step, total = max(1, TILE // columns.size), 0
    for start in range(0, len(features), step):
        # Adding 0.0 makes -0.0 and 0.0 the same.
        values = np.add(features[start : start + step], 0.0, dtype=np.float64).view(np.uint64)
        rows = mix_bits(np.arange(first + start, first + start + len(values), dtype=np.uint64))
        total += int(mix_bits(values + rows[:, None] + columns).sum(dtype=np.uint64))
    return total % 2**64


def join_columns(facts: Iterable[Columns]) -> Columns:
    """Ends and checksum of all blocks, in any order."""
    n_rows, low, high, checksums = zip(*facts, strict=True)
    return Columns(sum(n_rows), np.min(low, axis=0), np.max(high, axis=0), sum(checksums) % 2**64)


def learn_scaling(
    client: Client, rows: da.Array, scale: Scale, metric: Metric, columns: Columns, sample: NDArray[np.floating]
) -> Scaling:
    """The scale of a table: "minmax" by the ends of its columns, "standard" by reading it again, others by a sample."""
    shifts = shifts_between(columns.low, columns.high, scale, metric)
    ends = np.stack([columns.low, columns.high])
    if scale == "minmax":
        return shifted(MinMaxScaling.learn(shifts.cast(ends)), shifts)
    if scale == "standard":
        return shifted(_standard(run_blocks(client, block_moments, rows, shifts=shifts)), shifts)
    if scale == "none":
        # Other scales multiply such a column.
        with np.errstate(over="ignore", invalid="ignore"):
            wrong = ~np.isfinite(np.diff((ends.astype(np.float64) - shifts.offset).astype(np.float32), axis=0)[0])
        if wrong.any():
            column = int(wrong.argmax())
            raise ValueError(
                f"column {column} of X reaches from {ends[0, column]:.3g} to {ends[1, column]:.3g}, too far for "
                f"float32 (limit {np.finfo(np.float32).max:.3g}). Divide that column by a constant first."
            )
    return shifted(KINDS[scale].learn(shifts.cast(sample, KINDS[scale].precision)), shifts)


def block_moments(block: Any, first: int, shifts: Shifts) -> tuple[int, Reals, Reals]:
    """Number of rows of a block, and means and variances of its columns in single precision, as `Shifts` casts it."""
    from sklearn.preprocessing import StandardScaler

    features = shifts.cast(checked_block(block, first))
    fitted = StandardScaler().fit(features)
    return len(features), fitted.mean_, fitted.var_


def _standard(moments: Iterable[tuple[Any, ...]]) -> StandardScaling:
    """As scikit-learn's `StandardScaler` has it: a column whose variance is rounding is constant, and not stretched."""
    sizes, means, variances = map(np.array, zip(*moments, strict=True))
    n_rows, mean = sizes.sum(), np.average(means, axis=0, weights=sizes)
    variance = np.average(variances + np.square(means - mean), axis=0, weights=sizes)
    precision = np.finfo(np.float64).eps
    rounding = n_rows * precision * variance + np.square(n_rows * mean * precision)
    deviation = np.where(variance <= rounding, 1.0, np.sqrt(variance))
    return StandardScaling(mean.astype(np.float32), deviation.astype(np.float32))


def sample_rows(client: Client, rows: da.Array, chosen: Ids) -> NDArray[np.floating]:
    """Some rows of the table, by their ascending numbers, in its precision."""
    edges = np.searchsorted(chosen, [*first_rows(rows), rows.shape[0]])
    own = [chosen[low:high] for low, high in pairwise(edges)]
    parts = run_blocks(client, lambda block, first, rows: checked_block(block, first)[rows - first], rows, own)
    return np.concatenate(list(parts))


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
    middle = np.array([(total - 1) // 2, total // 2])
    leading = bins[np.searchsorted(np.cumsum(counts), middle, side="right")]
    values, times = _join_counts(run_tasks(client, count_patterns, parts, leading=leading))
    # There are no values between two such bins.
    below = int(counts[bins < leading[0]].sum())
    at = np.searchsorted(np.cumsum(times), middle - below, side="right")
    return clip_width(float(np.mean(np.sqrt(values[at].view(np.float64)))))


def count_patterns(path: Path, leading: Ids | None) -> tuple[Ids, Ids]:
    """How often each pattern of leading bits, or whole pattern that begins with one of these, is in a part."""
    squared = Edges.read(path).weight
    patterns = np.ascontiguousarray(squared[squared > 0]).view(np.int64)
    bits = patterns >> TRAILING
    return np.unique(bits if leading is None else patterns[np.isin(bits, leading)], return_counts=True)


def _join_counts(several: Iterable[tuple[Ids, Ids]]) -> tuple[Ids, Ids]:
    values, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    for others, times in several:
        values, place = np.unique(np.concatenate([values, others]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([counts, times]), values.size).astype(np.int64)
    return values, counts
