"""What a plot is made of: the classes it colours by, and the graph."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from hypcse.entropy import graph_over
from hypcse.graph import Graph, GraphLike
from hypcse.plot.palette import LeafClasses, leaf_classes
from hypcse.tree import Tree


def classes_of(source: Any, labels: ArrayLike | None, tree: Tree) -> LeafClasses | None:
    """The classes to colour by: those given, else the flat labels of a model, else none."""
    found = getattr(source, "labels_", None) if labels is None else labels
    return None if found is None else leaf_classes(found, tree.n_leaves)


def graph_of(source: Any, graph: GraphLike | None, tree: Tree) -> Graph | None:
    """The graph over the leaves: the one given, else that of a model, else none."""
    found = getattr(source, "graph_", None) if graph is None else graph
    return None if found is None else graph_over(tree, found)
