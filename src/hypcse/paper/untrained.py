"""The control for HypCSE: the same decoding from untrained encoders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._random import generator
from hypcse.graph import Graph
from hypcse.methods.options import Inputs
from hypcse.search import graph_linkage, search_tree
from hypcse.tree import Tree


def decode_untrained(inputs: Inputs, *, n_encoders: int = 8, polish: bool = True) -> Tree:
    """Graph-aware decoding of the mean of several untrained encoders, refined as in `HypCSE`.

    Each encoder is that of `HypCSE` before training, on the graph with self-loops. The squared chord of every edge, in
    units of the median chord, is averaged over them. Training is useful only if it beats this.
    """
    from hypcse.neural.decode import chord_scaled

    check_count("n_encoders", n_encoders, 1)
    graph = inputs.graph
    if graph.n_vertices == 1:
        return graph_linkage(graph)
    features = inputs.scaled
    total = np.zeros(graph.n_edges)
    for number in range(n_encoders):
        draw = generator(inputs.random_state, f"untrained encoder {number}")
        chords = _chords(_untrained_leaves(features, graph, int(draw.integers(2**62))), graph)
        middle = float(np.median(chords)) if chords.size else 0.0
        total += np.square(chords / middle) if middle > 0 else 0.0
    tree = graph_linkage(chord_scaled(graph, np.sqrt(total / n_encoders)))
    if not polish:
        return tree
    metric, seed = inputs.points.metric, inputs.random_state
    return search_tree(graph, features, starts=[tree], scale="none", metric=metric, random_state=seed)


def _chords(leaves: NDArray[np.float64], graph: Graph) -> NDArray[np.float64]:
    i, j, _ = graph.edges()
    return np.linalg.norm(leaves[i] - leaves[j], axis=1)


def _untrained_leaves(features: NDArray[np.float32], graph: Graph, seed: int) -> NDArray[np.float64]:
    """Leaves of an encoder of the default sizes at its start, on the graph with self-loops."""
    import torch

    from hypcse.neural.encoder import Encoder
    from hypcse.neural.training.config import TrainingConfig

    model = TrainingConfig()
    encoder = Encoder(features.shape[1], model.hidden_dim, model.embed_dim, torch.Generator().manual_seed(seed))
    edges = graph.without_loops().to_tensors().with_loops().normalized()
    with torch.no_grad():
        return encoder.leaves(encoder(torch.from_numpy(features), edges)).double().numpy()
