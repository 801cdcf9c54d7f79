"""Random graphs in torch, and what can be asked of every graph."""

from __future__ import annotations

import torch
from hypothesis import strategies as st

from graph_strategies import graphs


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def pairs(edges):
    """The edges as a set of (i, j), i < j."""
    return set(map(tuple, edges.once()[0].T.tolist()))


def is_sound(edges):
    """Sorted, symmetric to the last bit, positive, without loops, nothing twice."""
    keys = edges.index[0] * edges.n_vertices + edges.index[1]
    there_and_back = torch.equal(edges.index[:, edges.reverse], edges.index.flip(0))
    symmetric = there_and_back and torch.equal(edges.weight[edges.reverse], edges.weight)
    loops = (edges.index[0] == edges.index[1]).any()
    return bool((keys.diff() > 0).all() and symmetric and not loops and (edges.weight > 0).all())


@st.composite
def edge_tensors(draw, n_vertices=None):
    n = draw(st.integers(1, 9)) if n_vertices is None else n_vertices
    return draw(graphs(n)).to_tensors(dtype=torch.float64)


@st.composite
def two_views(draw):
    """An anchor and a learned graph over the same vertices."""
    n = draw(st.integers(1, 9))
    return draw(edge_tensors(n)), draw(edge_tensors(n))
