"""Structural entropy of a graph on a tree, and its bounds."""

from hypcse._choices import SelfLoops
from hypcse.entropy.bounds import entropy_lower_bound, normalized_entropy, one_dimensional_entropy
from hypcse.entropy.structural import entropy_by_cuts, node_entropies, structural_entropy
from hypcse.entropy.structural import entropy_from_weights as entropy_from_weights
from hypcse.entropy.volumes import graph_over as graph_over
from hypcse.entropy.volumes import lca_weights as lca_weights
from hypcse.entropy.volumes import node_cuts as node_cuts
from hypcse.entropy.volumes import node_volumes as node_volumes

__all__ = [
    "SelfLoops",
    "entropy_by_cuts",
    "entropy_lower_bound",
    "node_entropies",
    "normalized_entropy",
    "one_dimensional_entropy",
    "structural_entropy",
]
