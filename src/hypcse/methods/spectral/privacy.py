"""Noise for edge-level differential privacy, its scales derived and stated.

Two graphs are neighbours when they differ in one edge, whose weight is in [0, 1] in both. A method is (epsilon,
delta)-private when P[answer on one in S] <= e^epsilon P[answer on the other in S] + delta, for neighbours and every S.
An infinite epsilon means no noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Budget:
    """The privacy budget: epsilon and delta."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise ValueError(f"epsilon={self.epsilon} must be positive; infinity means no privacy.")
        if not 0 < self.delta < 0.5:
            raise ValueError(f"delta={self.delta} must be above 0 and below 0.5. It should be far below 1 / n.")

    @property
    def private(self) -> bool:
        """Whether any noise is added."""
        return bool(np.isfinite(self.epsilon))


def laplace_scale(sensitivity: float, epsilon: float) -> float:
    """b = sensitivity / epsilon: Laplace noise of this scale makes a number private that moves by `sensitivity`.

    >>> laplace_scale(2.0, 0.5)
    4.0
    """
    return sensitivity / epsilon


def laplace_bound(scale: float, delta: float) -> float:
    """What Laplace noise exceeds with probability `delta`: b ln(1 / (2 delta))."""
    return scale * float(np.log(1 / (2 * delta)))


def gaussian_scale(sensitivity: float, epsilon: float, delta: float) -> float:
    """Deviation of the Gaussian noise that makes a vector private which moves by `sensitivity` in Euclidean length.

    sigma = sensitivity / sqrt(2 rho) is rho-zero-concentrated private, which is (rho + 2 sqrt(rho ln(1 / delta)),
    delta)-private; here rho = (sqrt(ln(1 / delta) + epsilon) - sqrt(ln(1 / delta)))^2. It holds for every epsilon,
    where the usual sqrt(2 ln(1.25 / delta)) / epsilon needs epsilon < 1.
    """
    log = np.log(1 / delta)
    return float(sensitivity / (np.sqrt(2) * (np.sqrt(log + epsilon) - np.sqrt(log))))


def low_rank_sensitivity(value: float, gap: float) -> float:
    """How far, in Frobenius norm, the best rank-k part of an adjacency matrix moves between neighbours.

    `value` is at least |lambda_k| and `gap` at most lambda_k - lambda_(k+1), above 2. With E the difference of the
    matrices, |E|_2 <= 1 and |E|_F <= sqrt(2). The rank-k part f(A) keeps eigenvalues above the gap, so its derivative
    along E is at most |E|_F times the largest divided difference of f, max(1, |lambda_k| / gap). On the way from A
    to A + E no eigenvalue moves by more than 1, hence

        |f(A + E) - f(A)|_F <= sqrt(2) max(1, (|lambda_k| + 1) / (gap - 2)).
    """
    return float(np.sqrt(2) * max(1.0, (value + 1) / (gap - 2)))


def projection_width(delta: float) -> int:
    """Columns of a Gaussian projection that at most doubles a fixed squared length, but for a probability `delta`.

    The squared length is multiplied by a mean of that many squared standard normals, or by an average of such means,
    which exceeds 2 with probability at most exp(-width (1 - ln 2) / 2).
    """
    return int(np.ceil(2 * np.log(1 / delta) / (1 - np.log(2))))
