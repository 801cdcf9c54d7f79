"""Beyond the paper's trees: made data (growth, planted levels, flat clusters), and classes from part of the labels."""

from __future__ import annotations

from hypcse.paper.data import FEW, SIZES, data_name
from hypcse.paper.experiments.clustering import DEFAULT_ROW, REFINED_ROW, hypcse_row
from hypcse.paper.experiments.model import Experiment, Row
from hypcse.paper.flat.cases import ABOUT as ABOUT_FLAT
from hypcse.paper.flat.cases import FLAT_CASES
from hypcse.paper.hierarchies import ABOUT as ABOUT_HIERARCHIES
from hypcse.paper.hierarchies import CASES

_GROWTH_ROWS = (
    Row("HypCSE, 10 epochs", "hypcse", {"n_epochs": 10}, trains=True),
    Row("BKM", "bisecting-kmeans"),
    Row("HDBSCAN", "hdbscan"),
    Row("SpecWRSC", "spec-wrsc"),
    Row("UFit", "ufit"),
    Row("HCSE", "hcse"),
    Row("Ward", "ward"),
    Row("graph-average", "graph-average"),
    REFINED_ROW,
)

# No row is told a number of clusters.
_HIERARCHIES_ROWS = (
    Row("SingleLinkage", "single-linkage"),
    Row("Ward", "ward"),
    Row("average linkage", "average-linkage"),
    Row("complete linkage", "complete-linkage"),
    Row("BKM", "bisecting-kmeans"),
    Row("HDBSCAN", "hdbscan"),
    Row("HCSE", "hcse", graph_alone=True),
    Row("HCSE, joined by features", "hcse", {"join": True}),
    Row("SpecWRSC", "spec-wrsc", graph_alone=True),
    Row("DPClusterHSBM", "dp-cluster-hsbm", graph_alone=True),
    Row("UFit", "ufit", trains=True, graph_alone=True),
    Row("HypHC", "hyphc", trains=True),
    Row("FPH", "fph", trains=True, graph_alone=True),
    Row("EPH", "eph", trains=True, graph_alone=True),
    hypcse_row("HypCSE, the paper's preset", preset="paper"),
    DEFAULT_ROW,
    Row("untrained, refined", "untrained"),
    Row("graph-average", "graph-average", graph_alone=True),
    Row("graph-paris", "graph-paris", graph_alone=True),
    REFINED_ROW,
)

# Our own first. Those that are told the number of clusters are left out of noise, where it is the answer.
_FLAT_ROWS = (
    Row("main level", "main-level", random=True, graph_alone=True),
    Row("cut at the true number", "cut", classes="n_clusters", random=True, graph_alone=True),
    Row("k-means (told the number)", "k-means", classes="n_clusters", random=True),
    Row("Ward (told the number)", "ward", classes="n_clusters"),
    Row("HDBSCAN", "hdbscan"),
    Row("Louvain", "louvain", random=True, graph_alone=True, needs="networkx"),
    Row("Leiden", "leiden", random=True, graph_alone=True, needs="leidenalg"),
)

GROWTH = Experiment(
    "growth",
    "Seconds by the number of points",
    _GROWTH_ROWS,
    ("seconds", "peak_mb"),
    tuple(data_name(size) for size in SIZES),
    table="none",
    kind="growth",
    smoke=(data_name(200), data_name(400)),
    note="25 Gaussians in five groups, 16 features. Each task runs after a small one that compiles; the graph is "
    "made before and not counted. Tasks run one at a time, each in a process of its own.",
)

HIERARCHIES = Experiment(
    "hierarchies",
    "Made hierarchies: are planted levels found?",
    _HIERARCHIES_ROWS,
    ("mean_purity", "partitions_hit", "best_ari", "main_ari", "structural_entropy"),
    tuple(CASES),
    table="none",
    n_seeds=3,
    kind="planted",
    redrawn=tuple(CASES),
    smoke=("gaussians-2x8-0.65", "blocks-4x4-graph"),
    note=f"{ABOUT_HIERARCHIES} No row is told a number of clusters. SingleLinkage to HDBSCAN, UFit and HypHC see the "
    "features alone. HCSE, SpecWRSC, DPClusterHSBM, FPH and EPH see the graph alone, which falls apart where "
    "clusters are clear, so that the order above its components says nothing. Our default, untrained, graph-average "
    "and graph-paris join components by features; the paper's preset decodes its embedding, and joins nothing.",
)

FLAT = Experiment(
    "flat",
    "Flat clusters: one partition of tables and graphs",
    _FLAT_ROWS,
    ("ari", "ami", "clusters"),
    tuple(FLAT_CASES),
    table="none",
    n_seeds=3,
    n_seeds_large=3,
    kind="flat",
    redrawn=tuple(case.name for case in FLAT_CASES.values() if case.group != "public"),
    smoke=("moons", "partition-20x50-0.3-0.02"),
    note=f"{ABOUT_FLAT} Our own rows read one tree, made without training: average linkage on the default "
    "similarity graph, refined, its components joined by features. The main level is told nothing, and is one "
    "cluster where `beyond_chance` finds no structure; the cut is `best_cut` with the true number of clusters. "
    "k-means (`n_init=10`) and Ward are told that number too; HDBSCAN has its default `min_cluster_size`. These "
    "three see the features on the scale of the graph, columns from 0 to 1, and have no figure on graphs. Louvain "
    "(networkx) and Leiden (leidenalg) maximise modularity, at resolution 1, on the same graph without its loops. "
    "The tables of Table 1 and the planted partitions are also in the benchmarks that our method was made with, so "
    "they are no test on unseen data.",
)

_PEERS = (
    Row("LP", "label-propagation", printed="label-propagation", random=True),
    Row("LP on the graph", "label-propagation-graph", random=True),
    Row("HypHC-TS", "hyphc-two-step", printed="hyphc-two-step", random=True),
    Row("HypHC-ETE", "hyphc-end-to-end", printed="hyphc-end-to-end", random=True),
    Row("nearest neighbours", "nearest-neighbors", random=True),
    Row("logistic regression", "logistic-regression", random=True),
    Row("gradient boosting", "gradient-boosting", random=True),
)
_LABELLED_ROWS = (
    *_PEERS,
    Row(
        "HypCSE, the paper's features",
        "hypcse-classifier",
        {"features": "similarities", "guess_weight": 0.0},
        printed="hypcse",
        random=True,
    ),
    Row("HypCSEClassifier", "hypcse-classifier", random=True),
    Row("respect_labels, then spread_labels", "spread-labels", random=True),
)
# HypHC is quadratic in what it holds, and its leaves on the digits take hours.
_FEW_ROWS = tuple(row for row in _LABELLED_ROWS if row.method not in ("hyphc-two-step", "hyphc-end-to-end"))

TABLE_3 = Experiment(
    "table3",
    "Classes from 30 % of the labels (Table 3)",
    _LABELLED_ROWS,
    ("accuracy", "accuracy_stratified"),
    ("zoo", "iris", "glass", "segmentation"),
    table="table3",
    kind="labelled",
    note="30 % of the labels to train on, 10 % to pick an epoch, 60 % to test; five draws. The paper does not say "
    "how it splits; random splits stand beside its figures. What the sources of LP and of both HypHC leave open is "
    "our reading. The paper's features are the first 10 principal components of the similarities to all points; "
    "that row learns from given labels alone; our default also learns from guesses of the tree.",
)

FEW_LABELS = Experiment(
    "few-labels",
    "Classes from a few labels",
    tuple(row for row in _FEW_ROWS if row.options.get("features") != "similarities"),
    tuple(f"accuracy_{number}" for number in FEW),
    ("optical-digits", "pen-digits"),
    table="none",
    kind="few",
    note="So many labels of each class, drawn by the seed; accuracy on all other points. Nothing is held back for "
    "validation.",
)
