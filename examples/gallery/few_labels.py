"""A few labels for many points.

You can label a handful of images by hand. How far do these labels reach?

We label 1, 3 or 10 images per digit, five times each, and give each of the other images a label in two ways: by
`hypcse.spread_labels` over a tree that has seen no label at all, and by the nearest labeled image. A leaf of the tree
takes the label of the smallest subtree around it that holds one.

With one label per digit the tree labels about nine of ten images correctly, and the nearest image about two of three:
a few labels are enough to name the clusters of the tree. The more labels there are, the smaller the difference.

Try `hypcse.respect_labels(graph, labels)` before the search: then the tree itself follows the labels.
"""

# %% A tree without labels
import numpy as np
from matplotlib import pyplot
from sklearn.neighbors import KNeighborsClassifier

import hypcse

X, digits = hypcse.datasets.load("optical-digits")
model = hypcse.EntropyClustering().fit(X)

# %% Label a few images, and spread the labels
# -1 is a label that is not known, as in scikit-learn.
rng = np.random.default_rng(0)
amounts = np.repeat([1, 3, 10], 5)
correct = np.zeros((2, len(amounts)))
for draw, amount in enumerate(amounts):
    labels = np.full(len(X), -1)
    for digit in range(10):
        labels[rng.choice(np.flatnonzero(digits == digit), amount, replace=False)] = digit
    known = labels >= 0
    by_tree = hypcse.spread_labels(model.tree_, labels)
    by_nearest = KNeighborsClassifier(1).fit(X[known], labels[known]).predict(X)
    for way, answer in enumerate((by_tree, by_nearest)):
        correct[way, draw] = np.mean(answer[~known] == digits[~known])
for amount in (1, 3, 10):
    tree, nearest = correct[:, amounts == amount].mean(axis=1)
    print(f"{amount:2} labels per digit: {tree:.1%} correct by the tree, {nearest:.1%} by the nearest labeled image")

# %% How far the labels reach
# One dot per draw, and lines through the means.
figure, ax = pyplot.subplots(figsize=(6.4, 3.4), layout="constrained")
for shares, name, color in zip(correct, ("by the tree", "by the nearest image"), ("#0072b2", "#e69f00"), strict=True):
    ax.scatter(amounts, shares, color=color, s=14)
    ax.plot([1, 3, 10], shares.reshape(3, 5).mean(axis=1), color=color, label=name)
ax.set(xscale="log", xlabel="labeled images per digit", ylabel="correct labels of the others", ylim=(0.5, 1))
ax.set_xticks([1, 3, 10], ["1", "3", "10"])
ax.minorticks_off()
ax.legend(loc="lower right")

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/few_labels.png", dpi=90)
