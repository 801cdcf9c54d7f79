"""Soft volumes of lowest common ancestors, Eq. (9), and the derivative of the entropy made of them.

With a = 2^(-rate d), rate = log2(e) / t, the softmax of Eq. (9) is one division:

    V_hat_ij = sum over k != i, j of V_k a_ij / (a_ij + a_ik + a_jk).

Where a would vanish in single precision (`safe`), the depths themselves are read and every a is taken over a_ij. A
program owns an edge, or a row and a tile of k: nothing is added up by two of them.
"""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

import math
from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from hypcse.neural.triton.leaves import TINY, UNIT

# 2^x may be summed and squared up to this x, and 2^-x is a normal number.
REACH = 115.0
_CUT = tl.constexpr(REACH)
_LN_2 = tl.constexpr(math.log(2.0))
# The slope at opposite leaves is infinite; its part along the sphere is not, and stays as it is.
_LEAST_ROOT = tl.constexpr(2.0**-11.5)
# Columns of one tile and warps that share it, the fastest of those tried on an H200.
_TILE, _WARPS = 256, 1
# Entries of a row that are added up at once.
_ENTRIES = 64
# The largest radius below 1 in single precision has this depth.
DEEPEST = 17.4


class Rows(NamedTuple):
    """Both directions of every edge by rows: entry p of row i is the edge `edge[p]` from i to `indices[p]`."""

    pointers: Tensor
    indices: Tensor
    edge: Tensor


# The rows of tensors of edges that live, with the version and the number of vertices they were made for.
_ROWS_OF: WeakTensorKeyDictionary = WeakTensorKeyDictionary()


class Terms(NamedTuple):
    """For each edge its term of the entropy, its slope by V_hat over t, and half the slope by -d_ij."""

    value: Tensor
    scale: Tensor
    falling: Tensor


def rows_of(edges: Tensor, n_vertices: int) -> Rows:
    """Edges (2, m), each once, in both directions by rows; a row in their order. Cached as long as the tensor lives."""
    if edges.is_inference():
        return _sorted_rows(edges, n_vertices)
    entry = _ROWS_OF.get(edges)
    if entry is None or entry[:2] != (edges._version, n_vertices):
        entry = edges._version, n_vertices, _sorted_rows(edges, n_vertices)
        _ROWS_OF[edges] = entry
    return entry[2]


def _sorted_rows(edges: Tensor, n_vertices: int) -> Rows:
    m = edges.shape[1]
    ordered, order = torch.sort(edges.flatten().to(torch.int32), stable=True)
    bounds = torch.arange(n_vertices + 1, device=edges.device, dtype=torch.int32)
    return Rows(torch.searchsorted(ordered, bounds), edges.flip(0).flatten()[order], order % m)


def shares_of(rows: Rows, weights: Tensor, measured: Tensor) -> Tensor:
    """V_i / V of each vertex, (n,)."""
    n = len(rows.pointers) - 1
    shares = weights.new_empty(n)
    _shares[(n,)](rows.pointers, rows.edge, weights, measured, shares, ENTRIES=_ENTRIES, num_warps=1)
    return shares


def edge_terms(
    edges: Tensor, weights: Tensor, shares: Tensor, tables: tuple[Tensor, Tensor], temperature: float, measured: Tensor
) -> Terms:
    """Terms 2 w / V log2(volume of the LCA / V) of edges (2, m), and their slopes; tables of depths and decays."""
    n, m = len(shares), edges.shape[1]
    terms = Terms(*shares.new_empty(3, m).unbind())
    depth, decay = tables
    _edge_terms[(m,)](
        edges, weights, shares, decay, measured, *terms, n, m, 1 / (temperature * math.log(2.0)), temperature,
        SAFE=depth is decay, TILE=_TILE, num_warps=_WARPS,
    )  # fmt: skip
    return terms


def depth_slopes(
    rows: Rows, shares: Tensor, tables: tuple[Tensor, Tensor], terms: Terms, temperature: float
) -> tuple[Tensor, Tensor]:
    """Of the slopes r of the entropy by both depths of a pair: r / (s sqrt x) and parts of the sum of r sqrt x / s."""
    n = len(shares)
    depth, decay = tables
    slopes, parts = torch.empty_like(depth), depth.new_empty(n, triton.cdiv(n, _TILE))
    _depth_slopes[parts.shape](
        *rows, shares, depth, decay, terms.scale, terms.falling, slopes, parts, n, 1 / (temperature * math.log(2.0)),
        SAFE=depth is decay, TILE=_TILE, num_warps=_WARPS,
    )  # fmt: skip
    return slopes, parts


@triton.jit
def _shares(pointers, edge, weights, measured, shares, ENTRIES: tl.constexpr):
    i = tl.program_id(0)
    stop = tl.load(pointers + i + 1)
    total = tl.zeros((ENTRIES,), tl.float32)
    for start in range(tl.load(pointers + i), stop, ENTRIES):
        place = start + tl.arange(0, ENTRIES)
        e = tl.load(edge + place, mask=place < stop, other=0)
        total += tl.load(weights + e, mask=place < stop, other=0.0)
    tl.store(shares + i, tl.sum(total, axis=0) * tl.load(measured + UNIT).to(tl.float32))


@triton.jit(do_not_specialize=["m"])
def _edge_terms(
    edges, weights, shares, decay, measured, values, scales, fallings,
    n: int, m: int, rate: float, temperature: float, SAFE: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    e = tl.program_id(0)
    # Ids that are no vertices are reported afterwards; until then nothing beyond the tables is read.
    i = tl.minimum(tl.maximum(tl.load(edges + e).to(tl.int64), 0), n - 1)
    j = tl.minimum(tl.maximum(tl.load(edges + m + e).to(tl.int64), 0), n - 1)
    weight = tl.load(weights + e)
    own = tl.load(decay + i * n + j)
    volume = tl.zeros((TILE,), tl.float32)
    spread = tl.zeros((TILE,), tl.float32)
    # An edge of weight 0 adds nothing.
    for start in range(0, tl.where(weight != 0.0, n, 0), TILE):
        k = start + tl.arange(0, TILE)
        share = tl.load(shares + k, mask=k < n, other=0.0)
        share = tl.where((k == i) | (k == j), 0.0, share)
        by_i = tl.load(decay + i * n + k, mask=k < n, other=0.0)
        by_j = tl.load(decay + j * n + k, mask=k < n, other=0.0)
        if SAFE:
            rest = tl.exp2(tl.minimum((own - by_i) * rate, _CUT)) + tl.exp2(tl.minimum((own - by_j) * rate, _CUT))
            inverse = 1.0 / (1.0 + rest)
            part = share * inverse
        else:
            rest = by_i + by_j
            inverse = 1.0 / (own + rest)
            part = share * (own * inverse)
        volume += part
        spread += part * (rest * inverse)
    inside = tl.load(shares + i) + tl.load(shares + j) + tl.sum(volume, axis=0)
    factor = 2.0 * tl.load(measured + UNIT).to(tl.float32) * weight
    # Such an edge may join vertices without volume; its term is 0 whatever stands in the logarithm.
    safe = tl.maximum(inside, TINY)
    scale = tl.where(inside > TINY, factor / (safe * _LN_2) / temperature, 0.0)
    tl.store(values + e, factor * tl.log2(safe))
    tl.store(scales + e, scale)
    tl.store(fallings + e, 0.5 * scale * tl.sum(spread, axis=0))


@triton.jit
def _depth_slopes(
    pointers, indices, edge, shares, depth, decay, scales, fallings, slopes, parts,
    n: int, rate: float, SAFE: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0).to(tl.int64)
    k = tl.program_id(1) * TILE + tl.arange(0, TILE)
    share = tl.load(shares + k, mask=k < n, other=0.0)
    first = tl.load(decay + i * n + k, mask=k < n, other=0.0)
    slope = tl.zeros((TILE,), tl.float32)
    for p in range(tl.load(pointers + i), tl.load(pointers + i + 1)):
        j = tl.minimum(tl.maximum(tl.load(indices + p).to(tl.int64), 0), n - 1)
        e = tl.load(edge + p)
        own = tl.load(decay + i * n + j)
        by_j = tl.load(decay + j * n + k, mask=k < n, other=0.0)
        by_i = first
        if SAFE:
            by_i = tl.exp2(tl.minimum((own - first) * rate, _CUT))
            by_j = tl.exp2(tl.minimum((own - by_j) * rate, _CUT))
            own = 1.0
        inverse = 1.0 / (own + (by_i + by_j))
        both = (tl.load(scales + e) * (own * inverse)) * (by_i * inverse)
        slope += tl.where(k == j, -tl.load(fallings + e), both * share)
    slope = tl.where(k == i, 0.0, slope)
    # From the depth d: E = exp(-2d), sqrt x = tanh d = (1 - E) / (1 + E), 1 / s = cosh^2 d = (1 + E)^2 / 4E.
    deep = tl.load(depth + i * n + k, mask=k < n, other=0.0)
    small = tl.exp(-2.0 * deep)
    flat = deep * (1.0 - deep * deep * (1.0 / 3.0 - deep * deep * (2.0 / 15.0)))
    root = tl.maximum(tl.where(deep < 0.1, flat, (1.0 - small) / (1.0 + small)), _LEAST_ROOT)
    over = slope * ((1.0 + small) * (1.0 + small) / (4.0 * small))
    tl.store(slopes + i * n + k, over / root, mask=k < n)
    total = tl.sum(tl.where(k < n, over * root, 0.0), axis=0)
    tl.store(parts + i * tl.num_programs(1) + tl.program_id(1), total)
