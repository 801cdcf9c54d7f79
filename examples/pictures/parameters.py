"""Make the pictures of docs/parameters.md: python examples/pictures/parameters.py [folder]."""

from __future__ import annotations

import numpy as np
from canvas import draw_edges, draw_points, save
from matplotlib import pyplot
from numpy.typing import NDArray
from sklearn.datasets import make_moons

import hypcse
from hypcse import EntropyClustering

Points = NDArray[np.float64]


def row(n_panels: int, height: float = 3.5) -> tuple[pyplot.Figure, list[pyplot.Axes]]:
    figure, axes = pyplot.subplots(1, n_panels, figsize=(3.25 * n_panels, height), layout="constrained")
    return figure, list(axes)


def blobs(n_points: int = 400, spread: float = 1.0) -> Points:
    """Five overlapping groups in the plane."""
    rng = np.random.default_rng(1)
    centers = np.array([(0, 0), (5, 1), (2, 5), (9, 6), (10, 0)])
    return centers[rng.integers(5, size=n_points)] + rng.normal(scale=spread, size=(n_points, 2))


def neighbors() -> None:
    """How many neighbors each point is linked to."""
    X, _ = make_moons(300, noise=0.07, random_state=0)
    figure, axes = row(4)
    for ax, k in zip(axes, (3, 10, 30, 100), strict=True):
        model = EntropyClustering(n_neighbors=k).fit(X)
        draw_edges(ax, X, model.graph_)
        found = [int(level.max()) + 1 for level in model.levels_][:3]
        draw_points(ax, X, model.labels_, f"n_neighbors={k}\nlevels of {', '.join(map(str, found))}, ...")
    save(figure, "parameter-neighbors.png")


def stripes(extreme: bool) -> Points:
    """Two slanting groups, the second column in other units; where asked for, six extreme values in the first."""
    rng = np.random.default_rng(0)
    along = rng.uniform(0, 10, 400)
    X = np.column_stack([along, along + np.repeat([0, 4], 200)]) + rng.normal(scale=0.45, size=(400, 2))
    X[:, 1] *= 50
    if extreme:
        X[:6, 0] = rng.uniform(600, 900, 6)
    return X


def scales() -> None:
    """Columns in different units, above; six extreme values in addition, outside of the picture, below."""
    figure, axes = pyplot.subplots(2, 4, figsize=(13, 6.8), layout="constrained")
    for extreme, line in enumerate(axes):
        X = stripes(bool(extreme))
        for ax, scale in zip(line, ("minmax", "standard", "rank", "none"), strict=True):
            clusters = EntropyClustering(2, scale=scale).fit_predict(X)
            draw_points(ax, X, clusters, f'scale="{scale}"' + ("\nsix extreme values" if extreme else ""))
            ax.set_xlim(-2, 13)
    save(figure, "parameter-scale.png")


def uneven() -> Points:
    """Two dense groups and a sparse one."""
    rng = np.random.default_rng(0)
    dense = [rng.normal(0, 0.15, (120, 2)) + center for center in ((0, 0), (0.9, 0))]
    return np.concatenate([*dense, rng.normal((5, 1), 1.2, (240, 2))])


def bandwidths() -> None:
    """How fast similarity falls with distance, and what that does to groups of unequal density."""
    figure, axes = row(4)
    distance = np.linspace(0, 1.5, 200)
    for width in (0.02, 0.1, 1.0):
        axes[0].plot(distance, np.exp(-((distance / width) ** 2)), label=f"bandwidth={width}")
    axes[0].set(xlabel="distance of scaled points", ylabel="similarity")
    axes[0].legend(frameon=False, fontsize=12)
    X = uneven()
    for ax, width in zip(axes[1:], (1.0, 0.1, 0.02), strict=True):
        clusters = EntropyClustering(bandwidth=width).fit_predict(X)
        draw_points(ax, X, clusters, f"bandwidth={width}\n{clusters.max() + 1} clusters")
    save(figure, "parameter-bandwidth.png")


def numbers() -> None:
    """The same tree, cut into as many clusters as asked for."""
    X = blobs()
    figure, axes = row(4)
    for ax, k in zip(axes, (None, 3, 5, 12), strict=True):
        model = EntropyClustering(k).fit(X)
        draw_points(ax, X, model.labels_, f"n_clusters={k}")
    save(figure, "parameter-clusters.png")


def metrics() -> None:
    """Points in three directions, at any distance from the origin."""
    rng = np.random.default_rng(0)
    angle = rng.choice([0.3, 0.8, 1.3], 450) + rng.normal(scale=0.09, size=450)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.uniform(0.05, 1, 450)[:, None]
    figure, axes = row(2)
    for ax, metric in zip(axes, ("euclidean", "cosine"), strict=True):
        model = EntropyClustering(3, metric=metric, scale="none").fit(X)
        draw_points(ax, X, model.labels_, f'metric="{metric}"')
    save(figure, "parameter-metric.png")


def searches() -> None:
    """Entropy by linkage and by how hard the search is."""
    X, _ = hypcse.datasets.load("optical-digits")
    linkages, efforts = ("average", "single"), (False, "fast", "thorough")
    graph = hypcse.similarity_graph(X[:300])
    figure, ax = pyplot.subplots(figsize=(9, 4.2), layout="constrained")
    for shift, effort in enumerate(efforts):
        values = [EntropyClustering(linkage=name, refine=effort).fit(graph).entropy_ for name in linkages]
        places = np.arange(len(linkages)) + 0.27 * (shift - 1)
        bars = ax.bar(places, values, width=0.25, label=f"refine={effort!r}")
        ax.bar_label(bars, fmt="%.3f", fontsize=11)
    ax.set_xticks(range(len(linkages)), [f'linkage="{name}"' for name in linkages])
    ax.set_ylabel("structural entropy (bits)")
    ax.margins(y=0.3)
    ax.legend(frameon=False, loc="upper left")
    save(figure, "parameter-search.svg")


if __name__ == "__main__":
    neighbors()
    scales()
    bandwidths()
    numbers()
    metrics()
    searches()
