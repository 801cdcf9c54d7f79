"""Plain, slow references and enumerations of all trees over few leaves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from hypcse import Graph, Tree

Nested = int | tuple["Nested", ...]


def nested_to_tree(nested: Nested, n_leaves: int) -> Tree:
    """A tree from nested tuples of leaf ids; heights are levels above the deepest leaf."""
    parent: dict[int, int] = {}
    height: list[float] = [0.0] * n_leaves

    def place(part: Nested) -> int:
        if isinstance(part, int):
            return part
        ids = [place(child) for child in part]
        node = len(height)
        height.append(1 + max(height[k] for k in ids))
        parent.update(dict.fromkeys(ids, node))
        return node

    place(nested)
    return Tree(np.array([parent.get(k, -1) for k in range(len(height))]), np.array(height))


def all_binary(leaves: tuple[int, ...]) -> Iterator[Nested]:
    """All (2n - 3)!! rooted binary trees."""
    if len(leaves) == 1:
        yield leaves[0]
        return
    first, rest = leaves[0], leaves[1:]
    for size in range(len(rest)):
        for chosen in combinations(rest, size):
            other = tuple(x for x in rest if x not in chosen)
            for left in all_binary((first, *chosen)):
                for right in all_binary(other):
                    yield (left, right)


def partitions(leaves: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """All set partitions."""
    if not leaves:
        yield []
        return
    first, rest = leaves[0], leaves[1:]
    for size in range(len(rest) + 1):
        for chosen in combinations(rest, size):
            other = tuple(x for x in rest if x not in chosen)
            for tail in partitions(other):
                yield [(first, *chosen), *tail]


def all_trees(leaves: tuple[int, ...]) -> Iterator[Nested]:
    """All rooted trees without unary nodes, multiway ones included."""
    if len(leaves) == 1:
        yield leaves[0]
        return
    for blocks in partitions(leaves):
        if len(blocks) < 2:
            continue
        choices: list[tuple[Nested, ...]] = [()]
        for block in blocks:
            choices = [(*done, part) for done in choices for part in all_trees(block)]
        yield from choices


def members(tree: Tree) -> list[set[int]]:
    """The set of leaves under each node, by walking up from every leaf."""
    found: list[set[int]] = [set() for _ in range(tree.n_nodes)]
    for leaf in range(tree.n_leaves):
        node = leaf
        while node != -1:
            found[node].add(leaf)
            node = int(tree.parent[node])
    return found


def lca(tree: Tree, i: int, j: int) -> int:
    """The smallest node that holds both."""
    return next(node for node, leaves in enumerate(members(tree)) if {i, j} <= leaves)


def entropy(tree: Tree, graph: Graph) -> float:
    """Eq. (1), summed node by node from the dense matrix, loops in the degrees."""
    W = graph.to_scipy().toarray()
    degrees = W.sum(axis=1)
    total = 0.0
    sets = members(tree)
    for node in range(tree.n_nodes - 1):
        inside = np.isin(np.arange(len(W)), list(sets[node]))
        cut = W[inside][:, ~inside].sum()
        above = degrees[list(sets[tree.parent[node]])].sum()
        if cut > 0:
            total -= cut / degrees.sum() * np.log2(degrees[inside].sum() / above)
    return total


def purity(tree: Tree, labels: np.ndarray) -> float:
    """Eq. (29), pair by pair."""
    sets = members(tree)
    found = []
    for i, j in combinations(range(tree.n_leaves), 2):
        if labels[i] == labels[j]:
            under = list(sets[lca(tree, i, j)])
            found.append(np.mean(labels[under] == labels[i]))
    return float(np.mean(found)) if found else float("nan")


def dasgupta(tree: Tree, graph: Graph) -> float:
    """Twice the sum of weight times leaves under the LCA, edge by edge."""
    sets = members(tree)
    i, j, w = graph.edges()
    pairs = zip(i.tolist(), j.tolist(), w.tolist(), strict=True)
    return 2 * sum(weight * len(sets[lca(tree, a, b)]) for a, b, weight in pairs)


def modularity(labels: np.ndarray, graph: Graph) -> float:
    """Newman and Girvan's Q, loops included: the sum of (w_ij - d_i d_j / V) / V over i and j in one cluster."""
    weights, degrees = graph.to_scipy().toarray(), graph.degrees
    if graph.volume == 0:
        return 0.0
    beyond = (weights - np.outer(degrees, degrees) / graph.volume) / graph.volume
    return float(beyond[labels[:, None] == labels].sum())
