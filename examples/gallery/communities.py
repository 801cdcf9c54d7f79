"""Communities inside communities of a network.

Who belongs together in a network of people, and which groups are parts of larger ones?

The network is that of the novel *Les Misérables*, which networkx has built in: 77 characters, linked where they meet,
with the number of meetings as weight. `EntropyClustering` takes a graph as it is, and its nodes name the leaves.

The main level has four communities: the bishop Myriel and his guests, Fantine and her friends, the students of the
barricade, and a large one around Valjean. The next levels take that one apart: first the Thénardiers and their gang
leave it, then Gillenormand's family with Marius and Cosette. Names at the rim of the disk are in the order of the tree.

Try a network of your own: a networkx graph, a symmetric SciPy matrix, or `hypcse.Graph.from_edges`.
"""

# %% Fit
import networkx as nx
from matplotlib import pyplot

import hypcse

network = nx.les_miserables_graph()
people = list(network)
model = hypcse.EntropyClustering().fit(network)
print(model.structure_)
print("communities at each level:", [int(labels.max()) + 1 for labels in model.levels_])

# %% [notebook]
# model

# %% Who is in the communities of the main level
for community in range(model.labels_.max() + 1):
    members = [person for person, label in zip(people, model.labels_, strict=True) if label == community]
    print(f"{len(members)} people: {', '.join(members[:12])}" + (", ..." if len(members) > 12 else ""))

# %% Which nodes of the tree carry the structure
# A node saves bits when a random walk on the network often stays inside it.
report = hypcse.entropy_report(model.tree_, network)
for node in report.largest(4):
    members = [people[leaf] for leaf in model.tree_.leaves(node)]
    print(f"{len(members)} people save {report.saving[node]:.2f} bits: {', '.join(members[:5])}, ...")

# %% [notebook]
# model.tree_

# %% The network, and its tree in the hyperbolic disk
figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 6.6), layout="constrained")
colors = [hypcse.plot.palette(model.labels_.max() + 1)[label] for label in model.labels_]
nx.draw(network, nx.spring_layout(network, seed=0), ax=left, node_size=60, node_color=colors, edge_color="#cccccc")
hypcse.plot.disk(model, ax=right, legend=False)

# %% [notebook]
# hypcse.view(model)

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/communities.png", dpi=75)
