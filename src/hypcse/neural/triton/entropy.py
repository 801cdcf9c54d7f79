"""Continuous structural entropy from leaves to its gradient, in a few launches and without waiting for the device."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from hypcse.neural.triton.leaves import by_leaves, entropy_value, measure, pair_depths, unit_rows
from hypcse.neural.triton.volumes import Rows, depth_slopes, edge_terms, is_safe, shares_of


class Entropy(NamedTuple):
    """The loss, a scalar; its gradient by the leaves, where it is asked for; and what `read_facts` reads."""

    value: Tensor
    gradient: Tensor | None
    measured: Tensor


class Edges(NamedTuple):
    """Edges (2, m) int64, their weights (m,), both directions by rows, and how often each edge is among the m."""

    ends: Tensor
    weights: Tensor
    rows: Rows
    times: int = 1


def entropy(
    leaves: Tensor, edges: Edges, temperature: float, *, gradient: bool, deepest: float | None = None
) -> Entropy:
    """Of leaves (n, d) in single precision.

    deepest : the largest depth that leaves can have, where it is known; the form that cannot underflow is slower.
    """
    safe = is_safe(temperature) if deepest is None else is_safe(temperature, deepest)
    directions, columns, lengths = unit_rows(leaves.contiguous())
    measured = measure(edges.ends, edges.weights, lengths, edges.times)
    tables = pair_depths(columns, measured, None if safe else 1 / (temperature * math.log(2.0)))
    shares = shares_of(edges.rows, edges.weights, measured)
    terms = edge_terms(edges.ends, edges.weights, shares, tables, temperature, measured)
    if not gradient:
        return Entropy(entropy_value(terms.value, measured, edges.times)[0], None, measured)
    slopes, parts = depth_slopes(edges.rows, shares, tables, terms, temperature)
    by_direction = torch.addmm(slopes @ directions, slopes.T, directions)
    found, value = by_leaves(by_direction, parts, (directions, lengths), measured, terms.value, edges.times)
    return Entropy(value[0], found, measured)
