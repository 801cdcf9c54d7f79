"""Nested cell types.

Can one tree of cells give lineages, cell types and subtypes at the same time?

Usually each resolution is another run, and the clusters of two runs need not fit into each other. Here we simulate the
counts of 900 cells with three planted levels: 3 lineages, 9 types and 18 subtypes, each with genes of its own.
`hypcse.cells.hierarchy` takes an AnnData, as scanpy does, and writes every level into `adata.obs`, coarse to fine. Each
group lies inside one group of the level before.

The lineages and the types are found exactly, and the subtypes but for a few cells. In the picture, the dark blocks are
genes in the cells that they mark: large blocks for lineages, smaller ones for types, the smallest for subtypes.

Try `resolutions=[3, 9, 18]` if you know how many groups you want. If you ran `scanpy.pp.neighbors`, its graph is used.
"""

# %% Simulate counts
# The genes of a cell's lineage, type and subtype are four times as high as in other cells. Its depth is random.
import anndata
import numpy as np
from matplotlib import pyplot
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score

import hypcse

rng = np.random.default_rng(0)
subtype = rng.integers(18, size=900)
planted = {"lineages": subtype // 6, "types": subtype // 2, "subtypes": subtype}
genes_of = {"lineages": np.arange(60) // 20, "types": np.arange(108) // 12, "subtypes": np.arange(144) // 8}
is_marker = np.hstack([planted[kind][:, None] == genes_of[kind] for kind in planted])
expected = rng.gamma(1, 1, is_marker.shape[1]) * np.where(is_marker, 4, 1)
counts = rng.poisson(expected * rng.gamma(8, 1 / 8, (900, 1)))

# %% Normalize, and ask for the hierarchy
depth = counts.sum(axis=1, keepdims=True)
adata = anndata.AnnData(np.log1p(counts / depth * np.median(depth)))
adata.obsm["X_pca"] = PCA(30, random_state=0).fit_transform(adata.X)
tree = hypcse.cells.hierarchy(adata)
n_groups = adata.uns["hypcse"]["levels"]
print("groups at each level:", n_groups.tolist())
for kind, labels in planted.items():
    scores = [adjusted_rand_score(labels, adata.obs[f"hypcse_{k + 1}"]) for k in range(len(n_groups))]
    best = int(np.argmax(scores))
    print(f"{kind}: adjusted Rand index {scores[best]:.3f} at hypcse_{best + 1}, {n_groups[best]} groups")

# %% The cells in the order of the tree
order = tree.leaf_order()
figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
hypcse.plot.disk(tree, subtype // 2, ax=left, legend=False, title="The tree, in the colors of the 9 types")
means = (counts / counts.mean(axis=0))[order].reshape(60, 15, -1).mean(axis=1)
right.imshow(means, aspect="auto", cmap="Grays", vmax=4)
right.set(title="Counts, means of 15 cells", ylabel="cells in the order of the tree", yticks=[])
right.set_xticks([30, 114, 240], ["genes of lineages", "genes of types", "genes of subtypes"], fontsize=8)

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/cells.png", dpi=80)
