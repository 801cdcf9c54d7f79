"""Structural entropy as a regulariser: a classifier of your own, 30 labels, and a hierarchy in its embedding."""

import torch
from torch import nn

import hypcse
from hypcse.neural.decode import decode_single

POINTS, LABELED = 300, 30


def train(strength: float, n_steps: int = 60) -> list[tuple[float, float, float]]:
    """Loss, entropy of the decoded tree and accuracy on the unlabeled points, before and after training."""
    X, y = hypcse.datasets.load("optical-digits")
    graph = hypcse.similarity_graph(X[:POINTS])
    features, labels = torch.tensor(X[:POINTS] / 16, dtype=torch.float32), torch.tensor(y[:POINTS])
    torch.manual_seed(0)
    encoder, head = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16)), nn.Linear(16, 10)
    optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=0.01)
    structure, history = hypcse.StructuralEntropyLoss(temperature=0.5, radius=0.95), []
    for step in range(n_steps + 1):
        points = encoder(features)
        scores = head(points)
        own = nn.functional.cross_entropy(scores[:LABELED], labels[:LABELED])
        loss = own + strength * structure(points, graph)  # the graph reaches the unlabeled points too
        if step in (0, n_steps):
            entropy = hypcse.structural_entropy(decode_single(structure.leaves(points).detach()), graph)
            right = (scores.argmax(1) == labels)[LABELED:].float().mean().item()
            history.append((loss.item(), entropy, right))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return history


if __name__ == "__main__":
    for strength in (0.0, 1.0):
        for when, (loss, entropy, right) in zip(("before", "after"), train(strength), strict=True):
            print(f"strength {strength}, {when}: loss {loss:.3f}, entropy {entropy:.3f}, accuracy {right:.3f}")
