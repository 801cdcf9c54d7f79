"""Components of a graph in files, joined by the distances of their points, of which workers add up the means."""

from __future__ import annotations

from typing import Any

import dask.array as da
import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Metric
from hypcse.dask.engine import first_rows, run_blocks
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.scores import Outline, outline_graph, score
from hypcse.dask.similarity.shards import compared
from hypcse.dask.similarity.table import checked_block
from hypcse.graph.scales import Scaling
from hypcse.search.components import Parts, gather_parts, gather_points, tree_of_parts, with_top
from hypcse.search.join import join_across_bridges
from hypcse.tree import Tree


def join_by_features(
    tree: Tree, graph: DistributedGraph, rows: da.Array, scaling: Scaling, metric: Metric, client: distributed.Client
) -> tuple[Tree, Outline]:
    """The tree with components, and parts that hardly an edge holds together, joined as `join_components` does.

    And the outline of the graph on it.
    """
    components = graph.components(client)

    def above(parts: NDArray[np.int64]) -> Tree:
        return tree_of_parts(gather_blocks(client, rows, parts, scaling, metric))

    if components.max() > 0:
        outline = outline_graph(tree, graph, client, components)
        tree = with_top(tree, outline, components, above(components))
    outline = outline_graph(tree, graph, client, components)
    joined = join_across_bridges(
        tree, outline, above, lambda other, _: score(other, graph, client=client)["structural_entropy"]
    )
    return joined, outline if joined is tree else outline_graph(joined, graph, client, components)


def gather_blocks(
    client: distributed.Client, rows: da.Array, groups: NDArray[np.int64], scaling: Scaling, metric: Metric
) -> Parts:
    """Sizes, means and squares of groups of rows, block by block, then of all."""
    cuts = first_rows(rows)[1:]
    arguments = [(own, scaling, metric) for own in np.split(groups, cuts)]
    answers = list(run_blocks(client, gather_block, rows, *zip(*arguments, strict=True)))
    several = [parts for _, parts in answers]
    whole = Parts(
        np.concatenate([parts.sizes for parts in several]),
        np.concatenate([parts.means for parts in several]),
        np.concatenate([parts.squares for parts in several]),
    )
    return gather_parts(whole, np.concatenate([ids for ids, _ in answers]))


def gather_block(
    block: Any, first: int, groups: NDArray[np.int64], scaling: Scaling, metric: Metric
) -> tuple[NDArray[np.int64], Parts]:
    """The groups that a block has rows of, and what their distances follow from."""
    ids, own = np.unique(groups, return_inverse=True)
    return ids, gather_points(compared(scaling.apply(checked_block(block, first)), metric), own)
