"""Structural entropy with free embeddings: one point of the Poincare ball per vertex, moved by any torch optimizer."""

import geoopt
import networkx as nx
import torch

import hypcse
from hypcse.neural.decode import decode_single

BALL = geoopt.PoincareBall()
DEPTH = 2.0  # one for all leaves


def train(kind: type[torch.optim.Optimizer] = torch.optim.Adam, lr: float = 0.05) -> list[tuple[float, float]]:
    """Loss and entropy of the decoded tree, every 50 steps."""
    graph = hypcse.Graph.from_networkx(nx.les_miserables_graph())
    tangents = torch.randn(graph.n_vertices, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()
    optimizer = kind([tangents], lr=lr)
    entropy_loss = hypcse.StructuralEntropyLoss(temperature=0.5)
    history = []
    for step in range(151):
        leaves = BALL.expmap0(DEPTH * torch.nn.functional.normalize(tangents))
        loss = entropy_loss(leaves, graph)
        if step % 50 == 0:
            history.append((loss.item(), hypcse.structural_entropy(decode_single(leaves.detach()), graph)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return history


if __name__ == "__main__":
    for k, (loss, entropy) in enumerate(train()):
        print(f"step {50 * k}: loss {loss:.3f}, entropy of the decoded tree {entropy:.3f}")
