"""A hierarchy in the hyperbolic disk.

How do you draw a tree so that both its top and its leaves have room?

In the hyperbolic plane, circles grow exponentially with their radius, just as the number of nodes of a tree grows with
its depth. So a tree fits into it. `HypCSE`, the method of the paper, trains an encoder that places every point near the
rim of the Poincaré disk, such that the tree which follows from the places has a low structural entropy. We embed 178
wines, described by 13 chemical measurements. The growers are known and only color the picture.

Each grower has a sector of the disk. On the left, leaves lie where the encoder places them: similar wines are close. On
the right the same tree has a plain layout, in which every leaf has the same room.

Try `EntropyClustering` if you need the tree alone: it is as good and takes less time. Training buys the embedding.
"""

# %% Train a two-dimensional embedding
from matplotlib import pyplot
from sklearn.datasets import load_wine

import hypcse

wine = load_wine()
growers = [f"grower {number + 1}" for number in wine.target]
model = hypcse.HypCSE(embed_dim=2, random_state=0).fit(wine.data)
print(f"{len(model.history_)} epochs, entropy {model.entropy_:.3f}")
print(f"clusters: {model.labels_.max() + 1}, dendrogram purity {hypcse.dendrogram_purity(model.tree_, growers):.3f}")

# %% [notebook]
# model

# %% Where the encoder puts the wines
# `transform` places new wines in the same disk.
print(model.embedding_.shape, model.transform(wine.data[:2]).round(3).tolist())

# %% The disk
figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
hypcse.plot.disk(model, growers, ax=left, legend=False, title="By the embedding")
hypcse.plot.disk(model.tree_, growers, ax=right, title="The same tree in a plain layout")

# %% [notebook]
# hypcse.view(model, labels=growers)

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/disk.png", dpi=85)
