"""Squared distances of all pairs, each a sum of squares, so that near points keep their digits."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

_ROWS, _COLUMNS = 32, 64


def pair_gaps(points: Tensor) -> Tensor:
    """|x_i - x_j|^2, (n, n), of points (n, d) in single precision."""
    n, d = points.shape
    out = points.new_empty(n, n)
    grid = triton.cdiv(n, _ROWS), triton.cdiv(n, _COLUMNS)
    _pair_gaps[grid](points.T.contiguous(), out, n, d, ROWS=_ROWS, COLUMNS=_COLUMNS)
    return out


@triton.jit
def _pair_gaps(columns: tl.tensor, out: tl.tensor, n: int, d: int, ROWS: tl.constexpr, COLUMNS: tl.constexpr) -> None:
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    apart = tl.zeros((ROWS, COLUMNS), tl.float32)
    for _ in range(d):
        near = tl.load(columns + row, mask=row < n, other=0.0)[:, None]
        far = tl.load(columns + column, mask=column < n, other=0.0)[None, :]
        apart += (near - far) * (near - far)
        columns += n
    inside = (row[:, None] < n) & (column[None, :] < n)
    tl.store(out + row[:, None].to(tl.int64) * n + column[None, :], apart, mask=inside)
