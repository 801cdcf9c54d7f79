"""A table in blocks of rows, and the scale of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import dask.array as da
import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_features, check_finite
from hypcse._choices import Scale
from hypcse.dask.engine import first_rows, run_blocks
from hypcse.graph.features import KINDS, Scaling
from hypcse.graph.features.precision import single_precision
from hypcse.graph.features.scales import MinMaxScaling, StandardScaling

BLOCK_BYTES = 16_000_000
"""Bytes of a block of rows that is cut out of a larger one."""
MAX_RANKED = 100_000
"""Rows that quantiles are learned from."""


class Columns(NamedTuple):
    """What is known of the columns of some rows, each (d,) but the first."""

    n_rows: int
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]


def as_rows(X: Any) -> da.Array:
    """The table as a dask.array of numbers with blocks of whole rows."""
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array(lengths=True)
    if not isinstance(X, da.Array):
        features = check_features(X)
        return da.from_array(features, chunks=(_rows_of_block(features.shape[1], features.dtype.itemsize), -1))
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise ValueError(
            f"X must be two-dimensional numbers (points x features), got {X.dtype} of {X.ndim} dimensions."
        )
    if np.isnan(X.chunks[0]).any():
        X = X.compute_chunk_sizes()
    if 0 in X.shape:
        raise ValueError(f"X has shape {X.shape}; at least one row and one column are needed.")
    if 0 in X.chunks[0]:
        X = X.rechunk({0: tuple(size for size in X.chunks[0] if size)})
    whole = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    most = _rows_of_block(whole.shape[1], whole.dtype.itemsize)
    return whole.rechunk({0: most}) if max(whole.chunks[0]) > 4 * most else whole


def _rows_of_block(n_columns: int, itemsize: int) -> int:
    return max(1, BLOCK_BYTES // (n_columns * itemsize))


def checked_block(block: Any, first: int) -> NDArray[np.float32]:
    """A block in single precision; raise with the row of the table where it is no finite number."""
    values = np.asarray(block)
    width = values.shape[1]
    check_finite("X", values, lambda entry: (first + entry // width, entry % width))
    return single_precision(check_features(values))


def column_facts(block: Any, first: int) -> Columns:
    """What is known of the columns of a block."""
    from sklearn.preprocessing import StandardScaler

    features = checked_block(block, first)
    fitted = StandardScaler().fit(features)
    return Columns(len(features), features.min(axis=0), features.max(axis=0), fitted.mean_, fitted.var_)


def join_columns(facts: Iterable[Columns]) -> Columns:
    """What is known of the columns of all blocks, in their order."""
    several = iter(facts)
    found = next(several)
    for other in several:
        n_rows, share = found.n_rows + other.n_rows, other.n_rows / (found.n_rows + other.n_rows)
        apart = other.mean - found.mean
        spread = (1 - share) * found.variance + share * other.variance + share * (1 - share) * np.square(apart)
        low, high = np.minimum(found.low, other.low), np.maximum(found.high, other.high)
        found = Columns(n_rows, low, high, found.mean + share * apart, spread)
    return found


def learn_scaling(scale: Scale, columns: Columns, sample: NDArray[np.float32]) -> Scaling:
    """The scale of a table: of quantiles, by a sample of its rows; of all else, by what is known of its columns."""
    ends = np.stack([columns.low, columns.high])
    if not np.isfinite(columns.high - columns.low).all():
        column = int(np.flatnonzero(~np.isfinite(columns.high - columns.low))[0])
        raise ValueError(
            f"column {column} of X reaches from {columns.low[column]:.3g} to {columns.high[column]:.3g}, too far for "
            f"float32 (limit {np.finfo(np.float32).max:.3g}). Divide that column by a constant first."
        )
    if scale == "minmax":
        return MinMaxScaling.learn(ends)
    if scale == "standard":
        return _standard(columns)
    return KINDS[scale].learn(sample)


def _standard(columns: Columns) -> StandardScaling:
    """As scikit-learn's `StandardScaler` has it: a column whose variance is rounding is constant, and not stretched."""
    precision = np.finfo(np.float64).eps
    rounding = columns.n_rows * precision * columns.variance + np.square(columns.n_rows * columns.mean * precision)
    deviation = np.where(columns.variance <= rounding, 1.0, np.sqrt(columns.variance))
    return StandardScaling(columns.mean.astype(np.float32), deviation.astype(np.float32))


def sample_rows(client: distributed.Client, rows: da.Array, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
    """Some rows of the table, by their ascending numbers, in single precision."""
    edges = np.searchsorted(chosen, [*first_rows(rows), rows.shape[0]])
    wanted = [chosen[low:high] for low, high in pairwise(edges)]
    found: Iterator[NDArray[np.float32]] = run_blocks(client, take_rows, rows, wanted)
    return np.concatenate(list(found))


def take_rows(block: Any, first: int, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
    """Rows of a block, by their numbers in the table."""
    return single_precision(check_features(np.asarray(block)))[chosen - first]
