"""Points and graphs with a hierarchy in them that every method should find."""

from __future__ import annotations

import numpy as np

from hypcse import Graph, Tree


def nested_table(seed: int, size: int = 12, noise: float = 0.05) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Four groups of points in two pairs: points, group and pair of each.

    Three features tell the pair and one the group, so that no scaling hides them.
    """
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(4), size)
    pair = group // 2
    centers = np.column_stack([pair, pair, pair, group % 2])
    return centers + noise * rng.normal(size=centers.shape), group, pair


def nested_blocks(seed: int, size: int = 40, inside: float = 0.8, pair: float = 0.3, far: float = 0.05):
    """A graph of a hierarchical block model, four blocks in two pairs: graph, block and pair of each vertex."""
    rng = np.random.default_rng(seed)
    block = np.repeat(np.arange(4), size)
    same, near = block[:, None] == block, block[:, None] // 2 == block // 2
    probability = np.where(same, inside, np.where(near, pair, far))
    i, j = np.nonzero(np.triu(rng.random(probability.shape) < probability, 1))
    return Graph.from_edges(i, j, n=4 * size), block, block // 2


def put_back(tree: Tree, order: np.ndarray) -> Tree:
    """The tree with its leaf k made leaf order[k]: a tree of rows in some order, over the rows as they were."""
    names = tuple(map(str, range(order.size)))
    back = Tree(tree.parent, tree.height, tuple(names[k] for k in order)).reordered(names)
    return Tree(back.parent, back.height)


def has_cluster(tree: Tree, members: np.ndarray) -> bool:
    """Whether some node has exactly the marked leaves under it."""
    leaves = np.flatnonzero(members)
    top = leaves[0]
    for leaf in leaves[1:]:
        top = tree.lca(int(top), int(leaf))
    return int(tree.sizes[top]) == leaves.size
