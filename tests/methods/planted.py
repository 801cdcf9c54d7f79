"""Points and graphs with a hierarchy in them that every method should find."""

from __future__ import annotations

import numpy as np

from hypcse import Graph, Tree


def nested_points(seed: int, size: int = 12, d: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Four groups of points in two pairs: points, group and pair of each."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(4), size)
    centers = np.zeros((4, d))
    centers[:, 0] = [0, 0, 40, 40]
    centers[:, 1] = [0, 10, 0, 10]
    return centers[group] + rng.normal(size=(4 * size, d)), group, group // 2


def nested_blocks(seed: int, size: int = 40, inside: float = 0.8, pair: float = 0.3, far: float = 0.05):
    """A graph of a hierarchical block model, four blocks in two pairs: graph, block and pair of each vertex."""
    rng = np.random.default_rng(seed)
    block = np.repeat(np.arange(4), size)
    same, near = block[:, None] == block, block[:, None] // 2 == block // 2
    probability = np.where(same, inside, np.where(near, pair, far))
    i, j = np.nonzero(np.triu(rng.random(probability.shape) < probability, 1))
    return Graph.from_edges(i, j, n=4 * size), block, block // 2


def has_cluster(tree: Tree, members: np.ndarray) -> bool:
    """Whether some node has exactly the marked leaves under it."""
    leaves = np.flatnonzero(members)
    top = leaves[0]
    for leaf in leaves[1:]:
        top = tree.lca(int(top), int(leaf))
    return int(tree.sizes[top]) == leaves.size
