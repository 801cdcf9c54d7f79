"""The control for HypCSE: the same decoding from untrained encoders."""

from __future__ import annotations

import numpy as np

from hypcse._checks import check_count
from hypcse._random import generator
from hypcse.methods.options import Inputs
from hypcse.search import graph_linkage, search_tree
from hypcse.tree import Tree


def untrained(inputs: Inputs, *, n_encoders: int = 8, polish: bool = True) -> Tree:
    """Graph-aware decoding of mean squared chords of untrained encoders, refined as in `HypCSE`: its control."""
    check_count("n_encoders", n_encoders, 1)
    graph, seed = inputs.graph, inputs.random_state
    if graph.n_vertices == 1:
        return graph_linkage(graph)
    features = inputs.scaled
    import torch

    from hypcse.neural.decode import chord_scaled
    from hypcse.neural.encoder import Encoder
    from hypcse.neural.training.config import TrainingConfig

    sizes = TrainingConfig()
    edges = graph.without_loops().to_tensors().with_loops().normalized()
    i, j, _ = graph.edges()
    total = np.zeros(graph.n_edges)
    for number in range(n_encoders):
        draw = torch.Generator().manual_seed(int(generator(seed, f"untrained encoder {number}").integers(2**62)))
        encoder = Encoder(features.shape[1], sizes.hidden_dim, sizes.embed_dim, draw)
        with torch.no_grad():
            leaves = encoder.leaves(encoder(torch.from_numpy(features), edges)).double().numpy()
        chords = np.linalg.norm(leaves[i] - leaves[j], axis=1)
        middle = float(np.median(chords)) if chords.size else 0.0
        total += np.square(chords / middle) if middle > 0 else 0.0
    tree = graph_linkage(chord_scaled(graph, np.sqrt(total / n_encoders)))
    if not polish:
        return tree
    return search_tree(graph, features, starts=[tree], scale="none", metric=inputs.points.metric, random_state=seed)
