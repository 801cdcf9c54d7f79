"""Ask for 5, 25 and 100 clusters.

A report needs 5 groups for its overview, 25 for its chapters and 100 for the details. How do they fit into each other?

Without wishes, `model.levels_` are the levels that the data support. With `hypcse.levels(tree, graph, n_clusters=...)`
you name the numbers yourself. All cuts come from one tree, so each cluster lies inside one cluster of the level before.

Our 2,000 points in the plane have such groups, and the three cuts find them but for a few points of the finest. Any
other numbers work too: the tree is then cut where this costs least entropy.

Try `min_size=20` instead of numbers, or `resolution=1.0` for the flat cut of most modularity, known from Leiden.
"""

# %% Points in 5 groups of 5 groups of 4
import numpy as np
from matplotlib import pyplot
from sklearn.metrics import adjusted_rand_score

import hypcse


def ring(n_points: int, radius: float) -> np.ndarray:
    angles = 2 * np.pi * np.arange(n_points) / n_points
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


rng = np.random.default_rng(0)
centers = ring(5, 10)[:, None, None] + ring(5, 2.7)[:, None] + ring(4, 0.8)
planted = rng.integers(100, size=2000)
X = centers.reshape(100, 2)[planted] + rng.normal(0, 0.18, (2000, 2))

# %% One fit, three cuts
model = hypcse.EntropyClustering().fit(X)
print("levels that the data support:", [int(labels.max()) + 1 for labels in model.levels_])
wished = hypcse.levels(model.tree_, model.graph_, n_clusters=[5, 25, 100])
for labels, groups in zip(wished, (planted // 20, planted // 4, planted), strict=True):
    agreement = adjusted_rand_score(groups, labels)
    print(f"{labels.max() + 1} clusters, adjusted Rand index with the planted groups {agreement:.3f}")

# %% The three cuts
figure, axes = pyplot.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for ax, labels in zip(axes, wished, strict=True):
    colors = np.array(hypcse.plot.palette(labels.max() + 1))
    ax.scatter(*X.T, s=3, c=colors[labels])
    ax.set(title=f"{labels.max() + 1} clusters", xticks=[], yticks=[], aspect="equal")

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/chosen_levels.png", dpi=90)
