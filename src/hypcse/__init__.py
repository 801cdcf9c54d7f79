"""Hierarchical clustering by structural entropy.

Public names load on first use, so that `import hypcse` and `hypcse --help` stay fast.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__version__ = "0.3.0"

if TYPE_CHECKING:
    from hypcse import cells as cells
    from hypcse import datasets as datasets
    from hypcse import entropy as entropy
    from hypcse import graph as graph
    from hypcse import methods as methods
    from hypcse import metrics as metrics
    from hypcse import paper as paper
    from hypcse import plot as plot
    from hypcse import topics as topics
    from hypcse._checks import HypcseWarning as HypcseWarning
    from hypcse._progress import Progress as Progress
    from hypcse.entropy import normalized_entropy as normalized_entropy
    from hypcse.entropy import one_dimensional_entropy as one_dimensional_entropy
    from hypcse.entropy import structural_entropy as structural_entropy
    from hypcse.estimators import EntropyClustering as EntropyClustering
    from hypcse.estimators import respect_labels as respect_labels
    from hypcse.estimators import spread_labels as spread_labels
    from hypcse.graph import Graph as Graph
    from hypcse.graph import similarity_graph as similarity_graph
    from hypcse.metrics import dasgupta_cost as dasgupta_cost
    from hypcse.metrics import dendrogram_purity as dendrogram_purity
    from hypcse.metrics import robinson_foulds as robinson_foulds
    from hypcse.metrics import score as score
    from hypcse.neural.classifier import HypCSEClassifier as HypCSEClassifier
    from hypcse.neural.hypcse import HypCSE as HypCSE
    from hypcse.neural.losses.contrast import centroid_loss as centroid_loss
    from hypcse.neural.losses.contrast import contrastive_loss as contrastive_loss
    from hypcse.neural.losses.cse import StructuralEntropyLoss as StructuralEntropyLoss
    from hypcse.neural.losses.cse import cse_loss as cse_loss
    from hypcse.partitions import Structure as Structure
    from hypcse.partitions import best_cut as best_cut
    from hypcse.partitions import beyond_chance as beyond_chance
    from hypcse.partitions import describe as describe
    from hypcse.partitions import entropy_report as entropy_report
    from hypcse.partitions import levels as levels
    from hypcse.partitions import main_level as main_level
    from hypcse.partitions import stability as stability
    from hypcse.points import Points as Points
    from hypcse.points import read as read
    from hypcse.search import graph_linkage as graph_linkage
    from hypcse.search import join_components as join_components
    from hypcse.search import search_tree as search_tree
    from hypcse.search.compression import compress as compress
    from hypcse.search.refining import refine as refine
    from hypcse.show.page import view as view
    from hypcse.tree import Tree as Tree

_NAMES = {
    "_checks": "HypcseWarning",
    "_progress": "Progress",
    "entropy": "normalized_entropy one_dimensional_entropy structural_entropy",
    "estimators": "EntropyClustering respect_labels spread_labels",
    "graph": "Graph similarity_graph",
    "metrics": "dasgupta_cost dendrogram_purity robinson_foulds score",
    "neural.classifier": "HypCSEClassifier",
    "neural.hypcse": "HypCSE",
    "neural.losses.contrast": "centroid_loss contrastive_loss",
    "neural.losses.cse": "StructuralEntropyLoss cse_loss",
    "partitions": "Structure best_cut beyond_chance describe entropy_report levels main_level stability",
    "points": "Points read",
    "search": "compress graph_linkage join_components refine search_tree",
    "show.page": "view",
    "tree": "Tree",
}
_HOME = {name: f"hypcse.{module}" for module, names in _NAMES.items() for name in names.split()}
_FOLDERS = ("cells", "datasets", "entropy", "graph", "methods", "metrics", "paper", "plot", "topics")


def _is_usable(name: str) -> bool:
    """Whether a name can be loaded: those of `neural` need torch."""
    return not _HOME.get(name, "").startswith("hypcse.neural") or find_spec("torch") is not None


__all__ = ["__version__", *filter(_is_usable, _HOME), *_FOLDERS]


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
