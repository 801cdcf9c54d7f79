"""Checks of the input of the losses."""

from __future__ import annotations

from math import inf

import torch
from torch import Tensor

_FLOATS = (torch.float32, torch.float64)


def check_temperature(temperature: float) -> None:
    """Raise unless the temperature can divide the distances in a softmax."""
    if not 0 < temperature < inf:
        raise ValueError(f"temperature={temperature} must be positive and finite.")


def check_points(name: str, points: Tensor, fewest: int = 1) -> None:
    """Raise unless `points` is a matrix of at least so many points in single or double precision."""
    if points.ndim != 2 or points.shape[0] < fewest:
        raise ValueError(f"{name} must be a matrix of at least {fewest} points, got shape {tuple(points.shape)}.")
    if points.dtype not in _FLOATS:
        raise TypeError(f"{name} is {points.dtype}; pass float32 or float64, for example {name}.float().")


def check_edges(edges: Tensor, weights: Tensor, n_vertices: int) -> None:
    """Raise unless edges (2, m) join different vertices of 0 .. n - 1 and each has a finite weight of at least 0."""
    check_edge_arrays(edges, weights)
    if edges.shape[1] == 0:
        return
    low, high = (int(vertex) for vertex in torch.aminmax(edges))
    if low < 0 or high >= n_vertices:
        raise ValueError(f"edges name the vertices {low} to {high}, but there are {n_vertices} leaves.")
    if bool((edges[0] == edges[1]).any()):
        raise ValueError("edges holds a loop, which no tree can cut. Omit edges from a vertex to itself.")
    least, most = (float(weight) for weight in torch.aminmax(weights.detach()))
    if not 0 <= least <= most < inf:
        raise ValueError(f"weights range from {least} to {most}; they must be finite and at least 0.")


def check_edge_arrays(edges: Tensor, weights: Tensor) -> None:
    """Raise unless edges are whole numbers (2, m) and weights (m,); reads none of them."""
    if edges.ndim != 2 or edges.shape[0] != 2 or weights.shape != edges.shape[1:]:
        raise ValueError(
            f"edges has shape {tuple(edges.shape)} and weights {tuple(weights.shape)}; (2, m) and (m,) are needed, "
            "each undirected edge once."
        )
    if edges.is_floating_point() or edges.is_complex() or edges.dtype == torch.bool:
        raise TypeError(f"edges is {edges.dtype}; pass integers, the numbers of the vertices.")
