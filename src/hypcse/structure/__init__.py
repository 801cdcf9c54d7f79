"""Graph structure learning: a learned view of the graph, and an anchor that takes it in edge by edge."""

import hypcse._torch  # noqa: F401
from hypcse.structure.anchor import proposed_pairs, update_anchor
from hypcse.structure.augment import drop_edges, mask_features
from hypcse.structure.learner import GraphLearner
from hypcse.structure.similarity import learned_graph

__all__ = ["GraphLearner", "drop_edges", "learned_graph", "mask_features", "proposed_pairs", "update_anchor"]
