"""`cse_loss` in a training loop of one's own: leaves on a sphere, moved until their tree has low entropy."""

import torch

import hypcse
from hypcse.neural.decode import decode_single

X, y = hypcse.datasets.load("iris")
graph = hypcse.similarity_graph(X)
i, j, weight = graph.edges()
edges, weights = torch.tensor([i.tolist(), j.tolist()]), torch.tensor(weight, dtype=torch.float32)

directions = torch.randn(len(X), 8, generator=torch.Generator().manual_seed(0)).requires_grad_()
optimizer = torch.optim.Adam([directions], lr=0.05)

for step in range(101):
    leaves = 0.95 * torch.nn.functional.normalize(directions, dim=1)  # in the Poincare ball, on one radius
    loss = hypcse.cse_loss(leaves, edges, weights, temperature=0.5)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        tree = decode_single(leaves.detach().double().numpy())
        entropy = hypcse.structural_entropy(tree, graph)
        print(f"step {step}: loss {loss.item():.3f}, entropy of the decoded tree {entropy:.3f}")

print(f"purity {hypcse.dendrogram_purity(tree, y):.3f}")
