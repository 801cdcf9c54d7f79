"""Disjoint sets: `root[member]` leads to the representative of a member's set, which is its own root."""

from __future__ import annotations

from hypcse.kernels.arrays import Ids
from hypcse.kernels.compile import helper


@helper
def find(root: Ids, member: int) -> int:
    """Return the representative of a member's set, halving the path on the way."""
    while root[member] != member:
        root[member] = root[root[member]]
        member = root[member]
    return member
