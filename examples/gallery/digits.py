"""Handwritten digits: what each level holds.

What groups are there among 1,797 small images of handwritten digits, if nobody says how many there are?

We fit `EntropyClustering` without any settings. It returns a tree and a few *levels*: flat clusterings, nested in each
other, from coarse to fine. The digits that people meant to write are known, but they are used only to check the result.

The main level has ten clusters. Nearly all of them hold one digit each. Two things stand out in the picture: the ones
that have a base form a cluster of their own, and plain ones lie together with the eights until the next level separates
them. Coarser levels join digits that look alike: fours with sevens, for example.

Try `EntropyClustering(n_clusters=12)`, or the other levels in `model.levels_`.
"""

# %% Fit
# `stability_` is a number from 0 to 1 for each level. It tells how similar the clusters come out when a fifth of the
# graph's edges is left out.
import numpy as np
from matplotlib import pyplot

import hypcse

X, digits = hypcse.datasets.load("optical-digits")
model = hypcse.EntropyClustering().fit(X)

print(model.structure_)
for labels, stability in zip(model.levels_[:5], model.stability_, strict=False):
    print(f"{labels.max() + 1:3} clusters, stability {stability:.2f}")

# %% [notebook]
# model

# %% What the main level holds
# For each cluster: how many images there are, and which digits.
for cluster in range(model.labels_.max() + 1):
    counts = np.bincount(digits[model.labels_ == cluster], minlength=10)
    held = ", ".join(f"{counts[digit]} x {digit}" for digit in np.argsort(-counts) if counts[digit])
    print(f"cluster {cluster}: {counts.sum():4} images: {held}")

# %% The mean image of each cluster
# One row per level. A blurred image is a cluster that holds several shapes.
levels = model.levels_[:3]
figure, axes = pyplot.subplots(3, 16, figsize=(9, 2.6), layout="constrained")
for row, labels in zip(axes, levels, strict=True):
    for cluster, ax in enumerate(row):
        ax.axis("off")
        if cluster <= labels.max():
            ax.imshow(X[labels == cluster].mean(axis=0).reshape(8, 8), cmap="gray_r")
            ax.set_title(f"{(labels == cluster).sum():,}", fontsize=8, pad=2)
figure.suptitle("Mean images of the clusters at the first three levels, with their sizes", fontsize=10)

# %% [notebook]
# hypcse.view(model, labels=digits)

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/digits.png", dpi=110)
