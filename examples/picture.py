"""Make the pictures of the README and of docs/plots.md: python examples/picture.py [folder]."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.figure import Figure
from sklearn.datasets import load_wine

import hypcse
from hypcse import plot

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs" / "images")
IRIS = ("setosa", "versicolor", "virginica")
ZOO = ("mammal", "bird", "reptile", "fish", "amphibian", "insect", "other")


def save(figure: Figure, name: str) -> None:
    path = FOLDER / f"{name}.png"
    figure.savefig(path, dpi=100, pil_kwargs={"optimize": True})
    print(path.name, f"{path.stat().st_size / 1000:.0f} kB")


def digits() -> None:
    """A tree over 1,797 images of digits; the digits themselves color it, and were used for nothing else."""
    X, y = hypcse.datasets.load("optical-digits")
    graph = hypcse.similarity_graph(X)
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 5), layout="constrained", width_ratios=(1, 1.15))
    plot.disk(tree, y, ax=left, legend=False)
    plot.dendrogram(tree, graph=graph, labels=y, max_leaves=40, ax=right)
    save(figure, "optical-digits")


def flowers() -> None:
    """One tree over iris with both heights: how far apart the joined parts are, and those that cuts use."""
    X, y = hypcse.datasets.load("iris")
    graph = hypcse.similarity_graph(X)
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph)
    kinds = [IRIS[k] for k in y]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    plot.dendrogram(tree, graph=graph, labels=kinds, features=X, max_leaves=40, ax=left, legend=False)
    plot.dendrogram(tree, graph=graph, labels=kinds, max_leaves=40, ax=right)
    save(figure, "heights")


def animals() -> None:
    """The paper's picture of zoo: a two-dimensional embedding, with how its training went."""
    X, y = hypcse.datasets.load("zoo")
    settings = {**hypcse.paper.paper_settings("zoo"), "embed_dim": 2}
    model = hypcse.HypCSE(preset="paper", **settings).fit(X)
    kinds = [ZOO[k] for k in y]
    save(plot.disk(model, kinds).figure, "zoo")
    save(plot.history(model).figure, "curves")


def wines() -> None:
    """The figure for a paper: tree, clusters and table of wines."""
    table = load_wine(as_frame=True)
    model = hypcse.EntropyClustering().fit(table.data)
    save(plot.clustermap(model, table.data, table.target_names[table.target]), "clustermap")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    digits()
    flowers()
    animals()
    wines()
