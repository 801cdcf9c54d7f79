"""Twenty thousand points.

What if there are more points than a matrix of distances has room for?

A matrix of the distances between 20,000 points has 400 million entries. The similarity graph links each point to ten
neighbors, and everything after it works on these links. So memory grows with the number of points, not with its
square. We make 100 groups inside 25 inside 5, in 16 dimensions, and fit without settings.

Levels close to all three planted ones are found. Where the number of clusters or the score is a little off, groups that
happen to lie side by side have been joined or divided otherwise.

Try 200,000 points if you have a minute or two. The settings stay the same.
"""

# %% Groups inside groups inside groups
import numpy as np
from matplotlib import pyplot
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score

import hypcse

rng = np.random.default_rng(0)
centers = np.zeros((1, 16))
for n_parts, spread in ((5, 10), (5, 4), (4, 2)):
    centers = np.repeat(centers, n_parts, axis=0) + rng.normal(0, spread, (len(centers) * n_parts, 16))
planted = rng.integers(100, size=20_000)
X = centers[planted] + rng.normal(size=(20_000, 16))

# %% Fit, and compare with what was planted
model = hypcse.EntropyClustering().fit(X)
print(model.graph_)
print("clusters at each level:", [int(labels.max()) + 1 for labels in model.levels_])
for n_groups in (5, 25, 100):
    groups = planted // (100 // n_groups)
    scores = [adjusted_rand_score(groups, labels) for labels in model.levels_]
    n_clusters = model.levels_[int(np.argmax(scores))].max() + 1
    print(f"{n_groups} planted groups: adjusted Rand index {max(scores):.3f} at {n_clusters} clusters")

# %% The points and their tree
# The points by their first two principal components, and the tree down to 25 clusters. Both have the colors of the
# five planted groups; the height of a join is the distance between what it joins.
five = [f"group {group}" for group in planted // 20]
figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(1, 1.5))
colors = np.array(hypcse.plot.palette(5))
left.scatter(*PCA(2, random_state=0).fit_transform(X).T, s=1, c=colors[planted // 20], linewidths=0)
left.set(xticks=[], yticks=[])
hypcse.plot.dendrogram(model, five, n_clusters=25, features=X, ax=right)

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/many_points.png", dpi=80)
