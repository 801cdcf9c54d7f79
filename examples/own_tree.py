"""Score a tree that SciPy made, and refine it."""

from scipy.cluster.hierarchy import linkage

import hypcse

X, y = hypcse.datasets.load("iris")
graph = hypcse.similarity_graph(X)

theirs = hypcse.Tree.from_linkage(linkage(X, "complete"))
ours = hypcse.refine(theirs, graph)  # subtrees move until the entropy falls no more

for name, tree in {"complete linkage": theirs, "refined": ours}.items():
    scores = hypcse.score(tree, graph=graph, labels=y)
    print(f"{name}: purity {scores['dendrogram_purity']:.3f}, entropy {scores['structural_entropy']:.3f}")

Z = ours.to_linkage()  # back to SciPy
print("linkage matrix:", Z.shape, "top of the tree as Newick:", ours.prune([0, 50, 100]).to_newick())
