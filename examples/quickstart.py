"""From a table to labels: no number of clusters, no settings."""

import hypcse

X, y = hypcse.datasets.load("optical-digits")
X, y = X[:600], y[:600]

graph = hypcse.similarity_graph(X)  # 10 neighbors, Gaussian weights
tree = hypcse.search_tree(graph, X)  # the hierarchy of lowest entropy that the search finds

levels = hypcse.levels(tree, graph)  # nested flat labels, coarse to fine
print("clusters at each level:", levels.n_clusters)
print("the one to look at first:", levels.main + 1, "; its first ten points:", levels[levels.main][:10].tolist())

scores = hypcse.score(tree, graph=graph, labels=y)  # the labels y were used nowhere above
print(f"purity {scores['dendrogram_purity']:.3f}, entropy {scores['structural_entropy']:.3f}")
