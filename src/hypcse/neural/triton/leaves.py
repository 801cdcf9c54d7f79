"""Leaves on one radius: their directions, what must hold of them and of the edges, and the depths of their pairs."""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

TINY = tl.constexpr(1.1754943508222875e-38)
# Entries of a tile of leaves, and of a tile of pairs.
_ENTRIES, _ROWS, _COLUMNS = 4096, 32, 64
# Entries that the one program of `measure` reads at once.
_STRIDE = 1024


class Facts(NamedTuple):
    """How many edges (loops, ids out of range), weights (negative, not finite) and lengths (not between 0 and 1) are
    wrong, twice the sum of all weights, and the range and mean of the lengths."""

    wrong_edges: float
    wrong_weights: float
    wrong_leaves: float
    volume: float
    shortest: float
    longest: float
    radius: float


# Places behind the facts: top^2 / 4, sech^2, d tanh R / d radius / (n tanh R), and 1 / volume; top = tanh R.
_N_FACTS = 7
_QUARTER, _REST, _BY_RADIUS = tl.constexpr(7), tl.constexpr(8), tl.constexpr(9)
UNIT, LOG_VOLUME = tl.constexpr(10), tl.constexpr(11)
_N_KNOWN = 12


def unit_rows(leaves: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Directions (n, d), the same by columns (d, n), and lengths (n,); a zero row has the first axis."""
    n, d = leaves.shape
    directions, columns, lengths = torch.empty_like(leaves), leaves.new_empty(d, n), leaves.new_empty(n)
    width = triton.next_power_of_2(d)
    rows = max(1, _ENTRIES // width)
    _unit_rows[(triton.cdiv(n, rows),)](leaves, directions, columns, lengths, n, d, ROWS=rows, WIDTH=width)
    return directions, columns, lengths


def measure(edges: Tensor, weights: Tensor, lengths: Tensor, times: int) -> Tensor:
    """The `Facts` of edges (2, m), each so many times, weights (m,) and lengths (n,), then the kernels' numbers."""
    out = torch.empty(_N_KNOWN, dtype=torch.float64, device=lengths.device)
    _measure[(1,)](
        edges, weights, lengths, out, edges.shape[1], lengths.shape[0], 2.0 / times, STRIDE=_STRIDE, num_warps=8
    )
    return out


def read_facts(measured: Tensor) -> Facts:
    """The facts on the host. Waits for the device."""
    return Facts(*measured.tolist()[:_N_FACTS])


def pair_depths(columns: Tensor, measured: Tensor, rate: float | None) -> tuple[Tensor, Tensor]:
    """Depth d of the LCA of every pair, (n, n), and 2^(-rate d), or the depth again without a rate.

    As `plain_depth`, by |u + v|^2 and |u - v|^2, so that neither near nor opposite leaves lose digits.
    """
    d, n = columns.shape
    depth = columns.new_empty(n, n)
    decay = depth if rate is None else torch.empty_like(depth)
    grid = triton.cdiv(n, _ROWS), triton.cdiv(n, _COLUMNS)
    _pair_depths[grid](
        columns, measured, depth, decay, n, d, rate or 0.0, KEEP=rate is not None, ROWS=_ROWS, COLUMNS=_COLUMNS
    )
    return depth, decay


def by_leaves(
    by_direction: Tensor, parts: Tensor, units: tuple[Tensor, Tensor], measured: Tensor, values: Tensor, times: int
) -> tuple[Tensor, Tensor]:
    """Gradient by the leaves (n, d), and the entropy in bits, (1,), from what `depth_slopes` gives."""
    directions, lengths = units
    n, d = directions.shape
    out, value = torch.empty_like(directions), values.new_empty(1)
    width = triton.next_power_of_2(d)
    rows = max(1, _ENTRIES // width)
    _by_leaves[(triton.cdiv(n, rows),)](
        by_direction, parts, directions, lengths, measured, values, out, value, n, d, parts.numel(), values.numel(),
        1 / times, ROWS=rows, WIDTH=width, STRIDE=_STRIDE,
    )  # fmt: skip
    return out, value


def entropy_value(values: Tensor, measured: Tensor, times: int) -> Tensor:
    """The entropy in bits, a scalar, as in `by_leaves`."""
    return (values.double().sum() / times + measured[LOG_VOLUME.value]).float()


@triton.jit
def _total(numbers, n_numbers: int, STRIDE: tl.constexpr):
    """Their sum in double precision, always in the same order."""
    lane = tl.arange(0, STRIDE)
    total = tl.zeros((STRIDE,), tl.float64)
    for start in range(0, n_numbers, STRIDE):
        total += tl.load(numbers + start + lane, mask=start + lane < n_numbers, other=0.0).to(tl.float64)
    return tl.sum(total, axis=0)


@triton.jit
def log_one_plus(x):
    """log(1 + x) of x >= 0: what the sum rounds away is put back by a quotient."""
    above = 1.0 + x
    rounded = tl.where(above == 1.0, 1.0, above - 1.0)
    return tl.where(above == 1.0, x, tl.log(above) * (x / rounded))


@triton.jit
def _unit_rows(leaves, directions, columns, lengths, n: int, d: int, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    place = tl.arange(0, WIDTH)
    inside = (row[:, None] < n) & (place[None, :] < d)
    entries = row[:, None].to(tl.int64) * d + place[None, :]
    point = tl.load(leaves + entries, mask=inside, other=0.0)
    # Squares of coordinates may leave the range of the floats; those of numbers up to 1 do not.
    largest = tl.max(tl.abs(point), axis=1)
    nonzero = largest > TINY
    axis = tl.where(place == 0, 1.0, 0.0)
    scaled = tl.div_rn(point, tl.broadcast_to(tl.where(nonzero, largest, 1.0)[:, None], (ROWS, WIDTH)))
    scaled = tl.where(nonzero[:, None], scaled, axis[None, :])
    norm = tl.sqrt_rn(tl.sum(scaled * scaled, axis=1))
    unit = tl.div_rn(scaled, tl.broadcast_to(norm[:, None], (ROWS, WIDTH)))
    tl.store(directions + entries, unit, mask=inside)
    tl.store(columns + place[None, :].to(tl.int64) * n + row[:, None], unit, mask=inside)
    tl.store(lengths + row, tl.where(nonzero, largest * norm, 0.0), mask=row < n)


@triton.jit(do_not_specialize=["m"])
def _measure(edges, weights, lengths, out, m: int, n: int, times: float, STRIDE: tl.constexpr):
    lane = tl.arange(0, STRIDE)
    edge_faults = tl.zeros((STRIDE,), tl.float32)
    weight_faults = tl.zeros((STRIDE,), tl.float32)
    total = tl.zeros((STRIDE,), tl.float32)
    for start in range(0, m, STRIDE):
        inside = start + lane < m
        first = tl.load(edges + start + lane, mask=inside, other=0)
        second = tl.load(edges + m + start + lane, mask=inside, other=1)
        weight = tl.load(weights + start + lane, mask=inside, other=0.0)
        joins = (first >= 0) & (second >= 0) & (first < n) & (second < n) & (first != second)
        edge_faults += tl.where(joins | (start + lane >= m), 0.0, 1.0)
        weight_faults += tl.where((weight >= 0) & (weight < float("inf")), 0.0, 1.0)
        total += weight
    leaf_faults = tl.zeros((STRIDE,), tl.float32)
    least = tl.full((STRIDE,), float("inf"), tl.float32)
    most = tl.zeros((STRIDE,), tl.float32)
    reach = tl.zeros((STRIDE,), tl.float32)
    for start in range(0, n, STRIDE):
        inside = start + lane < n
        length = tl.load(lengths + start + lane, mask=inside, other=0.5)
        leaf_faults += tl.where((length > 0) & (length < 1), 0.0, 1.0)
        least = tl.minimum(least, tl.where(inside, length, float("inf")))
        most = tl.maximum(most, tl.where(inside, length, 0.0))
        reach += tl.where(inside, length, 0.0)
    tl.store(out, tl.sum(edge_faults, axis=0).to(tl.float64))
    tl.store(out + 1, tl.sum(weight_faults, axis=0).to(tl.float64))
    tl.store(out + 2, tl.sum(leaf_faults, axis=0).to(tl.float64))
    volume = times * tl.sum(total.to(tl.float64), axis=0)
    tl.store(out + 3, volume)
    tl.store(out + 4, tl.min(least, axis=0).to(tl.float64))
    tl.store(out + 5, tl.max(most, axis=0).to(tl.float64))
    radius = tl.sum(reach.to(tl.float64), axis=0) / n
    tl.store(out + 6, radius)
    scale = 1.0 + radius * radius
    top, sech = 2.0 * radius / scale, (1.0 - radius) * (1.0 + radius) / scale
    tl.store(out + _QUARTER, top * top / 4.0)
    tl.store(out + _REST, sech * sech)
    tl.store(out + _BY_RADIUS, 2.0 * sech / scale / (top * n))
    # Without edges both are 0, so that an entropy is 0 and not NaN.
    held = tl.where(volume > 0, volume, 1.0)
    tl.store(out + UNIT, tl.where(volume > 0, 1.0 / held, 0.0))
    tl.store(out + LOG_VOLUME, tl.log2(held))


@triton.jit
def _pair_depths(
    columns, measured, depth, decay, n: int, d: int, rate: float,
    KEEP: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    apart = tl.zeros((ROWS, COLUMNS), tl.float32)
    together = tl.zeros((ROWS, COLUMNS), tl.float32)
    for _ in range(d):
        left = tl.load(columns + row, mask=row < n, other=0.0)[:, None]
        right = tl.load(columns + column, mask=column < n, other=0.0)[None, :]
        apart += (left - right) * (left - right)
        together += (left + right) * (left + right)
        columns += n
    quarter = tl.load(measured + _QUARTER).to(tl.float32)
    rest = tl.load(measured + _REST).to(tl.float32)
    root = tl.sqrt(quarter * together)
    deep = 0.5 * log_one_plus(2.0 * root * (1.0 + root) / (rest + quarter * apart))
    inside = (row[:, None] < n) & (column[None, :] < n)
    entries = row[:, None].to(tl.int64) * n + column[None, :]
    tl.store(depth + entries, deep, mask=inside)
    if KEEP:
        tl.store(decay + entries, tl.exp2(-rate * deep), mask=inside)


@triton.jit(do_not_specialize=["n_parts", "m"])
def _by_leaves(
    by_direction, parts, directions, lengths, measured, values, out, value,
    n: int, d: int, n_parts: int, m: int, share: float, ROWS: tl.constexpr, WIDTH: tl.constexpr, STRIDE: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    place = tl.arange(0, WIDTH)
    inside = (row[:, None] < n) & (place[None, :] < d)
    entries = row[:, None].to(tl.int64) * d + place[None, :]
    quarter = tl.load(measured + _QUARTER).to(tl.float32)
    rate = quarter * tl.load(by_direction + entries, mask=inside, other=0.0)
    unit = tl.load(directions + entries, mask=inside, other=0.0)
    length = tl.load(lengths + row, mask=row < n, other=1.0)
    along = rate - unit * tl.sum(rate * unit, axis=1)[:, None]
    # Few programs, and each adds up all parts: less than a launch costs.
    outward = _total(parts, n_parts, STRIDE).to(tl.float32) * tl.load(measured + _BY_RADIUS).to(tl.float32)
    tl.store(out + entries, along / length[:, None] + unit * outward, mask=inside)
    if tl.program_id(0) == 0:
        tl.store(value, (share * _total(values, m, STRIDE) + tl.load(measured + LOG_VOLUME)).to(tl.float32))
