"""Is there anything to find?

Every table has a tree, and so has noise. How do you know whether the clusters mean anything?

We make three tables of 500 points with 8 columns: even noise, a normal cloud, and six blobs. After a fit,
`model.structure_` compares what was found with what chance gives, and says so in one sentence. `model.stability_` tells
for each level how similar its clusters come out when a fifth of the graph's edges is left out.

In noise and in the cloud there is nothing beyond chance, so `labels_` is one cluster. The finer levels are still there,
but their stability hardly exceeds 0.6: other edges would give other clusters. The blobs are clear. Levels of up to six
clusters come out the same each time, and stability falls where clusters are cut out of a single blob. The main level
has five clusters, because two of the blobs touch.

Try `hypcse.beyond_chance(X)` on your own table before you look at any cluster.
"""

# %% Three tables
import numpy as np
from matplotlib import pyplot
from sklearn.decomposition import PCA

import hypcse

rng = np.random.default_rng(0)
centers = rng.normal(0, 3, (6, 8))
tables = {
    "even noise": rng.uniform(size=(500, 8)),
    "a normal cloud": rng.normal(size=(500, 8)),
    "six blobs": centers[rng.integers(6, size=500)] + rng.normal(size=(500, 8)),
}

# %% Fit, and ask
models = {name: hypcse.EntropyClustering().fit(X) for name, X in tables.items()}
for name, model in models.items():
    print(f"{name}: {model.structure_}; clusters: {model.labels_.max() + 1}")

# %% The clusters, and how stable the levels are
# Each table is drawn by its first two principal components.
figure, axes = pyplot.subplots(1, 4, figsize=(11, 3.1), layout="constrained", width_ratios=(1, 1, 1, 1.3))
for ax, (name, model), color in zip(axes, models.items(), ("#999999", "#e69f00", "#0072b2"), strict=False):
    colors = np.array(hypcse.plot.palette(model.labels_.max() + 1))
    ax.scatter(*PCA(2).fit_transform(tables[name]).T, s=5, c=colors[model.labels_])
    ax.set(title=f"{name}: {model.structure_.word}", xticks=[], yticks=[])
    sizes = [labels.max() + 1 for labels in model.levels_]
    kept = [k for k, size in enumerate(sizes) if 1 < size < 100]
    axes[3].plot([sizes[k] for k in kept], [model.stability_[k] for k in kept], "o-", color=color, label=name)
axes[3].set(title="Stability of the levels", xlabel="clusters", xscale="log", ylim=(0, 1.05))
axes[3].set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"], minor=False)
axes[3].minorticks_off()
axes[3].legend(fontsize="small", loc="upper right")

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/anything_there.png", dpi=90)
