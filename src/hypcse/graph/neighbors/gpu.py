"""Exact nearest neighbors with the help of a GPU: it proposes candidates, and the CPU measures these exactly."""

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


def find_gpu() -> str | None:
    """The name of a GPU for torch, or None. Where the system shows no GPU, torch is not loaded."""
    if "torch" not in sys.modules and not any(Path(file).exists() for file in _GPU_FILES):
        return None
    if find_spec("torch") is None:
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


def nearest_on_gpu(X: NDArray[np.floating], k: int, queries: Queries | None = None, *, device: str) -> Nearest | None:
    """The k nearest others of each query (all points by default), exactly.

    Matrix products in float32 bound the squared distances from below, as in `brute_force`. The candidates are the
    points of the least bounds; if the k-th of them by exact distance is nearer than the bound of all others,
    none can be missing. Other rows get more candidates, and those still open are searched by brute force. Returns None
    if these are too many, and with a warning if the device cannot be used. O(n d) per query; memory for X and for one
    block of products, on the device.
    """
    queries = Queries.rows(X) if queries is None else queries
    try:
        table = _Table(X, device)
        if table.points.shape[0] <= k + EXTRA[0]:
            return None
        if queries.own.size > PROBE:
            rows = np.linspace(0, queries.own.size - 1, PROBE).astype(np.int64)
            if _search(table, k, queries.part(rows))[1].size > MAX_OPEN * PROBE:
                return None
        (indices, squared), undecided = _search(table, k, queries)
    except (RuntimeError, MemoryError) as error:
        # Torch may see a GPU that this program cannot use: too little memory, too old, or of a process that forked.
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        warn(f"the GPU was not used for neighbors: {reason}; the CPU is used.")
        return None
    if undecided.size:
        indices[undecided], squared[undecided] = brute_force(X, k, queries.part(undecided))
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


class _Table:
    """A table on a device, centered, in single precision, with what is lost by rounding taken off its squared norms.

    Points are padded to whole rounds; the padding lies at infinity.
    """

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
        n_all = ROUNDS * -(-n // ROUNDS)
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
        room = BLOCK_BYTES if self.device == "cpu" else int(SHARE * torch.cuda.mem_get_info(self.device)[0])
        step = max(1, min(BLOCK_BYTES, room) // (4 * (len(self.points) + 4 * ROUNDS * n_candidates)))
        with _full_precision():
            for start in range(0, len(rows), step):
                part = slice(start, start + step)
                ids[part], last[part] = self._least(rows[part], n_candidates)
        reach = last.double().cpu().numpy() + (1 - self.relative) * squared_norms(scaled) - self.absolute
        return ids.cpu().numpy(), np.where(far, -np.inf, self.unit * self.unit * reach)

    def _least(self, rows: Tensor, n_candidates: int) -> tuple[Tensor, Tensor]:
        """Ids of the lowest bounds of each row, and the largest of these bounds."""
        import torch

        bounds = torch.addmm(self.lowered, rows, self.points.T, alpha=-2)
        n_groups = bounds.shape[1] // ROUNDS
        # The lowest entries lie in the groups with the lowest minima, as many groups as entries.
        by_group = bounds.view(len(rows), ROUNDS, n_groups)
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
