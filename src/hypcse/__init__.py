"""Hierarchical clustering by structural entropy.

Public names load on first use, so that `import hypcse` and `hypcse --help` stay fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from hypcse import cells as cells
    from hypcse import datasets as datasets
    from hypcse import decode as decode
    from hypcse import discrete as discrete
    from hypcse import entropy as entropy
    from hypcse import experiments as experiments
    from hypcse import graph as graph
    from hypcse import methods as methods
    from hypcse import metrics as metrics
    from hypcse import plot as plot
    from hypcse import topics as topics
    from hypcse._checks import HypcseWarning as HypcseWarning
    from hypcse._progress import Progress as Progress
    from hypcse.chance import Structure as Structure
    from hypcse.chance import beyond_chance as beyond_chance
    from hypcse.chance import stability as stability
    from hypcse.discrete import best_cut as best_cut
    from hypcse.discrete import compress as compress
    from hypcse.discrete import entropy_report as entropy_report
    from hypcse.discrete import graph_linkage as graph_linkage
    from hypcse.discrete import join_components as join_components
    from hypcse.discrete import levels as levels
    from hypcse.discrete import main_level as main_level
    from hypcse.discrete import refine as refine
    from hypcse.entropy import normalized_entropy as normalized_entropy
    from hypcse.entropy import one_dimensional_entropy as one_dimensional_entropy
    from hypcse.entropy import structural_entropy as structural_entropy
    from hypcse.estimator import EntropyClustering as EntropyClustering
    from hypcse.estimator import HypCSE as HypCSE
    from hypcse.estimator import HypCSEClassifier as HypCSEClassifier
    from hypcse.graph import Graph as Graph
    from hypcse.graph import similarity_graph as similarity_graph
    from hypcse.labels import respect_labels as respect_labels
    from hypcse.labels import spread_labels as spread_labels
    from hypcse.metrics import dasgupta_cost as dasgupta_cost
    from hypcse.metrics import dendrogram_purity as dendrogram_purity
    from hypcse.metrics import fowlkes_mallows as fowlkes_mallows
    from hypcse.metrics import robinson_foulds as robinson_foulds
    from hypcse.metrics import score as score
    from hypcse.objective import StructuralEntropyLoss as StructuralEntropyLoss
    from hypcse.objective import centroid_loss as centroid_loss
    from hypcse.objective import contrastive_loss as contrastive_loss
    from hypcse.objective import cse_loss as cse_loss
    from hypcse.points import Points as Points
    from hypcse.points import read as read
    from hypcse.show.page import view as view
    from hypcse.tree import Tree as Tree

_HOME = {
    "HypcseWarning": "hypcse._checks",
    "Progress": "hypcse._progress",
    "Graph": "hypcse.graph",
    "similarity_graph": "hypcse.graph",
    "Tree": "hypcse.tree",
    "EntropyClustering": "hypcse.estimator",
    "HypCSE": "hypcse.estimator",
    "HypCSEClassifier": "hypcse.estimator",
    "Structure": "hypcse.chance",
    "beyond_chance": "hypcse.chance",
    "stability": "hypcse.chance",
    "best_cut": "hypcse.discrete",
    "compress": "hypcse.discrete",
    "entropy_report": "hypcse.discrete",
    "graph_linkage": "hypcse.discrete",
    "join_components": "hypcse.discrete",
    "levels": "hypcse.discrete",
    "main_level": "hypcse.discrete",
    "refine": "hypcse.discrete",
    "normalized_entropy": "hypcse.entropy",
    "one_dimensional_entropy": "hypcse.entropy",
    "structural_entropy": "hypcse.entropy",
    "respect_labels": "hypcse.labels",
    "spread_labels": "hypcse.labels",
    "dasgupta_cost": "hypcse.metrics",
    "dendrogram_purity": "hypcse.metrics",
    "fowlkes_mallows": "hypcse.metrics",
    "robinson_foulds": "hypcse.metrics",
    "score": "hypcse.metrics",
    "Points": "hypcse.points",
    "read": "hypcse.points",
    "StructuralEntropyLoss": "hypcse.objective",
    "centroid_loss": "hypcse.objective",
    "contrastive_loss": "hypcse.objective",
    "cse_loss": "hypcse.objective",
    "view": "hypcse.show.page",
}
_FOLDERS = (
    "cells",
    "datasets",
    "decode",
    "discrete",
    "entropy",
    "experiments",
    "graph",
    "methods",
    "metrics",
    "plot",
    "topics",
)

__all__ = ["__version__", *_HOME, *_FOLDERS]


def __getattr__(name: str) -> Any:
    if name in _FOLDERS:
        return import_module(f"hypcse.{name}")
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'hypcse' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
