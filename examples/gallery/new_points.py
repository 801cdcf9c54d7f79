"""New points in a fitted tree.

The tree is made and people work with it. Tomorrow new images arrive. Where do they belong?

We fit 1,700 images of digits and keep 97 for tomorrow. `predict` gives each new image the cluster of its nearest
neighbors. `places` finds the node of the tree beside which the image adds least entropy, and `attach` returns the tree
with the new leaves. Nothing that was found before changes. The answer for an image does not depend on the images that
arrive with it.

Most new images land in a cluster of their own digit. The last three in the picture have shuffled pixels. They get a
cluster too, because there is no label for noise: points that are like nothing you have seen must be found otherwise.

Try `model.save("folder")` today and `hypcse.EntropyClustering.load("folder")` tomorrow.
"""

# %% Fit today, predict tomorrow
import numpy as np
from matplotlib import pyplot

import hypcse

X, digits = hypcse.datasets.load("optical-digits")
today, tomorrow = X[:1700], X[1700:]
model = hypcse.EntropyClustering().fit(today)
clusters = model.predict(tomorrow)
usual = np.array([np.bincount(digits[:1700][model.labels_ == k]).argmax() for k in range(model.labels_.max() + 1)])
print(f"{model.labels_.max() + 1} clusters of {len(today):,} images")
print(f"{np.mean(usual[clusters] == digits[1700:]):.1%} of {len(tomorrow)} new images lie in a cluster of their digit")

# %% The tree with the new leaves
grown = model.tree_.attach(model.places(tomorrow))
print(model.tree_)
print(grown)
print("the old tree is unchanged inside:", grown.prune(range(1700)) == model.tree_)

# %% New images, and the mean of the cluster that each is put into
rng = np.random.default_rng(0)
shuffled = rng.permuted(tomorrow[:3], axis=1)
shown = np.concatenate([tomorrow[:11], shuffled])
figure, axes = pyplot.subplots(2, len(shown), figsize=(9, 1.6), layout="constrained")
for column, image, cluster in zip(axes.T, shown, model.predict(shown), strict=True):
    mean = today[model.labels_ == cluster].mean(axis=0)
    for ax, pixels in zip(column, (image, mean), strict=True):
        ax.imshow(pixels.reshape(8, 8), cmap="gray_r")
        ax.set(xticks=[], yticks=[])
axes[0, 0].set_ylabel("new", fontsize=9)
axes[1, 0].set_ylabel("cluster", fontsize=9)

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/new_points.png", dpi=100)
