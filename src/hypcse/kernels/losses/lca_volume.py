"""Soft volumes of lowest common ancestors, Eq. (9), and their derivative by the depths.

With a = exp(-d / t) the softmax of Eq. (9) is one division, and its constant r_1 cancels:

    V_hat_ij = sum over k != i, j of V_k a_ij / (a_ij + a_ik + a_jk).

Row i of every result is written by iteration i alone, and nothing of size (edges x vertices) is ever stored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Floating, Ids
from hypcse.kernels.compile import helper, parallel_kernel
from hypcse.kernels.losses.all_pairs import exp_in_place

# Running sums of a row, one per column modulo this number: their loop is compiled to vector instructions, and a sum of
# n terms rounds as one of n / _LANES does.
_LANES = 256
# exp(-x) is a normal number up to these x, by precision; exp(x) may be summed and squared up to _CUT.
_REACH = {"f": 80.0, "d": 700.0}
_CUT = 300.0


class Adjacency(NamedTuple):
    """Both directions of every edge by rows: entry p of row i is the edge `edge[p]` from i to `indices[p]`."""

    indptr: Ids
    indices: Ids
    edge: Ids


class LcaVolumes(NamedTuple):
    """V_hat of each directed entry, and its spread, sum_k V_k p (1 - p), which is -t times its slope in d_ij; for the
    derivative also exp(-d / t) up to a common factor, or d / t where `safe`.
    """

    volume: Floating
    spread: Floating
    values: Floating
    safe: bool


def adjacency(first: Ids, second: Ids, n_vertices: int) -> Adjacency:
    """Return edges, each listed once as (first, second), in both directions by rows; a row keeps the order of edges."""
    rows, indices = np.column_stack([first, second]).ravel(), np.column_stack([second, first]).ravel()
    order = np.argsort(rows, kind="stable")
    indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=n_vertices)))
    return Adjacency(indptr, indices[order], order // 2)


def lca_volume(depth: Floating, volumes: Floating, rows: Adjacency, temperature: float) -> LcaVolumes:
    """V_hat of Eq. (9) for each directed entry of `rows`; the two directions of an edge are equal to the last bit.

    The softmax of Eq. (9) stands for the test of Eq. (5), whether k lies below i v j; equal depths share their weight.

    depth (n, n) is symmetric with the depths d_o(i v j) of pairs, its diagonal without meaning. No edge may be a loop.
    O(n m) divisions; exponentials are O(n^2) unless (max d - min d) / t > 700.

    >>> rows = adjacency(np.array([0]), np.array([1]), 3)
    >>> lca_volume(np.zeros((3, 3)), np.array([1.0, 1.0, 6.0]), rows, 1.0).volume
    array([2., 2.])
    """
    values, safe = _decay(depth, temperature)
    sums = _sums(values, volumes.astype(values.dtype), rows.indptr, rows.indices, safe).astype(depth.dtype, copy=False)
    return LcaVolumes(sums[0], sums[1], values, safe)


def lca_volume_gradient(
    forward: LcaVolumes, volumes: Floating, rows: Adjacency, temperature: float, upstream: Floating
) -> Floating:
    """Derivative of sum over edges of upstream * V_hat by the depths, shape (n, n).

    With p = a_ij / S, q = a_ik / S and S = a_ij + a_ik + a_jk,

        dV_hat_ij / d d_ik = V_k p q / t,    dV_hat_ij / d d_ij = -(1/t) sum_k V_k p (1 - p).

    `forward` is what `lca_volume` returned; `upstream` has one value per edge. The derivative by the depth of a pair is
    the sum of its two entries.
    """
    values = forward.values
    scale = (upstream / temperature).astype(values.dtype)[rows.edge]
    falling = (scale * forward.spread / 2).astype(values.dtype, copy=False)
    rates = _gradient(values, volumes.astype(values.dtype), rows.indptr, rows.indices, scale, falling, forward.safe)
    return rates.astype(volumes.dtype, copy=False)


def _decay(depth: Floating, temperature: float) -> tuple[Floating, bool]:
    """exp(-(d - min d) / t) and False, in double precision if need be; where even that underflows, d / t and True."""
    low, high = depth.min(), depth.max()
    reach = float(high - low) / temperature
    if reach > _REACH["d"]:
        return depth / np.float64(temperature), True
    if reach <= _REACH["f"] and depth.dtype == np.float32:
        return _decay_of_floats(depth, low, 1 / temperature), False
    values = np.subtract(low, depth, dtype=np.float64)
    values /= temperature
    return np.exp(values, out=values), False


@parallel_kernel
def _decay_of_floats(depth: Floating, low: float, inverse: float) -> Floating:
    """exp((low - d) / t) in single precision."""
    out = np.empty_like(depth)
    for i in prange(depth.shape[0]):
        scratch = np.empty(depth.shape[1], np.int32)
        for k in range(depth.shape[1]):
            out[i, k] = (low - depth[i, k]) * np.float32(inverse)
        exp_in_place(out[i], scratch)
    return out


@helper
def _rows(values: Floating, i: int, j: int, safe: bool, buffer: Floating) -> tuple[Floating, Floating, Any]:
    """Rows i and j of a, and a_ij; where `safe` all three over a_ij, cut off where the share is 0 in any case."""
    if not safe:
        return values[i], values[j], values[i, j]
    for k in range(values.shape[1]):
        buffer[0, k] = np.exp(min(values[i, j] - values[i, k], _CUT))
        buffer[1, k] = np.exp(min(values[i, j] - values[j, k], _CUT))
    return buffer[0], buffer[1], values.dtype.type(1)


@helper
def _row_sums(one: Floating, other: Floating, volumes: Floating, own: float, lanes: Floating) -> tuple[float, float]:
    """sum_k V_k p and sum_k V_k p (1 - p) with p = a_ij / (a_ij + a_ik + a_jk), from the rows i and j of a."""
    lanes[:] = 0
    for start in range(0, one.size, _LANES):
        stop = min(start + _LANES, one.size)
        a, b, v = one[start:stop], other[start:stop], volumes[start:stop]
        for k in range(stop - start):
            rest = a[k] + b[k]
            # Not a plain division: its check for zero would be a branch, which keeps the loop from vector instructions.
            inverse = np.reciprocal(own + rest)
            part = v[k] * (own * inverse)
            lanes[0, k] += part
            lanes[1, k] += part * (rest * inverse)
    volume = spread = 0.0
    for k in range(_LANES):
        volume += lanes[0, k]
        spread += lanes[1, k]
    return volume, spread


@parallel_kernel
def _sums(values: Floating, volumes: Floating, indptr: Ids, indices: Ids, safe: bool) -> Floating:
    """Volume and spread of every entry, shape (2, entries)."""
    out = np.empty((2, indices.size), values.dtype)
    n_vertices = indptr.size - 1
    for i in prange(n_vertices):
        lanes = np.empty((2, _LANES), values.dtype)
        buffer = np.empty((2, n_vertices), values.dtype)
        others = volumes.copy()
        others[i] = 0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            # One end of an edge computes it, about half of its edges at each vertex: the threads have equal work.
            if (i < j) == ((i + j) % 2 == 1):
                continue
            one, other, own = _rows(values, i, j, safe, buffer)
            others[j] = 0
            out[0, p], out[1, p] = _row_sums(one, other, others, own, lanes)
            others[j] = volumes[j]
    for i in prange(n_vertices):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if (i < j) == ((i + j) % 2 == 1):
                twin = indptr[j]
                while indices[twin] != i:
                    twin += 1
                out[0, p], out[1, p] = out[0, twin], out[1, twin]
    return out


@helper
def _add_shares(one: Floating, other: Floating, own: float, scale: float, row: Floating) -> None:
    """row_k += scale * p q with p = a_ij / S, q = a_ik / S and S = a_ij + a_ik + a_jk."""
    for k in range(one.size):
        inverse = np.reciprocal(own + (one[k] + other[k]))
        row[k] += (scale * (own * inverse)) * (one[k] * inverse)


@parallel_kernel
def _gradient(
    values: Floating, volumes: Floating, indptr: Ids, indices: Ids, scale: Floating, falling: Floating, safe: bool
) -> Floating:
    """Row i holds what the edges of vertex i say of its depths; each edge speaks at both of its ends."""
    out = np.empty_like(values)
    n_vertices = indptr.size - 1
    for i in prange(n_vertices):
        row = np.zeros(n_vertices, values.dtype)
        buffer = np.empty((2, n_vertices), values.dtype)
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            one, other, own = _rows(values, i, j, safe, buffer)
            before = row[j]
            _add_shares(one, other, own, scale[p], row)
            row[j] = before
        row[i] = 0
        for k in range(n_vertices):
            out[i, k] = row[k] * volumes[k]
        for p in range(indptr[i], indptr[i + 1]):
            out[i, indices[p]] -= falling[p]
    return out
