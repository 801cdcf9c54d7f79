"""Random cases for laws, shared by all tests."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from hypcse.tree import Tree

# The first call of a kernel compiles it, which no deadline for a single case allows for.
settings.register_profile("laws", deadline=None)
settings.load_profile("laws")

# A few fixed levels make ties common, the range makes heights with all their bits.
LEVELS = st.sampled_from([0.0, 0.5, 1.0, 2.0]) | st.floats(0, 1e6)


@st.composite
def trees(draw, min_leaves=1, max_leaves=12, binary=False, names=False):
    """A tree of random shape, heights often tied, names (any text, doubles allowed) where asked for."""
    n_leaves = draw(st.integers(min_leaves, max_leaves))
    height = [0.0] * n_leaves
    parent = [-1] * n_leaves
    tops = list(range(n_leaves))
    while len(tops) > 1:
        n_children = 2 if binary else draw(st.integers(2, len(tops)))
        children = [tops.pop(draw(st.integers(0, len(tops) - 1))) for _ in range(n_children)]
        for child in children:
            parent[child] = len(parent)
        tops.append(len(parent))
        parent.append(-1)
        height.append(max(draw(LEVELS), *(height[child] for child in children)))
    labels = draw(st.lists(st.text(max_size=8), min_size=n_leaves, max_size=n_leaves)) if names else None
    return Tree(parent, height, None if labels is None else tuple(labels))


def chain(n_leaves: int) -> Tree:
    """A tree in which every join takes one more leaf."""
    inner = np.arange(n_leaves, 2 * n_leaves - 1)
    parent = np.concatenate([[n_leaves], inner, inner[1:], [-1]])
    return Tree(parent, np.concatenate([np.zeros(n_leaves), np.arange(1.0, n_leaves)]))
