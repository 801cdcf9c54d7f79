"""Nearest neighbors with the help of a GPU: it proposes candidates, of all points or beyond two million of those in the
nearest cells, and the CPU measures these exactly.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import warn
from hypcse.graph.neighbors.exact import (
    Ids,
    Nearest,
    Queries,
    brute_force,
    center_and_unit,
    in_unit,
    rounding,
    scaled_queries,
    squared_norms,
)
from hypcse.kernels.points.nearest import sorted_candidates

if TYPE_CHECKING:
    from torch import Tensor

# What NVIDIA's driver shows of a GPU on Linux.
_GPU_FILES = ("/proc/driver/nvidia/version", "/dev/nvidia0")
# Candidates beyond k: the point itself, and some to show where rounding leaves the order open; then more of them.
EXTRA = (6, 48)
# Rows tried first, and the share that may stay open; beyond it, single precision cannot tell the points apart.
PROBE, MAX_OPEN = 512, 0.02
# Columns are examined in this many rounds: the minimum of each group shows which ones to look at.
ROUNDS = 64
# Bytes of one block of products, and the share of the free memory of the device that it may take.
BLOCK_BYTES, SHARE = 4 * 2**30, 0.25
# Queries whose candidates are measured at once.
MEASURED = 65_536
# Beyond this many points, only those of the nearest cells are compared: so many cells that they hold this share of the
# true neighbors of a sample. With more than the last share of all cells, comparing all pairs is as quick.
MAX_ALL, CELL, SAMPLED, RECALL, MOST = 2_000_000, 512, 4_096, 0.9985, 0.5
# Points that show in which direction a part varies most, and steps of the power method.
N_SHOWN, N_STEPS = 256, 8


def find_gpu() -> str | None:
    """The name of a GPU for torch, or None. Where the system shows no GPU, torch is not loaded."""
    if "torch" not in sys.modules and not any(Path(file).exists() for file in _GPU_FILES):
        return None
    if find_spec("torch") is None:
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


def nearest_on_gpu(X: NDArray[np.floating], k: int, queries: Queries | None = None, *, device: str) -> Nearest | None:
    """The k nearest others of each query, exactly; or of all points, beyond two million nearly all of them.

    Matrix products in float32 bound the squared distances from below. If the k-th of the candidates, those of the least
    bounds, is nearer than the bound of all others, none can be missing; other rows get more candidates, and brute force
    in the end. Returns None if these are too many, and with a warning if the device cannot be used. O(n d) per query.
    """
    every = queries is None
    queries = Queries.rows(X) if queries is None else queries
    try:
        table = _Table(X, device)
        if len(X) <= k + EXTRA[0]:
            return None
        if queries.own.size > PROBE:
            rows = np.linspace(0, queries.own.size - 1, PROBE).astype(np.int64)
            if _search(table, k, queries.part(rows))[1].size > MAX_OPEN * PROBE:
                return None
        if every and len(X) > MAX_ALL and (nearest := _search_cells(table, k)) is not None:
            return nearest
        return _search_all(table, k, queries)
    except (RuntimeError, MemoryError) as error:
        # Torch may see a GPU that this program cannot use: too little memory, too old, or of a process that forked.
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        warn(f"the GPU was not used for neighbors: {reason}; the CPU is used.")
        return None


def _search_all(table: _Table, k: int, queries: Queries) -> Nearest:
    """The nearest points, exactly."""
    (indices, squared), undecided = _search(table, k, queries)
    if undecided.size:
        indices[undecided], squared[undecided] = brute_force(table.X, k, queries.part(undecided))
    return indices, squared


def _search(table: _Table, k: int, queries: Queries) -> tuple[Nearest, Ids]:
    """The nearest points, and the rows for which these are not certain."""
    indices, squared = queries.blank(k)
    undecided = np.arange(queries.own.size)
    for extra in EXTRA:
        query = queries.part(undecided)
        candidates, bound = table.candidates(query, min(k + extra, len(table.X)))
        for start in range(0, undecided.size, MEASURED):
            part = slice(start, start + MEASURED)
            ids, distances = sorted_candidates(table.X, query.points[part], query.own[part], candidates[part])
            indices[undecided[part]], squared[undecided[part]] = ids[:, :k], distances[:, :k]
        undecided = undecided[~(squared[undecided, -1] < bound)]
        if not undecided.size:
            break
    return (indices, squared), undecided


def _search_cells(table: _Table, k: int) -> Nearest | None:
    """The nearest points of those in the cells around each point; None if too many cells are needed."""
    cells = _Cells(table)
    n_near = cells.needed(k)
    if n_near > MOST * len(cells.members):
        return None
    queries = Queries.rows(table.X)
    indices, squared = queries.blank(k)
    undecided = []
    for rows, candidates, bound in cells.candidates(n_near, k + EXTRA[0]):
        for start in range(0, rows.size, MEASURED):
            part = rows[start : start + MEASURED]
            ids, distances = sorted_candidates(table.X, table.X[part], part, candidates[start : start + MEASURED])
            indices[part], squared[part] = ids[:, :k], distances[:, :k]
        undecided.append(rows[~(squared[rows, -1] < bound)])
    left = np.sort(np.concatenate(undecided))
    if left.size:
        indices[left], squared[left] = _search_all(table, k, queries.part(left))
    return indices, squared


class _Table:
    """A table on a device, centered, in float32, norms lowered by rounding; padded at infinity to whole rounds."""

    def __init__(self, X: NDArray[np.floating], device: str) -> None:
        import torch

        self.X, self.device = X, device
        n, d = X.shape
        self.center, self.unit = center_and_unit(X)
        relative, self.absolute = rounding(d)
        # Here the norms and the differences are rounded as well.
        self.relative = relative + 8 * float(np.finfo(np.float32).eps)
        points = in_unit(X, self.center, self.unit)
        lowered = ((1 - self.relative) * squared_norms(points)).astype(np.float32)
        n_all = ROUNDS * (n // ROUNDS + 1)
        self.points = torch.zeros(n_all, d, device=device)
        self.points[:n] = torch.from_numpy(points)
        self.lowered = torch.full((n_all,), torch.inf, device=device)
        self.lowered[:n] = torch.from_numpy(lowered)

    def candidates(self, queries: Queries, n_candidates: int) -> tuple[Ids, NDArray[np.float64]]:
        """Ids (q, n_candidates), and (q,) a lower bound on the squared distance of every other point."""
        import torch

        scaled, far = scaled_queries(np.ascontiguousarray(queries.points), self.center, self.unit)
        rows = torch.from_numpy(scaled).to(self.device)
        ids = torch.empty(len(rows), n_candidates, dtype=torch.int64, device=self.device)
        last = torch.empty(len(rows), device=self.device)
        step = self.rows_of_a_block(len(self.points), n_candidates)
        with _full_precision():
            for start in range(0, len(rows), step):
                part = slice(start, start + step)
                bounds = torch.addmm(self.lowered, rows[part], self.points.T, alpha=-2)
                ids[part], last[part] = _least(bounds, n_candidates)
        return ids.cpu().numpy(), np.where(far, -np.inf, self.reach(last, scaled))

    def reach(self, last: Tensor, scaled: NDArray[np.float32]) -> NDArray[np.float64]:
        """Bounds on the squared distances of scaled queries, from the least bounds of points that are left out."""
        bounds = last.double().cpu().numpy() + (1 - self.relative) * squared_norms(scaled) - self.absolute
        return self.unit * self.unit * bounds

    def rows_of_a_block(self, n_points: int, n_candidates: int) -> int:
        """How many queries can be compared with so many points at once."""
        import torch

        room = BLOCK_BYTES if self.device == "cpu" else int(SHARE * torch.cuda.mem_get_info(self.device)[0])
        return max(1, min(BLOCK_BYTES, room) // (4 * (n_points + 4 * ROUNDS * n_candidates)))


class _Cells:
    """A table in cells of equal size, each padded to whole rounds: halves along the directions of most variance."""

    def __init__(self, table: _Table) -> None:
        import torch

        n, n_cells = len(table.X), 1
        while n_cells * CELL < n:
            n_cells *= 2
        width = ROUNDS * -(-n // (ROUNDS * n_cells))
        # What pads the cells is spread over them as if it lay at points of the table.
        padding = torch.arange(n_cells * width - n, device=table.device)
        row = torch.cat([torch.arange(n, device=table.device), padding * n // max(len(padding), 1)])
        order = torch.arange(n_cells * width, device=table.device)
        n_parts = 1
        while n_parts < n_cells:
            parts = table.points[row[order]].view(n_parts, -1, table.points.shape[1])
            along = (parts @ _main_direction(parts)).squeeze(2)
            order = order.view(n_parts, -1).gather(1, along.argsort(dim=1, stable=True)).flatten()
            n_parts *= 2
        self.table, self.members = table, order.clamp(max=n).view(n_cells, width)
        self.centers = table.points[row[order]].view(n_cells, width, -1).mean(1)
        cell_of = torch.empty(n_cells * width, dtype=torch.int64, device=table.device)
        cell_of[order] = torch.arange(n_cells, device=table.device).repeat_interleave(width)
        self.cell_of = cell_of[:n].cpu().numpy()

    def needed(self, k: int) -> int:
        """How many cells, the nearest to its own, hold the neighbors of a point: most of those of a sample."""
        import torch

        rows = np.linspace(0, len(self.cell_of) - 1, SAMPLED).astype(np.int64)
        neighbors = _search_all(self.table, k, Queries.rows(self.table.X, rows))[0]
        before = []
        for start in range(0, SAMPLED, PROBE):
            part = slice(start, start + PROBE)
            gaps = self._gaps(self.cell_of[rows[part]])
            away = gaps.gather(1, torch.from_numpy(self.cell_of[neighbors[part]]).to(gaps.device))
            before.append(torch.searchsorted(gaps.sort(dim=1).values, away, right=True).flatten().cpu())
        counts = torch.cat(before).sort().values
        return int(counts[int(RECALL * (len(counts) - 1))])

    def candidates(self, n_near: int, n_candidates: int) -> Iterator[tuple[Ids, Ids, NDArray[np.float64]]]:
        """Rows of the table, ids (q, n_candidates) of points near each, and bounds (q,) on all others in its cells."""
        import torch

        table, (n_cells, width) = self.table, self.members.shape
        room = n_near * (width + table.points.shape[1])
        step = max(1, table.rows_of_a_block(room, n_candidates) // width)
        for start in range(0, n_cells, step):
            own = self.members[start : start + step]
            near = self._gaps(np.arange(start, start + len(own))).topk(n_near, dim=1, largest=False).indices
            inside = self.members[near].flatten(1)
            with _full_precision():
                points, lowered = table.points[inside].transpose(1, 2), table.lowered[inside].unsqueeze(1)
                bounds = torch.baddbmm(lowered, table.points[own], points, alpha=-2)
            places, last = _least(bounds.flatten(0, 1), n_candidates)
            ids = inside.gather(1, places.unflatten(0, own.shape).flatten(1)).view(-1, n_candidates).cpu().numpy()
            reach = table.reach(last, table.points[own].flatten(0, 1).cpu().numpy())
            rows = own.flatten().cpu().numpy()
            real = rows < len(self.cell_of)
            yield rows[real], np.where(ids < len(self.cell_of), ids, -1)[real], reach[real]

    def _gaps(self, cells: Ids) -> Tensor:
        """The distances of some cells from all, of their centers; each is nearest to itself."""
        import torch

        own = torch.from_numpy(cells).to(self.centers.device)
        return torch.cdist(self.centers[own], self.centers).scatter(1, own.unsqueeze(1), -1.0)


def _main_direction(parts: Tensor) -> Tensor:
    """The direction (p, d, 1) in which a sample of each part (p, m, d) varies most, by the power method."""
    import torch

    some = parts[:, :: max(1, parts.shape[1] // N_SHOWN)]
    some = some - some.mean(1, keepdim=True)
    widest = some.abs().amax(1).argmax(1)
    direction = torch.eye(parts.shape[2], device=parts.device)[widest].unsqueeze(2)
    for _ in range(N_STEPS):
        direction = some.transpose(1, 2) @ (some @ direction)
        direction = direction / direction.norm(dim=1, keepdim=True).clamp(min=torch.finfo(direction.dtype).tiny)
    return direction


def _least(bounds: Tensor, n_candidates: int) -> tuple[Tensor, Tensor]:
    """Places of the lowest bounds of each row, and the largest of these bounds."""
    n_groups = bounds.shape[1] // ROUNDS
    # The lowest entries lie in the groups with the lowest minima, as many groups as entries.
    by_group = bounds.view(len(bounds), ROUNDS, n_groups)
    n_chosen = min(n_candidates, n_groups)
    groups = by_group.amin(1).topk(n_chosen, dim=1, largest=False, sorted=False).indices
    inside = by_group.gather(2, groups.unsqueeze(1).expand(-1, ROUNDS, -1)).flatten(1)
    least = inside.topk(n_candidates, dim=1, largest=False, sorted=False)
    rounds, place = least.indices // n_chosen, least.indices % n_chosen
    return rounds * n_groups + groups.gather(1, place), least.values.amax(1)


@contextmanager
def _full_precision() -> Iterator[None]:
    """Use true float32 products, whatever the program has set: the bounds rely on their rounding."""
    import torch

    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("highest")
        yield
    finally:
        torch.set_float32_matmul_precision(before)
