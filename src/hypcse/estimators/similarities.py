"""Features made only from similarities, as in the paper's study of classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from hypcse._memory import check_memory

N_COMPONENTS = 10


@dataclass(frozen=True, eq=False)
class Similarities:
    """The first principal components of the similarities exp(-d^2) to all training points.

    points     : (n, d) the training points, scaled.
    mean, axes : (n,) mean and (10, n) axes of the similarities.
    """

    points: NDArray[np.float32]
    mean: NDArray[np.float64]
    axes: NDArray[np.float64]

    @classmethod
    def learn(cls, points: NDArray[np.float32]) -> Self:
        """From the training points; O(n^2) in memory."""
        n = len(points)
        check_memory(f"all similarities of {n:,} points", 24 * n * n, 'Pass features="table".')
        similar = np.exp(-cdist(points, points, "sqeuclidean"))
        mean = similar.mean(axis=0)
        _, axes = np.linalg.eigh((similar - mean).T @ (similar - mean))
        first = axes[:, ::-1][:, :N_COMPONENTS].T
        # The sign of an axis is arbitrary: its largest entry is made positive.
        largest = first[np.arange(len(first)), np.abs(first).argmax(axis=1)]
        return cls(points, mean, first * np.sign(largest)[:, None])

    def apply(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Components (m, 10) of points (m, d), scaled."""
        similar = np.exp(-cdist(points, self.points, "sqeuclidean"))
        return ((similar - self.mean) @ self.axes.T).astype(np.float32)
