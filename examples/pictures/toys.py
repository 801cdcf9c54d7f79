"""The picture of the README: the six toy sets of scikit-learn's page on clustering, every method with its defaults."""

from __future__ import annotations

import numpy as np
from canvas import save
from matplotlib import pyplot
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, OPTICS, KMeans, MeanShift
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.preprocessing import StandardScaler

import hypcse

N_POINTS, SEED = 500, 30
METHODS = {
    "hypcse": hypcse.EntropyClustering(),
    "HDBSCAN": HDBSCAN(copy=True),
    "OPTICS": OPTICS(),
    "MeanShift": MeanShift(),
    "KMeans": KMeans(random_state=0),
}


def toys() -> dict[str, NDArray[np.float64]]:
    """The sets as scikit-learn's example draws them, with its seeds."""
    slanted = make_blobs(N_POINTS, random_state=170)[0] @ [[0.6, -0.6], [-0.4, 0.8]]
    return {
        "circles": make_circles(N_POINTS, factor=0.5, noise=0.05, random_state=SEED)[0],
        "moons": make_moons(N_POINTS, noise=0.05, random_state=SEED)[0],
        "varied": make_blobs(N_POINTS, cluster_std=[1.0, 2.5, 0.5], random_state=170)[0],
        "slanted": slanted,
        "blobs": make_blobs(N_POINTS, random_state=SEED)[0],
        "no structure": np.random.RandomState(SEED).rand(N_POINTS, 2),
    }


def main() -> None:
    """Draw one row per method and one column per set."""
    sets = toys()
    figure, axes = pyplot.subplots(len(METHODS), len(sets), figsize=(9, 7.6), layout="constrained")
    for axis, title in zip(axes[0], sets, strict=True):
        axis.set_title(title, fontsize=11)
    for row, (name, method) in zip(axes, METHODS.items(), strict=True):
        row[0].set_ylabel(name, fontsize=11, fontweight="bold" if name == "hypcse" else None)
        for axis, X in zip(row, sets.values(), strict=True):
            labels = method.fit_predict(StandardScaler().fit_transform(X))
            n_clusters = np.unique(labels[labels >= 0]).size
            colors = np.array([*hypcse.plot.palette(max(n_clusters, 1)), (0.77, 0.77, 0.77)])
            axis.scatter(*X.T, s=3, c=colors[labels], linewidths=0)
            axis.set(xticks=[], yticks=[])
            axis.text(0.97, 0.03, str(n_clusters), transform=axis.transAxes, ha="right", fontsize=9)
    save(figure, "toys.png")


if __name__ == "__main__":
    main()
