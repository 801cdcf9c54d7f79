"""Continuous structural entropy from leaves to its gradient, in a few launches."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from hypcse.gpu.leaves import Facts, by_leaves, measure, pair_depths, unit_rows
from hypcse.gpu.volumes import depth_slopes, edge_terms, is_safe, rows_of, shares_of


class Laid:
    """Leaves (n, d) and edges (2, m) with weights (m,), single precision and int64, laid out for the kernels."""

    def __init__(self, leaves: Tensor, edges: Tensor, weights: Tensor) -> None:
        self.leaves, self.edges, self.weights = leaves.contiguous(), edges.contiguous(), weights.contiguous()
        self.directions, self.columns, self.lengths = unit_rows(self.leaves)
        self.facts: Facts = measure(self.edges, self.weights, self.lengths)

    def entropy(self, temperature: float, *, gradient: bool) -> tuple[Tensor, Tensor | None]:
        """The loss, a scalar, and where it is asked for its gradient by the leaves."""
        radius, volume = self.facts.radius, self.facts.volume
        safe = is_safe(2 * math.atanh(radius), temperature)
        tables = pair_depths(self.columns, radius, None if safe else 1 / (temperature * math.log(2.0)))
        rows = rows_of(self.edges, len(self.leaves))
        shares = shares_of(rows, self.weights, volume)
        terms = edge_terms(self.edges, self.weights, shares, tables, temperature, volume)
        value = terms.value.sum() + math.log2(volume)
        if not gradient:
            return value, None
        slopes, parts = depth_slopes(rows, shares, tables, terms, temperature)
        by_direction = torch.addmm(slopes @ self.directions, slopes.T, self.directions)
        return value, by_leaves(by_direction, parts.sum(), (self.directions, self.lengths), radius)
