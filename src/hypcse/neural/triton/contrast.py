"""The contrastive loss, Eq. (15), and distances of all pairs, as sums of squares: near points keep their digits."""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from hypcse.neural.triton.leaves import TINY, log_one_plus

_FAR_BELOW = tl.constexpr(-1e30)
# Entries of a tile of pairs.
_ROWS, _COLUMNS = 16, 64
# Coordinates of the gradient that one program owns.
_WIDEST = 128


def pair_gaps(points: Tensor) -> Tensor:
    """|x_i - x_j|^2, (n, n), of points (n, d) in single precision."""
    n, d = points.shape
    out = points.new_empty(n, n)
    grid = triton.cdiv(n, _ROWS), triton.cdiv(n, _COLUMNS)
    _pair_gaps[grid](points.T.contiguous(), out, n, d, ROWS=_ROWS, COLUMNS=_COLUMNS)
    return out


@triton.jit
def _pair_gaps(columns, out, n: int, d: int, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    apart = tl.zeros((ROWS, COLUMNS), tl.float32)
    for _ in range(d):
        left = tl.load(columns + row, mask=row < n, other=0.0)[:, None]
        right = tl.load(columns + column, mask=column < n, other=0.0)[None, :]
        apart += (left - right) * (left - right)
        columns += n
    inside = (row[:, None] < n) & (column[None, :] < n)
    tl.store(out + row[:, None].to(tl.int64) * n + column[None, :], apart, mask=inside)


def contrast(
    first: Tensor, second: Tensor, temperature: float, include_positive: bool, *, gradient: bool
) -> tuple[Tensor, Tensor | None]:
    """The loss of views (n, d), a scalar, and with `gradient` the gradients (2, n, d)."""
    views = torch.stack([first.detach(), second.detach()])
    n, d = first.shape
    columns = views.transpose(1, 2).contiguous()
    sums, losses, rest = columns.new_empty(2, n), columns.new_empty(n), columns.new_empty(n)
    sizes = {"ROWS": _ROWS, "COLUMNS": _COLUMNS, "num_warps": 4}
    blocks = triton.cdiv(n, _ROWS)
    _log_sums[(blocks, 2)](columns, sums, n, d, 1 / temperature, **sizes)
    _losses[(blocks,)](columns, sums, losses, rest, n, d, 1 / temperature, ROWS=_ROWS, POSITIVE=include_positive)
    gradients = torch.empty_like(views) if gradient else None
    if gradients is not None:
        width = min(_WIDEST, max(16, triton.next_power_of_2(d)))
        grid = blocks, 2, triton.cdiv(d, width)
        _gradients[grid](columns, views, sums, rest, gradients, n, d, 1 / temperature, WIDTH=width, **sizes)
    return losses.mean(), gradients


@triton.jit
def _excess(own, other, row, column, n: int, d: int):
    """u of points `row` of one view and `column` of the other, views by coordinates (d, n); ids broadcast."""
    gap = tl.load(own + row, mask=row < n, other=0.0) - tl.load(other + column, mask=column < n, other=0.0)
    total = -gap * gap
    for _ in range(1, d):
        own += n
        other += n
        apart = tl.load(own + row, mask=row < n, other=0.0) - tl.load(other + column, mask=column < n, other=0.0)
        total += apart * apart
    return 0.5 * total


@triton.jit
def _logits(excess, inverse: float):
    """-arcosh(1 + u) / t; 0 where u is 0 or rounded below it."""
    safe = tl.maximum(excess, TINY)
    return tl.where(excess > TINY, -inverse * log_one_plus(safe + tl.sqrt(safe * (safe + 2.0))), 0.0)


@triton.jit
def _slopes(excess, inverse: float):
    """Derivative of `_logits` by u."""
    safe = tl.maximum(excess, TINY)
    return tl.where(excess > TINY, -inverse / tl.sqrt(safe * (safe + 2.0)), 0.0)


@triton.jit
def _log_sums(columns, sums, n: int, d: int, inverse: float, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """log sum over k != i of exp(-d(x_i, y_k) / t); the second axis of the grid is the view of x."""
    side = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    top = tl.full((ROWS,), _FAR_BELOW, tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    for start in range(0, n, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        excess = _excess(columns + side * n * d, columns + (1 - side) * n * d, row[:, None], column[None, :], n, d)
        counted = (column[None, :] < n) & (row[:, None] != column[None, :])
        logits = tl.where(counted, _logits(excess, inverse), float("-inf"))
        higher = tl.maximum(top, tl.max(logits, axis=1))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(logits - higher[:, None]), axis=1)
        top = higher
    # With one vertex there is nothing to sum; the least number stands for its logarithm.
    tl.store(
        sums + side * n + row, tl.where(total > 0, top + tl.log(tl.maximum(total, TINY)), _FAR_BELOW), mask=row < n
    )


@triton.jit
def _losses(columns, sums, losses, rest, n: int, d: int, inverse: float, ROWS: tl.constexpr, POSITIVE: tl.constexpr):
    """The loss of each vertex, the share of others in its sums, and these sums with its own pair added.

    With l the logarithm of the pair and o of the others, log(e^l + e^o) - l = log(1 + e^(o - l)) keeps small digits.
    """
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    own = _logits(_excess(columns, columns + n * d, row, row, n, d), inverse)
    first = tl.load(sums + row, mask=row < n, other=0.0)
    second = tl.load(sums + n + row, mask=row < n, other=0.0)
    if POSITIVE:
        above, below = _soft_excess(first - own), _soft_excess(second - own)
        tl.store(losses + row, 0.5 * (above + below), mask=row < n)
        tl.store(rest + row, 0.5 * (tl.exp(first - own - above) + tl.exp(second - own - below)), mask=row < n)
        tl.store(sums + row, own + above, mask=row < n)
        tl.store(sums + n + row, own + below, mask=row < n)
    else:
        tl.store(losses + row, 0.5 * (first + second) - own, mask=row < n)
        tl.store(rest + row, tl.full((ROWS,), 1.0, tl.float32), mask=row < n)


@triton.jit
def _soft_excess(x):
    """log(1 + e^x)."""
    return tl.maximum(x, 0.0) + log_one_plus(tl.exp(-tl.abs(x)))


@triton.jit
def _gradients(
    columns, views, sums, rest, gradients, n: int, d: int, inverse: float,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Some coordinates of the gradient by rows of one view."""
    side = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    place = tl.program_id(2) * WIDTH + tl.arange(0, WIDTH)
    own, other = columns + side * n * d, columns + (1 - side) * n * d
    mine = tl.load(sums + side * n + row, mask=row < n, other=0.0)
    pull = tl.zeros((ROWS, WIDTH), tl.float32)
    for start in range(0, n, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        excess = _excess(own, other, row[:, None], column[None, :], n, d)
        theirs = tl.load(sums + (1 - side) * n + column, mask=column < n, other=0.0)
        logits = _logits(excess, inverse)
        # A share is at most 1; only what is not counted could be more.
        weight = tl.exp(tl.minimum(logits - mine[:, None], 0.0)) + tl.exp(tl.minimum(logits - theirs[None, :], 0.0))
        counted = (column[None, :] < n) & (row[:, None] != column[None, :])
        slopes = tl.where(counted, weight * _slopes(excess, inverse), 0.0)
        there = views + (1 - side) * n * d + column[:, None].to(tl.int64) * d + place[None, :]
        points = tl.load(there, mask=(column[:, None] < n) & (place[None, :] < d), other=0.0)
        pull += tl.dot(slopes, points, input_precision="ieee")
    # Along the hyperboloid the slope of u by x is -J y, and for a near pair J (x - y), which does not cancel.
    slope_by_row = 0.5 * tl.where(place[None, :] == 0, pull, -pull)
    slope = -_slopes(_excess(own, other, row, row, n, d), inverse) * tl.load(rest + row, mask=row < n, other=0.0)
    inside = (row[:, None] < n) & (place[None, :] < d)
    entries = row[:, None].to(tl.int64) * d + place[None, :]
    apart = tl.load(views + side * n * d + entries, mask=inside, other=0.0)
    apart -= tl.load(views + (1 - side) * n * d + entries, mask=inside, other=0.0)
    slope_by_row += slope[:, None] * tl.where(place[None, :] == 0, -apart, apart)
    tl.store(gradients + side * n * d + entries, slope_by_row / n, mask=inside)
