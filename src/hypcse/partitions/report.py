"""Which clusters of a tree carry its structure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice
from hypcse._choices import SelfLoops
from hypcse.entropy import (
    entropy_from_weights,
    entropy_lower_bound,
    graph_over,
    node_cuts,
    node_entropies,
    node_volumes,
    one_dimensional_entropy,
)
from hypcse.graph import GraphLike
from hypcse.graph.convert import in_range, unit_exponent
from hypcse.kernels.trees.sweep import kept_parents
from hypcse.search.compression import node_sums
from hypcse.tree import Tree


@dataclass(frozen=True)
class EntropyReport:
    """Structural entropy of a tree, Eq. (1), node by node. Arrays have one value per node.

    Attributes
    ----------
    entropy
        As `structural_entropy` gives it, by default with self_loops="paper".
    self_loops
        How self-loops count in `entropy`: "paper", "exact" or "drop", as for `structural_entropy`.
    one_dimensional
        Entropy of the star of all leaves (without loops): an upper bound for every tree.
    lower_bound
        one_dimensional times the smallest cut / volume of a node: a lower bound for the sum of `node_entropy`.
    node_entropy
        The term of each node, -(cut/V) log2(volume / volume of its parent); 0 at the root. Terms exist only with loops
        counted exactly, or dropped: with "paper" they are those of "exact". On a graph with loops their sum differs
        from `entropy` by what loops add, which is the same for every tree.
    saving
        The bits that each cluster saves on the steps of a random walk that stay inside it. It is 0 at leaves, at the
        root, and at nodes where no edge meets, such as those above components. The savings add up to what the tree
        saves over the star of all leaves: the clusters with the largest savings carry the structure.
    volume, cut, size
        Of each node.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> from hypcse import entropy_report
    >>> report = entropy_report(graph_linkage(g), g)
    >>> bool(report.lower_bound <= report.entropy <= report.one_dimensional)
    True
    """

    entropy: float
    self_loops: SelfLoops
    one_dimensional: float
    lower_bound: float
    node_entropy: NDArray[np.float64]
    saving: NDArray[np.float64]
    volume: NDArray[np.float64]
    cut: NDArray[np.float64]
    size: NDArray[np.int64]

    def __str__(self) -> str:
        text, exact = f"structural entropy {self.entropy:.4f} bits", float(self.node_entropy.sum())
        most = f"of at most {self.one_dimensional:.4f}"
        if abs(exact - self.entropy) < 1e-9:
            return f"{text} {most}"
        return f"{text} (with loops counted exactly, as in the terms of nodes, {exact:.4f} {most})"

    @property
    def normalized(self) -> float:
        """Entropy over the one-dimensional entropy, Eq. (3)."""
        return self.entropy / self.one_dimensional if self.one_dimensional > 0 else 0.0

    def largest(self, n_nodes: int = 10) -> NDArray[np.int64]:
        """The nodes with the largest savings, in descending order.

        Parameters
        ----------
        n_nodes
            How many.

        Returns
        -------
        ndarray
            Ids of nodes.
        """
        return np.argsort(-self.saving, kind="stable")[:n_nodes]


def entropy_report(tree: Tree, graph: GraphLike, self_loops: SelfLoops = "paper") -> EntropyReport:
    """Report how much every node of a tree contributes to its structural entropy. O(n + m).

    Parameters
    ----------
    tree, graph, self_loops
        As for `structural_entropy`. self_loops="paper" is not a sum over nodes on a graph with loops: the terms of the
        nodes then count loops exactly, as with "exact".

    Returns
    -------
    EntropyReport
        The total entropy, its bounds, and the terms of every node.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> report = entropy_report(graph_linkage(g), g)
    >>> bool(np.isclose(report.node_entropy.sum(), report.entropy))
    True
    """
    check_choice("self_loops", self_loops, SelfLoops)
    given = graph_over(tree, graph)
    unit = -unit_exponent(given)
    graph = in_range(given)
    graph = graph.without_loops() if self_loops == "drop" else graph
    meeting, inside, bits = node_sums(tree, graph)
    terms = node_entropies(tree, graph, "exact")
    saving = np.zeros(tree.n_nodes)
    if graph.volume > 0:
        clusters = meeting > 0
        clusters[-1] = True
        above = kept_parents(tree.parent, clusters)[:-1]
        saving[:-1] = np.where(clusters[:-1], 2 * inside[:-1] * (bits[above] - bits[:-1]) / graph.volume, 0.0)
    by_paper = self_loops == "paper"
    return EntropyReport(
        entropy=entropy_from_weights(tree, given, np.ldexp(meeting, unit)) if by_paper else float(terms.sum()),
        self_loops=self_loops,
        one_dimensional=one_dimensional_entropy(graph),
        lower_bound=entropy_lower_bound(tree, graph),
        node_entropy=terms,
        saving=saving,
        volume=np.ldexp(node_volumes(tree, graph.degrees), unit),
        cut=np.ldexp(node_cuts(tree, graph, meeting), unit),
        size=tree.sizes,
    )
