"""The cheapest places of new vertices in a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.entropy.volumes import meeting_weights, node_volumes
from hypcse.graph import Graph
from hypcse.graph.similarity import Links
from hypcse.kernels.trees.places import cheapest_nodes
from hypcse.tree import Tree


def cheapest_places(tree: Tree, graph: Graph, links: Links) -> NDArray[np.int64]:
    """For each new vertex, the node beside which it adds the least structural entropy, (m,), for `Tree.attach`.

    With the new vertex and its links in the graph, and its leaf beside node v in the tree, Eq. (4) is a sum of
    w log2 vol(i v j) over edges, and a term that no place changes. What differs between places is

        sum_j w_j log2 vol(new v j)  +  sum_u m_u log2((vol(u) + d) / vol(u)),

    with the degree d = sum_j w_j of the new vertex, the nodes u above v, and the weight m_u of the old edges that meet
    at u. Volumes include the new links' share in the degrees of the neighbors. The minimum over all nodes is found;
    each vertex is placed as if it were the only new one. O(n + edges) per call, O(k) per node on the paths from its
    neighbors to the root.
    """
    volumes = node_volumes(tree, graph.degrees)
    return cheapest_nodes(tree.parent, volumes, meeting_weights(tree, graph), links.indices, links.weights)
