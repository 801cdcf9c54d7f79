"""From a networkx graph to its communities, and communities of communities."""

import networkx as nx

import hypcse

network = nx.karate_club_graph()
tree = hypcse.refine(hypcse.graph_linkage(network), network)

for number, labels in enumerate(hypcse.levels(tree, network), start=1):
    print(f"level {number}: {int(labels.max()) + 1} communities")

sides = [network.nodes[person]["club"] for person in network]
print(f"how well the tree keeps the two clubs apart: {hypcse.dendrogram_purity(tree, sides):.3f}")

report = hypcse.entropy_report(tree, network)  # which splits carry the structure
for node in report.largest(3):
    print(f"{tree.sizes[node]} people save {report.saving[node]:.2f} bits:", tree.leaves(node).tolist())
