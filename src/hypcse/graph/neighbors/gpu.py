"""Exact nearest neighbours with the help of a GPU: it proposes candidates, and the CPU measures these exactly."""

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
    Queries,
    brute_force,
    centre_and_unit,
    in_unit,
    near_part,
    rounding,
    squared_norms,
)
from hypcse.kernels.points.nearest import sorted_candidates

if TYPE_CHECKING:
    from torch import Tensor

Found = tuple[NDArray[np.int64], NDArray[np.float64]]
Searched = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]

# What NVIDIA's driver shows of a GPU on Linux.
_CARD_PLACES = ("/proc/driver/nvidia/version", "/dev/nvidia0")
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


def find_card() -> str | None:
    """The name of a GPU for torch, or None. Where the system shows no GPU, torch is not loaded."""
    if "torch" not in sys.modules and not any(Path(place).exists() for place in _CARD_PLACES):
        return None
    if find_spec("torch") is None:
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


def near_on_card(X: NDArray[np.floating], k: int, queries: Queries | None = None, *, device: str) -> Found | None:
    """Ids and squared distances of the k nearest others of each query (all points by default), exactly.

    Matrix products in float32 bound the squared distances from below, as in `brute_force`. The candidates are the
    points of the least bounds; if the k-th of them by exact distance is nearer than the bound of all others,
    none can be missing. Other rows get more candidates, and those still open are searched by brute force. Returns None
    if these are too many, and with a warning if the device cannot be used. O(n d) per query; memory for X and for one
    block of products, on the device.
    """
    wanted = Queries(X, np.arange(len(X))) if queries is None else queries
    try:
        found = _proposed(X, k, wanted, device)
    except (RuntimeError, MemoryError) as error:
        # Torch may see a GPU that this program cannot use: too little memory, too old, or of a process that forked.
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        warn(f"the GPU was not used for neighbours: {reason}; the CPU is used.")
        return None
    if found is None:
        return None
    indices, squared, still = found
    if still.size:
        indices[still], squared[still] = brute_force(X, k, wanted.part(still))
    return indices, squared


def _proposed(X: NDArray[np.floating], k: int, wanted: Queries, device: str) -> Searched | None:
    """What `_search` finds, or None if too many rows of a sample stay open."""
    table = _Table(X, device)
    if table.points.shape[0] <= k + EXTRA[0]:
        return None
    if len(wanted.own) > PROBE:
        rows = np.linspace(0, len(wanted.own) - 1, PROBE).astype(np.int64)
        still = _search(table, k, wanted.part(rows))[2]
        if still.size > MAX_OPEN * PROBE:
            return None
    return _search(table, k, wanted)


def _search(table: _Table, k: int, wanted: Queries) -> Searched:
    """Ids, squared distances, and the rows for which these are not certain."""
    indices, squared = np.empty((wanted.own.size, k), np.int64), np.empty((wanted.own.size, k))
    still = np.arange(wanted.own.size)
    for extra in EXTRA:
        n_candidates = min(k + extra, len(table.X))
        asked = wanted if still.size == wanted.own.size else wanted.part(still)
        candidates, bound = table.candidates(asked, n_candidates)
        for start in range(0, still.size, MEASURED):
            part = slice(start, start + MEASURED)
            some = asked.part(np.arange(still.size)[part])
            found, distances = sorted_candidates(table.X, some.points, some.own, candidates[part])
            indices[still[part]], squared[still[part]] = found[:, :k], distances[:, :k]
        still = still[~(squared[still, -1] < bound)]
        if not still.size:
            break
    return indices, squared, still


class _Table:
    """A table on a device, centred, in single precision, with what is lost by rounding taken off its squared norms.

    Points are padded to whole rounds; the padding lies at infinity.
    """

    def __init__(self, X: NDArray[np.floating], device: str) -> None:
        import torch

        self.X, self.device = X, device
        n, d = X.shape
        self.centre, self.unit = centre_and_unit(X)
        relative, self.absolute = rounding(d)
        # Here the norms and the differences are rounded as well.
        self.relative = relative + 8 * float(np.finfo(np.float32).eps)
        points = in_unit(X, self.centre, self.unit)
        lowered = ((1 - self.relative) * squared_norms(points)).astype(np.float32)
        n_all = ROUNDS * -(-n // ROUNDS)
        self.points = torch.zeros(n_all, d, device=device)
        self.points[:n] = torch.from_numpy(points)
        self.lowered = torch.full((n_all,), torch.inf, device=device)
        self.lowered[:n] = torch.from_numpy(lowered)

    def candidates(self, asked: Queries, n_candidates: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Ids (q, n_candidates), and (q,) a lower bound on the squared distance of every other point."""
        import torch

        near, far = near_part(np.ascontiguousarray(asked.points), self.centre, self.unit)
        rows = torch.from_numpy(near).to(self.device)
        ids = torch.empty(len(rows), n_candidates, dtype=torch.int64, device=self.device)
        last = torch.empty(len(rows), device=self.device)
        start, size = 0, self._block_rows(n_candidates)
        with _full_precision():
            while start < len(rows):
                stop = min(start + size, len(rows))
                try:
                    ids[start:stop], last[start:stop] = self._least(rows[start:stop], n_candidates)
                except torch.cuda.OutOfMemoryError as error:
                    size = _halved(size, len(self.points), error)
                    continue
                start = stop
        reach = last.double().cpu().numpy() + (1 - self.relative) * squared_norms(near) - self.absolute
        bound = np.where(far, -np.inf, self.unit * self.unit * reach)
        return ids.cpu().numpy(), bound

    def _block_rows(self, n_candidates: int) -> int:
        """Queries of one block."""
        import torch

        room = BLOCK_BYTES if self.device == "cpu" else int(SHARE * torch.cuda.mem_get_info(self.device)[0])
        return max(1, min(BLOCK_BYTES, room) // (4 * (len(self.points) + 4 * ROUNDS * n_candidates)))

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


def _halved(size: int, n_points: int, error: Exception) -> int:
    if size == 1:
        raise MemoryError(f"the GPU's memory cannot hold the distances of one point to {n_points} others") from error
    import torch

    torch.cuda.empty_cache()
    return size // 2


@contextmanager
def _full_precision() -> Iterator[None]:
    """Use true float32 products, whatever the program has set: the bounds rely on their rounding."""
    import torch

    kept = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("highest")
        yield
    finally:
        torch.set_float32_matmul_precision(kept)
