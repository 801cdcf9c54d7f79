"""A tree that grows.

New images arrive week after week. Must the clusters be found anew each time, and get other numbers?

No: `update` lets the tree learn the new rows and stay itself. Here the digits come in order, a few hundred images at a
time. Each new digit gets a cluster with the next free number, and the clusters that were there keep theirs. `changes_`
says what happened, and `forget` takes rows back.

In the picture, every row of colors is the model after one update, from left to right the images in the order in which
they came. A color is the number of a cluster: below an image it changes only where a cluster was split or merged.

Try `hypcse update folder new.csv --out folder2` with a table of your own.
"""

# %% Images in order of their digit, learned in eight parts
from itertools import pairwise

import numpy as np
from matplotlib import pyplot

import hypcse

X, digits = hypcse.datasets.load("optical-digits")
order = np.argsort(digits, kind="stable")
X, digits = X[order], digits[order]
ends = np.linspace(360, len(X), 9).astype(int)
model = hypcse.EntropyClustering(scale="none").fit(X[: ends[0]])
history = [model.labels_]
for start, end in pairwise(ends):
    model.update(X[start:end])
    history.append(model.labels_)
    words = model.changes_["change"].value_counts()
    print(f"{end:,} images, digits up to {digits[end - 1]}:", ", ".join(f"{n} {word}" for word, n in words.items()))

# %% What the last update did
print(model.changes_)

# %% What came last can be forgotten
entropy = model.entropy_
model.update(X[:50])
print(f"{model.tree_.n_leaves:,} rows")
model.forget(np.arange(len(X), len(X) + 50))
print(f"{model.tree_.n_leaves:,} rows, entropy as before or lower:", model.entropy_ <= entropy * (1 + 1e-6))

# %% Every update, image by image
shown = np.full((len(history), len(X)), np.nan)
for row, labels in zip(shown, history, strict=True):
    row[: labels.size] = labels % 20
figure, ax = pyplot.subplots(figsize=(9, 3), layout="constrained")
ax.imshow(shown, aspect="auto", cmap="tab20", interpolation="nearest", vmin=0, vmax=19)
middles = [np.flatnonzero(digits == digit).mean() for digit in range(10)]
ax.set(xticks=middles, xticklabels=range(10), yticks=range(len(history)), xlabel="digit", ylabel="update")

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/living.png", dpi=100)
