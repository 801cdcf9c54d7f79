"""Hierarchy and reconstruction in one autoencoder, trained on mini-batches: each batch is a subgraph."""

import numpy as np
import torch
from torch import nn

import hypcse
from hypcse.neural.decode import decode_single
from hypcse.neural.subgraphs import sample_subgraphs


def train(strength: float, n_epochs: int = 40) -> list[tuple[float, float, float]]:
    """Loss, entropy of the decoded tree and error of reconstruction, of all points before and after training."""
    X = hypcse.datasets.load("optical-digits")[0][:400]
    graph, features = hypcse.similarity_graph(X), torch.tensor(X / 16, dtype=torch.float32)
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16))
    decoder = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64))
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.003)
    structure, rng, history = hypcse.StructuralEntropyLoss(temperature=0.5, radius=0.95), np.random.default_rng(0), []
    for epoch in range(n_epochs + 1):
        if epoch in (0, n_epochs):
            points = encoder(features).detach()
            error = nn.functional.mse_loss(decoder(points), features).item()
            entropy = hypcse.structural_entropy(decode_single(structure.leaves(points)), graph)
            history.append((error + strength * structure(points, graph).item(), entropy, error))
        for vertices in sample_subgraphs(graph, 100, n_seeds=4, rng=rng):
            points, part = encoder(features[vertices]), graph.subgraph(vertices)[0]
            loss = nn.functional.mse_loss(decoder(points), features[vertices]) + strength * structure(points, part)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return history


if __name__ == "__main__":
    for strength in (0.0, 0.1):
        for when, (loss, entropy, error) in zip(("before", "after"), train(strength), strict=True):
            print(f"strength {strength}, {when}: loss {loss:.3f}, entropy {entropy:.3f}, error {error:.4f}")
