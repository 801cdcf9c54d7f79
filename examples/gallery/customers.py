"""A table with texts and gaps.

How do you get from a CSV file with texts, gaps and decimal commas to groups that you can describe?

We write a file as a shop might export it: 400 customers of four kinds, with every twentieth number missing.
`hypcse.read` turns it into points. It decides which column names the rows, which one holds texts and what to do about
gaps, and its notes say so. You say that the column `kind`, known for half of the customers, only checks the groups.

The main level has four groups, and nearly all customers of a kind are in the same one. The heat map shows what sets a
group apart: how far its mean lies from the mean of all customers, in standard deviations.

Try it with `strict=True`: the error names every column that needs a decision, and the option for it.
"""

# %% A file as a shop might export it
# Each kind of customer has its own averages and its favorite channel.
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot

import hypcse

rng = np.random.default_rng(0)
kind = rng.integers(4, size=400)
means = np.array([[24, 9, 18, 3], [41, 4, 95, 11], [67, 7, 35, 1], [36, 1, 240, 24]])[kind]
numbers = (means * rng.normal(1, 0.15, means.shape)).round(2)
table = pd.DataFrame(numbers, columns=["age", "visits", "basket", "returned %"]).mask(rng.random((400, 4)) < 0.05)
other = rng.random(400) < 0.2
table["channel"] = np.array(["app", "web", "shop", "phone"])[np.where(other, rng.integers(4, size=400), kind)]
table["kind"] = np.array(["student", "family", "senior", "company"])[kind]
table.loc[rng.random(400) < 0.5, "kind"] = None
table["customer"] = [f"C{number:04}" for number in rng.permutation(400)]
table.to_csv(path := Path(tempfile.mkdtemp(), "customers.csv"), sep=";", decimal=",", index=False)

# %% Read it, and see what was understood
points = hypcse.read(path, label_column="kind")
print(*points.notes, sep="\n")

# %% Fit, and compare with the known kinds
model = hypcse.EntropyClustering().fit(points)
print("clusters at each level:", [int(labels.max()) + 1 for labels in model.levels_])
print(pd.crosstab(model.labels_, pd.Series(points.labels, name="kind").fillna("unknown"), rownames=["group"]))

# %% What sets the groups apart
columns = pd.DataFrame(points.features, columns=points.feature_names)
apart = ((columns - columns.mean()) / columns.std()).groupby(model.labels_).mean().T
figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
hypcse.plot.dendrogram(model, [f"group {group}" for group in model.labels_], max_leaves=30, ax=left)
image = right.imshow(apart, cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
right.set(xlabel="group", xticks=apart.columns, yticks=range(len(apart)), yticklabels=apart.index)
figure.colorbar(image, label="standard deviations from the mean")

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/customers.png", dpi=90)
