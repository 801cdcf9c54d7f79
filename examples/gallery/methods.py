"""Compare methods on your own data.

Which clustering method suits your data, when there are no labels to tell?

`hypcse.methods.run` runs a method by its name and returns its tree. Structural entropy and Dasgupta's cost judge a tree
by the similarity graph alone. For the 178 wines of this table the growers are known, so we can look at whether that
judgment agrees with dendrogram purity, which needs classes.

Roughly it does: the two trees of highest entropy are the least pure. But it is no law. The tree of lowest entropy is
that of `EntropyClustering`. It is third in purity, and Ward's is first. Entropy tells how well a tree describes the
graph. Classes that people have named are something else.

Try `hypcse compare table.csv --out folder` for the same on the command line, and `hypcse methods` for all names.
"""

# %% Run eight methods and score their trees
import pandas as pd
from matplotlib import pyplot
from sklearn.datasets import load_wine

import hypcse

X, growers = load_wine(return_X_y=True)
graph = hypcse.similarity_graph(X)
names = ["single-linkage", "complete-linkage", "average-linkage", "ward"]
names += ["hdbscan", "bisecting-kmeans", "graph-paris", "entropy"]
trees = {name: hypcse.methods.run(name, X) for name in names}
scores = pd.DataFrame({name: hypcse.score(tree, graph=graph, labels=growers) for name, tree in trees.items()}).T
scores = scores.sort_values("structural_entropy")
print(scores.round(3).to_string())

# %% Two judgments, one of which needs no classes
figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
left.barh(scores.index, scores["structural_entropy"], color="#0072b2")
left.set(title="Structural entropy: lower is better", xlabel="bits", ylim=(7.6, -0.6))
right.barh(scores.index, scores["dendrogram_purity"], color="#e69f00")
right.set(title="Dendrogram purity: higher is better", xlabel="needs classes", xlim=(0, 1))

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/methods.png", dpi=90)
