"""Structural entropy of a graph on a tree, and its bounds."""

from hypcse._choices import SelfLoops
from hypcse.entropy.bounds import conductance, entropy_lower_bound, normalized_entropy, one_dimensional_entropy
from hypcse.entropy.structural import entropy_by_cuts, entropy_from_weights, node_entropies, structural_entropy
from hypcse.entropy.volumes import graph_over, lca_weights, node_cuts, node_volumes

__all__ = [
    "SelfLoops",
    "conductance",
    "entropy_by_cuts",
    "entropy_from_weights",
    "entropy_lower_bound",
    "graph_over",
    "lca_weights",
    "node_cuts",
    "node_entropies",
    "node_volumes",
    "normalized_entropy",
    "one_dimensional_entropy",
    "structural_entropy",
]
