"""Trees from splits and from parts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hypcse import Tree
from hypcse.methods.bisecting import halved_parents, join_parts, split_parents


@st.composite
def splits(draw, max_leaves=30):
    """Sizes of left parts of random splits in pre-order, with the runs that they cut."""
    runs, found = [(0, draw(st.integers(1, max_leaves)))], []
    while runs:
        begin, end = runs.pop()
        if end - begin > 1:
            middle = draw(st.integers(begin + 1, end - 1))
            found.append((begin, middle, end))
            runs += [(middle, end), (begin, middle)]
    return found


@given(splits())
def test_nodes_of_splits_are_the_runs_they_cut(found):
    parent = split_parents(np.array([middle - begin for begin, middle, _ in found], np.int64))
    tree = Tree(parent, np.concatenate([np.zeros(len(found) + 1), np.ones(len(found))]))
    assert tree.is_binary
    for k, (begin, _, end) in enumerate(found):
        assert tree.leaves(tree.root - k).tolist() == list(range(begin, end))


@given(st.integers(1, 200))
def test_halving_is_balanced(n):
    parent = halved_parents(n)
    depth = np.zeros(parent.size, int)
    for node in range(parent.size - 2, -1, -1):
        depth[node] = depth[parent[node]] + 1
    assert depth.max() == int(np.ceil(np.log2(n)))


@given(st.integers(1, 6), st.integers(0, 1000))
def test_parts_and_merges_are_clusters_of_the_joined_tree(n_parts, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_parts)
    ids = np.split(rng.permutation(sizes.sum()), np.cumsum(sizes)[:-1])
    alive, merges, members = list(range(n_parts)), [], [set(part.tolist()) for part in ids]
    wanted = [set(part) for part in members]
    while len(alive) > 1:
        first, second = (int(k) for k in rng.choice(alive, 2, replace=False))
        alive.remove(second)
        members[first] = members[first] | members[second]
        merges.append((first, second))
        wanted.append(members[first])
    parent = join_parts([(part, halved_parents(part.size)) for part in ids], merges)
    tree = Tree(parent, np.concatenate([np.zeros(sizes.sum()), np.ones(sizes.sum() - 1)]))
    assert tree.is_binary
    clusters = [set(tree.leaves(node).tolist()) for node in range(tree.n_nodes)]
    assert all(cluster in clusters for cluster in wanted)
